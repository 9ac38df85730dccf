"""Makes the samples of one API from PyTorch's own inputs: written, tried with PyTorch, chosen, varied."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from apidiff.errors import ApidiffError
from apidiff.execute.extract.binding import NotBound, bound
from apidiff.execute.extract.choosing import Candidate, choose, shape_of, tensors_of
from apidiff.execute.extract.entries import SEED, Draw, Entries, entries_of
from apidiff.execute.extract.variations import variations
from apidiff.execute.extract.writing import NotWritable, Writer
from apidiff.execute.single.torch_adapter import TorchSingle
from apidiff.model.extracted_samples import EXTRACTED_SCHEMA, ExtractedSamples
from apidiff.model.mapping import Api
from apidiff.model.sample import Arguments, Sample, SampleArgument, SampleForm, SampleInput, call_of
from apidiff.model.sample_calls import FORMS
from apidiff.model.sample_run import SampleTrace
from apidiff.model.signature import Signature, SignatureFile
from apidiff.model.trace import TensorDump, Value
from apidiff.model.vocabulary import ApiKind

DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "bool", "complex64")
_MOST = 24  # samples of an API
_MOST_PLAIN = 9
_MOST_ERRORS = 2
_MOST_OF_MODULE = 10
_LARGEST = 128  # elements of all tensors of a sample
_LARGEST_OF_MODULE = 260  # its state included
_MOST_LARGE = 3
# Where there are none so small: elements of all tensors, and whether the tests' own sizes are made smaller.
_LARGER = ((1000, False), (1000, True), (2500, False))
_LARGER_OF_OTHER_DTYPES = 1  # of these, unless those of the first dtype need more
_STEPS = 3  # of an optimiser: its running means take part from the second on
# Their values are whatever the memory held.
_UNWRITTEN = ("empty", "new_empty", "empty_like", "empty_strided", "new_empty_strided", "empty_permuted")


class Extractor:
    """Extracts the samples of APIs, one after the other.

    A few entries draw inputs in the order of a set of strings: only processes with PYTHONHASHSEED=0 give the same each time.
    """

    def __init__(self, signatures: Mapping[str, Signature], version: str) -> None:
        self._signatures, self._version = signatures, version
        self._adapter = TorchSingle("cpu")
        self._adapter.start()

    @classmethod
    def of(cls, signatures: Mapping[tuple[str, str], SignatureFile]) -> Extractor:
        """The extractor for the PyTorch that is installed. Raises ApidiffError where ``signatures`` lack that version."""
        version = TorchSingle("cpu").version()
        if ("torch", version) not in signatures:
            known = ", ".join(one for framework, one in signatures if framework == "torch")
            raise ApidiffError(
                f"samples extract: PyTorch {version} is installed, and there are signatures of {known}."
                " Read them first: apidiff signatures extract --framework torch --installed"
            )
        return cls(signatures["torch", version].apis, version)

    def extract(
        self, api: Api, fatal: Collection[bytes] = (), trying: Callable[[bytes], None] | None = None
    ) -> ExtractedSamples | None:
        """The samples of ``api``; None where PyTorch's tests have no inputs for it, or none that can be written.

        ``fatal``: calls, as JSON, that end the process and are not tried. ``trying`` is told each call before it is made.
        """
        entries, signature = entries_of(api.name, api.kind), self._signatures.get(api.name)
        if entries is None or signature is None:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what the inputs are meant to provoke
            samples = dict(_Api(api, entries, signature, self._adapter, fatal, trying).samples())
        if not samples:
            return None
        return ExtractedSamples(
            schema=EXTRACTED_SCHEMA,
            api=api.name,
            framework="torch",
            framework_version=self._version,
            entries=entries.names,
            seed=SEED,
            tolerances=entries.tolerances(),
            samples=samples,
        )


class _Api:
    """One API and what its samples are made from."""

    def __init__(
        self,
        api: Api,
        entries: Entries,
        signature: Signature,
        adapter: TorchSingle,
        fatal: Collection[bytes],
        trying: Callable[[bytes], None] | None,
    ) -> None:
        self._api, self._entries, self._signature, self._adapter = api, entries, signature, adapter
        self._fatal, self._trying = fatal, trying
        self._module = api.kind is ApiKind.MODULE
        self._optimizer = entries.optimizer is not None
        self._larger = len(_LARGER)  # how many of `_LARGER` may be tried

    def samples(self) -> Iterator[tuple[str, Sample]]:
        """The samples with their names, at most `_MOST`."""
        supported = [dtype for dtype in DTYPES if dtype in self._entries.dtypes()]
        if not supported:
            return
        first, others = supported[0], supported[1:]
        usual = self._usual(first, _MOST)
        if not usual:
            return
        plain = next((sample for sample in usual if _is_ordinary(sample)), usual[0])
        numbered = [(f"{first}-{number}", sample) for number, sample in enumerate(usual, 1)]
        made = numbered[:_MOST_PLAIN]
        made += [(dtype, sample) for dtype in others if (sample := self._like(plain, dtype))]
        made += [(f"refused-{number}", sample) for number, sample in enumerate(self._refused(), 1)]
        if not self._optimizer:
            varied = variations(plain, self._signature)
            made += [(name, sample) for name, sample in varied if self._works(sample)]
        if (written := self._into_out(plain)) is not None:
            made.append(("out", written))
        random = not self._optimizer and self._is_random(plain)
        known: set[bytes] = set()
        for name, sample in [*made[:_MOST], *numbered[_MOST_PLAIN:]]:
            if len(known) == (_MOST_OF_MODULE if self._module else _MOST):
                return
            whole = msgspec.structs.replace(
                sample,
                random=random or None,
                gradient=True
                if first == "float32" and name.startswith("float32-") and not random and not self._optimizer
                else None,
            )
            content = msgspec.json.encode(msgspec.structs.replace(whole, gradient=None))
            if content not in known:
                known.add(content)
                yield name, whole

    def _usual(self, dtype: str, most: int) -> list[Sample]:
        """Samples of ``dtype`` that are small enough and that PyTorch takes, unlike each other.

        The first that are found, of the first dtype, say how large those of other dtypes may be.
        """
        largest = _LARGEST_OF_MODULE if self._module else _LARGEST
        ways = ((largest, False), *_LARGER[: self._larger])
        for tried, (elements, small) in enumerate(ways):
            candidates = [
                candidate
                for draw in self._entries.draws(dtype, small=small)
                for exact in (False, True)
                if (candidate := self._written(draw, elements, exact=exact)) is not None
            ]
            if chosen := choose(candidates, _MOST_LARGE if tried else most, self._works):
                self._larger = max(_LARGER_OF_OTHER_DTYPES, tried)
                return chosen
        return []

    def _written(self, draw: Draw, elements: int, *, exact: bool = False) -> Candidate | None:
        """A call as a sample; None where it holds what none can, or more than ``elements``."""
        writer = Writer(draw.dtype, elements, exact=exact)
        dtype = draw.dtype if draw.dtype != "float32" else None
        try:
            if draw.constructor is not None:
                positional, named = draw.constructor
                return Candidate(
                    Sample(
                        steps=_STEPS if self._optimizer else None,
                        constructor=self._arguments(writer, positional, named),
                        state={name: _as_input(writer.write(value)) for name, value in draw.state.items()} or None,
                        args={
                            name: writer.write(value)
                            for name, value in zip(self._inputs_named(draw), draw.args, strict=True)
                        },
                        kwargs={name: writer.write(value) for name, value in draw.kwargs.items()} or None,
                        dtype=dtype,
                    ),
                    writer.elements,
                )
            receiver = _as_input(writer.write(draw.receiver)) if draw.receiver is not None else None
            given = self._arguments(writer, draw.args, draw.kwargs)
        except (NotWritable, NotBound):
            return None
        sample = Sample(receiver=receiver, args=given.args or None, kwargs=given.kwargs or None, dtype=dtype)
        return Candidate(sample, writer.elements)

    def _inputs_named(self, draw: Draw) -> list[str]:
        """What a module or an optimiser is called with: of the latter the gradient of each parameter."""
        if self._optimizer:
            return [f"{name}_gradient" for name in draw.state]
        return [f"input_{index}" if index else "input" for index in range(len(draw.args))]

    def _arguments(self, writer: Writer, args: Sequence[object], kwargs: Mapping[str, object]) -> Arguments:
        """What a call is given, without what the tests give every function and means the default."""
        named = {name: value for name, value in kwargs.items() if (name, value) not in _OF_THE_TESTS}
        names = bound(self._signature, args, named)
        return Arguments(
            args={name: writer.write(value) for name, value in zip(names, args, strict=True)},
            kwargs={name: writer.write(value) for name, value in named.items()},
        )

    def _like(self, plain: Sample, dtype: str) -> Sample | None:
        """The sample of ``dtype`` that is most like ``plain``: the same if PyTorch takes it so, else one of its own inputs."""
        if dtype in {"float64", "float16", "bfloat16"}:
            cast = msgspec.structs.replace(plain, dtype=dtype)
            if not self._module and self._works(cast):
                return cast
        chosen = self._usual(dtype, _MOST_PLAIN)
        return next((sample for sample in chosen if _is_ordinary(sample)), chosen[0] if chosen else None)

    def _refused(self) -> list[Sample]:
        written = [self._written(draw, _LARGEST) for draw in self._entries.errors()]
        called = [one for one in written if one is not None]
        return choose(called, _MOST_ERRORS, self._is_refused)

    def _into_out(self, plain: Sample) -> Sample | None:
        """``plain`` with an ``out=`` of the shape and dtype of what it returns."""
        if not self._entries.takes_out() or all(one.name != "out" for one in self._signature.every_parameter):
            return None
        returned = self._trace(plain).returned
        if not isinstance(returned, TensorDump):
            return None
        zeros = SampleInput(values=_zeros(returned.shape), dtype=returned.dtype)
        sample = msgspec.structs.replace(plain, kwargs={**(plain.kwargs or {}), "out": zeros})
        return sample if self._works(sample) else None

    def _is_random(self, plain: Sample) -> bool:
        """Whether another seed gives other values, or nothing writes them."""
        if self._api.name.rpartition(".")[2] in _UNWRITTEN:
            return True
        seeds = [self._trace(msgspec.structs.replace(plain, seed=seed)).returned for seed in (1, 2)]
        return _values(seeds[0]) != _values(seeds[1])

    def _works(self, sample: Sample) -> bool:
        return not self._is_fatal(sample) and self._trace(sample).error is None

    def _is_refused(self, sample: Sample) -> bool:
        return not self._is_fatal(sample) and self._trace(sample).error is not None

    def _is_fatal(self, sample: Sample) -> bool:
        return msgspec.json.encode(sample) in self._fatal

    def _trace(self, sample: Sample) -> SampleTrace:
        if self._trying:
            self._trying(msgspec.json.encode(sample))
        form = SampleForm.OPTIMIZER if sample.steps else FORMS[self._api.kind]
        return self._adapter.sample(call_of(sample, self._api.name, form))


_OF_THE_TESTS = (("device", "cpu"), ("requires_grad", False))


def _is_ordinary(sample: Sample) -> bool:
    """Whether every tensor has a dimension and elements, and one more than one."""
    shapes = [shape_of(tensor) for tensor in tensors_of(sample)]
    return (
        bool(shapes) and all(shape and 0 not in shape for shape in shapes) and any(max(shape) > 1 for shape in shapes)
    )


def _as_input(value: SampleArgument) -> SampleInput:
    if not isinstance(value, SampleInput):
        raise NotWritable("a receiver or a state that is no tensor")
    return value


def _zeros(shape: Sequence[int]) -> int | list[Any]:
    return [_zeros(shape[1:]) for _ in range(shape[0])] if shape else 0


def _values(value: Value | None) -> bytes:
    """What is returned without labels of memory."""
    return msgspec.json.encode(value)
