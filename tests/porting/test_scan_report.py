"""The result of a scan: counts, comments that ignore, baselines, settings, and every form in which it is written."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import msgspec
import pytest
from markdown_it import MarkdownIt

from apidiff.cli import json_output
from apidiff.cli.json_output import json_line, json_pieces
from apidiff.errors import ApidiffError
from apidiff.lookup.cache import open_index
from apidiff.porting.finding_codes import RENAME, finding_codes
from apidiff.porting.judgement import Judge
from apidiff.porting.scan_report import ScanReport, make_report
from apidiff.porting.scan_settings import read_baseline, read_settings, write_baseline
from apidiff.porting.tree_scan import ScannedFile
from apidiff.writers.scan import sarif
from apidiff.writers.scan.html import scan_html
from apidiff.writers.scan.markdown import scan_annotations, scan_markdown
from apidiff.writers.scan.sarif import scan_sarif

Report = Callable[..., ScanReport]
CODE = "import torch\nx = torch.ones((3, 3))\nx.tanh()\ntorch.mean(x, -1)\ntorch.nowhere.thing()\ny.sort()\n"


@pytest.fixture
def report(scan: Callable[..., list[ScannedFile]]) -> Report:
    def made(files: dict[str, str], baseline: Counter[tuple[str, str, str]] | None = None) -> ScanReport:
        index = open_index()
        judge = Judge(index.call_facts, index.source_names.apis, "2.10.0", index.releases["mindspore"], None)
        return make_report(scan(files), judge, "2.10.0", None, (), baseline)

    return made


def test_counts_and_shares(report: Report) -> None:
    made = report({"a.py": CODE, "empty.py": ""})
    assert (made.references, made.answered, made.possible) == (4, 3, 1)
    assert made.shares() == {"verified": 2, "unsafe": 1, "manual": 0, "unknown": 1}
    assert [(file.references, file.unknown) for file in made.files] == [(4, 1), (0, 0)]
    assert {finding.source for finding in made.findings} == {"torch.Tensor.tanh"}
    first = made.findings[0]
    assert (first.line, first.column, first.end_line, first.end_column, first.fix) == (3, 1, 3, 7, "unsafe")
    assert [rename.target for rename in made.renames if rename.source == "torch.mean"] == ["mindspore.mint.mean"]


def test_a_dtype_of_indices_is_told_with_where_they_go(report: Report) -> None:
    made = report({"a.py": "import torch\nx = torch.ones((3, 3))\nx.sort(dim=-1)[1]\nx[x.sort(dim=-1)[1]]\n"})
    told = {finding.line: finding.headline for finding in made.everyday() if finding.kind == "dtype"}
    assert told[4].en == f"{told[3].en}; its indices are passed on as an index on line 4"
    assert told[4].zh == f"{told[3].zh}；返回的下标在第 4 行用作索引"


IGNORED = [
    ("x.tanh()  # apidiff: ignore", True),
    ("x.tanh()  # known. apidiff: ignore[torch.Tensor.tanh]", True),
    ("x.tanh()  # apidiff: ignore[tanh, mean]", True),
    ("x.tanh()  # apidiff: ignore[mean]", False),
    ("x.tanh()  # apidiff: ignore[mean", False),
    ("x.tanh()  # apidiff: ignore[tanh", False),
    ("x.tanh()  # apidiff: ignored", False),
    ("x.tanh()  # apidiff: ignore-mean", False),
    ("x.tanh()  # apidiff: ignore.", True),
    ("x.tanh()  # apidiff: ignore原因已确认", True),
    ("x.tanh()  # apidiff: ignore-- known", True),
    ("x.tanh()  # apidiff: ignore- known", True),
    ("x.tanh()  # apidiff", False),
    ("apidiff: ignore = x.tanh()", False),
]


@pytest.mark.parametrize(("line", "ignored"), IGNORED)
def test_comments_that_ignore(report: Report, line: str, ignored: bool) -> None:
    made = report({"a.py": f"import torch\nx = torch.ones((3, 3))\n{line}\n"})
    assert (made.findings == []) is ignored
    assert made.files[0].ignored == int(ignored)


@pytest.mark.timeout(60)
def test_a_comment_that_is_begun_over_and_over_is_searched_once(report: Report) -> None:
    """It took minutes, as long for each beginning as for the rest of the line."""
    made = report({"a.py": f"import torch\n{'# apidiff: ignore[' * 55_000}\nx.tanh()\n"})
    assert made.files[0].ignored == 0


UNBOUND = ["torch.Tensor.{}", "Tensor.{}"]
METHODS = [
    "size(x, 0)",
    "softmax(x, -1)",
    "softmax(x, dim=-1)",
    "std(x)",
    "to(x, torch.float16)",
    "tanh(x)",
    "sum(x, 0)",
]


@pytest.mark.parametrize("call", METHODS)
@pytest.mark.parametrize("start", UNBOUND)
def test_a_method_called_on_its_class_is_judged_as_on_the_object(report: Report, call: str, start: str) -> None:
    name, _, passed = call.removesuffix(")").partition("(x")
    bound = f"x.{name}({passed.removeprefix(', ')})"
    head = "import torch\nfrom torch import Tensor\nx = torch.ones((3, 3))\n"
    first, second = (report({"a.py": f"{head}{line}\n"}) for line in (bound, start.format(call)))
    shown = [[(one.source, one.id, one.fix) for one in made.findings] for made in (first, second)]
    assert shown[0] == shown[1]
    assert first.shares() == second.shares()


def test_a_method_called_on_the_class_of_another_file_is_too(report: Report) -> None:
    made = report(
        {"a.py": "from b import T\nx = T([1.])\nT.std(x, correction=1)\n", "b.py": "from torch import Tensor as T\n"}
    )
    assert [one.id for one in made.findings if one.risk == "silent" and one.source == "torch.Tensor.std"] == []


def test_baseline_outlives_edits_above(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    before = report({"a.py": CODE})
    assert write_baseline(path, before.findings) == len(before.findings)
    after = report(
        {"a.py": CODE.replace("import torch\n", "import torch\n# a line\n") + "x.tanh()\n"}, read_baseline(path)
    )
    assert after.baselined == len(before.findings)
    assert {finding.line for finding in after.findings} == {8}


def test_a_baseline_takes_the_place_of_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ApidiffError, match="no regular file"):
        write_baseline(tmp_path / "pipe", [])
    assert (tmp_path / "pipe").is_fifo()


# (what is there, whether a baseline takes its place)
THERE = [
    ("import torch\n", False),
    ("[]", False),
    ('{"name": "x", "version": 1}', False),
    ('{"version": 1, "other": []}', False),
    ('{"version": "1"}', False),
    ("{", False),
    ("{\n", False),
    ("", True),
    ('{\n "version": 1,\n', True),
    ('{"version": 1, "findings": []}\n', True),
    ('{\n "version": 1,\n<<<<<<< ours\n', True),
    ('{"version": 1, "findings": [{"note": "mine"}]}', False),
    ('{\n "version": 2,\n "id": "mine",\n "count": 4\n}\n', False),
    ('{\n "version": 2,\n "id": "mine",\n', False),
    ('{\n "version": 1,\n "findings": [\n  "mine"\n ]\n}\n', False),
    ('{\n "version": 1,\n "findings": []\n}\nmine\n', False),
    ('{\n "version": 1,\n "findings": [], "mine": "mine', False),
    ('{\n "version": 1,\n "mine": "mine', False),
    ('{\n "version": 1,\n "mine', True),  # or the beginning of a key of ours
]


@pytest.mark.parametrize(("text", "is_replaced"), THERE)
def test_a_baseline_takes_the_place_of_baselines_alone(tmp_path: Path, text: str, is_replaced: bool) -> None:
    """Of two arguments that were confused the second is code."""
    path = tmp_path / "a.py"
    path.write_text(text)
    with nullcontext() if is_replaced else pytest.raises(ApidiffError, match="is no baseline"):
        write_baseline(path, [])
    assert (path.read_text() == text) is not is_replaced


def test_a_baseline_that_is_cut_or_merged_is_replaced(report: Report, tmp_path: Path) -> None:
    """Behind its version: what ends before that may be anything."""
    path = tmp_path / "baseline.json"
    findings = report({'a "b" é.py': CODE}).findings[:2]
    write_baseline(path, findings)
    content = path.read_bytes()
    conflict = content.replace(b"  {\n", b"<<<<<<< ours\n  {\n=======\n>>>>>>> theirs\n", 2)
    assert conflict.count(b"=======") == 2
    for there in (conflict, *(content[:end] for end in range(content.index(b",") + 1, len(content)))):
        path.write_bytes(there)
        write_baseline(path, findings)
        assert path.read_bytes() == content, there


NEGATIVE = '{"version": 1, "findings": [{"file": "a.py", "source": "x", "id": "y", "count": -1}]}'


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "findings": []}', '{"version": 1}', NEGATIVE])
def test_broken_baseline(tmp_path: Path, text: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(ApidiffError, match="--write-baseline"):
        read_baseline(path)


def test_settings(tmp_path: Path) -> None:
    inside = tmp_path / "src" / "deep"
    inside.mkdir(parents=True)
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.apidiff.scan]\nmindspore = "2.9"\nfail-on = "silent"\nexclude = ["old/*"]\n')
    (tmp_path / "src" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    settings, folder = read_settings(inside)
    assert (settings.mindspore, settings.fail_on, settings.exclude, folder) == ("2.9", "silent", ["old/*"], tmp_path)
    for other in ('tool = "x"\n', '[tool]\napidiff = "x"\n'):
        (tmp_path / "src" / "pyproject.toml").write_text(other)
        assert read_settings(inside)[1] == tmp_path
    for broken in ("[tool.apidiff.scan]\nfail_on = 1\n", "[tool.apidiff.scan]\ndevice = 'tpu'\n", "[tool"):
        project.write_text(broken)
        with pytest.raises(ApidiffError, match=re.escape(str(project))):
            read_settings(inside)
    # What it repeats of a file is short enough to read.
    project.write_text(f"[tool.apidiff.scan]\n{'x' * 100_000} = 1\n")
    with pytest.raises(ApidiffError, match=r"unknown field `xxx.* … xxx") as error:
        read_settings(inside)
    assert len(str(error.value)) < 5000
    # What is cut off might be what counts.
    project.write_text(f"{'#' * (8 * 2**20)}\n[tool.apidiff.scan]\nedge = true\n")
    with pytest.raises(ApidiffError, match="it is larger than 1 MiB"):
        read_settings(inside)


# The schema of the standard, an unchanged copy: docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas, (c) OASIS Open.
OFFICIAL = Path(__file__).with_name("sarif-schema-2.1.0.json")

TEXT = {"type": "string", "minLength": 1}
MESSAGE = {"type": "object", "properties": {"text": TEXT}, "required": ["text"], "additionalProperties": False}
REGION = {
    "type": "object",
    "properties": {
        name: {"type": "integer", "minimum": 1} for name in ("startLine", "startColumn", "endLine", "endColumn")
    },
    "required": ["startLine"],
    "additionalProperties": False,
}
ARTIFACT = {
    "type": "object",
    "properties": {"uri": {"type": "string", "format": "uri-reference"}, "uriBaseId": {"const": "SRCROOT"}},
    "required": ["uri"],
    "additionalProperties": False,
}
PHYSICAL = {
    "type": "object",
    "properties": {"artifactLocation": ARTIFACT, "region": REGION},
    "required": ["artifactLocation"],
    "additionalProperties": False,
}
# What of SARIF 2.1.0 is written, as its standard words it; nothing else may stand there.
SARIF = {
    "type": "object",
    "properties": {
        "$schema": TEXT,
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"const": "apidiff"},
                                    "semanticVersion": {"pattern": r"^\d+\.\d+\.\d+"},
                                    "language": {"enum": ["en-US", "zh-CN"]},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": TEXT,
                                                "shortDescription": MESSAGE,
                                                "help": MESSAGE,
                                                "helpUri": {"type": "string", "pattern": "^https://"},
                                                "defaultConfiguration": {
                                                    "properties": {
                                                        "level": {"enum": ["none", "note", "warning", "error"]}
                                                    }
                                                },
                                                "properties": {"type": "object"},
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "originalUriBaseIds": {"type": "object"},
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {"toolExecutionNotifications": {"items": {"required": ["message"]}}},
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId", "ruleIndex"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": TEXT,
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": MESSAGE,
                                "properties": {"type": "object"},
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "properties": {
                                            "physicalLocation": PHYSICAL,
                                            "logicalLocations": {"type": "array"},
                                        },
                                    },
                                },
                                "fixes": {
                                    "type": "array",
                                    "items": {
                                        "required": ["artifactChanges"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "description": MESSAGE,
                                            "artifactChanges": {
                                                "minItems": 1,
                                                "items": {
                                                    "required": ["artifactLocation", "replacements"],
                                                    "properties": {
                                                        "artifactLocation": ARTIFACT,
                                                        "replacements": {
                                                            "minItems": 1,
                                                            "items": {
                                                                "required": ["deletedRegion"],
                                                                "properties": {
                                                                    "deletedRegion": REGION,
                                                                    "insertedContent": MESSAGE,
                                                                },
                                                            },
                                                        },
                                                    },
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
    "required": ["version", "runs"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sarif(report: Report, language: str) -> None:
    cells = [{"cell_type": "code", "source": CODE}]
    made = report({"a b/é.py": CODE, "n.ipynb": json.dumps({"cells": cells}), "bad.py": "("})
    log = json.loads(b"".join(scan_sarif(made, language)))
    jsonschema.validate(log, SARIF, format_checker=jsonschema.FormatChecker())
    jsonschema.validate(log, json.loads(OFFICIAL.read_bytes()), format_checker=jsonschema.FormatChecker())
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [result["ruleId"] for result in run["results"]]
    fixed = [result for result in run["results"] if "fixes" in result]
    assert {
        change["replacements"][0]["insertedContent"]["text"]
        for result in fixed
        for change in result["fixes"][0]["artifactChanges"]
    } == {"mindspore.mint.ones", "mindspore.mint.mean"}
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    of_ranks = report({"c.py": "import torch.distributed as dist\ndist.all_reduce(x)\n"})
    linked = json.loads(b"".join(scan_sarif(of_ranks, language)))["runs"][0]["tool"]["driver"]["rules"]
    links = [rule["helpUri"] for rule in linked if "/torch.distributed.all_reduce/" in rule["id"]]
    assert {link[:8] for link in links} == {"https://"}
    assert any(uri.endswith("a%20b/%C3%A9.py") for uri in _uris(log))


@pytest.mark.parametrize("code", ["", CODE, CODE * 4], ids=["none", "few", "many"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_pieces_are_what_the_whole_is(
    report: Report, monkeypatch: pytest.MonkeyPatch, language: str, code: str
) -> None:
    """As a whole, the JSON of 480 kB of code took 4.6 GB, the SARIF 3.1 GB."""
    monkeypatch.setattr(json_output, "_AT_ONCE", 2)
    monkeypatch.setattr(sarif, "_AT_ONCE", 2)
    made = report({"a\u202eb.py": code, "n.py": code, "bad.py": "("})
    pieces = list(json_pieces(made))
    assert b"".join(pieces) == json_line(made)
    assert max(piece.count(b'"headline"') for piece in pieces) <= 2
    pieces = list(scan_sarif(made, language))
    assert max(piece.count(b'"ruleIndex"') for piece in pieces) <= 2
    whole = b"".join(pieces)
    assert msgspec.json.format(whole, indent=1) + b"\n" == whole
    results = json.loads(whole)["runs"][0]["results"]
    assert [result["ruleId"].partition("/")[0] for result in results] == [
        *(finding.code for finding in made.everyday()),
        *(finding_codes()[RENAME] for _ in made.renames),
    ]


def _uris(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*([value["uri"]] if "uri" in value else []), *(uri for inner in value.values() for uri in _uris(inner))]
    return [uri for inner in value for uri in _uris(inner)] if isinstance(value, list) else []


def test_annotations(report: Report) -> None:
    made = report({"a,b.py": CODE})
    lines = list(scan_annotations(made, "en"))
    assert len(lines) == len(made.everyday()) > 0
    for line in lines:
        assert re.fullmatch(
            r"::error file=[^,:]*a%2Cb\.py,line=3,col=1,endLine=3,endColumn=7,title=[^:,]+::[^\n]+", line
        )


class Page(HTMLParser):
    """Notes tags, what they refer to, and whether all are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.refers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)
        self.refers += [str(value) for name, value in attrs if name in {"src", "href", "srcset"}]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(("language", "words"), [("en", "Names without an answer: 1"), ("zh", "未收录的名称：1 个")])
def test_html_is_one_page(report: Report, language: str, words: str) -> None:
    made = report({"<b>&.py": CODE, "bad.py": "("})
    text = scan_html(made, language)
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.refers == []
    assert not {"script", "link", "img", "iframe", "b"} & set(page.tags)
    assert words in text
    assert "&lt;b&gt;&amp;.py" in text
    assert "bad.py:1" in text


@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\u2028"])
def test_no_name_of_a_file_begins_a_line_of_html(report: Report, end: str) -> None:
    text = scan_html(report({f"a{end}::add-mask::b.py": CODE, f"c{end}##[error]d.py": "("}), "en")
    assert not [line for line in text.splitlines() if line.startswith(("::", "##["))]


def test_markdown_is_a_table_per_part(report: Report) -> None:
    text = scan_markdown(report({"a|b.py": CODE}), "en")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6, 7}
    assert "`torch.Tensor.tanh`" in text


ODD_NAMES = ["a`![x](http:e)`.py", "`a.py", "a``b`c|d`.py", "a\\|b.py", "a\nb`c.py", "a\u202eb.py", "<b>a</b>.py"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_of_files_are_code_in_markdown(report: Report, name: str) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(scan_markdown(report({name: CODE}), "en"))
    within = [part for token in tokens for part in token.children or []]
    shown = name.replace("\n", "\\n").replace("\u202e", "\\u202e")
    named = [part.content for part in within if part.type == "code_inline" and ".py" in part.content]
    assert {part.partition(".py")[0].endswith(f"/{shown.removesuffix('.py')}") for part in named} == {True}
    assert named[-1].endswith(f"/{shown}")
    assert {part.type for part in within} <= {"text", "code_inline"}


def test_a_baseline_that_the_locale_cannot_name_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> bytes:
        return "日本".encode("latin-1")

    monkeypatch.setattr("apidiff.porting.scan_settings.read_regular", fail)
    with pytest.raises(ApidiffError, match=r"encoding, latin-1, lacks characters of this name\. Set LC_ALL=C\.UTF-8"):
        read_baseline(tmp_path / "日本.json")
