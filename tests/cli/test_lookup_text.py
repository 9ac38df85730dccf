"""What a reader of the terminal sees, in both languages; the statements that this project exists to tell."""

from __future__ import annotations

import json

import pytest
from rich.cells import cell_len
from rich.console import Console

from apidiff.lookup.knowledge import load
from apidiff.writers.terminal import answer_text, search_text

LANGUAGES = [
    (
        "en",
        "By the documentation of MindSpore 2.4.0: `tensor` keeps its values on every rank but `dst`",
        "no longer true on gloo (PyTorch 2.13.0",
    ),
    (
        "zh",
        "据 MindSpore 2.4.0 文档：在 `dst` 以外的所有 rank 上，`tensor` 的内容保持不变",
        "gloo 上已不成立（PyTorch 2.13.0",
    ),
]


@pytest.mark.parametrize(("language", "stated", "refuted"), LANGUAGES)
def test_a_rank_that_is_not_dst_is_overwritten_on_gloo(run, language: str, stated: str, refuted: str) -> None:
    done = run("lookup", "torch.distributed.reduce", "--mindspore", "2.10", "--lang", language, "--all")
    assert done.returncode == 0, done.stderr
    joined = "".join(line.strip() if language == "zh" else f" {line.strip()}" for line in done.stdout.splitlines())
    joined = joined.replace(" ", "")
    first = joined.index(stated.replace(" ", ""))
    assert joined.index(refuted.replace(" ", "")) > first
    assert "rank1:tensor[10,20,30]→[" in joined
    assert "[torch-2.13.0/gloo-cpu-" in joined


@pytest.mark.parametrize("name", ["all_reduce", "reduce", "all_gather", "reduce_scatter", "all_to_all"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_fits_80_columns_without_colour_or_blanks_at_the_end(run, name: str, language: str) -> None:
    lines = run("lookup", name, "--lang", language, "--all").stdout.splitlines()
    assert len(lines) > 40
    assert [line for line in lines if cell_len(line) > 80 or line != line.rstrip() or "\x1b" in line] == []


LOCALES = [
    ({"LANG": "zh_CN.UTF-8"}, "差异"),
    ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "差异"),
    ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "Differences"),
    ({"LANG": "de_DE.UTF-8"}, "Differences"),
    ({}, "Differences"),
]


@pytest.mark.parametrize(("variables", "heading"), LOCALES)
def test_the_language_is_that_of_the_locale(run, variables: dict[str, str], heading: str) -> None:
    assert heading in run("lookup", "reduce", "--all", **variables).stdout.splitlines()


def test_a_locale_without_chinese_gets_question_marks(run_process) -> None:
    done = run_process("lookup", "reduce", "--lang", "zh", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "??" in done.stdout


def test_json_is_utf_8_whatever_the_locale(run_process) -> None:
    done = run_process("lookup", "dist.all_reduce", "--mindspore", "2.10", "--json", PYTHONIOENCODING="ascii")
    answer = json.loads(done.stdout)
    assert answer["id"] == "torch.distributed.all_reduce"
    assert answer["target"]["status"] == "current"
    assert {one["risk"] for one in answer["differences"]} <= {"silent", "error", "rewrite", "none"}
    assert any("组外 rank" in one["headline"]["zh"] for one in answer["differences"])


def test_every_verdict_names_a_run_that_exists(run) -> None:
    from apidiff.database import load as load_data

    runs = {key for key, _ in load_data().runs}
    answer = json.loads(run("lookup", "reduce", "--json").stdout)
    named = [one["run"] for claim in answer["claims"] for one in claim["observed"]]
    assert named
    assert set(named) <= runs


def render(renderable, width: int = 80) -> str:
    console = Console(width=width, markup=False, highlight=False, emoji=False, color_system=None)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


# name, version, what the head says
HEADS = [
    ("mindspore.ops.Reduce", "2.10", "available (≥ 2.4) Use mindspore.mint.distributed.reduce"),
    ("comm_func.reduce", "2.10", "deprecated (≥ 2.9) Use mindspore.mint.distributed.reduce"),
    ("mint.distributed.reduce", "2.4", "Nothing is recorded of it on MindSpore 2.4.10. Use"),
    ("reduce", "1.10", "No target is recorded for MindSpore 1.10.1."),
]


@pytest.mark.parametrize(("name", "version", "head"), HEADS)
def test_standing(name: str, version: str, head: str) -> None:
    assert head in render(answer_text(load().lookup(name, mindspore=version), "en"), width=200)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_any_width_shows_every_difference(width: int, language: str) -> None:
    answer = load().lookup("reduce")
    text = render(answer_text(answer, language, everything=True), width)
    assert all(f"{number}. [" in text for number in range(1, len(answer.differences) + 1))


def test_markup_in_words_is_shown_as_typed() -> None:
    text = render(search_text(load().search("[bold]zzzzzz[/bold]"), "en"))
    assert "'[bold]zzzzzz[/bold]'" in text


SEARCHES = [
    (["overwrites", "rank", "other", "than", "dst"], "torch.distributed.reduce"),
    (["归约"], "torch.distributed.reduce"),
    (["原地修改"], "torch.Tensor.add_"),
    (["AllGather"], "torch.distributed.all_gather"),
    (["all_to_al"], "torch.distributed.all_to_all"),
    (["comm_func.reduce_scatter_tensor"], "torch.distributed.reduce_scatter"),
]


@pytest.mark.parametrize(("words", "expected"), SEARCHES, ids=[" ".join(row[0]) for row in SEARCHES])
def test_search(run, words: list[str], expected: str) -> None:
    found = json.loads(run("search", *words, "--json").stdout)["results"]
    assert expected in [one["id"] for one in found]
    assert expected in run("search", *words).stdout


DIFFS = [
    ("torch.distributed.all_reduce", ["- import torch.distributed as dist", "  dist.all_reduce(tensor)"]),
    ("torch.distributed.isend", ["- import torch.distributed as dist", "      work = dist.isend(tensor, dst=1)"]),
    ("torch.Tensor.add_", ["  tensor.add_(other)"]),  # both sides are written alike
]


@pytest.mark.parametrize(("name", "lines"), DIFFS)
def test_what_to_write_is_told_as_a_diff(run, name: str, lines: list[str]) -> None:
    shown = [line.removeprefix("  ") for line in run("lookup", name).stdout.splitlines()]
    places = [shown.index(line) for line in lines]
    assert places == sorted(places)
    assert [line for line in shown if line.lstrip("+- ") == lines[-1].lstrip()] == [
        lines[-1]
    ]  # what stays is told once


@pytest.mark.parametrize(
    ("typed", "source"),
    [
        ("F.softmax(x, dim=-1)", "torch.nn.functional.softmax"),
        ("x.view(-1, 3)", "torch.Tensor.view"),
        ("@torch.no_grad()", "torch.no_grad"),
    ],
)
def test_a_call_is_answered_as_its_name(run, typed: str, source: str) -> None:
    assert run("lookup", typed).stdout.startswith(f"{source} → ")


def test_a_call_of_an_unknown_name_is_told_as_it_was_typed(run) -> None:
    done = run("lookup", "quaternion(3)")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'quaternion(3)'" in done.stderr


# what is asked, what is told in English, and in Chinese
UNANSWERED = [
    (["quaternion"], "No mapping has an API named 'quaternion'.", "没有收录名为 'quaternion' 的 API。"),
    (
        ["torch.distributed.al_reduce"],
        "Did you mean torch.distributed.all_reduce, ",
        "是否想查 torch.distributed.all_reduce、",
    ),
    (["relu", "--mindspore", "99"], "'99' is no known release of MindSpore.", "'99' 不是已知的 MindSpore 版本，"),
    (["relu", "--torch", "1..1"], "'1..1' is no known release of PyTorch.", "'1..1' 不是已知的 PyTorch 版本，"),
]


@pytest.mark.parametrize(("asked", "english", "chinese"), UNANSWERED)
def test_what_cannot_be_answered_is_told_in_the_language_asked_for(
    run, asked: list[str], english: str, chinese: str
) -> None:
    for language, told in ("en", english), ("zh", chinese):
        done = run("lookup", *asked, "--lang", language)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("apidiff: ")
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_all_names_the_command_that_repeats_a_difference(run) -> None:
    command = "apidiff verify torch.polar --sample broadcast --inputs written"
    assert command in run("lookup", "torch.polar", "--all").stdout
    assert "apidiff verify" not in run("lookup", "torch.polar").stdout
