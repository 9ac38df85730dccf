"""The picture on a mapping's page in a browser: choices, steps, what made a value, versions, keyboard, print."""

from __future__ import annotations

import re

import pytest
from accessible import violations
from playwright.sync_api import Page, expect
from watched import Visit

REDUCE = "evidence/torch.distributed.reduce.html"
ALL_REDUCE = "evidence/torch.distributed.all_reduce.html"
LANGUAGES = ["en", "zh-cn"]
WIDE = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}}
TORCH, MINDSPORE = ".pic-side:nth-child(1)", ".pic-side:nth-child(2)"


def after(side: str, rank: int) -> str:
    return f"{side} [data-rank='{rank}'] .pic-after b"


def begun(visit: Visit, path: str) -> Page:
    """Opens the page and waits for the picture's script, to which a heavy page gives its scenes late."""
    page = visit.open(path)
    expect(page.locator(".pic-controls")).to_be_attached()
    return page


def values(page: Page, selector: str) -> list[str]:
    script = "(all) => all.map((one) => one.firstChild.textContent.trim())"
    found: list[str] = page.locator(selector).evaluate_all(script)
    return found


@pytest.mark.parametrize("visit", [{"java_script_enabled": False, **WIDE}], indirect=True)
@pytest.mark.parametrize("language", LANGUAGES)
def test_complete_without_script(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/{REDUCE}")
    assert values(page, after(TORCH, 1)) == ["110", "220", "333"]
    assert page.locator(f"{TORCH} .pic-flag.u:visible").count() == 2
    expect(page.locator(f"{MINDSPORE} .pic-error").first).to_contain_text("RuntimeError")
    page.locator(f"{TORCH} .pic-table summary").click()
    expect(page.locator(f"{TORCH} .pic-table")).to_contain_text("110, 220 ← rank 1 + rank 2: tensor[0–1]")
    assert page.locator(".pic-controls").count() == 0


@pytest.mark.parametrize(("visit", "language"), [(WIDE, "en"), (PHONE, "zh-cn")], indirect=["visit"])
def test_choices_and_steps(visit: Visit, language: str) -> None:
    page = begun(visit, f"{language}/{ALL_REDUCE}")
    picture = page.locator("apidiff-picture")
    page.locator("input[value='4']").check(force=True)
    assert page.locator(f"{TORCH} .pic-rank").count() == page.locator(f"{MINDSPORE} .pic-rank").count() == 4
    assert values(page, after(MINDSPORE, 3)) == ["1111", "2222", "3333"]
    page.locator("input[value='async']").check(force=True)
    expect(page.locator(f"{TORCH} .pic-call")).to_contain_text("async_op=True")

    step = page.locator(".pic-step")
    expect(step).to_contain_text("3/3")
    page.locator("[data-does=back]").click()
    expect(step).to_contain_text("2/3")
    expect(page.locator(f"{TORCH} .pic-pending").first).to_be_visible()
    expect(page.locator(after(TORCH, 0)).first).to_be_hidden()
    page.locator("[data-does=back]").click()
    expect(step).to_contain_text("1/3")
    expect(page.locator(f"{TORCH} .pic-pending").first).to_be_hidden()
    expect(page.locator("[data-does=back]")).to_have_attribute("aria-disabled", "true")
    page.locator("[data-does=forward]").click()
    page.locator("[data-does=forward]").click()
    expect(page.locator(after(TORCH, 0)).first).to_be_visible()

    select = page.locator("[data-chooses=target]")
    select.select_option("mindspore.ops.AllReduce")
    expect(picture.locator(f"{MINDSPORE} .pic-none")).to_be_visible()  # it has no async
    page.locator("input[value='sync']").check(force=True)
    expect(page.locator(f"{MINDSPORE} .pic-call")).to_contain_text("mindspore.ops.AllReduce()")
    assert page.locator(f"{MINDSPORE} .pic-flag.n:visible").count() >= 4
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_what_is_chosen_again_is_what_the_server_drew(visit: Visit) -> None:
    page = begun(visit, f"en/{REDUCE}")
    first = page.locator(".pic-sides").inner_html()
    page.locator("input[value='2']").check(force=True)
    assert values(page, after(TORCH, 1)) == ["10", "20", "33"]
    page.locator("input[value='3']").check(force=True)
    # Which value Tab leads to is all that may differ.
    assert page.locator(".pic-sides").inner_html() == first


def test_play_goes_through_the_steps_and_ends(visit: Visit) -> None:
    page = begun(visit, f"en/{REDUCE}")
    page.clock.install()
    play = page.locator("[data-does=play]")
    play.click()
    expect(play).to_have_text("Stop")
    expect(page.locator(".pic-step")).to_contain_text("1/2")
    page.clock.run_for(1500)
    expect(page.locator(".pic-step")).to_contain_text("2/2")
    expect(play).to_have_text("Play")


@pytest.mark.parametrize("visit", [{"reduced_motion": "reduce", **WIDE}], indirect=True)
def test_nothing_plays_by_itself_where_motion_is_unwanted(visit: Visit) -> None:
    page = begun(visit, f"en/{REDUCE}")
    assert page.locator("[data-does=play]").count() == 0
    page.locator("[data-does=back]").click()
    style = page.locator(after(TORCH, 0)).first.evaluate(
        "(one) => getComputedStyle(one.closest('.pic-then')).transitionDuration"
    )
    assert float(style.removesuffix("s")) < 0.001


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            "rank 1 · tensor[1] = 220: the sum of tensor[1] over ranks 1, 2; this rank was to leave the buffer alone",
        ),
        ("zh-cn", "rank 1 · tensor[1] = 220：rank 1、2 的 tensor[1] 之和；该 rank 本不应改动这个缓冲区"),
    ],
)
def test_pointing_at_a_value_shows_what_made_it(visit: Visit, language: str, words: str) -> None:
    page = begun(visit, f"{language}/{REDUCE}")
    page.wait_for_load_state("networkidle")  # the picture's script may come late on a busy machine
    value = page.locator(after(TORCH, 1)).nth(1)
    value.hover()
    expect(page.locator(".pic-tell")).to_have_text(words)
    expect(value).to_have_attribute("aria-label", words)
    assert values(page, ".src") == ["20", "200"]
    page.locator(f"{TORCH} [data-rank='2'] .pic-before b").nth(2).hover()
    assert values(page, ".src") == ["333", "333", "303"]  # what came of it
    page.mouse.move(0, 0)
    assert values(page, ".src") == []


TAP = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize(("visit", "language"), [(TAP, "en"), (WIDE, "zh-cn")], indirect=["visit"])
def test_what_is_told_of_a_value_is_in_view_beside_it(visit: Visit, language: str) -> None:
    page = begun(visit, f"{language}/{REDUCE}")
    value = page.locator(after(TORCH, 2)).nth(2)
    value.scroll_into_view_if_needed()
    if page.evaluate("matchMedia('(hover: none)').matches"):
        below = "(one) => window.scrollBy(0, one.getBoundingClientRect().bottom - innerHeight + 4)"
        value.evaluate(below)  # where it would be covered
        value.tap()
    else:
        value.hover()
    expect(page.locator(".pic-tell")).to_contain_text("tensor[2] = 303")
    expect(page.locator(".pic-tell")).to_be_in_viewport(ratio=1)
    told, cell = page.locator(".pic-tell").bounding_box(), value.bounding_box()
    assert told
    assert cell
    assert cell["y"] + cell["height"] <= told["y"], "it hides the value"


@pytest.mark.parametrize("visit", [TAP], indirect=True)
def test_the_ranks_of_a_value_stand_in_one_line_on_a_phone(visit: Visit) -> None:
    page = begun(visit, f"en/{REDUCE}")
    tops = "(all) => all.map((one) => new Set([...one.querySelectorAll('i')].map((rank) => rank.offsetTop)).size)"
    assert max(page.locator(".pic-side .pic-rank b:has(i)").evaluate_all(tops)) == 1


def test_new_memory_is_hatched_and_written_memory_is_not(visit: Visit) -> None:
    page = begun(visit, f"en/{ALL_REDUCE}")
    page.locator("[data-chooses=target]").select_option("mindspore.ops.AllReduce")
    for look, hatched in ((".n", True), (".w", False)):
        image = page.locator(f".pic-after{look}").first.evaluate("(one) => getComputedStyle(one).backgroundImage")
        assert (image != "none") is hatched


# (rank, number of the value, what is said of what it went into)
WENT_INTO = [
    ("en", 0, 0, "before the call; went into one value"),
    ("zh-cn", 0, 0, "调用前的值，后来用于 1 个值"),
    ("en", 1, 0, "before the call; went into 2 values"),
    ("zh-cn", 1, 0, "调用前的值，后来用于 2 个值"),
]


@pytest.mark.parametrize(("language", "rank", "index", "words"), WENT_INTO)
def test_numbers_are_said_as_people_say_them(visit: Visit, language: str, rank: int, index: int, words: str) -> None:
    page = begun(visit, f"{language}/{REDUCE}")
    page.locator(f"{TORCH} [data-rank='{rank}'] .pic-before b").nth(index).hover()
    expect(page.locator(".pic-tell")).to_contain_text(words)


def test_values_are_reached_by_keyboard(visit: Visit) -> None:
    page = begun(visit, f"en/{REDUCE}")
    assert page.locator(".pic-rank b[tabindex='0']").count() == 1
    page.locator(".pic-rank b[tabindex='0']").focus()
    for key, focused in [
        ("ArrowRight", "2"),
        ("End", "3"),
        ("ArrowRight", "111"),
        ("ArrowDown", "10"),
        ("ArrowDown", "110"),
        ("ArrowLeft", "30"),
        ("Home", "10"),
    ]:
        page.keyboard.press(key)
        assert values(page, ":focus") == [focused], key
    expect(page.locator(".pic-tell")).to_contain_text("tensor[0] = 10: before the call; went into 2 values")
    assert page.locator(".pic-rank b[tabindex='0']").count() == 1

    page = begun(visit, f"en/{REDUCE}")
    page.wait_for_load_state("networkidle")  # the script must be there before it can follow
    page = begun(visit, f"en/{REDUCE}")

    def choose(mindspore: str) -> None:
        script = "(detail) => document.dispatchEvent(new CustomEvent('apidiff-versions', { detail }))"
        page.evaluate(script, {"torch": "2.13.0", "mindspore": mindspore})

    choose("2.7.1")
    expect(page.locator(f"{MINDSPORE} .pic-call")).to_contain_text("mint.distributed.reduce")
    expect(page.locator(f"{MINDSPORE} .pic-note")).to_be_hidden()
    choose("2.4.10")
    expect(page.locator(f"{MINDSPORE} .pic-call")).to_contain_text("comm_func.reduce")
    expect(page.locator(f"{MINDSPORE} .pic-note")).to_contain_text("No run with MindSpore 2.4.10 is recorded")
    choose("2.0.0")
    expect(page.locator(f"{MINDSPORE} .pic-none")).to_contain_text("2.0.0")


def test_the_table_stays_open_when_the_choice_changes(visit: Visit) -> None:
    page = begun(visit, f"en/{REDUCE}")
    page.locator(f"{TORCH} .pic-table summary").click()
    page.locator("input[value='2']").check(force=True)
    expect(page.locator(f"{TORCH} .pic-table table")).to_contain_text("[10, 20, 33]")


def test_print_shows_the_picture_and_no_controls(visit: Visit) -> None:
    page = begun(visit, f"en/{REDUCE}")
    page.emulate_media(media="print")
    expect(page.locator(".pic-controls")).to_be_hidden()
    expect(page.locator(after(TORCH, 1)).first).to_be_visible()


@pytest.mark.parametrize(
    ("visit", "language"),
    [({"color_scheme": "light", **WIDE}, "en"), ({"color_scheme": "dark", **PHONE}, "zh-cn")],
    indirect=["visit"],
)
def test_accessibility(visit: Visit, language: str) -> None:
    page = begun(visit, f"{language}/{REDUCE}")
    page.locator(f"{TORCH} .pic-table summary").click()
    assert violations(page, part="#picture") == []
    for control in page.locator(".pic-controls :is(button, select, label):visible").all():
        box = control.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24


def test_the_whole_page_is_light(visit: Visit) -> None:
    """What the picture adds, before the server's compression has a page to share words with."""
    page = visit.open("en/evidence/torch.distributed.all_to_all.html")
    script = """async () => {
      const text = document.querySelector("apidiff-picture").outerHTML;
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
      return (await new Response(stream).arrayBuffer()).byteLength;
    }"""
    assert page.evaluate(script) < 18_000
    assert re.search(r"4", page.locator(".pic-choice").first.inner_text())
