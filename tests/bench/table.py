"""How long the table of all mappings takes to filter and to sort thousands of rows, in a real browser."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import sync_playwright

from apidiff.derive.index_rows import mapping_index
from apidiff.sphinxext import site_content
from apidiff.sphinxext.index_table import table_html
from tests.bench.measure import Measure

_ROWS = 2300
_LIMIT_S = 0.05
_STATIC = Path(__file__).resolve().parents[2] / "conf" / "static"
_PAGE = """<!doctype html><meta charset="utf-8"><html data-content_root="./">
<link rel="stylesheet" href="_static/apidiff.css"><link rel="stylesheet" href="_static/table.css">
{table}
"""
# One table of so many rows, the element made of it, then each act from its event to the table laid out.
_ACTS = """(wanted) => {
  const element = document.querySelector("apidiff-table"), [first, ...others] = element.querySelectorAll("table");
  for (const table of others) {
    first.tBodies[0].append(...table.tBodies[0].rows);
    table.remove();
  }
  const rows = [...first.tBodies[0].rows];
  for (let number = 0; first.tBodies[0].rows.length < wanted; number += 1)
    first.tBodies[0].append(rows[number % rows.length].cloneNode(true));
}"""
_TIMES = """() => {
  const element = document.querySelector("apidiff-table");
  const took = (act) => {
    const start = performance.now();
    act();
    element.getBoundingClientRect();
    return performance.now() - start;
  };
  const least = (act) => Math.min(...[1, 2, 3, 4, 5, 6, 7].map((number) => took(() => act(number))));
  const text = element.querySelector("input");
  return {
    count: element.querySelector(".apidiff-table-count").textContent,
    filter: least((number) => {
      text.value = number % 2 ? "add" : "";
      text.dispatchEvent(new Event("input"));
    }),
    sort: least(() => element.querySelector("thead button").click()),
  };
}"""


def measure_table(tell: Callable[[str], None]) -> list[Measure]:
    """Return two ratios, of filtering and of sorting: the least of seven times of each, as other programs add to the rest."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("bench: no chromium on the PATH; on Debian: apt-get install chromium")
    content = site_content.load()
    index = mapping_index(content.entries.values(), content.releases.known["mindspore"], content.packages)
    html = table_html(index, "en", lambda mapping, part: f"mappings/{mapping}.html#{part}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "index.html"
        shutil.copytree(_STATIC, Path(folder) / "_static")
        page_file.write_text(_PAGE.format(table=html), "utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(page_file.as_uri())
        page.evaluate(_ACTS, _ROWS)
        page.add_script_tag(path=_STATIC / "elements" / "table.js")
        page.wait_for_selector(".apidiff-table-count")
        times = page.evaluate(_TIMES)
        browser.close()
    tell(times["count"])
    return [
        Measure(f"{act} a table of {_ROWS} rows", "what it may take", times[name] / 1000, _LIMIT_S, 1.0)
        for name, act in (("filter", "filtering"), ("sort", "sorting"))
    ]
