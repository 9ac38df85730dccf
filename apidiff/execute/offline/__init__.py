"""Measures on a machine of its own, without network: what `make gpu` and `make npu` run, and the packages they may lack."""
