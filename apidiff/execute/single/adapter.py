"""What is the same for every framework: making a sample's inputs, calling, recording."""

from __future__ import annotations

import contextlib
import ctypes
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from apidiff.execute.ranks.adapter import describe
from apidiff.execute.ranks.api_lookup import find, signature_of
from apidiff.execute.ranks.snapshot import Snapshot
from apidiff.execute.single.arrays import Arrays
from apidiff.execute.single.code import result_of
from apidiff.execute.single.draws import Values, draws
from apidiff.model.mapping import Api
from apidiff.model.probe import Layout
from apidiff.model.sample import SampleArgument, SampleCall, SampleForm, SampleInput, number_of
from apidiff.model.sample_run import NO_STATE, SampleTrace
from apidiff.model.trace import Number, ObjectDump, SignatureDump, TensorDump, Value

SELF, STATE = "self", "state"
_M_PERTURB = -6  # of glibc's mallopt
_FILLED = 0x42  # four of it are the float32 48.5, two the float16 3.13


def fill_new_memory(attempt: int) -> None:
    """Has the C library fill memory that is asked for, with other numbers in another attempt: what no call writes shows.

    Of a fresh process it is zero, which is right by chance: the product of matrices without elements, which MindSpore leaves
    unwritten. Another C library than glibc is left as it is.
    """
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_M_PERTURB, (_FILLED + attempt) ^ 0xFF)  # it fills with the complement


@dataclass
class Inputs:
    """What one call is made with. ``state``: what a module is given; ``module``: the module, once it is constructed."""

    receiver: Any = None
    module: Any = None
    args: dict[str, Any] = field(default_factory=dict)
    kwargs: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    def slots(self) -> Iterator[tuple[str, Any]]:
        """Every input with its slot: ``self``, ``input``, ``approximate``. A module's state is not among them."""
        if self.receiver is not None:
            yield SELF, self.receiver
        yield from self.args.items()
        yield from self.kwargs.items()

    def replaced(self, values: Mapping[str, Any]) -> Inputs:
        """The same with ``values`` in the slots named."""
        return Inputs(
            receiver=values.get(SELF, self.receiver),
            module=self.module,
            args={name: values.get(name, value) for name, value in self.args.items()},
            kwargs={name: values.get(name, value) for name, value in self.kwargs.items()},
            state=self.state,
        )


class SingleAdapter(ABC):
    """One framework inside one process."""

    # What a framework must tell.

    @abstractmethod
    def start(self) -> None:
        """Chooses the device, and has errors raised by the call that causes them."""

    @abstractmethod
    def version(self) -> str:
        """The framework's version."""

    @abstractmethod
    def is_tensor(self, value: object) -> bool: ...

    @abstractmethod
    def make_tensor(self, array: npt.NDArray[Any], dtype: str, *, strided: bool) -> Any: ...

    @abstractmethod
    def part(self, tensor: Any, start: int, length: int) -> Any:
        """``length`` places of dimension 0 from ``start``, in the memory of ``tensor``."""

    @abstractmethod
    def to_numpy(self, tensor: Any) -> npt.NDArray[Any]: ...

    @abstractmethod
    def dtype_name(self, tensor: Any) -> str:
        """The name of a tensor's dtype as both frameworks have it: float32, bfloat16, int64."""

    @abstractmethod
    def framework_dtype(self, name: str) -> Any:
        """The framework's dtype of that name."""

    @abstractmethod
    def is_floating(self, tensor: Any) -> bool: ...

    @abstractmethod
    def storage(self, tensor: Any) -> object: ...

    @abstractmethod
    def contiguous(self, tensor: Any) -> bool: ...

    @abstractmethod
    def seed(self, number: int) -> None:
        """Seeds the framework's random numbers."""

    @abstractmethod
    def module_state(self, module: Any) -> dict[str, Any]:
        """The parameters and buffers of a module by name."""

    @abstractmethod
    def set_state(self, tensor: Any, value: Any) -> None:
        """Copies ``value`` into ``tensor``, a parameter or buffer of a module."""

    @abstractmethod
    def synchronise(self) -> None:
        """Waits until everything that was asked of the device is done; late errors are raised here."""

    @abstractmethod
    def gradients(self, invoke: Any, inputs: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients, by slot, of ``self.weighed`` of what ``invoke`` returns.

        ``invoke`` takes a value for each slot of ``inputs``; ``state`` are the parameters of the module that it calls.
        """

    @abstractmethod
    def parameter(self, tensor: Any, name: str) -> Any:
        """A parameter that an optimiser may be given, with the values of ``tensor``."""

    @abstractmethod
    def optimise(self, optimizer: Any, parameters: Sequence[Any], gradients: Sequence[Any]) -> None:
        """Steps ``optimizer`` once, with the gradient of each of its ``parameters``."""

    def in_graph(self, call: SampleCall, inputs: Inputs) -> Any:
        """What the call returns that is compiled to a graph first. Raises ValueError: most frameworks have no such mode."""
        del inputs
        raise ValueError(f"{call.api} cannot be compiled to a graph here")

    # What is the same for all.

    def signature(self, api: Api) -> SignatureDump:
        """The API's signature as ``inspect`` shows it. A module's members are those of the framework's base class of modules."""
        return signature_of(api)

    def sample(self, call: SampleCall, attempt: int = 0) -> SampleTrace:
        """Makes a call and records it. Never raises: an exception is part of the trace.

        ``attempt``: how many processes made it before; what is drawn many times is drawn after other seeds in each.
        """
        started = time.monotonic()
        record: dict[str, Any] = {}
        fill_new_memory(attempt)
        stage = "prepare"
        try:
            snapshot = SampleSnapshot(self)
            inputs = self._inputs(call)
            self.synchronise()
            record["before"] = self._dumped(inputs, snapshot)
            self.seed(call.seed)
            stage = "call"
            if call.form is SampleForm.MODULE:
                self._construct(call, inputs)
                snapshot = SampleSnapshot(self)
                record["before"] = self._dumped(inputs, snapshot)
            returned = self.in_graph(call, inputs) if call.graph else self._invoke(call, inputs)
            stage = "synchronise"
            self.synchronise()
            record["after"] = self._dumped(inputs, snapshot)
            record["returned"] = snapshot.dump(returned)
        except Exception as error:  # noqa: BLE001 - whatever a framework raises is what the trace is about
            record["error"] = describe(error, stage)
            record.pop("after", None)
        if call.gradient and "error" not in record:
            record |= self._gradients(call)
        if call.draws and "error" not in record:
            record |= self._draws(call, attempt)
        return SampleTrace(seconds=round(time.monotonic() - started, 3), **record)

    def _inputs(self, call: SampleCall) -> Inputs:
        """What the call is made with. Raises what making it raises; the constructor of a module is part of the call."""
        find(call.api)
        arrays = Arrays(call.dtype, call.seed)
        inputs = Inputs()
        if call.receiver is not None:
            inputs.receiver = self._make(call.receiver, arrays)
        inputs.args, inputs.kwargs, inputs.state = (
            {name: self._make(value, arrays) for name, value in written.items()}
            for written in (call.given.args, call.given.kwargs, call.state)
        )
        if call.form is SampleForm.CODE:  # which has no module yet: it is given the state as it is given the rest
            inputs.kwargs |= {f"{STATE}.{name}": value for name, value in inputs.state.items()}
            inputs.state = {}
        if call.form is SampleForm.OPTIMIZER:
            inputs.state = {name: self.parameter(value, name) for name, value in inputs.state.items()}
        return inputs

    def _make(self, value: SampleArgument, arrays: Arrays) -> Any:
        if not isinstance(value, SampleInput):
            return value
        if value.is_tensor:
            array, dtype = arrays.make(value)
            if value.layout is Layout.SLICE:
                return self._slice(array, dtype)
            return self.make_tensor(array, dtype, strided=value.layout is Layout.STRIDED)
        if value.framework_dtype is not None:
            return self.framework_dtype(value.framework_dtype)
        if value.number is not None:
            return number_of(value.number)
        items = [self._make(item, arrays) for item in value.list or value.tuple or ()]
        return items if value.list is not None else tuple(items)

    def _slice(self, array: npt.NDArray[Any], dtype: str) -> Any:
        """The middle third of a tensor whose other thirds are zeros."""
        around = np.zeros_like(array)
        larger = self.make_tensor(np.concatenate([around, array, around]), dtype, strided=False)
        return self.part(larger, len(array), len(array))

    def _invoke(self, call: SampleCall, inputs: Inputs) -> Any:
        """Makes the call; that of a module which is constructed."""
        match call.form:
            case SampleForm.FUNCTION:
                return find(call.api)(*inputs.args.values(), **inputs.kwargs)
            case SampleForm.METHOD:
                method = getattr(inputs.receiver, call.api.rpartition(".")[2])
                return method(*inputs.args.values(), **inputs.kwargs)
            case SampleForm.CODE:
                return result_of(call.code, {slot.removeprefix(f"{STATE}."): value for slot, value in inputs.slots()})
            case SampleForm.MODULE:
                return inputs.module(*inputs.args.values(), **inputs.kwargs)
            case SampleForm.OPTIMIZER:
                return self._stepped(call, inputs)

    def _stepped(self, call: SampleCall, inputs: Inputs) -> tuple[Any, ...]:
        """The parameters after an optimiser's steps."""
        parameters, gradients = list(inputs.state.values()), list(inputs.args.values())
        if len(parameters) != len(gradients):
            raise ValueError(f"{len(parameters)} parameters are given with {len(gradients)} gradients")
        arrays = Arrays(call.dtype, call.seed)
        args = [self._make(value, arrays) for value in call.constructor.args.values()]
        kwargs = {name: self._make(value, arrays) for name, value in call.constructor.kwargs.items()}
        optimizer = find(call.api)(parameters, *args, **kwargs)
        for _ in range(call.steps):
            self.optimise(optimizer, parameters, gradients)
        return tuple(parameters)

    def _construct(self, call: SampleCall, inputs: Inputs) -> None:
        """Constructs the module and gives it its state. Raises ValueError where it has no state of a name given.

        What the constructor is given by that name needs none: a module may keep it without calling it state.
        """
        arrays = Arrays(call.dtype, call.seed)
        args = [self._make(value, arrays) for value in call.constructor.args.values()]
        kwargs = {name: self._make(value, arrays) for name, value in call.constructor.kwargs.items()}
        inputs.module = find(call.api)(*args, **kwargs)
        own = self.module_state(inputs.module)
        if unknown := inputs.state.keys() - own.keys() - call.constructor.kwargs.keys():
            raise ValueError(f"{NO_STATE} {', '.join(sorted(unknown))}; it has {', '.join(own) or 'none'}")
        for name in inputs.state.keys() & own.keys():
            self.set_state(own[name], inputs.state[name])

    def _dumped(self, inputs: Inputs, snapshot: SampleSnapshot) -> dict[str, Value]:
        """What the call is given, as the trace holds it."""
        dumped: dict[str, Value] = {slot: snapshot.dump(value) for slot, value in inputs.slots()}
        state = self.module_state(inputs.module) if inputs.module is not None else inputs.state
        if state:
            dumped[STATE] = ObjectDump(type=STATE, tensors=snapshot.tensors(state), object=-1)
        return dumped

    def _gradients(self, call: SampleCall) -> dict[str, Any]:
        """The fields of a trace that tell gradients. They come from a call of its own: the first may have written its inputs."""
        try:
            inputs = self._inputs(call)
            self.seed(call.seed)
            if call.form is SampleForm.MODULE:
                self._construct(call, inputs)
            floating = {slot: value for slot, value in inputs.slots() if self._is_floating(value)}
            state = {
                f"{STATE}.{name}": value
                for name, value in (self.module_state(inputs.module) if inputs.module is not None else {}).items()
                if name in inputs.state and self._is_floating(value)
            }

            def invoke(values: Mapping[str, Any]) -> Any:
                return self._invoke(call, inputs.replaced(values))

            gradients = self.gradients(invoke, floating, state)
            self.synchronise()
            return {"gradients": SampleSnapshot(self).tensors(gradients)}
        except Exception as error:  # noqa: BLE001 - as in `sample`
            return {"gradient_error": describe(error, "gradient")}

    def _draws(self, call: SampleCall, attempt: int) -> dict[str, Any]:
        """The field of a trace that tells what is drawn; nothing where a later call raises what the first did not."""
        module: Any = None
        if call.form is SampleForm.MODULE:
            held = self._inputs(call)
            self._construct(call, held)
            module = held.module

        def once() -> Values:
            inputs = self._inputs(call)  # anew: the call may have written the former ones
            inputs.module = module
            returned = self._invoke(call, inputs)
            return self._drawn(inputs.receiver if returned is None else returned)

        try:
            return {"draws": draws(once, self.seed, call.seed + 1 + 10 * attempt)}
        except Exception:  # noqa: BLE001 - as in `sample`
            return {}

    def _drawn(self, returned: Any) -> Values:
        """All numbers in what is returned. Raises TypeError where there is none."""
        if isinstance(returned, list | tuple):
            return np.concatenate([self._drawn(item) for item in returned])
        array = self.to_numpy(returned) if self.is_tensor(returned) else np.asarray(returned)
        return array.astype(np.float64).ravel()

    def weighed(self, returned: Any) -> Any:
        """The sum of all elements of the floating tensors in ``returned``, the i-th of a tensor weighing i + 1.

        With unlike weights no element's gradient can stand for that of another. Raises TypeError where there is no such tensor.
        """
        total: Any = None
        for tensor in self._floating(returned):
            flat = tensor.reshape(-1)
            weights = np.arange(1, flat.shape[0] + 1, dtype=np.float32)
            part = (flat * self.make_tensor(weights, self.dtype_name(tensor), strided=False)).sum()
            total = part if total is None else total + part
        if total is None:
            raise TypeError("nothing that is returned has a gradient")
        return total

    def _floating(self, value: Any) -> Iterator[Any]:
        if isinstance(value, list | tuple):
            for item in value:
                yield from self._floating(item)
        elif self._is_floating(value):
            yield value

    def _is_floating(self, value: Any) -> bool:
        return self.is_tensor(value) and self.is_floating(value)


class SampleSnapshot(Snapshot):
    """Dumps values with the framework's names of dtypes, floats no longer than their precision asks for."""

    def __init__(self, adapter: SingleAdapter) -> None:
        super().__init__(adapter)
        self._adapter = adapter

    def dtype(self, tensor: Any, array: npt.NDArray[Any]) -> str:
        """The framework's name, which NumPy may lack."""
        del array
        return self._adapter.dtype_name(tensor)

    def values(self, array: npt.NDArray[Any]) -> list[Number]:
        """float32 0.1 is 0.1, and not the 0.10000000149011612 that Python makes of it."""
        if array.dtype.name == "bfloat16":
            array = array.astype(np.float32)
        if array.dtype in {np.dtype(np.float32), np.dtype(np.float16)}:
            array = np.array([float(str(number)) for number in array.ravel()], np.float64)
        return super().values(array)

    def tensors(self, named: Mapping[str, Any]) -> dict[str, TensorDump]:
        """Tensors by name."""
        dumped = {name: self.dump(tensor) for name, tensor in named.items()}
        return {name: value for name, value in dumped.items() if isinstance(value, TensorDump)}
