"""The gate for run records: what one may hold so that it can be judged, planned with and shown.

Every record that was not made by this process passes here: one that is sent, one that lies in the data folder, a line of a
journal. What passes is bounded in depth, size and count; its dtypes are known, its values fit them, its dates, cores, seconds
and versions can be.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

import msgspec

from apidiff.database.measurer_names import LONGEST
from apidiff.database.process_settings import BACKEND
from apidiff.model.agreement import Facet
from apidiff.model.dtypes import DTYPES, first_odd
from apidiff.model.sample_run import Draws, SampleRun, SampleTrace, SingleRecord
from apidiff.model.trace import (
    BufferDump,
    CallError,
    Number,
    ObjectDump,
    ProbeRun,
    RankTrace,
    RunRecord,
    ScalarDump,
    SequenceDump,
    SignatureDump,
    TensorDump,
    Value,
)

MAX_DEPTH = 8  # of values within values: the deepest that probes make is a list of tensors in a tuple
MAX_DIMENSIONS = 16  # of a tensor
MAX_ELEMENTS = 2**20  # of a tensor, and along each of its dimensions
MAX_RANKS = 64  # as many as the command starts
MAX_CORES = 100_000
MAX_TEXT = 100_000  # characters of one string
# Characters of what an API, a probe, a mapping or a sample is called, since files and pages have such names, and of what an
# argument or attribute is, since the name of each tensor in it begins so.
MAX_NAME = 200
# What stands beside all that a run saw, on every page of its APIs.
MAX_FACT = 200  # characters of what its system, Python and machine are called: the longest is 53
MAX_STOPPED = 2000  # of why it stopped: three lines of a log, of 200 each, and a folder
MAX_SIGNATURES = 20_000  # of a record: ten times what the largest has
MAX_SIGNATURE = 4000  # of a signature, or of why there is none: the longest has 728
MAX_RUNS = {RunRecord: 20_000, SingleRecord: 100_000}  # probes or samples of a record: five times and more
MAX_PARTS = 1000  # elements of a list or tuple, arguments of a call, lines of a log, packages, devices
# Of a whole record, five times what the largest has: each takes tens of bytes in memory, of which the file has two or three.
MAX_TEXTS = {RunRecord: 1_000_000, SingleRecord: 5_000_000}  # names of fields among them
MAX_NUMBERS = {RunRecord: 800_000, SingleRecord: 5_000_000}
MAX_SECONDS = 86_400.0  # of one call
_INTEGERS = range(-(2**63), 2**64)  # those that msgpack, which the index is kept in, has room for
_LARGEST_MOMENT = 1e150  # its square is a number still
_SHOWN = 100  # characters of a name in a message
_FIRST_YEAR = 2023  # before the project began
_SUITE = re.compile(r"source|\d{1,5}(\.\d{1,5}){0,2}((a|b|rc|\.dev|\.post)\d{1,9})*(\+[0-9a-z.]{1,64})?", re.ASCII)
_VERSION = re.compile(r"(0|[1-9]\d{0,4})(\.(0|[1-9]\d{0,4})){2}", re.ASCII)  # as a release writes it: one name each
_HALF = re.compile("[\ud800-\udfff]")  # of a character
_FRAMEWORKS = ("torch", "mindspore")
_DEVICES = ("cpu", "cuda", "npu")  # of which pages have a name
# Names of classes, parameters and arguments stand on pages beside what is said of them.
_WORD = re.compile(r"[A-Za-z_]\w{0,199}", re.ASCII)
_SLOT = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\d+\])*", re.ASCII)
# What pages make anchors of: no two such names make the same.
_API = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII)
_RUN = re.compile(rf"[a-z][a-z0-9]*(-[a-z0-9]+)*|example:{_API.pattern}/\w+\.py", re.ASCII)
_MAX_BASES = 50  # classes that one derives from
_KINDS = ("positional-only", "positional or keyword", "variadic positional", "keyword-only", "variadic keyword")
_STAGES = frozenset({"prepare", "call", "wait", "synchronise", "gradient"})  # of a call that raised
NEW = "Record it anew with this version of the project: apidiff verify --record."

# What was found, and what to do about it.
Fault = tuple[str, str]


def refuse_repeated_keys(content: bytes) -> None:
    """Raise ValueError where JSON says a thing twice: readers differ in which they take, and a signature holds for both."""
    try:
        json.loads(content, object_pairs_hook=_keyed_once, parse_int=str, parse_float=str)
    except RecursionError as error:
        raise ValueError("values are nested too deep") from error


def _keyed_once(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ValueError(f"an object has {key[:_SHOWN]!r} twice")
        seen.add(key)


def record_faults(record: RunRecord | SingleRecord) -> Iterator[Fault]:
    """Finds what in a record cannot be; nothing outside the record is asked."""
    yield from _count_faults(record)
    yield from place_faults(record)
    yield from _about_its_making(record)
    yield from plain_faults(record)
    for signature in record.signatures:
        yield from ((f"the signature of {signature.api[:_SHOWN]} {text}", NEW) for text in _about_signature(signature))
    runs = record.probes if isinstance(record, RunRecord) else record.samples
    if not runs and not record.signatures:
        return
    for run in runs:
        if isinstance(run, ProbeRun):
            where = f"{run.api[:_SHOWN]} {run.probe[:_SHOWN]}"
            found = probe_faults(run, record.world_size if isinstance(record, RunRecord) else 1)
        else:
            where = f"{run.api[:_SHOWN]} {run.sample[:_SHOWN]}"
            found = sample_faults(run, compared=record.framework != "torch")
        yield from ((f"{where}: {text}", NEW) for text in found)


def _count_faults(record: RunRecord | SingleRecord) -> Iterator[Fault]:
    """Checks how many signatures and runs there are, and that each is there once: a few bytes repeated pack to nothing."""
    if isinstance(record, RunRecord):
        what, most = "probe", MAX_RUNS[RunRecord]
        runs: list[tuple[str, ...]] = [(run.api, run.probe) for run in record.probes]
    else:
        what, most = "sample", MAX_RUNS[SingleRecord]
        runs = [(run.mapping, run.api, run.sample) for run in record.samples]
    signatures = [(signature.api,) for signature in record.signatures]
    for name, keys, limit in (("signature", signatures, MAX_SIGNATURES), (what, runs, most)):
        if len(keys) > limit:
            yield f"holds {len(keys)} {name}s", f"At most {limit} are possible. {NEW}"
        if long := next((part for key in keys for part in key if len(part) > MAX_NAME), None):
            yield (
                f"holds a {name} with a name of {len(long)} characters: {long[:_SHOWN]!r}",
                f"At most {MAX_NAME} are possible. {NEW}",
            )
        odd = next((part for key in keys for part, form in _forms(key) if not form.fullmatch(part)), None)
        if not long and odd is not None:
            yield f"holds a {name} with the name {odd[:_SHOWN]!r}", f"APIs are named in full, runs in lower case. {NEW}"
        if len(set(keys)) < len(keys):
            twice = next(key for key, count in Counter(keys).items() if count > 1)
            yield f"holds a {name} twice: {' '.join(twice)[:_SHOWN]}", NEW


def _forms(key: tuple[str, ...]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Pairs the names of a signature, or of a probe or sample, with what they look like: APIs come first, what was run last."""
    apis = key[:-1] or key
    yield from ((api, _API) for api in apis)
    if len(key) > 1:
        yield key[-1], _RUN


def place_faults(record: RunRecord | SingleRecord) -> Iterator[Fault]:
    """Checks what names the record's folder and file, and the ranks."""
    if not _VERSION.fullmatch(record.framework_version):
        yield f"names the version {record.framework_version[:40]!r}", "A version is written as 2.13.0."
    if isinstance(record, RunRecord):
        if not re.fullmatch(BACKEND, record.backend):
            yield f"names the backend {record.backend[:40]!r}, which is no plain word", NEW
        if not 1 <= record.world_size <= MAX_RANKS:
            yield f"has {record.world_size} ranks", f"From 1 to {MAX_RANKS} are possible."
    elif record.inputs not in {"", "extracted"}:
        yield f"is of the inputs {record.inputs[:40]!r}", "Inputs are written samples, or 'extracted'."
    for what, name, known in (("framework", record.framework, _FRAMEWORKS), ("device", record.device, _DEVICES)):
        if name not in known:
            yield f"names the {what} {name[:40]!r}", f"Known are {', '.join(known)}."


def _about_its_making(record: RunRecord | SingleRecord) -> Iterator[Fault]:
    """Checks when it was made, with what."""
    if (made := _date(record.date)) is None:
        yield f"has the date {record.date[:40]!r}", "A date is written as 2026-01-31T12:00:00Z."
    elif made.year < _FIRST_YEAR or made > datetime.now(UTC) + timedelta(days=1):
        yield f"has the date {record.date}", f"A date is from {_FIRST_YEAR} on and not later than tomorrow. {NEW}"
    if not _SUITE.fullmatch(record.suite_version):
        yield f"was made by apidiff {record.suite_version[:40]!r}, which is no version", NEW
    measured_by = record.measured_by or ""
    if len(measured_by) > LONGEST:  # it stands beside each of its observations
        yield f"names a measurer with {len(measured_by)} characters", f"At most {LONGEST} are possible. {NEW}"
    facts = [(name, getattr(record, name), MAX_FACT) for name in ("os", "python", "machine")]
    for name, text, most in (*facts, ("stopped", record.stopped or "", MAX_STOPPED)):
        if len(text) > most:
            yield f"has {len(text)} characters under `{name}`", f"At most {most} are possible. {NEW}"
    if not 1 <= record.cores <= MAX_CORES:
        yield f"was made on {record.cores} cores", f"From 1 to {MAX_CORES} are possible. {NEW}"
    found = record.device_found
    for what, count in (
        ("packages", len(record.packages)),
        ("variables", len(record.environment)),
        ("devices", len(found.names) if found else 0),
        ("versions of what drives its devices", len(found.versions) if found else 0),
    ):
        if count > MAX_PARTS:
            yield f"names {count} {what}", f"At most {MAX_PARTS} are possible. {NEW}"


def _date(text: str) -> datetime | None:
    form = "%Y-%m-%dT%H:%M:%SZ"
    try:
        date = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    return date if date.strftime(form) == text else None


def plain_faults(record: object) -> Iterator[Fault]:
    """Checks every string and integer wherever it stands, and how many they are. No recursion: they may be a million."""
    try:
        stack: list[object] = [msgspec.to_builtins(record)]
    except RecursionError:
        yield f"holds values within values, deeper than {MAX_DEPTH}", NEW
        return
    kind = SingleRecord if isinstance(record, SingleRecord) else RunRecord
    texts = numbers = 0
    while stack:
        plain = stack.pop()
        if texts > MAX_TEXTS[kind] or numbers > MAX_NUMBERS[kind]:
            yield f"holds more than {MAX_TEXTS[kind]} texts or {MAX_NUMBERS[kind]} numbers", NEW
            return
        if isinstance(plain, str):
            texts += 1
            if len(plain) > MAX_TEXT:
                yield f"holds a text longer than {MAX_TEXT} characters", NEW
                return
            if not plain.isascii() and _HALF.search(plain):
                yield "holds half of a character, which no text does", NEW
                return
        elif isinstance(plain, dict):
            stack.extend(plain)
            stack.extend(plain.values())
        elif isinstance(plain, list):
            kinds = set(map(type, plain))
            if kinds <= {int, float, bool}:
                numbers += len(plain)
                plain = [max(plain), min(plain)] if plain else []
            stack.extend(plain)
        elif isinstance(plain, int | float):
            numbers += 1
            if isinstance(plain, int) and plain not in _INTEGERS:
                yield "holds an integer of more than 64 bits", NEW
                return


def _about_signature(signature: SignatureDump) -> Iterator[str]:
    for what, count in (("parameters", len(signature.parameters)), ("members", len(signature.members or []))):
        if count > MAX_PARTS:
            yield f"has {count} {what}; at most {MAX_PARTS} are possible"
    for name, text in (("text", signature.text), ("error", signature.error)):
        if len(text) > MAX_SIGNATURE:
            yield f"has {len(text)} characters under `{name}`; at most {MAX_SIGNATURE} are possible"
    if len(signature.text.splitlines()) > 1:
        yield "has more than one line under `text`"
    if (odd := next((name for name in signature.members or [] if not _WORD.fullmatch(name)), None)) is not None:
        yield f"has a member {odd[:40]!r}, which is no word of a program"
    for parameter in signature.parameters:
        if not _WORD.fullmatch(parameter.name):
            yield f"has a parameter {parameter.name[:40]!r}, which is no word of a program"
        if parameter.kind not in _KINDS:
            yield f"has a parameter that is {parameter.kind[:40]!r}; known are {', '.join(_KINDS)}"


def probe_faults(run: ProbeRun, world_size: int) -> Iterator[str]:
    """Finds what in the traces of one probe cannot be, in a world of ``world_size``."""
    ranks = [trace.rank for trace in run.ranks]
    if len(set(ranks)) != len(ranks) or not set(ranks) <= set(range(world_size)):
        yield f"its traces are of ranks {ranks[:8]}, in a world of {world_size}"
    if run.end not in {"completed", "timeout", "crash", "skipped"}:
        yield f"it ended {run.end[:40]!r}; the ends are completed, timeout, crash and skipped"
    if run.end == "completed" and len(ranks) != world_size:
        yield f"it completed with {len(ranks)} of {world_size} traces"
    yield from _about_lines(run.log)
    for trace in run.ranks:
        yield from _about_seconds(trace.seconds)
        yield from _about_lines(trace.output)
        yield from _about_error(trace.error)
        yield from _about_values([trace.before, trace.after], trace.returned, whole=True)
        yield from _about_tensors(trace)
    if run.again is not None:
        if run.again.again is not None:
            yield "its second try has a second try"
        else:
            yield from probe_faults(run.again, world_size)


def sample_faults(run: SampleRun, *, compared: bool, is_graph: bool = False) -> Iterator[str]:
    """Finds what in the trace of one sample cannot be. ``compared``: whether it may stand for a trace that it agrees with one."""
    if run.end not in {"completed", "timeout", "crash"}:
        yield f"it ended {run.end[:40]!r}; the ends are completed, timeout and crash"
    elif run.end == "completed" and run.trace is None and not (run.agrees and compared):
        yield "it completed without a trace"
    facets = {Facet.GRAPH.value} if is_graph else {facet.value for facet in Facet} - {Facet.GRAPH.value}
    if odd := set(run.agrees) - facets:
        yield f"it agrees in {min(odd)[:40]!r}, which is no facet of {'a graph' if is_graph else 'a call'}"
    elif len(run.agrees) > len(set(run.agrees)):
        yield f"it agrees twice in {next(name for name in run.agrees if run.agrees.count(name) > 1)!r}"
    elif run.agrees and (run.trace is not None or run.end != "completed"):
        yield "it agrees, and has a trace or did not complete"
    yield from _about_lines(run.log)
    if run.trace is not None:
        yield from _about_sample_trace(run.trace)
    if run.again is not None:
        if run.again.again is not None or run.again.graph is not None:
            yield "its second try has a second try or a graph"
        else:
            yield from sample_faults(run.again, compared=False, is_graph=is_graph)
    if run.graph is not None:
        if run.graph.graph is not None:
            yield "its graph has a graph"
        else:
            yield from sample_faults(run.graph, compared=compared, is_graph=True)


def _about_sample_trace(trace: SampleTrace) -> Iterator[str]:
    yield from _about_seconds(trace.seconds)
    yield from _about_error(trace.error)
    yield from _about_error(trace.gradient_error)
    yield from _about_slots(trace.errors)
    if any(not math.isfinite(error) or error < 0 for error in trace.errors.values()):
        yield "an error in units in the last place is no number from 0 on"
    if trace.draws is not None:
        yield from _about_draws(trace.draws)
    # Of what the sample says itself, a brief trace keeps no values; what the call wrote stands in ``before`` too.
    written = {name: value for name, value in trace.after.items() if name in trace.before}
    yield from _about_values([trace.gradients, written], trace.returned, whole=True)
    yield from _about_values([trace.before, trace.after], None, whole=False)
    yield from _about_tensors(trace)


def _about_tensors(trace: RankTrace | SampleTrace) -> Iterator[str]:
    """Checks how many tensors a call had: each that is returned is compared with each that was given."""
    given = (
        sum(map(_tensors_in, values.values())) for values in (trace.before, trace.after)
    )  # an error empties the second
    count = max(given) + (0 if trace.returned is None else _tensors_in(trace.returned))
    if count > MAX_PARTS:
        yield f"its call was given and returned {count} tensors; at most {MAX_PARTS} are possible"


def _tensors_in(value: Value) -> int:
    match value:
        case TensorDump():
            return 1
        case SequenceDump(items=items):
            return sum(map(_tensors_in, items))
        case ObjectDump(tensors=held):
            return len(held)
    return 0


def _about_draws(draws: Draws) -> Iterator[str]:
    if not 1 <= len(draws.tries) <= MAX_PARTS:
        yield f"it has the moments of {len(draws.tries)} tries; from 1 to {MAX_PARTS} are possible"
    for moments in draws.tries:
        if moments.calls < 1 or moments.elements < 0:
            yield f"its moments are of {moments.calls} calls and {moments.elements} elements"
        if not abs(moments.mean) <= _LARGEST_MOMENT or not all(
            0 <= size <= _LARGEST_MOMENT for size in (moments.mean_error, moments.square, moments.square_error)
        ):
            yield "a moment of what it draws is none that can be"


def _about_seconds(seconds: float) -> Iterator[str]:
    if not 0 <= seconds <= MAX_SECONDS:
        yield f"a call took {seconds:g} s; from 0 to {MAX_SECONDS:g} are possible"


def _about_lines(lines: list[str]) -> Iterator[str]:
    if len(lines) > MAX_PARTS:
        yield f"it holds {len(lines)} lines of output; at most {MAX_PARTS} are possible"


def _about_error(error: CallError | None) -> Iterator[str]:
    if error is None:
        return
    if error.stage not in _STAGES:
        yield f"an error came at the stage {error.stage[:40]!r}; the stages are {', '.join(sorted(_STAGES))}"
    yield from _about_classes(error.type, error.bases)


def _about_classes(name: str, bases: list[str]) -> Iterator[str]:
    if len(bases) > _MAX_BASES:
        yield f"a class derives from {len(bases)} others; at most {_MAX_BASES} are possible"
    elif (odd := next((one for one in (name, *bases) if not _WORD.fullmatch(one)), None)) is not None:
        yield f"it names a class {odd[:40]!r}, which is no word of a program"


def _about_values(named: Iterable[Mapping[str, Value]], returned: Value | None, *, whole: bool) -> Iterator[str]:
    for values in named:
        if len(values) > MAX_PARTS:
            yield f"a call has {len(values)} arguments; at most {MAX_PARTS} are possible"
            return
        yield from _about_slots(values)
        for value in values.values():
            yield from _about_value(value, 1, whole=whole)
    if returned is not None:
        yield from _about_value(returned, 1, whole=whole)


def _about_slots(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if len(name) > MAX_NAME:
            yield f"it names an argument or attribute with {len(name)} characters; at most {MAX_NAME} are possible"
            return
        if not _SLOT.fullmatch(name):
            yield f"it names an argument or attribute {name[:40]!r}, which is none of a program"
            return


def _about_value(value: Value, depth: int, *, whole: bool) -> Iterator[str]:
    if depth > MAX_DEPTH:
        yield f"it holds values nested deeper than {MAX_DEPTH}"
        return
    if not isinstance(value, ScalarDump):
        yield from _about_classes(value.type, value.bases if isinstance(value, ObjectDump) else [])
    if isinstance(value, TensorDump):
        yield from tensor_faults(value, whole=whole)
    elif isinstance(value, SequenceDump):
        if len(value.items) > MAX_PARTS:
            yield f"a {value.type[:40]} has {len(value.items)} elements; at most {MAX_PARTS} are possible"
            return
        for item in value.items:
            yield from _about_value(item, depth + 1, whole=whole)
    elif isinstance(value, ObjectDump):
        yield from _about_slots(value.tensors)
        for tensor in value.tensors.values():
            yield from _about_value(tensor, depth + 1, whole=whole)


def tensor_faults(tensor: TensorDump, *, whole: bool) -> Iterator[str]:
    """Finds what in a tensor cannot be. ``whole``: whether it has to have its values, which a brief trace leaves out."""
    dtype = DTYPES.get(tensor.dtype)
    if dtype is None:
        yield f"a tensor is of dtype {tensor.dtype[:40]!r}; known are {', '.join(DTYPES)}"
        return
    if len(tensor.shape) > MAX_DIMENSIONS:
        yield f"a tensor has {len(tensor.shape)} dimensions; at most {MAX_DIMENSIONS} are possible"
        return
    if any(size < 0 for size in tensor.shape):
        yield f"a tensor has the shape {_sizes(tensor)}, with a size below zero"
        return
    # Sizes beside a zero count too: NumPy lists as many empty rows.
    if math.prod(max(size, 1) for size in tensor.shape) > MAX_ELEMENTS:
        yield f"a tensor has the shape {_sizes(tensor)}; at most {MAX_ELEMENTS} elements are possible"
        return
    if math.prod(tensor.shape) != len(tensor.values) and (whole or tensor.values):
        yield f"a tensor of shape {tensor.shape[:8]} has {len(tensor.values)} values"
    for values in (tensor.values, tensor.buffer.values if tensor.buffer else []):
        if (odd := first_odd(values, dtype)) is not None:
            yield f"a tensor of dtype {tensor.dtype} holds {_short(odd)}"
            return
    if tensor.buffer:
        yield from _about_buffer(tensor.buffer, len(tensor.values))


def _about_buffer(buffer: BufferDump, count: int) -> Iterator[str]:
    if any(not 0 <= place < len(buffer.values) for place in buffer.places) or len(buffer.places) != count:
        yield "a part of a larger tensor lies outside of it"


def _sizes(tensor: TensorDump) -> str:
    return f"[{', '.join(_short(size) for size in tensor.shape[:8])}]"


def _short(number: Number) -> str:
    """A number for a message; of one with many digits how many, which Python refuses to write."""
    if isinstance(number, int) and number not in _INTEGERS:
        return "an integer of more than 64 bits"
    return repr(number)[:40]
