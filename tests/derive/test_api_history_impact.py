"""What a change touches: mappings by any of their APIs, claims that documents state by what they name."""

from __future__ import annotations

import pytest

from apidiff.derive.api_history import Change, ChangeKind, Reach
from apidiff.model.base import Text
from apidiff.model.claim import Claim, Completes, Parameter, Stated, Writes
from apidiff.model.mapping import Api, Document, Mapping, Otherwise, Target, TargetRange
from apidiff.model.vocabulary import AnswerKind, Framework, Status

TEXT = Text(en="a", zh="甲")
DOCUMENTS = {
    key: Document(title=key, url="u", framework=framework, version=version)
    for key, framework, version in [
        ("old", Framework.MINDSPORE, "2.7.0"),
        ("new", Framework.MINDSPORE, "2.10.0"),
        ("other", Framework.TORCH, "2.10"),
    ]
}


def claim(name: str, *documents: str, **kind: object) -> Claim:
    return Claim(id=name, stated=[Stated(document=one, part="p") for one in documents], **kind)  # type: ignore[arg-type]


TARGET = Api(
    name="mindspore.f",
    claims=[
        claim("has-op", "old", parameter=Parameter(name="op")),
        claim("writes-list", "old", writes=Writes(argument="tensor_list[0]")),
        claim("runs", "old", "other", completes=Completes()),
        claim("known-there", "new", completes=Completes()),
        claim("ours", completes=Completes()),
    ],
)
MAPPINGS = [
    Mapping(
        id="torch.f",
        category="c",
        summary=TEXT,
        source=Api(name="torch.f"),
        targets=[Target(api=TARGET, ranges=[TargetRange(status=Status.CURRENT)])],
    ),
    Mapping(
        id="torch.g",
        category="c",
        summary=TEXT,
        source=Api(name="torch.g"),
        otherwise=[Otherwise(answer=AnswerKind.NOT_NEEDED, why=TEXT, uses=["mindspore.f"])],
    ),
    Mapping(id="torch.h", category="c", summary=TEXT, source=Api(name="torch.h")),
]


@pytest.mark.parametrize(
    ("api", "names", "mappings", "claims"),
    [
        (
            "mindspore.f",
            (),
            ("torch.f", "torch.g"),
            {
                "mindspore.f#has-op": ("old",),
                "mindspore.f#runs": ("old", "other"),
                "mindspore.f#writes-list": ("old",),
            },
        ),
        ("mindspore.f", ("op",), ("torch.f", "torch.g"), {"mindspore.f#has-op": ("old",)}),
        ("mindspore.f", ("tensor_list",), ("torch.f", "torch.g"), {"mindspore.f#writes-list": ("old",)}),
        ("mindspore.f", ("elsewhere",), ("torch.f", "torch.g"), {}),
        ("torch.h", (), ("torch.h",), {}),
        ("torch.unknown", (), (), {}),
    ],
)
def test_touched(
    api: str, names: tuple[str, ...], mappings: tuple[str, ...], claims: dict[str, tuple[str, ...]]
) -> None:
    kind = ChangeKind.PARAMETERS_ADDED if names else ChangeKind.REMOVED
    found = Reach(MAPPINGS, DOCUMENTS).touched(Change(api, kind, "2.10.0", "2.9.0", names))
    assert (found.mappings, found.claims) == (mappings, claims)
