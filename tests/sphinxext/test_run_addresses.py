"""Addresses of run records: the ID as it is shown, and raw files under the names of earlier versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from apidiff.errors import ApidiffError
from apidiff.sphinxext.run_addresses import former_records, run_pages

FIRST, SECOND = (f"torch-2.13.0/gloo-cpu-3-{'0123456789ab' + digit * 52}" for digit in "12")
SHORT = "torch-2.13.0/gloo-cpu-3-0123456789ab"


def test_a_page_keeps_the_address_that_it_had() -> None:
    assert run_pages([FIRST]) == {FIRST: f"runs/{SHORT}"}
    [(path, content)] = former_records([FIRST], Path("_runs")).items()
    assert path == Path(f"_runs/{SHORT}.json")
    assert Path(f"_runs/{FIRST}.json") == path.with_name(json.loads(content)["moved"])


def test_two_records_with_one_address_are_refused() -> None:
    with pytest.raises(ApidiffError, match="share twelve digits") as caught:
        run_pages([FIRST, SECOND])
    assert FIRST in str(caught.value)
    assert SECOND in str(caught.value)
