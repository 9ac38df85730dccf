"""The feed: valid by Atom's rules, the same every time, and made of what run records show."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import msgspec
import pytest
from published_site import HOSTILE, NEW, SOURCE, Published, observed, with_claim

from apidiff.model.signed import Signed, State
from apidiff.writers.exports import feed
from apidiff.writers.exports.feed import moment

ATOM = "{http://www.w3.org/2005/Atom}"
XML = "{http://www.w3.org/XML/1998/namespace}"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
TAG = re.compile(r"tag:[a-z0-9.-]+,\d{4}(-\d\d(-\d\d)?)?:([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+")
# RFC 4287, sections 4.1.1 and 4.1.2: how often a child stands (least, most).
FEED = {"id": (1, 1), "title": (1, 1), "updated": (1, 1), "subtitle": (0, 1), "author": (1, 9), "link": (0, 9)}
ENTRY = {"id": (1, 1), "title": (1, 1), "updated": (1, 1), "content": (0, 1), "link": (1, 9), "category": (0, 9)}


def faults(text: str) -> list[str]:
    """What the format's rules do not allow."""
    feed = ET.fromstring(text)
    if feed.tag != f"{ATOM}feed":
        return [f"root {feed.tag}"]
    found = _counts(feed, FEED | {"entry": (0, 500)})
    entries = feed.findall(f"{ATOM}entry")
    for entry in entries:
        found += _counts(entry, ENTRY)
    ids = [one.text or "" for one in feed.iter(f"{ATOM}id")]
    found += [f"id {one}" for one in ids if not TAG.fullmatch(one)]
    found += [f"id twice: {one}" for one in set(ids) if ids.count(one) > 1]
    if not ids:
        return found
    dates = [one.text or "" for one in feed.iter(f"{ATOM}updated")]
    found += [f"date {one}" for one in dates if not MOMENT.fullmatch(one)]
    if dates[1:] != sorted(dates[1:], reverse=True) or dates[:1] != [max(dates)]:
        found.append("not newest first")
    # Relation → at most one link of it and of the same type (4.1.1).
    for holder in (feed, *entries):
        links = [(one.get("rel"), one.get("type")) for one in holder.findall(f"{ATOM}link")]
        found += [f"link twice {one}" for one in set(links) if links.count(one) > 1]
        found += [f"link without address {one}" for one in holder.findall(f"{ATOM}link") if not one.get("href")]
    for one in feed.iter(f"{ATOM}author"):
        found += [] if one.findtext(f"{ATOM}name") else ["author without a name"]
    return found


def _counts(holder: ET.Element, rules: dict[str, tuple[int, int]]) -> list[str]:
    names = [child.tag.removeprefix(ATOM) for child in holder]
    found = [f"unknown {name}" for name in names if name not in rules]
    return found + [
        f"{names.count(name)} times {name}"
        for name, (least, most) in rules.items()
        if not least <= names.count(name) <= most
    ]


BAD = [
    ("<rss/>", "root rss"),
    ("<feed xmlns='http://www.w3.org/2005/Atom'/>", "0 times id"),
    (lambda text: text.replace("Z</updated>", "</updated>"), "date 2026-11-20T10:00:00"),
    (lambda text: re.sub("<id>[^<]*</id>", "<id>tag:apidiff,2026:x</id>", text), "id twice: tag:apidiff,2026:x"),
    (lambda text: text.replace("tag:", "x:"), "id x:apidiff,2026:en/verdicts"),
    (lambda text: text.replace("<name>apidiff</name>", "<name/>"), "author without a name"),
    (lambda text: re.sub(r'<link rel="alternate" type="text/html" href="runs/[^>]*>', "", text), "0 times link"),
]


@pytest.mark.parametrize(("change", "fault"), BAD, ids=[fault for _, fault in BAD])
def test_the_check_finds(make: Callable[..., Published], change: str | Callable[[str], str], fault: str) -> None:
    built = make()
    built.build()
    text = built.text("en/verdicts.xml")
    assert faults(text) == []
    assert fault in faults(change if isinstance(change, str) else change(text))


def with_runs(built: Published, *found: tuple[str, str, int]) -> None:
    """Give the first mapping a claim that MindSpore's runs say this of: (version, outcome, world size)."""
    seen = []
    for position, (version, outcome, size) in enumerate(found):
        run = built.record(
            framework="mindspore",
            framework_version=version,
            backend="mccl",
            world_size=size,
            date=f"2026-11-21T10:00:{position:02}Z",
        )
        seen.append(observed(run, version, outcome, size, [f"rank 1: x {version}"] if outcome != "holds" else []))
    built.change(**{SOURCE.replace(".", "__"): with_claim(built.content.entries[SOURCE], *seen)})


def items(built: Published, kind: str, folder: str = "en") -> list[dict[str, str]]:
    """The feed's items of a kind."""
    feed = ET.fromstring(built.text(f"{folder}/verdicts.xml"))
    found = []
    for entry in feed.findall(f"{ATOM}entry"):
        if entry.find(f"{ATOM}category").get("term") == kind:
            words = {child.tag.removeprefix(ATOM): child.text or "" for child in entry}
            found.append(words | {"link": entry.find(f"{ATOM}link").get("href")})
    return found


CHANGES = [
    ("one version", [("2.10.0", "holds", 2)], []),
    ("the same", [("2.7.1", "holds", 2), ("2.10.0", "holds", 2)], []),
    ("another", [("2.7.1", "holds", 2), ("2.10.0", "error", 2)], ["holds → error (MindSpore 2.7.1 → 2.10.0)"]),
    (
        "versions, not text",
        [("2.10.0", "error", 2), ("2.7.1", "holds", 2)],
        ["holds → error (MindSpore 2.7.1 → 2.10.0)"],
    ),
    ("at no common world size", [("2.7.1", "holds", 2), ("2.10.0", "error", 3)], []),
    (
        "neighbours only",
        [("2.7.1", "holds", 2), ("2.9.0", "error", 2), ("2.10.0", "holds", 2)],
        ["error → holds (MindSpore 2.9.0 → 2.10.0)", "holds → error (MindSpore 2.7.1 → 2.9.0)"],
    ),
    (
        "each world size with itself",
        [("2.7.1", "holds", 2), ("2.7.1", "refuted", 3), ("2.10.0", "error", 2), ("2.10.0", "crash", 3)],
        ["holds → error; refuted → crash (MindSpore 2.7.1 → 2.10.0)"],
    ),
]


@pytest.mark.parametrize(("runs", "expected"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_changed_verdicts(
    make: Callable[..., Published], runs: list[tuple[str, str, int]], expected: list[str]
) -> None:
    built = make()
    with_runs(built, *runs)
    built.build()
    assert faults(built.text("en/verdicts.xml")) == []
    assert [one["title"] for one in items(built, "verdict")] == [f"{NEW}#added: {one}" for one in expected]
    assert len(items(built, "run")) == 1 + len(runs)


def test_what_nobody_vouches_for_is_no_item_and_a_signer_is_named(make: Callable[..., Published]) -> None:
    built = make()
    forged = built.record(world_size=2, by=Signed(), measured_by="Forger")
    signed = built.record(world_size=4, by=Signed(state=State.VERIFIED, signer="Lab <One>"), measured_by="a lab")
    built.build()
    found = {one["id"].rpartition("/run/")[2]: one["content"] for one in items(built, "run")}
    assert len(found) == 2
    assert forged not in found
    assert found[signed].endswith("Measured by: “Lab <One>” (signed by a known signer)")
    assert [content for run, content in found.items() if run != signed and "Measured by" in content] == []
    titles = {one["id"].rpartition("/run/")[2]: one["title"] for one in items(built, "run")}
    assert titles.pop(signed).endswith("gloo on cpu, 4 ranks, measured by “Lab <One>” (signed by a known signer)")
    assert [title for title in titles.values() if "measured by" in title] == []


# (items of this project's runs, of a known signer's newer ones, at most how many; how many are told of each)
ROOM = [(2, 2, 9, (2, 2)), (2, 2, 3, (2, 1)), (3, 2, 2, (2, 0))]


@pytest.mark.parametrize(("ours", "theirs", "room", "told"), ROOM)
def test_what_signers_ran_takes_no_place_from_this_projects_runs(
    make: Callable[..., Published],
    monkeypatch: pytest.MonkeyPatch,
    ours: int,
    theirs: int,
    room: int,
    told: tuple[int, int],
) -> None:
    monkeypatch.setattr(feed, "_ITEMS", room)
    built = make()
    for size in range(2, ours + 1):  # beside the one that is there
        built.record(world_size=size)
    lab = Signed(state=State.VERIFIED, signer="Lab")
    signed = {built.record(world_size=size, by=lab, date=f"2027-01-0{size}") for size in range(1, theirs + 1)}
    built.build()
    assert faults(built.text("en/verdicts.xml")) == []
    found = [one["id"].rpartition("/run/")[2] in signed for one in items(built, "run")]
    assert (found.count(False), found.count(True)) == told


def test_an_item_says_what_changed_and_leads_to_the_claim(make: Callable[..., Published]) -> None:
    built = make()
    with_runs(built, ("2.7.1", "holds", 2), ("2.10.0", "error", 2))
    built.build()
    (one,) = items(built, "verdict")
    assert one["link"] == f"evidence/{SOURCE}.html#{NEW}--added"
    assert one["updated"] == "2026-11-21T10:00:01Z"
    assert one["content"].split("\n") == ["Writes x.", "mccl (cpu), 2 ranks: holds → error", "rank 1: x 2.10.0"]
    (chinese,) = items(built, "verdict", "zh-cn")
    assert "成立 → 执行出错" in chinese["title"]
    assert chinese["id"] != one["id"]
    newest = items(built, "run")[0]
    assert newest["title"] == "Run recorded: MindSpore 2.10.0, mccl on cpu, 2 ranks"
    assert newest["content"] == "Probes: 3\nClaims: error 1"
    assert newest["link"].startswith("runs/mindspore-2.10.0/mccl-cpu-2-")


def test_ids_and_dates_are_those_of_the_records_wherever_the_site_stands(make: Callable[..., Published]) -> None:
    one, two = make("one"), make("two", url="https://example.org/docs")
    for built in (one, two):
        with_runs(built, ("2.7.1", "holds", 2), ("2.10.0", "error", 2))
        built.build()
    texts = [built.text("en/verdicts.xml") for built in (one, two)]
    for name in ("id", "updated"):
        found = [[child.text for child in ET.fromstring(text).iter(f"{ATOM}{name}")] for text in texts]
        assert found[0] == found[1]
    links = {child.get("href") for child in ET.fromstring(texts[1]).iter(f"{ATOM}link")}
    assert all(link.startswith("https://example.org/docs/en/") for link in links)
    assert 'rel="self"' in texts[1]
    # A feed may not name itself by an address that nobody knows.
    assert 'rel="self"' not in texts[0]
    with_runs(two, ("2.7.1", "holds", 2), ("2.10.0", "error", 2))
    assert "en/verdicts.xml" not in two.build()


def test_a_claim_that_two_mappings_show_is_told_once(make: Callable[..., Published]) -> None:
    built = make()
    with_runs(built, ("2.7.1", "holds", 2), ("2.10.0", "error", 2))
    owner = built.content.entries[SOURCE]
    targets = [msgspec.structs.replace(one, defined_in=SOURCE) for one in owner.targets]
    copy = msgspec.structs.replace(owner, id="torch.distributed.a", source="torch.distributed.a", targets=targets)
    found = {"torch.distributed.a": copy, **built.content.entries}
    built.content = msgspec.structs.replace(built.content, entries=found)
    built.build()
    (one,) = items(built, "verdict")
    assert one["link"].startswith(f"evidence/{SOURCE}.html")


def test_hostile_text_stays_text(make: Callable[..., Published]) -> None:
    built = make()
    run = built.record("some/run", framework_version=HOSTILE, backend=HOSTILE, device=HOSTILE, date="2026-11-22")
    seen = [observed(run, version, outcome, 2, [HOSTILE]) for version, outcome in (("1.0", "holds"), ("2.0", "error"))]
    built.change(**{SOURCE.replace(".", "__"): with_claim(built.content.entries[SOURCE], *seen, text=HOSTILE)})
    built.build()
    for folder in ("en", "zh-cn"):
        text = built.text(f"{folder}/verdicts.xml")
        assert faults(text) == []
        assert {child.tag for child in ET.fromstring(text).iter()} <= {
            f"{ATOM}{name}" for name in [*FEED, *ENTRY, "feed", "entry", "name"]
        }
        (one,) = items(built, "verdict", folder)
        assert "</script><script>alert(1)</script>" in one["content"]
        assert not any(
            link.get("href").lower().startswith("javascript") for link in ET.fromstring(text).iter(f"{ATOM}link")
        )


DATES = [
    ("2026-11-21T13:14:10Z", "2026-11-21T13:14:10Z"),
    ("2026-11-21T13:14:10.5+08:00", "2026-11-21T05:14:10Z"),
    ("2026-11-21", "2026-11-21T00:00:00Z"),
    ("0001-01-01T00:00:00+14:00", "1970-01-01T00:00:00Z"),
    ("", "1970-01-01T00:00:00Z"),
    ("<b>", "1970-01-01T00:00:00Z"),
]


@pytest.mark.parametrize(("date", "expected"), DATES)
def test_dates(date: str, expected: str) -> None:
    assert moment(date) == expected
