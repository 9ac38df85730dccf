"""What is to be called has been: a record edited without a new run would lose its evidence without a word."""

import pytest

from apidiff.database import Data
from apidiff.database.single_runs import SingleTraces
from apidiff.execute.single.plan import make_plan

PLACES = [("torch", "2.13.0"), *(("mindspore", version) for version in ("2.10.0", "2.9.0", "2.8.0", "2.7.1"))]


@pytest.mark.parametrize("extracted", [False, True], ids=["written", "extracted"])
@pytest.mark.parametrize(("framework", "version"), PLACES, ids=[" ".join(place) for place in PLACES])
def test_every_call_of_a_sample_is_recorded(database: Data, framework: str, version: str, *, extracted: bool) -> None:
    """Repeat one with ``apidiff verify ID --execution single --record``, in an environment with that version."""
    traces = SingleTraces(database.single_runs)
    steps = make_plan(database, framework, version, extracted=extracted).steps
    assert len(steps) > 5000
    lacking = {
        f"{step.mapping} → {step.call.api}"
        for step in steps
        if traces.find(framework, version, "cpu", step.mapping, step.call.digest) is None
    }
    assert not lacking
