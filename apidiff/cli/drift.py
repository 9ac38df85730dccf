"""`apidiff drift`: what changed between two versions of a framework, and what in the database that touches."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from itertools import groupby

from rich.console import RenderableType
from rich.padding import Padding

from apidiff.cli.json_output import json_line
from apidiff.cli.output import language, show
from apidiff.database import ApidiffError, Data, load
from apidiff.database.backends import load_backends
from apidiff.database.checks import without_unusable
from apidiff.database.examples import readable_examples
from apidiff.database.passed_over import tell_passed_over
from apidiff.database.paths import examples_folder
from apidiff.derive.api_history import STUBS, Change, Reach, Touched, compare_files
from apidiff.execute.plan import apis_for
from apidiff.judge import make_context
from apidiff.messages.escape_invisible import visible
from apidiff.messages.history import change_text
from apidiff.messages.labels import label
from apidiff.messages.version_changes import change_entries
from apidiff.model.base import Language
from apidiff.model.signature import SignatureFile
from apidiff.model.verdict import Observation
from apidiff.model.version import Version, VersionError
from apidiff.model.views import ChangeEntry
from apidiff.verification import observations
from apidiff.writers.line import Line

_FRAMEWORKS = ("torch", "mindspore")
_WORDS = re.compile(r"`([\w.+\-\[\],=]*)`", re.ASCII)  # code that needs no quotes


class UnknownVersion(ApidiffError, LookupError):
    """A version of which there are no signatures, or two that no framework has both."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = (
        "Lists APIs added, removed and newly deprecated, parameters, defaults and members that changed between two "
        "versions of a framework, and the mappings and the documents' claims that this touches; then the claims whose "
        "verdict is another, where both versions were run on the same backend."
    )
    parser.add_argument("old", metavar="OLD", help="the older version, e.g. 2.7.1")
    parser.add_argument("new", metavar="NEW", help="the newer version, e.g. 2.10")
    parser.add_argument("--framework", choices=_FRAMEWORKS, help="needed where both have these versions")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the text (default: that of the locale)")
    parser.add_argument("--json", action="store_true", help="print JSON, which holds both languages")


def run(args: argparse.Namespace) -> int:
    """Prints the changes; 0 even where there are none. Raises UnknownVersion for versions without signatures."""
    data = without_unusable(load())
    tell_passed_over(data.unread, data.unchecked)
    old, new = files_of(data, args.framework, args.old, args.new)
    reach = Reach(data.mappings.values(), data.documents)
    changes = [(change, reach.touched(change)) for change in compare_files(old, new)]
    verdicts = _verdicts(data, new.framework, old.version, new.version)
    if args.json:
        told = None if verdicts is None else [_verdict_json(*verdict) for verdict in verdicts]
        drift = _json(old, new, changes) | {"verdicts": told}
        sys.stdout.buffer.write(json_line(drift, indent=1))
    else:
        _show(data, old, new, changes, language(args.lang))
        show(*_verdict_lines(verdicts, language(args.lang)))
    return 0


def _verdicts(data: Data, framework: str, old: str, new: str) -> list[tuple[str, ChangeEntry]] | None:
    """The claims whose verdict is another in ``new`` than in ``old``; None where no backend has records of both."""
    runs = [
        (key, record)
        for key, record in data.runs
        if record.framework == framework and record.framework_version in {old, new}
    ]
    places = [
        {(record.backend, record.device) for _, record in runs if record.framework_version == version}
        for version in (old, new)
    ]
    if not places[0] & places[1]:
        return None
    context = make_context(load_backends(), readable_examples(examples_folder()), data.signatures)
    apis = {api.name: api for version in (old, new) for api in apis_for(data, framework, version)}
    observed: dict[str, list[Observation]] = {}
    for key, record in runs:
        for api, claim, observation in observations(apis.values(), key, record, context):
            observed.setdefault(f"{api.name}#{claim.id}", []).append(observation)
    return [(claim, change) for claim, seen in sorted(observed.items()) for change in change_entries(seen, {})]


def _verdict_json(claim: str, change: ChangeEntry) -> dict[str, object]:
    before, after = change.spans
    return {
        "claim": claim,
        "backend": change.backend,
        "device": change.device,
        "world_sizes": change.world_sizes,
        "before": before.outcome,
        "after": after.outcome,
        "runs": [*next(iter(before.runs.values())), *next(iter(after.runs.values()))],
    }


def _verdict_lines(verdicts: list[tuple[str, ChangeEntry]] | None, chosen: Language) -> Iterator[RenderableType]:
    yield Line("")
    if not verdicts:
        yield Line(label("drift.verdicts_unknown" if verdicts is None else "drift.verdicts_none", chosen))
        return
    yield Line(label("drift.verdicts", chosen), style="bold")
    for claim, change in verdicts:
        before, after = (label(f"outcome.{span.outcome}", chosen) for span in change.spans)
        sizes = label("site.comma", chosen).join(map(str, change.world_sizes))
        where = label("drift.where", chosen, backend=change.backend, device=change.device, sizes=sizes)
        yield _indented(("• ", ""), (claim, "cyan"), (f"  {before} → {after}", ""), (f"  {where}", "dim"))


def files_of(data: Data, framework: str | None, old: str, new: str) -> tuple[SignatureFile, SignatureFile]:
    """The two signature files meant. A version such as 2.10 means the newest known 2.10.x.

    Raises UnknownVersion where there is none, where the framework is not clear, or where OLD is not the older one.
    """
    pairs = {
        name: (_file(data, name, old), _file(data, name, new)) for name in ([framework] if framework else _FRAMEWORKS)
    }
    whole = {name: (first, second) for name, (first, second) in pairs.items() if first and second}
    if not whole:
        known = "; ".join(f"{name}: {', '.join(_versions(data, name))}" for name in pairs)
        wheel = "`apidiff signatures extract --framework FRAMEWORK --wheel FILE`"
        raise UnknownVersion(f"No framework has signatures of both {old} and {new}. Known: {known}. Add one: {wheel}.")
    if len(whole) > 1:
        raise UnknownVersion(f"Both frameworks have {old} and {new}. Say which with --framework {'|'.join(whole)}.")
    [(first, second)] = whole.values()
    if Version(first.version) >= Version(second.version):
        raise UnknownVersion(f"{first.version} is not older than {second.version}. Give the older version first.")
    return first, second


def _file(data: Data, framework: str, typed: str) -> SignatureFile | None:
    try:
        wanted = Version(typed)
    except VersionError as error:
        raise UnknownVersion(f"{error}. Give two releases, e.g. 2.7.1 2.10.") from error
    covered = [version for version in _versions(data, framework) if wanted.covers(Version(version))]
    return data.signatures[framework, covered[-1]] if covered else None


def _versions(data: Data, framework: str) -> list[str]:
    return sorted((version for name, version in data.signatures if name == framework), key=Version)


def _json(old: SignatureFile, new: SignatureFile, changes: list[tuple[Change, Touched]]) -> dict[str, object]:
    return {
        "framework": new.framework,
        "old": old.version,
        "new": new.version,
        "changes": [
            {
                "api": change.api,
                "change": change.kind.value,
                "names": change.names,
                "old": change.old,
                "new": change.new,
                "text": change_text(change),
                "evidence": change.evidence,
                "mappings": reached.mappings,
                "stated_claims": reached.claims,
            }
            for change, reached in changes
        ],
    }


def _show(
    data: Data, old: SignatureFile, new: SignatureFile, changes: list[tuple[Change, Touched]], chosen: Language
) -> None:
    title = Line(f"{label(f'framework.{new.framework}', chosen)} {old.version} → {new.version}", style="bold")
    if not changes:
        show(title, Line(label("drift.none", chosen)))
        return
    blocks: list[RenderableType] = []
    for api, group in groupby(changes, key=lambda pair: pair[0].api):
        blocks += [*_block(api, list(group), chosen), Line("")]
    mappings = {key for _, reached in changes for key in reached.mappings}
    claims = {key for _, reached in changes for key in reached.claims}
    count = label(
        "drift.count", chosen, changes=len(changes), mappings=len(mappings), claims=len(claims), all=len(data.mappings)
    )
    show(title, Line(""), *blocks, Line(count))


def _block(api: str, changes: list[tuple[Change, Touched]], chosen: Language) -> Iterator[RenderableType]:
    """What changed of one API and what that touches; claims without the API's name, which stands above them."""
    yield Line(api, style="bold cyan")
    for change, _ in changes:
        text = change_text(change)
        note = f" [{label('timeline.stubs', chosen)}]" if change.evidence == STUBS else ""
        sentence = visible(_WORDS.sub(r"\1", text.said_in(chosen)))
        yield _indented(("• ", ""), (sentence, ""), (note, "dim"))
    claims = {key: documents for _, reached in changes for key, documents in reached.claims.items()}
    rows = {
        "drift.mappings": sorted({key for _, reached in changes for key in reached.mappings}),
        "drift.claims": sorted(key.rpartition("#")[2] for key in claims),
        "drift.documents": sorted({document for documents in claims.values() for document in documents}),
    }
    for key, names in rows.items():
        if names:
            yield _indented((label(key, chosen), "dim"), (label("site.comma", chosen).join(names), "dim"))


def _indented(*parts: tuple[str, str]) -> RenderableType:
    return Padding(Line.assemble(*parts), (0, 0, 0, 2))
