"""What records say is shown as text, whatever it looks like."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import msgspec
import pytest
from docutils import nodes
from entry_fixture import NEW, SOURCE, reduce_entry, run_record, write_run
from small_site import Built, Site

from apidiff.model import CallError, ObjectDump, RankTrace, ScalarDump, SequenceDump, TensorDump, Text, Value
from apidiff.model.entry import ClaimEntry
from apidiff.sphinxext.nodes import anchor, prose, relative
from apidiff.sphinxext.trace_table import show

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> &lt;b&gt; **bold** [link](javascript:alert(3)) "
    '{raw}`x` :doc:`index` ```{raw} html\n<b>raw</b>\n``` |sub| [^1] `code <i>` "quotes" -- ...'
)


class _Page(HTMLParser):
    """Tags, attributes and the visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts += data
        else:
            self.text += data


@pytest.fixture
def hostile(make_site: Callable[..., Site]) -> Built:
    site = make_site()
    record = run_record()
    bad = RankTrace(
        rank=0,
        before={HOSTILE: ObjectDump(type="X", text=HOSTILE, object=1)},
        error=CallError(stage="call", type=HOSTILE, message=HOSTILE),
        output=[HOSTILE],
    )
    probe = msgspec.structs.replace(record.probes[0], ranks=[bad], log=[HOSTILE])
    run, path = write_run(
        site.folder / "data", msgspec.structs.replace(record, probes=[probe], packages={HOSTILE: HOSTILE})
    )
    entry = reduce_entry(run, summary=HOSTILE)
    text = Text(en=HOSTILE, zh=HOSTILE)

    def soil(claim: ClaimEntry) -> ClaimEntry:
        observed = [msgspec.structs.replace(one, evidence=[HOSTILE]) for one in claim.observed]
        return msgspec.structs.replace(claim, text=text, not_run=[text], reason=text, call=[HOSTILE], observed=observed)

    documents = {
        key: msgspec.structs.replace(document, title=HOSTILE, url="javascript:alert(4)")
        for key, document in entry.documents.items()
    }
    targets = [
        msgspec.structs.replace(
            target,
            note=text,
            differences=[
                msgspec.structs.replace(
                    one, text=text, evidence=[msgspec.structs.replace(shown, text=text) for shown in one.evidence]
                )
                for one in target.differences
            ],
            parameters=[msgspec.structs.replace(one, text=text, target_default=HOSTILE) for one in target.parameters],
            signatures={"2.10.0": HOSTILE},
        )
        for target in entry.targets
    ]
    claims = [soil(claim) for claim in entry.claims]
    examples = [msgspec.structs.replace(one, code=HOSTILE, expected=HOSTILE, command=HOSTILE) for one in entry.examples]
    site.content.entries[SOURCE] = msgspec.structs.replace(
        entry, documents=documents, targets=targets, claims=claims, aliases=[HOSTILE], examples=examples
    )
    site.content.runs.clear()
    site.content.runs[run] = path
    built = site.build()
    assert built.warnings == ""
    return built


def test_hostile_text_is_inert(hostile: Built) -> None:
    foreign = {"img", "i", "b"}
    runs = [name for name in hostile.pages() if name.startswith(("runs/", f"evidence/torch-2.13.0/gloo-cpu/{SOURCE}"))]
    assert len(runs) == 2
    for name in (f"mappings/{SOURCE}.html", "mappings.html", "risks.html", "refuted.html", *runs):
        page = _Page(hostile.pages()[name])
        for tag, attributes in page.tags:
            assert tag not in foreign, (name, tag, attributes)
            assert not any(key.startswith("on") for key in attributes), (name, attributes)
            assert not (attributes.get("href") or "").startswith("javascript:"), (name, attributes)
        assert "alert" not in page.scripts
        assert "<script>alert(1)</script>" in page.text, name
        assert "**bold** [link](javascript:alert(3))" in page.text, name


def test_the_check_sees_raw_markup() -> None:
    page = _Page("<p><script>alert(1)</script><img src=x onerror=a></p>")
    assert "img" in [tag for tag, _ in page.tags]
    assert "alert" in page.scripts


PROSE = [
    ("plain", ["plain"]),
    ("`a` and ``b``", ["<literal>a</literal>", " and ", "<literal>b</literal>"]),
    ("unclosed ` tick", ["unclosed ` tick"]),
    ("*no* **markup** :role:`x`", ["*no* **markup** :role:", "<literal>x</literal>"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), PROSE)
def test_prose(text: str, expected: list[str]) -> None:
    assert [node.astext() if isinstance(node, nodes.Text) else str(node) for node in prose(text)] == expected


ANCHORS = [
    (f"{SOURCE}#others-keep-tensor", f"{SOURCE}--others-keep-tensor"),
    (NEW, NEW),
    ("example:torch.distributed.reduce/torch_example.py", "example-torch.distributed.reduce-torch_example.py"),
    ("标题 x", "x"),
]


@pytest.mark.parametrize(("text", "expected"), ANCHORS)
def test_anchor(text: str, expected: str) -> None:
    assert anchor(text) == expected


@pytest.mark.parametrize(
    ("page", "expected"), [("index", "a.json"), ("runs/x", "../a.json"), ("runs/x/y", "../../a.json")]
)
def test_relative(page: str, expected: str) -> None:
    assert relative(page, "a.json") == expected


def _tensor(values: list[int | float | bool | str], shape: list[int]) -> TensorDump:
    return TensorDump(type="Tensor", dtype="float32", shape=shape, values=values, storage=1, object=1)


SHOWN: list[tuple[Value, str]] = [
    (_tensor([1.0, 2.5], [2]), "float32 (2,) [1, 2.5]"),
    (_tensor([], [0]), "float32 (0,) []"),
    (_tensor(["nan", 1000000.0], [1, 2]), "float32 (1, 2) [nan, 1000000]"),
    (_tensor([123456789.0], []), "float32 () [123456789]"),
    (_tensor(list(range(30)), [30]), f"float32 (30,) [{', '.join(map(str, range(24)))}, …]"),
    (SequenceDump(type="tuple", items=[ScalarDump(value=None)], object=1), "(None,)"),
    (SequenceDump(type="list", items=[ScalarDump(value=1), ScalarDump(value="a")], object=1), "[1, 'a']"),
    (ObjectDump(type="Work", text="", object=1), "Work"),
]


@pytest.mark.parametrize(("value", "expected"), SHOWN)
def test_show(value: Value, expected: str) -> None:
    assert show(value) == expected
