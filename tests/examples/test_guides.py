"""The Python sessions shown in the guides print what is shown, and both languages have the same pages and anchors."""

from __future__ import annotations

import doctest
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from apidiff.database.terms import load_terms
from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.sphinxext.site_part import GENERATED
from apidiff.writers.export import export_json, json_files

ROOT = Path(__file__).resolve().parents[2]
SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)
QUERY = re.compile(r"^```sql\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ANCHOR = re.compile(r"^\((?P<name>[a-z0-9-]+)\)=\n(?P<level>#+) ", re.MULTILINE)
DOCS = ROOT / "docs"
NAMES = sorted(path.name for path in (ROOT / "docs" / "en" / "guide").glob("*.md"))


def text_of(language: str, name: str) -> str:
    return (ROOT / "docs" / language / "guide" / name).read_text(encoding="utf-8")


def failures(text: str, **names: str) -> list[str]:
    """What the Python sessions in ``text`` print otherwise than shown; ``names``: what the text says is given."""
    source = "\n".join(SESSION.findall(text))
    test = doctest.DocTestParser().get_doctest(source, dict(names), "guide", None, 0)
    found: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=found.append)
    return found


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, knowledge: KnowledgeBase) -> str:
    """The address of a folder with the JSON that the site publishes."""
    folder = tmp_path_factory.mktemp("site")
    export_json(knowledge.entries, knowledge.counterparts, folder / "api" / "v1")
    return folder.as_uri()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sessions_print_what_is_shown(language: str, published: str) -> None:
    text = text_of(language, "api.md")
    assert SESSION.search(text)
    assert failures(text, SITE=published) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_site_publishes_is_explained(language: str) -> None:
    text = text_of(language, "api.md")
    names = [*json_files({}, {}), "apidiff.sqlite", "llms.txt", "llms-full.txt", "verdicts.xml", "sitemap.xml"]
    shown = [re.sub(r"schema/\w+", "schema/<kind>", name) for name in names]
    assert [name for name in shown if f"{name}`" not in text] == []


def test_a_wrong_session_is_noticed() -> None:
    assert failures("```pycon\n>>> 1 + 1\n2\n\n```\n") == []
    assert "Got:\n    2" in "".join(failures("```pycon\n>>> 1 + 1\n3\n\n```\n"))


def test_the_query_shown_finds_what_it_says(tmp_path: Path) -> None:
    (query,) = {found for language in ("en", "zh") for found in QUERY.findall(text_of(language, "api.md"))}
    apidiff = str(Path(sys.executable).with_name("apidiff"))
    subprocess.run([apidiff, "export", "sqlite", str(tmp_path)], check=True, timeout=500, stdout=subprocess.DEVNULL)
    with sqlite3.connect(tmp_path / "apidiff.sqlite") as connection:
        rows = connection.execute(query).fetchall()
    assert ("torch.distributed.reduce#others-keep-tensor", "gloo") in {row[:2] for row in rows}


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_anchors(name: str) -> None:
    english, chinese = (ANCHOR.findall(text_of(language, name)) for language in ("en", "zh"))
    headings = re.findall(
        r"^#+ ", re.sub(r"^```.*?^```", "", text_of("en", name), flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    assert english == chinese
    assert len(english) == len(headings), "a heading has no anchor"


def test_both_languages_have_the_same_pages() -> None:
    assert sorted(path.name for path in (ROOT / "docs" / "zh" / "guide").glob("*.md")) == NAMES


# Not what `make site` writes beside them, by the thousand.
WRITTEN = sorted(path for path in DOCS.glob("*/**/*.md") if path.relative_to(DOCS).parts[1] not in GENERATED)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(DOCS)))
def test_pages_use_the_agreed_words(path: Path) -> None:
    text, english = path.read_text("utf-8"), path.is_relative_to(DOCS / "en")
    avoided = [(term.en, word) for term in load_terms() for word in (term.avoid_en if english else term.avoid)]
    found = [(term, word) for term, word in avoided if (re.search(rf"\b{word}\b", text) if english else word in text)]
    assert found == [], "conf/terms.yaml names the words to write"
