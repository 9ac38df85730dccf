"""What a reader is told of a mapping whose calls are made in a single process: the same in every form, and no ranks."""

import dataclasses
import re

import msgspec
import pytest
from rich.console import Console

from apidiff.database import Data
from apidiff.lookup.entry import Builder
from apidiff.messages.agreement_lines import agreement_places
from apidiff.messages.labels import LANGUAGES, label
from apidiff.model.base import Language
from apidiff.model.views import AgreementDispute, AgreementEntry, Entry
from apidiff.writers.markdown import MappingText

ADD, GELU = "torch.Tensor.add_", "torch.nn.functional.gelu"
RANKS = re.compile(r"\branks?\b|world size|gloo|mccl")


def entry(data: Data, name: str) -> Entry:
    return Builder(data, [], []).entry(data.mappings[name])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [ADD, GELU, "torch.nn.Linear"])
def test_words_about_ranks_stand_only_where_there_are_ranks(database: Data, name: str, language: Language) -> None:
    text = MappingText.made(entry(database, name), language).at([])
    assert label("agreement", language) in text
    assert not RANKS.search(text)


def test_a_difference_says_what_where_and_on_which_input(database: Data) -> None:
    target = entry(database, ADD).targets[0]
    first = target.differences[0]
    assert (first.kind, first.risk, target.risk) == ("in_place", "silent", "silent")
    for part in (
        "self: written by PyTorch",
        "11 of 12 samples",
        "MindSpore 2.10.0, CPU",
        "`self` = float32 [1.0, 2.0]",
    ):
        assert part in first.text.en
    assert "PyTorch 改写" in first.text.zh
    assert "12 个样例中有 11 个" in first.text.zh


def test_a_missing_kernel_is_one_difference(database: Data) -> None:
    mint = entry(database, GELU).targets[0]
    assert [one.kind for one in mint.differences if one.risk == "error"] == ["backend_support"]
    for place in agreement_places(mint.agreements, "en"):
        assert [facet for facet, _, _ in place.rows] == ["errors"]


def _of(facet: str, run: str, *signers: str, disputed_by: str = "") -> AgreementEntry:
    disputes = [AgreementDispute(run=disputed_by, signer=disputed_by, agreement="crash", counts={"crash": 1})]
    return AgreementEntry(
        facet=facet,
        agreement="agrees",
        framework_version="2.10.0",
        source_version="2.13.0",
        device="npu",
        counts={"agrees": 1},
        runs=[run],
        signers=dict.fromkeys([run], *signers) if signers else {},
        disputes=disputes if disputed_by else [],
    )


LAB, WORKS = (f"“{name}” (signed by a known signer)" for name in ("Lab", "Works"))
# (what stands of a version and device, the records of each part in which it is told)
PLACES = [
    ([_of("error", "a"), _of("value", "a")], [{"a": ""}]),
    ([_of("error", "a"), _of("value", "a", disputed_by="Lab")], [{"a": "", "Lab": LAB}]),
    ([_of("error", "a", "Lab"), _of("value", "a", "Lab"), _of("error", "b", "Works")], [{"a": LAB}, {"b": WORKS}]),
    ([_of("error", "a", "Lab"), _of("error", "b", "Lab")], [{"a": LAB}, {"b": LAB}]),
    ([msgspec.structs.replace(_of("error", "b", "Lab"), runs=["a", "b"])], [{"a": "this project", "b": LAB}]),
]


@pytest.mark.parametrize(("entries", "told"), PLACES)
def test_what_each_records_say_stands_for_itself(entries: list[AgreementEntry], told: list[dict[str, str]]) -> None:
    places = list(agreement_places(entries, "en"))
    assert [place.runs for place in places] == told
    for place, first in zip(places, (one for one in entries if one.facet == "error"), strict=True):
        assert all(signer in place.where for signer in first.signers.values())


def test_each_agreement_names_the_runs_of_both_sides(database: Data) -> None:
    known = {key for key, _ in database.single_runs}
    for target in entry(database, GELU).targets:
        for one in target.agreements:
            assert {run.partition("-")[0] for run in one.runs} == {"torch", "mindspore"}
            assert set(one.runs) <= known


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_run_says_so(database: Data, language: Language) -> None:
    bare = entry(dataclasses.replace(database, single_runs=[]), ADD)
    assert not bare.targets[0].agreements
    assert label("agreement.none", language) in MappingText.made(bare, language).at([])


def test_the_terminal_shows_each_facet(database: Data) -> None:
    from apidiff.lookup.answer import Answer
    from apidiff.lookup.knowledge import load
    from apidiff.writers.terminal import answer_text

    answer = load().lookup(ADD)
    assert isinstance(answer, Answer)
    assert answer.agreements == entry(database, ADD).targets[0].agreements
    console = Console(width=100, record=True, file=None, force_terminal=False)
    with console.capture() as shown:
        console.print(answer_text(answer, "en", everything=True))
    text = shown.get()
    assert "agrees 1 · differs 11" in text
    assert not RANKS.search(text)


def test_an_entry_survives_json(database: Data) -> None:
    made = entry(database, GELU)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Entry) == made
