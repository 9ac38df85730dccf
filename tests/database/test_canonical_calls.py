"""How APIs are ordinarily called: the code names what is there, and both sides pass the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from apidiff.database import Data, canonical_calls
from apidiff.database.canonical_calls import free_names, with_canonical_calls
from apidiff.database.paths import examples_folder
from apidiff.database.signatures import newest_first
from apidiff.derive.sample_code import is_composed, ordinary_code
from apidiff.errors import DataError
from apidiff.model.claim import CANONICAL
from apidiff.model.mapping import Api, Mapping, Target
from apidiff.model.probe_resolution import collective_of
from apidiff.model.sample_calls import ordinary_calls
from apidiff.model.signature import Signature, SignatureFile, SignatureKind
from apidiff.model.vocabulary import Execution, Relation, Status

# What calls use beside the APIs that are compared; signatures are read of these alone.
BESIDE = {
    *("mindspore.ops.cat", "mindspore.mint.cat", "mindspore.set_device", "datetime.timedelta"),
    *("torch.utils.data.DataLoader", "mindspore.dataset.GeneratorDataset"),
    *("mindspore.nn.Dense", "mindspore.nn.SGD", "mindspore.value_and_grad"),
}


@pytest.fixture(scope="module")
def data(database: Data) -> Data:
    return database


def newest(data: Data, name: str) -> SignatureFile:
    """The signatures of the newest release of the framework of ``name`` that was run."""
    framework = name.partition(".")[0]
    run = {record.framework_version for _, record in data.runs if record.framework == framework}
    return next(file for file in newest_first(data.signatures, framework) if file.version in run)


def signature(data: Data, api: Api) -> Signature | None:
    return newest(data, api.name).apis.get(api.name)


def named(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for, in full."""
    full: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            full |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            full |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return full


def dotted(node: ast.expr, full: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return full.get(node.id)
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value, full)):
        return f"{owner}.{node.attr}"
    return None


def names(code: str) -> Iterator[str]:
    """The full names of what ``code`` uses of modules, the longest only."""
    tree = ast.parse(code)
    full = named(tree)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner and (name := dotted(node, full)):
            yield name


def shown(data: Data) -> list[Api]:
    return [api for mapping in data.mappings.values() for api in _apis(mapping) if api.canonical]


def _apis(mapping: Mapping) -> list[Api]:
    return [mapping.source, *(target.api for target in mapping.targets)]


def test_every_target_to_use_has_a_canonical_call(data: Data) -> None:
    """An API with samples is called as the first of them says."""
    lacking = [
        target.api.name
        for mapping in data.mappings.values()
        for target in mapping.targets
        if mapping.execution is Execution.COLLECTIVE
        and any(span.status is Status.CURRENT and span.until is None for span in target.ranges)
        and not (target.api.canonical and mapping.source.canonical)
    ]
    assert lacking == []


def test_every_call_names_only_what_is_there(data: Data) -> None:
    unknown = []  # of a constant no members are read
    for api in shown(data):
        file = newest(data, api.name)
        for name in names(api.canonical or ""):
            owner, _, member = name.rpartition(".")
            known = file.apis.get(owner)
            if (
                name not in file.apis
                and name not in BESIDE
                and not (known and (known.kind is SignatureKind.CONSTANT or member in known.every_member))
            ):
                unknown.append((api.name, name))
    assert unknown == []


def test_every_call_uses_the_api_that_it_is_of(data: Data) -> None:
    """An object of a class that other functions return is used through what returned it."""
    returned = {"torch.distributed.Work", "mindspore.communication.comm_func.CommHandle"}
    lacking = [
        api.name
        for api in shown(data)
        if api.name not in returned
        and not any(f"{name}.".startswith(f"{api.name}.") for name in names(api.canonical or ""))
    ]
    assert lacking == []


def passed(api: Api, known: Signature) -> dict[str, str] | None:
    """The arguments of the first call of ``api`` by parameter; a primitive is constructed and then called.

    None where it is not called. Raises IndexError or AssertionError where the signature has no place for one.
    """
    tree = ast.parse(api.canonical or "")
    full = named(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = next((call for call in calls if dotted(call.func, full) == api.name), None)
    if made is None:
        return None
    given = bound(made, [parameter.name for parameter in known.parameters])
    for call in calls:
        if call.func is made:
            given |= bound(call, [parameter.name for parameter in known.call or []])
    return given


def bound(call: ast.Call, order: list[str]) -> dict[str, str]:
    given = {order[place]: ast.unparse(value) for place, value in enumerate(call.args)}
    for keyword in call.keywords:
        assert keyword.arg in order, f"no parameter {keyword.arg}"
        given[keyword.arg] = ast.unparse(keyword.value)
    return given


def pairs(data: Data) -> Iterator[tuple[Mapping, Target, dict[str, str], dict[str, str]]]:
    for mapping in data.mappings.values():
        for target in mapping.targets:
            known = signature(data, mapping.source), signature(data, target.api)
            if mapping.source.canonical and target.api.canonical and known[0] and known[1]:
                before, after = passed(mapping.source, known[0]), passed(target.api, known[1])
                if before is not None and after is not None:
                    yield mapping, target, before, after


def test_both_sides_pass_the_same_but_for_what_the_rows_say(data: Data) -> None:
    """What is given under a parameter that is the same on both sides, whatever its name, is the same expression."""
    wrong = []
    count = 0
    for mapping, target, before, after in pairs(data):
        alike = {Relation.SAME, Relation.RENAMED, Relation.DEFAULT_DIFFERS}
        for row in target.parameters:
            if row.source and row.target and alike.issuperset(row.relations):
                count += row.source in before
                left_out = row.source not in before and Relation.DEFAULT_DIFFERS in row.relations
                if before.get(row.source) != after.get(row.target) and not left_out:
                    wrong.append(
                        (mapping.id, target.api.name, row.source, before.get(row.source), after.get(row.target))
                    )
    assert count > 60
    assert wrong == []


def test_what_a_reader_has_is_the_only_thing_that_the_code_does_not_make(data: Data) -> None:
    for api in shown(data):
        probe = collective_of(api).probes.get(CANONICAL)
        if probe is not None and not api.defined_in:
            assert free_names(api.canonical or "") <= set(probe.set), api.name


BAD = [
    ("torch.distributed.nothing:\n  source: dist.nothing()\n", "no mapping"),
    ("torch.distributed.barrier:\n  source: 'dist.barrier('\n", "does not parse"),
    ("torch.distributed.barrier:\n  source: dist.barrier(group)\n", "uses group, which nothing makes"),
    (
        "torch.distributed.barrier:\n  source: dist.barrier()\n  targets: {other: dist.barrier()}\n",
        "no target is called 'other'",
    ),
]


@pytest.mark.parametrize(("text", "found"), BAD)
def test_what_is_wrong_is_named_with_its_line(data: Data, tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / "canonical_calls.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=found) as error:
        with_canonical_calls(data.mappings, path)
    assert str(path) in str(error.value)


# Calls that once showed arguments of probes: what has to stand in the call of each side, and what must not.
ORDINARY = [
    ("torch.distributed.TCPStore", ["29511", "is_master=rank == 0"], ["timeout", "port=0"]),
    ("torch.distributed.destroy_process_group", ["dist.destroy_process_group()"], ["new_group"]),
    ("torch.distributed.broadcast_object_list", ["broadcast_object_list(objects, src=0)", "= objects[0]"], ["list(["]),
    ("torch.distributed.recv_object_list", ["src=0", "send_object_list"], ["src=1"]),
    ("torch.distributed.recv", ["recv(tensor, src=0)"], ["src=1"]),
    ("torch.distributed.irecv", ["irecv(tensor, src=0)"], ["src=1"]),
    ("torch.distributed.gather", ["gather(tensor, gather_list, dst=0)"], []),
]


@pytest.mark.parametrize(("source", "standing", "absent"), ORDINARY)
def test_calls_show_no_arguments_of_probes(
    data: Data, source: str, standing: Sequence[str], absent: Sequence[str]
) -> None:
    mapping = data.mappings[source]
    current = [target.api for target in mapping.targets if any(span.until is None for span in target.ranges)]
    mint = [api for api in current if api.name.startswith("mindspore.mint.")]
    assert mint
    for api in (mapping.source, *mint):
        code = api.canonical or ""
        assert [piece for piece in standing if piece not in code] == [], api.name
        assert [piece for piece in absent if piece in code] == [], api.name


def test_the_call_to_join_names_the_backends_that_are_used(data: Data) -> None:
    mapping = data.mappings["torch.distributed.init_process_group"]
    codes = {api.name: api.canonical or "" for api in _apis(mapping)}
    assert '"nccl"' in codes["torch.distributed.init_process_group"]
    assert '"hccl"' in codes["mindspore.mint.distributed.init_process_group"]
    assert not any("gloo" in code for code in codes.values())


def test_no_address_of_nowhere_is_shown(data: Data) -> None:
    """The recipe, which stands in place of a call, meets at an address that is there."""
    recipe = data.mappings["torch.distributed.rendezvous"].otherwise[-1].recipe
    assert recipe is not None
    assert "nowhere" not in (examples_folder() / recipe).read_text("utf-8")


def samples_shown(data: Data) -> Iterator[tuple[str, str]]:
    """What pages show of mappings with samples: for each target to use, its name and the code of both sides."""
    for mapping in data.mappings.values():
        for target in mapping.targets if mapping.execution is Execution.SINGLE else ():
            if any(span.status is Status.CURRENT for span in target.ranges):
                for call in ordinary_calls(mapping, target):
                    yield call.api, ordinary_code(call)


def only_reads(line: ast.stmt) -> bool:
    """Whether a statement looks at a result alone: it compares, asserts, or names what is there."""
    if isinstance(line, ast.Assert) or any(isinstance(node, ast.Compare) for node in ast.walk(line)):
        return True
    if not isinstance(line, ast.Expr):
        return False
    value = line.value
    named = isinstance(value, ast.Name) or (isinstance(value, ast.Tuple) and all(map(_is_name, value.elts)))
    turned = (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in {"float", "bool", "round"}
    )
    return named or turned


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


@pytest.mark.parametrize(
    "code", ["x", "(first, second)", "bool((a == b).all())", "assert f(x)", "round(float(f(x)), 6)"]
)
def test_code_that_only_reads_is_found(code: str) -> None:
    assert only_reads(ast.parse(code).body[0])


def test_calls_of_samples_are_calls_and_no_checks(data: Data) -> None:
    codes = dict(samples_shown(data))
    assert len(codes) > 900
    reading = [
        (name, ast.unparse(line)) for name, code in codes.items() for line in ast.parse(code).body if only_reads(line)
    ]
    assert reading == []
    assert [
        name
        for name, code in codes.items()
        if not name.endswith("tolist") and ("tempfile" in code or ".tolist()" in code.splitlines()[0])
    ] == []


def test_an_ordinary_call_has_no_self(data: Data) -> None:
    codes = dict(samples_shown(data))
    assert [name for name, code in codes.items() if "self" in code and "def " not in code] == []
    assert codes["torch.Tensor.abs"] == "tensor.abs()"
    assert codes["torch.manual_seed"] == "torch.manual_seed(7)"
    assert codes["mindspore.experimental.optim.RMSprop"].splitlines()[-1] == "optimizer((gradient,))"


LEFT_OUT = [
    ("torch.manual_seed: {leave_out: [nothing]}\n", "the first sample has no 'nothing'"),
    ("torch.manual_seed: {leave_out: ['first =']}\n", "does not parse"),
    ("torch.manual_seed: {leave_out: [.all()]}\n", "which no run made"),
    ("torch.manual_seed: {source: torch.manual_seed(1)}\n", "its calls are its samples"),
    ("torch.distributed.barrier: {leave_out: [x]}\n", "ranks make its calls"),
]


@pytest.mark.parametrize(("text", "found"), LEFT_OUT)
def test_only_what_runs_made_is_shown(data: Data, tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / "canonical_calls.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=re.escape(found)):
        with_canonical_calls(data.mappings, path)


@pytest.mark.parametrize("code", ["torch.rand(3", "-" * 1_500 + "1"])
def test_code_of_a_sample_that_cannot_be_read_is_left_to_its_check(data: Data, tmp_path: Path, code: str) -> None:
    """It ended every command with a traceback."""
    path, key = tmp_path / "canonical_calls.yaml", "torch.manual_seed"
    path.write_text(f"{key}: {{leave_out: ['first = ']}}\n", "utf-8")
    mapping = data.mappings[key]
    name, sample = next(iter(mapping.samples.items()))
    broken = msgspec.structs.replace(sample, code=dict.fromkeys(sample.code or {}, f"first = {code}"))
    of_it = {key: msgspec.structs.replace(mapping, samples=mapping.samples | {name: broken})}
    assert with_canonical_calls(of_it, path)[key].samples == of_it[key].samples


def test_code_that_many_targets_share_is_read_once(data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """12 kB of targets and pieces took each command 20 s."""
    path, key = tmp_path / "canonical_calls.yaml", "torch.manual_seed"
    path.write_text(f"{key}: {{leave_out: [{', '.join(f'x{number}' for number in range(21))}]}}\n", "utf-8")
    with pytest.raises(DataError, match=r"`array` of length <= 20 in \$\.torch\.manual_seed\.leave_out"):
        with_canonical_calls(data.mappings, path)
    path.write_text(f"{key}: {{leave_out: ['first = ']}}\n", "utf-8")
    mapping, read = data.mappings[key], list[str]()
    parts = canonical_calls._parts
    monkeypatch.setattr(canonical_calls, "_parts", lambda code: read.append(code) or parts(code))
    many = msgspec.structs.replace(mapping, targets=mapping.targets * 20)
    with suppress(DataError):
        with_canonical_calls({key: many}, path)
    assert 0 < len(read) <= 3
    assert len(read) == len(set(read))


COMPOSED = [
    ("torch.nn.functional.scaled_dot_product_attention", "mindspore.mint.nn.functional.softmax", True),
    ("torch.nn.functional.scaled_dot_product_attention", "mindspore.ops.flash_attention_score", False),
    ("torch.nn.utils.rnn.pad_sequence", "mindspore.ops.pad", True),
    ("torch._foreach_add_", "mindspore.Tensor.copy_", True),
    ("torch.Tensor.clamp_min", "mindspore.Tensor.clamp", False),
    ("torch.view_as_complex", "mindspore.ops.Complex", False),
    ("torch.nn.Linear", "mindspore.mint.nn.Linear", False),
    ("torch.manual_seed", "mindspore.manual_seed", False),
]


@pytest.mark.parametrize(("source", "name", "composed"), COMPOSED)
def test_several_lines_in_place_of_one_call_are_composed(data: Data, source: str, name: str, *, composed: bool) -> None:
    mapping = data.mappings[source]
    target = next(target for target in mapping.targets if target.api.name == name)
    assert is_composed(*ordinary_calls(mapping, target)) is composed
