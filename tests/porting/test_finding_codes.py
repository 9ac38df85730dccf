"""The short codes of findings: one for each kind, the same for good, all of them on the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from apidiff.database.paths import DATA
from apidiff.errors import DataError
from apidiff.lookup.cache import open_index
from apidiff.model.vocabulary import AnswerKind, DifferenceKind
from apidiff.porting.finding_codes import RENAME, finding_codes, keeps_out
from apidiff.porting.judgement import Judge
from apidiff.porting.scan_report import make_report
from apidiff.porting.tree_scan import ScannedFile

GUIDES = Path(__file__).resolve().parents[2] / "docs"
# Codes that a release has had. One that goes stays here, and is not given to another kind.
GIVEN = {
    "value": "AD101",
    "dtype": "AD102",
    "shape": "AD103",
    "gradient": "AD105",
    "in_place": "AD201",
    "parameter": "AD301",
    "no_counterpart": "AD403",
    "backend_support": "AD501",
    "rename": "AD901",
}


def test_every_kind_has_a_code_of_its_own() -> None:
    codes = finding_codes()
    kinds = {kind.value for kind in DifferenceKind} | {answer.value for answer in AnswerKind} | {RENAME}
    assert codes.keys() == kinds
    assert len(set(codes.values())) == len(codes)
    assert codes.items() >= GIVEN.items()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_lists_every_code(language: str) -> None:
    text = (GUIDES / language / "guide" / "scanning.md").read_text("utf-8")
    assert re.findall(r"^\| `(AD\d+)` \|", text, re.MULTILINE) == list(finding_codes().values())


IGNORED = [
    ("x.tanh()", {"AD101", "AD105"}),
    ("x.tanh()  # apidiff: ignore[AD101]", {"AD105"}),
    ("x.tanh()  # noqa: X1  # apidiff: ignore[AD105, AD101]", set()),
    ("x.tanh()  # apidiff: ignore[AD999]", {"AD101", "AD105"}),
    ("x.tanh()  # apidiff: ignore[torch.Tensor.tanh]", set()),
    ("x.tanh()  # apidiff: ignore", set()),
]


@pytest.mark.parametrize(("line", "left"), IGNORED)
def test_a_comment_passes_over_a_code(scan: Callable[..., list[ScannedFile]], line: str, left: set[str]) -> None:
    index = open_index()
    judge = Judge(index.call_facts, index.source_names.apis, "2.10.0", index.releases["mindspore"], None)
    report = make_report(scan({"a.py": f"import torch\nx = torch.eye(2)\n{line}\n"}), judge, "2.10.0", None)
    assert {finding.code for finding in report.findings if finding.line == 3} == left


class LookedUp(frozenset[str]):
    """Names that may be looked up, and not gone through for each call beside which they are listed."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError


LISTED = [
    ({"torch.tanh", "x"}, True, set()),
    ({"tanh"}, True, set()),
    (set(), True, set()),
    ({"AD101"}, True, {"AD105"}),
    ({"anh", "torch.cosh"}, False, {"AD101", "AD105"}),
]


@pytest.mark.parametrize(("listed", "is_kept", "left"), LISTED)
def test_what_a_comment_lists_is_looked_up(
    scan: Callable[..., list[ScannedFile]], listed: set[str], is_kept: bool, left: set[str]
) -> None:
    index = open_index()
    judge = Judge(index.call_facts, index.source_names.apis, "2.10.0", index.releases["mindspore"], None)
    comment = f"ignore[{', '.join(listed)}]" if listed else "ignore"
    [file] = scan({"a.py": f"import torch\ntorch.tanh(torch.eye(2))  # apidiff: {comment}\n"})
    assert file.names.ignored == {2: listed}
    names = msgspec.structs.replace(file.names, ignored={2: LookedUp(listed)})
    report = make_report([msgspec.structs.replace(file, names=names)], judge, "2.10.0", None)
    assert {finding.code for finding in report.findings if finding.source == "torch.tanh"} == left
    assert keeps_out(LookedUp(listed), "torch.tanh") is is_kept


def _changed(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


# what is done to the file, what is said
FAULTS: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text, ""),
    (lambda _: "{}", "has no code for 'accuracy'"),
    (lambda _: '["AD101"]', "is missing or damaged"),
    (lambda _: "[" * 100_000, "is missing or damaged"),
    (_changed('"value": "AD101",', ""), "has no code for 'value'"),
    (_changed('"value"', '"valeu"'), "has a code for 'valeu', which is no kind of finding"),
    (_changed('"AD102"', '"AD101"'), "has AD101 for 'value' and for 'dtype'"),
    (_changed('"AD102"', '"AD1020"'), "has 'AD1020' for 'dtype', and codes are of the form AD101"),
    (_changed('"AD102"', '"AD10\\u202e2"'), "has 'AD10\\u202e2' for 'dtype', and codes"),
    (_changed('"AD102"', '"AD102\\n"'), "has 'AD102\\n' for 'dtype', and codes"),
    (_changed('"AD102"', '"AD10\u0662"'), "for 'dtype', and codes are of the form AD101"),
    (_changed('"AD102"', "102"), "has 102 for 'dtype', and codes are of the form AD101"),
    (_changed('"AD102"', '{"code": "AD102"}'), "for 'dtype', and codes are of the form AD101"),
    (_changed('"AD102",', '"AD102", "dtype": "AD199",'), "has the key 'dtype' twice"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS)
def test_codes_that_are_none_are_damage_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[str], str], said: str
) -> None:
    """A kind without a code ends a scan; a code of two kinds would keep out what the other finds."""
    path = tmp_path / "finding_codes.json"
    path.write_text(change((DATA / "finding_codes.json").read_text("utf-8")), "utf-8")
    monkeypatch.setattr("apidiff.porting.finding_codes._FILE", path)
    if not said:
        assert finding_codes.__wrapped__() == finding_codes()
        return
    with pytest.raises(DataError) as caught:
        finding_codes.__wrapped__()
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "reinstall apidiff" in str(caught.value)
