"""Docstrings that say whose shape and dtype a result has, against what samples returned."""

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.signatures import newest_first
from apidiff.derive.returned_otherwise import returned_otherwise
from apidiff.model.signature import SignatureFile


def stated(database: Data, api: str, **like: str) -> SignatureFile:
    """The newest signatures, where only ``api`` says anything of its result."""
    [newest, *_] = newest_first(database.signatures, "mindspore")
    apis = {name: msgspec.structs.replace(one, returned_like={}) for name, one in newest.apis.items()}
    return msgspec.structs.replace(newest, apis=apis | {api: msgspec.structs.replace(apis[api], returned_like=like)})


@pytest.mark.parametrize(
    ("api", "what", "found"),
    [
        ("mindspore.mint.mean", "shape", [("torch.mean", "plain", "(2, 3)", "()")]),
        ("mindspore.mint.mean", "dtype", []),
        ("mindspore.mint.nn.functional.relu", "shape", []),
        ("mindspore.mint.nn.functional.softmax", "dtype", []),  # but where a call asks for a dtype
    ],
)
def test_a_statement_is_held_against_samples(
    database: Data, api: str, what: str, found: list[tuple[str, str, str, str]]
) -> None:
    rows = list(returned_otherwise(database, stated(database, api, **{what: "input"})))
    assert [(row.mapping, row.sample, row.argument, row.returned) for row in rows if row.mapping in _PLAIN] == found


_PLAIN = {"torch.mean", "torch.nn.functional.relu", "torch.nn.functional.softmax"}


def test_the_docstrings_of_the_newest_release_are_read(database: Data) -> None:
    [newest, *_] = newest_first(database.signatures, "mindspore")
    assert sum(bool(one.returned_like) for one in newest.apis.values()) > 80
    assert "mindspore.mint.nn.functional.adaptive_max_pool2d" in {
        row.target for row in returned_otherwise(database, newest)
    }
