"""What calls in a single process showed: the trace of each sample, and the record of a run. Written by a run, never edited."""

from __future__ import annotations

from apidiff.model.base import Record
from apidiff.model.trace import CallError, DeviceFound, SignatureDump, TensorDump, Value

SINGLE_SCHEMA = 1
# With this begins the message where a module lacks the state that a sample gives it, which no call of its API refused.
NO_STATE = "the module has no state"


class Moments(Record, frozen=True, kw_only=True):
    """What many calls after one seed returned.

    ``calls``: how many; ``elements``: of all together. ``mean`` and ``square``: of the elements and of their squares, and the
    standard errors of both, from how the calls differ: the elements of one call may depend on each other.
    """

    calls: int
    elements: int
    mean: float
    mean_error: float
    square: float
    square_error: float


class Draws(Record, frozen=True, kw_only=True):
    """What a call draws.

    ``repeats``: whether it returns the same after the same seed; ``advances``: whether a second call returns something else
    than the first. ``tries``: the moments after several seeds, those of the confirming process last.
    """

    repeats: bool
    advances: bool
    tries: list[Moments]


class SampleTrace(Record, frozen=True, kw_only=True):
    """What one call showed.

    ``before`` and ``after``: what the call was given, by parameter, ``self`` for the receiver, ``state`` for a module's
    parameters and buffers. After an exception ``after`` is empty.
    ``gradients``: of each floating input, by its slot (``self``, ``input``, ``state.weight``), of the sum of all floating
    results, the i-th of which weighs i + 1; made in a call of its own with the same inputs. ``gradient_error``: the exception
    that this call raised. ``errors``: of an extracted sample made with PyTorch, how far each floating tensor returned is from the
    same call in float64, in units in the last place, by slot. ``draws``: of a sample whose values are random.
    """

    before: dict[str, Value] = {}
    after: dict[str, Value] = {}
    returned: Value | None = None
    error: CallError | None = None
    gradients: dict[str, TensorDump] = {}
    gradient_error: CallError | None = None
    errors: dict[str, float] = {}
    draws: Draws | None = None
    seconds: float = 0.0


class SampleRun(Record, frozen=True, kw_only=True):
    """One sample of one mapping, made with one API: its source or a target.

    ``spec``: the digest of the call. ``end``: ``completed`` (an exception included), ``timeout`` or ``crash``; then there is no
    trace, and ``log`` holds the last lines that the process wrote. ``confirmed``: a second try in a fresh process showed the
    same; ``again``: what it showed, where it did not.

    Extracted samples are recorded briefly: a trace holds only what differs from what was given. ``agrees``: of a target's run
    that agreed with the source's in every facet these facets, and no trace; ``against``: the digest of the source's.
    ``graph``: the same call compiled to a graph, made of a target's canonical call; where it did the same as the call itself it
    ``agrees`` in ``graph``, ``against`` that one.
    """

    mapping: str
    api: str
    sample: str
    spec: str
    end: str
    trace: SampleTrace | None = None
    log: list[str] = []
    confirmed: bool = False
    again: SampleRun | None = None
    agrees: list[str] = []
    against: str = ""
    graph: SampleRun | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Mapping, API and sample: what it is known by in a record."""
        return self.mapping, self.api, self.sample


class SingleRecord(Record, frozen=True, kw_only=True):
    """All traces of one run of one framework version on one device.

    It holds the samples of some mappings or of all. ``inputs``: empty for samples written in the records, ``extracted`` for those
    taken from the source framework. ``measured_by``, ``stopped`` and the rest are those of
    `apidiff.model.trace.RunRecord`.
    """

    schema: int
    suite_version: str
    framework: str
    framework_version: str
    device: str
    device_found: DeviceFound | None = None
    date: str  # UTC, ISO 8601
    measured_by: str | None = None
    stopped: str | None = None
    os: str
    python: str
    machine: str
    cores: int
    packages: dict[str, str]
    environment: dict[str, str] = {}
    inputs: str = ""
    signatures: list[SignatureDump] = []
    samples: list[SampleRun] = []
