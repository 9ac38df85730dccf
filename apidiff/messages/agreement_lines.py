"""Says in lines of one language in which facets a target agrees with the source, for writers without tables of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from apidiff.messages.labels import filled, label
from apidiff.model.agreement import Agreement, Facet
from apidiff.model.base import Language
from apidiff.model.views import AgreementEntry

_UNSEEN = Agreement.UNSUPPORTED.value


@dataclass(frozen=True)
class AgreementPlace:
    """What runs of one version on one device say. ``rows``: facet, its worst outcome, and how many samples came out how."""

    where: str
    rows: list[tuple[str, str, str]]
    runs: list[str]


def agreement_places(entries: Sequence[AgreementEntry], language: Language) -> Iterator[AgreementPlace]:
    """Every version and device in the order of ``entries``; facets that a missing kernel hides on all samples are left out."""
    for _, group in groupby(
        entries, key=lambda entry: (entry.framework_version, entry.source_version, entry.device, entry.inputs)
    ):
        rows = list(group)
        first = rows[0]
        seen = [row for row in rows if row.facet == Facet.ERROR.value or set(row.counts) != {_UNSEEN}]
        where = filled(
            "agreement.where_extracted" if first.inputs else "agreement.where",
            source=first.source_version,
            version=first.framework_version,
            device=filled(f"device.{first.device}"),
        )
        yield AgreementPlace(
            where.said_in(language),
            [(label(f"facet.{row.facet}", language), row.agreement, _counts(row, language)) for row in seen],
            first.runs,
        )


def _counts(row: AgreementEntry, language: Language) -> str:
    """``agrees 9 · differs 2``."""
    return " · ".join(f"{label(f'outcome.{outcome}', language)} {count}" for outcome, count in row.counts.items())
