"""Where a target runs: a call fails only where it raised, hung or was not supported."""

from __future__ import annotations

import pytest

from apidiff.database import Data
from apidiff.derive.runs_on import runs_on
from apidiff.model.base import Text
from apidiff.model.claim import CANONICAL_CLAIM
from apidiff.model.mapping import Api
from apidiff.model.views import AgreementEntry, ClaimEntry, ObservedSummary

SOURCE = "torch.distributed.broadcast"
PLAIN = "others-overwritten"  # what the plain call does to its tensor


@pytest.fixture(scope="module")
def api(database: Data) -> Api:
    return database.mappings[SOURCE].source


def claims(api: Api, outcomes: dict[str, str]) -> dict[str, ClaimEntry]:
    """The API's claims, each with a run that ended so; those not named were never run."""

    def summary(claim: str) -> list[ObservedSummary]:
        if claim not in outcomes:
            return []
        return [
            ObservedSummary(
                outcome=outcomes[claim],
                framework="torch",
                framework_version="2.13.0",
                backend="gloo",
                device="cpu",
                world_sizes=[3],
                runs=["r"],
            )
        ]

    return {
        claim.id: ClaimEntry(
            id=f"{api.name}#{claim.id}",
            subject=api.name,
            side="source",
            kind=claim.kind.value,
            text=Text(en="It does.", zh="如此。"),
            summary=summary(claim.id),
        )
        for claim in api.claims
    }


# outcomes by claim, how the call ended
ENDS = [
    ({PLAIN: "refuted"}, "holds"),  # it came back, with another result than claimed
    ({PLAIN: "holds"}, "holds"),
    ({PLAIN: "error"}, "error"),
    ({PLAIN: "timeout"}, "timeout"),
    ({PLAIN: "unsupported"}, "unsupported"),
    ({CANONICAL_CLAIM: "refuted"}, "error"),  # it raised
    ({CANONICAL_CLAIM: "holds", PLAIN: "error"}, "holds"),  # the canonical call counts
    ({}, "not run"),
]


@pytest.mark.parametrize(("outcomes", "ended"), ENDS)
def test_how_the_ordinary_call_ended(api: Api, outcomes: dict[str, str], ended: str) -> None:
    on_cpu = next(place for place in runs_on(api, {}, claims(api, outcomes)) if place.device == "cpu")
    assert on_cpu.outcome == ended


def agreement(facet: str, inputs: str = "", **counts: int) -> AgreementEntry:
    return AgreementEntry(
        inputs=inputs,
        facet=facet,
        agreement=next(iter(counts)),
        framework_version="2.10.0",
        source_version="2.13.0",
        device="cpu",
        counts=counts,
    )


# what samples showed of whether calls raise and of what they return, whether the target took one, how the call ended
SAMPLED = [
    (
        [agreement("error", unsupported=3, agrees=1), agreement("structure", unsupported=3)],
        False,
        "unsupported",
    ),  # both refuse one
    ([agreement("error", differs=1, agrees=2), agreement("structure", agrees=2)], True, "holds"),
    ([agreement("error", differs=2)], True, "holds"),  # PyTorch refuses both
    ([agreement("error", differs=2)], False, "error"),  # the target refuses both
    ([agreement("error", agrees=1)], False, "error"),  # both sides refuse
    ([agreement("error", unsupported=1, differs=1)], False, "unsupported"),
    # No sample of the record finds a kernel; one of PyTorch's tests needs none.
    ([agreement("error", unsupported=5), agreement("structure", "extracted", agrees=1)], True, "unsupported"),
    ([agreement("structure", unsupported=1, agrees=1), agreement("structure", "extracted", agrees=1)], True, "holds"),
]


@pytest.mark.parametrize(("agreements", "took", "outcome"), SAMPLED)
def test_samples_tell_by_what_they_return(agreements: list[AgreementEntry], *, took: bool, outcome: str) -> None:
    taken = [("2.10.0", "cpu")] if took else []
    places = runs_on(Api(name="mindspore.mint.exp"), {}, {}, agreements, taken)
    assert [place.outcome for place in places if place.device == "cpu"] == [outcome]
