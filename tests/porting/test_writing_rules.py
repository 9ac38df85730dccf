"""A rule of ``writing_rules.yaml`` writes what the samples that it names have run as lines of code."""

from __future__ import annotations

import ast
import re

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.data import DATA
from apidiff.database.writing_rules import FILE
from apidiff.database.yaml import read_yaml
from apidiff.derive.sample_code import sample_code
from apidiff.lookup.cache import open_index
from apidiff.model.rule import WritingRules
from apidiff.model.sample import SampleForm, resolve_sample
from apidiff.model.sample_calls import code_of, source_call
from apidiff.porting.call_edits import CallWriter
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import CodeText, Edit, apply_edits
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import TorchNames, read_result_types

_INITIALISERS = "mindspore.common.initializer."


def _rules() -> list[tuple[str, str, str]]:
    rules, _ = read_yaml(DATA / FILE, WritingRules)  # without all other data, which each worker would read to collect
    return [
        (source, target, sample)
        for source, targets in rules.targets.items()
        for target, rule in targets.items()
        for sample in rule.samples
    ]


@pytest.mark.parametrize(("source", "target", "sample"), _rules())
def test_a_rule_writes_what_its_samples_ran(database: Data, source: str, target: str, sample: str) -> None:
    mapping = database.mappings[source]
    code = code_of(resolve_sample(mapping.samples, sample).code or {}, target)
    call = source_call(mapping, sample)
    if call.form is SampleForm.CODE:
        text = call.code.replace("tensor.", "torch.ones(2).").replace("input.", "torch.ones(2).")
        code = code.replace("tensor.", "torch.ones(2).").replace("(input)", "(torch.ones(2))")
    elif call.form is SampleForm.MODULE:
        text = sample_code(call)[: sample_code(call).rindex("(")]
    else:
        text = sample_code(call)
    way = next(one for one in open_index().call_facts(source).targets if one.name == target).ways[:1]
    names = way[0] if way else []
    written = [ast.unparse(_tree(one, names)) for one in _written(f"import torch\n{text}", source, target)]
    assert written
    parts = {ast.unparse(node) for node in ast.walk(_tree(code, names)) if isinstance(node, ast.expr)}
    assert set(written) <= parts


@pytest.mark.turning(days=8)
def _written(text: str, source: str, target: str) -> list[str]:
    """Each call of the source in ``text``, written with the target."""
    index = open_index()
    names = TorchNames(index.source_names, read_result_types())
    facts = index.call_facts(source)
    found = next(one for one in facts.targets if one.name == target)
    code = CodeText(text)
    anchors = CodeAnchors(code)
    made = []
    for reference in scan_text(text, "text.py", names).references:
        end = code.offset_of_character(reference.span.end_line, reference.span.end_column)
        call = anchors.call_at(end)
        if reference.name != source or call is None or reference.form is None:
            continue
        edits = CallWriter(code, call, reference.form, facts, found, lambda name: name).edits()
        name = [Edit(code.start(call.func), end, target)] if edits.renames else []
        after = apply_edits(code.data, [*name, *edits.edits]).decode()
        start, size = code.start(call), len(after.encode()) - len(code.data)
        made.append(after.encode()[start : code.end(call) + size].decode())
    return made


class _Ordered(ast.NodeTransformer):
    """Writes arguments in one way: those of calls of MindSpore by keyword, in one order. ``names``: their parameters."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func).startswith("mindspore.nn."):
            node.keywords += [ast.keyword(name, value) for name, value in zip(self._names, node.args, strict=False)]
            node.args = []
        node.keywords.sort(key=lambda keyword: str(keyword.arg))
        return self.generic_visit(node)


def _tree(code: str, names: list[str]) -> ast.Module:
    """Some code in one spelling."""
    code = re.sub(r"from mindspore[^\n]*\n", "", code.strip()).replace(_INITIALISERS, "")
    tree: ast.Module = _Ordered(names).visit(ast.parse(code))
    return tree


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            {"left_out": {"a": {"en": "word " * 500, "zh": "字" * 1500}}},
            "`left_out` has 4001 characters, where 4000 are the",
        ),
        ({"guides": {"torch.*": "long" * 100}}, r"length <= 100 - at `\$\.guides\[\.\.\.\]`"),
    ],
)
def test_what_the_facts_of_every_call_hold_is_short(rules: dict[str, object], said: str) -> None:
    """Each of 1,400 targets has all of it: 20 kB in `left_out` took 9 GB."""
    with pytest.raises(msgspec.ValidationError, match=said):
        msgspec.convert(rules, WritingRules)
