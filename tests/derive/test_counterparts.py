"""From MindSpore's side: every communication API, with the sources it serves."""

from __future__ import annotations

from apidiff.database import Data
from apidiff.database.signatures import names_to_match, newest_first
from apidiff.derive.counterparts import counterparts, serve
from apidiff.model.base import Text
from apidiff.model.views import CounterpartEntry, Entry, OtherwiseEntry, RangeEntry, TargetEntry

MINT = "mindspore.mint.distributed"


def entry(name: str, targets: list[str], uses: list[list[str]]) -> Entry:
    span = RangeEntry(since="2.5", until=None, range="≥ 2.5", status="current")
    text = Text(en="Text.", zh="文字。")
    return Entry(
        id=name,
        category="collective",
        summary=text,
        aliases=[],
        source=name,
        signatures={},
        risk="none",
        targets=[
            TargetEntry(name=one, kind="function", ranges=[span], parameters=[], differences=[], risk="silent")
            for one in targets
        ],
        otherwise=[
            OtherwiseEntry(
                answer="composed", since=None, until=until, range=f"≤ {until}", why=text, uses=names, risk="rewrite"
            )
            for names, until in zip(uses, ("2.3", "2.4"), strict=False)
        ],
        claims=[],
    )


def test_sources_of_each_api() -> None:
    found = serve(
        [
            entry("torch.b", [f"{MINT}.f"], [[f"{MINT}.g", "mindspore.Tensor"], [f"{MINT}.g"]]),
            entry("torch.a", [f"{MINT}.f", "mindspore.nn.Old"], [[f"{MINT}.Store.set", f"{MINT}.Store.get"]]),
            entry("torch.c", [], [[f"{MINT}.f", f"{MINT}.gone"]]),
        ],
        [f"{MINT}.f", f"{MINT}.g", f"{MINT}.Store", f"{MINT}.spare"],
        {f"{MINT}.lonely": CounterpartEntry(name=f"{MINT}.lonely", serves=[], why=Text(en="Alone.", zh="独有。"))},
    )
    assert {
        name: [(one.source, one.role, [span.range for span in one.ranges]) for one in each.serves]
        for name, each in found.items()
    } == {
        f"{MINT}.Store": [("torch.a", "used", ["≤ 2.3"])],
        f"{MINT}.f": [
            ("torch.a", "target", ["≥ 2.5"]),
            ("torch.b", "target", ["≥ 2.5"]),
            ("torch.c", "used", ["≤ 2.3"]),
        ],
        f"{MINT}.g": [("torch.b", "used", ["≤ 2.3", "≤ 2.4"])],
        f"{MINT}.gone": [("torch.c", "used", ["≤ 2.3"])],
        f"{MINT}.lonely": [],
        f"{MINT}.spare": [],
        "mindspore.nn.Old": [("torch.a", "target", ["≥ 2.5"])],
    }
    assert [name for name, one in found.items() if one.why] == [f"{MINT}.lonely"]
    assert [span.status for span in found[f"{MINT}.g"].serves[0].ranges] == ["composed", "composed"]


def test_every_communication_api_of_the_newest_mindspore_is_there(
    database: Data, all_entries: dict[str, Entry]
) -> None:
    found = counterparts(database, all_entries)
    newest = newest_first(database.signatures, "mindspore")[0]
    assert set(names_to_match(newest)) <= set(found)
    assert list(found) == sorted(found)
