"""Two versions: every kind of change, and what is no change."""

from __future__ import annotations

import msgspec
import pytest
from history_files import class_of, deprecated, file, function

from apidiff.derive.api_history import SIGNATURES, STUBS, ChangeKind, compare_files
from apidiff.messages.history import change_text
from apidiff.model.signature import Signature, SignatureFile, SignatureKind

CONSTANT = Signature(kind=SignatureKind.CONSTANT)

CASES = [
    ("added", file("1.0"), file("2.0", f="()"), "Added; not in 1.0.", "新增；1.0 中没有。"),
    ("removed", file("1.0", f="()"), file("2.0"), "Removed; still in 1.0.", "已移除；1.0 中还有。"),
    ("added unread", file("1.0"), file("2.0", ("f",)), "Added; not in 1.0.", "新增；1.0 中没有。"),
    ("marked", file("1.0", f="()"), file("2.0", f=deprecated("()")), "Marked as deprecated.", "标记为弃用。"),
    (
        "marked with a version and a replacement",
        file("1.0", f="()"),
        file("2.0", f=deprecated("()", "1.9", "torch.g")),
        "Deprecated since 1.9; use `torch.g`.",
        "自 1.9 起弃用，请改用 `torch.g`。",
    ),
    (
        "marked with a replacement",
        file("1.0", f="()"),
        file("2.0", f=deprecated("()", None, "torch.g")),
        "Deprecated; use `torch.g`.",
        "已弃用，请改用 `torch.g`。",
    ),
    (
        "marked with a version",
        file("1.0", f="()"),
        file("2.0", f=deprecated("()", "1.9")),
        "Deprecated since 1.9.",
        "自 1.9 起弃用。",
    ),
    (
        "no longer marked",
        file("1.0", f=deprecated("()")),
        file("2.0", f="()"),
        "No longer marked as deprecated.",
        "不再标记为弃用。",
    ),
    (
        "another kind",
        file("1.0", f="()"),
        file("2.0", f=class_of()),
        "Now a class; it was a function.",
        "由函数变为类。",
    ),
    (
        "parameters added",
        file("1.0", f="(a)"),
        file("2.0", f="(a, b=1, *, c)"),
        "New parameters: `b`, `c`.",
        "新增参数：`b`、`c`。",
    ),
    (
        "a parameter inserted",
        file("1.0", f="(a, c=2, *, d)"),
        file("2.0", f="(a, b=1, c=2, *, d, e)"),
        "New parameters: `b`, `e`; arguments given by position move from `c` on.",
        "新增参数：`b`、`e`；从 `c` 起，按位置传入的实参会错位。",
    ),
    ("parameter removed", file("1.0", f="(a, b)"), file("2.0", f="(a)"), "Parameters removed: `b`.", "移除参数：`b`。"),
    (
        "another order",
        file("1.0", f="(a, b, c)"),
        file("2.0", f="(a, c, b)"),
        "The order of positional parameters is now `a, c, b`; it was `a, b, c`.",
        "位置参数的顺序由 `a, b, c` 变为 `a, c, b`。",
    ),
    (
        "another default",
        file("1.0", f="(a=1)"),
        file("2.0", f="(a=None)"),
        "The default of `a` is now `None`; it was `1`.",
        "`a` 的默认值由 `1` 变为 `None`。",
    ),
    (
        "optional",
        file("1.0", f="(a)"),
        file("2.0", f="(a=None)"),
        "`a` may now be left out; its default is `None`.",
        "`a` 变为可选，默认值为 `None`。",
    ),
    (
        "required",
        file("1.0", f="(a=0)"),
        file("2.0", f="(a)"),
        "`a` must now be given; its default was `0`.",
        "`a` 变为必填，原默认值为 `0`。",
    ),
    (
        "keyword-only",
        file("1.0", f="(a)"),
        file("2.0", f="(*, a)"),
        "`a` is now keyword-only; it was positional or keyword.",
        "`a` 由可按位置或关键字传入的参数变为仅限关键字的参数。",
    ),
    (
        "members added",
        file("1.0", f=class_of("x")),
        file("2.0", f=class_of("x", "y", "z")),
        "New members: `y`, `z`.",
        "新增成员：`y`、`z`。",
    ),
    (
        "member removed",
        file("1.0", f=class_of("x", "y")),
        file("2.0", f=class_of("x")),
        "Members removed: `y`.",
        "移除成员：`y`。",
    ),
]


@pytest.mark.parametrize(("old", "new", "english", "chinese"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_a_change(old: SignatureFile, new: SignatureFile, english: str, chinese: str) -> None:
    [change] = compare_files(old, new)
    assert (change.api, change.version, change.after) == ("torch.distributed.f", "2.0", "1.0")
    text = change_text(change)
    assert (text.en, text.zh) == (english, chinese)


def test_every_kind_of_change_is_in_the_table() -> None:
    """But for FIRST, which needs no second version."""
    found = {change.kind for _, old, new, _, _ in CASES for change in compare_files(old, new)}
    assert found == set(ChangeKind) - {ChangeKind.FIRST}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (file("1.0", f="(a, b=1)"), file("2.0", f="(a, b=1)")),
        (file("1.0", f="(a)"), file("2.0", f="(a, _private=None)")),
        (file("1.0", f="(a=...)"), file("2.0", f="(a=3)")),
        (file("1.0", ("f",)), file("2.0", f="(a)")),
        (file("1.0", ("f.__init__",), f=class_of("x")), file("2.0", f=class_of("x"))),
        (file("1.0", ("f.*",), f=class_of("x")), file("2.0", f=class_of("x", "y"))),
        (file("1.0", f=class_of("x", "y")), file("2.0", ("f.*",), f=class_of("x"))),
        (file("1.0", f=CONSTANT), file("2.0", f=CONSTANT)),
    ],
)
def test_what_is_not_told_is_no_change(old: SignatureFile, new: SignatureFile) -> None:
    assert compare_files(old, new) == []


def test_a_stub_says_that_there_is_a_default_but_not_which() -> None:
    [change] = compare_files(file("1.0", f="(a)"), file("2.0", f="(a=...)"))
    assert (change.kind, change.old, change.new) == (ChangeKind.PARAMETER_DEFAULT, None, "...")


def test_overloads_are_compared_by_the_names_they_take() -> None:
    ways = [function("(a=1)").parameters, function("(a=2, b=3)").parameters]
    overloaded = msgspec.structs.replace(function("()"), overloads=ways)
    changes = compare_files(file("1.0", f="(a=1, c=0)"), file("2.0", f=overloaded))
    assert [(change.kind, change.names) for change in changes] == [
        (ChangeKind.PARAMETERS_ADDED, ("b",)),
        (ChangeKind.PARAMETERS_REMOVED, ("c",)),
    ]


@pytest.mark.parametrize(("stub", "evidence"), [(True, STUBS), (False, SIGNATURES)])
def test_what_stubs_say_is_marked(stub: bool, evidence: str) -> None:
    [change] = compare_files(file("1.0", f=class_of("x", stub=stub)), file("2.0", f=class_of("y", "x", stub=stub)))
    assert change.evidence == evidence
