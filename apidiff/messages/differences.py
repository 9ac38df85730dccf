"""Writes differences: text made from the claims they cite and from what runs say of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Literal

import msgspec

from apidiff.derive.reach import Cited, reach_of, risk_of, row_reach
from apidiff.messages.headlines import difference_headline, row_headline
from apidiff.messages.labels import LABELS, capitalised, filled, joined
from apidiff.messages.shown_instead import shown_instead
from apidiff.messages.verdict_text import evidence, places, verdicts
from apidiff.model.base import Text
from apidiff.model.claim import ClaimKind, Lacks, LacksMember, Member, Parameter
from apidiff.model.condition import Condition
from apidiff.model.mapping import Difference, Document, ParameterRow
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, DefaultEntry, DifferenceEntry, DifferencePart, ParameterEntry
from apidiff.model.vocabulary import DifferenceKind, Reach, Relation, Risk

_RISKS = [risk.value for risk in Risk]
_REACHES = [reach.value for reach in Reach]
_FRAMEWORKS = {"source": "torch", "target": "mindspore"}


def worst_first(differences: list[DifferenceEntry]) -> list[DifferenceEntry]:
    """What meets everybody first; then silent before error before rewrite before none; then evidence, then what compares."""
    return sorted(
        differences,
        key=lambda difference: (
            _REACHES.index(difference.reach),
            _RISKS.index(difference.risk),
            not difference.claim_evidence,
            not _compares(difference),
        ),
    )


def _compares(difference: DifferenceEntry) -> bool:
    """Whether the difference rests on claims of both frameworks, not on a habit of one alone."""
    return len({claim.split(".", 1)[0] for claim in difference.claims}) > 1


def difference_entry(
    difference: Difference,
    cited: Sequence[Cited],
    clauses: Mapping[str, Text],
    canonical: str = "",
    documents: Mapping[str, Document] = MappingProxyType({}),
    alike: Sequence[str] = (),
) -> DifferenceEntry:
    """A difference with its text: what is claimed of each side, with the verdict wherever it is not simply true.

    ``clauses``: what each of the claims ``cited`` says, by claim ID, as part of a sentence. ``canonical``: the source's call.
    ``documents``: those that state claims, by key. ``alike``: the versions of the target that do not show it.
    """
    claims = [cited_claim.entry for cited_claim in cited]
    if difference.kind is DifferenceKind.BACKEND_SUPPORT:
        # Which case the verdicts are about stands in the note, so it comes before them.
        parts = [*_note(difference), *(DifferencePart(text=_support(claim, clauses[claim.id])) for claim in claims)]
    else:
        parts = [
            DifferencePart(side=_FRAMEWORKS[side], text=_sentence(claim, clauses[claim.entry.id], documents))
            for side in _FRAMEWORKS
            for claim in cited
            if claim.entry.side == side
        ]
        parts += _note(difference)
    disputed = [claim for claim in claims if difference.kind is DifferenceKind.BACKEND_SUPPORT or _disputed(claim)]
    return DifferenceEntry(
        id=difference.id,
        kind=difference.kind.value,
        risk=risk_of(difference, cited).value,
        headline=difference_headline(difference, cited),
        reach=reach_of(difference, cited, canonical).value,
        text=text_of(parts),
        parts=parts,
        evidence=[line for claim in disputed or claims for line in evidence(claim)],
        claims=[claim.id for claim in claims],
        alike=list(alike),
    )


def composed_difference() -> DifferenceEntry:
    """What everybody meets where several lines replace one call of the source."""
    return DifferenceEntry(
        id="composed",
        kind=DifferenceKind.CALL_STYLE.value,
        risk=Risk.REWRITE.value,
        headline=filled("headline.composed"),
        reach=Reach.EVERYDAY.value,
        text=filled("answer_meaning.composed"),
    )


def text_of(parts: Iterable[DifferencePart]) -> Text:
    """The text that sentences make: those about one framework stand together behind its name."""
    texts: list[Text] = []
    for side, together in groupby(parts, key=lambda part: part.side):
        clauses = _in_a_row([part.text for part in together])
        framework = LABELS[f"framework.{side}"] if side else None
        texts.append(filled("difference_text.side", framework=framework, clauses=clauses) if framework else clauses)
    return _in_a_row(texts)


def _note(difference: Difference) -> list[DifferencePart]:
    return [DifferencePart(text=difference.note, note=True)] if difference.note else []


def _in_a_row(sentences: list[Text]) -> Text:
    text = sentences[0]
    for sentence in sentences[1:]:
        text = filled("difference_text.next", before=text, after=sentence)
    return text


def _disputed(claim: ClaimEntry) -> bool:
    return any(row.outcome != "holds" for row in claim.summary)


def _sentence(cited: Cited, clause: Text, documents: Mapping[str, Document]) -> Text:
    """The claim's sentence, or what happened instead; what was never run says so."""
    claim = cited.entry
    if not claim.summary:
        return capitalised(filled("difference_text.not_run", clause=clause))
    shown = verdicts(claim.summary)
    if shown is None or not _disputed(claim):
        return claim.text
    # A sentence that runs did not bear out must not begin as if it were true.
    stating = [documents[stated.document] for stated in claim.stated if stated.text is None]
    if stating:
        told, shown = _documents(stating), verdicts(claim.summary, stating) or shown
        return filled("difference_text.documents_say", documents=told, clause=clause, verdicts=shown)
    instead = shown_instead(cited.claim, cited.api, claim)
    if instead is not None:
        return capitalised(filled("difference_text.instead", clause=instead, places=places(claim.summary)))
    if claim.stated:
        return filled("difference_text.inferred", clause=clause, verdicts=shown)
    return filled("difference_text.expected", clause=clause, verdicts=shown)


def _documents(documents: Iterable[Document]) -> Text:
    """Whose documents they are: frameworks, each with its versions."""
    versions: dict[str, list[str]] = {}
    for document in sorted(documents, key=lambda document: Version(document.version)):
        versions.setdefault(document.framework.value, []).append(document.version)
    texts = [
        filled(
            "difference_text.document",
            framework=LABELS[f"framework.{framework}"],
            versions=joined("site.comma", dict.fromkeys(told)),
        )
        for framework, told in versions.items()
    ]
    return joined("site.comma", texts)


def _support(claim: ClaimEntry, clause: Text) -> Text:
    """Where an API's basic claim holds and where the backend lacks it; where a call is refused, which call."""
    raises = claim.kind == ClaimKind.RAISES.value
    seen = raises and not _disputed(claim)
    shown = places(claim.summary) if seen and claim.summary else verdicts(claim.summary, of_calls=not raises)
    parts = joined("site.semicolon", [*([shown] if shown else []), *claim.not_run])
    if raises:
        return filled("difference_text.support_of_claim", subject=claim.subject, clause=clause, verdicts=parts)
    return filled("difference_text.support", subject=claim.subject, verdicts=parts)


def parameter_entry(
    row: ParameterRow,
    defaults: tuple[str | None, str | None],
    ranges: tuple[str | None, str | None] = (None, None),
    changing: tuple[list[DefaultEntry], list[DefaultEntry]] = ([], []),
) -> ParameterEntry:
    """One row of a table of parameters or members, with its relation in words.

    ``defaults``, ``ranges`` and ``changing``: of the source's and the target's; a range is that of the versions which have it,
    and what changes are defaults that are others in other versions.
    """
    source_default, target_default = defaults
    shown = filled("difference_text.defaults", source=_default(source_default), target=_default(target_default))
    target = row.target or row.source or ""
    relations = [filled(f"parameter_row.{relation.value}", target=target, defaults=shown) for relation in row.relations]
    text = capitalised(filled("difference_text.row", relations=joined("site.pause", relations)))
    return ParameterEntry(
        source=row.source,
        target=row.target,
        source_default=source_default,
        target_default=target_default,
        source_defaults=changing[0],
        target_defaults=changing[1],
        source_range=ranges[0],
        target_range=ranges[1],
        relations=[relation.value for relation in row.relations],
        risk=row.risk.value,
        text=_in_a_row([text, row.note]) if row.note else text,
        headline=row.headline,
        note=row.note,
    )


def _default(default: str | None) -> Text:
    if default is None:
        return filled("difference_text.no_default")
    return filled("difference_text.default", default=default)


def without_repeats(
    differences: Sequence[tuple[DifferenceEntry, Sequence[Cited]]],
    rows: Sequence[tuple[ParameterEntry, DifferenceEntry]],
) -> list[DifferenceEntry]:
    """Leaves out differences that rows make where another one speaks of the same parameter or member already.

    ``differences``: each with the claims it cites. One that speaks of what a row is about takes over the row's risk and reach
    where these are worse, and its remark where it has none itself.
    """
    kept = []
    told = set()
    for difference, cited in differences:
        named = {name for claim in cited for name in _names_of(claim)}
        repeated = [(row, made) for row, made in rows if named & {row.source, row.target} and _covers(difference, made)]
        told |= {made.id for _, made in repeated}
        kept.append(_with_rows(difference, repeated) if repeated else difference)
    return [*kept, *(made for _, made in rows if made.id not in told)]


def _names_of(cited: Cited) -> Iterator[str]:
    """The parameter or member that a claim is about."""
    match cited.claim.body:
        case Parameter(name=name) | Lacks(parameter=name) | Member(name=name) | LacksMember(name=name):
            yield name


def _covers(difference: DifferenceEntry, made: DifferenceEntry) -> bool:
    """Whether who reads ``difference`` needs ``made`` no more: both are about parameters, or nothing of it is worse."""
    if difference.kind in {DifferenceKind.PARAMETER.value, DifferenceKind.MEMBER.value}:
        return difference.kind == made.kind and difference.risk != Risk.NONE.value
    return (
        difference.kind not in {DifferenceKind.DOCUMENTATION.value, DifferenceKind.BACKEND_SUPPORT.value}
        and _RISKS.index(difference.risk) <= _RISKS.index(made.risk)
        and _REACHES.index(difference.reach) <= _REACHES.index(made.reach)
    )


def _with_rows(
    difference: DifferenceEntry, repeated: Sequence[tuple[ParameterEntry, DifferenceEntry]]
) -> DifferenceEntry:
    parts, covers = difference.parts, []
    if not any(part.note for part in parts):
        parts = [*parts, *(_remark(row, made, row.note) for row, made in repeated if row.note)]
        covers = [made.id for row, made in repeated if row.note]
    return msgspec.structs.replace(
        difference,
        risk=min([difference.risk, *(made.risk for _, made in repeated)], key=_RISKS.index),
        reach=min([difference.reach, *(made.reach for _, made in repeated)], key=_REACHES.index),
        parts=parts,
        text=text_of(parts),
        covers=covers,
    )


def _remark(row: ParameterEntry, made: DifferenceEntry, note: Text) -> DifferencePart:
    name, of_member = row.source or row.target or "", made.kind == DifferenceKind.MEMBER.value
    key = "difference_text.of_member" if of_member else "difference_text.of_parameter"
    return DifferencePart(text=filled(key, name=name, row=note), note=True)


def row_difference(
    row: ParameterEntry, what: Literal["parameter", "member"], canonical: str = ""
) -> DifferenceEntry | None:
    """The difference that a row makes, or None where it makes none (same, or without risk). ``canonical``: the source's call."""
    if row.relations == [Relation.SAME.value] or row.risk == Risk.NONE.value:
        return None
    name = row.source or row.target or ""
    test = "omitted" if row.relations == [Relation.DEFAULT_DIFFERS.value] else "passed"
    ranges = [f"PyTorch {row.source_range}"] if row.source_range else []
    ranges += [f"MindSpore {row.target_range}"] if row.target_range else []
    if what == "parameter":
        kind, key, key_in = DifferenceKind.PARAMETER, "difference_text.of_parameter", "difference_text.of_parameter_in"
    else:
        kind, key, key_in = DifferenceKind.MEMBER, "difference_text.of_member", "difference_text.of_member_in"
    return DifferenceEntry(
        id=f"{what}-{name.replace('_', '-')}",
        kind=kind.value,
        risk=row.risk,
        headline=row_headline(row, what),
        reach=row_reach(row, canonical, member=what == "member").value,
        text=filled(key_in, name=name, row=row.text, ranges=joined("site.pause", ranges))
        if ranges
        else filled(key, name=name, row=row.text),
        parameter=name,
        when=[[Condition(test=test, name=row.source)]] if row.source else [],
    )
