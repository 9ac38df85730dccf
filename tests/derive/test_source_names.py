"""The names under which code finds the APIs of the database."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from apidiff.database import Data
from apidiff.derive.source_names import source_names


@pytest.mark.parametrize("last", [False, True])
def test_an_alias_takes_no_apis_own_name(database: Data, last: bool) -> None:
    """Whichever is read last: code would be ported as another API."""
    zeros = msgspec.structs.replace(database.mappings["torch.zeros"], aliases=["torch.abs", "torch.nought"])
    order = ["torch.abs", "torch.zeros"] if last else ["torch.zeros", "torch.abs"]
    mappings = database.mappings | {"torch.zeros": zeros}
    named = source_names(dataclasses.replace(database, mappings={name: mappings[name] for name in order}))
    assert {name: known.mapping for name, known in named.apis.items()} == {
        "torch.abs": "torch.abs",
        "torch.zeros": "torch.zeros",
        "torch.nought": "torch.zeros",
    }
