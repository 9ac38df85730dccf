"""Draws calls from PyTorch's own test inputs: `op_db` for functions and methods, `module_db` for modules, `optim_db`.

Importing these needs the package `expecttest`, which PyTorch's tests use.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.testing._internal import common_device_type, common_methods_invocations, common_modules, common_optimizers

from apidiff.execute.ranks.api_lookup import find
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.vocabulary import ApiKind

SEED = 0
_MOST = 80  # draws of one entry and dtype
_MOST_REFERENCE = 40


class Origin(Enum):
    """What an entry calls the inputs."""

    SAMPLE = "sample"
    REFERENCE = "reference"
    ERROR = "error"


@dataclass(frozen=True)
class Draw:
    """One call. ``receiver``: what a method is called on; ``constructor``: what a module is constructed with."""

    origin: Origin
    dtype: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    receiver: Any = None
    constructor: tuple[tuple[Any, ...], Mapping[str, Any]] | None = None
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Entries:
    """The entries that hold inputs for one API: ``ops``, or one of a ``module`` or an ``optimizer``."""

    api: str
    kind: ApiKind
    ops: tuple[Any, ...] = ()
    module: Any = None
    optimizer: Any = None

    @property
    def names(self) -> list[str]:
        """The entries as PyTorch's tests call them: ``max (reduction_with_dim)``."""
        if self.module is not None:
            return [f"nn.{self.module.module_cls.__name__}"]
        if self.optimizer is not None:
            return [f"optim.{self.optimizer.optim_cls.__name__}"]
        return [f"{op.name} ({op.variant_test_name})" if op.variant_test_name else str(op.name) for op in self.ops]

    def dtypes(self) -> set[str]:
        """The names of the dtypes for which any entry has inputs."""
        if self.module is not None or self.optimizer is not None:
            return {"float32"}
        return {_dtype_name(dtype) for op in self.ops for dtype in op.supported_dtypes("cpu")}

    def draws(self, dtype: str, *, small: bool = False) -> list[Draw]:
        """The calls with tensors of ``dtype``, those of each entry in its order; ``small``: of smaller sizes."""
        with _sizes(4) if small else nullcontext():
            return [*self._draws(dtype)]

    def _draws(self, dtype: str) -> Iterator[Draw]:
        if self.module is not None:
            yield from self._of_module(dtype)
            return
        if self.optimizer is not None:
            yield from self._of_optimizer(dtype)
            return
        for op in self.ops:
            wanted = getattr(torch, dtype)
            if wanted not in op.supported_dtypes("cpu"):
                continue
            _start()
            yield from self._calls(op, Origin.SAMPLE, dtype, islice(op.sample_inputs("cpu", wanted), _MOST))
            if op.reference_inputs_func is not None and dtype in {"float32", "int64"}:
                _start()
                more = islice(op.reference_inputs("cpu", wanted), _MOST_REFERENCE)
                yield from self._calls(op, Origin.REFERENCE, dtype, more)

    def errors(self) -> Iterator[Draw]:
        """The calls that PyTorch refuses."""
        for op in self.ops:
            if op.error_inputs_func is None:
                continue
            _start()
            given = (one.sample_input for one in op.error_inputs("cpu"))
            yield from self._calls(op, Origin.ERROR, "float32", islice(given, _MOST))

    def takes_out(self) -> bool:
        """Whether PyTorch's tests give it an ``out=``."""
        return self.kind is ApiKind.FUNCTION and any(op.supports_out for op in self.ops)

    def tolerances(self) -> dict[str, Tolerance]:
        """The widest tolerance by dtype that PyTorch's tests override for the CPU."""
        widest: dict[str, Tolerance] = {}
        for op in self.ops or (self.module or self.optimizer,):
            for info in op.decorators:
                if getattr(info, "device_type", None) not in {None, "cpu"}:
                    continue
                for override in getattr(info, "decorators", ()):
                    if isinstance(override, common_device_type.toleranceOverride):
                        for dtype, wide in override.d.items():
                            name = _dtype_name(dtype)
                            old = widest.get(name, Tolerance(rtol=0.0, atol=0.0))
                            rtol, atol = max(old.rtol, float(wide.rtol)), max(old.atol, float(wide.atol))
                            widest[name] = Tolerance(rtol=rtol, atol=atol)
        return dict(sorted(widest.items()))

    def _calls(self, op: Any, origin: Origin, dtype: str, given: Iterator[Any]) -> Iterator[Draw]:
        for one in _unless_broken(given):
            if self.kind is ApiKind.METHOD:
                if isinstance(one.input, torch.Tensor):
                    yield Draw(origin, dtype, tuple(one.args), dict(one.kwargs), receiver=one.input)
                continue
            positional, named = (one.input, *one.args), dict(one.kwargs)
            if op.op is find(self.api) or self.api != f"torch.{op.name}":  # the latter: it is an alias
                yield Draw(origin, dtype, positional, named)
            elif (caught := _caught(self.api, op.op, positional, named)) is not None:
                yield Draw(origin, dtype, *caught)

    def _of_module(self, dtype: str) -> Iterator[Draw]:
        """The calls of a module in the mode that it is constructed in, which is training."""
        _start()
        info = self.module
        given = info.module_inputs_func(info, "cpu", getattr(torch, dtype), requires_grad=False, training=True)
        for one in islice(_unless_broken(iter(given)), _MOST):
            made, called = one.constructor_input, one.forward_input
            if called is None:
                continue
            state = info.module_cls(*made.args, **made.kwargs).state_dict()
            constructor = tuple(made.args), dict(made.kwargs)
            called_with = tuple(called.args), dict(called.kwargs)
            yield Draw(Origin.SAMPLE, dtype, *called_with, constructor=constructor, state=state)

    def _of_optimizer(self, dtype: str) -> Iterator[Draw]:
        """The settings that the tests construct an optimiser with, on parameters and gradients of our own.

        None of one that steps by a closure, or takes sparse gradients alone.
        """
        info = self.optimizer
        if info.only_supports_sparse_grads or info.step_requires_closure:
            return
        _start()
        state, gradients = _parameters()
        for made in islice(_unless_broken(iter(info.optim_inputs_func(device="cpu"))), _MOST):
            yield Draw(Origin.SAMPLE, dtype, gradients, constructor=((), dict(made.kwargs)), state=state)


def _parameters() -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Parameters of two shapes by name, and the gradient of each: the same for every optimiser."""
    random_numbers = np.random.RandomState(SEED)
    shapes = {"weight": (2, 3), "bias": (3,)}
    drawn = [random_numbers.uniform(-1.0, 1.0, (2, *shape)).round(2).astype(np.float32) for shape in shapes.values()]
    state = {name: torch.from_numpy(values[0]) for name, values in zip(shapes, drawn, strict=True)}
    return state, tuple(torch.from_numpy(values[1]) for values in drawn)


def entries_of(api: str, kind: ApiKind) -> Entries | None:
    """The entries that hold inputs for ``api``; None where there are none."""
    if kind is ApiKind.CLASS and api.startswith("torch.optim."):
        optimizer = _optimizers().get(api)
        return Entries(api, kind, optimizer=optimizer) if optimizer else None
    if kind is ApiKind.MODULE:
        module = _modules().get(api)
        return Entries(api, kind, module=module) if module else None
    name = api.removeprefix("torch.Tensor.") if kind is ApiKind.METHOD else api.removeprefix("torch.")
    ops: list[Any] = []
    if kind is ApiKind.METHOD:
        ops = [op for op in _ops().get(name, ()) if op.method_variant is not None]
        if not ops and name.endswith("_"):
            ops = [op for op in _ops().get(name[:-1], ()) if op.inplace_variant is not None]
    elif kind is ApiKind.FUNCTION:
        ops = list(_ops().get(name, ()))
    return Entries(api, kind, tuple(ops)) if ops else None


@cache
def _ops() -> dict[str, list[Any]]:
    """The entries by the name of the function; those of its aliases under these too, where they have none of their own."""
    named: dict[str, list[Any]] = {}
    for op in common_methods_invocations.op_db:
        named.setdefault(op.name, []).append(op)
    for op in common_methods_invocations.op_db:
        for alias in op.aliases:
            named.setdefault(alias.name, [])
            if op not in named[alias.name]:
                named[alias.name].append(op)
    return named


@cache
def _modules() -> dict[str, Any]:
    return {f"torch.nn.{info.module_cls.__name__}": info for info in common_modules.module_db}


@cache
def _optimizers() -> dict[str, Any]:
    return {f"torch.optim.{info.optim_cls.__name__}": info for info in common_optimizers.optim_db}


@contextmanager
def _sizes(small: int) -> Iterator[None]:
    """Makes the sizes `M` and `L` of PyTorch's tests ``small``: `slice_scatter` is tested with 8,000 elements."""
    sizes = {name: getattr(common_methods_invocations, name) for name in ("M", "L")}
    for name in sizes:
        setattr(common_methods_invocations, name, small)
    try:
        yield
    finally:
        for name, size in sizes.items():
            setattr(common_methods_invocations, name, size)


def _start() -> None:
    """Starts every source of random numbers from the seed."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    np.random.seed(SEED)


def _unless_broken(given: Iterator[Any]) -> Iterator[Any]:
    """What ``given`` yields until it raises: some entries need a device or a package.

    What `torch.empty` makes is filled: some of the inputs that PyTorch refuses (of `gather`, `multinomial`) are never written.
    """
    while True:
        torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            one = next(given, None)
        except Exception:  # noqa: BLE001 - whatever an entry raises, it has no more inputs for us
            return
        finally:
            torch.use_deterministic_algorithms(False)
        if one is None:
            return
        yield one


def _caught(
    api: str, wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """With what ``wrapper``, which an entry has in place of ``api``, calls it; None where it does not."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    with _replaced(api, calls):
        try:
            wrapper(*args, **kwargs)
        except Exception:  # noqa: BLE001 - it may refuse the inputs before or after
            return calls[0] if calls else None
    return calls[0] if len(calls) == 1 else None


@contextmanager
def _replaced(api: str, calls: list[tuple[tuple[Any, ...], dict[str, Any]]]) -> Iterator[None]:
    place, _, name = api.rpartition(".")
    holder = torch if place == "torch" else find(place)
    original = getattr(holder, name)

    def noting(*args: Any, **kwargs: Any) -> Any:
        calls.append((args, kwargs))
        setattr(
            holder, name, original
        )  # a function of PyTorch may call itself, through a mode such as that of the default device
        try:
            return original(*args, **kwargs)
        finally:
            setattr(holder, name, noting)

    setattr(holder, name, noting)
    try:
        yield
    finally:
        setattr(holder, name, original)


def _dtype_name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")
