"""Draws what a call did to every rank's buffers, from recorded traces of both frameworks.

Nothing here is assumed about an API: what is drawn is what a trace holds. Which probes are drawn follows from the probes
themselves (`plain_probe`, `async_probe`).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from apidiff.database import Data
from apidiff.database.examples import readable_examples
from apidiff.database.paths import examples_folder
from apidiff.derive.buffers import (
    RETURNED,
    Held,
    Origins,
    UnmodifiedBuffers,
    buffers_of,
    returned_buffers,
    text_arguments,
)
from apidiff.derive.calls import call
from apidiff.judge import Context, make_context
from apidiff.model.claim_probes import spec_of
from apidiff.model.mapping import Api, Mapping
from apidiff.model.picture import Buffer, Cell, Picture, RankPart, Scene, Side
from apidiff.model.probe_resolution import callers, collective_of, partner, partners, resolve
from apidiff.model.ranges import holds
from apidiff.model.signature import Signature
from apidiff.model.trace import ObjectDump, ProbeRun, RankTrace, RunRecord, SequenceDump, Value
from apidiff.model.version import Version
from apidiff.model.vocabulary import ApiKind, Status

# What moves data between ranks; calls of other kinds have no buffers to look at.
PICTURED = ("collective", "p2p", "object")
_ERROR_LENGTH = 240


def plain_probe(api: Api, names: Sequence[str]) -> str | None:
    """The call as a reader would make it first: the first of ``names`` that does not ask for async."""
    return next((name for name in names if not _asks_async(api, name)), None)


def async_probe(api: Api, names: Sequence[str], plain: str | None) -> str | None:
    """The same call with ``async_op=True``, if ``names`` has one."""
    if plain is None:
        return next((name for name in names if _asks_async(api, name)), None)
    arguments, overrides = resolve(api, plain)
    wanted = ({**arguments, "async_op": True}, overrides)
    return next((name for name in names if resolve(api, name) == wanted), None)


def _asks_async(api: Api, probe: str) -> bool:
    return resolve(api, probe)[0].get("async_op") is True


class Painter:
    """Makes pictures from data read once."""

    def __init__(self, data: Data, context: Context) -> None:
        self._data, self._context = data, context
        self._known = [release.version for release in data.frameworks.get("mindspore", [])]
        self._known.sort(key=Version)
        self._runs: dict[str, list[tuple[str, RunRecord, ProbeRun]]] = {}
        # The newest record of a backend leads where there are several.
        for run_id, record in sorted(data.runs, key=lambda item: (Version(item[1].framework_version), item[1].date)):
            if record.world_size == 1:  # nothing moves in a world of one
                continue
            for probe in record.probes:
                self._runs.setdefault(probe.api, []).insert(0, (run_id, record, probe))

    def picture(self, mapping: Mapping) -> Picture | None:
        """The picture of a mapping, None where no scene of its source is recorded."""
        if mapping.category not in PICTURED:
            return None
        source = self._side(mapping.source)
        targets = []
        for target in mapping.targets:
            spans = [span for span in target.ranges if span.status is Status.CURRENT]
            current = [
                version
                for version in self._known
                if any(holds(span.since, span.until, Version(version)) for span in spans)
            ]
            targets.append(self._side(target.api, self._spans(current)))
        return Picture(source=source, targets=targets) if source.scenes else None

    def _side(self, api: Api, current: Sequence[str] = ()) -> Side:
        scenes: list[Scene] = []
        by_place: dict[tuple[str, str, int, str], list[tuple[str, RunRecord, ProbeRun]]] = {}
        for run in self._runs.get(api.name, []):
            _, record, probe = run
            if probe.probe in collective_of(api).probes and probe.spec == spec_of(
                api, probe.probe, self._context.examples
            ):
                place = (record.backend, record.device, record.world_size, record.framework_version)
                by_place.setdefault(place, []).append(run)
        for runs in by_place.values():
            newest = runs[0][0]
            mine = {probe.probe: (record, probe) for run_id, record, probe in runs if run_id == newest}
            names = [name for name in collective_of(api).probes if name in mine]
            plain = plain_probe(api, names)
            drawn = [name for name in (plain, async_probe(api, names, plain)) if name is not None]
            scenes += [self._scene(api, newest, *mine[name]) for name in drawn]
        return Side(api=api.name, framework=api.name.partition(".")[0], current=list(current), scenes=_merged(scenes))

    def _spans(self, versions: Sequence[str]) -> list[str]:
        """The versions as spans of known ones."""
        spans: list[list[str]] = []
        for version in versions:
            index = self._known.index(version)
            if spans and index and spans[-1][1] == self._known[index - 1]:
                spans[-1][1] = version
            else:
                spans.append([version, version])
        return ["..".join(span) for span in spans]

    def _scene(self, api: Api, run_id: str, record: RunRecord, run: ProbeRun) -> Scene:
        patterns = self._context.unsupported.get((record.backend, record.framework, record.device), ())
        messages = [trace.error.message for trace in run.ranks if trace.error]
        signature = self._signature(api, record.framework_version)
        return Scene(
            versions=[record.framework_version],
            runs=[run_id],
            backend=record.backend,
            device=record.device,
            world_size=record.world_size,
            probe=run.probe,
            call=call(api, run.probe, signature),
            asks_async=_asks_async(api, run.probe),
            handle=next((found for trace in run.ranks if (found := handle_of(api, trace.returned))), ""),
            end=run.end,
            unsupported=any(pattern.search(message) for pattern in patterns for message in messages),
            flaky=run.again is not None,
            ranks=rank_parts(api, run, record.world_size, UnmodifiedBuffers(api, run, record, patterns)),
        )

    def _signature(self, api: Api, version: str) -> Signature | None:
        file = self._data.signatures.get((api.name.partition(".")[0], version))
        return file.apis.get(api.name) if file else None


def _merged(scenes: Sequence[Scene]) -> list[Scene]:
    """The scenes, with versions joined whose traces are the same."""
    found: dict[bytes, Scene] = {}
    for scene in scenes:
        same = msgspec.json.encode(msgspec.structs.replace(scene, versions=[], runs=[]))
        known = found.get(same)
        if known is None:
            found[same] = scene
        else:
            versions, runs = [*known.versions, *scene.versions], [*known.runs, *scene.runs]
            found[same] = msgspec.structs.replace(known, versions=versions, runs=runs)
    return list(found.values())


def painter_of(data: Data) -> Painter:
    """What makes the pictures of ``data``, with the backends and examples that the project describes."""
    return Painter(data, make_context(data.backends, readable_examples(examples_folder()), data.signatures))


def pictures(data: Data) -> dict[str, Picture]:
    """The picture of every mapping that has one, by ID."""
    painter = painter_of(data)
    found = {key: painter.picture(mapping) for key, mapping in data.mappings.items()}
    return {key: picture for key, picture in found.items() if picture is not None}


def rank_parts(api: Api, run: ProbeRun, world_size: int, unmodified: UnmodifiedBuffers) -> list[RankPart]:
    """What every rank did in a recorded run of a probe, in order of the ranks."""
    texts = text_arguments(run.ranks)
    before = {trace.rank: buffers_of(trace.before, texts) for trace in run.ranks}
    origins = Origins()
    for rank, buffers in before.items():
        seen: list[Held] = []
        for name, held in buffers.items():
            twin = any(held.storage is not None and held == other for other in seen)
            origins.add(rank, name, held.values, twin=twin)
            seen.append(held)
    by_rank = {trace.rank: trace for trace in run.ranks}
    calling, answering = callers(api, run.probe, world_size), partners(api, run.probe, world_size)
    other = partner(api, run.probe)
    found = []
    for rank in range(world_size):
        trace = by_rank.get(rank)
        part = "call" if rank in calling else "partner" if rank in answering else "nothing"
        calls = other.api if other and part == "partner" else ""
        if trace is None:
            found.append(RankPart(rank=rank, part=part, calls=calls, silent=True))
            continue
        after = None
        if trace.error is None:
            after = {**buffers_of(trace.after, texts), **returned_buffers(trace.returned)}
        found.append(
            RankPart(
                rank=rank,
                part=part,
                calls=calls,
                buffers=_buffers(rank, before[rank], after, origins, unmodified),
                returned=_returned(trace) if part != "nothing" else "",
                error=_error(trace),
            )
        )
    return found


def _buffers(
    rank: int, before: dict[str, Held], after: dict[str, Held] | None, origins: Origins, unmodified: UnmodifiedBuffers
) -> list[Buffer]:
    """The buffers of a rank; ``after`` is None where an error hides what they hold."""
    found = []
    for name in dict.fromkeys([*before, *(after or {})]):
        old, new = before.get(name), (after or {}).get(name)
        shown = new or old
        assert shown is not None
        changed = [_differs(old, new, index) for index in range(len(new.values))] if new else []
        surprising = bool(old) and any(changed) and unmodified.covers(name, rank)
        sharing = [
            other
            for other, held in before.items()
            if new and other != name and new.storage is not None and held.storage == new.storage
        ]
        own = {held.storage for held in before.values()}
        found.append(
            Buffer(
                name=name,
                dtype=shown.dtype,
                shape=shown.shape,
                before=_cells(rank, name, old, origins) if old else None,
                after=_cells(rank, name, new, origins, changed, surprising) if new else None,
                written=old is not None and new is not None and (any(changed) or new.shape != old.shape),
                fresh=new is not None and new.storage is not None and new.storage not in own,
                shares=sharing,
            )
        )
    return found


def _differs(old: Held | None, new: Held, index: int) -> bool:
    return old is None or index >= len(old.values) or old.values[index] != new.values[index]


def _cells(
    rank: int, name: str, held: Held, origins: Origins, changed: Sequence[bool] = (), surprising: bool = False
) -> list[Cell]:
    return [
        Cell(
            value=value,
            origin=origins.of(rank, name, index, value),
            changed=bool(changed) and changed[index],
            unexpected=surprising and changed[index],
        )
        for index, value in enumerate(held.values)
    ]


def _error(trace: RankTrace) -> str:
    """The exception in one line, its first words where it has many."""
    if trace.error is None:
        return ""
    words = " ".join(line.strip(" -") for line in trace.error.message.splitlines())
    text = f"{trace.error.type}: {words}" if words else trace.error.type
    return text if len(text) <= _ERROR_LENGTH else f"{text[: _ERROR_LENGTH - 1]}…"


def _returned(trace: RankTrace) -> str:
    """What came back where it is no buffer: ``None``, ``Work``, ``0``; empty where it is one, or an error."""
    if trace.returned is None or returned_buffers(trace.returned):
        return ""
    return _word(trace.returned)


def _word(value: Value) -> str:
    if isinstance(value, SequenceDump):
        items = ", ".join(map(_word, value.items))
        return f"[{items}]" if value.type == "list" else f"({items})"
    if isinstance(value, ObjectDump):
        return value.type
    return repr(value.value) if hasattr(value, "value") else RETURNED


def handle_of(api: Api, value: Value | None) -> str:
    """The class of the first handle among what came back: an object that holds no tensor. A class returns itself."""
    if api.kind is ApiKind.CLASS or value is None:
        return ""
    if isinstance(value, SequenceDump):
        return next((found for item in value.items if (found := handle_of(api, item))), "")
    return value.type if isinstance(value, ObjectDump) and not value.tensors else ""
