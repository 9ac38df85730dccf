"""Traces and run records: what a run showed, raw and complete. Written by a run, never edited.

All of it is JSON. Floats that JSON cannot hold are written as the strings "nan", "inf" and "-inf", complex numbers as "(1-2j)".
"""

from __future__ import annotations

from functools import cached_property

from apidiff.model.base import Record

Number = int | float | bool | str


class BufferDump(Record, frozen=True, kw_only=True):
    """The larger tensor from which one was made by slicing, indexing or transposing: all of its memory.

    ``values``: flat, row-major; ``places``: where in them the elements of the smaller tensor lie, in their order.
    ``storage``: as of a `TensorDump`; another one than the smaller tensor's where making that copied.
    """

    values: list[Number]
    places: list[int]
    storage: int


class TensorDump(Record, frozen=True, kw_only=True, tag_field="t", tag="tensor"):
    """A tensor as seen on one rank. ``values``: flat, row-major. ``storage``: a label; equal labels in one trace share memory.

    ``object``: a label; equal labels in one trace are the same Python object. ``buffer``: what the tensor was made from,
    where the probe passes part of a larger one.
    """

    type: str  # class name
    dtype: str  # NumPy's name: float32, int64; or bfloat16
    shape: list[int]
    values: list[Number]
    contiguous: bool = True
    storage: int
    object: int
    buffer: BufferDump | None = None


class SequenceDump(Record, frozen=True, kw_only=True, tag_field="t", tag="sequence"):
    """A list or tuple (``type``) and its elements."""

    type: str
    items: list[Value]
    object: int


class ScalarDump(Record, frozen=True, kw_only=True, tag_field="t", tag="scalar"):
    """None, a number or a string, as JSON."""

    value: int | float | bool | str | None


class ObjectDump(Record, frozen=True, kw_only=True, tag_field="t", tag="object"):
    """Any other object: its class name and those of its bases, and its ``repr`` without addresses, cut at 200 characters.

    ``tensors``: its attributes that are tensors, e.g. the one that a P2POp sends.
    """

    type: str
    bases: list[str] = []
    text: str = ""
    tensors: dict[str, TensorDump] = {}
    object: int


Value = TensorDump | SequenceDump | ScalarDump | ObjectDump


_LOOKED_AT = 2000  # characters of a message: what is wrong stands at its head


class CallError(Record, frozen=True, kw_only=True):
    """An exception. ``stage``: prepare, call, wait (for the handle) or synchronise."""

    stage: str
    type: str
    bases: list[str] = []
    message: str

    @property
    def first_line(self) -> str:
        """The first line of the message that says something; empty where there is none.

        MindSpore puts headings such as ``- Kernel select failed:`` above the line that names the operator.
        """
        lines = [line.strip() for line in self.message[:_LOOKED_AT].splitlines() if line.strip(" -")]
        telling = (line for line in lines if not (line.startswith("- ") and line.endswith(":")))
        return next(telling, lines[0] if lines else "")


class RankTrace(Record, frozen=True, kw_only=True):
    """What one rank saw: its arguments before and after the call, what was returned, the error if there was one.

    ``after`` and ``returned`` are taken after the handle was waited for and the device was synchronised. ``output``: the
    lines an example printed. A rank that never answered has no trace.
    """

    rank: int
    before: dict[str, Value] = {}
    after: dict[str, Value] = {}
    returned: Value | None = None
    error: CallError | None = None
    output: list[str] = []
    seconds: float = 0.0


class ProbeRun(Record, frozen=True, kw_only=True):
    """One probe at one world size.

    ``probe`` is the probe's name, ``example:<path>`` for an example. ``spec`` is the digest of all that decides what is
    called (resolved arguments, call style, or the example's text): a verdict is derived only where today's is the same.
    ``end``: ``completed`` (every rank answered, errors included), ``timeout``, ``crash`` or ``skipped`` (not made, since the
    plain call that it varies failed); ``log`` holds the last lines the ranks wrote for a time-out or a crash. ``again``:
    traces of the second try in fresh ranks, kept where the two differ (flaky).
    """

    api: str
    probe: str
    spec: str
    end: str
    ranks: list[RankTrace]
    log: list[str] = []
    confirmed: bool = False
    again: ProbeRun | None = None


class SignatureDump(Record, frozen=True, kw_only=True):
    """A signature as ``inspect`` shows it in the running framework. ``missing``: the API is not there; ``error`` says how.

    ``members``: the public names of a class, an enumeration or a constant's value; None where they were not looked at.
    """

    api: str
    parameters: list[ParameterDump] = []
    text: str = ""
    missing: bool = False
    error: str = ""
    members: list[str] | None = None


class ParameterDump(Record, frozen=True, kw_only=True):
    """One parameter; ``default`` as ``repr`` prints it, None where it is required."""

    name: str
    kind: str
    default: str | None = None


class DeviceFound(Record, frozen=True, kw_only=True):
    """What the device check found before ranks were started, on the machine of rank 0.

    ``names``: of the devices in the order of their numbers, none for the CPU. ``versions``: of the framework as it calls
    itself, of the driver and of libraries, as far as they were found.
    """

    names: list[str] = []
    versions: dict[str, str] = {}


def backend_name(backend: str, device: str) -> str:
    """A backend as commands and pages name it: ``gloo`` on the CPU, ``gloo-cuda`` on another device."""
    return backend if device == "cpu" else f"{backend}-{device}"


class RunRecord(Record, frozen=True, kw_only=True, gc=True, dict=True):
    """All traces of one run: one framework version, one backend, one world size.

    ``device_found`` is None in records made before it was kept. ``measured_by``: who made the run, in their own words; None
    for a run of this project. ``stopped``: why it ended before all that was planned was done, where it did; what was done is
    in the record.
    """

    schema: int
    suite_version: str
    framework: str
    framework_version: str
    backend: str
    device: str
    device_found: DeviceFound | None = None
    world_size: int
    date: str  # UTC, ISO 8601
    measured_by: str | None = None
    stopped: str | None = None
    os: str
    python: str
    machine: str
    cores: int
    packages: dict[str, str]
    environment: dict[str, str] = {}  # variables that were set for the ranks
    signatures: list[SignatureDump] = []
    probes: list[ProbeRun] = []

    # The two are kept in ``__dict__``, which msgspec gives to what the collector visits only.
    @cached_property
    def signature_of(self) -> dict[str, SignatureDump]:
        """The signatures by API; every claim asks for one."""
        return {signature.api: signature for signature in self.signatures}

    @cached_property
    def run_of(self) -> dict[tuple[str, str], ProbeRun]:
        """The runs by API and probe; every claim asks for its own."""
        return {(run.api, run.probe): run for run in self.probes}

    @property
    def build(self) -> str | None:
        """The framework's version in full where it is no release: a vendor's or a source build of ``framework_version``."""
        found = self.device_found.versions.get(self.framework) if self.device_found else None
        full = found or self.packages.get(self.framework, self.framework_version)
        return None if full.partition("+")[0] == self.framework_version else full


RUN_SCHEMA = 1
