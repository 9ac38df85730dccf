"""Choosing versions: what the pages show of each, and that the choice stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from watched import Visit

REDUCE = "mappings/torch.distributed.all_reduce.html"
REDUCE_EVIDENCE = "evidence/torch.distributed.all_reduce.html"
SINGLE = "mappings/torch.distributed.all_gather_single.html"
BARRIER = "mappings/torch.distributed.monitored_barrier.html"
LANGUAGES = ["en", "zh-cn"]
WIDE = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}}
MINT = "mindspore.mint.distributed.all_reduce"
COMM = "mindspore.communication.comm_func.all_reduce"
PRIMITIVE = "mindspore.ops.AllReduce"


def chooser(page: Page) -> Locator:
    return page.locator("apidiff-versions:visible").first


def box(page: Page) -> Locator:
    return page.locator(".apidiff-box:visible")


def choose(page: Page, torch: str, mindspore: str) -> None:
    chooser(page).get_by_label("PyTorch").select_option(torch)
    chooser(page).get_by_label("MindSpore").select_option(mindspore)


def open_all(page: Page) -> None:
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


def at(visit: Visit, path: str, torch: str, mindspore: str, anchor: str = "") -> Page:
    return visit.open(f"{path}?torch={torch}&mindspore={mindspore}{anchor}")


# page, torch, MindSpore, target (or answer), what the box says beside, a difference shown, one hidden
ANSWERS = [
    (REDUCE, "2.15.0", "2.10.0", MINT, "silent", "difference-outsiders", f"{COMM}--difference-result-is-returned"),
    (REDUCE, "2.15.0", "2.3.0", PRIMITIVE, "silent", f"{PRIMITIVE}--difference-result-is-returned", "difference-handle-type"),
    (REDUCE, "2.13.0", "2.4.0", COMM, "silent", f"{COMM}--difference-result-is-returned", "difference-handle-type"),
    (REDUCE, "2.1.0", "2.5.0", MINT, "recommended", "difference-handle-type", f"{PRIMITIVE}--difference-result-is-returned"),
    (BARRIER, "2.13.0", "2.4.0", "no counterpart", "≤\N{NO-BREAK SPACE}2.7.0", "", ""),
    (BARRIER, "2.13.0", "2.10.0", "composed", "≥\N{NO-BREAK SPACE}2.7.1", "", ""),
]  # fmt: skip


@pytest.mark.turning(days=4)
@pytest.mark.parametrize("path", [REDUCE, BARRIER])
def test_answer_follows(visit: Visit, path: str) -> None:
    page = visit.open(f"en/{path}")
    open_all(page)
    sections = page.locator("section[data-other]:visible")
    for torch, mindspore, answer, said, shown, hidden in [row[1:] for row in ANSWERS if row[0] == path]:
        choose(page, torch, mindspore)
        expect(box(page)).to_have_count(1)
        expect(box(page)).to_contain_text(f"On MindSpore {mindspore}")
        expect(box(page).locator(".apidiff-box-target")).to_contain_text(answer)
        expect(sections).to_have_count(1)
        expect(sections if said[0] in "≤≥" else box(page)).to_contain_text(said)
        if shown:
            expect(page.locator(f"[id='{shown}']")).to_be_visible()
            expect(page.locator(f"[id='{hidden}']")).to_be_hidden()


# page, torch, MindSpore, language, words that are seen, words that are not
SAID = [
    (SINGLE, "2.4.0", "2.10.0", "en", ["all_gather_single is not in PyTorch 2.4.0."], ["nearest version whose"]),
    (SINGLE, "2.5.1", "2.10.0", "en", ["is not in PyTorch 2.5.1. Read from 2.4.0"], []),
    (SINGLE, "1.9.0", "2.10.0", "zh-cn", ["不清楚 PyTorch 1.9.0 中有没有", "最早签名属于 1.13.0"], ["1.9.0 中没有 torch"]),
    (SINGLE, "2.15.0", "2.10.0", "zh-cn", ["没有在 PyTorch 2.15.0 上运行过，结论来自 2.13.0"], ["中没有 torch"]),
    (REDUCE, "2.13.0", "2.7.2", "en", ["2.7.2 was not run. Verdicts are from runs of 2.10.0, 2.9.0, "], ["2.13.0 was not"]),
    (REDUCE, "2.14.1", "2.10.0", "en", ["PyTorch 2.13.0, the nearest on record to 2.14.1"], ["No signature of MindSpore"]),
    (REDUCE, "2.13.0", "2.7.1", "en", ["MindSpore 2.7.1mindspore.mint"], ["MindSpore 2.10.0mindspore.mint", "nearest on record"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "language"), [(SINGLE, "en"), (SINGLE, "zh-cn"), (REDUCE, "en")])
def test_page_says(visit: Visit, path: str, language: str) -> None:
    page = visit.open(f"{language}/{path}")
    for _, torch, mindspore, _, seen, unseen in [row for row in SAID if (row[0], row[3]) == (path, language)]:
        choose(page, torch, mindspore)
        open_all(page)
        text = " ".join(page.locator("article").inner_text().split()).replace(" mindspore.mint", "mindspore.mint")
        assert [one for one in seen if one not in text] == []
        assert [one for one in unseen if one in text] == []


# One row: the outcome is the same.
OLDER = "MindSpore 2.9.0\n\nMindSpore 2.8.0\n\nMindSpore 2.7.1"
# MindSpore, outcomes of the claim that 'avg' is accepted, versions in its table, whether another version stands in
VERDICTS = [
    ("2.10.0", ["holds"], ["MindSpore 2.10.0"], False),
    ("2.7.1", ["refuted"], [OLDER], False),
    ("2.7.2", ["holds", "refuted"], ["MindSpore 2.10.0", OLDER], True),
]


def test_verdicts_follow(visit: Visit) -> None:
    page = visit.open(f"en/{REDUCE_EVIDENCE}#{MINT}--avg-accepted")
    claim = page.locator(f"[id='{MINT}--avg-accepted']")
    for mindspore, outcomes, versions, other in VERDICTS:
        choose(page, "2.13.0", mindspore)
        expect(claim.locator("table")).to_be_visible()
        assert claim.locator("summary .apidiff-badge:visible").all_inner_texts() == outcomes
        assert claim.locator("tbody tr:visible td:nth-child(2)").all_inner_texts() == versions
        assert claim.get_by_text(f"Not run on {mindspore}").is_visible() == other


def test_a_parameter_comes_with_its_version(visit: Visit) -> None:
    page = visit.open("en/mappings/torch.distributed.reduce.html")
    open_all(page)
    rows = page.locator("section[data-other]:visible tr", has=page.locator("td:first-child", has_text="group_dst"))
    for torch, shown in [("2.15.0", True), ("2.6.0", True), ("2.4.1", False)]:
        choose(page, torch, "2.10.0")
        expect(rows).to_be_visible(visible=shown)
        expect(page.locator("#difference-parameter-group-dst")).to_be_visible(visible=shown)


@pytest.mark.parametrize(("visit", "language"), [(WIDE, "en"), (PHONE, "zh-cn")], indirect=["visit"])
def test_choice_stays_between_pages_and_languages(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/{REDUCE}")
    torch, mindspore = chooser(page).get_by_label("PyTorch"), chooser(page).get_by_label("MindSpore")
    expect(torch).to_have_value("2.13.0")  # the newest that was run
    expect(torch.locator("option").first).to_have_text("2.15.0 (not run)" if language == "en" else "2.15.0（未实测）")
    mindspore.select_option("2.3.0")
    torch.select_option("2.6.0")
    assert page.url.endswith("?torch=2.6.0&mindspore=2.3.0")
    expect(box(page).locator(".apidiff-box-target")).to_contain_text(PRIMITIVE)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    there = "zh-cn" if language == "en" else "en"
    page.evaluate("document.querySelector('a[data-apidiff-language]').click()")
    page.wait_for_url(f"**/{there}/{REDUCE}?torch=2.6.0&mindspore=2.3.0")
    page = visit.open(f"{there}/{BARRIER}")
    expect(chooser(page).get_by_label("MindSpore")).to_have_value("2.3.0")
    page.wait_for_url(f"**/{BARRIER}?torch=2.6.0&mindspore=2.3.0")
    chooser(page).get_by_role("button").press("Enter")
    expect(chooser(page).get_by_label("MindSpore")).to_have_value("2.10.0")
    expect(chooser(page).get_by_role("button")).to_be_hidden()
    expect(chooser(page).get_by_label("PyTorch")).to_be_focused()
    page = visit.open(f"{there}/index.html")
    assert page.url.endswith("index.html")


def test_address_wins_over_memory_and_what_is_unknown_counts_as_none(visit: Visit) -> None:
    at(visit, f"en/{REDUCE}", "2.6.0", "2.3.0")
    page = at(visit, f"en/{REDUCE}", "9.9.9", "2.4.0")
    expect(chooser(page).get_by_label("PyTorch")).to_have_value("2.13.0")  # not what this reader kept
    expect(chooser(page).get_by_label("MindSpore")).to_have_value("2.4.0")
    for kept in ("{{", "null", '{"mindspore": {"toString": 1}, "torch": [[]]}'):
        visit.page.evaluate("kept => localStorage.setItem('apidiff.versions', kept)", kept)
        page = visit.open(f"en/{REDUCE}")
        expect(chooser(page).get_by_label("MindSpore")).to_have_value("2.10.0")


# language, what the address asks for, torch and MindSpore that are shown, what is said of it
TYPED = [
    ("en", "?mindspore=2.10", "2.15.0", "2.10.0", ""),
    ("en", "?mindspore=2.7&torch=2.13", "2.13.0", "2.7.2", ""),
    ("en", "?mindspore=2.2.1", "2.15.0", "2.2.1", ""),
    ("en", "?mindspore=2", "2.15.0", "2.10.0", ""),
    ("en", "?mindspore=", "2.15.0", "2.3.0", ""),
    ("en", "?mindspore=9.9.9", "2.15.0", "2.10.0", "MindSpore 9.9.9 is not known; shown: MindSpore 2.10.0."),
    ("zh-cn", "?mindspore=2.1%2E", "2.15.0", "2.10.0", "没有收录 MindSpore 2.1.，现显示 MindSpore 2.10.0。"),
    (
        "zh-cn",
        "?mindspore=<b>&torch=0.1",
        "2.13.0",
        "2.10.0",
        "没有收录 PyTorch 0.1，现显示 PyTorch 2.13.0。没有收录 MindSpore <b>，现显示 MindSpore 2.10.0。",
    ),
]


@pytest.mark.turning(days=8)
@pytest.mark.parametrize(("language", "asked", "torch", "mindspore", "said"), TYPED)
def test_a_version_is_read_as_the_command_line_reads_it(
    visit: Visit, language: str, asked: str, torch: str, mindspore: str, said: str
) -> None:
    visit.open(f"en/{REDUCE}?mindspore=2.3.0&torch=2.15.0")  # is kept
    page = visit.open(f"{language}/{BARRIER}{asked}")
    expect(chooser(page).get_by_label("PyTorch")).to_have_value(torch)
    expect(chooser(page).get_by_label("MindSpore")).to_have_value(mindspore)
    line = page.locator(".apidiff-unknown-version")
    assert line.all_inner_texts() == ([said] if said else [])
    chooser(page).get_by_label("MindSpore").select_option("2.9.0")
    expect(line).to_have_count(0)


REDUCE_OP = "evidence/torch.distributed.ReduceOp.html"
MS_CLAIMS = "[id='claims--mindspore.ops.ReduceOp'] > details > summary"
# MindSpore, the statements refuted on it, the counter of its claims, the places at which to repeat its runs
FOLLOWING = [
    ("2.10.0", [], "holds 13", ["PyTorch 2.13.0, gloo on cpu", "MindSpore 2.10.0, mccl on cpu"]),
    ("2.9.0", ["AVG"], "refuted 1 holds 12", ["PyTorch 2.13.0, gloo on cpu", "MindSpore 2.9.0, mccl on cpu"]),
    ("2.7.1", ["AVG"], "refuted 1 holds 12", ["PyTorch 2.13.0, gloo on cpu", "MindSpore 2.7.1, mccl on cpu"]),
    ("2.3.0", ["AVG"], "refuted 1 holds 13", ["PyTorch 2.13.0, gloo on cpu", "MindSpore 2.10.0, mccl on cpu"]),
]


def test_refuted_statements_counters_and_repeats_follow(visit: Visit) -> None:
    page = visit.open(f"en/{REDUCE_OP}")
    none = page.get_by_text("Runs of the chosen versions refute none of them")
    for mindspore, members, counter, places in FOLLOWING:
        choose(page, "2.13.0", mindspore)
        shown = page.locator("#refuted li:visible").all_inner_texts()
        assert len(shown) == len(members)
        assert all(f"member {name}" in text for name, text in zip(members, shown, strict=True))
        expect(none).to_be_visible(visible=not members)
        said = " ".join(page.locator(MS_CLAIMS).inner_text().split())
        assert said.startswith(f"13 claims {counter}"), said
        heads = page.locator("#repeat section:not([hidden]) > h3").all_inner_texts()
        assert [one.rstrip("#") for one in heads if "cpu" in one] == places


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_script_every_refuted_statement_and_repeat_stands(visit: Visit) -> None:
    page = visit.open(f"en/{REDUCE_OP}")
    expect(page.locator("#refuted li:visible")).to_have_count(1)
    expect(page.get_by_text("Runs of the chosen versions refute none of them")).to_be_hidden()
    assert len([one for one in page.locator("#repeat h3:visible").all_inner_texts() if "cpu" in one]) == 5


@pytest.mark.turning(days=4)
@pytest.mark.parametrize(("torch", "default"), [("2.3.0", "required"), ("2.13.0", "None")])
def test_a_default_is_that_of_the_chosen_version(visit: Visit, torch: str, default: str) -> None:
    page = at(visit, "en/mappings/torch.distributed.broadcast.html", torch, "2.10.0")
    open_all(page)
    rows = page.locator("section[data-other]:visible tr:visible").all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    assert [row[1].strip() for row in cells if row and row[0].strip() == "src"] == [default]


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_answers_come_forth_on_demand(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/{REDUCE}")
    others = page.locator("apidiff-others")
    expect(others).to_contain_text("3")
    others.get_by_role("button").click()
    expect(page.locator("section[data-other]:visible")).to_have_count(4)
    expect(page.locator(f".page-toc a[href='#{PRIMITIVE}']")).to_be_visible()
    others.get_by_role("button").click()
    expect(page.locator("section[data-other]:visible")).to_have_count(1)
    expect(page.locator(f".page-toc a[href='#{PRIMITIVE}']")).to_be_hidden()


ANCHORS = [
    (REDUCE, [PRIMITIVE, f"{COMM}--difference-result-is-returned", "difference-outsiders", f"{MINT}--parameters"]),
    (REDUCE_EVIDENCE, [f"{PRIMITIVE}--parameters", f"{PRIMITIVE}--shapes-must-match", "returns", "timeline"]),
]


@pytest.mark.turning(days=4)
@pytest.mark.parametrize(("path", "anchors"), ANCHORS)
def test_link_brings_forth_what_it_leads_to(visit: Visit, path: str, anchors: list[str]) -> None:
    page = visit.open(f"en/{path}#{anchors[0]}")
    for anchor in anchors:
        page.evaluate(f"location.hash = '#{anchor}'")
        expect(page.locator(f"[id='{anchor}']")).to_be_in_viewport()
        page.evaluate("window.scrollTo(0, 0)")


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
@pytest.mark.parametrize("language", LANGUAGES)
def test_without_script_the_newest_pair_stands_in_full(visit: Visit, language: str) -> None:
    page = at(visit, f"{language}/{REDUCE}", "2.6.0", "2.3.0")
    expect(box(page)).to_contain_text(MINT)
    expect(page.locator("section[data-other]:visible")).to_have_count(4)
    expect(page.locator("apidiff-versions select")).to_have_count(0)
    # Those of other versions are named, and open.
    lid = page.locator(f"[id='{PRIMITIVE}'] > details")
    expect(lid).not_to_have_attribute("open", "")
    lid.locator("> summary").click()
    expect(lid.locator("pre").first).to_be_visible()
    assert page.locator("section[data-other]").first.get_by_text("2.3.0").count() == 0


def test_what_is_added_later_follows(visit: Visit) -> None:
    page = at(visit, f"en/{REDUCE}", "2.13.0", "2.7.1")
    page.evaluate(
        """() => {
          const made = document.createElement("p");
          made.id = "made";
          made.dataset.mindspore = "2.9.0..2.10.0 1.0.0";
          made.textContent = "added";
          document.querySelector("article").append(made);
          document.querySelector("apidiff-versions select[name=torch]").dispatchEvent(new Event("change"));
        }"""
    )
    expect(page.locator("#made")).to_be_hidden()
    chooser(page).get_by_label("MindSpore").select_option("2.9.0")
    expect(page.locator("#made")).to_be_visible()


def test_from_a_folder_it_works_the_same(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(f"{(site / 'zh-cn' / REDUCE).as_uri()}?mindspore=2.3.0")
    expect(box(page).locator(".apidiff-box-target")).to_contain_text(PRIMITIVE)
    page.goto((site / "zh-cn" / BARRIER).as_uri())
    expect(chooser(page).get_by_label("MindSpore")).to_have_value("2.3.0")
    page.close()
