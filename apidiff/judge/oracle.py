"""An independent NumPy oracle: what each collective's result is, from the inputs of all ranks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from apidiff.judge.recorded_values import Array, Operand
from apidiff.model.claim import Formula
from apidiff.model.verdict import Evidence, EvidenceCode, evidence

# Formulas that look at one rank's input alone; the inputs of the others may be missing.
_OF_ROOT = {Formula.FROM_ROOT, Formula.SCATTERED, Formula.SCATTERED_CHUNK}
_OF_SELF = {Formula.INPUT, Formula.ZEROS, Formula.SHAPE_SAME}
# Formulas that no input goes into.
FREE = {Formula.RANK, Formula.WORLD, Formula.LENGTH_WORLD}


class NotComputable(ValueError):
    """The inputs do not fit the formula (unequal shapes, a list where a tensor is needed): no expected value exists.

    ``why``: that as a fact.
    """

    def __init__(self, why: Evidence) -> None:
        super().__init__(f"{why.code.value}: {why.values}")
        self.why = why


def needed(formula: Formula, size: int, rank: int, source: int) -> list[int]:
    """The places in a group of ``size`` whose inputs decide what ``formula`` is at place ``rank``."""
    if formula in FREE:
        return []
    if formula in _OF_SELF:
        return [rank]
    return [source] if formula in _OF_ROOT or formula is Formula.SENT else list(range(size))


def expected(formula: Formula, inputs: Sequence[Operand], rank: int, source: int = 0) -> Operand:
    """The result that ``formula`` gives on ``rank`` (its place in the group) for ``inputs``, one operand per rank.

    ``source``: the place of the rank that a result comes from: the root, or the other end of a send. Inputs that ``needed``
    does not name are not looked at. Raises NotComputable where the inputs do not fit.
    """
    try:
        # What overflows is what is expected then; a warning of it would be told, or raised, of any record.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _expected(formula, inputs, rank, source)
    except NotComputable:
        raise
    except (ValueError, IndexError, TypeError, AttributeError) as error:
        raise NotComputable(evidence(EvidenceCode.NO_EXPECTED_VALUE, formula=formula.value, error=error)) from error


def _expected(formula: Formula, inputs: Sequence[Operand], rank: int, source: int) -> Operand:
    match formula:
        case Formula.RANK:
            return rank
        case Formula.WORLD:
            return len(inputs)
        case Formula.FROM_ROOT | Formula.SENT:
            return inputs[source]
        case Formula.SCATTERED:
            return _lists(formula, [inputs[source]], len(inputs))[0][rank]
        case Formula.SCATTERED_CHUNK:
            return np.split(_arrays(formula, [inputs[source]])[0], len(inputs), axis=0)[rank]
        case Formula.SUM:
            return _sum(formula, _arrays(formula, inputs))
        case Formula.MAX | Formula.MIN | Formula.PRODUCT | Formula.AVERAGE:
            return _folded(formula, _arrays(formula, inputs))
        case Formula.CONCATENATED:
            return np.concatenate(_arrays(formula, inputs), axis=0)
        case Formula.STACKED | Formula.SHAPE_STACKED:
            return np.stack(_arrays(formula, inputs), axis=0)
        case Formula.SHAPE_CONCATENATED:
            return np.concatenate(_arrays(formula, inputs), axis=0)
        case Formula.GATHERED:
            return list(inputs)
        case Formula.REDUCED_SLOT:
            return _sum(formula, _arrays(formula, [operand[rank] for operand in _lists(formula, inputs, len(inputs))]))
        case Formula.REDUCED_CHUNK | Formula.SHAPE_CHUNK:
            return np.split(_sum(formula, _arrays(formula, inputs)), len(inputs), axis=0)[rank]
        case Formula.EXCHANGED:
            return [operand[rank] for operand in _lists(formula, inputs, len(inputs))]
        case Formula.EXCHANGED_CHUNKS:
            return np.concatenate(
                [np.split(array, len(inputs), axis=0)[rank] for array in _arrays(formula, inputs)], axis=0
            )
        case Formula.EXCHANGED_PARTS:
            parts = [operand[rank] for operand in _lists(formula, inputs, len(inputs))]
            return np.concatenate(_arrays(formula, parts), axis=0)
        case Formula.INPUT | Formula.SHAPE_SAME:
            return inputs[rank]
        case Formula.ZEROS:
            return np.zeros_like(_arrays(formula, [inputs[rank]])[0])
    raise ValueError("it speaks of a length, not of values")


def _arrays(formula: Formula, inputs: Sequence[Operand]) -> list[Array]:
    arrays = [operand for operand in inputs if isinstance(operand, np.ndarray)]
    if len(arrays) < len(inputs):
        odd = next(operand for operand in inputs if not isinstance(operand, np.ndarray))
        shown = "list" if isinstance(odd, list) else repr(odd)
        raise NotComputable(evidence(EvidenceCode.NOT_A_TENSOR, formula=formula.value, found=shown))
    return arrays


def _lists(formula: Formula, inputs: Sequence[Operand], size: int) -> list[list[Operand]]:
    lists = [operand for operand in inputs if isinstance(operand, list) and len(operand) == size]
    if len(lists) < len(inputs):
        raise NotComputable(evidence(EvidenceCode.NOT_PER_RANK, formula=formula.value))
    return lists


def _sum(formula: Formula, arrays: list[Array]) -> Array:
    if len({array.shape for array in arrays}) > 1:
        raise NotComputable(evidence(EvidenceCode.SHAPES_DIFFER, formula=formula.value))
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
