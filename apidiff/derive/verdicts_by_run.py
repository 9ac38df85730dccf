"""The verdict of each run record on a claim, and where records disagree."""

from __future__ import annotations

from collections.abc import Iterable

from apidiff.messages.escape_invisible import one_line
from apidiff.messages.labels import LABELS, Language, label
from apidiff.model import Observation, Outcome, Text, worst_outcome
from apidiff.model.version import Version
from apidiff.model.views import DisputeEntry

Place = tuple[str, str, str, str]  # framework, its version, backend, device
ByRun = dict[Place, dict[int, dict[str, Outcome]]]  # by place, world size and run record


def by_run(observed: Iterable[Observation]) -> ByRun:
    """What each run record says, the worst over its probes; world sizes in order."""
    seen: dict[Place, dict[int, dict[str, list[Outcome]]]] = {}
    for one in observed:
        place = (one.framework, one.framework_version, one.backend, one.device)
        seen.setdefault(place, {}).setdefault(one.world_size, {}).setdefault(one.run, []).append(one.outcome)
    return {
        place: {
            size: {run: worst_outcome(found) for run, found in sorted(runs.items())}
            for size, runs in sorted(by_size.items())
        }
        for place, by_size in seen.items()
    }


def disputes(observed: Iterable[Observation]) -> list[DisputeEntry]:
    """Where records of one version, backend, device and world size disagree, newest version first."""
    observed = list(observed)
    measurers = {one.run: one.measured_by for one in observed}
    found = [
        DisputeEntry(
            framework=framework,
            framework_version=version,
            backend=backend,
            device=device,
            world_size=size,
            outcomes={run: outcome.value for run, outcome in runs.items()},
            text=Text(en=told["en"], zh=told["zh"]),
        )
        for (framework, version, backend, device), by_size in by_run(observed).items()
        for size, runs in by_size.items()
        if len(set(runs.values())) > 1
        for told in [_told((framework, version, backend, device), size, runs, measurers)]
    ]
    return sorted(found, key=lambda one: Version(one.framework_version), reverse=True)


_LANGUAGES: tuple[Language, ...] = ("en", "zh")


def _told(place: Place, size: int, runs: dict[str, Outcome], measurers: dict[str, str | None]) -> dict[Language, str]:
    framework, version, backend, device = place
    said: dict[Language, str] = {}
    for language in _LANGUAGES:
        head = label("dispute.head", language).format(
            framework=label(f"framework.{framework}", language),
            version=version,
            backend=backend,
            device=device,
            size=size,
        )
        each = [
            label("dispute.each", language).format(
                outcome=label(f"outcome.{outcome.value}", language),
                run=run,
                measurer=measurer(measurers[run], language),
            )
            for run, outcome in runs.items()
        ]
        said[language] = head + label("site.semicolon", language).join(each)
    return said


def measurer(measured_by: str | None, language: Language) -> str:
    """Who made a record: in their words, on one line; this project where they say nothing."""
    text = LABELS["run.this_project"]
    return one_line(measured_by) if measured_by else text.en if language == "en" else text.zh
