"""The page of run records: this project's own stand before those of others, whatever date these name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest
from docutils import nodes
from docutils.utils import new_document
from entry_fixture import run_record

from apidiff.derive.evidence import RunHead, SingleHead, head_of
from apidiff.model.signed import Signed, State
from apidiff.sphinxext.index_pages import runs, single_runs
from apidiff.sphinxext.nodes import late, portion
from apidiff.sphinxext.page_builder import PageBuilder

OURS, OLDER, SIGNED = (f"torch-2.13.0/single-cpu-{name}" for name in ("ours", "older", "signed"))
MANY = 100  # more than are shown at once


def _of_ranks(name: str, date: str, signed: Signed) -> RunHead:
    return msgspec.structs.replace(head_of(name, run_record(), signed), date=date)


def _single(name: str, date: str, signed: Signed) -> SingleHead:
    return SingleHead(
        id=name, framework="torch", framework_version="2.13.0", device="cpu", date=date, signed=signed, ends={}
    )


@pytest.mark.parametrize(("head", "shown"), [(_of_ranks, runs), (_single, single_runs)])
def test_records_of_others_put_none_of_ours_under_a_lid(
    head: Callable[[str, str, Signed], RunHead | SingleHead],
    shown: Callable[[PageBuilder, Sequence[RunHead | SingleHead]], list[nodes.Node]],
) -> None:
    later = "2026-11-29T00:00:00Z"
    lines = [head(f"torch-2.13.0/single-cpu-{number:064x}", later, Signed()) for number in range(MANY)]
    lines += [
        head(SIGNED, "2026-11-20T00:00:00Z", Signed(state=State.VERIFIED, signer="Lab")),
        head(OLDER, "2026-11-10T00:00:00Z", Signed(state=State.LISTED)),
        head(OURS, "2026-11-11T00:00:00Z", Signed(state=State.LISTED)),
    ]
    made = shown(PageBuilder("en", new_document("page"), "runs"), lines)
    page = nodes.container("", *(part for one in made for held in _held_back(one) for part in held))
    for lid in list(page.findall(portion)):
        lid.parent.remove(lid)
    at_once = [row.astext() for row in page.findall(nodes.row)][1:]
    assert len(at_once) < MANY
    for text, name in zip(at_once[:3], ("ours", "older", "signed"), strict=True):
        assert f"single-cpu-{name}" in text


def _held_back(shown: nodes.Node) -> list[list[nodes.Node]]:
    """The parts of ``shown``, those that only the writer sees too."""
    return [one["content"] for one in shown.findall(late)] or [[shown]]
