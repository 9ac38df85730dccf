"""What difference pages state of parameters is held against the signatures of both releases."""

import pytest

from apidiff.database import Data
from apidiff.database.difference_pages import PageRow, States
from apidiff.database.signatures import newest_first
from apidiff.derive.difference_pages import page_verdicts
from apidiff.model.signature import (
    ParameterKind,
    Signature,
    SignatureFile,
    SignatureKind,
    SignatureParameter,
    SignatureSource,
)
from apidiff.model.views import Entry

FUNCTION, CLASS = SignatureKind.FUNCTION, SignatureKind.CLASS
UNDECIDED = "undecided"


def signature(
    kind: SignatureKind = FUNCTION, source: SignatureSource = SignatureSource.SOURCE, **defaults: str | None
) -> Signature:
    named = [SignatureParameter(name=name, default=default) for name, default in defaults.items()]
    return Signature(kind=kind, source=source, parameters=named)


def file(framework: str, version: str, name: str, found: Signature) -> SignatureFile:
    return SignatureFile(framework=framework, version=version, tool="test", listed=[name], apis={name: found})


WITH_KWARGS = Signature(
    kind=FUNCTION, parameters=[SignatureParameter(name="kwargs", kind=ParameterKind.VARIADIC_KEYWORD)]
)
STUB = signature(source=SignatureSource.STUB)


@pytest.mark.parametrize(
    ("torch", "mindspore", "names", "states", "kind", "shown"),
    [
        (signature(a=None), signature(b=None), "a b", States.SAME, "parameter", None),
        (signature(a="1"), signature(b="1.0"), "a b", States.SAME, "parameter", None),
        (signature(a="1"), signature(b="2"), "a b", States.SAME, "parameter", "PyTorch 2.0 has `a=1`, MindSpore 3.0 `b=2`"),
        (signature(a="WORLD"), signature(b="0.2"), "a b", States.SAME, "parameter", None),
        (signature(a="1"), signature(b="2"), "a b", States.DEFAULT, "parameter", None),
        (signature(a="1"), signature(b="1"), "a b", States.DEFAULT, "parameter", "both default to `1`"),
        (signature(a="1"), signature(), "a b", States.SAME, "parameter", "MindSpore 3.0 has no `b`"),
        (signature(a="1"), WITH_KWARGS, "a b", States.SAME, "parameter", UNDECIDED),
        (STUB, signature(b=None), "a b", States.SAME, "parameter", UNDECIDED),
        (signature(CLASS, a="1"), signature(CLASS), "a b", States.SAME, "parameter", UNDECIDED),
        (signature(CLASS, a="1"), signature(CLASS, a="1"), "a -", States.TORCH_ONLY, "parameter", "MindSpore 3.0 has `a` too"),
        (signature(CLASS, a="1"), signature(CLASS, b="1"), "a -", States.TORCH_ONLY, "parameter", None),
        (signature(CLASS, a="1"), signature(CLASS, a="1"), "a -", States.TORCH_ONLY, "input", UNDECIDED),
        (signature(c="1"), signature(c="1"), "- c", States.MINDSPORE_ONLY, "parameter", "PyTorch 2.0 has `c` too"),
        (signature(a="1"), signature(a="2"), "a a", States.OTHER, "parameter", UNDECIDED),
        (signature(SignatureKind.CONSTANT), signature(a="2"), "a a", States.SAME, "parameter", UNDECIDED),
    ],
)  # fmt: skip
def test_a_statement_is_judged(
    torch: Signature, mindspore: Signature, names: str, states: States, kind: str, shown: str | None
) -> None:
    source, target = ("" if name == "-" else name for name in names.split())
    row = PageRow(
        line=2, cells=[], release="r1", page="f", source="torch.f", target="mindspore.f", kind=kind,
        source_name=source, target_name=target, states=states,
    )  # fmt: skip
    verdicts = list(
        page_verdicts(
            [row], [file("torch", "2.0", "torch.f", torch)], file("mindspore", "3.0", "mindspore.f", mindspore)
        )
    )
    told = [verdict.shown.en if verdict.shown else None for verdict in verdicts]
    assert told == ([] if shown == UNDECIDED else [shown])


def test_the_pages_of_upstream_are_judged(database: Data) -> None:
    [newest, *_] = newest_first(database.signatures, "mindspore")
    verdicts = list(page_verdicts(database.pages, newest_first(database.signatures, "torch"), newest))
    shown = {(verdict.row.release, verdict.row.source, verdict.row.source_name): verdict.shown for verdict in verdicts}
    leaky = shown["r2.4.10", "torch.nn.functional.leaky_relu", "negative_slope"]
    assert leaky is not None
    assert leaky.en.endswith("has `negative_slope=0.01`, MindSpore 2.10.0 `alpha=0.2`")
    assert shown["r2.4.10", "torch.nn.GRUCell", "bias"] is None


def test_the_record_cites_the_page(all_entries: dict[str, Entry]) -> None:
    document = all_entries["torch.nn.GRUCell"].documents["mindspore-r2.4.10-diff-GRUCell"]
    assert document.address("zh").endswith("/zh-CN/r2.4.10/note/api_mapping/pytorch_diff/GRUCell.html")
