"""Measures on a machine without network, installing nothing: what `make gpu`, `make npu` and `make wheels` start."""
