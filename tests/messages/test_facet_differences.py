"""Differences made of samples: each speaks of the samples that show it, and of no others."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.database import Data
from apidiff.derive.call_conditions import ON_SOME_INPUTS
from apidiff.judge.pairs import PairVerdicts
from apidiff.messages.agreements import Elsewhere, facet_differences
from apidiff.messages.extracted_differences import extracted_differences
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.base import Text
from apidiff.model.sample import Sample
from apidiff.model.sample_calls import with_extracted
from apidiff.model.verdict import Evidence, EvidenceCode, evidence
from apidiff.model.views import DifferenceEntry

GELU = "torch.nn.functional.gelu"


def verdict(sample: str, error: str | None) -> FacetVerdict:
    if error is None:
        return FacetVerdict(sample=sample, facet=Facet.ERROR, agreement=Agreement.AGREES, facts=[])
    fact = evidence(EvidenceCode.NO_KERNEL, error=error)
    return FacetVerdict(sample=sample, facet=Facet.ERROR, agreement=Agreement.UNSUPPORTED, facts=[fact])


@pytest.mark.parametrize(
    ("errors", "counts"),
    [
        ({"plain": "A", "tanh": "A", "float64": None}, ["2 of 3"]),
        ({"plain": "A", "tanh": "B", "float64": None}, ["1 of 3", "1 of 3"]),
        ({"plain": "A", "tanh": "B", "float64": "A"}, ["2 of 3", "1 of 3"]),
        ({"plain": None}, []),
    ],
)
def test_a_sentence_speaks_of_one_exception(database: Data, errors: dict[str, str | None], counts: list[str]) -> None:
    mapping = database.mappings[GELU]
    found = PairVerdicts(
        target_version="2.10.0",
        source_version="2.13.0",
        device="cpu",
        runs=("mindspore-2.10.0/a", "torch-2.13.0/b"),
        verdicts=tuple(verdict(sample, error) for sample, error in errors.items()),
    )
    differences = facet_differences(mapping, mapping.targets[0], [found])
    said = [difference.text.en for difference in differences]
    assert [count in text for count, text in zip(counts, said, strict=True)] == [True] * len(counts)
    assert len({difference.id for difference in differences}) == len(differences)


SHARING = [
    ("object", "storage", "none", "edge"),  # what is written to one shows in the other all the same
    ("storage", "object", "none", "edge"),
    ("object", "nothing", "silent", "everyday"),
    ("nothing", "storage", "silent", "everyday"),
]


@pytest.mark.parametrize(("source", "target", "risk", "reach"), SHARING)
def test_only_memory_that_is_not_shared_alike_is_a_risk(
    database: Data, source: str, target: str, risk: str, reach: str
) -> None:
    mapping = database.mappings[GELU]
    fact = evidence(EvidenceCode.SHARING_DIFFERS, slot="return", other="input", source=source, target=target)
    sample = next(iter(mapping.samples))
    found = PairVerdicts(
        target_version="2.10.0",
        source_version="2.13.0",
        device="cpu",
        runs=("mindspore-2.10.0/a", "torch-2.13.0/b"),
        verdicts=(FacetVerdict(sample=sample, facet=Facet.ALIAS, agreement=Agreement.DIFFERS, facts=[fact]),),
    )
    [difference] = facet_differences(mapping, mapping.targets[0], [found])
    assert (difference.risk, difference.reach) == (risk, reach)


def test_graph_mode_is_one_short_line_of_its_own(database: Data) -> None:
    mapping = database.mappings[GELU]
    sample = next(iter(mapping.samples))
    fact = evidence(EvidenceCode.GRAPH_REFUSES, error="TypeError: not in a graph")
    found = PairVerdicts(
        target_version="2.10.0",
        source_version="2.13.0",
        device="cpu",
        runs=("mindspore-2.10.0/a", "torch-2.13.0/b"),
        verdicts=(
            FacetVerdict(sample=sample, facet=Facet.ERROR, agreement=Agreement.AGREES),
            FacetVerdict(sample=sample, facet=Facet.GRAPH, agreement=Agreement.DIFFERS, facts=[fact]),
        ),
    )
    [difference] = facet_differences(mapping, mapping.targets[0], [found])
    assert (difference.kind, difference.risk, difference.reach) == ("graph", "error", "edge")
    assert difference.headline is not None
    assert "raises in graph mode" in difference.headline.en.lower()
    assert difference.text.en.startswith("in graph mode: TypeError: not in a graph.")
    assert "`mindspore.jit`" in difference.text.zh


def test_what_a_written_sample_agrees_in_is_not_on_all_inputs(database: Data) -> None:
    mapping = database.mappings["torch.maximum"]
    sampled = with_extracted(mapping, database.extracted)
    assert sampled is not None
    fact = evidence(EvidenceCode.TARGET_REFUSES, error="ValueError: no")
    refused = [
        FacetVerdict(sample=name, facet=Facet.ERROR, agreement=Agreement.DIFFERS, facts=[fact])
        for name in sampled.samples
    ]
    agrees = FacetVerdict(sample="plain", facet=Facet.ERROR, agreement=Agreement.AGREES)

    def pair(verdicts: list[FacetVerdict]) -> PairVerdicts:
        return PairVerdicts(
            target_version="2.10.0",
            source_version="2.13.0",
            device="cpu",
            runs=("mindspore-2.10.0/a", "torch-2.13.0/b"),
            verdicts=tuple(verdicts),
        )

    target = mapping.targets[0]
    [everywhere] = extracted_differences(sampled, target, [pair(refused)], [])
    [somewhere] = extracted_differences(sampled, target, [pair(refused)], [], Elsewhere(mapping, [pair([agrees])]))
    assert everywhere.when == []
    assert somewhere.when == [[ON_SOME_INPUTS]]
    assert somewhere.headline is not None
    assert somewhere.headline.en.startswith("On some inputs")


PLAIN, EMPTY = {"shape": [2]}, {"shape": [0]}
USUAL = [  # the inputs by sample, the samples that differ, whom it meets
    ({"float32-1": PLAIN, "float32-2": PLAIN}, ["float32-1", "float32-2"], "everyday"),
    ({"float32-1": PLAIN, "float32-2": PLAIN}, ["float32-1"], "edge"),
    ({"float32-1": PLAIN}, ["float32-1"], "everyday"),
    ({"float32-1": EMPTY, "float32-2": EMPTY, "float32-3": PLAIN}, ["float32-1", "float32-2"], "edge"),
    ({"float32-1": EMPTY, "float32-2": EMPTY, "float32-3": PLAIN}, ["float32-3"], "everyday"),
    ({"float32-1": {"values": 1.5}, "float32-2": {"values": ["nan"]}}, ["float32-1", "float32-2"], "edge"),
    ({"float32-1": PLAIN, "float64": PLAIN}, ["float64"], "edge"),
    ({f"float32-{number}": PLAIN for number in range(6)}, ["float32-0", "float32-1"], "edge"),
    ({f"float32-{number}": PLAIN for number in range(6)}, ["float32-0", "float32-1", "float32-2"], "everyday"),
]


@pytest.mark.parametrize(("inputs", "differing", "reach"), USUAL)
def test_what_most_ordinary_inputs_show_is_everyday(
    database: Data, inputs: dict[str, dict[str, object]], differing: list[str], reach: str
) -> None:
    samples = msgspec.convert({name: {"args": {"input": one}} for name, one in inputs.items()}, dict[str, Sample])
    mapping = msgspec.structs.replace(database.mappings[GELU], samples=samples)
    fact = evidence(EvidenceCode.TARGET_REFUSES, error="ValueError: no")
    verdicts = tuple(
        FacetVerdict(
            sample=name,
            facet=Facet.ERROR,
            agreement=Agreement.DIFFERS if name in differing else Agreement.AGREES,
            facts=[fact] if name in differing else [],
        )
        for name in inputs
    )
    found = PairVerdicts(
        target_version="2.10.0", source_version="2.13.0", device="cpu", runs=("a", "b"), verdicts=verdicts
    )
    [difference] = extracted_differences(mapping, mapping.targets[0], [found], [])
    assert difference.reach == reach


@pytest.mark.parametrize(
    ("refused", "headlines"),
    [
        (["out", "out"], []),
        (["out", "dtype"], ["No parameter `dtype`"]),
        (["out", None], ["On the CPU, raises where PyTorch does not"]),
    ],
)
def test_a_parameter_that_a_row_lacks_is_told_once(
    database: Data, refused: list[str | None], headlines: list[str]
) -> None:
    mapping = database.mappings["torch.maximum"]
    sampled = with_extracted(mapping, database.extracted)
    assert sampled is not None
    verdicts = [
        FacetVerdict(
            sample=sample,
            facet=Facet.ERROR,
            agreement=Agreement.DIFFERS,
            facts=[evidence(EvidenceCode.TARGET_REFUSES, error="E", **({"keyword": name} if name else {}))],
        )
        for sample, name in zip(sampled.samples, refused, strict=False)
    ]
    found = PairVerdicts(
        target_version="2.10.0", source_version="2.13.0", device="cpu", runs=("a", "b"), verdicts=tuple(verdicts)
    )
    row = DifferenceEntry(
        id="parameter-out",
        kind="parameter",
        risk="rewrite",
        text=Text(en="x", zh="x"),
        parts=[],
        claims=[],
        parameter="out",
        reach="edge",
    )
    told = extracted_differences(sampled, mapping.targets[0], [found], [row])
    assert [one.headline.en for one in told if one.headline] == headlines


BORNE_OUT = [
    (None, "seen", "Seen with `float64` (CPU): it has no kernel"),
    ({"float64": "A", "float32-1": None}, "rule", "`float64` (CPU): it has no kernel"),
    ({"float64": None}, "some_inputs", "Some inputs, such as `float64` (CPU): it has no kernel"),
    (
        {"float64": "A", "float16": "A", "float32-1": None, "float32-2": None},
        "seen",
        "Seen with `float16` or `float64` (CPU): it has no kernel",
    ),
    (
        {"float64": "B"},
        "seen",
        "Seen with `float64` (CPU): it has no kernel",
    ),  # another exception tells nothing of this one
]


@pytest.mark.parametrize(("extracted", "condition", "headline"), BORNE_OUT)
def test_extracted_samples_tell_what_one_written_sample_is_worth(
    database: Data, extracted: dict[str, str | None] | None, condition: str, headline: str
) -> None:
    mapping = database.mappings[GELU]
    sampled = with_extracted(mapping, database.extracted)
    assert sampled is not None

    def pair(errors: dict[str, str | None]) -> PairVerdicts:
        return PairVerdicts(
            target_version="2.10.0",
            source_version="2.13.0",
            device="cpu",
            runs=("mindspore-2.10.0/a", "torch-2.13.0/b"),
            verdicts=tuple(verdict(sample, error) for sample, error in errors.items()),
        )

    elsewhere = None if extracted is None else Elsewhere(sampled, [pair(extracted)])
    written = pair({"plain": None, "tanh": None, "float64": "A"})
    [difference] = facet_differences(mapping, mapping.targets[0], [written], elsewhere)
    assert difference.headline is not None
    assert (difference.condition, difference.headline.en) == (condition, headline)


CHANCE = [  # the fact of the sample that differs, what is told of it
    (evidence(EvidenceCode.UNREPEATED, first="0", second="2"), ("seen", "seen")),
    (
        evidence(EvidenceCode.VALUES_DIFFER, slot="return", source="0", target="2", count="1", all="1"),
        ("some_inputs", "some_inputs"),
    ),
]


@pytest.mark.parametrize(("fact", "told"), CHANCE)
def test_an_empty_input_that_is_right_by_chance_tells_nothing(
    database: Data, fact: Evidence, told: tuple[str, str]
) -> None:
    samples = msgspec.convert(
        {name: {"args": {"input": one}} for name, one in (("plain", PLAIN), ("empty", EMPTY), ("lucky", EMPTY))},
        dict[str, Sample],
    )
    mapping = msgspec.structs.replace(database.mappings[GELU], samples=samples)
    verdicts = [
        FacetVerdict(sample="plain", facet=Facet.VALUE, agreement=Agreement.AGREES),
        FacetVerdict(sample="empty", facet=Facet.VALUE, agreement=Agreement.DIFFERS, facts=[fact]),
        FacetVerdict(sample="lucky", facet=Facet.VALUE, agreement=Agreement.AGREES),
    ]
    found = PairVerdicts("2.13.0", "2.10.0", "cpu", ("a", "b"), tuple(verdicts))
    [written] = facet_differences(mapping, mapping.targets[0], [found])
    [extracted] = extracted_differences(mapping, mapping.targets[0], [found], [])
    assert (written.condition, extracted.condition) == told
