"""Says in which version a verdict changed, and where run records disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from apidiff.database.runs import short_id
from apidiff.derive.verdicts_by_run import Known, changes, confirmations, disputes
from apidiff.messages.escape_invisible import one_line, unquoted
from apidiff.messages.labels import label, pieces
from apidiff.model.base import Language, Text
from apidiff.model.trust import Trust
from apidiff.model.verdict import Observation
from apidiff.model.views import (
    ChangeEntry,
    Confirmation,
    ConfirmationEntry,
    Dispute,
    DisputeEntry,
    VerdictChange,
    VersionSpan,
)


class Linked(NamedTuple):
    """A version in a sentence, with the run records that it rests on."""

    version: str
    runs: Sequence[str]


class Maker(NamedTuple):
    """Who made a record, in their own words, and who vouches for it, by the name known of them where they signed it."""

    measured_by: str | None
    trust: Trust
    signer: str = ""


def change_entries(observed: Iterable[Observation], known: Known) -> list[ChangeEntry]:
    """The changes of one claim's verdict with their sentences. ``known``: the versions of each framework."""
    return [
        ChangeEntry(
            **msgspec.structs.asdict(change),
            text=Text(en="".join(map(_plain, sentence(change, "en"))), zh="".join(map(_plain, sentence(change, "zh")))),
        )
        for change in changes(observed, known)
    ]


def _plain(part: str | Linked) -> str:
    return part if isinstance(part, str) else part.version


def sentence(change: VerdictChange, language: Language) -> list[str | Linked]:
    """The change in words, in pieces: ``MindSpore on mccl (cpu), 3 ranks: holds up to 2.7.1, refuted from 2.8.0 on.``."""
    comma, semicolon = label("site.comma", language), label("site.semicolon", language)
    head = label(
        "change.head",
        language,
        framework=label(f"framework.{change.framework}", language),
        backend=change.backend,
        device=change.device,
        sizes=comma.join(map(str, change.world_sizes)),
    )
    parts: list[str | Linked] = [head]
    for number, span in enumerate(change.spans):
        if number:
            parts.append(label("change.then", language))
        where = "first" if number == 0 else "last" if number == len(change.spans) - 1 else "middle"
        parts += _span(where, span, language)
    for before, after in pairwise(change.spans):
        for key, versions in (("unjudged", after.unjudged), ("disputed", after.disputed)):
            if versions:
                ends = {"before": list(before.runs)[-1], "after": next(iter(after.runs))}
                said = label(f"change.{key}", language, versions=comma.join(versions), **ends)
                parts.append(semicolon + said)
    parts.append(label("change.end", language))
    return parts


def _span(where: str, span: VersionSpan, language: Language) -> Iterator[str | Linked]:
    """The words of a span, its first and last version linked where they are named."""
    versions = list(span.runs)
    values: dict[str, str | Linked] = {
        name: Linked(version, span.runs[version]) for name, version in (("first", versions[0]), ("last", versions[-1]))
    }
    values["outcome"] = label(f"outcome.{span.outcome}", language)
    if where == "middle" and len(versions) == 1:
        where = "one"
    return pieces(f"change.{where}", language, values)


def dispute_entries(observed: Iterable[Observation]) -> list[DisputeEntry]:
    """The disputes about one claim with their sentences."""
    observed = list(observed)
    makers = makers_of(observed)
    return [
        DisputeEntry(
            **msgspec.structs.asdict(dispute),
            text=Text(en=_dispute(dispute, makers, "en"), zh=_dispute(dispute, makers, "zh")),
        )
        for dispute in disputes(observed)
    ]


def dispute_head(dispute: Dispute) -> str:
    """Names the label of what stands before the records that disagree: whether any but unsigned ones do."""
    return "dispute.head" if dispute.vouched_for else "dispute.head_unsigned"


def _dispute(dispute: Dispute, makers: Mapping[str, Maker], language: Language) -> str:
    head = label(
        dispute_head(dispute),
        language,
        framework=label(f"framework.{dispute.framework}", language),
        version=dispute.framework_version,
        backend=dispute.backend,
        device=dispute.device,
        size=dispute.world_size,
    )
    each = [
        label(
            "dispute.each",
            language,
            outcome=label(f"outcome.{outcome}", language),
            run=short_id(run),
            measurer=measurer(makers[run], language),
        )
        for run, outcome in dispute.outcomes.items()
    ]
    return head + label("site.semicolon", language).join(each)


def confirmation_entries(observed: Iterable[Observation]) -> list[ConfirmationEntry]:
    """Where independent records agree about one claim, with the sentences."""
    observed = list(observed)
    makers = makers_of(observed)
    return [
        ConfirmationEntry(
            **msgspec.structs.asdict(confirmed),
            text=Text(en=_confirmation(confirmed, makers, "en"), zh=_confirmation(confirmed, makers, "zh")),
        )
        for confirmed in confirmations(observed)
    ]


def _confirmation(confirmed: Confirmation, makers: Mapping[str, Maker], language: Language) -> str:
    comma = label("site.comma", language)
    return label(
        "confirmation.sentence",
        language,
        framework=label(f"framework.{confirmed.framework}", language),
        version=confirmed.framework_version,
        backend=confirmed.backend,
        device=confirmed.device,
        sizes=comma.join(map(str, confirmed.world_sizes)),
        outcome=label(f"outcome.{confirmed.outcome}", language),
        measurers=label("site.semicolon", language).join(measurer(makers[run], language) for run in confirmed.runs),
    )


def makers_of(observed: Iterable[Observation]) -> dict[str, Maker]:
    """Who made each run that is observed, and who vouches for it."""
    return {seen.run: Maker(seen.measured_by, seen.trust, seen.signer) for seen in observed}


def measurer(made: Maker, language: Language) -> str:
    """Who made a record: this project, its CI, the known name of who signed it, or the words that were typed, in quotes.

    With an unsigned record anybody's name can be typed, and the signer may type another one, too.
    """
    if made.trust is Trust.PROJECT:
        return label("run.this_project", language)
    typed = made.signer if made.trust is Trust.SIGNED else made.measured_by
    name = unquoted(one_line(typed)) if typed else label("run.nobody", language)
    return label(f"made.{made.trust.value}", language, name=name)
