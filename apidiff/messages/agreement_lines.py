"""Says in lines of one language in which facets a target agrees with the source, for writers without tables of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from apidiff.messages.labels import filled, label
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.agreement import Agreement, Facet
from apidiff.model.base import Language
from apidiff.model.trust import Trust
from apidiff.model.views import AgreementEntry

_UNSEEN = Agreement.UNSUPPORTED.value


@dataclass(frozen=True)
class AgreementPlace:
    """What runs of one version on one device say.

    ``rows``: facet, its worst outcome, and how many samples came out how. ``runs``: the records, as `named_runs` has them.
    """

    where: str
    rows: list[tuple[str, str, str]]
    runs: dict[str, str]


def agreement_places(entries: Sequence[AgreementEntry], language: Language) -> Iterator[AgreementPlace]:
    """Every version and device in the order of ``entries``; facets that a missing kernel hides on all samples are left out."""
    for rows in by_records(entries):
        first = rows[0]
        seen = [row for row in rows if row.facet == Facet.ERROR.value or set(row.counts) != {_UNSEEN}]
        yield AgreementPlace(
            where_compared(first, language),
            [(label(f"facet.{row.facet}", language), row.agreement, _counts(row, language)) for row in seen],
            named_runs(rows, language),
        )


def by_records(entries: Sequence[AgreementEntry]) -> Iterator[list[AgreementEntry]]:
    """Groups what the same records say of one version and device, so that each known signer's records stand for themselves."""
    for _, rows in groupby(
        entries, key=lambda row: (row.framework_version, row.source_version, row.device, row.inputs, row.runs)
    ):
        yield list(rows)


def named_runs(rows: Sequence[AgreementEntry], language: Language) -> dict[str, str]:
    """The records that ``rows`` rest on, then those that say otherwise, with the name of who signed them.

    Those of this project have no name, unless they stand among those of known signers.
    """
    signers = rows[0].signers
    ours = label("run.this_project", language) if signers else ""
    signers = signers | {dispute.run: dispute.signer for row in rows for dispute in row.disputes}
    return dict.fromkeys(rows[0].runs, ours) | {run: signed_by(signer, language) for run, signer in signers.items()}


def where_compared(row: AgreementEntry, language: Language) -> str:
    """The versions of both sides and the device, and which known signers' records are among those compared."""
    where = filled(
        "agreement.where_extracted" if row.inputs else "agreement.where",
        source=row.source_version,
        version=row.framework_version,
        device=filled(f"device.{row.device}"),
    ).said_in(language)
    return with_signers(where, row, language)


def with_signers(text: str, row: AgreementEntry, language: Language) -> str:
    """``text``, and which known signers' records it is told from."""
    if not row.signers:
        return text
    signers = label("site.comma", language).join(
        signed_by(signer, language) for signer in sorted({*row.signers.values()})
    )
    return label("agreement.where_signed", language, where=text, signers=signers)


def signed_by(signer: str, language: Language) -> str:
    """The name of a known signer: ``“Lab” (signed by a known signer)``."""
    return measurer(Maker(None, Trust.SIGNED, signer), language)


def _counts(row: AgreementEntry, language: Language) -> str:
    """``agrees 9 · differs 2``, and what known signers' records say otherwise."""
    colon = label("site.colon", language)
    otherwise = [
        f"{signed_by(dispute.signer, language)}{colon}{_said(dispute.counts, language)}" for dispute in row.disputes
    ]
    return label("site.semicolon", language).join([_said(row.counts, language), *otherwise])


def _said(counts: Mapping[str, int], language: Language) -> str:
    return " · ".join(f"{label(f'outcome.{outcome}', language)} {count}" for outcome, count in counts.items())
