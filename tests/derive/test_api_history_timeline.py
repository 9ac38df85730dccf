"""All versions of one API, with what documents say of older ones."""

from __future__ import annotations

import pytest
from history_files import class_of, deprecated, file

from apidiff.derive.api_history import SIGNATURES, timeline
from apidiff.model.documented import Point
from apidiff.model.signature import SignatureFile

API = "torch.distributed.f"


def shown(files: list[SignatureFile], documented: list[Point] | None = None) -> list[tuple[str, str, str | None]]:
    return [(one.version, one.kind.value, one.after) for one in timeline(API, files, documented or [])]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([], []),
        ([file("1.0"), file("2.0")], []),
        ([file("1.0", f="()"), file("2.0", f="()")], [("1.0", "first", None)]),
        ([file("10.0"), file("9.0", f="()")], [("9.0", "first", None), ("10.0", "removed", "9.0")]),
        (
            [file("1.0"), file("2.0", f="()"), file("3.0"), file("4.0", ("f",))],
            [("2.0", "added", "1.0"), ("3.0", "removed", "2.0"), ("4.0", "added", "3.0")],
        ),
        (
            [file("1.0"), file("2.0", f=deprecated("()")), file("3.0", f=deprecated("()"))],
            [("2.0", "added", "1.0"), ("2.0", "deprecated", None)],
        ),
        (
            [file("1.0", f=deprecated("()")), file("2.0", f="()"), file("3.0", f=deprecated("()"))],
            [
                ("1.0", "first", None),
                ("1.0", "deprecated", None),
                ("2.0", "not_deprecated", "1.0"),
                ("3.0", "deprecated", "2.0"),
            ],
        ),
        # 2.0 does not tell the parameters: 3.0 is compared with 1.0.
        (
            [file("1.0", f="(a)"), file("2.0", ("f",)), file("3.0", f="(a, b)")],
            [("1.0", "first", None), ("3.0", "parameters_added", "1.0")],
        ),
        (
            [file("1.0", f=class_of("x")), file("2.0", ("f.*",), f=class_of()), file("3.0", f=class_of("x", "y"))],
            [("1.0", "first", None), ("3.0", "members_added", "1.0")],
        ),
    ],
)
def test_timeline(files: list[SignatureFile], expected: list[tuple[str, str, str | None]]) -> None:
    assert shown(files) == expected


@pytest.mark.parametrize(
    ("documented", "expected"),
    [
        ([Point("0.5", True, "doc")], [("0.5", "first", None, "doc", SIGNATURES)]),
        ([Point("0.5", True, "doc", new=True)], [("0.5", "added", None, "doc", SIGNATURES)]),
        ([Point("0.5", True, "b"), Point("0.4", False, "a")], [("0.5", "added", "0.4", "b", "a")]),
        ([Point("0.5", False, "doc")], [("1.0", "added", "0.5", SIGNATURES, "doc")]),
        (
            [Point("0.5", True, "doc", deprecated=True)],
            [("0.5", "first", None, "doc", SIGNATURES), ("0.5", "deprecated", None, "doc", SIGNATURES)],
        ),
        # Of 1.0 there are signatures: what a document says of it is not asked.
        ([Point("1.0", False, "doc")], [("1.0", "first", None, SIGNATURES, SIGNATURES)]),
    ],
)
def test_documents_tell_of_older_versions(
    documented: list[Point], expected: list[tuple[str, str, str | None, str, str]]
) -> None:
    changes = timeline(API, [file("1.0", f="()"), file("2.0", f="()")], documented)
    assert [(c.version, c.kind.value, c.after, c.evidence, c.after_evidence) for c in changes] == expected


def test_a_mark_that_a_document_tells_is_not_told_twice() -> None:
    documented = [Point("0.5", True, "doc", deprecated=True)]
    kinds = [kind for _, kind, _ in shown([file("1.0", f=deprecated("()"))], documented)]
    assert kinds == ["first", "deprecated"]
