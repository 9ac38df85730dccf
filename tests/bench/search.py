"""How long the search box takes to answer while somebody types, in a real browser, with thousands of entries."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import msgspec
from playwright.sync_api import Browser, sync_playwright

from apidiff.model.base import Language
from apidiff.sphinxext import site_content
from apidiff.sphinxext.search_entries import SearchEntry, counterpart_entry, mapping_entry
from apidiff.sphinxext.search_index import SearchData, search_data
from apidiff.sphinxext.site_content import Content
from tests.bench.measure import Measure

_ENTRIES = 3000
_LIMIT_S = 0.05
_ELEMENTS = Path(__file__).resolve().parents[2] / "conf" / "static" / "elements"
# Every beginning of each is asked, as if it were typed letter by letter.
_TYPED = {
    "en": [
        "all_reduce",
        "torch.distributed.reduce",
        "dist.reduce",
        "AllGather",
        "reduce_scater",
        "overwritten",
        "in place tensor",
        "async handle",
        "group_dst",
        "raises on cpu",
    ],
    "zh": [
        "规约操作",
        "原地修改",
        "昇腾",
        "返回句柄",
        "张量形状",
        "all_reduce",
        "all_redcue",
        "dist.reduce",
        "AllGather",
    ],
}
_PAGE = """<!doctype html><meta charset="utf-8"><html data-content_root="./">
<apidiff-search data-words="{}"><form action="search.html"><input type="search" name="q"></form></apidiff-search>
<script src="_static/elements/search.js"></script>
"""
# From a letter typed to the list laid out.
_ASK = """async (queries) => {
  const field = document.querySelector("input"), times = [];
  for (const words of queries) {
    field.value = words;
    const start = performance.now();
    field.dispatchEvent(new InputEvent("input"));
    document.querySelector("[role=listbox]").getBoundingClientRect();
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done));
  }
  return times;
}"""
# From entering the box to an answer by name, and to one by a word that only the whole index has.
_FIRST = """async ([name, word]) => {
  const field = document.querySelector("input"), start = performance.now();
  const answered = async (words) => {
    field.value = words;
    while (!document.querySelector("[role=option]")) await new Promise((done) => setTimeout(done, 1));
    return performance.now() - start;
  };
  field.focus();
  const first = await answered(name);
  field.value = word;
  field.dispatchEvent(new InputEvent("input"));
  return [first, await answered(word)];
}"""


def measure_search(tell: Callable[[str], None]) -> list[Measure]:
    """The median of every beginning of the queries, for each language."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("bench: no chromium on the PATH; on Debian: apt-get install chromium")
    content = site_content.load()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        found = [_measure(browser, content, language, tell) for language in ("en", "zh")]
        browser.close()
    return found


def _measure(browser: Browser, content: Content, language: Language, tell: Callable[[str], None]) -> Measure:
    data = _made(content, language)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(_ELEMENTS, root / "_static" / "elements")
        (root / "_search").mkdir()
        (root / "_search" / "index.js").write_bytes(b"window.apidiffSearch=" + msgspec.json.encode(data))
        (root / "index.html").write_text(_PAGE, "utf-8")
        page = browser.new_page()
        page.goto((root / "index.html").as_uri())
        first, whole = page.evaluate(_FIRST, ["all_reduce", {"en": "overwritten", "zh": "规约"}[language]])
        tell(
            f"{language}: names are found {first / 1000:.2f} s after the box is entered, all texts {whole / 1000:.2f} s"
        )
        queries = [words[:end] for words in _TYPED[language] for end in range(1, len(words) + 1)]
        times = [milliseconds / 1000 for milliseconds in page.evaluate(_ASK, queries)]
        page.close()
    tell(f"{language}: {len(times)} queries, slowest {max(times):.3f} s")
    what = f"search, {len(data.entries)} entries, {language}: a letter typed to the list shown (median of {len(times)})"
    return Measure(what, "what it may take", statistics.median(times), _LIMIT_S, 1.0)


def _made(content: Content, language: Language) -> SearchData:
    """Real entries, and as many more made from them under other names."""
    real = [mapping_entry(entry, content.newest["mindspore"], language) for entry in content.entries.values()]
    real += [counterpart_entry(one, f"x.html#{name}", language) for name, one in content.counterparts.items()]
    return search_data(islice(_more(real), _ENTRIES), language)


def _more(real: list[SearchEntry]) -> Iterator[SearchEntry]:
    """Each round gives every entry another module and another end, so that names and words grow with the entries."""
    yield from real
    number = 0
    while True:
        number += 1
        for entry in real:
            yield msgspec.structs.replace(
                entry,
                name=f"{entry.name}_v{number}",
                names=[f"{name}_v{number}" for name in entry.names],
                targets=[f"{name}_v{number}" for name in entry.targets],
                text=f"{entry.text} made{number}up",
            )
