"""What comes through the pipe of a process: its answer is told from all that anything else writes there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from apidiff.execute import worker_process
from apidiff.execute.worker_process import BrokenAnswer, WorkerProcess, _line, _Pipe

LATE = b"f" * 16  # the number of an earlier request


@pytest.fixture
def pipe() -> Iterator[tuple[_Pipe, int, int]]:
    """A pipe, and where the other side reads requests and writes answers."""
    there, back = os.pipe(), os.pipe()
    made = _Pipe(there[1], back[0])
    yield made, there[0], back[1]
    made.close()
    os.close(there[0])
    os.close(back[1])


def asked(pipe: _Pipe, requests: int) -> bytes:
    """Sends a request and returns its number."""
    pipe.send(b"[1]\n", 5)
    number, _, request = os.read(requests, 1000).partition(b" ")
    assert request == b"[1]\n"
    return number


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"words\n",
        b"half a line",
        b"\n\n",
        b'{"rank":1}\n',
        b"\xff\xfe\n",
        b"[" * 10_000,
        b"true\ntrue\n",
        LATE + b" [2]\n",
        _line(LATE, [2]),
        worker_process._UNASKED + b" [2]\n",
    ],
    ids=repr,
)
def test_only_the_answer_counts(pipe: tuple[_Pipe, int, int], before: bytes) -> None:
    one, requests, answers = pipe
    for given in ([3], "日本", None):
        number = asked(one, requests)
        os.write(answers, before)
        one.receive()
        os.write(answers, _line(number, given) + before)
        assert one.receive() == _line(number, given).strip().partition(b" ")[2]
    assert one.receive() is None


def test_a_request_is_answered_once(pipe: tuple[_Pipe, int, int]) -> None:
    one, requests, answers = pipe
    number = asked(one, requests)
    os.write(answers, _line(number, [1]) + _line(number, [2]))
    assert one.receive() == b"[1]"
    os.write(answers, _line(number, [3]))
    assert one.receive() is None
    again = asked(one, requests)
    assert again != number
    os.write(answers, _line(number, [4]) + _line(again, [5]))
    assert one.receive() == b"[5]"


def test_an_answer_comes_in_parts(pipe: tuple[_Pipe, int, int]) -> None:
    one, requests, answers = pipe
    line = _line(asked(one, requests), {"a": 1})
    for byte in line[:-1]:
        os.write(answers, bytes([byte]))
        assert one.receive() is None
    os.write(answers, line[-1:])
    assert one.receive() == b'{"a":1}'


@pytest.mark.parametrize("answer", [b"words", b'{"a":', b'{"\xff":1}', b'"\xff"', b"[" * 100_000, b"", b'"\\ud800"'])
def test_an_answer_that_others_wrote_into_is_broken(pipe: tuple[_Pipe, int, int], answer: bytes) -> None:
    one, requests, answers = pipe
    number = asked(one, requests)
    os.set_blocking(answers, False)
    rest = memoryview(number + b" " + answer + b"\n")
    with pytest.raises(BrokenAnswer, match="no JSON"):  # noqa: PT012 - what a pipe does not hold at once is read between
        while True:
            rest = rest[os.write(answers, rest) :] if rest else rest
            one.receive()


def test_who_writes_without_end_is_not_read_without_end(
    pipe: tuple[_Pipe, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "_LONGEST_ANSWER", 2**16)
    one, requests, answers = pipe
    asked(one, requests)
    with pytest.raises(BrokenAnswer, match="more than"):  # noqa: PT012
        for _ in range(100):
            os.write(answers, b"x\n" * 1000)
            one.receive()


def test_the_end_of_the_other_side_is_told(pipe: tuple[_Pipe, int, int]) -> None:
    one, requests, answers = pipe
    asked(one, requests)
    os.write(answers, b"half")
    assert one.receive() is None
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, answers)
    os.close(null)
    assert one.receive() == b""


def test_no_module_is_taken_from_the_folder_of_the_logs(tmp_path: Path) -> None:
    """An earlier call may have left one there."""
    (tmp_path / "random.py").write_text("print('taken')")
    process = WorkerProcess(["-c", "import apidiff, random"], os.environ, tmp_path / "log", tmp_path)
    assert process.process.wait(60) == 0
    process.close()
    assert (tmp_path / "log").read_text() == ""
