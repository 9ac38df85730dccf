"""Verdicts: what follows for a claim from run records."""

import sys
from collections.abc import Iterable
from enum import Enum

from apidiff.errors import shortened
from apidiff.model.base import Record
from apidiff.model.trust import Trust


class Outcome(Enum):
    """What a run says of a claim; never folded together."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASH = "crash"
    FLAKY = "flaky"
    NOT_RUN = "not run"


# Worst first: what one word says of several observations.
WORST_FIRST = [
    Outcome.FLAKY,
    Outcome.REFUTED,
    Outcome.CRASH,
    Outcome.TIMEOUT,
    Outcome.ERROR,
    Outcome.UNSUPPORTED,
    Outcome.NOT_RUN,
    Outcome.HOLDS,
]


def worst_outcome(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome that stands for several: flaky before refuted before … before holds; ``not run`` for none."""
    return min(outcomes, key=WORST_FIRST.index, default=Outcome.NOT_RUN)


class EvidenceCode(Enum):
    """What a line of evidence says. The words are data (``evidence.<code>``); the values each takes are named there."""

    # What a rank did.
    RAISED = "raised"
    RAISED_AFTER = "raised_after"
    RAISED_WITHOUT_FAULT = "raised_without_fault"
    NO_EXCEPTION = "no_exception"
    TIMEOUT = "timeout"
    CRASH = "crash"
    RETURNED = "returned"
    RETURN_NOT_RECORDED = "return_not_recorded"
    PRINTED = "printed"
    PRINTED_NOTHING = "printed_nothing"
    PRINTED_MORE = "printed_more"
    # What a rank held at a place.
    VALUE = "value"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    REST_UNCHANGED = "rest_unchanged"
    REST_CHANGED = "rest_changed"
    NOT_IN_BUFFER = "not_in_buffer"
    UNEXPECTED = "unexpected"
    ABSENT = "absent"
    LENGTH = "length"
    SAME_OBJECT = "same_object"
    SAME_STORAGE = "same_storage"
    NOTHING_SHARED = "nothing_shared"
    # Why nothing could be compared.
    NOTHING_AT = "nothing_at"
    NOTHING_AROUND = "nothing_around"
    NO_INPUT = "no_input"
    NOTHING_TO_COMPARE = "nothing_to_compare"
    NO_OTHER_END = "no_other_end"
    NOT_A_TENSOR = "not_a_tensor"
    NOT_PER_RANK = "not_per_rank"
    SHAPES_DIFFER = "shapes_differ"
    NO_EXPECTED_VALUE = "no_expected_value"
    # What a run recorded of a signature.
    SIGNATURE = "signature"
    MEMBERS = "members"
    NOT_IN_VERSION = "not_in_version"
    SIGNATURE_ERROR = "signature_error"
    # Two signatures beside each other.
    ONLY_IN_SOURCE = "only_in_source"
    ONLY_IN_TARGET = "only_in_target"
    ORDER_DIFFERS = "order_differs"
    DEFAULT_DIFFERS = "default_differs"
    REQUIRED_IN_SOURCE = "required_in_source"
    REQUIRED_IN_TARGET = "required_in_target"
    TYPE_DIFFERS = "type_differs"
    DEFAULT_UNDECIDED = "default_undecided"
    TYPE_UNDECIDED = "type_undecided"
    VARIADIC = "variadic"
    OTHER_RELEASE = "other_release"
    SAME_NAME_IN_SOURCE = "same_name_in_source"
    # One sample with both sides.
    SOURCE_REFUSES = "source_refuses"
    TARGET_REFUSES = "target_refuses"
    ERRORS_DIFFER = "errors_differ"
    NO_KERNEL = "no_kernel"
    NOT_CALLED = "not_called"
    SIDE_ENDED = "side_ended"
    STRUCTURES_DIFFER = "structures_differ"
    SIDES_DIFFER = "sides_differ"
    VALUES_DIFFER = "values_differ"
    ONLY_SOURCE_WRITES = "only_source_writes"
    ONLY_TARGET_WRITES = "only_target_writes"
    SHARING_DIFFERS = "sharing_differs"
    NO_GRADIENT = "no_gradient"
    LESS_ACCURATE = "less_accurate"
    LAYOUT_DIFFERS = "layout_differs"
    SPECIAL_DIFFER = "special_differ"
    AGREED_WITH = "agreed_with"
    UNREPEATED = "unrepeated"
    MOMENTS_DIFFER = "moments_differ"
    SEED_REPEATS = "seed_repeats"
    DRAWS_ALIKE = "draws_alike"
    GRAPH_REFUSES = "graph_refuses"
    GRAPH_DIFFERS = "graph_differs"
    GRAPH_WRITES = "graph_writes"
    GRAPH_LEAVES = "graph_leaves"
    GRAPH_ENDED = "graph_ended"
    # About the lines themselves.
    ATTEMPT = "attempt"
    MORE = "more"


class Evidence(Record, frozen=True, kw_only=True):
    """One fact that a verdict rests on. ``rank``: the one it is about, where it is about one. ``values``: by placeholder.

    What a framework said (an error, a signature) stands in ``values`` as it came.
    """

    code: EvidenceCode
    rank: int | None = None
    values: dict[str, str] = {}

    def __hash__(self) -> int:
        return hash((self.code, self.rank, *self.values.items()))


def evidence(code: EvidenceCode, rank: int | None = None, **values: object) -> Evidence:
    """A fact about ``rank``, or about none, with its values as text: of one that would fill pages, its beginning and its end.

    Equal texts take memory once: many claims rest on one signature or error.
    """
    return Evidence(
        code=code, rank=rank, values={name: sys.intern(shortened(str(value))) for name, value in values.items()}
    )


class Observation(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The verdict on one claim from one probe in one run record.

    ``facts``: what shows it; empty for ``holds`` where there is nothing to point at. ``measured_by``: who made the record,
    in their own words; None where they do not say. ``trust``: who vouches for it. ``signer``: the name by which its signer is
    known, where a signature verifies.
    """

    outcome: Outcome
    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    probe: str
    run: str  # ID of the run record
    facts: list[Evidence] = []
    measured_by: str | None = None
    trust: Trust = Trust.UNSIGNED
    signer: str = ""
