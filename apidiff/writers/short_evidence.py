"""Writes what runs showed of an API in a few lines of Markdown, each with the IDs of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from apidiff.lookup.answer import Answer, AnsweredClaim
from apidiff.messages.agreement_lines import agreement_places
from apidiff.messages.escape_invisible import quoted, visible
from apidiff.messages.labels import label
from apidiff.messages.verdict_text import verdict_text
from apidiff.model.base import Language
from apidiff.model.views import AgreementEntry, DisputeEntry, ObservedSummary

_CASES = 6
_CLAIMS = 12
_NAMES = 24
_ROWS = 2  # of a claim, by each kind of maker
_LONGEST = 300  # characters of what one sample shows


def short_evidence(answer: Answer, language: Language, about: str = "") -> str:
    """Write what runs at the release asked for showed.

    Args:
        answer: of the API.
        language: of the text.
        about: only what concerns this: a facet (``value``, ``dtype``) or how it is called, a claim, a part of either.
    """
    lines = [f"**{answer.source}** → **{answer.target.name}**" if answer.target else f"**{answer.source}**"]
    rows = [row for row in [*answer.agreements, *answer.aside] if row.framework_version == answer.asked.mindspore]
    claims = [claim for claim in answer.claims if claim.swept is None and (claim.summary or claim.aside)]
    shown = [row for row in rows if _is_about(row.facet, about, language)]
    for place in agreement_places(shown, language):
        lines.append(place.where)
        lines += [f"- {facet}: {counts}" for facet, _, counts in place.rows]
        lines.append(_runs(place.runs, language))
    lines += _cases([row for row in shown if not row.signers], language)  # beside a case stands no name
    lines += _claims([claim for claim in claims if about.casefold() in claim.id.casefold()], answer, language)
    if len(lines) == 1:
        names = [*dict.fromkeys(row.facet for row in rows), *(claim.id.partition("#")[2] for claim in claims)]
        lines.append(
            _nothing_about(about, names, language) if about and names else label("servers.no_evidence", language)
        )
    return visible("\n".join(lines)) + "\n"


def _cases(rows: list[AgreementEntry], language: Language) -> Iterator[str]:
    """Samples that do not agree: the call, what it was given, what came out."""
    cases = [(row.facet, case) for row in rows for case in row.cases]
    for facet, case in cases[:_CASES]:
        said = case.text.said_in(language)
        said = said if len(said) <= _LONGEST else said[:_LONGEST] + "…"
        yield f"- {label(f'facet.{facet}', language)}, `{case.call}` ({case.given}){label('site.colon', language)}{said}"
    if len(cases) > _CASES:
        yield f"- {label('screen.more_short', language, count=len(cases) - _CASES)}"


def _is_about(facet: str, about: str, language: Language) -> bool:
    """Whether a facet, or what it is called, has these words in it."""
    return any(
        about.casefold() in name.casefold()
        for name in (facet, *(label(f"facet.{facet}", one) for one in ("en", language)))
    )


def _nothing_about(about: str, names: list[str], language: Language) -> str:
    """That no run concerns what was asked for, and what there is."""
    there = label("site.comma", language).join(f"`{name}`" for name in names[:_NAMES])
    return label("servers.no_evidence_about", language, about=quoted(about), names=there)


def _claims(claims: list[AnsweredClaim], answer: Answer, language: Language) -> Iterator[str]:
    """Verdicts on claims, those that do not hold first; variants by dtype or layout are left to the page."""
    release = answer.asked.mindspore
    claims.sort(key=lambda claim: not _is_doubtful(claim, release))
    for claim in claims[:_CLAIMS]:
        yield f"- {claim.text.said_in(language)} {_verdict(claim, release, language)}"
    if len(claims) > _CLAIMS:
        yield f"- {label('screen.more_short', language, count=len(claims) - _CLAIMS)}"


def _is_doubtful(claim: AnsweredClaim, release: str) -> bool:
    """Whether a record for which somebody vouches says at the release that the claim does not hold."""
    failed = (row.outcome != "holds" for row in (*claim.summary, *claim.aside) if _is_of(row, release))
    return any(failed) or any(one.vouched_for for one in claim.disputes if _is_of(one, release))


def _is_of(one: ObservedSummary | DisputeEntry, release: str) -> bool:
    return one.framework == "torch" or one.framework_version == release


def _verdict(claim: AnsweredClaim, release: str, language: Language) -> str:
    """What this project's runs say, then what those of known signers do, by name, then who disagrees with ours."""
    ours, by_signers = (
        sorted((row for row in rows if _is_of(row, release)), key=lambda row: row.outcome == "holds")[:_ROWS]
        for rows in (claim.summary, claim.aside)
    )
    told = [f"{verdict_text(row).said_in(language)} [{row.runs[0]}]" for row in [*ours, *by_signers]]
    disputes = sorted((one for one in claim.disputes if _is_of(one, release)), key=lambda one: not one.vouched_for)
    told += [dispute.text.said_in(language).rstrip(".。") for dispute in disputes[:_ROWS]]
    return label("site.semicolon", language).join(told or [label("outcome.not run", language)])


def _runs(runs: Mapping[str, str], language: Language) -> str:
    comma = label("site.comma", language)
    records = [
        f"`{run}`" + (label("site.aside", language, text=signer) if signer else "") for run, signer in runs.items()
    ]
    return label("evidence.runs", language) + label("site.colon", language) + comma.join(records)
