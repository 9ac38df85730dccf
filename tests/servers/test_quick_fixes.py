"""The edits that an editor is offered."""

from __future__ import annotations

from apidiff.porting.port_text import Repair
from apidiff.servers.quick_fixes import quick_fixes


def test_half_a_character_is_no_reason_to_fail() -> None:
    none: list[Repair] = []
    assert list(quick_fixes(none, "x = '\ud800'\n", (1, 1), (2, 1), [], "en")) == []
