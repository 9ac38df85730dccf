"""Exit codes, help, and what happens to the output; what a lookup may import."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from command import COMMAND

import apidiff
from apidiff import cli
from apidiff.database.paths import PACKAGE


def test_the_version_is_that_of_the_project(run) -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project.get("version", apidiff.__version__)
    assert apidiff.__version__ == version
    assert run("--version").stdout == f"apidiff {version}\n"


# arguments, exit code, what stdout says, what stderr says
USAGE = [
    ([], 2, "", "required: COMMAND"),
    (["--help"], 0, "lookup", ""),
    (["frobnicate"], 2, "", "invalid choice: 'frobnicate'"),
    (["lookup"], 2, "", "required: NAME"),
    (["lookup", "--help"], 0, "--mindspore VERSION", ""),
    (["lookup", "reduce", "--lang", "fr"], 2, "", "invalid choice: 'fr'"),
    (
        ["lookup", "torch.distributed.redcue"],
        2,
        "",
        "apidiff: No mapping has an API named 'torch.distributed.redcue'. Did",
    ),
    (["lookup", "quaternion"], 2, "", "apidiff search"),
    (["lookup", "reduce", "--mindspore", "99.9"], 2, "", "apidiff: '99.9' is no known release of MindSpore. Name one"),
    (["lookup", "reduce", "--torch", "banana"], 2, "", "apidiff: 'banana' is no known release of PyTorch. Name one"),
    (["search", "--limit", "0", "x"], 2, "", "expected a number of 1 or more, of at most"),
    (["export", "xml", "out"], 2, "", "invalid choice: 'xml'"),
    (["schema", "nothing"], 2, "", "invalid choice: 'nothing'"),
    (["schema"], 0, '"title": "AuthoredRecord"', ""),
    (["search", "zzzzzz"], 0, "Nothing was found for 'zzzzzz'.", ""),
    (["check"], 0, "claims with a run", ""),
    (["check", "torch.distributed.reduce", "torch.distributed.all_gather"], 0, "mappings                 2\n", ""),
    (["check", "torch.distributed.redcue"], 2, "", "apidiff: There is no mapping 'torch.distributed.redcue'. Name one"),
]


@pytest.mark.parametrize(("arguments", "code", "out", "err"), USAGE, ids=[" ".join(row[0]) or "-" for row in USAGE])
def test_usage(run, arguments: list[str], code: int, out: str, err: str) -> None:
    done = run(*arguments)
    assert (done.returncode, out in done.stdout, err in done.stderr) == (code, True, True), done
    assert "Traceback" not in done.stderr
    if code:
        assert done.stdout == ""


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(run, name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: apidiff {name}")
    assert name in run("--help").stdout


def test_a_lookup_imports_nothing_that_is_large(environment: dict[str, str], run) -> None:
    run("lookup", "reduce", "--json")  # from here on the index is there
    code = "import sys; before = set(sys.modules); from apidiff.cli import main; main(['lookup', 'reduce', '--json']);"
    code += " print(*(set(sys.modules) - before), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    loaded = set(done.stderr.split())
    assert "apidiff.lookup.lookup" in loaded
    heavy = {
        "numpy",
        "yaml",
        "rich",
        "sqlite3",
        "rapidfuzz",
        "platformdirs",
        "apidiff.database",
        "apidiff.lookup.entry",
    }
    assert loaded & heavy == set()


def test_importing_the_package_imports_no_other(environment: dict[str, str]) -> None:
    code = "import sys; import apidiff; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert set(done.stdout.split()) & {"torch", "mindspore", "numpy", "sphinx", "yaml", "rich", "msgspec"} == set()


def test_every_public_name_is_there() -> None:
    assert [name for name in apidiff.__all__ if not hasattr(apidiff, name)] == []


@pytest.mark.parametrize(
    "arguments",
    [["lookup", "reduce"], ["lookup", "reduce", "--json"], ["search", "reduce"], ["schema"], ["--help"], ["--version"]],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_under_the_output_is_told_once(
    arguments: list[str], environment: dict[str, str], unbuffered: str
) -> None:
    variables = environment | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, env=variables, timeout=500
        )
    assert done.returncode == 2
    assert (
        done.stderr
        == "apidiff: The output cannot be written (No space left on device). Make room, or send it elsewhere.\n"
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_of_which_a_part_is_written_is_told(
    tmp_path: Path, environment: dict[str, str], unbuffered: str
) -> None:
    """Unbuffered, Python drops what the system does not take: of 77 kB 4 were written, and the exit code was 0."""
    command = f"ulimit -f 4; {shlex.join([*COMMAND, 'schema'])} > {shlex.quote(str(tmp_path / 'out'))}"
    variables = environment | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True, env=variables, timeout=500)
    assert done.returncode == 2
    assert done.stderr.startswith("apidiff: The output cannot be written (File too large).")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_an_output_that_lacks_characters_is_told(encoding: str, environment: dict[str, str]) -> None:
    """What is written out as it is needs them all; the help is read with a '?' too."""
    variables = environment | {"PYTHONIOENCODING": f"{encoding}:strict", "PYTHONUTF8": "0"}
    code = "import sys; from apidiff.cli import schema, main; schema.run = lambda _: sys.stdout.write('\\u2026\\U0001f600')"
    shown, helped = (
        subprocess.run([*command], capture_output=True, env=variables, timeout=500)
        for command in (
            [sys.executable, "-c", f"{code}; sys.exit(main(['schema']))"],
            [*COMMAND, "verify", "--help"],
        )
    )
    assert (shown.returncode, shown.stdout) == (2, b"")
    assert b"apidiff: Standard output is in " in shown.stderr
    assert len(shown.stderr.splitlines()) == 1
    assert (helped.returncode, helped.stderr) == (0, b"")
    assert b"--world-size" in helped.stdout


def test_a_way_of_writing_that_python_does_not_know_is_told(environment: dict[str, str]) -> None:
    variables = environment | {"PYTHONIOENCODING": "ascii:bogus", "PYTHONUTF8": "0"}
    code = "import sys; from apidiff.cli import schema, main; schema.run = lambda _: sys.stdout.write('\\u2026')"
    command = [sys.executable, "-c", f"{code}; sys.exit(main(['schema']))"]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=500)
    told = "apidiff: Python knows no way 'bogus' to write to standard output. Set PYTHONIOENCODING=utf-8.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


@pytest.mark.parametrize("encoding", ["idna", "undefined"])
@pytest.mark.parametrize("arguments", [["schema"], ["--help"], ["nonesuch"]])
def test_an_encoding_that_no_text_can_be_written_in_is_told(
    encoding: str, arguments: list[str], environment: dict[str, str]
) -> None:
    variables = environment | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=variables, timeout=500)
    told = f"apidiff: Python cannot write text in the encoding {encoding!r}. Set PYTHONIOENCODING=utf-8.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


@pytest.mark.parametrize("arguments", [["lookup", "nonesuch"], ["nonesuch"], ["lookup", "reduce", "--mindspore", "x"]])
def test_where_nobody_can_be_told_the_exit_code_tells(arguments: list[str], environment: dict[str, str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=full, env=environment, timeout=500)
    assert done.returncode == 2


@pytest.mark.parametrize(
    "code", ["import torch\nx = torch.std(y)\n", "import torch\nx = (\n"], ids=["read", "passed over"]
)
@pytest.mark.parametrize("taken", [True, False])
def test_a_note_that_nobody_takes_costs_no_answer(
    tmp_path: Path, environment: dict[str, str], code: str, taken: bool
) -> None:
    """A damaged record or file is told in a note, and a standard error that took none ended the command before its answer."""
    (tmp_path / "model.py").write_text(code, encoding="utf-8")
    with Path("/dev/null" if taken else "/dev/full").open("w") as told:
        done = subprocess.run(
            [*COMMAND, "scan", "--no-config", "--format", "json", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=told,
            env=environment,
            timeout=500,
        )
    assert (done.returncode, len(json.loads(done.stdout)["files"])) == (0, 1)


@pytest.mark.parametrize("words", [["lookup", "reduce", "--json"], ["runs", "list"]])
def test_a_reader_that_goes_away_is_no_error(environment: dict[str, str], words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, *words], stdout=write, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_interrupt(environment: dict[str, str], tmp_path: Path) -> None:
    # The process waits where it would open the index, until it is interrupted.
    code = "import sys, time; import apidiff.cli.lookup as c; from apidiff.cli import main;"
    code += " c.open_index = lambda **_: (print('waiting', file=sys.stderr, flush=True), time.sleep(600));"
    code += " sys.exit(main(['lookup', 'reduce']))"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "waiting\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
        assert process.wait(300) == 130
