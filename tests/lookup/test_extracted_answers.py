"""What samples taken from PyTorch's own tests show is part of the answer: when, how, and with which run."""

import pytest

from apidiff.database import Data
from apidiff.lookup.entry import Builder
from apidiff.model.views import DifferenceEntry, TargetEntry


def target(data: Data, mapping: str, name: str) -> TargetEntry:
    entry = Builder(data, [], []).entry(data.mappings[mapping])
    return next(one for one in entry.targets if one.name == name)


def extracted(shown: TargetEntry) -> dict[str, DifferenceEntry]:
    return {one.id.removesuffix("-cpu-extracted"): one for one in shown.differences if one.id.endswith("-extracted")}


@pytest.fixture(scope="module")
def tanh(database: Data) -> TargetEntry:
    return target(database, "torch.tanh", "mindspore.mint.tanh")


def test_a_less_accurate_kernel_is_told(tanh: TargetEntry) -> None:
    told = extracted(tanh)["accuracy-less-accurate"]
    assert told.risk == "silent"
    assert told.headline is not None
    assert told.headline.en.endswith("returns less accurate values")
    assert "ULP from PyTorch, whose own error is" in told.text.en
    assert "ULP" in told.text.zh


def test_the_description_that_was_found_is_the_headline(database: Data) -> None:
    told = extracted(target(database, "torch.histc", "mindspore.ops.histc"))["dtype-sides-differ"]
    assert told.headline is not None
    assert told.headline.en == "Returns another dtype (seen: the dtype is float16)"
    assert told.headline.zh == "数据类型为 float16 的样例中返回值的数据类型不同"
    assert "Seen when the dtype is float16: on 1 of" in told.text.en


@pytest.mark.parametrize(
    ("source", "difference", "headline"),
    [
        ("torch.nn.ReLU", "special-values-special-differ", "NaN or infinity (seen): returns nan or inf elsewhere"),
        ("torch.cholesky_inverse", "gradient-not-called", "No gradient can be taken when `ndim` exceeds 2"),
        ("torch.diff", "alias-sharing-differs", "The result is `input` itself when `n` is 0"),
    ],
)
def test_a_description_is_shortened_before_it_is_left_out(
    database: Data, source: str, difference: str, headline: str
) -> None:
    """A headline of ten words that names no inputs tells a reader less than one that names them briefly."""
    [name] = {one.api.name for one in database.mappings[source].targets}
    told = extracted(target(database, source, name))[difference]
    assert told.headline is not None
    assert told.headline.en == headline


def test_the_run_stands_beside_it(tanh: TargetEntry) -> None:
    rows = [row for row in tanh.agreements if row.inputs == "extracted"]
    assert {"accuracy", "special_values", "layout", "value", "gradient"} <= {row.facet for row in rows}
    accuracy = next(row for row in rows if row.facet == "accuracy")
    assert accuracy.counts["agrees"] > accuracy.counts["differs"] > 0
    assert all("extracted" in run for run in accuracy.runs)
    assert len(accuracy.cases) <= 3


def test_what_is_told_of_written_samples_is_not_told_twice(database: Data) -> None:
    add = target(database, "torch.Tensor.add_", "mindspore.Tensor.add_")
    kinds = [one.id for one in add.differences if one.kind == "in_place"]
    assert len(kinds) == 1
    assert not kinds[0].endswith("-extracted")
