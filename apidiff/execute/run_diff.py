"""Two run records beside each other: the verdicts that differ, and those that only one of them gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from apidiff.execute.compare import observations, told
from apidiff.judge import Context
from apidiff.model import Api, Observation, RunRecord

# A verdict's place: the API, the claim, the probe.
_Place = tuple[str, str, str]


@dataclass(frozen=True)
class Difference:
    """``differ``: both verdicts by place. ``only``: the places that the first record alone has, and the second alone."""

    differ: dict[_Place, tuple[Observation, Observation]]
    only: tuple[list[_Place], list[_Place]]

    def __bool__(self) -> bool:
        return bool(self.differ or any(self.only))

    def lines(self) -> Iterator[str]:
        """What a person reads. Probes with the same two verdicts stand together; what one record lacks is counted by API."""
        alike: dict[tuple[str, str, str, str], list[str]] = {}
        for (api, claim, probe), (one, other) in self.differ.items():
            alike.setdefault((api, claim, told(one), told(other)), []).append(probe)
        for (api, claim, first, second), probes in alike.items():
            yield f"{api}#{claim} (probe{'s' if len(probes) > 1 else ''} {', '.join(probes)})"
            yield f"  first:  {first}"
            yield f"  second: {second}"
        for which, places in zip(("first", "second"), self.only, strict=True):
            for api, count in Counter(api for api, *_ in places).items():
                yield f"only in the {which}: {api}, {count} verdict{'s' if count > 1 else ''}"
        lacking = [len(places) for places in self.only]
        yield f"verdicts that differ: {len(self.differ)}; only in the first: {lacking[0]}; only in the second: {lacking[1]}"


def difference(
    apis: Sequence[Api], first: tuple[str, RunRecord], second: tuple[str, RunRecord], context: Context
) -> Difference:
    """How the verdicts of two records on ``apis`` differ in outcome, in the order of claims."""
    before, after = (
        {(api.name, claim.id, one.probe): one for api, claim, one in observations(apis, *record, context)}
        for record in (first, second)
    )
    differ = {
        place: (one, after[place])
        for place, one in before.items()
        if place in after and after[place].outcome is not one.outcome
    }
    return Difference(
        differ, ([one for one in before if one not in after], [one for one in after if one not in before])
    )
