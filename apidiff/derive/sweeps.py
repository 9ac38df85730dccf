"""Brings the claims of a sweep together: tables of what each dtype or part of a tensor does, and where both sides differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from apidiff.derive.verdicts_by_run import deciding
from apidiff.model.claim import Claim, ClaimKind
from apidiff.model.mapping import Api
from apidiff.model.probe import Layout, Sweep, tensors_in
from apidiff.model.probe_resolution import collective_of
from apidiff.model.verdict import Outcome
from apidiff.model.views import ClaimEntry, SweptEntry
from apidiff.model.vocabulary import DifferenceKind, Reach, Risk

# How a reader would write the part of a vector f or of a matrix m.
LAYOUT_CODE = {
    Layout.SLICE: "f[n:2*n]",
    Layout.HEAD: "f[:n]",
    Layout.ROW: "m[1]",
    Layout.FIRST_ROW: "m[0]",
    Layout.CHUNK: "f.chunk(3)[1]",
    Layout.TRANSPOSED: "m.T",
    Layout.STRIDED: "f[::2]",
    Layout.HEAD_CONTIGUOUS: "f[:n].contiguous()",
    Layout.SLICE_COPIED: "f[n:2*n].copy()",
    Layout.CHUNKS: "list(f.chunk(n))",
    Layout.ROWS: "[m[i] for i in range(n)]",
}

# What everyday code communicates: these dtypes, and slices, since gradient buckets and flat parameters are made of them.
_USUAL = {
    *("float32", "float16", "bfloat16", "int64"),
    *(layout.value for layout in (Layout.SLICE, Layout.HEAD, Layout.ROW, Layout.CHUNKS)),
}


def value_code(sweep: Sweep, value: str) -> str:
    """A dtype, or a layout as code."""
    return value if sweep is Sweep.DTYPE else LAYOUT_CODE[Layout(value)]


class Effect(Enum):
    """What a call did with one dtype, or with a part of a larger tensor."""

    WORKS = "works"
    WRONG = "wrong"  # without an error
    SPILLS = "spills"  # what lies around the part is changed too
    REFUSED = "refused"
    HANGS = "hangs"
    CRASHES = "crashes"
    FLAKY = "flaky"


@dataclass(frozen=True, order=True)
class Place:
    """Where runs were made."""

    framework: str
    version: str
    backend: str
    device: str


@dataclass(frozen=True)
class Cell:
    """What runs showed of one value in one API, and the claims that say so.

    ``runs``: for each place a run record and the probe in it that show the effect.
    """

    effects: dict[Place, Effect]
    runs: dict[Place, tuple[str, str]]
    claims: list[str]


@dataclass(frozen=True)
class SweepTable:
    """``columns``: each an API and, of parts, the argument that is one; ``rows``: by dtype or layout, a cell per column."""

    sweep: Sweep
    columns: list[tuple[str, str]]
    rows: dict[str, list[Cell]]


SweptClaims = dict[tuple[str, str], list[ClaimEntry]]  # by argument and value


@dataclass(frozen=True)
class SweptDifference:
    """What a target does with values of a sweep that the source takes. ``effects``: what of it is told.

    ``claims``: those on the values; ``all_claims``: those on all values of the sweep.
    """

    id: str
    sweep: Sweep
    kind: DifferenceKind
    risk: Risk
    effects: frozenset[Effect]
    claims: SweptClaims
    all_claims: SweptClaims

    @property
    def reach(self) -> Reach:
        """Everyday where one of the values is what everyday code communicates."""
        return Reach.EVERYDAY if _USUAL.intersection(value for _, value in self.claims) else Reach.EDGE

    @property
    def places(self) -> list[Place]:
        """Where runs showed it."""
        cells = [cell_of(claims) for claims in self.claims.values()]
        return sorted({place for cell in cells for place, effect in cell.effects.items() if effect in self.effects})


def swept(claim: Claim, api: Api) -> SweptEntry | None:
    """What a claim's probe passes of a sweep, or None where it is of none."""
    probe = collective_of(api).probes.get(claim.probes[0]) if len(claim.probes) == 1 else None
    if probe is None or probe.sweep is None:
        return None
    given = [*probe.set.items(), *(item for row in probe.on_rank.values() for item in row.items())]
    if probe.sweep is Sweep.DTYPE:
        return SweptEntry(sweep=probe.sweep.value, value=claim.probes[0].removeprefix("dtype-"))
    for name, value in given:
        layouts = {tensor.layout for tensor in tensors_in(value)} - {Layout.CONTIGUOUS}
        if layouts:
            return SweptEntry(sweep=probe.sweep.value, value=layouts.pop().value, argument=name)
    return None


def sweep_tables(claims: Iterable[ClaimEntry]) -> list[SweepTable]:
    """A table per sweep of which runs say anything, in the order of the claims."""
    by_sweep: dict[str, list[ClaimEntry]] = {}
    for claim in claims:
        if claim.swept is not None:
            by_sweep.setdefault(claim.swept.sweep, []).append(claim)
    tables = [_table(Sweep(sweep), mine) for sweep, mine in by_sweep.items()]
    return [table for table in tables if table.columns]


def _table(sweep: Sweep, claims: list[ClaimEntry]) -> SweepTable:
    columns: dict[tuple[str, str], dict[str, list[ClaimEntry]]] = {}
    for claim in claims:
        if claim.swept is not None:
            column = columns.setdefault((claim.subject, claim.swept.argument), {})
            column.setdefault(claim.swept.value, []).append(claim)
    values = list(dict.fromkeys(claim.swept.value for claim in claims if claim.swept))
    run = {key: column for key, column in columns.items() if any(c.summary for cs in column.values() for c in cs)}
    rows = {value: [cell_of(column.get(value, [])) for column in run.values()] for value in values}
    return SweepTable(sweep, list(run), rows)


def cell_of(claims: Sequence[ClaimEntry]) -> Cell:
    """What runs showed by the claims on one value in one API."""
    seen: dict[Place, dict[str, set[Outcome]]] = {}
    for claim in claims:
        what = "rest" if claim.kind == ClaimKind.KEEPS_REST.value else "result"
        for row in claim.summary:
            place = Place(row.framework, row.framework_version, row.backend, row.device)
            seen.setdefault(place, {}).setdefault(what, set()).add(Outcome(row.outcome))
    effects = {place: _effect(parts.get("result", set()), parts.get("rest", set())) for place, parts in seen.items()}
    return Cell(effects, _runs(claims), [claim.id for claim in claims])


def _runs(claims: Sequence[ClaimEntry]) -> dict[Place, tuple[str, str]]:
    """A run for each place, of a claim that does not hold there if any."""
    runs: dict[Place, tuple[str, str]] = {}
    for claim in claims:
        for seen in deciding(claim):
            place = Place(seen.framework, seen.framework_version, seen.backend, seen.device)
            if place not in runs or seen.outcome is not Outcome.HOLDS:
                runs[place] = (seen.run, seen.probe)
    return runs


_ENDS = {
    Outcome.CRASH: Effect.CRASHES,
    Outcome.TIMEOUT: Effect.HANGS,
    Outcome.ERROR: Effect.REFUSED,
    Outcome.UNSUPPORTED: Effect.REFUSED,
    Outcome.FLAKY: Effect.FLAKY,
}


def _effect(result: set[Outcome], rest: set[Outcome]) -> Effect:
    for outcome, effect in _ENDS.items():
        if outcome in result | rest:
            return effect
    if Outcome.REFUTED in result:
        return Effect.WRONG
    return Effect.SPILLS if Outcome.REFUTED in rest else Effect.WORKS


_WRONG = frozenset({Effect.WRONG, Effect.SPILLS})
_REFUSED = frozenset({Effect.REFUSED, Effect.HANGS, Effect.CRASHES})


def swept_differences(source: Iterable[ClaimEntry], target: Iterable[ClaimEntry]) -> Iterator[SweptDifference]:
    """Differences that the runs of a sweep show: the source does with a value what the target does not.

    Silent where the target gives a wrong result or changes what it was not given, an error where it refuses.
    """
    theirs, ours = list(source), list(target)
    for sweep in Sweep:
        sound = _sound_values(_of(sweep, theirs))
        mine = _of(sweep, ours)
        wrong, refused = _showing(mine, sound, _WRONG), _showing(mine, sound, _REFUSED)
        if wrong and sweep is Sweep.VIEW:
            kind = DifferenceKind.IN_PLACE
            yield SweptDifference("parts-of-tensors", sweep, kind, Risk.SILENT, _WRONG, wrong, mine)
        elif wrong:
            kind, effects = DifferenceKind.DTYPE, frozenset({Effect.WRONG})
            yield SweptDifference("dtypes-wrong", sweep, kind, Risk.SILENT, effects, wrong, mine)
        if refused:
            kind = DifferenceKind.BACKEND_SUPPORT
            yield SweptDifference(f"{sweep.value}s-refused", sweep, kind, Risk.ERROR, _REFUSED, refused, mine)


def _of(sweep: Sweep, claims: Iterable[ClaimEntry]) -> SweptClaims:
    by_value: SweptClaims = {}
    for claim in claims:
        if claim.swept is not None and claim.swept.sweep == sweep.value:
            by_value.setdefault((claim.swept.argument, claim.swept.value), []).append(claim)
    return by_value


def _sound_values(claims: SweptClaims) -> set[str]:
    """The values with which the source works wherever it was run."""
    seen: dict[str, set[Effect]] = {}
    for (_, value), mine in claims.items():
        seen.setdefault(value, set()).update(cell_of(mine).effects.values())
    return {value for value, effects in seen.items() if effects == {Effect.WORKS}}


def _showing(claims: SweptClaims, values: set[str], effects: frozenset[Effect]) -> SweptClaims:
    return {
        key: mine for key, mine in claims.items() if key[1] in values and effects & set(cell_of(mine).effects.values())
    }
