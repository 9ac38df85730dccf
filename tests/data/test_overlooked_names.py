"""Answers that name no target do not overlook what MindSpore has under the same name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from operator import attrgetter

import pytest

from apidiff.database import Data, load

mindspore = pytest.importorskip("mindspore")

PLACES = [
    "mindspore",
    "mindspore.Parameter",
    "mindspore.Tensor",
    "mindspore.amp",
    "mindspore.experimental.optim",
    "mindspore.experimental.optim.lr_scheduler",
    "mindspore.hal",
    "mindspore.mint",
    "mindspore.mint.linalg",
    "mindspore.mint.nn",
    "mindspore.mint.nn.functional",
    "mindspore.mint.optim",
    "mindspore.mint.special",
    "mindspore.nn",
    "mindspore.nn.Cell",
    "mindspore.nn.probability.bijector",
    "mindspore.nn.probability.distribution",
    "mindspore.ops",
    "mindspore.runtime",
    "mindspore.scipy.linalg",
]
# What has the same name and is something else, as one reads at once, or is named by the answer with its module alone.
OTHERS = {
    "torch.Size",
    "torch.Tensor.coalesce",
    "torch.Tensor.grad",
    "torch.Tensor.layout",
    "torch.backends.mps.is_available",
    "torch.compile",
    "torch.cuda.device",
    "torch.cuda.graph",
    "torch.cuda.init",
    "torch.cuda.initial_seed",
    "torch.cuda.seed",
    "torch.default_generator",
    "torch.device",
    "torch.distributed.Logger",
    "torch.distributed.log",
    "torch.distributions.Multinomial",
    "torch.distributions.PowerTransform",
    "torch.dtype",
    "torch.fx.Node",
    "torch.layout",
    "torch.linalg.lu",
    "torch.linalg.lu_factor",
    "torch.linalg.lu_solve",
    "torch.nn.Module.requires_grad_",
    "torch.xpu.is_available",
}


def _names() -> dict[str, set[str]]:
    """The public names of MindSpore by their last part, in small letters."""
    found: dict[str, set[str]] = {}
    for place in PLACES:
        try:
            holder = attrgetter(place.partition(".")[2])(mindspore) if "." in place else mindspore
        except AttributeError:
            holder = importlib.import_module(place)
        for name in dir(holder):
            if not name.startswith("_"):
                found.setdefault(name.lower(), set()).add(f"{place}.{name}")
    return found


def _overlooked(data: Data) -> Iterator[str]:
    names = _names()
    for mapping in data.mappings.values():
        alike = names.get(mapping.source.name.rpartition(".")[2].lower(), set())
        if mapping.targets or not alike:
            continue
        said = [text.en for one in mapping.otherwise for text in (one.why, one.instead) if text is not None]
        said += [use for one in mapping.otherwise for use in one.uses]
        if not any(name in sentence for name in alike for sentence in said):
            yield mapping.source.name


def test_an_answer_without_a_target_names_what_has_the_same_name() -> None:
    """`nn.AdaFactor`, `Tensor.set_` and others were said not to be there."""
    assert set(_overlooked(load())) == OTHERS
