"""The edits that an editor is offered."""

from __future__ import annotations

import time

import msgspec

from apidiff.lookup.cache import open_index
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Porter, Repair
from apidiff.servers.analyser import Analyser
from apidiff.servers.quick_fixes import quick_fixes


def test_half_a_character_is_no_reason_to_fail() -> None:
    none: list[Repair] = []
    assert list(quick_fixes(none, "x = '\ud800'\n", (1, 1), (2, 1), [], "en")) == []


def test_all_of_a_long_document_is_answered_in_seconds() -> None:
    """Each edit is made with imports of its own, for which the whole text is looked through."""
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    text = "import torch\n" + "x = torch.cat([a, b], 1)\n" * 3_000
    begun = time.monotonic()
    found = porter.repairs(text, "a.py", (1, 1), (5_000, 1))
    assert time.monotonic() - begun < 15
    assert [one.change.line for one in found[1:4]] == [found[0].change.line + number for number in (1, 2, 3)]


def test_comments_that_are_begun_and_not_ended_are_looked_through_once() -> None:
    analyser = Analyser(open_index(), "2.10.0")
    line = "x = torch.std(a, dim=1)  " + "# apidiff: ignore[" * 6_000
    findings = [
        msgspec.structs.replace(one, line=2)
        for one in analyser.analyse("import torch\nx = torch.std(a, dim=1)\n", "a.py").report.findings
    ]
    begun = time.process_time()
    found = list(quick_fixes([], f"import torch\n{line}\n", (1, 1), (3, 1), findings, "en"))
    assert time.process_time() - begun < 1
    assert found
