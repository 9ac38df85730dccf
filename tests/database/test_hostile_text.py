"""YAML, TOML and literals that are made to break their reader: each is refused with file and remedy, before it is read for long.

One that would be read for ever meets the limit of all tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from apidiff.database.toml import MAX_BYTES, read_toml
from apidiff.database.yaml import read_yaml
from apidiff.errors import DataError
from apidiff.model.literals import literal
from apidiff.model.mapping import Api, Release
from apidiff.model.probe import Input, Probe
from apidiff.model.probe_resolution import SpecError, resolve
from apidiff.model.sample import Sample, SampleError, SampleInput, resolve_sample

_BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 11)
)
# (what is read, what the error says)
YAML = {
    "a bomb of aliases": (_BOMB, "repeats more than 1000 values by aliases"),
    "an alias of itself": ("a: &a [*a]\n", "nested deeper than 60"),
    "50,000 brackets": ("[" * 50_000, "nested deeper than 60"),
    "closed brackets in strings": ('["]",' * 20_000, "nested deeper than 60"),
    "100 brackets": ("a: " + "[" * 100 + "]" * 100, "nested deeper than 60"),
    "1,500 brackets": ("a: " + "[" * 1500 + "]" * 1500, "nested deeper than 60"),
    "20,000 dashes": ("- " * 20_000 + "x", "nested deeper than 60"),
    "100 levels of keys": ("".join(f"{' ' * level}a:\n" for level in range(100)), "nested deeper than 60"),
    "an impossible date": ("a: 2026-13-45\n", "'2026-13-45' is no timestamp"),
    "a number that is none": ("a: !!int x\n", "'x' is no int"),
    "a number of 5,000 digits": (f"a: {'1' * 5000}\n", "is an integer of more than 64 bits"),
    "an integer of 65 bits": (
        f"a: {2**64}\n",
        "test.yaml:1: '18446744073709551616' is an integer of more than 64 bits",
    ),
    "a negative one, in a list": (
        f"a:\n- {-(2**63) - 1}\n",
        "test.yaml:2: '-9223372036854775809' is an integer of more",
    ),
    "a tag that makes objects": ("a: !!python/object/apply:os.system [id]\n", "test.yaml"),
    "a tag that nobody knows": ("a: !what x\n", "could not determine a constructor"),
    "a zero byte": ("a: \0\n", "broken YAML"),
    "a list of millions": (f"a: [{'a,' * 2**21}a]\n", "is larger than 512 KiB"),
    "thousands of keys": (
        "".join(f"k{number}: [{'a, ' * 100}]\n" for number in range(200)),
        "holds more than 15000 values",
    ),
    "a long list": (f"a: [{'a, ' * 1501}]\n", "test.yaml:1: more than 1500 items in $.a. Write fewer there."),
    "a long mapping": (
        "a:\n" + "".join(f" k{number}: a\n" for number in range(1501)),
        "test.yaml:2: more than 1500 items in $.a",
    ),
    "a long text": (f"a: {'x' * 5001}\n", "test.yaml:1: a text of 5001 characters in $.a. Write at most 5000."),
    "a long key": (f"{'x' * 201}: a\n", f"test.yaml:1: a key of 201 characters, '{'x' * 40}'. Write at most 200."),
    "a list as key": ("[a]: 1\n", "a key that is not plain text"),
    "a long name of a tag": (f"a: !{'x' * 100_000} x\n", "could not determine a constructor"),
    "an escape sequence": (
        'a:\n- "b\\e[31m"\n',
        "test.yaml:2: holds the character U+001B, which cannot be seen. Take it out.",
    ),
    "a turned direction": ("a:\n  b: x\u202ey\n", "test.yaml:2: holds the character U+202E, which cannot be seen"),
    "a turned direction of a key": (
        "a:\n  x\u2066y: 1\n",
        "test.yaml:2: holds the character U+2066, which cannot be seen",
    ),
    "another end of a line": ('a: "x\\u2028y"\n', "test.yaml:1: holds the character U+2028, which cannot be seen"),
    "half of a character": ('a: "\\ud800"\n', "test.yaml"),
}


@pytest.mark.parametrize("name", YAML)
def test_yaml_is_refused(tmp_path: Path, name: str) -> None:
    text, message = YAML[name]
    path = tmp_path / "test.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_yaml(path, dict[str, str])
    assert len(str(caught.value)) < 5000
    assert str(caught.value).startswith(f"{path}")
    assert message in str(caught.value)


TOML = {
    "an impossible date": "a = 2026-13-45\n",
    "a key of 50,000 parts": f"a{'.a' * 50_000} = 1\n",
    "many keys in a table of 2,000 parts": f"[a{'.a' * 2000}]\n" + "".join(f"k{n} = 1\n" for n in range(10_000)),
    "5,000 brackets": "a = " + "[" * 5000,
    "a number of 5,000 digits": f"a = {'1' * 5000}\n",
}


@pytest.mark.parametrize("name", TOML)
def test_toml_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "test.toml"
    path.write_text(TOML[name], encoding="utf-8")
    with pytest.raises(DataError, match="broken TOML") as caught:
        read_toml(path, dict[str, str], lambda _text, error: DataError(path, None, str(error), "Mend it."))
    assert "sys." not in str(caught.value)  # Python's remedy: another limit than its own of 4,300 digits


def test_toml_is_not_read_in_part(tmp_path: Path) -> None:
    """What is cut off might withdraw a key."""
    path = tmp_path / "test.toml"
    path.write_text("#\n" * (MAX_BYTES // 2) + 'a = "b"\n')
    with pytest.raises(DataError, match="is larger than 1 MiB"):
        read_toml(path, dict[str, str], lambda _text, error: DataError(path, None, str(error), "Mend it."))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    for name, read in (("a.yaml", read_yaml), ("a.toml", read_toml)):
        os.mkfifo(tmp_path / name)
        with pytest.raises(DataError, match="cannot be read"):
            read(tmp_path / name, dict[str, str], *([str] if read is read_toml else []))


LITERALS = ["{[]: 1}", "1+" * 5000 + "1", "(" * 900 + ")" * 900, "-" * 1500 + "1", "9" * 2001, "\0", "'\\ud800", "f(1)"]


@pytest.mark.parametrize("text", LITERALS, ids=[text[:10] for text in LITERALS])
def test_a_literal_that_is_none_is_told_by_one_error(text: str) -> None:
    with pytest.raises(ValueError, match="literal"):
        literal(text)


# (the type, what no value of it is)
IMPOSSIBLE = [
    (Release, {"version": "1..1"}),
    (Release, {"version": "2.10", "date": "tomorrow"}),
    (Probe, {"world_sizes": [-1]}),
    (Probe, {"world_sizes": [10**9]}),
    (Input, {"shape": [-2]}),
    (Input, {"shape": [10**30]}),
    (SampleInput, {"shape": [-2]}),
    (SampleInput, {"shape": [2**40]}),
]


@pytest.mark.parametrize(("kind", "plain"), IMPOSSIBLE)
def test_a_value_that_cannot_be_does_not_fit_the_model(kind: type, plain: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(plain, kind)


def test_a_chain_of_like_is_no_longer_than_anybody_reads() -> None:
    probes = {f"p{number}": {"like": f"p{number + 1}"} if number < 1999 else {} for number in range(2000)}
    api = msgspec.convert({"name": "torch.a", "collective": {"probes": probes}}, Api)
    with pytest.raises(SpecError, match="over more than 16 steps"):
        resolve(api, "p0")
    samples = {name: msgspec.convert(plain, Sample) for name, plain in probes.items()}
    with pytest.raises(SampleError, match="over more than 16 steps"):
        resolve_sample(samples, "p0")


def test_what_an_error_repeats_of_a_file_is_shortened() -> None:
    """Beginning and end stay: between them stands what was named."""
    error = DataError("a.yaml", 3, f"no claim {'x' * 10**6!r} is there", f"Name one of {', '.join(['y'] * 10**6)}.")
    assert len(str(error)) < 5000
    assert str(error).startswith("a.yaml:3: no claim 'xxx")
    assert "xx' is there. Name one of y, y" in str(error)
    assert len(error.found) <= 2003
