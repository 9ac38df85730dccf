"""Puts what a porter reads first in order, and says where a target runs: one answer for page, terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from apidiff.database.single_runs import place_of
from apidiff.messages.agreement_lines import signed_by
from apidiff.messages.escape_invisible import one_line
from apidiff.messages.labels import LABELS, filled, joined
from apidiff.messages.verdict_text import number_of_ranks
from apidiff.model.base import Text
from apidiff.model.trace import backend_name
from apidiff.model.trust import Trust
from apidiff.model.views import AgreementEntry, ClaimEntry, DifferenceEntry, DisputeEntry, RunsOnEntry
from apidiff.model.vocabulary import AnswerKind, Reach, Risk, Status

_SHOWN_CLAIMS = 3


class FirstScreen(NamedTuple):
    """The differences of an answer by what a porter does about them.

    ``must``: everyday code fails until it is edited. ``watch``: everyday code raises, hangs or gives another result.
    ``edge``: few meet it, or nothing happens. ``source_only``: facts about PyTorch that porting does not change.
    """

    must: list[DifferenceEntry]
    watch: list[DifferenceEntry]
    edge: list[DifferenceEntry]
    source_only: list[DifferenceEntry]


def first_screen(differences: Sequence[DifferenceEntry]) -> FirstScreen:
    """Sort ``differences``, which stand worst first."""
    screen = FirstScreen([], [], [], [])
    for difference in differences:
        if difference.reach == Reach.SOURCE_ONLY.value:
            screen.source_only.append(difference)
        elif difference.reach == Reach.EDGE.value or difference.risk == Risk.NONE.value:
            screen.edge.append(difference)
        elif difference.risk == Risk.REWRITE.value:
            screen.must.append(difference)
        else:
            screen.watch.append(difference)
    return screen


def standing_key(status: str, *, composed: bool) -> str:
    """Name the label of a target's standing: of one to use that is part of several lines, that the answer is composed."""
    return f"answer.{AnswerKind.COMPOSED.value}" if composed and status == Status.CURRENT.value else f"status.{status}"


def where_text(places: Sequence[RunsOnEntry], limits: Sequence[str] = ()) -> Text | None:
    """Where a target runs: each device with what documents say and runs showed, and what documents limit it to.

    None where neither says anything.
    """
    known = any(place.documented or place.outcome != "not run" for place in places)
    told = [_place_text(place) for place in places] if known else []
    told += [LABELS[f"limit.{limit}"] for limit in limits]
    return joined("site.semicolon", told) if told else None


def refused_text(side: str, version: str, device: str) -> Text:
    """Say that the call shown raises, as does every other that was run: on the ``side`` 'target', 'source' or 'both'."""
    return filled(f"screen.refused.{side}", version=version, device=LABELS[f"device.{device}"])


def record_texts(
    claims: Sequence[ClaimEntry], agreements: Sequence[AgreementEntry], aside: Sequence[AgreementEntry], *apis: str
) -> list[Text]:
    """Say what is to be known of the records behind an answer about ``apis``, a line each.

    That records of one version disagree, on which claims, and on which samples, and the names of signers whose are among them;
    and what known signers ran and this project did not, of which ``aside`` are the agreements. What unsigned records alone say
    against the others is no headline.
    """
    told = [claim for claim in claims if claim.subject in apis]
    return [*_disputed_claims(told), *_disputed_samples(agreements), *_run_by_signers(told, aside)]


def _run_by_signers(claims: Iterable[ClaimEntry], aside: Iterable[AgreementEntry]) -> list[Text]:
    by_signer: dict[str, dict[Text, None]] = {}
    claims = list(claims)
    ours: dict[tuple[str, str, str, str], set[int]] = {}
    for row in (row for claim in claims for row in claim.summary):
        place = row.framework, row.framework_version, row.backend, row.device
        ours.setdefault(place, set()).update(row.world_sizes)
    more: dict[tuple[str, str, str, str, str], set[int]] = {}
    for row in (row for claim in claims for row in claim.aside):
        key = (row.signer, row.framework, row.framework_version, row.backend, row.device)
        if (sizes := ours.get(key[1:])) is None:
            more.setdefault(key, set())
        elif left := {*row.world_sizes} - sizes:
            more.setdefault(key, set()).update(left)
    for (signer, framework, version, backend, device), ranks in more.items():
        where: list[Text | str] = [backend_name(backend, device), *([number_of_ranks(sorted(ranks))] if ranks else [])]
        by_signer.setdefault(signer, {})[_run_place(framework, version, joined("site.comma", where))] = None
    for entry in aside:
        framework, version, device = place_of(entry.told_by)
        ran = _run_place(framework, version, LABELS[f"device.{device}"])
        by_signer.setdefault(entry.signers[entry.told_by], {})[ran] = None
    return [
        filled("screen.signed", signer=one_line(signer), places=joined("site.semicolon", places))
        for signer, places in by_signer.items()
    ]


def _run_place(framework: str, version: str, device: Text | str) -> Text:
    return filled("screen.signed_place", framework=LABELS[f"framework.{framework}"], version=version, device=device)


def _disputed_samples(agreements: Iterable[AgreementEntry]) -> list[Text]:
    by_signer: dict[str, list[Text]] = {}
    for entry in agreements:
        for dispute in entry.disputes:
            facets = by_signer.setdefault(dispute.signer, [])
            if (facet := LABELS[f"facet.{entry.facet}"]) not in facets:
                facets.append(facet)
    return [
        filled("screen.disputed_samples", signer=one_line(signer), facets=joined("site.comma", facets))
        for signer, facets in by_signer.items()
    ]


def _disputed_claims(claims: Iterable[ClaimEntry]) -> list[Text]:
    """A line for all disputes of this project's records among themselves, and one for each other set of makers."""
    by_makers: dict[tuple[str, ...], list[tuple[ClaimEntry, DisputeEntry]]] = {}
    for claim in claims:
        signers = {
            seen.run: seen.signer if seen.trust is Trust.SIGNED else ""
            for seen in claim.observed
            if seen.trust is not Trust.UNSIGNED
        }
        for dispute in claim.disputes:
            if dispute.vouched_for:
                makers = sorted({signers[run] for run in dispute.outcomes if run in signers})
                by_makers.setdefault(tuple(makers), []).append((claim, dispute))
    return [_disputed(makers, about) for makers, about in by_makers.items()]


def _disputed(makers: Sequence[str], about: Sequence[tuple[ClaimEntry, DisputeEntry]]) -> Text:
    """``makers``: names of signers, empty for this project."""
    disputed = list({claim.id: claim for claim, _ in about}.values())
    places = dict.fromkeys((dispute.framework, dispute.framework_version) for _, dispute in about)
    versions = [
        filled("difference_text.document", framework=LABELS[f"framework.{framework}"], versions=version)
        for framework, version in places
    ]
    names: list[Text | str] = [f"`{claim.id.rpartition('#')[2]}`" for claim in disputed[:_SHOWN_CLAIMS]]
    if (left := len(disputed) - _SHOWN_CLAIMS) > 0:
        names.append(filled("screen.disputed_more", count=left))
    of, on = joined("site.comma", versions), joined("site.comma", names)
    if not any(makers):
        return filled("screen.disputed", versions=of, claims=on)
    by = [
        Text(en=signed_by(one, "en"), zh=signed_by(one, "zh")) if one else LABELS["run.this_project"] for one in makers
    ]
    return filled("screen.disputed_by", versions=of, claims=on, makers=joined("site.semicolon", by))


def _place_text(place: RunsOnEntry) -> Text:
    parts = [filled("where.documented")] if place.documented else []
    if not place.documented and place.outcome == "not run":
        parts.append(filled("where.not_documented"))
    versions = joined("site.comma", place.versions)
    if place.outcome == "not run":
        parts.append(filled("where.not_run"))
    elif place.outcome == "holds":
        parts.append(filled("where.run", versions=versions))
    else:
        parts.append(filled(f"where.{place.outcome}", versions=versions))
    return filled("where.place", device=filled(f"device.{place.device}"), facts=joined("site.pause", parts))
