"""An independent NumPy oracle: what each collective's result is, from the inputs of all ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from apidiff.judge.slots import Array
from apidiff.model import Formula

# One rank's input: a tensor, or a list of one tensor per rank.
Operand = Array | list[Array]


class NotComputable(ValueError):
    """The inputs do not fit the formula (unequal shapes, a list where a tensor is needed): no expected value exists."""


def expected(formula: Formula, inputs: Sequence[Operand], rank: int) -> Array | list[Array]:
    """The result that ``formula`` gives on ``rank`` (its place in the group) for ``inputs``, one operand per rank.

    A list is returned where the result is a list of tensors. Raises NotComputable where the inputs do not fit.
    """
    try:
        return _expected(formula, inputs, rank)
    except (ValueError, IndexError, TypeError, AttributeError) as error:
        raise NotComputable(f"{formula.value} has no value for these inputs: {error}") from error


def _expected(formula: Formula, inputs: Sequence[Operand], rank: int) -> Array | list[Array]:
    match formula:
        case Formula.SUM:
            return _sum(_arrays(inputs))
        case Formula.MAX | Formula.MIN | Formula.PRODUCT | Formula.AVERAGE:
            return _folded(formula, _arrays(inputs))
        case Formula.CONCATENATED:
            return np.concatenate(_arrays(inputs), axis=0)
        case Formula.STACKED | Formula.SHAPE_STACKED:
            return np.stack(_arrays(inputs), axis=0)
        case Formula.SHAPE_CONCATENATED:
            return np.concatenate(_arrays(inputs), axis=0)
        case Formula.GATHERED:
            return _arrays(inputs)
        case Formula.REDUCED_SLOT:
            return _sum([operand[rank] for operand in _lists(inputs)])
        case Formula.REDUCED_CHUNK | Formula.SHAPE_CHUNK:
            return np.split(_sum(_arrays(inputs)), len(inputs), axis=0)[rank]
        case Formula.EXCHANGED:
            return [operand[rank] for operand in _lists(inputs)]
        case Formula.EXCHANGED_CHUNKS:
            return np.concatenate([np.split(array, len(inputs), axis=0)[rank] for array in _arrays(inputs)], axis=0)
        case Formula.INPUT | Formula.SHAPE_SAME:
            return inputs[rank]
        case Formula.ZEROS:
            return np.zeros_like(_arrays(inputs)[rank])
    raise NotComputable(f"{formula.value} speaks of a length, not of values")


def _arrays(inputs: Sequence[Operand]) -> list[Array]:
    if any(isinstance(operand, list) for operand in inputs):
        raise TypeError("a list where a tensor is needed")
    return [np.asarray(operand) for operand in inputs]


def _lists(inputs: Sequence[Operand]) -> list[list[Array]]:
    if not all(isinstance(operand, list) and len(operand) == len(inputs) for operand in inputs):
        raise TypeError("not a list with one tensor per rank")
    return [list(operand) for operand in inputs]


def _sum(arrays: list[Array]) -> Array:
    if len({array.shape for array in arrays}) > 1:
        raise ValueError("shapes differ")
    total: Array = np.add.reduce(np.stack(arrays), axis=0)
    return total.astype(arrays[0].dtype)


def _folded(formula: Formula, arrays: list[Array]) -> Array:
    stacked = np.stack(arrays)
    folds: dict[Formula, Callable[..., Array]] = {
        Formula.MAX: np.max,
        Formula.MIN: np.min,
        Formula.PRODUCT: np.prod,
        Formula.AVERAGE: np.mean,
    }
    folded = folds[formula](stacked, axis=0)
    return folded.astype(arrays[0].dtype)
