"""The page of what documents and upstream's tables state, in both languages, and that it follows its data."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest
from official_data import LISTED, SOURCE, TARGET, claims, mapping, report, run, signatures
from small_site import Built, Site

from apidiff.database.runs import short_id
from apidiff.derive.official import OfficialReport

MakeSite = Callable[..., Site]
KNOWN = "torch.distributed.reduce#others-keep-tensor"


def found(default: str | None = "0") -> OfficialReport:
    one = mapping(claims(completes={}), claims(completes={}))
    runs = [
        run(one, "torch", "2.13.0"),
        run(one, "mindspore", "2.10.0", "no <b>group</b>" if default else "", default=default),
    ]
    made = report(one, runs, signatures(v2_10_0=default, v2_7_0="0"))
    assert made.tables[0].rows[0].claim == LISTED
    return made


def build(site: Site, official: OfficialReport) -> Built:
    raw = msgspec.json.encode(official)
    for gone, there in (
        (r"[\w.]+#[\w-]+", KNOWN),
        (r"(torch|mindspore)-[\d.]+/[\w-]+", next(iter(site.content.runs))),
    ):
        raw = re.sub(gone.encode(), there.encode(), raw)  # what the small site has: links must lead somewhere
    site.content = msgspec.structs.replace(site.content, official=msgspec.json.decode(raw, type=OfficialReport))
    return site.build()


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


WORDS = {
    "en": [
        f"{KNOWN.partition('#')[0]} refuted",
        "mapping table: contradicted by runs",
        "Listed as: Consistent",
        "not run",
        "Rows by outcome",
        "to: required ≠ 0",
        "All about this API",
    ],
    "zh_CN": [
        f"{KNOWN.partition('#')[0]} 不成立",
        "官方映射表：与实测不符",
        "表中标注：一致",
        "未运行",
        "各行的判定结果",
        "to：必填 ≠ 0",
        "该 API 的全部信息",
    ],
}


@pytest.mark.parametrize("language", WORDS)
def test_the_page_says_all(make_site: MakeSite, language: str) -> None:
    site = make_site("official", language)
    built = build(site, found())
    html = built.html("statements")
    assert built.warnings == ""
    for words in [*WORDS[language], SOURCE, TARGET, f"#{KNOWN.partition('#')[2]}"]:
        assert words in plain(html), words
    api, _, claim = KNOWN.partition("#")
    assert re.search(rf'href="[^"]+\.html#{re.escape(api)}--{claim}"', html)
    assert f'href="runs/{short_id(next(iter(site.content.runs)))}.html#{TARGET}--signature"' in html


@pytest.mark.parametrize("language", WORDS)
def test_each_api_is_a_line_that_opens(make_site: MakeSite, language: str) -> None:
    html = build(make_site("lines", language), found()).html("statements")
    lines = re.findall(r'<details class="apidiff-line" id="([^"]+)">', html)
    assert lines == [SOURCE, KNOWN.partition("#")[0]]
    # The addresses of the former pages lead here: an API's, a table's, a row's.
    ids = re.findall(r'\sid="([^"]+)"', html)
    for former in ("official-2025-07", "official-2025-07-contradictions", f"official-2025-07-{TARGET}"):
        assert ids.count(former) == 1 or f'<span id="{former}">' in html, former


def test_both_languages_have_the_same_anchors(make_site: MakeSite) -> None:
    ids = [
        re.findall(r'\sid="([^"]+)"', build(make_site(name, language), found()).html("statements"))
        for name, language in (("a", "en"), ("b", "zh_CN"))
    ]
    assert ids[0] == ids[1]


def test_the_page_follows_its_data_and_nothing_else_does(make_site: MakeSite) -> None:
    site = make_site()
    build(site, found())
    again = build(site, found(default=None))
    assert "contradicted by runs" not in plain(again.html("statements"))
    assert again.read == {"statements"}
