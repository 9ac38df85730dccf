"""``/api/v1/``: whole, as its schemas say, the same bytes every time, and written only where something changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import jsonschema
import msgspec
import pytest
from published_site import HOSTILE, SOURCE, Published

from apidiff.model.base import Text
from apidiff.model.signed import Signed, State

API = "api/v1"


def kinds(built: Published) -> list[tuple[str, str]]:
    """Every JSON file of the API but the schemas, with the schema that the index names for its kind."""
    index = built.json(f"{API}/index.json")
    found = [("index.json", "index"), (index["whole"], "apidiff"), (index["counterparts"], "counterparts")]
    found += [(row["file"], "entry") for row in index["mappings"]]
    return [(f"{API}/{path}", f"{API}/{index['schemas'][kind]}") for path, kind in found]


def test_every_file_fits_its_published_schema(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    found = kinds(built)
    assert len(found) == 3 + len(built.content.entries)
    for path, schema in found:
        jsonschema.Draft202012Validator.check_schema(built.json(schema))
        jsonschema.validate(built.json(path), built.json(schema))
    schemas = {schema for _, schema in found}
    assert {path for path, _ in found} | schemas | {f"{API}/documents.json"} == {
        name for name in built.files() if name.endswith(".json")
    }


@pytest.mark.parametrize("change", [{"risk": 1}, {"surprise": "x"}, {"summary": {"en": "one language"}}, {"id": None}])
def test_the_published_schema_refuses_what_is_wrong(make: Callable[..., Published], change: dict) -> None:
    built = make()
    built.build()
    entry = built.json(f"{API}/mappings/{SOURCE}.json") | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(entry, built.json(f"{API}/schema/entry.json"))


def test_the_whole_base_is_its_parts(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    whole, index = built.json(f"{API}/apidiff.json"), built.json(f"{API}/index.json")
    assert whole["mappings"] == [built.json(f"{API}/{row['file']}") for row in index["mappings"]]
    assert whole["counterparts"] == built.json(f"{API}/counterparts.json")
    assert [row["id"] for row in index["mappings"]] == sorted(built.content.entries)
    (run,) = index["runs"]
    assert run["id"] in built.content.runs
    assert run["file"] == f"../../en/_runs/{run['id']}.json"


# What is known of a record's signature, whom the index tells as its signer.
SIGNED = [
    (Signed(state=State.VERIFIED, signer="Lab"), ("signed", "Lab")),
    (Signed(state=State.IN_SIGNED_LIST, signer="Lab"), ("project", "")),
    (Signed(state=State.NOT_CHECKED, signer="Lab"), ("unsigned", "")),
    (Signed(), ("unsigned", "")),
]


@pytest.mark.parametrize(("signed", "told"), SIGNED)
def test_the_index_names_who_signed_a_run(
    make: Callable[..., Published], signed: Signed, told: tuple[str, str]
) -> None:
    built = make()
    theirs = built.record(world_size=4, by=signed, measured_by="Lab box")
    built.build()
    [run] = [run for run in built.json(f"{API}/index.json")["runs"] if run["id"] == theirs]
    assert (run["trust"], run["signer"]) == told


def test_the_same_data_give_the_same_bytes(make: Callable[..., Published]) -> None:
    one, two = make("one", url="https://example.org"), make("two", url="https://example.org")
    one.build()
    two.build()
    assert one.bytes() == two.bytes()
    assert one.build() == set()


def test_an_edit_writes_what_shows_it(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    entry = built.content.entries[SOURCE]
    built.change(**{SOURCE.replace(".", "__"): msgspec.structs.replace(entry, summary=Text(en="Totals.", zh="求和。"))})
    everything = {f"{API}/index.json", f"{API}/apidiff.json", f"{API}/apidiff.sqlite", "llms.txt"}
    for folder in ("en", "zh-cn"):
        everything |= {f"{folder}/llms.txt", f"{folder}/llms-full.txt", f"{folder}/mappings/{SOURCE}.md"}
    assert built.build() == everything | {f"{API}/mappings/{SOURCE}.json"}


MAPPING = "torch.distributed.barrier"


def test_what_is_gone_is_removed(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    built.change(torch__distributed__barrier=None)
    removed = {f"{API}/mappings/{MAPPING}.json"}
    removed |= {f"{folder}/mappings/{MAPPING}.md" for folder in ("en", "zh-cn")}
    assert removed <= built.build()
    assert not removed & set(built.files())


def test_what_no_build_wrote_is_kept(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    mine = [f"{API}/mappings/mine.json", f"{API}/mine.json", "en/mappings/mine.md"]
    for name in mine:
        (built.site / name).write_text("mine")
    built.change(torch__distributed__barrier=None)
    built.build()
    assert [(built.site / name).read_text() for name in mine] == ["mine"] * 3


# A folder of the site that leads to one of a user's, with what lies there.
LINKED = [
    ("en/mappings", ["notes.md", f"{MAPPING}.md", "sub/notes.md"]),
    (API, ["notes.json", f"mappings/{MAPPING}.json", "sub/deep/notes.json"]),
    ("api", ["v1/notes.json"]),
    ("en", ["mappings/notes.md"]),
]


@pytest.mark.parametrize(("linked", "names"), LINKED)
def test_a_linked_folder_keeps_its_users_files_and_is_built_into(
    make: Callable[..., Published], tmp_path: Path, linked: str, names: list[str]
) -> None:
    built = make()
    built.build()
    shutil.rmtree(built.site / linked)
    for name in names:
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text("mine")
    (built.site / linked).symlink_to(tmp_path / "mine")
    built.change(torch__distributed__barrier=None)
    built.build()
    assert [(tmp_path / "mine" / name).read_text() for name in names] == ["mine"] * len(names)
    # What a build wrote there, the next one removes.
    gone = [f"{API}/mappings/{SOURCE}.json", f"en/mappings/{SOURCE}.md"]
    assert all((built.site / name).is_file() for name in gone)
    built.change(**{SOURCE.replace(".", "__"): None})
    built.build()
    assert not any((built.site / name).exists() for name in gone)
    assert all((tmp_path / "mine" / name).is_file() for name in names)


def test_a_new_run_alone_makes_no_new_database(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    built.record(date="2026-11-22T10:00:00Z")
    written = built.build()
    assert f"{API}/index.json" in written
    assert f"{API}/apidiff.sqlite" not in written


def test_a_database_that_was_lost_or_half_made_is_made_again(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    database = built.site / API / "apidiff.sqlite"
    whole = database.read_bytes()
    database.unlink()
    assert f"{API}/apidiff.sqlite" in built.build()
    database.write_bytes(b"half")
    built.build()
    assert database.read_bytes() == whole


def test_the_database_can_be_asked(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    with closing(sqlite3.connect(built.site / API / "apidiff.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = connection.execute("SELECT id FROM mapping ORDER BY id").fetchall()
    assert [row[0] for row in rows] == sorted(built.content.entries)


def test_hostile_text_stays_text(make: Callable[..., Published]) -> None:
    built = make()
    entry = built.content.entries[SOURCE]
    built.change(**{SOURCE.replace(".", "__"): msgspec.structs.replace(entry, summary=Text(en=HOSTILE, zh=HOSTILE))})
    built.build()
    raw = (built.site / API / "mappings" / f"{SOURCE}.json").read_bytes()
    assert json.loads(raw)["summary"] == {"en": HOSTILE, "zh": HOSTILE}
    assert not any(byte < 32 and byte != 10 for byte in raw)
