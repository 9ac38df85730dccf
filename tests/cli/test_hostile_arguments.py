"""Arguments, environments and addresses that are made to break a command: each ends in a sentence and the right exit code."""

from __future__ import annotations

import argparse
import contextlib
import errno
import http.client
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import COMMAND
from factories import entry

from apidiff import cli, site_builder, site_server
from apidiff.cli import FAULT, main
from apidiff.cli.json_output import json_line
from apidiff.lookup import search
from apidiff.messages.escape_invisible import escapes
from apidiff.model.base import Text
from apidiff.writers.markdown import MappingText


def test_an_argument_that_is_no_text_is_refused() -> None:
    done = subprocess.run([*COMMAND, "lookup", b"\xff\xfe", "--json"], capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert (
        done.stderr == b"apidiff: Argument 2 is not UTF-8 text, or holds a NUL. Write it, or name the file, in UTF-8.\n"
    )


def test_the_encoding_that_an_argument_is_not_in_is_named() -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [*COMMAND, "lookup", "拼接".encode()]
    done = subprocess.run(command, env=os.environ | locale, capture_output=True, timeout=300, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith(b"file, in ASCII, or set LC_ALL=C.UTF-8.\n"), done.stderr


def test_an_argument_that_python_cannot_encode_again_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system decodes some characters of EUC-JP otherwise than Python does."""
    monkeypatch.setattr("apidiff.cli.os.fsencode", lambda text: text.encode("euc_jp"))
    assert main(["scan", "\uff5e.py"]) == 2
    assert "Argument 2 is not " in capsys.readouterr().err


def test_a_file_that_no_system_can_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """No shell can pass it, but whoever calls `main` can."""
    assert main(["scan", "a\0b.py"]) == 2
    assert capsys.readouterr().err.startswith("apidiff: Argument 2 is not UTF-8 text, or holds a NUL.")


def test_json_holds_nothing_that_cannot_be_seen() -> None:
    told = {"name": "a\u202eb\x9bc\U000e0041\U0001d173 规约"}
    line = json_line(told)
    assert line == '{"name":"a\\u202eb\\u009bc\\udb40\\udc41\\ud834\\udd73 规约"}\n'.encode()
    assert json.loads(line) == told
    assert json_line("##[error]a") == b'"#\\u0023[error]a"\n'
    assert json.loads(json_line("###[a")) == "###[a"


def test_a_name_of_any_length_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lookup", "torch." + "a" * 50_000]) == 2
    assert len(capsys.readouterr().err) < 500


@pytest.mark.parametrize(
    "words",
    [
        ["lookup", "torch.abs", "--mindspore", "9" * 5000],
        ["lookup", "torch.abs", "--torch", "v" * 5000],
        ["drift", "9" * 5000, "2.10"],
        ["show", "x/" + "y" * 5000],
        ["check", "y" * 5000],
        ["samples", "extract", "y" * 5000],
        ["runs", "show", "y" * 5000],
        ["runs", "diff", "y" * 5000, "0a1b"],
        ["runs", "plan", "--backend", "y" * 5000],
    ],
)
def test_a_name_or_version_of_any_length_is_told_in_a_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert len(capsys.readouterr().err) < 1000


@pytest.mark.parametrize(
    "words",
    [["runs", "y" * 50_000], ["export", "y" * 50_000], ["scan", "--device", "y" * 50_000, "."], ["y" * 50_000]],
)
def test_a_word_of_any_length_is_told_without_its_middle(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    told = capsys.readouterr().err
    assert len(told) < 4000
    assert "invalid choice: 'yyy" in told
    assert told.rstrip().endswith(")")


@pytest.mark.parametrize(
    "words",
    [
        ["export", "json", ""],
        ["export", "sqlite", ""],
        ["runs", "import", ""],
        ["samples", "extract", "--into", ""],
        ["signatures", "results", "--of", "torch", ""],
        ["signatures", "extract", "--wheel", ""],
        ["scan", "--write-baseline", "", "."],
    ],
)
def test_an_empty_name_is_not_the_current_folder(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "an empty name is given. Write . for the current folder" in capsys.readouterr().err


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_fault(closed: str, tmp_path: Path) -> None:
    """Nor is anything written into a file that happens to get its number."""
    command = f'"$0" -m apidiff schema documents {closed}; echo $? > code'
    subprocess.run(["/bin/sh", "-c", command, sys.executable], cwd=tmp_path, timeout=300, check=True)
    assert (tmp_path / "code").read_text() == "0\n"


def test_where_no_stream_is_closed_nothing_has_to_be_opened() -> None:
    """In a container /dev/null may be one that a user cannot write to."""
    code = (
        "import os, apidiff.standard_streams as it; os.devnull = 'nowhere'; it.open_closed_streams(); print('opened')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="", capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("opened\n", "")


@pytest.mark.parametrize("name", ["lsp", "mcp"])
def test_a_server_without_input_ends(name: str) -> None:
    command = ["/bin/sh", "-c", '"$@" <&-', "sh", *COMMAND, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr


MCP_BEGIN = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
LSP_BEGIN = {"capabilities": {}, "processId": None, "rootUri": None}


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize(("name", "params"), [("lsp", LSP_BEGIN), ("mcp", MCP_BEGIN)])
def test_a_server_ends_at_a_signal(name: str, params: dict[str, object], sent: signal.Signals) -> None:
    """Once it serves, and while its input stays open: it does not wait for more to read."""
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    framed = b"Content-Length: %d\r\n\r\n%s" % (len(message), message) if name == "lsp" else message + b"\n"
    # As in a terminal, where tests were started in the background too.
    script = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from apidiff.cli import main
sys.exit(main())
"""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script, name], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(framed)
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(sent)
        assert process.wait(timeout=60) == -sent
        assert process.stderr
        assert process.stderr.read() == b""


@pytest.mark.parametrize("columns", ["99999999", "-1", "0", "wide", "9" * 5000])
def test_a_terminal_of_an_impossible_width(columns: str) -> None:
    script = "import os; from apidiff.cli import _stand_alone; _stand_alone(); print(os.environ.get('COLUMNS'))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"COLUMNS": columns},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "None\n"), done.stderr


def test_a_fault_of_the_program_has_an_exit_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_arguments: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr(cli, "_parse", fail)
    assert main(["check"]) == FAULT == 70
    told = capsys.readouterr().err
    assert "KeyError: 'a fault'" in told
    assert told.endswith("apidiff: this is a fault of apidiff. Report it with what is above.\n")


@pytest.mark.parametrize("words", [["lookup", "torch.abs"], ["scan", "--lang", "en", "."], ["schema"]])
def test_a_word_that_is_not_understood_steers_no_terminal(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--\x1b[31m\u202e"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert not {"\x1b", "\u202e"} & {*told}
    assert "--\\x1b[31m\\u202e" in told


LONG = "a" * 300


@pytest.mark.parametrize(
    "words",
    [
        ["show", ""],
        ["show", "/x"],
        ["show", LONG],
        ["show", f"torch.{LONG}"],
        ["show", "a\0b"],
        ["show", f"{LONG}.{LONG}", "--expanded"],
    ],
)
def test_a_name_that_no_file_can_have(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_what_was_begun_is_put_away_after_a_signal(
    sent: signal.Signals, code: int, again: bool, tmp_path: Path
) -> None:
    """A second signal comes while that is done."""
    script = """
import os, signal, sys, tempfile, time
from apidiff.cli import main, schema
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where tests were started in the background
signal.signal(signal.SIGHUP, signal.SIG_DFL)
def wait(_):
    folder = tempfile.mkdtemp()
    try:
        print("begun", flush=True)
        time.sleep(600)
    finally:
        print("ends", flush=True)
        sys.stdin.readline()
        os.rmdir(folder)
schema.run = wait
sys.exit(main())
"""
    command = [sys.executable, "-c", script, "schema", "mapping"]
    variables = os.environ | {"TMPDIR": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=variables, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(sent)
        assert process.stdout.readline() == "ends\n"
        if again:
            process.send_signal(sent)
        assert process.communicate("\n", timeout=300) == ("", "")
    assert process.returncode == code
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_after_the_end_is_told_by_nobody(sent: signal.Signals) -> None:
    script = f"""
import atexit, os, signal, sys
from apidiff.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
atexit.register(os.kill, os.getpid(), {int(sent)})
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", script, "schema"], capture_output=True, text=True, timeout=300)
    assert done.returncode == -sent
    assert done.stderr == ""


def test_a_word_that_is_repeated_counts_once() -> None:
    asked = " ".join(["reduce"] * 2000)
    assert search.shortened(asked) == "reduce"
    assert len(search.shortened(" ".join(map(str, range(10_000)))).split()) == 40
    assert len(search.shortened("x" * 10**7)) == 200


@pytest.mark.parametrize(
    ("stream", "code", "told"),
    [
        (">&-", 143, "standard output is closed"),
        (">/dev/full", 2, "The output cannot be written (No space left on device)"),
    ],
)
def test_the_site_is_served_whatever_becomes_of_the_output(stream: str, code: int, told: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>")
    for folder in ("en", "zh"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.html").write_text("<p>")
    command = f'exec timeout 5 "$0" -m apidiff.site_builder serve --port 0 --output "{tmp_path}" {stream}'
    done = subprocess.run(["/bin/sh", "-c", command, sys.executable], stderr=subprocess.PIPE, text=True, timeout=300)
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == (124 if code == 143 else code)  # what `timeout` makes of it


@pytest.mark.parametrize("port", ["99999", "-1", "65536", "1e3", "٣", "9" * 5000])
def test_a_port_that_cannot_be(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        site_builder.main(["serve", "--port", port])
    assert ended.value.code == 2
    assert "expected a port from 0 to 65535" in capsys.readouterr().err


def test_what_lies_in_the_current_folder_is_not_run(tmp_path: Path) -> None:
    """`python -m` looks there first: a stranger's `rich.py` was run by whoever scanned the folder."""
    for name in ("signal", "pathlib", "rich", "msgspec", "yaml", "torch"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('run')\n")
    place = {"PYTHONPATH": str(Path(cli.__file__).parent.parent.parent)}
    command = [sys.executable, "-m", "apidiff", "scan", "--no-config", "."]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | place, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_without_a_folder_for_temporary_files_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc/nowhere"])
    with pytest.raises(FileNotFoundError) as raised:
        tempfile.gettempdir()
    assert "TMPDIR=" in str(cli._sentence(raised.value))


@pytest.mark.parametrize("cause", [IsADirectoryError, NotADirectoryError, FileExistsError, FileNotFoundError])
def test_what_becomes_of_a_file_meanwhile_is_told(cause: type[OSError], tmp_path: Path) -> None:
    """As where somebody clears a folder while a command works in it."""
    (tmp_path / "file").touch()
    raise_it: dict[type[OSError], Callable[[], object]] = {
        IsADirectoryError: tmp_path.read_text,
        NotADirectoryError: (tmp_path / "file" / "below").read_text,
        FileExistsError: (tmp_path / "file").mkdir,
        FileNotFoundError: (tmp_path / "gone").read_text,
    }
    with pytest.raises(cause) as raised:
        raise_it[cause]()
    said = cli._sentence(raised.value)
    assert said is not None
    assert (said.startswith(f"'{tmp_path}"), said.endswith("Mend that, or name another place.")) == (True, True)


def test_a_site_below_a_link_to_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert site_builder.main(["build", "--output", str(tmp_path / "loop" / "site")]) == 2
    assert f"{tmp_path / 'loop'}" in capsys.readouterr().err


def test_a_site_whose_lock_is_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".site").mkdir()
    os.mkfifo(tmp_path / ".site" / "lock")
    assert site_builder.main(["build", "--output", str(tmp_path / "site")]) == 2
    assert "it is no regular file" in capsys.readouterr().err


HOSTILE = ["--", "", "-1", "1..1", "1e9", "nan", "9" * 5000, "1" + "0" * 400, "\u202eabc\u200b", "٣", LONG, "a/../../b"]


def options_of(parser: argparse.ArgumentParser, words: list[str]) -> Iterator[tuple[list[str], argparse.Action]]:
    """Every option of a command and its actions that takes a value, with the words that lead to it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from options_of(below, [*words, name])
        elif action.option_strings and action.nargs != 0:
            yield words, action


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_a_value_of_an_option_is_refused_or_of_its_kind(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an option gets never reaches the command as something else; what is refused ends with exit code 2."""
    module = importlib.import_module(f"apidiff.cli.{name}")
    taken: list[argparse.Namespace] = []
    monkeypatch.setattr(module, "run", lambda args: taken.append(args) or 0)
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    for words, action in options_of(parser, []):
        for value in HOSTILE:
            for given in ["x"], ["json", "x"], []:  # what stands without an option: as many as the command takes
                taken.clear()
                with contextlib.suppress(SystemExit):
                    code = main([name, *words, f"{action.option_strings[-1]}={value}", *given])
                    assert code == (0 if taken else 2), (words, action.dest, value)
                for args in taken:
                    got = getattr(args, action.dest)
                    assert got not in ([], None), (words, action.dest, value)
                told = capsys.readouterr().err
                assert taken or told
                assert "Traceback" not in told


@pytest.mark.parametrize("count", ["-5", "0", "nan", "1e9", "٣", "9" * 5000])
@pytest.mark.parametrize(
    "words",
    [
        ["runs", "audit", "a.json", "--probes"],
        ["scan", ".", "--jobs"],
        ["port", ".", "--jobs"],
        ["search", "a", "--limit"],
    ],
)
def test_a_count_that_cannot_be(words: list[str], count: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, count])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "expected a number of 1 or more" in told or "expected one argument" in told
    assert len(told) < 2000


@pytest.mark.parametrize(
    "address",
    [
        "/%00",
        "/a%00b",
        f"/{LONG}",
        "/%ff%fe",
        "/%ed%a0%80",
        "a://[/../..",
        "/..%2f..%2f..%2fetc/passwd",
        "//" + "../" * 50,
    ],
)
def test_an_address_that_no_file_has(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_text("home")
    with site_server.start_server(tmp_path, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
        connection.request("GET", address)
        answer = connection.getresponse()
        shown = answer.read()
        server.shutdown()
    assert answer.status in {400, 404} or shown == b"home"
    assert "Traceback" not in capsys.readouterr().err


def test_what_cannot_be_seen_is_shown_in_markdown() -> None:
    hidden = "".join(map(chr, escapes()))
    made = MappingText.made(entry("torch.a", summary=Text(en=f"a{hidden}b", zh=f"a{hidden}b")), "en").at([])
    assert not set(made) & set(hidden)
    assert "\\x1b" in made
    assert "\\u202e" in made


@pytest.mark.parametrize("command", ["scan", "port"])
def test_what_is_no_regular_file_is_not_read(command: str, tmp_path: Path) -> None:
    """A pipe would be waited for, a device read until memory ends, and a link to itself followed for ever."""
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    (tmp_path / "loop.py").symlink_to("loop.py")
    for name, said in (
        ("pipe.py", "it is no regular file"),
        ("zero.py", "it is no regular file"),
        ("loop.py", "no such file"),
    ):
        done = subprocess.run(
            [*COMMAND, command, str(tmp_path / name)], capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode in {0, 2}, done
        assert said in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("made", [os.mkfifo, Path.mkdir, lambda path: None], ids=["pipe", "folder", "nothing"])
def test_a_key_that_is_no_regular_file_is_refused(made: Callable[[Path], None], tmp_path: Path) -> None:
    """Minisign would wait indefinitely for what comes out of a pipe."""
    made(tmp_path / "key")
    done = subprocess.run(
        [*COMMAND, "runs", "own", "--sign", str(tmp_path / "key")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done
    assert "is no regular file" in done.stderr


@pytest.mark.parametrize("name", ["pyproject.toml", "baseline.json"])
def test_settings_of_a_scan_that_are_nested_deep(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n", encoding="utf-8")
    (tmp_path / name).write_text({"pyproject.toml": "a = "}.get(name, "") + "[" * 100_000, encoding="utf-8")
    baseline = ["--baseline", str(tmp_path / name)] if name == "baseline.json" else []
    command = [*COMMAND, "scan", str(tmp_path / "a.py"), *baseline]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert str(tmp_path / name) in done.stderr
    assert "Traceback" not in done.stderr


def test_memory_that_runs_out_is_no_fault_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where many large records lie among the data; a traceback would say nothing of it."""

    def load(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("apidiff.cli.runs.load", load)
    assert main(["runs", "list"]) == 2
    assert capsys.readouterr().err == "apidiff: Memory ran out. Free some, or have the command read less.\n"


LIMITED = "The system gives no more files, processes, threads or memory ({}). Free some; `ulimit -a` tells the limits."
OUTPUT = "The output cannot be written ({}). Make room, or send it elsewhere."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EMFILE, "Too many open files"), LIMITED.format("Too many open files")),
        (OSError(errno.EMFILE, "Too many open files", "a.py"), LIMITED.format("Too many open files")),
        (OSError(errno.ENFILE, "Too many open files in system"), LIMITED.format("Too many open files in system")),
        (OSError(errno.EAGAIN, "Resource unavailable"), LIMITED.format("Resource unavailable")),
        (OSError(errno.ENOMEM, "Cannot allocate memory", "git"), LIMITED.format("Cannot allocate memory")),
        (RuntimeError("can't start new thread"), LIMITED.format("can't start new thread")),
        (RuntimeError("something else"), None),
        (BlockingIOError(errno.EAGAIN, "it would block", 4096), OUTPUT.format("it would block")),
        (OSError(errno.ENOSPC, "No space left on device"), OUTPUT.format("No space left on device")),
    ],
)
def test_what_the_limits_of_a_user_refuse_is_told_apart_from_the_output(
    monkeypatch: pytest.MonkeyPatch, error: Exception, said: str | None
) -> None:
    closed: list[None] = []
    monkeypatch.setattr("apidiff.cli.close_stdout", lambda: closed.append(None))
    assert cli._sentence(error) == said
    assert bool(closed) == (said is not None and said.startswith("The output"))  # what is buffered is an answer


@pytest.mark.parametrize("limit", [6, 7, 8, 9, 10, 11, 12])
def test_a_scan_that_may_open_few_files_says_so(limit: int, tmp_path: Path) -> None:
    for number in range(250):
        (tmp_path / f"f{number}.py").write_text("import torch\ntorch.add(a, b)\n", encoding="utf-8")
    command = [*COMMAND, "scan", "--no-config", "--jobs", "2", str(tmp_path)]
    done = subprocess.run(
        ["prlimit", f"--nofile={limit}", *command], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode in {0, 2}, done
    assert [line for line in done.stderr.splitlines() if "The output" in line or "Traceback" in line] == []


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_stream_is_sent_nowhere_where_no_more_files_may_be_opened(stream: str, tmp_path: Path) -> None:
    code = f"""
import resource, sys
from apidiff.standard_streams import send_nowhere
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
send_nowhere(sys.{stream})
sys.{stream}.write("nobody reads this")
"""
    with (tmp_path / "written").open("w") as written:
        done = subprocess.run([sys.executable, "-c", code], timeout=300, check=False, **{stream: written})
    assert (done.returncode, (tmp_path / "written").read_text()) == (0, "")


@pytest.mark.parametrize("library", ["_traversal.so", "libgfortran-040039e1.so.5.0.0"])
def test_a_library_that_cannot_be_loaded_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], library: str
) -> None:
    """As with `ulimit -v 900000` below `samples extract`, which imports SciPy."""

    def fail(*_given: object) -> None:
        try:
            raise ImportError(f"/lib/{library}: failed to map segment from shared object")
        except ImportError as error:
            raise ImportError("Error importing numpy: you should not try to import it from its source") from error

    monkeypatch.setattr("apidiff.cli._parse", fail)
    assert main(["check"]) == 2
    assert f"A library cannot be loaded (/lib/{library}: failed to map" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModuleNotFoundError("No module named 'apidiff.gone'", name="apidiff.gone"), 2),
        (ImportError("cannot import name 'x' from 'apidiff.lookup'", name="apidiff.lookup"), 2),
        (ModuleNotFoundError("No module named 'apidiffer'", name="apidiffer"), FAULT),
    ],
)
def test_code_that_is_changed_below_a_command_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: ImportError, code: int
) -> None:
    """As by an update: what is imported later does not fit what was before."""

    def fail(*_given: object) -> None:
        raise error

    monkeypatch.setattr("apidiff.cli._parse", fail)
    assert main(["check"]) == code
    said = f"A part of apidiff does not fit the rest ({error}). If it was changed just now, run it again; else reinstall it."
    assert (capsys.readouterr().err == f"apidiff: {said}\n") is (code == 2)


def test_a_folder_that_was_deleted_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert main(["scan", "."]) == 2
    assert capsys.readouterr().err == "apidiff: The current folder was deleted. Go to another one.\n"


@pytest.mark.parametrize(
    "words",
    [["export", "--", "json", "--"], ["export", "json", "--", "--"], ["lookup", "--", "--"], ["scan", "--", "--"]],
)
def test_two_dashes_twice_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == (
        f"apidiff: Argument {len(words)}: '--' stands there twice. Leave it out, or write ./-- for a file of that name.\n"
    )
