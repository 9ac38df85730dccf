"""Differences as a reader sees them: text made from the claims they cite and from what runs say of these."""

from __future__ import annotations

from typing import Literal

from apidiff.messages.verdict_text import evidence, verdicts
from apidiff.model import Difference, DifferenceKind, ParameterRow, Relation, Risk, Text
from apidiff.model.views import ClaimEntry, DifferenceEntry, ParameterEntry

_RISKS = [risk.value for risk in Risk]
_RELATIONS: dict[Relation, tuple[str, str]] = {
    Relation.SAME: ("the same", "一致"),
    Relation.RENAMED: ("named `{target}` instead of `{source}`", "由 `{source}` 改名为 `{target}`"),
    Relation.ONLY_IN_SOURCE: ("`{source}` exists only in PyTorch", "只有 PyTorch 有 `{source}`"),
    Relation.ONLY_IN_TARGET: ("`{target}` exists only in MindSpore", "只有 MindSpore 有 `{target}`"),
    Relation.TYPE_DIFFERS: ("`{target}` takes another type", "`{target}` 的类型不同"),
    Relation.DEFAULT_DIFFERS: (
        "`{target}` has another default ({defaults})",
        "`{target}` 的默认值不同（{defaults_zh}）",
    ),
    Relation.MEANING_DIFFERS: ("`{target}` means something else", "`{target}` 的含义不同"),
}


def worst_first(differences: list[DifferenceEntry]) -> list[DifferenceEntry]:
    """Silent before error before rewrite before none; among equals, evidence first, then what sets both sides apart."""
    return sorted(differences, key=lambda one: (_RISKS.index(one.risk), not one.evidence, not _compares(one)))


def _compares(difference: DifferenceEntry) -> bool:
    """Whether the difference rests on claims of both frameworks, not on a habit of one alone."""
    return len({claim.split(".", 1)[0] for claim in difference.claims}) > 1


def difference_entry(difference: Difference, cited: list[ClaimEntry]) -> DifferenceEntry:
    """A difference with its text: what is claimed of each side, with the verdict wherever it is not simply true."""
    if difference.kind is DifferenceKind.BACKEND_SUPPORT:
        # Which case the verdicts are about stands in the note, so it comes before them.
        parts: list[Text | None] = [difference.note, *(_support(claim) for claim in cited)]
    else:
        sides = [_side(side, [claim for claim in cited if claim.side == side]) for side in ("source", "target")]
        parts = [*sides, difference.note]
    texts = [part for part in parts if part]
    told = [claim for claim in cited if difference.kind is DifferenceKind.BACKEND_SUPPORT or _disputed(claim)]
    shown = told or cited
    return DifferenceEntry(
        id=difference.id,
        kind=difference.kind.value,
        risk=difference.risk.value,
        text=Text(en=" ".join(t.en for t in texts), zh="".join(t.zh for t in texts)),
        evidence=[line for claim in shown for line in evidence(claim)],
        claims=[claim.id for claim in cited],
    )


def _disputed(claim: ClaimEntry) -> bool:
    return any(row.outcome != "holds" for row in claim.summary)


def _side(side: str, claims: list[ClaimEntry]) -> Text | None:
    if not claims:
        return None
    lead_en, lead_zh = ("PyTorch: ", "PyTorch：") if side == "source" else ("MindSpore: ", "MindSpore：")
    clauses = [_clause(claim) for claim in claims]
    return Text(en=lead_en + " ".join(c.en for c in clauses), zh=lead_zh + "".join(c.zh for c in clauses))


def _clause(claim: ClaimEntry) -> Text:
    """The claim's sentence; what is not simply true is followed by its verdicts, what was never run says so."""
    if not claim.summary:
        return Text(en=f"{claim.text.en[:-1]} (not run).", zh=f"{claim.text.zh[:-1]}（未运行）。")
    said = verdicts(claim.summary)
    if said is None or not _disputed(claim):
        return claim.text
    # A sentence that runs did not bear out must not begin as if it were true.
    if any(stated.text is None for stated in claim.stated):
        lead_en, lead_zh = "Documents say: ", "文档称："
    elif claim.stated:
        lead_en, lead_zh = "Expected from documents: ", "按文档推断："
    else:
        lead_en, lead_zh = "Expected: ", "预期："
    sentence = claim.text.en[0].lower() + claim.text.en[1:-1]
    return Text(en=f"{lead_en}{sentence} — {said.en}.", zh=f"{lead_zh}{claim.text.zh[:-1]}——{said.zh}。")


def _support(claim: ClaimEntry) -> Text:
    """Where an API's basic claim holds and where the backend lacks it."""
    said = verdicts(claim.summary)
    missing_en = "; ".join(text.en for text in claim.not_run)
    missing_zh = "；".join(text.zh for text in claim.not_run)
    return Text(
        en=f"`{claim.subject}`: " + "; ".join(part for part in (said.en if said else "", missing_en) if part) + ".",
        zh=f"`{claim.subject}`：" + "；".join(part for part in (said.zh if said else "", missing_zh) if part) + "。",
    )


def parameter_entry(
    row: ParameterRow, defaults: tuple[str | None, str | None], ranges: tuple[str | None, str | None] = (None, None)
) -> ParameterEntry:
    """One row of a table of parameters or members, with its relation in words.

    ``defaults`` and ``ranges``: of the source's and the target's; a range is that of the versions which have it.
    """
    source_default, target_default = defaults
    shown = f"{_shown(source_default)} → {_shown(target_default)}"
    words = [_RELATIONS[relation] for relation in row.relations]
    fill = {
        "source": row.source,
        "target": row.target or row.source,
        "defaults": shown,
        "defaults_zh": shown.replace("required", "无默认值"),
    }
    en = ", ".join(text.format(**fill) for text, _ in words)
    zh = "，".join(text.format(**fill) for _, text in words)
    note_en, note_zh = (f" {row.note.en}", row.note.zh) if row.note else ("", "")
    return ParameterEntry(
        source=row.source,
        target=row.target,
        source_default=source_default,
        target_default=target_default,
        source_range=ranges[0],
        target_range=ranges[1],
        relations=[relation.value for relation in row.relations],
        risk=row.risk.value,
        text=Text(en=f"{en[0].upper()}{en[1:]}.{note_en}", zh=f"{zh}。{note_zh}"),
    )


def _shown(default: str | None) -> str:
    return f"`{default}`" if default is not None else "required"


def row_difference(row: ParameterEntry, what: Literal["parameter", "member"]) -> DifferenceEntry | None:
    """The difference that a row makes, or None where it makes none (same, or without risk)."""
    if row.relations == [Relation.SAME.value] or row.risk == Risk.NONE.value:
        return None
    name = row.source or row.target or ""
    kind, lead_en, lead_zh = {
        "parameter": (DifferenceKind.PARAMETER, "Parameter", "参数"),
        "member": (DifferenceKind.MEMBER, "Member", "成员"),
    }[what]
    ranges = [f"PyTorch {row.source_range}"] if row.source_range else []
    ranges += [f"MindSpore {row.target_range}"] if row.target_range else []
    held_en, held_zh = (f" ({', '.join(ranges)})", f"（{'，'.join(ranges)}）") if ranges else ("", "")
    return DifferenceEntry(
        id=f"{what}-{name.replace('_', '-')}",
        kind=kind.value,
        risk=row.risk,
        text=Text(en=f"{lead_en} `{name}`{held_en}: {row.text.en}", zh=f"{lead_zh} `{name}`{held_zh}：{row.text.zh}"),
        parameter=name,
    )
