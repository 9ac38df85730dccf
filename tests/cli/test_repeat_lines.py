"""What one sample came to beside what is recorded of it: the same, something else, or what comes out either way."""

import ast
from collections.abc import Sequence

import pytest

from apidiff.cli.repeat import sample_lines, verdict_lines
from apidiff.database import Data
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.sample_run import SampleRun
from apidiff.model.verdict import Evidence, EvidenceCode
from apidiff.model.verdict import evidence as fact
from apidiff.verification.repeat import RepeatedSample, RepeatedTarget

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


def test_what_is_called_is_told_as_code(database: Data) -> None:
    """The steps of an optimiser stand in a loop, which no line holds with what is before it."""
    run = SampleRun(mapping="torch.f", api="torch.f", sample="plain", spec="0" * 12, end="crashed")
    repeated, loops = RepeatedSample("2.13.0", run, []), 0
    for mapping in database.mappings.values():
        for name in mapping.samples:
            told = [*sample_lines(mapping, name, repeated)]
            code = [line for line in told[: told.index("PyTorch 2.13.0")] if not line.startswith("  with ")]
            ast.parse("\n".join(code))
            loops += any(line.startswith("for _ in range(") for line in code)
    assert loops
