"""What is the same for every framework: building arguments, calling, recording."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import re
import runpy
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from apidiff.model import (
    Api,
    ApiKind,
    Argument,
    CallError,
    Fill,
    Input,
    Layout,
    ParameterDump,
    RankTrace,
    SignatureDump,
)
from apidiff.model.spec import inplace_switch, resolve, root_rank
from apidiff.verify.ranks.snapshot import Snapshot, filled

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_MESSAGE_LENGTH = 600


class Adapter(ABC):
    """One framework inside one rank. ``rank`` and ``world_size`` are those of the world the rank was started in."""

    rank: int
    world_size: int

    # What a framework must tell.

    @abstractmethod
    def start(self) -> None:
        """Joins the world; afterwards ``rank`` and ``world_size`` are set."""

    @abstractmethod
    def version(self) -> str:
        """The framework's release version."""

    @abstractmethod
    def is_tensor(self, value: object) -> bool: ...

    @abstractmethod
    def make_tensor(self, array: npt.NDArray[Any], dtype: str, *, strided: bool) -> Any: ...

    @abstractmethod
    def to_numpy(self, tensor: Any) -> npt.NDArray[Any]: ...

    @abstractmethod
    def storage(self, tensor: Any) -> object: ...

    @abstractmethod
    def contiguous(self, tensor: Any) -> bool: ...

    @abstractmethod
    def reduce_op(self, name: str) -> Any: ...

    @abstractmethod
    def group(self, ranks: list[int], *, by_name: bool) -> Any: ...

    @abstractmethod
    def synchronise(self) -> None:
        """Waits until everything that was asked of the device is done; late errors are raised here."""

    @abstractmethod
    def canary(self) -> bool:
        """A collective that is known to work, made on every rank; False where its result is wrong."""

    def switch_inplace(self, value: bool) -> None:
        """Sets ``set_comm_ops_inplace``; frameworks without it refuse."""
        raise NotImplementedError(f"no in-place switch to set to {value}")

    # What is the same for all.

    def signature(self, api: Api) -> SignatureDump:
        """The API's signature as ``inspect`` shows it: for a primitive the constructor's."""
        try:
            target = find(api.name)
            shown = inspect.signature(target)
        except (AttributeError, ImportError) as error:
            return SignatureDump(api=api.name, missing=True, error=f"{type(error).__name__}: {error}"[:200])
        except (TypeError, ValueError) as error:
            return SignatureDump(api=api.name, error=f"{type(error).__name__}: {error}"[:200])
        parameters = [
            ParameterDump(
                name=one.name,
                kind=one.kind.description,
                default=None if one.default is one.empty else _ADDRESS.sub("0x…", repr(one.default)),
            )
            for one in shown.parameters.values()
        ]
        return SignatureDump(api=api.name, parameters=parameters, text=_ADDRESS.sub("0x…", str(shown)))

    def probe(self, api: Api, name: str) -> RankTrace:
        """Makes the call of a probe on this rank and records it. Never raises: an exception is part of the trace."""
        started = time.monotonic()
        snapshot = Snapshot(self)
        record: dict[str, Any] = {"before": {}, "after": {}}
        stage = "prepare"
        try:
            arguments = self._arguments(api, name)
            self.synchronise()
            record["before"] = {key: snapshot.dump(value) for key, value in arguments.items()}
            callee = find(api.name)
            stage = "call"
            with self._switched(inplace_switch(api, name)):
                returned = self._call(api, callee, arguments)
                stage = "wait"
                for handle in _handles(returned):
                    handle.wait()
                stage = "synchronise"
                self.synchronise()
            record["after"] = {key: snapshot.dump(value) for key, value in arguments.items()}
            record["returned"] = snapshot.dump(returned)
        except Exception as error:  # noqa: BLE001 - whatever a framework raises is what the trace is about
            record["error"] = describe(error, stage)
            if stage in {"wait", "synchronise"}:
                record["after"] = {}
        return RankTrace(rank=self.rank, seconds=round(time.monotonic() - started, 3), **record)

    def example(self, path: str) -> RankTrace:
        """Runs ``example(rank, world_size)`` of the script at ``path`` and records the lines it prints."""
        started, printed, error = time.monotonic(), io.StringIO(), None
        try:
            with contextlib.redirect_stdout(printed):
                runpy.run_path(path, run_name="apidiff_example")["example"](self.rank, self.world_size)
                self.synchronise()
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - as above; a script may end itself where a kernel lacks
            error = describe(raised, "call")
        return RankTrace(
            rank=self.rank,
            output=printed.getvalue().splitlines(),
            error=error,
            seconds=round(time.monotonic() - started, 3),
        )

    @contextlib.contextmanager
    def _switched(self, value: bool | None) -> Iterator[None]:
        if value is None:
            yield
            return
        self.switch_inplace(value)
        try:
            yield
        finally:
            self.switch_inplace(True)

    def _call(self, api: Api, callee: Any, arguments: dict[str, Any]) -> Any:
        if api.kind is ApiKind.FUNCTION:
            return callee(**arguments)
        made = callee(**{name: value for name, value in arguments.items() if name in api.constructor})
        return made(*(value for name, value in arguments.items() if name not in api.constructor))

    def _arguments(self, api: Api, name: str) -> dict[str, Any]:
        arguments, overrides = resolve(api, name)
        root = root_rank(api, name)
        changes = overrides.get(str(self.rank), {})
        if "others" in overrides and self.rank != (root or 0):
            changes = overrides["others"] | changes
        return {key: self._make(value, [0]) for key, value in (arguments | changes).items()}

    def _make(self, value: Argument, counted: list[int]) -> Any:
        if not isinstance(value, Input):
            return value
        if value.shape is not None:
            shape = [self._dimension(one) for one in value.shape]
            sentinel = value.fill is Fill.SENTINEL
            array = filled(shape, value.dtype, self.rank, counted[0], sentinel=sentinel)
            counted[0] += array.size
            return self.make_tensor(array, value.dtype, strided=value.layout is Layout.STRIDED)
        if value.each is not None:
            return [self._make(value.each, counted) for _ in range(self.world_size)]
        if value.list is not None:
            return [self._make(item, counted) for item in value.list]
        if value.tuple is not None:
            return tuple(self._dimension(one) for one in value.tuple)
        if value.reduce_op is not None:
            return self.reduce_op(value.reduce_op)
        ranks = [rank for rank in value.group or [] if rank < self.world_size] or list(range(self.world_size))
        return self.group(ranks, by_name=value.by_name)

    def _dimension(self, value: int | str) -> int:
        return value if isinstance(value, int) else int(value.split("*")[0]) * self.world_size


def find(name: str) -> Any:
    """The object of a dotted name: the longest prefix that is a module, then its attributes."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(f"no module holds {name}")


def describe(error: BaseException, stage: str) -> CallError:
    """An exception as a trace holds it: no C++ stack, no addresses, at most 600 characters."""
    message = str(error).strip()
    message = re.split(r"\n-+\n- (?:C\+\+ Call Stack|The Traceback)", message)[0]
    lines = [line.rstrip() for line in message.splitlines() if line.strip(" -")]
    text = _ADDRESS.sub("0x…", "\n".join(lines))
    bases = [base.__name__ for base in type(error).__mro__[1:-1]]
    return CallError(stage=stage, type=type(error).__name__, bases=bases, message=text[:_MESSAGE_LENGTH])


def _handles(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _handles(item)
    elif callable(getattr(value, "wait", None)):
        yield value
