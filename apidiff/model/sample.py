"""Samples: one call of one API in a single process, its inputs written as data.

A sample is written for the source. The same inputs go to every target, through the mapping's rule (`apidiff.model.rule`).
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import math
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Annotated, Any

import msgspec

from apidiff.model.base import NonEmpty, Record, Slug
from apidiff.model.dtypes import DtypeName, is_number
from apidiff.model.probe import MAX_DIMENSIONS, Layout


class SampleForm(Enum):
    """How an API is called with a sample."""

    FUNCTION = "function"
    METHOD = "method"  # on a receiver
    MODULE = "module"  # constructed, given its state, then called
    CODE = "code"  # in lines of code, whose last one gives the result
    OPTIMIZER = "optimizer"  # constructed on the parameters of its state, then stepped with their gradients


MAX_LIKE = 16  # steps from a sample to the one that is like no other


class SampleError(ValueError):
    """A sample that is like one that is not there, or like itself."""


class SampleTooLarge(SampleError):
    """A sample whose tensors take more memory and time together than a call is given; it takes them over from several others."""


# JSON has no number for what is not finite: "nan", "inf", "-inf".
Number = int | float | bool | str

_MAX_ELEMENTS = 2**20  # of a tensor, and of all tensors of a sample together
Bound = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]  # of what is drawn: as integers too, of 64 bits
_NAME = "[A-Za-z_][A-Za-z0-9_]*"  # `\w` takes ², which Python does not
# Code that repeats a sample has a variable of each name; a profile has placeholders.
Variable = Annotated[str, msgspec.Meta(pattern=rf"^\$?{_NAME}$(?!\n)", description="a name, or $placeholder")]
# Of a module that holds others: "attention.weight".
StateName = Annotated[str, msgspec.Meta(pattern=rf"^{_NAME}(\.{_NAME})*$(?!\n)", description="a name, or a dotted one")]
# Code nested deeper than so many characters can is more than Python reads.
SampleCode = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]  # as NumPy takes it
Steps = Annotated[int, msgspec.Meta(ge=1, le=1000)]
_Length = Annotated[int, msgspec.Meta(ge=0, le=_MAX_ELEMENTS)]
Shape = Annotated[Sequence[_Length], msgspec.Meta(max_length=MAX_DIMENSIONS)]


class SampleInput(Record, frozen=True, kw_only=True):
    """An argument that is made before the call. Exactly one of the keys marked with (*) is present.

    ``values`` (*): a tensor of these values, nested lists as in code; a bare number is a tensor without dimensions. "nan",
    "inf" and "-inf" stand for the floats of that name, "(1-2j)" for a complex number.
    ``shape`` (*): a tensor of this shape whose values are drawn from the sample's seed, evenly between ``low`` and ``high``.
    ``list`` and ``tuple`` (*): a list or a tuple of arguments.
    ``framework_dtype`` (*): a dtype of the framework that makes the call, e.g. ``float16`` for ``torch.float16``.
    ``number`` (*): a Python number that JSON cannot hold: "nan", "inf", "-inf", "(1-2j)".

    ``dtype``: of a tensor, where it is not the sample's. ``layout``: how a tensor lies in memory: contiguous, with gaps
    (strided), or as a part from the middle of a larger one (slice).
    """

    values: Number | Sequence[Any] | None = None
    shape: Shape | None = None
    list: Sequence[SampleArgument] | None = None
    tuple: Sequence[SampleArgument] | None = None
    framework_dtype: DtypeName | None = None
    number: NonEmpty | None = None
    low: Bound = -1.0
    high: Bound = 1.0
    dtype: DtypeName | None = None
    layout: Layout = Layout.CONTIGUOUS

    def __post_init__(self) -> None:
        keys = ("values", "shape", "list", "tuple", "framework_dtype", "number")
        present = [key for key in keys if getattr(self, key) is not None]
        if len(present) != 1:
            raise ValueError(f"an argument needs exactly one of {', '.join(keys)}, got {present or 'none'}")
        if self.shape is not None and self.elements > _MAX_ELEMENTS:
            raise ValueError(f"a tensor has at most {_MAX_ELEMENTS} elements, got {self.elements}")
        if self.layout not in {Layout.CONTIGUOUS, Layout.STRIDED, Layout.SLICE}:
            raise ValueError(f"a sample's layout is contiguous, strided or slice, got {self.layout.value}")
        if self.layout is not Layout.CONTIGUOUS and self.is_tensor and not self.sizes:
            raise ValueError(f"a tensor without dimensions cannot be {self.layout.value}")
        if self.low > self.high:
            raise ValueError(f"low is {self.low}, above high, {self.high}")
        if self.number is not None:
            number_of(self.number)
        if self.values is not None:
            if len(self.sizes) > MAX_DIMENSIONS:
                raise ValueError(f"a tensor has at most {MAX_DIMENSIONS} dimensions, got {len(self.sizes)}")
            _refuse_no_tensor(self.values, self.sizes)

    @property
    def is_tensor(self) -> bool:
        """Whether a tensor is made of it."""
        return self.values is not None or self.shape is not None

    @property
    def elements(self) -> int:
        """How many a tensor has. A length of 0 counts as 1: no array is made that would be too large but for that."""
        return math.prod(max(1, length) for length in self.sizes)

    @property
    def sizes(self) -> builtins.tuple[int, ...]:
        """The shape of a tensor, of one whose values are written out as well."""
        if self.shape is not None:
            return (*self.shape,)
        sizes, values = [], self.values
        while isinstance(values, Sequence) and not isinstance(values, str):
            sizes.append(len(values))
            values = values[0] if values else None
        return (*sizes,)


def number_of(text: str) -> float | complex:
    """The number that JSON cannot hold and ``text`` stands for: "nan", "-inf", "(1-2j)". Raises ValueError for another text."""
    if not is_number(text):
        raise ValueError(f"a number in quotes is nan, inf, -inf or a complex one, such as (1-2j), got {text!r}")
    return complex(text) if text.endswith(("j", ")")) else float(text)


def _refuse_no_tensor(values: object, sizes: Sequence[int]) -> None:
    """Raises ValueError where ``values`` are not numbers in lists of the same ``sizes`` everywhere."""
    if isinstance(values, Sequence) and not isinstance(values, str):
        if not sizes or len(values) != sizes[0]:
            raise ValueError(f"lists of values are as long as the others beside them, got one of {len(values)}")
        for item in values:
            _refuse_no_tensor(item, sizes[1:])
    elif sizes:
        raise ValueError(f"values are as deep in lists as the others beside them, got {values!r}")
    elif isinstance(values, str):
        number_of(values)
    elif not isinstance(values, int | float):
        raise ValueError(f"values are numbers, got {values!r}")


def _refuse_keywords(args: Mapping[str, SampleArgument], kwargs: Mapping[str, SampleArgument]) -> None:
    """Raises ValueError for a name that code cannot have: that of a keyword, or of a variable, which a tensor is."""
    for name, value in [*args.items(), *kwargs.items()]:
        if keyword.iskeyword(name) and (name in kwargs or isinstance(value, SampleInput)):
            raise ValueError(f"{name!r} is no name: Python has it as a word of its own")


SampleArgument = SampleInput | int | float | bool | str | None


class Arguments(Record, frozen=True, kw_only=True):
    """What a call is given, by parameter: ``args`` by position, in this order, ``kwargs`` by keyword."""

    args: dict[Variable, SampleArgument] = {}
    kwargs: dict[Variable, SampleArgument] = {}

    def __post_init__(self) -> None:
        _refuse_keywords(self.args, self.kwargs)


class Sample(Record, frozen=True, kw_only=True):
    """One call of one API with concrete inputs.

    ``like`` names another sample of the mapping; what is not written here is taken from there. ``receiver``: what a method is
    called on. ``constructor``: what a module is constructed with, and ``state`` its parameters and buffers by name, given in
    place of those that it draws at random. ``args`` and ``kwargs``: what the call is given by position and by keyword, with the
    names of the source's parameters. ``dtype``: of all tensors that name
    none. ``seed``: that of all random values, of inputs and inside the call. ``gradient``: whether the gradients of all
    floating inputs and of the state are compared too.

    ``code``: lines for each framework, or for a target by its full name, where no single call shows an API: ``args`` are its
    variables, and what its last line computes or assigns is compared. Where a target alone has code, the source and other
    targets are called with the same arguments; the code has ``self`` and the tensors of ``state`` by their names too.
    ``random``: whether values are drawn inside the call: then they are compared by their moments over many calls, and all else
    as usual. ``unwritten``: whether nobody writes the values that are returned, so that all but these is compared.
    ``steps``: how often an optimiser is stepped. Its ``state`` are the parameters, and ``args`` the gradient of each, in order.
    """

    like: Slug | None = None
    receiver: SampleInput | None = None
    constructor: Arguments | None = None
    state: dict[StateName, SampleInput] | None = None
    args: dict[Variable, SampleArgument] | None = None
    kwargs: dict[Variable, SampleArgument] | None = None
    dtype: DtypeName | None = None
    seed: Seed | None = None
    gradient: bool | None = None
    code: dict[NonEmpty, SampleCode] | None = None
    random: bool | None = None
    unwritten: bool | None = None
    steps: Steps | None = None

    def __post_init__(self) -> None:
        _refuse_keywords(self.args or {}, self.kwargs or {})
        for name in self.state or {}:
            if any(map(keyword.iskeyword, name.split("."))):
                raise ValueError(f"{name!r} is no name: Python has it as a word of its own")
        if (elements := sum(tensor.elements for tensor in self.tensors)) > _MAX_ELEMENTS:
            raise SampleTooLarge(f"the tensors of a sample have at most {_MAX_ELEMENTS} elements, got {elements}")

    @property
    def tensors(self) -> Iterator[SampleInput]:
        """All tensors that are made for the call, those of a module's state and those in lists too."""
        given = [
            self.receiver,
            *(self.args or {}).values(),
            *(self.kwargs or {}).values(),
            *(self.state or {}).values(),
        ]
        if self.constructor is not None:
            given += [*self.constructor.args.values(), *self.constructor.kwargs.values()]
        while given:
            value = given.pop()
            if isinstance(value, SampleInput):
                if value.is_tensor:
                    yield value
                else:
                    given += value.list or value.tuple or ()


class SampleCall(Record, frozen=True, kw_only=True):
    """A sample worked out for one API: what a process is asked to call, and what a run is tied to by its digest.

    ``draws``: whether the call is made many times more, for the moments of what it draws. ``graph``: whether it is compiled
    to a graph and then made, where the framework has such a mode.
    """

    api: str
    form: SampleForm
    receiver: SampleInput | None = None
    constructor: Arguments = Arguments()
    state: dict[str, SampleInput] = {}
    given: Arguments = Arguments()
    dtype: str = "float32"
    seed: int = 0
    gradient: bool = False
    code: str = ""
    steps: int = 0
    draws: bool = False
    graph: bool = False

    @property
    def reads_nothing(self) -> bool:
        """Whether a tensor that it is given has no element: what is computed of it may be memory that nobody has written."""
        values = [self.receiver, *self.given.args.values(), *self.given.kwargs.values()]
        return any(isinstance(value, SampleInput) and 0 in (value.shape or ()) for value in values)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits over all that decides what is called."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:12]


def resolve_sample(samples: Mapping[str, Sample], name: str) -> Sample:
    """``name`` of ``samples`` with all that it takes over from the samples it is like.

    Raises SampleError where ``like`` leads nowhere or in a circle, or the tensors of several samples are too many for one.
    """
    fields: dict[str, object] = {}
    for step in _chain(samples, name):
        written = {field: getattr(step, field) for field in step.__struct_fields__ if field != "like"}
        fields = {field: value for field, value in written.items() if value is not None} | fields
    return Sample(**fields)  # type: ignore[arg-type]


def call_of(sample: Sample, api: str, form: SampleForm, code: str = "") -> SampleCall:
    """The call that a resolved ``sample`` makes of ``api``, by ``code`` where it is written so."""
    written = {name: getattr(sample, name) for name in ("constructor", "state", "dtype", "seed", "gradient", "steps")}
    if form is SampleForm.CODE:
        written["constructor"] = None  # the code constructs
    return SampleCall(
        api=api,
        form=form,
        receiver=sample.receiver,
        given=Arguments(args=sample.args or {}, kwargs=sample.kwargs or {}),
        code=code,
        draws=bool(sample.random),
        **{name: value for name, value in written.items() if value is not None},
    )


def _chain(samples: Mapping[str, Sample], name: str) -> Iterator[Sample]:
    """``name``, then the one it is like, and so on to the end."""
    seen: list[str] = []
    step: str | None = name
    while step is not None:
        if step not in samples:
            raise SampleError(f"there is no sample {step!r}; there are {', '.join(samples) or 'none'}")
        if step in seen:
            raise SampleError(f"sample {step!r} is like itself ({' → '.join([*seen, step])})")
        if len(seen) == MAX_LIKE:
            raise SampleError(f"sample {name!r} is like another over more than {MAX_LIKE} steps")
        seen.append(step)
        yield samples[step]
        step = samples[step].like
