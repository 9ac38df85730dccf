"""Compares what a call passes with what a sample or a condition passes: the same form, a form that holds it, or another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from apidiff.model.literals import literal
from apidiff.porting.call_forms import DEVICE, LITERAL, NAMED, UNKNOWN, CallForm

Bound = dict[str, str]  # parameter → what is passed for it
SEVERAL = "several"  # arguments given one by one for a parameter that takes any number: view(3, 4)
TUPLE = "tuple"
_NO_DEVICES = {"dtype", "other"}  # parameters for which no device is passed, so that another way to call is meant
_NO_SWITCHES = {"dim", "axis"}  # nor True or False for these: std(False) passes `unbiased`
_SWITCHES = {f"{LITERAL}True", f"{LITERAL}False"}


def bind(form: CallForm, ways: Sequence[Sequence[str]], needed: Sequence[Sequence[str]] = ()) -> Bound:
    """Assign what a call passes to parameters, by the way to call that takes it; ``needed``: what each cannot do without.

    What no way tells stays under its position: ``#0``.
    """
    way = way_taken(form, ways, needed)
    bound = bound_by(form, way) if way is not None else None
    if bound is None:
        return {f"#{place}": value for place, value in enumerate(form.args)} | dict(form.keywords)
    variadic = {name[1:] for way in ways for name in way if name[0] == "*" and name[1] != "*"}
    # view(12) is written as view(3, 4) is, although another way to call takes the number for a whole size.
    return {name: SEVERAL if name in variadic and _is_number(value) else value for name, value in bound.items()}


def way_taken(
    form: CallForm, ways: Sequence[Sequence[str]], needed: Sequence[Sequence[str]] = ()
) -> Sequence[str] | None:
    """The first way to call that takes what a call passes and is given all that it needs, else the first that takes it.

    The ways to call ``addmm`` that are no longer in use, ``addmm(beta, self, alpha, mat1, mat2)``, take three tensors too.
    """
    first: Sequence[str] | None = None
    for number, way in enumerate(ways):
        if (bound := bound_by(form, way)) is not None:
            if form.open or number >= len(needed) or all(name in bound for name in needed[number]):
                return way
            first = way if first is None else first
    return first


def bound_by(form: CallForm, way: Sequence[str]) -> Bound | None:
    """Assign what a call passes to the parameters of one way to call; None where that does not take it."""
    positional = [name.rstrip("/") for name in way if name[0] != "*" and name[-1] != "="]
    variadic = next((name[1:] for name in way if name[0] == "*" and name[1] != "*"), None)
    if variadic is not None:
        positional = positional[: way.index(f"*{variadic}")]
    bound = dict(zip(positional, form.args, strict=False))
    rest = form.args[len(positional) :]
    if rest:
        if variadic is None:
            return None
        bound[variadic] = SEVERAL
    named = {name.rstrip("=") for name in way if name[0] != "*" and name[-1] != "/"}
    takes_more = any(name.startswith("**") for name in way)
    for name, value in form.keywords:
        if name in bound or (name not in named and not takes_more):
            return None
        bound[name] = value
    if any(name in bound and is_device(bound[name]) for name in _NO_DEVICES):
        return None
    if any(bound.get(name) in _SWITCHES for name in _NO_SWITCHES):
        return None
    return bound


def is_device(value: str) -> bool:
    """Whether an argument of which a dtype, a tensor or a device is expected is a device: named as one, or a text."""
    return value == DEVICE or value.startswith((f"{LITERAL}'", f'{LITERAL}"'))


def fits(call: Mapping[str, str], wanted: Mapping[str, str], *, more: bool) -> bool:
    """Whether ``call`` may be one that passes ``wanted``. ``more``: it may pass other parameters too."""
    if not more and call.keys() != wanted.keys():
        return False
    return all(name in call and alike(call[name], value) for name, value in wanted.items())


def alike(first: str, second: str) -> bool:
    """Whether two arguments may be of the same form: numbers of one type are, texts and switches are not."""
    if first == second or first.startswith(UNKNOWN) or second.startswith(UNKNOWN):
        return True
    kinds = {_kind(first), _kind(second)}
    if kinds == {"value"}:
        return False
    return len(kinds) == 1 or kinds <= {"tuple", "list"}


def _is_number(code: str) -> bool:
    return code.startswith(LITERAL) and _kind(code) == "int"


@cache
def _kind(code: str) -> str:
    """What decides whether two arguments are of one form; ``value`` where each value is a form of its own."""
    if code.startswith(NAMED):
        return "value"
    if not code.startswith(LITERAL):
        return code
    try:
        value = literal(code[1:])
    except ValueError:
        return "value"
    if value is None or isinstance(value, bool | str):
        return "value"
    return type(value).__name__
