"""Reads signatures of torch and MindSpore from their source with griffe; imports neither."""

from __future__ import annotations

from apidiff.signatures.extract import extract, extract_wheel, render, write
from apidiff.signatures.source import Source, installed, unpacked

__all__ = ["Source", "extract", "extract_wheel", "installed", "render", "unpacked", "write"]
