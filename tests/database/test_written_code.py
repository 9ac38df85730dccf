"""What the rules have a port write is Python, of names that are there; every fault is told with its line."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.checks import run_checks
from apidiff.database.checks.written_code import written_code_fits
from apidiff.database.paths import DATA
from apidiff.database.writing_rules import FILE
from apidiff.model.rule import WritingRules
from apidiff.model.sample import Sample

RULES = (DATA / FILE).read_text("utf-8")
SIZE = 'dim: "{self}.shape[{dim}]"'

# old text, new text, what the errors say; the line is that of the old text
FAULTS = [
    ("", "", []),
    # forms
    ('"{self}.shape"', '"{self}.sha pe(("', ["'{self}.sha pe((' is no expression that binds as a call does"]),
    (SIZE, 'dim: "{self}.shape[{dmi}]"', ["a call that passes 'dim' has nothing for {dmi}. It has: {dim}, {self}"]),
    (SIZE, 'dmi: "{self}.shape[0]"', ["no call of the source passes 'dmi'. Name its parameters in their order: (dim"]),
    (SIZE, 'dim: "{self}.shape[{ dim }]"', ["'dim' is no name that ported code has"]),
    (SIZE, 'dim: "{self}.shape[dim]"', ["'dim' is no name that ported code has"]),
    (SIZE, 'dim: "-{self}.shape[{dim}]"', ["is no expression that binds as a call does"]),
    (SIZE, 'dim: "{self}.shape[{dim}] # last"', ["is no expression that binds as a call does"]),
    (SIZE, 'dim: "{self}.shape, {dim}"', ["is no expression that binds as a call does"]),
    (SIZE, 'dim: "tuple({self}.shape)[{dim}]"', []),
    ('tensor: "{tensor}.set_data(', 'tensor: "{self}.set_data(', ["has nothing for {self}. It has: {tensor}"]),
    ('"tensor,mean"', '"mean,tensor"', ["no call of the source passes 'mean,tensor'. Name its parameters in"]),
    ("vector_norm({self}, {p})", "vectro_norm({self}, {p})", ["has mindspore.ops.vectro_norm. Mend its name"]),
    # code of arguments
    ('"\'tanh\'": "True"', '"\'tanh\'": "))(("', ["'))((' is no code of an argument"]),
    ('"\'tanh\'": "True"', '"\'tanh\'": "{approximate}"', ["'approximate' is no name that ported code has"]),
    ("\"'tanh'\": ", "tanh: ", ["'tanh' is not how Python shows a literal"]),
    ("\"'tanh'\": ", "'\"tanh\"': ", ["'\"tanh\"' is not how Python shows a literal"]),
    ('"({normalized_shape},)"', '"nothing("', ["does not hold {normalized_shape} once", "is no code of an argument"]),
    ('"({normalized_shape},)"', '"tuple({normalized_shape}"', ["is no code of an argument"]),
    (
        '"({normalized_shape},)"',
        '"({normalized_shape}, {eps})"',
        ["does not hold {normalized_shape} once and no other"],
    ),
    ('stride: "{kernel_size}"', "stride: '{nosuch}'", ["the source has no parameter 'nosuch'. It has: ceil_mode, "]),
    ('stride: "{kernel_size}"', 'stride: "1, 2"', ["'1, 2' is no code of an argument"]),
    ('stride: "{kernel_size}"', 'stride: "1, padding=2"', ["is no code of an argument"]),
    ('stride: "{kernel_size}"', 'stride: "1), (2"', ["is no code of an argument"]),
    # names
    ("{eps: epsilon}", "{eps: epsiln}", ["the target has no parameter 'epsiln'. It has: begin_norm_axis, "]),
    ("{eps: epsilon}", "{esp: epsilon}", ["the source has no parameter 'esp'. It has: bias, device, "]),
    ('{epsilon: "1e-5"}', '{epsilom: "1e-5"}', ["the target has no parameter 'epsilom'"]),
    ("numbers: [normalized_shape]", "numbers: [shape]", ["the source has no parameter 'shape'"]),
    ("values: {approximate:", "values: {aproximate:", ["the source has no parameter 'aproximate'"]),
    ("samples: [primitive, primitive-eps]", "samples: [primtive]", ["layer_norm has no sample 'primtive'. It has: "]),
    ("torch.no_grad: gradients", "torch.no_grda: gradients", ["no mapping has an ID like 'torch.no_grda'"]),
    ("  device: {en", "  devcie: {en", ["no API of PyTorch has the parameter 'devcie'"]),
    ("mindspore.Type\n", "mindspore.Typo\n", ["no signature file of MindSpore has mindspore.Typo"]),
]


def _with(database: Data, root: Path, old: str, new: str) -> tuple[Data, int]:
    assert old in RULES
    shutil.copytree(DATA / "upstream", root / "upstream", symlinks=True)
    (root / FILE).write_text(RULES.replace(old, new, 1), encoding="utf-8")
    return dataclasses.replace(database, root=root), RULES[: RULES.index(old)].count("\n") + 1


@pytest.mark.parametrize(("old", "new", "said"), FAULTS)
def test_code_that_ported_files_cannot_have(
    database: Data, tmp_path: Path, old: str, new: str, said: list[str]
) -> None:
    data, line = _with(database, tmp_path, old, new)
    found = list(written_code_fits(data))
    assert [text in str(error) for error, text in zip(found, said, strict=True)] == [True] * len(said), found
    assert {(error.path, error.line) for error in found} <= {(tmp_path / FILE, line)}


def test_a_section_that_the_guide_has_not(database: Data, tmp_path: Path) -> None:
    data, line = _with(database, tmp_path, "torch.no_grad: gradients", "torch.no_grad: no-such-section")
    found = list(written_code_fits(data))
    assert [error.line for error in found] == [line, line]
    for language, error in zip(("en", "zh"), found, strict=True):
        assert f"docs/{language}/guide/code.md has no section (guide-code-no-such-section)=" in str(error)


def test_a_guide_that_cannot_be_read(database: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = _with(database, tmp_path, "", "")
    page = tmp_path / "zh" / "guide" / "code.md"
    page.parent.mkdir(parents=True)
    page.write_bytes(b"\xff\xfe")
    monkeypatch.setattr(f"{written_code_fits.__module__}.docs_folder", lambda: tmp_path)
    [error] = written_code_fits(data)
    assert (error.path, "cannot be read: 'utf-8' codec" in str(error)) == (page, True)


# What a sample that a rule names is made, which `samples_fit` tells.
SAMPLES = [
    {"like": "nope"},
    {"like": "other", "kwargs": {"a": {"shape": [1024, 1024]}}},
]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_broken_sample_of_a_rule_is_told_as_that(database: Data, tmp_path: Path, sample: dict[str, object]) -> None:
    data, _ = _with(database, tmp_path, "", "")
    size = database.mappings["torch.Tensor.size"]
    large = msgspec.convert({"args": {"b": {"shape": [1024, 1024]}}}, Sample)
    samples = size.samples | {"other": large, "whole": msgspec.convert(sample, Sample)}
    mappings = database.mappings | {size.id: msgspec.structs.replace(size, samples=samples)}
    assert list(written_code_fits(dataclasses.replace(data, mappings=mappings))) == []


def test_check_tells_it(database: Data, tmp_path: Path) -> None:
    data, line = _with(database, tmp_path, SIZE, 'dim: "{self}.shape[{dmi}]"')
    assert (tmp_path / FILE, line) in {(error.path, error.line) for error in run_checks(data)}


def test_what_no_signature_tells_is_taken_as_it_is(database: Data, tmp_path: Path) -> None:
    data, _ = _with(database, tmp_path, "{eps: epsilon}", "{esp: epsiln}")
    assert list(written_code_fits(dataclasses.replace(data, signatures={}))) == []


def test_where_there_are_no_rules_there_is_nothing_to_tell(database: Data, tmp_path: Path) -> None:
    assert list(written_code_fits(dataclasses.replace(database, root=tmp_path, rules=WritingRules()))) == []
