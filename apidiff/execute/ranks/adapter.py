"""Makes a rank's part of a probe or example and records it, for any framework."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy.typing as npt

from apidiff.execute.ranks.api_lookup import find, signature_of
from apidiff.execute.ranks.canary import is_well
from apidiff.execute.ranks.inputs import Inputs
from apidiff.execute.ranks.snapshot import Snapshot, encodable
from apidiff.model.collective import Collective
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import callers, collective_of, inplace_switch, partner, partners
from apidiff.model.trace import CallError, RankTrace, ScalarDump, SignatureDump
from apidiff.model.vocabulary import ApiKind

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_MESSAGE_LENGTH = 600
_SCRIPT = "apidiff_example"  # the module that an example is run as


class Adapter(ABC):
    """One framework inside one rank. ``rank`` and ``world_size`` are those of the world the rank was started in."""

    rank: int
    world_size: int
    package: str  # where its collectives are

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
    def group(self, ranks: list[int], *, by_name: bool, timeout: float | None) -> Any: ...

    @abstractmethod
    def synchronise(self) -> None:
        """Waits until everything that was asked of the device is done; late errors are raised here."""

    def switch_inplace(self, value: bool) -> None:
        """Sets ``set_comm_ops_inplace``; frameworks without it refuse."""
        raise NotImplementedError(f"no in-place switch to set to {value}")

    # What is the same for all.

    def canary(self) -> bool:
        """Makes collectives that are known to work, on every rank; False where a result is wrong."""
        return is_well(self, self.package)

    def signature(self, api: Api) -> SignatureDump:
        """Dumps the API's signature as ``inspect`` shows it, and its members."""
        return signature_of(api)

    def probe(self, api: Api, name: str) -> RankTrace:
        """Makes this rank's part of a probe and records it. Never raises: an exception is part of the trace.

        The part is the call of the API, or that of the partner, or nothing: then the trace holds that None came back.
        """
        started = time.monotonic()
        snapshot = Snapshot(self)
        record: dict[str, Any] = {"before": {}, "after": {}}
        stage, switch = "prepare", inplace_switch(api, name)
        try:
            code = collective_of(api).probes[name].code
            callee = find(api.name) if code is None else None
            inputs = Inputs(self, api, name)
            inputs.make_groups()
            other = partner(api, name)
            if self.rank in callers(api, name, self.world_size):
                arguments = inputs.of_caller()
            elif other is not None and self.rank in partners(api, name, self.world_size):
                callee, arguments = find(other.api), inputs.of_partner(other)
                api = as_called(other.api, callee, arguments)
            else:
                self.synchronise()
                return RankTrace(rank=self.rank, returned=ScalarDump(value=None))
            self.synchronise()
            snapshot.watch(inputs.views)
            record["before"] = {key: snapshot.dump(value) for key, value in arguments.items()}
            stage = "call"
            with self._switched(switch):
                returned = self._call(api, callee, arguments) if code is None else executed(code, arguments)
                stage = "wait"
                for handle in _handles(returned) if api.kind is not ApiKind.CLASS else ():
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

    def example(self, path: str, code: str) -> RankTrace:
        """Runs ``example(rank, world_size)`` of a script and records the lines it prints.

        ``code``: what rank 0 read at ``path``; on another machine another script may lie there, or none.
        """
        started, printed, error = time.monotonic(), io.StringIO(), None
        try:
            with contextlib.redirect_stdout(printed):
                # Where classes look up the module that defines them. A name of no other: there is one script at a time.
                script = sys.modules[_SCRIPT] = ModuleType(_SCRIPT)
                script.__file__ = path
                exec(compile(code, path, "exec", dont_inherit=True), script.__dict__)  # noqa: S102
                script.example(self.rank, self.world_size)
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
        match api.kind:
            case ApiKind.CONSTANT:
                return callee
            case ApiKind.FUNCTION | ApiKind.CLASS:
                return callee(**arguments)
            case ApiKind.PRIMITIVE:
                settings = collective_of(api).constructor
                made = callee(**{name: value for name, value in arguments.items() if name in settings})
                return made(*(value for name, value in arguments.items() if name not in settings))
            case ApiKind.METHOD | ApiKind.MODULE:
                raise NotImplementedError(f"{api.name} is a {api.kind.value}: it has no calls on ranks")


def executed(code: str, arguments: dict[str, Any]) -> Any:
    """Executes the ``code`` of a probe with its ``arguments`` as variables; returns None, as a call without a result does.

    It runs as a script would: functions that it makes have a module, without which MindSpore refuses to differentiate them.
    """
    names = {"__name__": "__main__", **arguments}
    exec(compile(code, "<code of a probe>", "exec"), names)  # noqa: S102 - it is of this project's own data
    return None


def describe(error: BaseException, stage: str) -> CallError:
    """Dumps an exception as a trace holds it: no C++ stack, no addresses, at most 600 characters."""
    message = _text_of(error).strip()
    message = re.split(r"\n-+\n- (?:C\+\+ Call Stack|The Traceback)", message)[0]
    lines = [line.rstrip() for line in message.splitlines() if line.strip(" -")]
    text = _ADDRESS.sub("0x…", "\n".join(lines))
    bases = [base.__name__ for base in type(error).__mro__[1:-1]]
    return CallError(stage=stage, type=type(error).__name__, bases=bases, message=text[:_MESSAGE_LENGTH])


def _text_of(error: BaseException) -> str:
    try:
        return encodable(str(error))
    except Exception as raised:  # noqa: BLE001 - the code of others makes the text
        return f"its text cannot be made: {type(raised).__name__}"


def as_called(name: str, callee: Any, arguments: dict[str, Any]) -> Api:
    """Describes how a partner's API is called: a class whose instances are called is a primitive, all else a function."""
    if not inspect.isclass(callee) or not any("__call__" in vars(base) for base in callee.__mro__):
        return Api(name=name)
    settings = inspect.signature(callee).parameters
    given = [argument for argument in arguments if argument in settings]
    return Api(name=name, kind=ApiKind.PRIMITIVE, collective=Collective(constructor=given))


def _handles(value: Any) -> Iterator[Any]:
    """Finds what is to be waited for in a returned value. A store is not: its ``wait`` takes the keys to wait for."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _handles(item)
    elif callable(getattr(value, "wait", None)) and "Store" not in {base.__name__ for base in type(value).__mro__}:
        yield value
