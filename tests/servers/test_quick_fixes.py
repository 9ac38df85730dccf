"""The edits that an editor is offered."""

from __future__ import annotations

import time

import msgspec
import pytest
from lsprotocol import types

from apidiff.lookup.cache import open_index
from apidiff.porting import port_text
from apidiff.porting.changes import PortOptions, Repair
from apidiff.porting.edited_statements import EditedStatements
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Porter
from apidiff.porting.reference_changes import ReferenceChanges
from apidiff.servers.analyser import Analyser
from apidiff.servers.comment_places import comment_places
from apidiff.servers.editor_answers import by_place
from apidiff.servers.quick_fixes import quick_fixes

_CALL = "torch.std(a, dim=1)"


def test_half_a_character_is_no_reason_to_fail() -> None:
    none: list[Repair] = []
    assert list(quick_fixes(none, "x = '\ud800'\n", (1, 1), (2, 1), [], "en")) == []


# (source and code of a diagnostic as an editor sends it, whether it is one of ours)
SENT: list[tuple[str, object, bool]] = [
    ("apidiff", "AD101", True),
    ("other", "AD101", False),
    ("apidiff", None, False),
    ("apidiff", 101, False),
    ("apidiff", ["AD101"], False),
    ("apidiff", {"value": "AD101"}, False),
]


@pytest.mark.parametrize(("source", "code", "is_ours"), SENT)
def test_diagnostics_of_an_editor(source: str, code: object, is_ours: bool) -> None:
    place = types.Range(types.Position(1, 2), types.Position(1, 3))
    sent = types.Diagnostic(place, "a message", source=source, code=code)
    assert by_place([sent]) == ({("AD101", 1, 2): [sent]} if is_ours else {})


def test_all_of_a_long_document_is_answered_in_seconds() -> None:
    """Each edit is made with imports of its own."""
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    text = "import torch\n" + "x = torch.cat([a, b], 1)\n" * 3_000
    begun = time.process_time()  # other tests run beside this one
    found = porter.repairs(text, "a.py", (1, 1), (5_000, 1))
    assert time.process_time() - begun < 15
    assert [one.change.line for one in found[1:4]] == [found[0].change.line + number for number in (1, 2, 3)]


def test_a_text_is_gone_through_once_for_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor asks wherever the cursor goes: for each place of 900 kB it took 14 s."""
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names, PortOptions(unsafe=True))
    text = "import torch\n" + "x = torch.cat([a, b], 1)\n" * 20
    read: list[str] = []
    changes = ReferenceChanges.all
    monkeypatch.setattr(ReferenceChanges, "all", lambda self: read.append("all") or changes(self))
    found = [porter.repairs(text, "a.py", (line, 1), (line, 9))[0].change.line for line in range(2, 12)]
    assert (found, read) == ([*range(2, 12)], ["all"])
    assert porter.repairs(f"#\n{text}", "a.py", (3, 1), (3, 9))[0].change.line == 3
    assert porter.repairs(text, "a.py", (3, 1), (3, 9))[0].change.line == 3
    assert read == ["all"] * 3
    for path in ("b.py", "a.py", "b.py", "a.py"):  # documents that take turns
        porter.repairs(text, path, (3, 1), (3, 9))
    assert read == ["all"] * 4
    monkeypatch.setattr(port_text, "_MOST_KEPT", len(text))
    for path in ("c.py", "b.py"):
        porter.repairs(text, path, (3, 1), (3, 9))
    assert read == ["all"] * 6


def test_a_statement_is_parsed_once_for_all_that_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is most of the text: each action took 0.4 s, as often as an editor asked."""
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    tried: list[object] = []
    gives = EditedStatements.give_python
    monkeypatch.setattr(EditedStatements, "give_python", lambda self, edits: tried.append(edits) or gives(self, edits))
    text = "import torch\nx = [\n" + "torch.cat([a, b], 1),\n" * 30 + "]\n"
    first = porter.repairs(text, "a.py", (1, 1), (9, 9))
    count = len(tried)
    assert len(first) == count > 1
    assert [porter.repairs(text, "a.py", (1, 1), (9, 9)) for _ in range(3)] == [first] * 3
    assert len(tried) == count


def test_a_text_that_has_to_be_parsed_whole_is_so_a_few_times_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    text = "import torch\n" + "x = torch.cat([a, b], 1)\n" * 20
    monkeypatch.setattr(EditedStatements, "give_python", lambda *_: False)
    assert len(porter.repairs(text, "a.py", (1, 1), (30, 1))) == 20
    monkeypatch.setattr(port_text, "_MOST_PARSED", 2 * len(text))
    few = porter.repairs(text, "a.py", (1, 1), (30, 1))
    assert 0 < len(few) < 4
    assert porter.repairs(text, "a.py", (1, 1), (30, 1)) == few


def test_comments_that_are_begun_and_not_ended_are_looked_through_once() -> None:
    analyser = Analyser(open_index(), "2.10.0")
    line = "x = torch.std(a, dim=1)  " + "# apidiff: ignore[" * 5_000
    findings = [
        msgspec.structs.replace(one, line=2)
        for one in analyser.analyse("import torch\nx = torch.std(a, dim=1)\n", "a.py").report.findings
    ]
    begun = time.process_time()
    found = list(quick_fixes([], f"import torch\n{line}\n", (1, 1), (3, 1), findings, "en"))
    assert time.process_time() - begun < 1
    assert found


@pytest.mark.parametrize("line", ["x='" + "\\'" * 45_000, f"x{' ' * 90_000}?"], ids=["quotes", "blanks"])
def test_tokens_are_not_looked_for_in_vain_without_end(line: str) -> None:
    """A document of 40 kB took 30 s, in which the server answered nothing."""
    begun = time.process_time()
    places = comment_places(f"y = 1\n{line}\n", "python")
    assert time.process_time() - begun < 5
    assert 1 in places
    assert comment_places("y = 'abc\nx = 1\n", "python")  # half typed


PASSED_OVER = [  # lines with a call, and with the comment that passes over what is found there; None where none can stand
    (f"x = {_CALL}  \n", f"x = {_CALL}  # apidiff: ignore[AD000]\n"),
    (f"x = {_CALL}", f"x = {_CALL}  # apidiff: ignore[AD000]"),
    (f"x = {_CALL}  # why\n", f"x = {_CALL}  # why  # apidiff: ignore[AD000]\n"),
    (f"x = ({_CALL},\n  2)\n", f"x = ({_CALL},  # apidiff: ignore[AD000]\n  2)\n"),
    (f"x = {_CALL}  # apidiff: ignore[AD999]\n", f"x = {_CALL}  # apidiff: ignore[AD999, AD000]\n"),
    (f"x = {_CALL}; y = '''#\n# '''\n", None),
    (f"y = '''#\n # '''; x = {_CALL}\n", f"y = '''#\n # '''; x = {_CALL}  # apidiff: ignore[AD000]\n"),
    (f"x = 1 + \\\n  {_CALL} + \\\n  2\n", None),
    (f'x = f"""{{\n{_CALL}\n}}"""\n', None),
    (f"y = '# apidiff: ignore[AD999]'; x = {_CALL}\n", None),
    (f"x = {_CALL}\nif (\n", f"x = {_CALL}  # apidiff: ignore[AD000]\nif (\n"),  # half typed
]


@pytest.mark.parametrize(("before", "after"), PASSED_OVER)
def test_a_comment_is_written_where_one_can_stand(before: str, after: str | None) -> None:
    head = "import torch\n"
    number = 1 + next(at for at, line in enumerate(before.split("\n"), 1) if _CALL in line)
    assert _passing_over(f"{head}{before}", number, "a.py") == ([] if after is None else [f"{head}{after}"])


def test_in_a_page_a_comment_is_written_behind_code() -> None:
    page = f"It's `a\n\n> ```python\n> import torch\n> x = {_CALL}  # why\n> ```\n"
    assert _passing_over(page, 5, "a.md") == [page.replace("# why", "# why  # apidiff: ignore[AD000]")]
    passed_over = page.replace("# why", "# apidiff: ignore[AD999]")
    assert _passing_over(passed_over, 5, "a.md") == [page.replace("# why", "# apidiff: ignore[AD999, AD000]")]


def _passing_over(text: str, line: int, path: str) -> list[str]:
    """The texts that actions make of ``text`` which pass over a finding on a line."""
    report = Analyser(open_index(), "2.10.0").analyse(f"import torch\nx = {_CALL}\n", "a.py").report
    finding = msgspec.structs.replace(
        report.findings[0], file=path, code="AD000", line=line, end_line=line, end_column=1_000
    )
    lines, made = text.split("\n"), []
    for fix in quick_fixes([], text, (line, 1), (line, 1_000), [finding], "en"):
        (edit,) = fix.edits
        old = lines[line - 1]
        new = old[: edit.span.column - 1] + edit.text + old[edit.span.end_column - 1 :]
        made.append("\n".join([*lines[: line - 1], new, *lines[line:]]))
    return made


def test_a_fix_that_brings_the_layers_of_the_file_says_so() -> None:
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names, PortOptions(unsafe=True))
    text = "from torch import nn\nclass A(nn.Module):\n    def forward(self, x): return x\n"
    for place in ((2, 12), (3, 9)):
        repairs = porter.repairs(text, "a.py", place, place)
        [fix] = quick_fixes(repairs, text, place, place, [], "en")
        assert fix.title.endswith("(verified), with the layers of this file")
        assert fix.verified
        assert {edit.text for edit in fix.edits} >= {"nn.Cell", "construct"}
