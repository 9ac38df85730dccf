"""What the built site publishes for programs: it is whole, and it leads to what is there."""

from __future__ import annotations

import json
import posixpath
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from test_links import Html
from whole_page import whole_page

from apidiff.writers.exports.site_folder import TOP

ATOM = "{http://www.w3.org/2005/Atom}"
LANGUAGES = ["en", "zh-cn"]


def load(site: Path, path: str) -> dict:
    return json.loads((site / path).read_text("utf-8"))


def test_at_the_top_stands_nothing_but_what_a_build_that_is_ended_removes(site: Path) -> None:
    assert {path.name for path in site.iterdir()} <= TOP


def test_every_mapping_is_listed_and_fits_the_published_schema(site: Path) -> None:
    index = load(site, "api/v1/index.json")
    check = jsonschema.Draft202012Validator(load(site, f"api/v1/{index['schemas']['entry']}"))
    assert {f"{row['id']}.html" for row in index["mappings"]} == {
        path.name for path in (site / "en" / "mappings").glob("*.html")
    }
    # All of them are checked where the export is tested.
    for row in index["mappings"][::20]:
        check.validate(load(site, f"api/v1/{row['file']}"))
    assert index["runs"]
    for run in index["runs"]:
        assert load(site, posixpath.normpath(f"api/v1/{run['file']}"))["date"] == run["date"]


@pytest.mark.parametrize("folder", LANGUAGES)
def test_items_of_the_feed_lead_to_their_claims_and_runs(site: Path, folder: str) -> None:
    feed = ET.parse(site / folder / "verdicts.xml").getroot()
    ids: dict[str, list[str]] = {}
    goals = [link.get("href") or "" for link in feed.iter(f"{ATOM}link")]
    assert len(goals) > 10
    for goal in goals:
        parts = urlsplit(goal)
        if parts.path not in ids:
            page = Html()
            page.feed(whole_page(site / folder / unquote(parts.path)))
            ids[parts.path] = page.ids
        assert not parts.fragment or unquote(parts.fragment) in ids[parts.path], goal


@pytest.mark.parametrize("path", ["llms.txt", "en/llms.txt", "zh-cn/llms.txt"])
def test_links_for_language_models_lead_somewhere(site: Path, path: str) -> None:
    goals = re.findall(r"\]\(([^)]+)\)", (site / path).read_text("utf-8"))
    assert len(goals) > 20
    gone = [goal for goal in goals if not (site / posixpath.dirname(path) / unquote(goal)).is_file()]
    assert gone == []


@pytest.mark.parametrize(("folder", "words"), [("en", "en"), ("zh-cn", "zh")])
def test_the_picture_of_cards_is_there_in_the_size_that_pages_name(site: Path, folder: str, words: str) -> None:
    picture = (site / folder / "_static" / f"card-{words}.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)


@pytest.mark.parametrize("folder", LANGUAGES)
def test_the_search_page_is_left_out_of_search_engines(site: Path, folder: str) -> None:
    assert '<meta name="robots" content="noindex"/>' in (site / folder / "search.html").read_text("utf-8")
    assert 'name="robots"' not in (site / folder / "index.html").read_text("utf-8")
