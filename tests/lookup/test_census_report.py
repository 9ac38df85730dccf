"""How much of a census is answered, and by which mapping a name is."""

from __future__ import annotations

import pytest
from factories import entry, range_entry, target_entry
from kb_entries import MONITORED, REDUCE

from apidiff.database.scope import load_scope
from apidiff.lookup.census import answering, census_report, is_run
from apidiff.lookup.index import Index
from apidiff.model.views import AgreementEntry
from apidiff.writers.census import census_text

GATHER = "torch.distributed.gather"


def test_shares_and_what_is_missing(index: Index) -> None:
    counts = {REDUCE: 60, "torch.less_used": 5, MONITORED: 20, "torch.cat_less": 15}
    report = census_report(index, counts)
    assert (report.references, report.names, report.answered, report.answered_names) == (100, 4, 80, 2)
    assert (report.run, report.run_names) == (60, 1)  # of the other, nothing was run
    assert [(used.name, used.references) for used in report.unanswered] == [
        ("torch.cat_less", 15),
        ("torch.less_used", 5),
    ]
    english = census_text(report, "en").splitlines()
    assert english[1] == "answered: 80.0 % of the references (80), 2 names"
    assert english[-2:] == ["  15  torch.cat_less", "   5  torch.less_used"]
    assert "60.0 %" in census_text(report, "zh")


def test_a_name_of_the_census_stays_on_its_line_and_shows_what_nobody_sees(index: Index) -> None:
    """Cells of a CSV file may hold line ends, escape sequences and changes of direction."""
    report = census_report(index, {"a\nanswered: all": 4, "b\x1b[2Jc\0": 3, "\u202ed": 2, "e" * 5000: 1})
    lines = census_text(report, "en").splitlines()
    assert lines[4:7] == ["  4  a answered: all", "  3  b\\x1b[2Jc\\x00", "  2  \\u202ed"]
    assert len(lines) == 8
    assert len(lines[7]) < 130


def test_where_all_is_answered_it_says_so(index: Index) -> None:
    assert census_text(census_report(index, {REDUCE: 1}), "en").endswith("\nEvery name has an answer.\n")


@pytest.mark.parametrize(
    ("name", "mapping"),
    [
        (REDUCE, REDUCE),
        ("torch.distributed.distributed_c10d.reduce", REDUCE),  # a copy of the module
        ('c10d "reduce"', REDUCE),  # an alias
        (f"{REDUCE}.func_name", None),  # a function has no members
        ("torch.Tensor.view_of_nothing", None),  # has a record of its own or none
        ("torch.nothing", None),
        ("mindspore.communication.GlobalComm", None),
    ],
)
def test_names_lead_to_mappings(index: Index, name: str, mapping: str | None) -> None:
    assert answering(index, load_scope().torch, name) == mapping


MADE = [
    ({"agrees": 3, "unsupported": 1}, "2.10.0", True),
    ({"differs": 1}, "2.10.0", True),
    ({"unsupported": 4}, "2.10.0", False),  # no call was made
    ({"agrees": 3}, "2.9.0", False),  # by another version
]


@pytest.mark.parametrize(("counts", "version", "run"), MADE)
def test_only_calls_that_were_made_with_the_release_count(counts: dict[str, int], version: str, run: bool) -> None:
    row = AgreementEntry(
        facet="value",
        agreement="agrees",
        framework_version=version,
        source_version="2.13.0",
        device="cpu",
        counts=counts,
    )
    target = target_entry("mindspore.mint.cat", range_entry("2.7"), agreements=[row])
    assert is_run(entry("torch.cat", execution="single", targets=[target]), "2.10.0") is run
