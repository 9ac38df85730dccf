"""documented.yaml: what it says, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.database.documented import documented_points, listings_fit, load_documented
from apidiff.database.paths import DATA
from apidiff.database.yaml import read_yaml
from apidiff.derive.api_history import timeline
from apidiff.errors import DataError
from apidiff.model.documented import Listing, Point
from apidiff.model.mapping import Document
from apidiff.model.vocabulary import Framework

DOCUMENTS = {"doc": Document(title="t", url="u", framework=Framework.MINDSPORE, version="2.5.0")}


@pytest.fixture(scope="module")
def points() -> dict[str, list[Point]]:
    """What documents say of each API."""
    listings, _ = load_documented(DATA / "documented.yaml")
    return documented_points(listings, read_yaml(DATA / "documents.yaml", dict[str, Document])[0])


@pytest.mark.parametrize(
    ("listing", "found"),
    [
        (Listing(document="doc", module="m", has=["a"], new=["b"], lacks=["c"], deprecated=["a"]), None),
        (Listing(document="doc", module="m", has=["a"], lacks=["a"]), "doc: m.a is said to be there and to be missing"),
        (Listing(document="doc", module="m", new=["a"], lacks=["a"]), "doc: m.a is said to be there and to be missing"),
        (Listing(document="doc", module="m", deprecated=["a"]), "doc: m.a is deprecated but not said to be there"),
    ],
)
def test_listings_fit(listing: Listing, found: str | None) -> None:
    errors = [error.found for error in listings_fit(Path("documented.yaml"), [listing])]
    assert errors == ([found] if found else [])


def test_a_listing_against_no_release_is_told_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "documented.yaml"
    path.write_text("- document: doc\n  module: m\n  against: abc\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"documented\.yaml:3: Expected `str` matching regex .* in \$\[0\]\.against"):
        load_documented(path)


@pytest.mark.parametrize("key", ["has", "new", "lacks", "deprecated"])
def test_a_name_that_stands_twice_in_a_listing_is_refused(tmp_path: Path, key: str) -> None:
    """1,400 times one name made an entry of 12 MiB, and 30 of what shares a target."""
    path = tmp_path / "documented.yaml"
    path.write_text(f"- document: doc\n  module: m\n  {key}: [a, b, a]\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"`{key}` of doc has 'a' twice"):
        load_documented(path)


def test_points() -> None:
    listing = Listing(document="doc", module="m", has=["a"], new=["b"], against="2.4.10", lacks=["c"])
    found = documented_points([listing], DOCUMENTS)
    shown = {name: [(one.version, one.there, one.new) for one in points] for name, points in found.items()}
    assert shown == {
        "m.a": [("2.5.0", True, False)],
        "m.b": [("2.5.0", True, True), ("2.4.10", False, False)],
        "m.c": [("2.5.0", False, False)],
    }


@pytest.mark.parametrize(
    ("api", "version", "after"),
    [
        ("mindspore.mint.distributed.all_reduce", "2.5.0", "2.4.10"),
        ("mindspore.mint.distributed.init_process_group", "2.4.0", None),
        ("mindspore.communication.comm_func.send", "2.4.0", "2.3.1"),
        ("mindspore.ops.AllReduce", "1.0.0", None),
        ("mindspore.ops.communication.all_reduce", "2.7.1", "2.7.0"),
        ("torch.distributed.all_gather_single", "2.13.0", "2.11.0"),
    ],
)
def test_since_of_known_apis(
    database: Data, points: dict[str, list[Point]], api: str, version: str, after: str | None
) -> None:
    files = [file for (framework, _), file in database.signatures.items() if framework == api.partition(".")[0]]
    first = timeline(api, files, points.get(api, []))[0]
    assert (first.version, first.after) == (version, after)


def test_every_listed_name_is_in_a_signature_file(database: Data, points: dict[str, list[Point]]) -> None:
    """A misspelt name would tell a history of nothing."""
    known = {name for file in database.signatures.values() for name in file.apis}
    assert set(points) <= known
