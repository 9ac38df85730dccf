"""What pages weigh as files, and a mapping's page on first load with all it needs, in a browser that has nothing in store.

Every response counts with the smaller of its size and its size under ``gzip -9``: what a host sends that compresses.
"""

from __future__ import annotations

import gzip
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Response, sync_playwright

from apidiff.database.paths import PACKAGE
from apidiff.site_builder import LANGUAGES, build_site
from apidiff.site_server import start_server
from tests.bench.measure import Measure
from tests.bench.page_weight import HEAVIEST_KB, MEDIAN_KB, page_sizes

_LIMIT_KB = 150.0
_ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def measure_weight(tell: Callable[[str], None]) -> list[Measure]:
    """The heaviest and the median page of mappings in each language; builds the site of the checkout first."""
    site = build_site(PACKAGE.parent / "build" / "site").parent
    browser_file = shutil.which("chromium")
    if browser_file is None:
        raise SystemExit("bench: there is no chromium to load pages in. Install it: make browser")
    found: list[Measure] = []
    with start_server(site, 0) as server, sync_playwright() as playwright:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        browser = playwright.chromium.launch(executable_path=browser_file, args=_ARGUMENTS)
        address = f"http://127.0.0.1:{server.server_port}"
        for language in LANGUAGES:
            pages = sorted((site / language.folder / "mappings").glob("*.html"), key=_packed_file)
            sizes = page_sizes(site / language.folder)
            heaviest, median = sizes[-1], sizes[len(sizes) // 2]
            for which, (name, size), limit in (("heaviest", heaviest, HEAVIEST_KB), ("median", median, MEDIAN_KB)):
                what = f"file of the {which} of {len(sizes)} pages ({language.folder}, {name})"
                found.append(Measure(what, "what it may weigh", size, limit, 1.0, unit="KB"))
            for which, page in (("heaviest", pages[-1]), ("median", pages[len(pages) // 2])):
                loaded = load_sizes(browser, f"{address}/{page.relative_to(site).as_posix()}")
                tell(f"{language.folder}/{page.stem}: " + ", ".join(f"{_name(url)} {size}" for url, size in loaded))
                total = sum(size for _, size in loaded) / 1000
                what = f"first load of the {which} mapping page ({language.folder}, {page.stem})"
                found.append(Measure(what, "what it may weigh", total, _LIMIT_KB, 1.0, unit="KB"))
        browser.close()
        server.shutdown()
    return found


def load_sizes(browser: Browser, address: str) -> list[tuple[str, int]]:
    """Every address that a first visit of ``address`` loads, with its compressed size in bytes, largest first."""
    context = browser.new_context()
    page = context.new_page()
    responses: list[Response] = []
    # Playwright puts a mark on what it is given, which a built-in method refuses.
    page.on("response", lambda response: responses.append(response))
    page.goto(address, wait_until="networkidle")
    sizes = [(one.url, packed(one.body())) for one in responses if one.ok]
    context.close()
    return sorted(sizes, key=lambda one: -one[1])


def packed(body: bytes) -> int:
    """The bytes of ``body`` as a host sends it; fonts and pictures are compressed already."""
    return min(len(body), len(gzip.compress(body, 9)))


def _packed_file(path: Path) -> int:
    return packed(path.read_bytes())


def _name(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[2] or "/"
