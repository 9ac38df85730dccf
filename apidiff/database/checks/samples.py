"""Samples: where calls are made in a single process there are some, and each fits how the API is called."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from apidiff.database.checks.subject import Place, Subject
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError
from apidiff.model.dtypes import DTYPES, holds
from apidiff.model.mapping import Api
from apidiff.model.python_tree import NO_PYTHON, python_tree
from apidiff.model.sample import Number, Sample, SampleError, SampleForm, SampleTooLarge, resolve_sample
from apidiff.model.sample_calls import FORMS, code_of
from apidiff.model.vocabulary import Execution

_DEEPEST = 60  # nodes of code within each other
_ALIKE = 0.75  # share of the characters of two names that are the same, at which one is a slip of the other


def samples_fit(subject: Subject) -> Iterator[DataError]:
    """Samples stand where they are made, lead somewhere, and have a receiver or a constructor where one is needed.

    A mapping has either probes or samples, as its ``execution`` says.
    """
    mapping = subject.mapping
    if mapping.execution is Execution.COLLECTIVE:
        if mapping.samples:
            remedy = "Write 'execution: single', or make probes of them."
            yield subject.error(("samples",), "samples are not made where calls are made by ranks", remedy)
        return
    if not mapping.samples and mapping.targets:
        found = f"{mapping.id} is called in a single process and has no sample"
        yield subject.error(("samples",), found, "Add one: it is the call that readers see and that is run.")
    all_in_code = all(sample.code or sample.like for sample in mapping.samples.values())
    written = {api for sample in mapping.samples.values() for api in sample.code or ()}
    for place, api in subject.apis():
        if api.kind not in FORMS and not all_in_code and api.name not in written:
            kinds = ", ".join(kind.value for kind in FORMS)
            found = f"{api.name} is a {api.kind.value}, which no single process calls"
            yield subject.error((*place, "kind"), found, f"Name one of {kinds}.")
        if api.collective:
            found = f"{api.name} has probes or a root, and calls are made in a single process"
            yield subject.error((*place, "collective"), found, "Write them as samples of the mapping.")
    for name in mapping.samples:
        yield from _fits(subject, ("samples", name), name, mapping.source)


def _fits(subject: Subject, at: Place, name: str, source: Api) -> Iterator[DataError]:
    try:
        sample = resolve_sample(subject.mapping.samples, name)
    except SampleTooLarge as error:
        yield subject.error(at, f"sample {name!r}: {error}", "Write smaller ones.")
        return
    except SampleError as error:
        yield subject.error(at, str(error), "Name a sample of the same mapping in 'like'.")
        return
    if sample.code is not None:
        yield from _code_fits(subject, at, name, sample.code)
    form = _form(sample, source)
    for key, wanted in (("receiver", (SampleForm.METHOD,)), ("constructor", _CONSTRUCTED)):
        there = getattr(sample, key) is not None
        if form is not None and there is not (form in wanted):
            found = f"sample {name!r} has {'a' if there else 'no'} {key}, and {source.name} is a {source.kind.value}"
            yield subject.error(at, found, f"A {wanted[0].value} has one, and nothing else does.")
    if form is SampleForm.OPTIMIZER and len(sample.state or {}) != len(sample.args or {}):
        found = f"sample {name!r} has {len(sample.state or {})} parameters and {len(sample.args or {})} gradients"
        yield subject.error(
            at, found, "Write under 'args' the gradient of each parameter under 'state', in their order."
        )
    yield from _state_has_a_module(subject, at, name, sample, form)
    yield from _dtypes_hold_values(subject, at, name, sample)
    yield from _names_are_parameters(subject, at, name, sample, form)


_CONSTRUCTED = (SampleForm.MODULE, SampleForm.OPTIMIZER)


def _form(sample: Sample, source: Api) -> SampleForm | None:
    if sample.code is not None and _is_all_code(sample.code, source):
        return SampleForm.CODE
    return SampleForm.OPTIMIZER if sample.steps else FORMS.get(source.kind)


def _code_fits(subject: Subject, at: Place, name: str, code: dict[str, str]) -> Iterator[DataError]:
    """The source and each target have lines, which parse; no other name has any."""
    known = {"torch", "mindspore", *(target.api.name for target in subject.mapping.targets)}
    for key in code.keys() - known:
        found = f"sample {name!r} has code of {key!r}, which is no target"
        yield subject.error(at, found, "Name torch, mindspore or a target.")
    source = subject.mapping.source
    apis = [source.name, *(target.api.name for target in subject.mapping.targets)]
    for api in apis if _is_all_code(code, source) else [name for name in apis if name in code]:
        try:
            tree = python_tree(code_of(code, api))
            if _depth(tree) > _DEEPEST:
                raise RecursionError
            body = tree.body
        except KeyError:
            yield subject.error(at, f"sample {name!r} has no code for {api}", "Write it, by the name of its framework.")
        except NO_PYTHON as error:
            why = error.msg if isinstance(error, SyntaxError) else "it is nested too deep"
            yield subject.error(at, f"the code of sample {name!r} does not parse: {why}", "Mend the code.")
        else:
            last = body[-1] if body else None
            if not (
                isinstance(last, ast.Expr) or (isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name))
            ):
                found = f"the last line of sample {name!r} computes and assigns nothing"
                yield subject.error(at, found, "Write the value that is compared there.")


def _depth(tree: ast.AST) -> int:
    """How many nodes of a syntax tree stand one in the other."""
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _is_all_code(code: dict[str, str], source: Api) -> bool:
    """Whether the source is called by ``code`` too, and so is every target."""
    return source.name in code or source.name.partition(".")[0] in code


def _state_has_a_module(
    subject: Subject, at: Place, name: str, sample: Sample, form: SampleForm | None
) -> Iterator[DataError]:
    if sample.state and form not in _CONSTRUCTED:
        yield subject.error(
            at, f"sample {name!r} has a state, which only a module has", "Write 'kind: module', or drop it."
        )


def _dtypes_hold_values(subject: Subject, at: Place, name: str, sample: Sample) -> Iterator[DataError]:
    """No value becomes another where its tensor is made: both frameworks would be given that, and agree."""
    for tensor in sample.tensors:
        named = tensor.dtype or sample.dtype or "float32"
        dtype = DTYPES[named]
        if tensor.shape is None:
            odd = next((value for value in _numbers(tensor.values) if not holds(dtype, value)), None)
        elif dtype.kind == "b" or 0 in tensor.shape:  # drawn of both, or none are drawn
            odd = None
        else:
            odd = next(
                (bound for bound in (tensor.low, tensor.high) if not dtype.lowest <= int(bound) <= dtype.highest), None
            )
        if odd is not None:
            found = f"sample {name!r} has {odd!r} for a tensor of {named}, which holds no such value"
            yield subject.error(at, found, "Write values, or 'low' and 'high', that it holds, or another dtype.")


def _numbers(values: Number | Sequence[Any] | None) -> Iterator[Number]:
    if isinstance(values, Sequence) and not isinstance(values, str):
        for item in values:
            yield from _numbers(item)
    elif values is not None:
        yield values


def _names_are_parameters(
    subject: Subject, at: Place, name: str, sample: Sample, form: SampleForm | None
) -> Iterator[DataError]:
    """No argument has a name that is almost that of a parameter.

    Arguments of ``args`` go by position, so that a call does not fail of a wrong name; profiles use names that fit a whole
    family. What is left is the slip of a finger.
    """
    if form in {SampleForm.FUNCTION, SampleForm.METHOD}:
        written = {**(sample.args or {}), **(sample.kwargs or {})}
    elif form in _CONSTRUCTED and sample.constructor is not None:
        written = {**sample.constructor.args, **sample.constructor.kwargs}
    else:
        return
    source = subject.mapping.source.name
    file = next((file for file in newest_first(subject.data.signatures, "torch") if source in file.apis), None)
    if file is None:
        return
    known = {parameter.name for parameter in file.apis[source].every_parameter}
    for key in sorted(written.keys() - known):
        near = _nearest(key, tuple(sorted(known - written.keys())))
        # A stub writes `from_` where Python has a keyword; `size_0` and `size_1` are parts of `*size`.
        if near is not None and near != f"{key}_" and not re.search(r"_\d+$", key):
            found = f"sample {name!r} has an argument {key!r}, and {source} has no such parameter"
            yield subject.error(at, found, f"Write {near!r}.")


@lru_cache(maxsize=1024)  # samples that are like another have its arguments
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    """Which of the names that are known is almost ``name``, None for none."""
    # Of two names no more is alike than the shorter one has.
    alike = [one for one in known if 2 * min(len(one), len(name)) >= _ALIKE * (len(one) + len(name))]
    return next(iter(difflib.get_close_matches(name, alike, 1, _ALIKE)), None)
