"""The history of APIs in words: one template for each kind of change, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from apidiff.derive.api_history import SIGNATURES, Change, ChangeKind, timeline
from apidiff.model import Text
from apidiff.model.documented import Point
from apidiff.model.signature import SignatureFile
from apidiff.model.version import Version
from apidiff.model.views import HistoryEntry

# {names}: parameters or members; {old}, {new}: defaults, orders or kinds.
_TEMPLATES: dict[ChangeKind, tuple[str, str]] = {
    ChangeKind.FIRST: ("Present; no older version was looked at.", "已有；未查看更早的版本。"),
    ChangeKind.ADDED: ("Added; not in {after}.", "新增；{after} 中没有。"),
    ChangeKind.REMOVED: ("Removed; still in {after}.", "已移除；{after} 中还有。"),
    ChangeKind.DEPRECATED: ("Marked as deprecated.", "标记为弃用。"),
    ChangeKind.NOT_DEPRECATED: ("No longer marked as deprecated.", "不再标记为弃用。"),
    ChangeKind.KIND: ("Now a {new}; it was a {old}.", "由{old}变为{new}。"),
    ChangeKind.PARAMETERS_ADDED: ("New parameters: {names}.", "新增参数：{names}。"),
    ChangeKind.PARAMETERS_REMOVED: ("Parameters removed: {names}.", "移除参数：{names}。"),
    ChangeKind.PARAMETER_ORDER: (
        "The order of positional parameters is now `{new}`; it was `{old}`.",
        "位置参数的顺序由 `{old}` 变为 `{new}`。",
    ),
    ChangeKind.PARAMETER_DEFAULT: (
        "The default of {names} is now `{new}`; it was `{old}`.",
        "{names} 的默认值由 `{old}` 变为 `{new}`。",
    ),
    ChangeKind.PARAMETER_KIND: ("{names} is now {new}; it was {old}.", "{names} 由{old}变为{new}。"),
    ChangeKind.MEMBERS_ADDED: ("New members: {names}.", "新增成员：{names}。"),
    ChangeKind.MEMBERS_REMOVED: ("Members removed: {names}.", "移除成员：{names}。"),
}
_INSERTED = (
    "New parameters: {names}; arguments given by position move from `{old}` on.",
    "新增参数：{names}；从 `{old}` 起，按位置传入的实参会错位。",
)
_OPTIONAL = ("{names} may now be left out; its default is `{new}`.", "{names} 变为可选，默认值为 `{new}`。")
_REQUIRED = ("{names} must now be given; its default was `{old}`.", "{names} 变为必填，原默认值为 `{old}`。")
_MARKED = {  # by what the mark tells: the version it holds from, the replacement
    (True, True): ("Deprecated since {old}; use `{new}`.", "自 {old} 起弃用，请改用 `{new}`。"),
    (True, False): ("Deprecated since {old}.", "自 {old} 起弃用。"),
    (False, True): ("Deprecated; use `{new}`.", "已弃用，请改用 `{new}`。"),
}
_KINDS = {
    "function": ("function", "函数"),
    "primitive": ("primitive", "原语"),
    "class": ("class", "类"),
    "enum": ("enumeration", "枚举"),
    "constant": ("constant", "常量"),
    "positional-only": ("positional-only", "仅限位置的参数"),
    "positional or keyword": ("positional or keyword", "可按位置或关键字传入的参数"),
    "variadic positional": ("variadic positional", "可变位置参数"),
    "keyword-only": ("keyword-only", "仅限关键字的参数"),
    "variadic keyword": ("variadic keyword", "可变关键字参数"),
}


def change_text(change: Change) -> Text:
    """The sentence for a change."""
    english, chinese = _template(change)
    names = [f"`{name}`" for name in change.names]
    values = [_words(change, 0), _words(change, 1)]
    return Text(
        en=english.format(after=change.after, names=", ".join(names), **values[0]),
        zh=chinese.format(after=change.after, names="、".join(names), **values[1]),
    )


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


def _template(change: Change) -> tuple[str, str]:
    if change.kind is ChangeKind.ADDED and change.after is None:
        return ("Added.", "新增。")
    if change.kind is ChangeKind.PARAMETER_DEFAULT and None in {change.old, change.new}:
        return _OPTIONAL if change.old is None else _REQUIRED
    if change.kind is ChangeKind.PARAMETERS_ADDED and change.old is not None:
        return _INSERTED
    if change.kind is ChangeKind.DEPRECATED:
        return _MARKED.get((change.old is not None, change.new is not None), _TEMPLATES[change.kind])
    return _TEMPLATES[change.kind]


def _words(change: Change, language: int) -> dict[str, str | None]:
    if change.kind in {ChangeKind.KIND, ChangeKind.PARAMETER_KIND}:
        return {"old": _KINDS[change.old or ""][language], "new": _KINDS[change.new or ""][language]}
    return {"old": change.old, "new": change.new}
