"""Signals that come at the worst moment: while a folder or a process is made that nobody could put away yet."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from apidiff import ending_signals
from apidiff.database.devices import load_devices
from apidiff.execute.single.process import CallProcess
from apidiff.execute.single.run import CallRunner, _Worker

HEAD = """
import os, signal, sys, tempfile, threading
from apidiff.ending_signals import end_in_order, held
from apidiff.scratch_folder import scratch_folder

def send(number):
    os.kill(os.getpid(), number)

end_in_order()
"""
# (what a process does, its exit code, what it prints)
CASES = [
    (
        "with held():\n    send(signal.SIGTERM)\n    send(signal.SIGINT)\n    print('made')\nprint('not reached')",
        143,
        "made\n",
    ),
    (
        "with held():\n    with held():\n        send(signal.SIGHUP)\n    print('made')\nprint('not reached')",
        129,
        "made\n",
    ),
    # Two at once: not a word of CPython's.
    ("with held():\n    send(signal.SIGTERM)\n    send(signal.SIGHUP)", 143, ""),
    (
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGHUP})\n"
        "send(signal.SIGTERM)\nsend(signal.SIGHUP)\n"
        "try:\n    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGHUP})\n"
        "finally:\n    signal.pthread_sigmask(signal.SIG_BLOCK, ())  # which looks for signals, as much does",
        129,
        "",
    ),
    # What the block raises does not hide the signal.
    ("with held():\n    send(signal.SIGTERM)\n    raise OSError", 143, ""),
    ("with held():\n    pass\nsend(signal.SIGTERM)\nprint('not reached')", 143, ""),
    # Python drops what is raised where an object goes, and in what is called as a process forks.
    *(
        (
            f"{dropping}\nimport time\nwith held():\n    time.sleep(0.2)\n    print('held')\ntime.sleep(20)\nprint('no')",
            143,
            "held\n",
        )
        for dropping in (
            "class Gone:\n    def __del__(self):\n        send(signal.SIGTERM)\nGone()",
            "os.register_at_fork(after_in_parent=lambda: send(signal.SIGTERM))\nos.fork() or os._exit(0)",
        )
    ),
    # What some code has caught, which goes on, comes again; what is put away meanwhile is not interrupted.
    *(
        (f"from apidiff import ending_signals\nending_signals._AGAIN_S = 0.05\nimport time\n{code}", 143, "put away\n")
        for code in (
            "try:\n    send(signal.SIGTERM)\nexcept:\n    print('put away')\ntime.sleep(20)\nprint('not reached')",
            "try:\n    send(signal.SIGTERM)\nfinally:\n    time.sleep(0.5)\n    print('put away')",
            "import contextlib\n@contextlib.contextmanager\ndef block():\n    try:\n        yield\n    finally:\n"
            "        time.sleep(0.5)\n        print('put away')\nwith block():\n    send(signal.SIGTERM)",
            "class Block:\n    def __enter__(self):\n        pass\n    def __exit__(self, *_):\n        time.sleep(0.5)\n"
            "        print('put away')\nwith Block():\n    send(signal.SIGTERM)",
            "try:\n    try:\n        send(signal.SIGTERM)\n    except SystemExit:\n        raise ImportError\n"
            "except ImportError as error:\n    time.sleep(0.5)\n    print('put away')\n"
            "    sys.exit(ending_signals.end_behind(error))",
        )
    ),
    # What is done meanwhile is done: nothing comes once it is put away.
    (
        "from apidiff.ending_signals import end_at_once\n"
        "class Gone:\n    def __del__(self):\n        send(signal.SIGTERM)\nGone()\n"
        "end_at_once()\nimport time\ntime.sleep(0.2)\nprint(signal.getitimer(signal.ITIMER_REAL))",
        0,
        "(0.0, 0.0)\n",
    ),
    # A process that is another's ends as it would have.
    (
        "from apidiff.ending_signals import ending_in_order\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "class Gone:\n    def __del__(self):\n        send(signal.SIGHUP)\n"
        "with ending_in_order():\n    Gone()\nprint('not reached')",
        -signal.SIGHUP,
        "",
    ),
    # In another thread nothing is held: the end comes where the main thread is.
    (
        "def other():\n    with held():\n        send(signal.SIGTERM)\n        signal.pause()\n"
        "threading.Thread(target=other, daemon=True).start()\n"
        "import time\ntime.sleep(20)\nprint('not reached')",
        143,
        "",
    ),
    (
        "make = tempfile.mkdtemp\n"
        "def made(*arguments):\n    path = make(*arguments)\n    send(signal.SIGTERM)\n    return path\n"
        "tempfile.mkdtemp = made\n"
        "with scratch_folder('apidiff-'):\n    print('not reached')",
        143,
        "",
    ),
    (
        "import shutil\nremove = tempfile.TemporaryDirectory._rmtree\n"
        "def removed(*arguments, **names):\n    send(signal.SIGTERM)\n    remove(*arguments, **names)\n"
        "with scratch_folder('apidiff-') as folder:\n"
        "    tempfile.TemporaryDirectory._rmtree = staticmethod(removed)\n    (folder / 'file').touch()\nprint('not reached')",
        143,
        "",
    ),
]


@pytest.mark.parametrize(("code", "end", "printed"), CASES)
def test_what_is_made_is_known_to_who_puts_it_away(tmp_path: Path, code: str, end: int, printed: str) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run([sys.executable, "-c", HEAD + code], env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (end, printed, "")
    assert list(tmp_path.iterdir()) == []


# What another thread of a server does as the signal comes.
BESIDE = {
    "works in a folder": """
        with scratch_folder('apidiff-') as folder, scratch_folder('apidiff-'):
            (folder / 'file').touch()
            ready.set()
            time.sleep(20)
    """,
    "makes a folder": """
        make = tempfile.mkdtemp
        def made(*given, **named):
            ready.set()
            time.sleep(0.3)
            path = make(*given, **named)
            time.sleep(0.3)
            return path
        tempfile.mkdtemp = made
        with scratch_folder('apidiff-'):
            time.sleep(20)
    """,
    "makes one folder after the other": """
        ready.set()
        while True:
            with scratch_folder('apidiff-') as folder:
                (folder / 'file').touch()
    """,
    "writes an index": """
        os.rename = lambda *_, **__: ready.set() or time.sleep(20)
        cache._write(Path(tempfile.gettempdir(), 'index'), b'1' * 40)
    """,
}


@pytest.mark.parametrize("does", BESIDE.values(), ids=BESIDE.keys())
def test_what_another_thread_of_a_server_has_made_is_put_away(tmp_path: Path, does: str) -> None:
    """An agent ends its server while that renews its index: a file of 2 MB was left, and a folder with a record."""
    code = f"""
import time
from pathlib import Path
from apidiff.ending_signals import end_putting_away
from apidiff.lookup import cache

ready = threading.Event()
def other():
{textwrap.indent(textwrap.dedent(does), "    ")}
threading.Thread(target=other, daemon=True).start()
end_putting_away()
ready.wait()
time.sleep(0.1)
send(signal.SIGTERM)
time.sleep(20)
print('not reached')
"""
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run([sys.executable, "-c", HEAD + code], env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (-signal.SIGTERM, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_signal_as_the_command_has_ended_says_nothing(tmp_path: Path) -> None:
    """It came while the signals were set to end the process at once, and told where."""
    code = (
        "from apidiff import ending_signals\nasked = signal.getsignal\n"
        "def getsignal(number):\n    send(signal.SIGINT)\n    return asked(number)\n"
        "signal.getsignal = getsignal\nending_signals.end_at_once()\nprint('not reached')"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run([sys.executable, "-c", HEAD + code], env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (-signal.SIGINT, "", "")


AT_IMPORT = """
import os, signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIG{name})

sys.meta_path.insert(0, Finder)
"""


@pytest.mark.parametrize("name", ["INT", "TERM"])
@pytest.mark.parametrize("module", ["pathlib", "apidiff.cli", "argparse", "apidiff.standard_streams"])
def test_a_command_that_is_still_being_imported_ends_without_a_word(tmp_path: Path, module: str, name: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_IMPORT.format(module=module, name=name))
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).resolve().parents[1])])
    command = [sys.executable, "-m", "apidiff", "--version"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.Signals[f"SIG{name}"], b"", b"")


@pytest.mark.parametrize("module", ["argparse", "apidiff.database", "apidiff.site_server"])
def test_a_build_of_the_site_that_is_still_being_imported_ends_without_a_word(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_IMPORT.format(module=module, name="INT"))
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).resolve().parents[1])])
    command = [sys.executable, "-m", "apidiff.site_builder", "--help"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_a_library_that_makes_another_error_of_the_end_does_not_hide_it(tmp_path: Path) -> None:
    """NumPy says that its own parts cannot be imported: Ctrl-C read as a broken installation."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class Finder:\n    def find_spec(name, path=None, target=None):\n        if name == 'apidiff.cli.schema':\n"
        "            try:\n                os.kill(os.getpid(), signal.SIGINT)\n"
        "            except KeyboardInterrupt:\n                raise ImportError(name)\n"
        "sys.meta_path.insert(0, Finder)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).resolve().parents[1])])
    command = [sys.executable, "-m", "apidiff", "schema"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.fixture
def as_a_command() -> Iterator[None]:
    """Has this process end at SIGTERM as a command does."""
    with ending_signals.ending_in_order():
        yield


def test_a_process_that_is_being_started_leaves_neither_log_nor_folder(
    as_a_command: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    start = CallProcess._worker

    def interrupted(process: CallProcess) -> object:
        os.kill(os.getpid(), signal.SIGTERM)
        return start(process)

    monkeypatch.setattr(CallProcess, "_worker", interrupted)
    device = next(one for one in load_devices() if (one.framework, one.device) == ("torch", "cpu"))
    worker = _Worker(device, tmp_path / "logs")
    with pytest.raises(SystemExit):
        worker.ask({"do": "nothing"}, object)
    assert [path for path in tmp_path.rglob("*") if path.name != "logs"] == []


def test_processes_that_are_being_put_away_leave_no_log(
    as_a_command: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    put_away = CallProcess.kill

    def interrupted(process: CallProcess) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        put_away(process)

    device = next(one for one in load_devices() if (one.framework, one.device) == ("torch", "cpu"))
    runner = CallRunner(device, tmp_path / "logs")
    for worker in runner._workers:
        worker._process = CallProcess(device, tmp_path / "logs")
    assert len(list((tmp_path / "logs").iterdir())) == len(runner._workers)
    monkeypatch.setattr(CallProcess, "kill", interrupted)
    with pytest.raises(SystemExit), runner:
        pass
    assert [path for path in tmp_path.rglob("*") if path.name != "logs"] == []
