"""A record of others with which a command would end in a traceback is passed over, and named."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import msgspec
import pytest

from apidiff.cli import check, main
from apidiff.database import Data
from apidiff.database.single_runs import SingleTraces
from apidiff.derive import beside_ours
from apidiff.errors import Damage
from apidiff.judge import verdicts
from apidiff.judge.pairs import PairVerdicts
from apidiff.lookup import build as module
from apidiff.lookup.build import build
from apidiff.lookup.record_trial import without_failing
from apidiff.model.mapping import Mapping, Target
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord
from apidiff.sphinxext import site_content

API = "torch.distributed.all_reduce"
BROKEN, FINE = (f"torch-2.13.0/gloo-cpu-2-{digit * 64}" for digit in "01")


@pytest.fixture
def beside(database: Data, monkeypatch: pytest.MonkeyPatch) -> Data:
    """The data of one API with two records of others, of which the judge fails with one."""
    real = next(record for key, record in database.runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    ours = msgspec.structs.replace(real, probes=[run for run in real.probes if run.api == API])
    broken, fine = (msgspec.structs.replace(ours, measured_by=lab) for lab in ("broken", "fine"))
    judge = verdicts.judge_claim

    def failing(*given: object) -> object:
        record = next(one for one in given if isinstance(one, RunRecord))
        if record.measured_by == "broken":
            raise ZeroDivisionError("of nothing")
        return judge(*given)

    monkeypatch.setattr(verdicts, "judge_claim", failing)
    return dataclasses.replace(
        database,
        mappings={API: database.mappings[API]},
        runs=[],
        single_runs=[],
        unsigned_runs=[(BROKEN, broken), (FINE, fine)],
        signed={BROKEN: Signed(), FINE: Signed()},
    )


@pytest.mark.parametrize("kind", ["unsigned_runs", "signed_runs"])
def test_the_records_of_others_that_fail_are_passed_over(beside: Data, kind: str) -> None:
    none = {"unsigned_runs": [], "signed_runs": []}
    signed = dict.fromkeys(beside.signed, Signed(state=State.VERIFIED, signer="Lab"))
    left = without_failing(dataclasses.replace(beside, **none | {kind: beside.unsigned_runs}, signed=signed))
    assert [key for key, _ in getattr(left, kind)] == list(left.signed) == [FINE]
    [error] = left.damaged
    assert error.path == beside.root / "runs" / f"{BROKEN}.json.gz"
    assert error.damage is Damage.NOT_JUDGED
    assert "cannot be judged: ZeroDivisionError: of nothing. Ask whoever sent it to record the run anew" in str(error)


def test_a_signed_record_of_single_calls_that_fails_is_passed_over(
    database: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, real = next(pair for pair in database.single_runs if pair[0].startswith("mindspore-2.10.0/single-cpu-"))
    samples = [run for run in real.samples if run.mapping == real.samples[0].mapping]
    broken, fine = (f"{key.rpartition('-')[0]}-{digit * 64}" for digit in "01")
    theirs = {lab: msgspec.structs.replace(real, samples=samples, measured_by=lab) for lab in (broken, fine)}
    known = {one: Signed(state=State.VERIFIED, signer="Lab") for one in theirs}
    data = dataclasses.replace(database, signed_single_runs=list(theirs.items()), signed=database.signed | known)
    judge = beside_ours.judge_target

    def failing(mapping: Mapping, target: Target, traces: SingleTraces, *given: object) -> Iterator[PairVerdicts]:
        for pair in judge(mapping, target, traces, *given):
            if broken in pair.runs:
                raise OverflowError("too large")
            yield pair

    monkeypatch.setattr(beside_ours, "judge_target", failing)
    left = without_failing(data)
    assert [one for one, _ in left.signed_single_runs] == [fine]
    assert (broken in left.signed, fine in left.signed) == (False, True)
    [error] = left.damaged
    assert (error.path.name, error.damage) == (f"{broken.rpartition('/')[2]}.json.gz", Damage.NOT_JUDGED)
    assert "cannot be judged: OverflowError: too large" in str(error)


def test_this_project_s_own_are_not_tried(beside: Data) -> None:
    own = dataclasses.replace(beside, runs=beside.unsigned_runs, unsigned_runs=[])
    assert without_failing(own) is own


def test_answers_are_made_without_them(beside: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load", lambda: beside)
    [told] = build("").damaged
    assert "cannot be judged: ZeroDivisionError" in told


def test_pages_are_made_without_them(beside: Data) -> None:
    content = site_content.make(beside)
    assert content.damaged[f"runs/{BROKEN}.json.gz"].damage is Damage.NOT_JUDGED
    assert list(content.runs) == [FINE]


def test_check_names_them_and_counts_without_them(
    beside: Data, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "load_valid", lambda: beside)
    assert main(["check"]) == 2
    assert capsys.readouterr().err.count("cannot be judged: ZeroDivisionError: of nothing") == 1
    assert main(["check", API]) == 0
