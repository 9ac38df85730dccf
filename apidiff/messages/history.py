"""Writes the history of APIs: one sentence for each change, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from apidiff.derive.api_history import SIGNATURES, Change, ChangeKind, timeline
from apidiff.messages.labels import LABELS, filled, joined
from apidiff.model.base import Text
from apidiff.model.documented import Point
from apidiff.model.signature import SignatureFile
from apidiff.model.version import Version
from apidiff.model.views import HistoryEntry


def change_text(change: Change) -> Text:
    """The sentence for a change."""
    key, kind = f"history.{change.kind.value}", change.kind
    names = joined("site.comma", [f"`{name}`" for name in change.names])
    after, old, new = change.after or "", change.old or "", change.new or ""
    match kind:
        case ChangeKind.ADDED:
            return filled(key, after=after) if change.after else filled("history.added_at_first")
        case ChangeKind.REMOVED:
            return filled(key, after=after)
        case ChangeKind.DEPRECATED:
            return _deprecation(change)
        case ChangeKind.PARAMETERS_ADDED if change.old is not None:
            return filled("history.parameters_inserted", names=names, old=old)
        case ChangeKind.PARAMETER_DEFAULT if change.old is None:
            return filled("history.parameter_optional", names=names, new=new)
        case ChangeKind.PARAMETER_DEFAULT if change.new is None:
            return filled("history.parameter_required", names=names, old=old)
        case ChangeKind.PARAMETER_DEFAULT:
            return filled(key, names=names, old=old, new=new)
        case ChangeKind.PARAMETER_ORDER:
            return filled(key, old=old, new=new)
        case ChangeKind.KIND:
            return filled(key, old=LABELS[f"kind.{old}"], new=LABELS[f"kind.{new}"])
        case ChangeKind.PARAMETER_KIND:
            return filled(key, names=names, old=LABELS[f"kind.{old}"], new=LABELS[f"kind.{new}"])
        case ChangeKind.FIRST | ChangeKind.NOT_DEPRECATED:
            return filled(key)
    return filled(key, names=names)


def _deprecation(change: Change) -> Text:
    """The sentence for a mark, by what it tells: the version it holds from, the replacement, both or neither."""
    if change.old is None:
        return filled("history.deprecated_use", new=change.new) if change.new else filled("history.deprecated")
    if change.new is None:
        return filled("history.deprecated_since", old=change.old)
    return filled("history.deprecated_since_use", old=change.old, new=change.new)


def history_entries(
    apis: Iterable[str],
    files: Mapping[str, Sequence[SignatureFile]],
    documented: Mapping[str, Sequence[Point]],
) -> list[HistoryEntry]:
    """The history of ``apis`` in this order, newest change first. ``files``: the signature files of each framework."""
    entries: list[HistoryEntry] = []
    for api in dict.fromkeys(apis):
        changes = timeline(api, files.get(api.partition(".")[0], []), documented.get(api, []))
        changes.sort(key=lambda change: Version(change.version), reverse=True)
        entries += [
            HistoryEntry(
                api=api,
                version=change.version,
                after=change.after,
                change=change.kind.value,
                text=change_text(change),
                evidence=change.evidence,
                after_evidence=change.after_evidence if change.after_evidence != SIGNATURES else None,
            )
            for change in changes
        ]
    return entries
