"""Version ranges: from the first release a mapping covers on, every release has exactly one answer."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.checks.subject import Place, Subject
from apidiff.database.data import Data
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError
from apidiff.model.mapping import Otherwise, Target, TargetRange
from apidiff.model.ranges import holds, status_at
from apidiff.model.signature import SignatureFile
from apidiff.model.version import Version, VersionError, read_version
from apidiff.model.vocabulary import Status


def bounds_are_versions(subject: Subject) -> Iterator[DataError]:
    """Both ends of every range are release versions, the first not after the last."""
    spans: list[tuple[Place, TargetRange | Otherwise]] = [
        (("targets", t, "ranges", i), span)
        for t, target in enumerate(subject.mapping.targets)
        for i, span in enumerate(target.ranges)
    ]
    spans += [(("otherwise", i), answer) for i, answer in enumerate(subject.mapping.otherwise)]
    for at, span in spans:
        try:
            since, until = (None if bound is None else read_version(bound) for bound in (span.since, span.until))
        except VersionError as error:
            yield subject.error(at, str(error), "Write it as 2.4 or 2.4.10.")
            continue
        if since and until and since > until and not until.covers(since):
            yield subject.error(at, f"a range from {since} to {until} is empty", "Swap the two ends.")


def answers_partition_the_releases(subject: Subject) -> Iterator[DataError]:
    """From the first release covered on, each known one has one current target or one ``otherwise``."""
    mapping = subject.mapping
    releases = sorted(_releases(subject))
    covered = [
        bool(_standing(mapping.targets, release) or _otherwise(mapping.otherwise, release)) for release in releases
    ]
    if True not in covered:
        remedy = "Add a target with its ranges, or an 'otherwise' that says what people do instead."
        yield subject.error((), f"{mapping.id} has no answer at any known MindSpore release", remedy)
        return
    for release in releases[covered.index(True) :]:
        standing = _standing(mapping.targets, release)
        current = [name for name, statuses in standing.items() if Status.CURRENT in statuses]
        answers = _otherwise(mapping.otherwise, release)
        for name, statuses in standing.items():
            if len(statuses) > 1:
                found = f"at MindSpore {release} {name} is {' and '.join(status.value for status in statuses)}"
                yield subject.error(("targets",), found, "Mend its ranges: they may not overlap.")
                return
        if len(current) + len(answers) != 1:
            given = [*current, *(f"otherwise {answer.answer.value}" for answer in answers)]
            if answers:
                found = f"at MindSpore {release} {len(given)} answers stand ({', '.join(given)})"
            else:
                found = f"at MindSpore {release} {len(current)} targets are current ({', '.join(current) or 'none'})"
            remedy = "Mend the ranges: each release has one current target, or one 'otherwise'."
            yield subject.error(("otherwise",) if answers else ("targets",), found, remedy)
            return


def _releases(subject: Subject) -> Iterator[Version]:
    for known in subject.data.frameworks.get("mindspore", []):
        try:
            yield read_version(known.version)
        except VersionError:
            continue


def _standing(targets: list[Target], release: Version) -> dict[str, list[Status]]:
    """Every standing of each target that has one at ``release``."""
    found: dict[str, list[Status]] = {}
    for target in targets:
        if status_at(target, release) is not None:
            found[target.api.name] = [span.status for span in target.ranges if holds(span.since, span.until, release)]
    return found


def _otherwise(answers: list[Otherwise], release: Version) -> list[Otherwise]:
    return [answer for answer in answers if holds(answer.since, answer.until, release)]


def in_range(data: Data, target: Target) -> list[SignatureFile]:
    """The MindSpore signature files, newest first, of the versions in which ``target`` is said to be there."""
    return [
        file
        for file in newest_first(data.signatures, "mindspore")
        if status_at(target, read_version(file.version)) not in {None, Status.REMOVED}
    ]
