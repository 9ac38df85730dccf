"""The guide on errors answers each symptom, quotes messages that runs recorded, and says what the verdicts say."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.model.views import ClaimEntry, Entry

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\{(?P<role>apidiff:claim|apidiff:mapping|ref|doc)\}`(?P<text>[^`<]*)(?:<(?P<to>[^>`]+)>)?`")
CODE = re.compile(r"(?<!\})`([^`]+)`")
LANGUAGES = ("en", "zh")

# The outcomes on which an answer rests, over all versions that were run: where runs show another, the answer is to be rewritten.
OUTCOMES = {
    "torch.distributed.barrier#missing-rank-raises": {"holds"},
    "mindspore.mint.distributed.barrier#missing-rank-raises": {"holds"},
    "torch.distributed.default_pg_timeout#half-an-hour": {"holds"},
    "torch.distributed.monitored_barrier#missing-ranks-raise-on-rank-0": {"holds"},
    "torch.distributed.barrier#group-sets-limit": {"holds"},
    "torch.distributed.barrier#timeout-sets-limit": {"holds"},
    "torch.distributed.monitored_barrier#timeout-sets-limit": {"holds"},
    "mindspore.mint.distributed.barrier#group-sets-limit": {"refuted"},
    "mindspore.mint.distributed.barrier#waits-30-seconds": {"holds"},
    "mindspore.mint.distributed.barrier#variable-sets-limit": {"holds", "refuted"},  # since 2.10.0
    "torch.distributed.TCPStore#example": {"holds"},
    "mindspore.mint.distributed.TCPStore#example": {"holds"},
    "torch.distributed.TCPStore#absence-raises": {"holds"},
    "mindspore.mint.distributed.TCPStore#absence-raises": {"refuted"},
    "torch.distributed.TCPStore#no-server-raises": {"holds"},
    "mindspore.mint.distributed.TCPStore#no-server-raises": {"holds"},
    "torch.distributed.all_reduce#shapes-must-match": {"timeout"},
    "torch.distributed.all_reduce#smaller-tensor-raises": {"timeout"},
    "mindspore.mint.distributed.all_reduce#shapes-must-match": {"refuted", "holds"},
    "mindspore.mint.distributed.all_reduce#smaller-tensor-raises": {"refuted", "holds"},
    "torch.distributed.broadcast#shapes-must-match": {"crash"},
    "mindspore.mint.distributed.broadcast#shapes-must-match": {"holds"},
    "torch.distributed.broadcast#larger-tensor-raises": {"refuted", "crash"},
    "mindspore.mint.distributed.broadcast#larger-tensor-raises": {"refuted"},
    "torch.distributed.all_reduce#dtypes-must-match": {"crash"},
    "mindspore.mint.distributed.all_reduce#dtypes-must-match": {"holds"},
    "torch.distributed.all_reduce#outsiders-get-none": {"holds"},
    "mindspore.mint.distributed.all_reduce#outsiders-raise": {"holds"},
    "mindspore.mint.distributed.new_group#every-rank-may-call": {"refuted"},
    "torch.distributed.all_reduce#none-is-refused": {"holds"},
    "mindspore.mint.distributed.all_reduce#none-is-refused": {"holds"},
    "torch.distributed.reduce#bad-dst-raises": {"holds"},
    "mindspore.mint.distributed.reduce#bad-dst-raises": {"unsupported"},
    "torch.distributed.DistError#is-a-runtime-error": {"holds"},
    "torch.distributed.DistBackendError#example": {"holds"},
}


def text_of(language: str) -> str:
    return (ROOT / "docs" / language / "guide" / "failures.md").read_text("utf-8")


def rows(text: str) -> Iterator[tuple[str, str]]:
    """What is seen and what is to be done, of every table of the guide."""
    for line, following in itertools.pairwise([*text.splitlines(), ""]):
        if line.startswith("|") and not line.startswith("|---") and not following.startswith("|---"):
            seen, do = [cell.strip() for cell in line.strip("|").split("|")]
            yield seen, do


def unanswered(text: str) -> list[str]:
    """The symptoms without a sentence that says what to do, or without a link to what it rests on."""
    return [seen for seen, do in rows(text) if len(LINK.sub("", do).strip(" ,.，、。；;")) < 10 or not LINK.search(do)]


def bare(text: str) -> list[str]:
    """The links to claims that show the claim's ID."""
    return [link["text"] for link in LINK.finditer(text) if link["role"] == "apidiff:claim" and not link["to"]]


def messages(text: str) -> set[str]:
    """What the tables quote as the message of an error: code with a space, which is no statement."""
    codes = {code for cells in rows(text) for cell in cells for code in CODE.findall(LINK.sub("", cell))}
    return {code for code in codes if " " in code and not re.search(r"[:=(]", code)} | codes & {"unregistered"}


def recorded_messages(database: Data) -> str:
    """The messages of all errors that runs recorded."""
    return "\n".join(
        trace.error.message
        for _, record in database.runs
        for run in record.probes
        for trace in run.ranks
        if trace.error
    )


@pytest.fixture(scope="module")
def claims(all_entries: dict[str, Entry]) -> dict[str, ClaimEntry]:
    return {claim.id: claim for entry in all_entries.values() for claim in entry.claims}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_symptom_has_an_answer(language: str) -> None:
    text = text_of(language)
    assert len(list(rows(text))) >= 18
    assert unanswered(text) == []


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "docs" / "en" / "guide").glob("*.md")))
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_claim_id_stands_for_an_answer(language: str, name: str) -> None:
    assert bare((ROOT / "docs" / language / "guide" / name).read_text("utf-8")) == []


def test_every_message_quoted_was_recorded(database: Data) -> None:
    recorded = recorded_messages(database)
    for language in LANGUAGES:
        quoted = messages(text_of(language))
        assert len(quoted) >= 9
        assert sorted(message for message in quoted if message not in recorded) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_rest_on_the_verdicts_of_today(language: str, claims: dict[str, ClaimEntry]) -> None:
    linked = {link["to"].strip() for link in LINK.finditer(text_of(language)) if link["role"] == "apidiff:claim"}
    assert linked == set(OUTCOMES)
    seen = {name: {row.outcome.value for row in claims[name].observed} for name in linked}
    assert seen == OUTCOMES


def test_a_row_without_an_answer_is_noticed() -> None:
    text = (
        "| seen | do |\n|---|---|\n"
        "| a | {apidiff:claim}`torch.distributed.barrier#x` |\n"
        "| b | Start it again. |\n"
        "| c `No such` | Start the rank again. {apidiff:claim}`Why <torch.distributed.barrier#x>` |\n"
    )
    assert unanswered(text) == ["a", "b"]
    assert bare(text) == ["torch.distributed.barrier#x"]
    assert messages(text) == {"No such"}
