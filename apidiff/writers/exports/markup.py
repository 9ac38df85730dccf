"""Writes XML: any text of a record becomes text that XML allows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

# What XML 1.0 cannot hold, escaped or not: control characters, halves of surrogate pairs, two that are no characters.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def clean(text: str) -> str:
    """Replace each character that XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    """Add a child to ``parent``; attributes and text may hold anything."""
    child = ET.SubElement(parent, tag, {name: clean(value) for name, value in attributes.items()})
    child.text = clean(text) or None
    return child


def xml_bytes(root: ET.Element) -> bytes:
    """Write the file, indented: the same bytes for the same elements."""
    ET.indent(root, " ")
    body = ET.tostring(root, encoding="unicode", short_empty_elements=True)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'.encode()
