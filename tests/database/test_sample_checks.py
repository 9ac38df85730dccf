"""Rows of (what is done to a good mapping whose calls are made in a single process, what the error must say)."""

import difflib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from apidiff.database.checks import samples
from apidiff.database.checks.samples import samples_fit
from apidiff.database.checks.subject import Subject
from apidiff.database.data import Data
from apidiff.model.mapping import Mapping
from apidiff.model.signature import Signature, SignatureFile, SignatureKind, SignatureParameter

GOOD: dict[str, Any] = {
    "id": "torch.Tensor.add_",
    "category": "tensor",
    "summary": {"en": "Adds.", "zh": "相加。"},
    "execution": "single",
    "samples": {
        "plain": {"receiver": {"values": [1]}, "args": {"other": 1}},
        "more": {"like": "plain", "kwargs": {"alpha": 2}},
    },
    "source": {"name": "torch.Tensor.add_", "kind": "method"},
    "targets": [
        {"api": {"name": "mindspore.Tensor.add_", "kind": "method"}, "ranges": [{"since": "2.10", "status": "current"}]}
    ],
}
LINEAR = {"name": "torch.nn.Linear", "kind": "module"}


def errors(**changes: Any) -> list[str]:
    mapping = msgspec.convert(GOOD | changes, Mapping)
    data = Data(Path("data"), {mapping.id: mapping}, {}, {})
    return [str(error) for error in samples_fit(Subject(data, mapping))]


def test_a_good_mapping_has_no_error() -> None:
    assert errors() == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"execution": "collective"}, "samples are not made where calls are made by ranks"),
        ({"samples": {}}, "has no sample"),
        ({"samples": {"plain": {"like": "other"}}}, "there is no sample 'other'"),
        ({"samples": {"plain": {"args": {"other": 1}}}}, "sample 'plain' has no receiver"),
        (
            {
                "samples": {
                    "plain": {"receiver": {"shape": [2**20]}},
                    "more": {"like": "plain", "args": {"other": {"shape": [1]}}},
                }
            },
            "sample 'more': the tensors of a sample have at most 1048576 elements, got 1048577. Write smaller ones.",
        ),
        (
            {"samples": {"plain": {"receiver": {"values": [1]}, "constructor": {"args": {"a": 1}}}}},
            "sample 'plain' has a constructor, and torch.Tensor.add_ is a method",
        ),
        (
            {"samples": {"plain": {"receiver": {"values": [1]}, "state": {"weight": {"values": [1]}}}}},
            "sample 'plain' has a state, which only a module has",
        ),
        (
            {
                "source": {"name": "torch.optim.SGD", "kind": "class"},
                "samples": {
                    "plain": {
                        "constructor": {},
                        "state": {"weight": {"values": [1]}, "bias": {"values": [1]}},
                        "args": {"gradient": {"values": [1]}},
                        "steps": 1,
                    }
                },
            },
            "sample 'plain' has 2 parameters and 1 gradients",
        ),
        ({"source": {"name": "torch.Tensor.add_", "kind": "constant"}}, "is a constant, which no single process calls"),
        (
            {"source": {"name": "torch.Tensor.add_", "kind": "method", "collective": {"probes": {"sync": {}}}}},
            "torch.Tensor.add_ has probes",
        ),
    ],
)
def test_one_error(changes: dict[str, Any], words: str) -> None:
    found = errors(**changes)
    assert any(words in one for one in found), found


# a tensor, the dtype of its sample, what of it no tensor of the dtype can hold
VALUES: list[tuple[dict[str, Any], str, object]] = [
    ({"values": [1, "nan"], "dtype": "int32"}, "float32", "nan"),
    ({"values": [[1, "nan"]]}, "int32", "nan"),
    ({"values": "(1-2j)"}, "float32", "(1-2j)"),
    ({"values": [255, 256]}, "uint8", 256),
    ({"values": ["inf"]}, "uint8", "inf"),
    ({"values": [-1]}, "uint8", -1),
    ({"values": [0.5]}, "int64", 0.5),
    ({"values": [1, 2]}, "bool", 2),
    ({"values": ["nan"]}, "bool", "nan"),
    ({"values": [1e5]}, "float16", 1e5),
    ({"values": [10**400]}, "float64", 10**400),
    ({"shape": [2]}, "uint8", -1.0),
    ({"shape": [2], "high": 1e6}, "float16", 1e6),
    ({"values": ["nan", "-inf", 3e38, True, 1]}, "float32", None),
    ({"values": ["(1-2j)", "inf", 1, 0.5]}, "complex64", None),
    ({"values": [1.0, True, 255]}, "uint8", None),
    ({"values": [1, 0.0, False]}, "bool", None),
    ({"values": []}, "int32", None),
    ({"shape": [2]}, "bool", None),
    ({"shape": [2]}, "int8", None),
    ({"shape": [2], "low": 0.0, "high": 255.0}, "uint8", None),
    ({"shape": [0, 2]}, "uint8", None),
]


@pytest.mark.parametrize(("tensor", "dtype", "odd"), VALUES)
def test_a_value_is_one_of_its_dtype(tensor: dict[str, Any], dtype: str, odd: object) -> None:
    plain = {"receiver": {"values": [1]}, "args": {"other": {"list": [tensor]}}}
    found = errors(samples={"plain": plain | {"dtype": "complex128"}, "more": {"like": "plain", "dtype": dtype}})
    about = [error.split("data/mappings/torch/Tensor/add_.yaml: ")[-1] for error in found if "'more'" in error]
    named = tensor.get("dtype", dtype)
    told = f"sample 'more' has {odd!r} for a tensor of {named}, which holds no such value. Write values,"
    assert [error[: len(told)] for error in about] == ([] if odd is None else [told])


CODE = {"torch": "x.add_(1)", "mindspore": "x.add_(1)"}


# the code of a sample, what the error says
WRONG_CODE = [
    ({"torch": "x.add_(1)"}, "sample 'plain' has no code for mindspore.Tensor.add_"),
    (CODE | {"mindspore": "x.add_("}, "the code of sample 'plain' does not parse"),
    (CODE | {"mindspore": f"x.add_({'-' * 100}1)"}, "does not parse: it is nested too deep"),
    (CODE | {"torch": "x, y = x, x"}, "the last line of sample 'plain' computes and assigns nothing"),
    (CODE | {"torch": "import x"}, "the last line of sample 'plain' computes and assigns nothing"),
    (CODE | {"mindspore.Tensor.sub_": "x"}, "code of 'mindspore.Tensor.sub_', which is no target"),
]


@pytest.mark.parametrize(("code", "words"), WRONG_CODE)
def test_code_that_cannot_be_run_is_refused(code: dict[str, str], words: str) -> None:
    found = errors(samples={"plain": {"code": code}})
    assert any(words in one for one in found), found


def test_code_that_python_gives_up_on_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parser raises MemoryError for what is nested too deep."""

    def give_up(_code: str) -> None:
        raise MemoryError

    monkeypatch.setattr(samples.ast, "parse", give_up)
    assert any("does not parse: it is nested too deep" in one for one in errors(samples={"plain": {"code": CODE}}))


@pytest.mark.parametrize("kind", ["method", "constant"])
def test_code_stands_for_a_call_of_any_kind(kind: str) -> None:
    assert errors(samples={"plain": {"code": CODE}}, source={"name": "torch.Tensor.add_", "kind": kind}) == []


def test_a_module_is_constructed() -> None:
    found = errors(source=LINEAR, samples={"plain": {"args": {"input": {"shape": [1, 2]}}}})
    assert any("sample 'plain' has no constructor" in one for one in found)


# what a sample calls its argument, what is named in its place
NAMES = [("other", None), ("othre", "other"), ("anything", None), ("alhpa", "alpha"), ("from", None), ("other_0", None)]


@pytest.mark.parametrize(("written", "meant"), NAMES)
def test_an_argument_is_almost_a_parameter(written: str, meant: str | None) -> None:
    parameters = [SignatureParameter(name=name) for name in ("other", "alpha", "from_")]
    known = {"torch.Tensor.add_": Signature(kind=SignatureKind.FUNCTION, parameters=parameters)}
    file = SignatureFile(framework="torch", version="2.13.0", tool="test", apis=known)
    mapping = msgspec.convert(
        GOOD | {"samples": {"plain": {"receiver": {"values": [1]}, "args": {written: 1}}}}, Mapping
    )
    data = Data(Path("data"), {mapping.id: mapping}, {}, {}, signatures={("torch", "2.13.0"): file})
    found = [str(error) for error in samples_fit(Subject(data, mapping))]
    wanted = (
        []
        if meant is None
        else [f"an argument '{written}', and torch.Tensor.add_ has no such parameter. Write '{meant}'."]
    )
    assert [error.split("sample 'plain' has ", 1)[-1] for error in found] == wanted


def test_a_name_is_compared_once_for_all_samples_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """88 samples like one of 100 arguments, in ten profiles, took a minute."""
    compared: list[str] = []
    monkeypatch.setattr(difflib, "get_close_matches", lambda name, *_: compared.append(name) or [])
    samples._nearest.cache_clear()
    try:
        assert [samples._nearest(name, ("other", "alpha")) for name in ["othre", "w" * 190] * 88] == [None] * 176
    finally:
        samples._nearest.cache_clear()
    assert compared == ["othre", "w" * 190]
