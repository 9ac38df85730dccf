"""What one sample came to beside what is recorded of it: the same, something else, or what comes out either way."""

from collections.abc import Sequence

import pytest

from apidiff.cli.repeat import verdict_lines
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.sample_run import SampleRun
from apidiff.model.verdict import Evidence, EvidenceCode
from apidiff.model.verdict import evidence as fact
from apidiff.verification.repeat import RepeatedTarget

UNREPEATED = fact(EvidenceCode.UNREPEATED, first="1", second="2")
EITHER_WAY = (
    "recorded: value differs: MindSpore returns another value each time: 1, then 2; it comes out either way: run again"
)


def value(agreement: Agreement, *facts: Evidence) -> FacetVerdict:
    return FacetVerdict(sample="plain", facet=Facet.VALUE, agreement=agreement, facts=list(facts))


AGREES, DIFFERS = value(Agreement.AGREES), value(Agreement.DIFFERS, UNREPEATED)


@pytest.mark.parametrize(
    ("now", "recorded", "lines"),
    [
        ([AGREES], [AGREES], ["agrees in every facet", "as recorded"]),
        ([AGREES], [], ["agrees in every facet", "nothing is recorded of this version"]),
        ([AGREES], [DIFFERS], ["agrees in every facet", EITHER_WAY]),
        ([AGREES], [value(Agreement.DIFFERS)], ["agrees in every facet", "not what is recorded"]),
        ([DIFFERS], [DIFFERS], ["value differs: MindSpore returns another value each time: 1, then 2", "as recorded"]),
    ],
)
def test_what_came_is_told_beside_what_is_recorded(
    now: Sequence[FacetVerdict], recorded: Sequence[FacetVerdict], lines: list[str]
) -> None:
    run = SampleRun(mapping="torch.f", api="mindspore.f", sample="plain", spec="0" * 12, end="completed")
    target = RepeatedTarget("mindspore.f", "2.10.0", "cpu", run, now, recorded)
    assert list(verdict_lines(target)) == lines
