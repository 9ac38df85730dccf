"""What people call things finds them on the site, in either language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from searched import FOUND, LEADS, NEAR, NONSENSE, wrong
from test_site_in_browser import LANGUAGES

# This project's own interface is found after all else, but by its name first: what is typed, kinds that may lead.
INTERFACE = [
    ("rank", {"mapping"}),
    ("world_size", {"mapping"}),
    ("outcome", {"mapping", "page"}),
    ("result", {"mapping", "api", "page"}),
    ("apidiff.lookup.search", {"python"}),
    ("apidiff.judge", {"python"}),
]
# A call, or a method of a variable, is found as the API that it names.
CALLED = [
    ("torch.distributed.all_reduce(x, op=ReduceOp.SUM)", "torch.distributed.all_reduce"),
    ("dist.all_reduce(x)", "torch.distributed.all_reduce"),
    ("self.all_reduce(x)", "torch.distributed.all_reduce"),
    ("work.all_reduce", "torch.distributed.all_reduce"),
    ("all_reduce(x)", "torch.distributed.all_reduce"),
]
# What has been typed so far of an everyday name.
BEGUN = [("广", "broadcast"), ("全收", "all_gather"), ("multic", "broadcast")]
ASK = """async (asked) => {
  const { apidiffSearchEngine, apidiffSearch } = window;
  window.engine ??= new apidiffSearchEngine(apidiffSearch);
  await window.engine.ready;
  return asked.map((words) => {
    const { total, near, show } = window.engine.ask(words);
    return { total, near, found: show(0, total).map(({ entry, address }) => ({ name: entry.name, kind: entry.kind, address })) };
  });
}"""


@pytest.fixture(scope="module", params=LANGUAGES)
def opened(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{address}{request.param}/index.html")
    page.evaluate("""async () => {
      for (const script of ["_static/elements/search-engine.js", "_search/index.js"]) {
        const made = Object.assign(document.createElement("script"), { src: script });
        await new Promise((done, failed) => {
          Object.assign(made, { onload: done, onerror: failed });
          document.head.append(made);
        });
      }
    }""")
    yield page
    page.close()


def _ask(page: Page, asked: list[str]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = page.evaluate(ASK, asked)
    return answers


def _names(answer: dict[str, Any]) -> list[str]:
    return [one["name"] for one in answer["found"]]


def test_what_leads(opened: Page) -> None:
    answers = _ask(opened, [typed for typed, _ in LEADS])
    found = {typed: wrong(typed, _names(one), leads) for (typed, leads), one in zip(LEADS, answers, strict=True)}
    assert {typed: first for typed, first in found.items() if first} == {}


def test_a_call_is_found_as_its_name(opened: Page) -> None:
    answers = _ask(opened, [typed for typed, _ in CALLED])
    assert [_names(one)[0] for one in answers] == [name for _, name in CALLED]


def test_labels_are_found(opened: Page) -> None:
    answers = _ask(opened, [typed for typed, _ in FOUND])
    lost = [
        typed
        for (typed, name), one in zip(FOUND, answers, strict=True)
        if f"torch.distributed.{name}" not in _names(one) or one["near"]
    ]
    assert lost == []


def test_nonsense_finds_nothing_and_the_nearest_are_few(opened: Page) -> None:
    assert [one["total"] for one in _ask(opened, NONSENSE)] == [0] * len(NONSENSE)
    for typed, one in zip(NEAR, _ask(opened, NEAR), strict=True):
        assert one["near"], typed
        assert 0 < one["total"] <= 10, typed


def test_this_project_s_own_interface_comes_last(opened: Page) -> None:
    asked = [typed for typed, _ in INTERFACE]
    for (typed, kinds), one in zip(INTERFACE, _ask(opened, asked), strict=True):
        found = [each["kind"] for each in one["found"]]
        assert found[0] in kinds, typed
        if found[0] != "python":
            first = found.index("python") if "python" in found else len(found)
            assert set(found[first:]) <= {"python"}, typed


def test_what_is_begun_is_found(opened: Page) -> None:
    answers = _ask(opened, [typed for typed, _ in BEGUN])
    # The heading of a guide that begins with more of what was typed may stand before the API.
    lost = [
        name
        for one, (_, name) in zip(answers, BEGUN, strict=True)
        if f"torch.distributed.{name}" not in _names(one)[:3]
    ]
    assert lost == []


def test_of_apis_called_the_same_the_one_used_most_leads(opened: Page) -> None:
    used: dict[str, int] = opened.evaluate(
        "Object.fromEntries(window.apidiffSearch.entries.map(({ name, used }) => [name, used ?? 0]))"
    )
    (answer,) = _ask(opened, ["gather"])
    found = [one["name"] for one in answer["found"] if one["kind"] == "mapping"]
    same = [name for name in found if name.rpartition(".")[2] == "gather"]
    assert {"torch.gather", "torch.Tensor.gather", "torch.distributed.gather"} <= set(same)  # on every part of the site
    assert found[: len(same)] == same
    assert [used[name] for name in same] == sorted((used[name] for name in same), reverse=True)
    assert "torch.distributed.all_gather" in found[: len(same) + 3]


def test_the_difference_that_is_told_is_shown(opened: Page) -> None:
    asked = ["reduce overwrites", "tensor overwritten on other ranks", "partial result"]
    places = {one["found"][0]["address"] for one in _ask(opened, asked)}
    page = "mappings/torch.distributed.reduce.html#difference-"
    assert places <= {
        f"{page}partial-sums-on-other-ranks",
        f"{page}other-ranks",
    }  # of PyTorch's ranks, and of both sides'


WORDS = [
    ("en", "alreduce", "No exact match for “alreduce”. Nearest:"),
    ("zh-cn", "alreduce", "没有与“alreduce”完全匹配的结果。最接近的有："),
    ("en", "no such thing xyzzy", "Nothing was found for “no such thing xyzzy”."),
    ("zh-cn", "no such thing xyzzy", "没有找到与“no such thing xyzzy”相关的内容。"),
]


@pytest.mark.parametrize(("language", "typed", "said"), WORDS)
def test_what_is_said_where_nothing_fits(browser: Browser, address: str, language: str, typed: str, said: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}{language}/search.html?q={typed}")
    page.locator("apidiff-search-page").get_by_role("status").get_by_text(said).wait_for()
    page.close()
