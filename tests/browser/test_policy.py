"""No page needs what its policy forbids, and the policy truly forbids it."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_types import HEAVY, LANGUAGES, PAGE_TYPES, pages_of_today, path_of
from playwright.sync_api import Browser, Page
from watched import Faults, Visit, wait_until

from apidiff.site_server import start_server
from apidiff.sphinxext.page_context import POLICY

_META = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>'
_TAG = re.compile(r"<(script|style|link|[a-z][\w-]*)\b((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>", re.IGNORECASE)
_FORBIDDEN = re.compile(r"\s(on\w+|style|srcdoc)\s*=", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_ADDRESS = re.compile(
    r"\s(?:href|src|action|data|formaction|xlink:href)\s*=\s*[\"']?\s*(javascript|data|vbscript):", re.IGNORECASE
)


def against_policy(html: str) -> list[str]:
    """Everything in a page that its policy would stop, and a policy that comes too late or is missing."""
    found = []
    if _META not in html:
        return ["no policy"]
    if re.search(r"<(script|link|style)\b", html[: html.index(_META)]):
        found.append("something is loaded before the policy")
    for name, attributes in _TAG.findall(html):
        bare = _QUOTED.sub('""', attributes)
        if _FORBIDDEN.search(bare) or _ADDRESS.search(attributes):
            found.append(f"<{name}{attributes}>")
        is_data = re.search(r'type="application/(ld\+)?json"', attributes)
        if name == "style" or (name == "script" and " src=" not in attributes and not is_data):
            found.append(f"<{name}> in the page")
    return found


def test_no_page_needs_what_the_policy_forbids(site: Path) -> None:
    found = {str(path): against_policy(path.read_text("utf-8")) for path in pages_of_today(site)}
    assert len(found) > 20
    assert {path: faults for path, faults in found.items() if faults} == {}


BAD = [
    ("<script>go()</script>", "<script> in the page"),
    ("<style>p {}</style>", "<style> in the page"),
    ('<p class="a" style="width: 3%">', '<p class="a" style="width: 3%">'),
    ("<img src=x onerror=go()>", "<img src=x onerror=go()>"),
    ('<a title=">" href=" JavaScript:go()">', '<a title=">" href=" JavaScript:go()">'),
    ('<iframe srcdoc="x">', '<iframe srcdoc="x">'),
]


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_what_a_policy_forbids_is_found(text: str, expected: str) -> None:
    assert against_policy(f"<head>{_META}</head>{text}") == [expected]


def test_a_missing_and_a_late_policy_are_found() -> None:
    assert against_policy("<p>x</p>") == ["no policy"]
    assert against_policy(f'<script src="a.js"></script>{_META}') == ["something is loaded before the policy"]
    fine = f'{_META}<script type="application/json">{{}}</script><p title="a style= b">'
    assert against_policy(fine) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_without_fault_from_a_folder(browser: Browser, site: Path, language: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    faults = Faults("file:///")
    faults.watch(page)
    for kind in PAGE_TYPES:
        if kind != "search":
            page.goto((site / path_of(site, language, kind)).as_uri())
    page.goto((site / "index.html").as_uri())
    page.wait_for_url("**/index.html")
    context.close()
    assert faults.found == []


# What a record could try if its text ever became markup; each sets a mark where it succeeds.
ATTACKS = {
    "script in the page": "<script>window.ran = true</script>",
    "handler": "<img src='gone.svg' onerror='window.ran = true'>",
    "script from elsewhere": "<script src='%(away)s/away.js'></script>",
    "script as data": "<script src='data:text/javascript,window.ran = true'></script>",
    "frame": "<iframe srcdoc='<script>parent.ran = true</script>'></iframe>",
    "styles in the page": "<style>html { --ran: yes }</style>",
    "style of an element": "<p id='styled' style='--ran: yes'>x</p>",
    "another base": "<base href='%(away)s/'>",
    "link": "<a id='attack' href='javascript:window.ran = true'>x</a>",
}
_RAN = """() => window.ran === true || !document.baseURI.startsWith('file:')
  || getComputedStyle(document.documentElement).getPropertyValue('--ran') === 'yes'
  || getComputedStyle(document.getElementById('styled') ?? document.body).getPropertyValue('--ran') === 'yes'"""


def _attack(page: Page, copy: Path, site: Path, text: str, policy: bool) -> bool:
    """Whether an attack did anything on a copy of a page."""
    html = (site / "en" / HEAVY).read_text("utf-8").split('<article class="bd-article">')[0]
    html = html if policy else html.replace(_META, "")
    copy.write_text(f'{html}<article class="bd-article">{text}</article>', "utf-8")
    page.goto(copy.as_uri())
    if page.locator("#attack").count():
        page.locator("#attack").dispatch_event("click")
    if policy:
        page.wait_for_timeout(30)
    else:
        wait_until(page, lambda: page.evaluate(_RAN))
    return bool(page.evaluate(_RAN))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """The address of another site, which serves a script."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "index.html").write_text("x")
    (folder / "away.js").write_text("window.ran = true")
    with start_server(folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def copy(tmp_path: Path, site: Path) -> Path:
    """Where a copy of a page finds the site's files beside it."""
    (tmp_path / "en" / "mappings").mkdir(parents=True)
    shutil.copytree(site / "en" / "_static", tmp_path / "en" / "_static")
    return tmp_path / "en" / "mappings" / "copy.html"


def test_the_policy_stops_what_a_page_without_it_would_run(
    browser: Browser, site: Path, copy: Path, elsewhere: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    ran = {
        policy: [
            name for name, text in ATTACKS.items() if _attack(page, copy, site, text % {"away": elsewhere}, policy)
        ]
        for policy in (True, False)
    }
    context.close()
    assert ran == {True: [], False: list(ATTACKS)}  # without the policy each of them does something


def test_violations_are_faults(visit: Visit) -> None:
    page = visit.open("en/index.html")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = true' }))"
    )
    wait_until(page, lambda: [one for one in visit.faults.found if "Content Security Policy" in one])
    visit.faults.found.clear()
