"""What the database speaks of: the file is read with its lines, and what a module holds is decided in one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database.checks import coverage
from apidiff.database.data import Data
from apidiff.database.scope import Module, SourceScope, read_scope
from apidiff.errors import DataError
from apidiff.model.base import Text
from apidiff.model.mapping import Api, Mapping
from apidiff.model.signature import Signature, SignatureFile, SignatureKind
from apidiff.model.vocabulary import ApiKind

SCOPE = """\
categories: {collective: {en: Collective, zh: 集合通信}}
torch:
  release: "9.1.0"
  modules:
    - {name: torch.nn.functional, names: [gelu], alias: F}
    - {name: torch, names: [nn.Linear, Tensor.add_]}
mindspore:
  modules:
    - {name: mindspore.ops, names: all, defined_in: mindspore.ops.inner}
"""
# What is changed in the file, and what the error says.
BROKEN = [
    ("names: [gelu]", "names: some", r"scope\.yaml:5: Invalid enum value 'some'"),
    ("names: [gelu]", "names: [gelu], more: [selu]", r"scope\.yaml:5: .*lists its names and has 'more'"),
    ("name: torch,", "name: tensor,", r"scope\.yaml:6: tensor is no module of torch"),
    ("Tensor.add_]", "Tensor.add_], alias: F", r"scope\.yaml:6: .* have the same alias 'F'"),
    ("name: torch,", "name: torch.nn.functional,", r"scope\.yaml:6: .* stands there twice, first in line 5"),
    ("release:", "releases:", r"scope\.yaml:3: unknown key 'releases'"),
    (", zh: 集合通信", "", r"scope\.yaml:1: .*lacks the key 'zh'"),
]


@pytest.mark.parametrize(("old", "new", "said"), BROKEN)
def test_a_broken_file(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "scope.yaml"
    path.write_text(SCOPE.replace(old, new), "utf-8")
    with pytest.raises(DataError, match=said):
        read_scope(path)


def test_names_of_modules(tmp_path: Path) -> None:
    path = tmp_path / "scope.yaml"
    path.write_text(SCOPE, "utf-8")
    scope, _ = read_scope(path)
    assert scope.torch.listed() == {"torch.nn.functional.gelu", "torch.nn.Linear", "torch.Tensor.add_"}
    assert scope.torch.aliased("torch.nn.functional.gelu") == ["F.gelu"]
    assert scope.torch.module_of("torch.nn.functional.gelu") == "torch.nn.functional"
    assert scope.torch.module_of("torch.nn.Linear") == "torch"
    assert scope.torch.module_of("numpy.add") is None
    assert scope.mindspore.needs_counterpart("mindspore.ops.AllReduce")
    assert not scope.mindspore.holds_all("mindspore.ops.AllReduce")


def test_what_code_is_told_to_use() -> None:
    modules = [Module(name="torch.a", names="all", copies=["torch._a"]), Module(name="torch.b", names=["c"])]
    scope = SourceScope(release="9.1.0", modules=modules, related=["torch.d.*", "torch.e"])
    assert scope.noticed() == ["torch.a.", "torch.d.", "torch.e"]
    assert scope.copies() == {"torch._a": "torch.a"}


# Exceptions, with what is said of them where `known` has a record and `spare` is a public name without one.
EXCEPTIONS = [
    ("{torch.spare: later}", None),
    ("{torch.spare: later, torch.known: later}", "torch.known is an exception and has a record"),
    ("{torch.spare: later, torch.gone: later}", "torch.gone is an exception and no name in scope"),
    ("{}", "torch.spare is public in torch 9.1.0 and has no record"),
]


@pytest.mark.parametrize(("exceptions", "said"), EXCEPTIONS)
def test_exceptions_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exceptions: str, said: str | None) -> None:
    text = SCOPE.replace('release: "9.1.0"', f'release: "9.1.0"\n  exceptions: {exceptions}')
    (tmp_path / "scope.yaml").write_text(text, "utf-8")
    monkeypatch.setattr(coverage, "conf_file", lambda name: tmp_path / name)
    function = Signature(kind=SignatureKind.FUNCTION)
    apis = {"torch.known": function, "torch.spare": function}
    file = SignatureFile(framework="torch", version="9.1.0", tool="test", apis=apis)
    source = Api(name="torch.known", kind=ApiKind.FUNCTION)
    mapping = Mapping(id="torch.known", category="collective", summary=Text(en="a", zh="b"), source=source, targets=[])
    data = Data(tmp_path, {"torch.known": mapping}, {}, {}, {("torch", "9.1.0"): file})
    errors = [str(error) for error in coverage.torch_is_covered(data)]
    assert len(errors) == (said is not None)
    assert all(said in error for error in errors if said)
    assert all("scope.yaml:4" in error for error in errors if "is an exception" in error)
