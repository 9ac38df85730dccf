"""Messages: each in both languages, named by code, and filled with what it has placeholders for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml
from message_use import Module, badly_filled, of_one_language, placeholders, read_module, read_text, unused

from apidiff.derive import statements
from apidiff.derive.answers import MAPS_TO
from apidiff.derive.api_history import ChangeKind
from apidiff.derive.argument_changes import Change
from apidiff.derive.document_differences import Stated
from apidiff.derive.official import Standing
from apidiff.derive.plain_call_conditions import Property
from apidiff.derive.sample_conditions import Trait
from apidiff.derive.sweeps import Effect
from apidiff.errors import Damage, DataError
from apidiff.messages.cited_parts import PARTS
from apidiff.messages.headlines import EFFECTS, MISMATCHES, SUBJECTS
from apidiff.messages.labels import (
    FOLDER,
    LABELS,
    capitalised,
    filled,
    joined,
    label,
    pieces,
    quickly_read,
    read_messages,
    sentence,
    spaced,
)
from apidiff.messages.phrases import SOME_RANKS
from apidiff.model.agreement import Agreement, Facet
from apidiff.model.base import Text
from apidiff.model.claim import AliasKind, ClaimKind, Formula, ListedAs, RankSet
from apidiff.model.coverage import NotRun
from apidiff.model.probe import Layout, Situation, Sweep
from apidiff.model.signature import Limit, ParameterKind, SignatureKind
from apidiff.model.signed import State
from apidiff.model.trust import Trust
from apidiff.model.verdict import EvidenceCode, Outcome
from apidiff.model.vocabulary import AnswerKind, DifferenceKind, Framework, Relation, Risk, Status
from apidiff.porting.judgement import Label
from apidiff.writers.scan.words import LABELS as FIXES
from apidiff.writers.scan.words import PORT_PROBLEMS

PROJECT = Path(__file__).resolve().parents[2]


def texts(*paths: Iterable[Path]) -> Module:
    return read_text("\n".join(path.read_text("utf-8") for group in paths for path in sorted(group)))


TEMPLATES = [*(PROJECT / "conf" / "templates").glob("*.html"), *(PROJECT / "apidiff" / "sphinxext").glob("*.html")]
ELEMENTS = PROJECT / "conf" / "elements" / "src"
# Keys whose prefix is left out where they are named: in templates, in the scripts of the page for porting.
ELSEWHERE = {
    "site.": texts(TEMPLATES),
    "port.": texts([ELEMENTS / "port.ts"], (ELEMENTS / "port").glob("*.ts")),
}


@pytest.fixture(scope="module")
def sources() -> list[Module]:
    """What all code and all templates name."""
    files = (path for top in ("apidiff", "conf") for path in (PROJECT / top).rglob("*.py"))
    return [*(read_module(path.read_text("utf-8")) for path in files), texts(TEMPLATES)]


def values(enumeration: type) -> set[str]:
    return {one.value for one in enumeration}  # type: ignore[attr-defined]


# Families that are named by value, with every value there is.
FAMILIES = {
    "damage": {*values(Damage), "at_line"},
    "made": {trust.value for trust in Trust if trust is not Trust.PROJECT},
    "risk": values(Risk),
    "risk_meaning": values(Risk),
    "status": values(Status),
    "outcome": {*values(Outcome), *values(Agreement), "undecided"},
    "facet": values(Facet),
    "device": {"cpu", "cuda", "npu"},
    "relation": values(Relation),
    "parameter_row": values(Relation),
    "headline.effect": {*EFFECTS, "sometimes", "undocumented", "unknown"},
    "headline.unseen": {"in_place", "return_value", "result_layout", "documentation"},
    "screen.refused": {"target", "source", "both"},
    "headline.sweep": {"parts-of-tensors", "dtypes-wrong", "dtypes-refused", "views-refused"},
    "limit": values(Limit),
    "where": {"unsupported", "error", "timeout", "crash", "flaky"},
    "headline.device": {*EFFECTS, "unknown"},
    "on_device": {"cpu", "cuda", "npu"},
    "headline.sharing": values(AliasKind),
    "table.outcome": {"holds", "unsupported", "refuted", "error", "timeout", "crash", "flaky"},
    "table.device": {"documented", "run", "failed"},
    "headline.subject": {*SUBJECTS.values(), *MISMATCHES.values(), "mismatched", *values(Situation)},
    "headline.parameter": {*(values(Relation) - {"same"}), "required", "optional"},
    "headline.member": {*(values(Relation) - {"same"}), "required", "optional"},
    "headline.sample": {
        *("source_refuses", "target_refuses", "errors_differ", "no_kernel", "not_called", "side_ended"),
        *("structures_differ", "shapes_differ", "sides_differ", "values_differ", "only_source_writes"),
        *("only_target_writes", "no_gradient", "unrepeated", "less_accurate", "special_differ", "layout_differs"),
        *("moments_differ", "seed_repeats", "draws_alike"),
        *("graph_refuses", "graph_differs", "graph_writes", "graph_leaves", "graph_ended"),
    },
    "moment": {"mean", "standard_deviation"},
    "headline.facet": {"gradient", "dtype", "shape", "differentiable", "not_differentiable"},
    "headline.when": values(Property),
    "when": values(Trait),
    "differs.extracted": {"one", "all", "some", "when", "seen"},
    "scan.label": set(FIXES),
    "scan.label_meaning": set(FIXES),
    "scan.problem": {
        *(
            "syntax",
            "nested",
            "encoding",
            "binary",
            "unreadable",
            "large",
            "many_tokens",
            "loop",
            "outside",
            "notebook",
            "no_cells",
            "long_line",
            "long_name",
            "many_steps",
            "many_starred",
        ),
    },
    "scan.problem_in_cell": {"syntax", "nested", "long_name", "many_steps"},
    "difference": values(DifferenceKind),
    "claim": values(ClaimKind),
    "comment": {key.removeprefix("comment.") for key in LABELS if key.startswith("comment.")},
    "docstring": {key.removeprefix("docstring.") for key in LABELS if key.startswith("docstring.")},
    "part": set(PARTS),
    "framework": values(Framework),
    "answer": {MAPS_TO, *values(AnswerKind)},
    "answer_meaning": values(AnswerKind),
    "sharing": values(AliasKind),
    "listed": values(ListedAs),
    "clause.listed": values(ListedAs),
    "clause.aliases": values(AliasKind),
    "standing": values(Standing),
    "statement": values(statements.Standing),
    "signed": values(State),
    "not_run": values(NotRun),
    "not_run_meaning": values(NotRun),
    "fact": values(EvidenceCode),
    "passed": values(Change),
    "passed_unlike_others": {Change.SHAPE.value, Change.SHAPE_OF_ELEMENTS.value},
    "condition.situation": values(Situation),
    "formula": values(Formula),
    "formula_among": {Formula.SUM.value},
    "documents": values(Stated),
    "documents.shown": values(Stated),
    "servers.call": {label.value for label in Label},
    "port_problem": PORT_PROBLEMS,
    "ranks": values(RankSet),
    "some_ranks": {one.value for one in SOME_RANKS},
    "history": values(ChangeKind),
    "kind": values(SignatureKind) | values(ParameterKind),
    "role": {"target", "used"},  # of `ServedEntry`
    "effect": values(Effect),
    "sweep": values(Sweep),
    "layout": values(Layout) - {Layout.CONTIGUOUS.value},
    "end": {"completed", "timeout", "crash", "skipped"},  # of `ProbeRun`
    "month": {str(number) for number in range(1, 13)},
}
# Values of these may have words to be found by.
SEARCHED = ("status", "answer", "difference", "risk", "relation", "outcome", "claim")
FOUND_BY = {"synonyms": {value for family in SEARCHED for value in FAMILIES[family]}}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_value_has_words(family: str) -> None:
    assert not [value for value in FAMILIES[family] if f"{family}.{value}" not in LABELS]


def test_every_message_is_in_both_languages() -> None:
    assert not list(of_one_language(LABELS))


def test_every_message_is_used(sources: list[Module]) -> None:
    assert not list(unused(LABELS, sources, FAMILIES | FOUND_BY, ELSEWHERE))


def test_every_message_is_filled_with_what_it_names(sources: list[Module]) -> None:
    assert not list(badly_filled(LABELS, sources, FAMILIES))


def test_what_no_python_fills_is_filled_by_a_script(sources: list[Module]) -> None:
    keys = {key for module in sources for keys, _, _ in module.fills for key in keys}
    prefixes = tuple({prefix for module in sources for _, prefix, _ in module.fills if prefix})
    scripts = "\n".join(path.read_text("utf-8") for path in ELEMENTS.rglob("*.ts"))
    prefixes += ("change.",)  # `version_changes` fills these with parts, one by one
    left = {key: text for key, text in LABELS.items() if key not in keys and not key.startswith(prefixes)}
    assert not [(key, name) for key, text in left.items() for name in placeholders(text.en) if name not in scripts]


BAD = [
    # a message, the code, what is found
    (Text(en="One", zh="One"), 'label("a.one", "en")', "a.one: no Chinese"),
    (Text(en="一", zh="一"), 'label("a.one", "en")', "a.one: no English"),
    (Text(en="{n} one", zh="{m} 个"), 'label("a.one", "en")', "a.one: the languages fill in different values"),
    (Text(en="One", zh="一"), 'label("a.two", "en")', "a.one: unused"),
    (Text(en="One", zh="一"), 'f"b.{key}"; "one"', "a.one: unused"),
    (Text(en="One", zh="一"), 'f"a.{key}"; "two"', "a.one: unused"),
    (Text(en="{n} one", zh="{n} 个"), 'filled("a.one", m=1)', "a.one: has ['n'], is given ['m']"),
    (Text(en="{n} one", zh="{n} 个"), 'filled("a.one", n=1, m=1)', "a.one: has ['n'], is given ['m', 'n']"),
    (Text(en="{n} one", zh="{n} 个"), 'filled("a.one")', "a.one: has ['n'], is given []"),
    (Text(en="{n} one", zh="{n} 个"), 'filled("a.one" if x else "a.two", m=1)', "a.one: has ['n'], is given ['m']"),
    (Text(en="{n} one", zh="{n} 个"), 'key = "a.one"; filled(key, m=1)', "a.one: has ['n'], is given ['m']"),
    (Text(en="{n} one", zh="{n} 个"), 'filled(f"a.{x}", m=1); "one"', "a.one: has ['n'], is given [['m']]"),
    (Text(en="One", zh="一"), 'filled(f"a.{x}", m=1); "one"', "a.one: is given m, which none has"),
]


@pytest.mark.parametrize(("text", "code", "found"), BAD)
def test_what_is_wrong_is_found(text: Text, code: str, found: str) -> None:
    messages, modules = {"a.one": text}, [read_module(f"def f(x, key):\n    {code}\n")]
    assert found in [
        *of_one_language(messages),
        *unused(messages, modules, {}, {}),
        *badly_filled(messages, modules, {}),
    ]


def test_a_family_is_used_only_where_code_makes_its_keys() -> None:
    families = {"a": ["one"]}
    assert list(unused(["a.one"], [read_module('f"b.{x}"')], families, {})) == ["a.one: unused"]
    assert not list(unused(["a.one"], [read_module('f"a.{x}"')], families, {}))


def test_evidence_is_filled_as_any_message() -> None:
    messages = {"fact.timeout": Text(en="timeout", zh="超时")}
    code = "def f():\n    evidence(EvidenceCode.TIMEOUT, 1, slot=2)\n"
    assert list(badly_filled(messages, [read_module(code)], {})) == ["fact.timeout: has [], is given ['slot']"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.name)
def test_a_file_is_read_quickly_and_as_yaml_alike(path: Path) -> None:
    text = path.read_text("utf-8")
    quick = {key: {"en": one.en, "zh": one.zh} for key, one in quickly_read(text).items()}
    assert quick == yaml.safe_load(text), "write a text in double quotes, en before zh, on one line each"


def test_another_form_of_yaml_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a.one: {en: One, zh: 一}\na.two:\n  zh: 二\n  en: Two\n", "utf-8")
    assert read_messages(tmp_path) == {"a.one": Text(en="One", zh="一"), "a.two": Text(en="Two", zh="二")}


def test_a_text_with_a_comment_behind_it_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text('a.one:\n  en: "One" # "x"\n  zh: "一"\n', "utf-8")
    assert read_messages(tmp_path) == {"a.one": Text(en="One", zh="一")}


@pytest.mark.parametrize(
    "again",
    [
        'a.one:\n  en: "Two"\n  zh: "二"\n',
        '- a.two:\n  en: "2"\n  zh: "二"\n',
        'a.two:\n  en: "\\u202e2"\n  zh: "二"\n',
    ],
)
def test_what_is_no_message_of_ours_is_read_as_yaml(again: str, tmp_path: Path) -> None:
    """Which refuses a key that is given twice, and characters that cannot be seen."""
    (tmp_path / "a.yaml").write_text(f'a.one:\n  en: "One"\n  zh: "一"\n{again}', "utf-8")
    with pytest.raises(DataError, match=r"a\.yaml"):
        read_messages(tmp_path)


def test_two_texts_on_a_line_shift_no_others(tmp_path: Path) -> None:
    """Each text behind them would have been taken for another's."""
    one, two = 'a.one:\n  en: "One", "x"\n  zh: "一"\n', 'a.two:\n  en: "Two"\n  zh: "二"\n'
    (tmp_path / "a.yaml").write_text(one + two, "utf-8")
    with pytest.raises(DataError, match=r"a\.yaml:2"):
        read_messages(tmp_path)


@pytest.mark.parametrize("text", ["a.one:\n  en: One\n", "a.one: [\n", 'a.one:\n  en: "1"\n  zh: ""\n', "b.one: 1"])
def test_a_broken_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    with pytest.raises(DataError, match=r"a\.yaml"):
        read_messages(tmp_path)


@pytest.mark.parametrize("made", [os.mkfifo, Path.mkdir], ids=["pipe", "folder"])
def test_what_is_no_regular_file_is_not_waited_for(made: Callable[[Path], None], tmp_path: Path) -> None:
    made(tmp_path / "a.yaml")
    with pytest.raises(DataError, match=r"a\.yaml: is missing or damaged"):
        read_messages(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        *("{n:d}", "{n.nope}", "{n[0]}", "{0}", "{}", "{n", "n}", "{n!z}", "{n!r}", "{n:{n}}", "{n:>3000000000}"),
        *("{n.__class__.__mro__}", "{ n }", "{{n}}", "}n{"),
    ],
)
@pytest.mark.parametrize(
    "form", ['a.one:\n  en: "One"\n  zh: "%s"\n', 'a.one: {zh: 一, en: "%s"}\n'], ids=["quick", "yaml"]
)
def test_a_placeholder_is_a_name_alone(words: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(form % words, "utf-8")
    with pytest.raises(DataError, match=r"a\.yaml: 'a\.one' has a brace .* Write placeholders as {name}"):
        read_messages(tmp_path)


FILLED: list[tuple[Callable[[], object], object]] = [
    (lambda: label("test.two", "zh", n=1, key=2), "1 和 2"),
    (lambda: label("test.two", "zh"), "{n} 和 {key}"),  # for a script
    (lambda: filled("test.two", n=Text(en="one", zh="一"), key="{n}"), Text(en="one and {n}", zh="一 和 {n}")),
    (lambda: list(pieces("test.two", "en", {"n": 1, "key": [2]})), [1, " and ", [2]]),
]
UNFILLED: list[Callable[[], object]] = [
    lambda: label("test.two", "en", key=1),
    lambda: filled("test.two", key=1),
    lambda: list(pieces("test.two", "en", {"key": 1})),
]


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LABELS, "test.two", Text(en="{n} and {key}", zh="{n} 和 {key}"))


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(("fill", "words"), FILLED)
def test_placeholders_are_filled(fill: Callable[[], object], words: object) -> None:
    assert fill() == words


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("fill", UNFILLED)
def test_a_placeholder_without_a_value_is_told(fill: Callable[[], object]) -> None:
    with pytest.raises(DataError, match=r"messages: 'test.two' has the placeholder {n}, .* reinstall apidiff"):
        fill()


def test_a_key_of_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text('a.one:\n  en: "One"\n  zh: "一"\n', "utf-8")
    with pytest.raises(DataError, match=r"'a.one' is a message of another file too"):
        read_messages(tmp_path)


def test_words_are_put_together() -> None:
    assert label("risk.none", "zh") == "无风险"
    both = filled("difference_text.next", before=Text(en="one.", zh="一。"), after="2")
    assert (both.en, both.zh) == ("one. 2", "一。2")
    assert joined("site.comma", ["a", Text(en="b", zh="乙")]) == Text(en="a, b", zh="a、乙")
    assert capitalised(Text(en="one", zh="一")) == Text(en="One", zh="一")


@pytest.mark.parametrize(
    ("text", "set_"),
    [
        ("在rank 0上", "在 rank 0 上"),
        ("传入`a`时", "传入 `a` 时"),
        ("传入 `a` 时", "传入 `a` 时"),
        ("一、`a`，二", "一、`a`，二"),
    ],
)
def test_chinese_is_spaced(text: str, set_: str) -> None:
    assert spaced(Text(en="x", zh=text)).zh == set_


@pytest.mark.parametrize(
    ("quoted", "english", "chinese"),
    [
        ("MindSpore raises TypeError: no", "MindSpore raises TypeError: no.", "MindSpore raises TypeError: no。"),
        ("ValueError: shape of in…", "ValueError: shape of in…", "ValueError: shape of in…。"),
        (
            "TypeError: Unsupported data type!",
            "TypeError: Unsupported data type!",
            "TypeError: Unsupported data type。",
        ),
    ],
)
def test_a_sentence_ends_once(quoted: str, english: str, chinese: str) -> None:
    assert sentence(Text(en=quoted, zh=quoted)) == Text(en=english, zh=chinese)
