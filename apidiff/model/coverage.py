"""Coverage: what has been run and what has not, counted from entries and run records.

Kinds of not knowing are never folded together: a call that a backend has no kernel for is ``unsupported`` and has a run
record; a claim without a verdict is ``not run``, and says why. ``apidiff.derive.coverage`` counts.
"""

from __future__ import annotations

from enum import Enum

from apidiff.model.base import Record, Text


class NotRun(Enum):
    """Why a claim has no verdict at a place."""

    NO_DEVICE = "no_device"  # the backend was never run: its device was not at hand
    NO_PROBE = "no_probe"  # no probe can observe the claim; the record says why
    NOT_THERE = "not_there"  # no version range has the API in this framework version, or the release lacks it
    ONE_RANK = "one_rank"  # all run records of this place have a single rank, which cannot show it
    NOT_RECORDED = "not_recorded"  # the run records of this place give no verdict


class SizeCoverage(Record, frozen=True, kw_only=True):
    """Claims by their worst outcome at one world size. ``not_run``: those that have a verdict at other sizes only."""

    world_size: int
    runs: list[str]
    outcomes: dict[str, int]
    not_run: int


class PlaceCoverage(Record, frozen=True, kw_only=True):
    """Claims of one framework version on one backend. ``outcomes``: by the worst over all world sizes.

    ``outcomes`` and ``not_run`` (by `NotRun`) add up to ``claims``: all claims of the framework.
    """

    framework: str
    framework_version: str
    backend: str
    device: str
    claims: int
    outcomes: dict[str, int]
    not_run: dict[str, int]
    sizes: list[SizeCoverage]


class ApiCount(Record, frozen=True, kw_only=True):
    """Claims of one API, and the mapping that holds them. ``ids``: of the claims."""

    api: str
    mapping: str
    ids: list[str]


class NeverRun(Record, frozen=True, kw_only=True):
    """A backend of which this project has no run record: what it looks for, and every claim that waits for it."""

    framework: str
    backend: str
    device: str
    looks_for: Text
    claims: int
    apis: list[ApiCount]


class RefutedStatement(Record, frozen=True, kw_only=True):
    """A claim that a document states and runs do not bear out, and where they do not ('gloo, 2.13.0').

    ``standing``: as of `ContradictedEntry`.
    """

    claim: str
    mapping: str
    standing: str
    places: list[str]


class WithoutRun(Record, frozen=True, kw_only=True):
    """A claim without any verdict. ``reason``: in words, where the record gives one."""

    claim: str
    mapping: str
    why: str
    reason: Text | None = None


class Unsupported(Record, frozen=True, kw_only=True):
    """Claims on calls that a backend says it has no kernel for, by API."""

    framework: str
    framework_version: str
    backend: str
    device: str
    claims: int
    apis: list[ApiCount]


class VersionChange(Record, frozen=True, kw_only=True):
    """Two versions of a framework that ran on the same backend: how many claims are judged in both, and how many otherwise."""

    framework: str
    backend: str
    device: str
    before: str
    after: str
    compared: int
    changed: int


class RunAge(Record, frozen=True, kw_only=True):
    """A run record's date, and the known releases of its framework that are newer and have no record on its backend."""

    id: str
    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    date: str
    newer: list[str]


class PairCoverage(Record, frozen=True, kw_only=True):
    """Targets of one MindSpore version on one device that were called with the same samples as their sources.

    ``agreements``: targets by the worst of their facets; they add up to ``targets``. ``not_run``: targets of mappings whose calls
    are made in a single process that no run of this version and device compares.
    """

    framework_version: str
    device: str
    targets: int
    agreements: dict[str, int]
    not_run: int


class Coverage(Record, frozen=True, kw_only=True):
    """The whole dashboard. Claims that mappings share count once."""

    mappings: int = 0
    claims: int = 0
    judged: int = 0  # claims with at least one verdict
    stated: int = 0  # claims that a document states
    places: list[PlaceCoverage] = []
    never_run: list[NeverRun] = []
    refuted: list[RefutedStatement] = []
    without_run: list[WithoutRun] = []
    unsupported: list[Unsupported] = []
    pairs: list[PairCoverage] = []
    changes: list[VersionChange] = []
    runs: list[RunAge] = []
