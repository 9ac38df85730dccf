"""Why a name stands only in a port or only in the one by hand: reasons that the code itself shows, with figures.

None of this counts in the measure: it tells how much of the gap a rule could close.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

_OTHER_CODE = "the hand port has it, and the source names nothing there that it could stand for"
_WRONG = "the hand port names a function or a module as the type of a parameter"
_OTHER_TYPE = "the hand port takes another dtype than the source"
_NUMPY = "the hand port writes NumPy where the source has PyTorch"
_LEFT_OUT = "the source names it, and the hand port has nothing of MindSpore for it there"
_REST = "both write it, each in its own way"
_NO_CAUSE = {_OTHER_CODE, _WRONG, _NUMPY}  # which no rule could give
_INTEGERS = {"mindspore.int32", "mindspore.int64"}
_NO_TYPES = {"mindspore.dtype"}
_SHOWN = 4  # names told for each reason


class Gaps:
    """Names that only one side has, by reason."""

    def __init__(self) -> None:
        self._ported: dict[str, Counter[str]] = {}
        self._by_hand: dict[str, Counter[str]] = {}

    def add(
        self,
        ported: Collection[str],
        by_hand: Collection[str],
        before: Collection[str],
        after: Collection[str],
        sources: Mapping[str, Collection[str]],
    ) -> None:
        """Count the names of one scope.

        Args:
            ported: those in the port alone.
            by_hand: those in the one by hand alone.
            before: the words of the source's code.
            after: the words of the code by hand.
            sources: those that are listed for a target.
        """
        caused = [name for name in by_hand if _could_stand_for(name, before, sources)]
        for name in by_hand:
            if name in _NO_TYPES or (name == "mindspore.tensor" and "mindspore.Tensor" in ported):
                reason = _WRONG
            elif name not in caused:
                reason = _OTHER_CODE
            else:
                reason = _OTHER_TYPE if name in _INTEGERS and _INTEGERS & {*ported} else _REST
            self._by_hand.setdefault(reason, Counter())[name] += 1
        for name in ported:
            if name == "mindspore.Tensor" and "mindspore.tensor" in by_hand:
                reason = _WRONG
            elif name in _INTEGERS and _INTEGERS & {*by_hand}:
                reason = _OTHER_TYPE
            elif "np" in after and "np" not in before:
                reason = _NUMPY
            else:
                reason = _REST if caused else _LEFT_OUT
            self._ported.setdefault(reason, Counter())[name] += 1

    def without_cause(self) -> tuple[int, int]:
        """How many names are in the port alone, and in the one by hand alone, for reasons that no rule could remove."""
        ported, by_hand = (
            sum(names.total() for reason, names in reasons.items() if reason in _NO_CAUSE)
            for reasons in (self._ported, self._by_hand)
        )
        return ported, by_hand

    def lines(self) -> Iterator[str]:
        """Tell each reason with its figure and its most frequent names."""
        for title, reasons in (("in ports alone", self._ported), ("in ports by hand alone", self._by_hand)):
            yield f"{title}: {sum(names.total() for names in reasons.values())} names"
            for reason, names in sorted(reasons.items(), key=lambda item: -item[1].total()):
                most = ", ".join(f"{name} {count}" for name, count in names.most_common(_SHOWN))
                yield f"{'-' if reason in _NO_CAUSE else ' '} {names.total()}: {reason} ({most})"


def _could_stand_for(name: str, words: Collection[str], sources: Mapping[str, Collection[str]]) -> bool:
    """Whether code with these words names something that ``name`` could stand for."""
    return any(one.rpartition(".")[2] in words for one in (name, *sources.get(name, ())))
