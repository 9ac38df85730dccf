"""The result of a scan: findings with their places, and for each file how much of it is verified, unsafe, manual, unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from apidiff.messages.labels import filled
from apidiff.model.base import Text
from apidiff.model.vocabulary import DifferenceKind, Reach, Risk
from apidiff.porting.file_scan import Reference
from apidiff.porting.finding_codes import RENAME, finding_codes, name_ends
from apidiff.porting.judgement import Judge, Judgement, Label
from apidiff.porting.source_files import Problem
from apidiff.porting.tree_scan import ScannedFile

RISKS = [risk.value for risk in Risk]


class PlacedReference(msgspec.Struct, frozen=True, gc=False):
    """A reference to ``source`` at its place. Lines and columns count from 1, columns in characters; the end is exclusive.

    ``cell``: of a notebook, in which lines are counted then.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None
    source: str


class Finding(PlacedReference, frozen=True, gc=False):
    """A difference that a call meets.

    ``fix``: verified, unsafe or manual. ``replacement``: the name to write there, where that is the whole edit. ``id``: the
    same as long as API and difference are. ``code``: that of the kind.
    """

    target: str | None
    id: str
    code: str
    kind: str
    risk: str
    reach: str
    headline: Text
    fix: str
    replacement: str | None = None
    help: Text | None = None


class Rename(PlacedReference, frozen=True, gc=False):
    """A reference whose whole edit is another name, proven by runs."""

    target: str


class FileShares(msgspec.Struct, frozen=True, gc=False):
    """How the references of a file are answered. ``possible``: methods of something unknown, which are not counted."""

    file: str
    references: int
    verified: int
    unsafe: int
    manual: int
    unknown: int
    possible: int
    ignored: int


class Used(msgspec.Struct, frozen=True, gc=False):
    """An API, how often it is used, and by which differences its uses are met: ID → number."""

    source: str
    target: str | None
    uses: int
    labels: dict[str, int]


class ScanReport(msgspec.Struct, frozen=True):
    """The whole result. ``findings`` are those of ``reach`` everyday and edge, in the order of the files.

    ``references`` counts places that name an API, ``answered`` those with a mapping at this version. ``baselined``: findings that
    the baseline holds and that are left out.
    """

    mindspore: str
    device: str | None
    files: list[FileShares]
    references: int
    answered: int
    possible: int
    findings: list[Finding]
    apis: list[Used]
    problems: list[Problem]
    baselined: int = 0
    renames: list[Rename] = []

    def shares(self) -> dict[str, int]:
        """The references by label, over all files."""
        return {label.value: sum(getattr(file, label.value) for file in self.files) for label in Label}

    def everyday(self) -> list[Finding]:
        """The findings that everyday calls meet."""
        return [finding for finding in self.findings if finding.reach == Reach.EVERYDAY.value]


def make_report(
    scanned: Iterable[ScannedFile],
    judge: Judge,
    mindspore: str,
    device: str | None,
    problems: Sequence[Problem] = (),
    baseline: Counter[tuple[str, str, str]] | None = None,
) -> ScanReport:
    """Judge every reference and count.

    Args:
        scanned: the files with their references.
        judge: judges a reference.
        mindspore: the release that it judges for.
        device: the device, as the user names it.
        problems: what could not be listed.
        baseline: findings to leave out, by file, source and ID, with their number.
    """
    left, codes = Counter(baseline or ()), finding_codes()
    files, findings, every, renames = [], [], list(problems), []
    labels: dict[str, Counter[str]] = {}
    targets: dict[str, str | None] = {}
    baselined = 0
    for file in scanned:
        path = _as_text(file.names.path)
        counts: Counter[str] = Counter()
        every += file.names.problems
        for reference in file.references:
            if reference.possible:
                counts["possible"] += 1
                continue
            passed_over = _passed_over(reference, file.names.ignored)
            if reference.name in passed_over:
                counts["ignored"] += 1
                continue
            judgement = judge.judge(reference.name, reference.role, reference.form)
            counts[judgement.label.value] += 1
            labels.setdefault(reference.name, Counter())[judgement.label.value] += 1
            targets.setdefault(reference.name, judgement.target)
            if judgement.replacement is not None and reference.role != "import" and codes[RENAME] not in passed_over:
                renames.append(_rename(path, reference, judgement.replacement))
            for finding in _findings(path, reference, judgement):
                if finding.code in passed_over:
                    continue
                key = finding.file, finding.source, finding.id
                if left[key] > 0:
                    left[key] -= 1
                    baselined += 1
                else:
                    findings.append(finding)
        files.append(
            FileShares(
                file=path,
                references=sum(counts[label.value] for label in Label),
                verified=counts["verified"],
                unsafe=counts["unsafe"],
                manual=counts["manual"],
                unknown=counts["unknown"],
                possible=counts["possible"],
                ignored=counts["ignored"],
            )
        )
    references = sum(file.references for file in files)
    return ScanReport(
        mindspore=mindspore,
        device=device,
        files=files,
        references=references,
        answered=references - sum(file.unknown for file in files),
        possible=sum(file.possible for file in files),
        findings=findings,
        apis=sorted(
            (Used(name, targets[name], sum(of.values()), dict(of)) for name, of in labels.items()),
            key=lambda used: (-used.uses, used.source),
        ),
        problems=[msgspec.structs.replace(problem, path=_as_text(problem.path)) for problem in every],
        baselined=baselined,
        renames=renames,
    )


def _as_text(path: str) -> str:
    """The name of a file in a report; bytes of it that are no UTF-8, which no report could hold, as their numbers."""
    return path.encode("utf-8", "backslashreplace").decode()


def _passed_over(reference: Reference, ignored: dict[int, frozenset[str]]) -> set[str]:
    """The codes that comments on its lines tell to pass over, and its name where all that is there or this API shall be.

    An API is named by its full name or the end of it.
    """
    found: set[str] = set()
    for line in range(reference.span.line, reference.span.end_line + 1) if ignored else ():
        listed = ignored.get(line)
        if listed is not None:
            found.update(code for code in finding_codes().values() if code in listed)
            if not listed or not listed.isdisjoint(name_ends(reference.name)):
                found.add(reference.name)
    return found


def _findings(path: str, reference: Reference, judgement: Judgement) -> Iterable[Finding]:
    span, codes = reference.span, finding_codes()
    for met in judgement.differences:
        yield Finding(
            file=path,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            cell=span.cell,
            source=reference.name,
            target=judgement.target,
            id=met.id,
            code=codes[met.kind],
            kind=met.kind,
            risk=met.risk,
            reach=met.reach,
            headline=_with_index(met.headline, reference) if met.kind == DifferenceKind.DTYPE.value else met.headline,
            fix=judgement.label.value,
            replacement=judgement.replacement,
            help=judgement.help,
        )


def _with_index(headline: Text, reference: Reference) -> Text:
    """A headline about the dtype of what is returned, with the line where its indices are passed on as an index."""
    if reference.index is None:
        return headline
    more = filled("scan.used_as_index", line=str(reference.index.line))
    return Text(en=f"{headline.en}; {more.en}", zh=f"{headline.zh}；{more.zh}")


def _rename(path: str, reference: Reference, target: str) -> Rename:
    span = reference.span
    place = span.line, span.column, span.end_line, span.end_column, span.cell
    return Rename(path, *place, reference.name, target)
