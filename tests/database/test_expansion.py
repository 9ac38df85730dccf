"""Rows of (what is written, what it expands to), and what is written and not needed, which fails the check."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import msgspec
import pytest

from apidiff.cli import main
from apidiff.database import InvalidData, load, load_valid
from apidiff.database.checks import check_coverage, check_records
from apidiff.database.data import expanded_record
from apidiff.model.probe_resolution import collective_of
from apidiff.model.vocabulary import Relation, Risk
from tests.database.catalogues import copy_signatures

NAME = "torch.distributed.broadcast"
MINT = "mindspore.mint.distributed.broadcast"
OPS = "mindspore.ops.communication.broadcast"
HEAD = "category: collective\nsummary: {en: Copies., zh: 复制。}\n"
TWO = f"""{HEAD}source:
  root: src
  probes:
    sync: {{set: {{tensor: {{shape: [3]}}, src: 0}}}}
    async: {{like: sync, set: {{async_op: true}}}}
  claims:
    writes: {{writes: tensor, ranks: others, by: [sync, async]}}
    returns-none: {{returns: None, by: sync}}
    returns-work: {{returns: Work, by: async}}
targets:
  {MINT}:
    like: source
    since: "2.5"
    without: [returns-work]
    claims: {{returns-handle: {{returns: CommHandle, by: async}}}}
    parameters: {{group: {{is: type_differs}}}}
    differences: {{handle: {{kind: return_value, risk: rewrite, source: returns-work, target: returns-handle}}}}
  {OPS}:
    like: {MINT}
    since: "2.7.1"
    status: available
    without: [async]
"""
PROFILES = """\
sends:
  about: What is sent by one rank.
  with: {sent: tensor}
  category: collective
  source:
    probes: {sync: {set: {$sent: {shape: [3]}, src: 0}}}
    claims:
      keeps: {keeps: $sent, ranks: root, by: [sync, never]}
      gone: {completes: true, by: never}
      src-defaults-to-nothing: {parameter: no_such_parameter, default: None}
    cite: {page: {$name/returns: [keeps, gone], $name/part: keeps}}
  caveats:
    keeping: {kind: in_place, risk: none, source: [keeps, gone], note: kept}
    going: {kind: in_place, risk: none, source: gone, note: kept}
  targets:
    any: {parameters: {group: {is: type_differs, note: by-name}, sparse: {note: by-name}}}
    mint: {since: "2.5"}
"""
NOTES = "by-name: {en: By name., zh: 以名称。}\nkept: {en: Kept by `$name`., zh: 由 `$name` 保持。}\n"
PROFILED = f"""profile: sends
summary: {{en: Copies., zh: 复制。}}
targets: {{{MINT}: {{}}}}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data folder without mappings, with a profile and notes."""
    copy_signatures(tmp_path)
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "sends.yaml").write_text(PROFILES, encoding="utf-8")
    (tmp_path / "notes.yaml").write_text(NOTES, encoding="utf-8")
    (tmp_path / "documents.yaml").write_text(
        "torch-2.13-distributed: {title: T, url: https://example.org, framework: torch, version: '2.13'}\n", "utf-8"
    )
    (tmp_path / "frameworks.yaml").write_text("torch: []\nmindspore: [{version: '2.10.0'}]\n", encoding="utf-8")
    return tmp_path


def write(root: Path, text: str) -> Path:
    path = root / "mappings" / "torch" / "distributed" / "broadcast.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def expanded(root: Path, text: str) -> dict[str, Any]:
    write(root, text)
    plain: dict[str, Any] = msgspec.to_builtins(load(root).mappings[NAME])
    return plain


def test_the_shortest_record_has_its_parameters_and_claims_from_the_signatures(root: Path) -> None:
    mapping = load_one(root, f'{HEAD}targets: {{{MINT}: {{since: "2.5"}}}}\n')
    assert {claim.id for claim in mapping.source.claims} >= {"has-tensor", "has-src", "has-group", "has-async-op"}
    (target,) = mapping.targets
    assert [claim.id for claim in target.api.claims if claim.lacks] == ["lacks-group-src"]
    rows = {row.source: (row.relations, row.risk) for row in target.parameters}
    assert rows["tensor"] == ([Relation.SAME], Risk.NONE)
    assert rows["src"] == ([Relation.DEFAULT_DIFFERS], Risk.NONE)
    assert rows["group_src"] == ([Relation.ONLY_IN_SOURCE], Risk.REWRITE)


def load_one(root: Path, text: str) -> Any:
    write(root, text)
    return load(root).mappings[NAME]


# claim as it is written, claim as it is
CLAIMS = [
    ("{completes: true, by: sync}", {"completes": {}, "probes": ["sync"]}),
    ("{raises: any, by: sync}", {"raises": {}, "probes": ["sync"]}),
    ("{raises: any, some: true, by: sync}", {"raises": {"some": True}, "probes": ["sync"]}),
    ("{raises: ValueError, by: sync}", {"raises": {"type": "ValueError"}, "probes": ["sync"]}),
    ("{returns: None, by: sync}", {"returns": {"structure": "None"}, "probes": ["sync"]}),
    (
        "{writes: tensor, ranks: others, by: sync}",
        {"writes": {"argument": "tensor", "ranks": "others"}, "probes": ["sync"]},
    ),
    ("{equals: null, by: sync}", {"equals": {"at": "return", "value": None}, "probes": ["sync"]}),
    ("{equals: [1, 2], at: tensor, by: sync}", {"equals": {"at": "tensor", "value": [1, 2]}, "probes": ["sync"]}),
    (
        "{result: sum, at: tensor, of: tensor, by: sync}",
        {"result": {"at": "tensor", "formula": "sum", "of": "tensor"}, "probes": ["sync"]},
    ),
    (
        "{aliases: return, with: tensor, share: nothing, by: sync}",
        {"aliases": {"slot": "return", "with": "tensor", "share": "nothing"}, "probes": ["sync"]},
    ),
    ("{parameter: src, default: None}", {"parameter": {"name": "src", "default": "None"}}),
    ("{lacks: src}", {"lacks": {"parameter": "src"}}),
    ("{member: wait}", {"member": {"name": "wait"}}),
]


@pytest.mark.parametrize(("written", "expected"), CLAIMS)
def test_a_claim(root: Path, written: str, expected: dict[str, Any]) -> None:
    text = f"{HEAD}source: {{has: [], probes: {{sync: {{}}}}, claims: {{x: {written}}}}}\n"
    assert expanded(root, text)["source"]["claims"][0] == {"id": "x", **expected}


def test_what_one_target_shares_with_the_source_and_another(root: Path) -> None:
    mapping = load_one(root, TWO)
    mint, ops = (target.api for target in mapping.targets)
    assert list(collective_of(mint).probes) == ["sync", "async"]
    assert [claim.id for claim in mint.claims if claim.probes] == ["returns-handle", "writes", "returns-none"]
    assert list(collective_of(ops).probes) == ["sync"]  # and what only 'async' observed is gone with it
    assert [(claim.id, claim.probes) for claim in ops.claims if claim.probes] == [
        ("writes", ["sync"]),
        ("returns-none", ["sync"]),
    ]
    assert mapping.targets[1].differences == [
        msgspec.structs.replace(mapping.targets[0].differences[0], target_claims=[])
    ]
    assert mapping.targets[1].parameters == mapping.targets[0].parameters


def test_a_profile_brings_what_the_api_has_use_for(root: Path) -> None:
    mapping = load_one(root, PROFILED)
    assert mapping.category == "collective"
    claims = {claim.id: claim for claim in mapping.source.claims}
    assert claims["keeps"].probes == ["sync"]
    assert [stated.part for stated in claims["keeps"].stated] == ["broadcast/returns", "broadcast/part"]
    assert "gone" not in claims  # its probe is not there
    assert "src-defaults-to-nothing" not in claims  # its parameter is not there
    (caveat,) = mapping.caveats
    assert (caveat.id, caveat.source_claims, caveat.note.en) == ("keeping", ["keeps"], "Kept by `broadcast`.")
    (target,) = mapping.targets
    rows = {row.source: row for row in target.parameters}
    assert rows["group"].note is not None
    assert "sparse" not in rows
    assert [span.since for span in target.ranges] == ["2.5"]


def test_numbered_parts_of_a_document_are_cited_by_one_entry(root: Path) -> None:
    claims = "claims: {a: {completes: true, by: s}, b: {completes: true, by: s}}"
    head = f"{HEAD}source: {{has: [], probes: {{s: {{}}}}, {claims}, cite: {{page: "
    mapping = load_one(root, f"{head}{{raises/*: [a, null, b], raises/3: a}}}}}}\n")
    stated = {claim.id: [item.part for item in claim.stated] for claim in mapping.source.claims}
    assert stated == {"a": ["raises/1", "raises/3"], "b": ["raises/3"]}
    write(root, f"{head}{{raises/3: [null, b]}}}}}}\n")
    with pytest.raises(InvalidData, match=r"broadcast\.yaml:3: null among the claims of 'raises/3'"):
        load_valid(root)


WITH_ANSWER = (
    PROFILES
    + """\
answered:
  about: What a family answers.
  profile: sends
  summary: {en: Passes $what on., zh: 传递 $what。}
  otherwise: {answer: not_needed, why: kept, uses: [mindspore.ops.Send]}
  targets: {mint: {like: source}, ops: {like: mint}}
"""
)


def test_a_profile_has_the_summary_and_the_answer_of_a_family(root: Path) -> None:
    (root / "profiles" / "sends.yaml").write_text(WITH_ANSWER, encoding="utf-8")
    head = "profile: answered\nwith: {what: it}\n"
    mapping = load_one(root, head)
    assert mapping.summary.en == "Passes it on."
    (answer,) = mapping.otherwise
    assert (answer.answer.value, answer.why.en, answer.uses) == (
        "not_needed",
        "Kept by `broadcast`.",
        ["mindspore.ops.Send"],
    )
    (answer,) = load_one(root, f"{head}otherwise: [{{answer: composed, why: by-name}}]\n").otherwise
    assert (answer.answer.value, answer.why.en, answer.uses) == ("composed", "By name.", ["mindspore.ops.Send"])
    assert load_one(root, f"{head}targets: {{{MINT}: {{}}}}\n").otherwise == []
    data = load_with(root, f"{head}otherwise: [{{answer: not_needed}}]\n")
    assert "'answer' of an answer says what the profile says already" in str(check_records(data)[-1])


def test_a_profile_says_what_its_targets_are_like(root: Path) -> None:
    (root / "profiles" / "sends.yaml").write_text(WITH_ANSWER, encoding="utf-8")
    head = "profile: answered\nwith: {what: it}\n"
    both = load_one(root, f"{head}targets: {{{MINT}: {{}}, {OPS}: {{since: 2.7.1, status: available}}}}\n")
    assert [list(collective_of(target.api).probes) for target in both.targets] == [["sync"], ["sync"]]
    alone = load_one(root, f"{head}targets: {{{OPS}: {{since: 2.7.1}}}}\n")
    assert [list(collective_of(target.api).probes) for target in alone.targets] == [[]]  # no target of mint to be like
    (target,) = load_one(root, f"{head}targets: {{{MINT}: {{like: null}}}}\n").targets
    assert collective_of(target.api).probes == {}
    data = load_with(root, f"{head}targets: {{{MINT}: {{like: source}}}}\n")
    assert "'like' of mindspore.mint.distributed.broadcast says what" in str(check_records(data)[-1])


def test_what_a_record_repeats_of_its_profile_fails_the_check(root: Path) -> None:
    known = "execution: single\nsamples: {plain: {args: {tensor: {values: [1.0]}}}}\n"
    profile = WITH_ANSWER + textwrap.indent(known, "  ")
    (root / "profiles" / "sends.yaml").write_text(profile, encoding="utf-8")
    head = "profile: answered\nwith: {what: it}\n"
    repeated = known + "summary: {en: Passes $what on., zh: 传递 $what。}\n"
    told = [str(error) for error in check_records(load_with(root, f"{head}{repeated}"))]
    for what in ("'execution'", "'summary'", "the sample 'plain'"):
        assert [one for one in told if f"{what} says what the profile says already" in one]
    for text in ("", known.replace("1.0", "2.0").replace("single", "collective")):
        assert "already" not in "".join(map(str, check_records(load_with(root, f"{head}{text}"))))


def test_each_part_knows_where_it_comes_from(root: Path) -> None:
    write(root, PROFILED)
    record = expanded_record(root, NAME)
    told = {key: claim["@"].what for key, claim in record["source"]["claims"].items()}
    assert told["keeps"] == "profile sends"
    assert told["has-src"] == "signatures of torch 2.13.0"
    assert record["source"]["claims"]["keeps"]["@"].path.name == "sends.yaml"
    rows = {row["source"]: row["@"].what for row in record["targets"][MINT]["parameters"]}
    assert rows["group"] == "profile sends"
    assert rows["tensor"].startswith("signatures of torch ")


# record, what is not needed in it
UNNEEDED = [
    (PROFILED + "without: [nothing]\n", "'without' names 'nothing'"),
    (PROFILED + "without: []\n", "'without' names nothing"),
    (PROFILED.replace("{}", "{since: '2.5'}"), "'since' says what the profile says already"),
    (PROFILED + "source: {claims: {keeps: {by: [sync, never]}}}\n", "'keeps' in 'claims' is what it is without"),
    (PROFILED + "source: {cite: {page: {$name/part: keeps}}}\n", "is cited so already"),
    (PROFILED.replace("{}", "{parameters: {src: {risk: none}}}"), "'risk' of 'src' says what is so without it"),
    (PROFILED.replace("{}", "{parameters: {src: src}}"), "'to' of 'src' says what is so without it"),
    (PROFILED.replace("{}", "{parameters: {src: {is: default_differs}}}"), "'is' of 'src' says what is so without it"),
    (PROFILED + "notes: {never: {en: No., zh: 否。}}\n", "nothing names the note 'never'"),
]


@pytest.mark.parametrize(("text", "message"), UNNEEDED)
def test_what_changes_nothing_fails_the_check(root: Path, text: str, message: str) -> None:
    assert check_records(load_with(root, PROFILED)) == []
    error = check_records(load_with(root, text))[-1]
    assert message in str(error)
    assert (error.path, error.line is not None) == (write(root, text), True)
    assert "Remove" in error.remedy or "Take it out" in error.remedy


def load_with(root: Path, text: str) -> Any:
    write(root, text)
    return load(root)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("profiles/more.yaml", "idle: {about: Nothing.}\n", "no record names the profile 'idle'"),
        ("notes.yaml", NOTES + "idle: {en: No., zh: 否。}\n", "nothing names the note 'idle'"),
    ],
)
def test_a_profile_or_note_that_nothing_names_fails_the_check(root: Path, file: str, text: str, message: str) -> None:
    write(root, PROFILED)
    (root / file).write_text(text, encoding="utf-8")
    errors = [error for error in check_coverage(load(root)) if message in str(error)]
    assert [(error.path, error.line is not None) for error in errors] == [(root / file, True)]


def test_a_probe_that_no_api_of_a_family_has_fails_the_check(root: Path) -> None:
    text = PROFILES.replace("by: [sync, never]", "by: [sync, snyc]").replace("by: never", "by: sync")
    (root / "profiles" / "sends.yaml").write_text(text, encoding="utf-8")
    errors = [
        error for error in check_coverage(load_with(root, PROFILED)) if "which no API of its records has" in str(error)
    ]
    assert [(error.path.name, error.line) for error in errors] == [("sends.yaml", 8)]
    assert "claim 'keeps' of a profile names the probe 'snyc'" in str(errors[0])


# old text of the profile, new text, what the error says; it names the profile's file
BROKEN = [
    ("keeps: $sent", "keeps: $nobody", "nothing says what $nobody stands for"),
    ("note: kept}\n    going", "note: lost}\n    going", "there is no note 'lost'"),
    ("ranks: root", "ranks: nobody", "'nobody' in $.sends.source.claims.keeps.ranks"),
    ("  about: What is sent by one rank.\n", "", "lacks the key 'about'"),
    ("  category: collective\n", "  category: collective\n  profile: sends\n", "profile 'sends' builds on itself"),
]


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
def test_a_broken_profile_is_named_with_its_line(root: Path, old: str, new: str, message: str) -> None:
    assert old in PROFILES
    path = root / "profiles" / "sends.yaml"
    path.write_text(PROFILES.replace(old, new, 1), encoding="utf-8")
    write(root, PROFILED)
    with pytest.raises(InvalidData) as caught:
        load_valid(root)
    assert message in str(caught.value)
    assert "sends.yaml:" in str(caught.value) or "broadcast.yaml:" in str(caught.value)


def test_show_prints_a_record_and_what_it_becomes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "torch.distributed.send"]) == 0
    assert capsys.readouterr().out.startswith("profile: send\nsummary:")
    assert main(["show", "torch.distributed.send", "--expanded"]) == 0
    out = capsys.readouterr().out
    assert "# profile send, point_to_point.yaml:" in out
    assert "# signatures of torch 2.13.0" in out
    assert main(["show", "torch.distributed.nothing"]) == 2
