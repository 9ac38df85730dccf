"""Each fault ends in a correct outcome, with no process left and no record lost or half-written."""

from __future__ import annotations

import pytest

from tests.faults.place import Unavailable
from tests.faults.table import FAULTS, survive


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_survived(name: str) -> None:
    try:
        survive(name)
    except Unavailable as reason:
        pytest.skip(str(reason))
