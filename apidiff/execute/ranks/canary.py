"""Calls whose results are known, made between probes as probes are made: they show whether the rank is still well.

One collective that adds up and one that copies write their tensors, and a wrong argument is refused. A rank whose calls have
become calls of nothing fails all three, though nothing raises in it and nobody waits.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from apidiff.execute.contents import filled
from apidiff.model.collective import Collective
from apidiff.model.mapping import Api
from apidiff.model.probe import Fill, Input, Probe
from apidiff.model.trace import RankTrace, TensorDump

_SHAPE = [2]
_TENSOR = Input(shape=[*_SHAPE])


class Prober(Protocol):
    """A rank that makes probes."""

    rank: int
    world_size: int

    def probe(self, api: Api, name: str) -> RankTrace: ...


def is_well(prober: Prober, package: str) -> bool:
    """Tells whether ``all_reduce`` and ``broadcast`` of ``package`` write what they should and refuse None.

    Every rank of the world makes it at once. It is made to its end whatever comes out, so that no rank waits for another.
    """
    ranks, root = range(prober.world_size), prober.world_size - 1
    reduction = Collective(probes={"sum": Probe(set={"tensor": _TENSOR}), "none": Probe(set={"tensor": None})})
    copy = Collective(probes={"root": Probe(set={"tensor": _TENSOR, "src": root})})
    all_reduce = Api(name=f"{package}.all_reduce", collective=reduction)
    added = prober.probe(all_reduce, "sum")
    copied = prober.probe(Api(name=f"{package}.broadcast", collective=copy), "root")
    refused = prober.probe(all_reduce, "none")
    before = [filled(_SHAPE, "float32", rank, 0, Fill.RANK, world_size=len(ranks)) for rank in ranks]
    return (
        _written(added) == np.sum(before, axis=0).tolist()
        and _written(copied) == before[root].tolist()
        and refused.error is not None
        and refused.error.type == "TypeError"
    )


def _written(trace: RankTrace) -> object:
    tensor = trace.after.get("tensor")
    return tensor.values if isinstance(tensor, TensorDump) and trace.error is None else None
