"""The short way reads a command line as argparse does, or leaves it to argparse."""

from __future__ import annotations

import argparse

import pytest

from apidiff.cli import lookup
from apidiff.cli.quick import parse_lookup

# arguments, and whether the short way is taken
ROWS = [
    (["lookup", "reduce", "--json"], True),
    (["lookup", "--json", "reduce"], True),
    (["lookup", "reduce", "--json", "--json"], True),
    (["lookup", "reduce", "--mindspore", "2.10", "--json", "--torch", "2.13"], True),
    (["lookup", "--torch", "2.13", "--json", "dist.reduce"], True),
    (["lookup", "", "--json"], True),
    (["lookup", "reduce", "--mindspore", "", "--json"], True),
    (["lookup", "reduce"], False),
    (["lookup", "--json"], False),
    (["lookup", "a", "b", "--json"], False),
    (["lookup", "reduce", "--json", "--mindspore"], False),
    (["lookup", "reduce", "--json", "--mindspore", "--torch"], False),
    (["lookup", "reduce", "--json", "--mindspore=2.10"], False),
    (["lookup", "reduce", "--json", "--mind", "2.10"], False),
    (["lookup", "reduce", "--json", "--lang", "zh"], False),
    (["lookup", "reduce", "--json", "--help"], False),
    (["lookup", "--json", "--", "reduce"], False),
    (["lookup", "reduce", "--json", "--torch", "1", "--torch", "2"], False),
    (["search", "reduce", "--json"], False),
    (["--version", "lookup", "reduce", "--json"], False),
    ([], False),
]


@pytest.mark.parametrize(("arguments", "taken"), ROWS, ids=[" ".join(row[0]) for row in ROWS])
def test_as_argparse_reads_it(arguments: list[str], taken: bool) -> None:
    found = parse_lookup(arguments)
    assert (found is not None) == taken
    if found is not None:
        parser = argparse.ArgumentParser()
        lookup.add_parser(parser.add_subparsers())
        expected = vars(parser.parse_args(arguments))
        assert expected.pop("json") is True
        assert found == {key: value for key, value in expected.items() if value is not None}


@pytest.mark.parametrize("options", [[], ["--mindspore", "2.8"], ["--torch", "2.13"]])
def test_both_ways_answer_the_same(run, options: list[str]) -> None:
    quick = run("lookup", "reduce", "--json", *options)
    slow = run("lookup", "reduce", "--json", "--lang", "en", *options)
    assert quick.stdout == slow.stdout
    assert quick.stdout.startswith('{"asked"')
