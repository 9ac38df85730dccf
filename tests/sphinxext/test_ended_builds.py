"""Builds of the site that fail or are ended: what they say, and what they leave."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import psutil
import pytest

from apidiff import site_builder as site
from apidiff.database import DataError, InvalidData
from apidiff.writers.exports.address import API
from apidiff.writers.exports.site_folder import MARK, TOP, mark


def test_failed_step_names_its_log_and_shows_its_end(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "step.log"
    script = "print('the reason'); raise SystemExit(3)"
    with pytest.raises(site.SiteError) as caught:
        site.Step("a step", [sys.executable, "-c", script], log, deadline_s=300).finish()
    assert str(caught.value).startswith(f"a step ended with exit code 3. Read {log}, correct what it names")
    assert "the reason" in str(caught.value)


_CHILD = "[sys.executable, '-c', 'import time; time.sleep(601.25)']"


@pytest.mark.parametrize(
    ("script", "deadline_s", "told"),
    [
        (f"import subprocess, sys; subprocess.run({_CHILD})", 5, "was killed after 5 s"),
        (f"import subprocess, sys; subprocess.Popen({_CHILD}); sys.exit(3)", 300, "ended with exit code 3"),
    ],
)
def test_step_that_fails_leaves_no_children(tmp_path: Path, script: str, deadline_s: int, told: str) -> None:
    step = site.Step("a step", [sys.executable, "-c", script], tmp_path / "step.log", deadline_s)
    with pytest.raises(site.SiteError, match=told):
        step.finish()
    step.kill()
    left = [
        one
        for one in psutil.process_iter(["cmdline", "status"])
        if "time.sleep(601.25)" in " ".join(one.info["cmdline"] or [])
        # One that is dead but not yet reaped by whoever inherited it does no harm.
        and one.info["status"] != psutil.STATUS_ZOMBIE
    ]
    # Killed and gone are two things on a busy machine.
    assert psutil.wait_procs(left, timeout=120)[1] == []


def test_page_at_the_root_names_every_language() -> None:
    page = (Path(site.__file__).parents[1] / "conf" / "root.html").read_text("utf-8")
    for language in site.LANGUAGES:
        assert f'href="{language.folder}/index.html"' in page


# What waits in a build: the check of the data and the content that is made beside it, or for Sphinx, which writes, or for what
# is written beside that.
STAGES = {
    "made": "site_builder._check = site_content.make = wait",
    "written": """
import apidiff.sphinxext.build_cache, apidiff.writers.exports
nothing = lambda *_, **__: SimpleNamespace(entries={}, counterparts={}, documents=[])
site_builder._check = site_content.make = site_content.run_heads = nothing
apidiff.sphinxext.build_cache.BuildCache.publish = nothing
apidiff.writers.exports.publish = lambda output, *_: (output / "llms.txt").write_text("half")
site_builder.Step.finish = wait
""",
    "published": """
import apidiff.sphinxext.build_cache, apidiff.writers.exports
nothing = lambda *_, **__: SimpleNamespace(entries={}, counterparts={}, documents=[])
site_builder._check = site_content.make = site_content.run_heads = nothing
apidiff.sphinxext.build_cache.BuildCache.publish = nothing
def write_on(output, *_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as where it goes to the process of the command alone
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout.write("begun\\n")
    sys.stdout.flush()
    while True:
        output.mkdir(exist_ok=True)
        (output / "llms.txt").write_text("half")
apidiff.writers.exports.publish = write_on
""",
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("sent", "code", "there"),
    [
        (signal.SIGTERM, 143, []),
        (signal.SIGTERM, 143, ["out"]),
        (signal.SIGHUP, 129, []),
        (signal.SIGINT, 130, []),
    ],
)
def test_a_build_that_is_ended_says_nothing_and_leaves_nothing(
    sent: signal.Signals, code: int, there: list[str], stage: str, tmp_path: Path
) -> None:
    """The signal goes to all its processes, as that of a terminal does."""
    script = f"""
import signal, sys, time
from types import SimpleNamespace
from apidiff import site_builder
from apidiff.sphinxext import site_content
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where tests were started in the background
signal.signal(signal.SIGHUP, signal.SIG_DFL)
def wait(*_, **__):
    sys.stdout.write("begun\\n")  # at once, whole
    sys.stdout.flush()
    time.sleep(600)
site_builder.database.load = lambda **_: SimpleNamespace(unread=[], unchecked=[])
{STAGES[stage]}
sys.exit(site_builder.main())
"""
    for name in there:
        (tmp_path / name).mkdir()
    command = [sys.executable, "-c", script, "build", "--output", str(tmp_path / "out")]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    try:
        assert process.stdout
        waiting = 2 if stage == "made" else 1
        assert [process.stdout.readline() for _ in range(waiting)] == ["begun\n"] * waiting
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= waiting + 1  # Sphinx for each language, and what checks the data
        os.killpg(process.pid, sent)
        assert process.communicate(timeout=60) == ("", "")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert process.returncode == code
    assert psutil.wait_procs(children, timeout=30)[1] == []
    assert [path.name for path in tmp_path.rglob("*")] == there


@pytest.mark.parametrize("added", [[], ["CNAME"]])
def test_a_file_that_a_user_adds_meanwhile_stays_where_a_build_is_ended(added: list[str], tmp_path: Path) -> None:
    output, work = tmp_path / "out", tmp_path / ".out"
    output.mkdir()
    work.mkdir()

    def ended() -> None:
        for name in TOP - {API.partition("/")[0]}:
            (output / name).write_text("ours")
        (output / API).mkdir(parents=True)
        (output / f".{'0' * 16}.tmp").write_text("half")
        for name in added:
            (output / name).write_text("example.org")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), site._removing_what_is_new(output, work, [], []):
        ended()
    assert {path.name for path in output.iterdir()} == {*added, *([MARK] if added else [])}


# What is started in a build: what is done beside it, and Sphinx.
STARTED = {
    "beside": """
with site_builder._beside(lambda: time.sleep(600)):
    print("not reached")
""",
    "Sphinx": """
site_builder._sphinx = lambda *_: site_builder.Step("a step", ["sleep", "600"], folder / "log", 900)
with ExitStack() as ending:
    site_builder._start_languages(site_builder.LANGUAGES, folder, folder, "", folder, ending)
    print("not reached")
""",
}


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("started", STARTED)
def test_what_is_being_started_at_a_signal_ends_before_the_build(
    started: str, sent: signal.Signals, tmp_path: Path
) -> None:
    """What goes on would write into folders that are removed meanwhile."""
    script = f"""
import multiprocessing.process, os, signal, subprocess, sys, time
from contextlib import ExitStack
from pathlib import Path
import psutil
from apidiff import ending_signals, site_builder
folder = Path({str(tmp_path)!r})
def interrupting(start):
    def started(*arguments, **names):
        made = start(*arguments, **names)
        os.kill(os.getpid(), {int(sent)})
        return made
    return started
forking = multiprocessing.process.BaseProcess
forking.start = interrupting(forking.start)
site_builder.start = interrupting(site_builder.start)
signal.signal({int(sent)}, signal.SIG_DFL)  # also where tests were started in the background
ending_signals.end_in_order()
try:
{textwrap.indent(STARTED[started], "    ")}
except BaseException as error:
    print(type(error).__name__, psutil.Process().children())
    sys.stdout.flush()
    os.killpg(0, signal.SIGKILL)
"""
    process = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True, timeout=60
    )
    expected = "KeyboardInterrupt" if sent == signal.SIGINT else "SystemExit"
    assert process.stdout == f"{expected} []\n"


def test_a_step_that_fails_leaves_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is to be read, and what is kept of the other language the next build takes up."""

    def nothing(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(entries={}, counterparts={}, documents=[], unread=[], unchecked=[])

    def fail(language: site.SiteLanguage, output: Path, work: Path, *_: object) -> site.Step:
        return site.Step("sphinx", [sys.executable, "-c", "raise SystemExit(3)"], work / "logs" / "en.log", 60)

    for place, name in [
        ("apidiff.database", "load"),
        ("apidiff.site_builder", "_check"),
        ("apidiff.sphinxext.site_content", "make"),
        ("apidiff.sphinxext.site_content", "run_heads"),
        ("apidiff.sphinxext.build_cache.BuildCache", "publish"),
        ("apidiff.writers.exports", "publish"),
    ]:
        monkeypatch.setattr(f"{place}.{name}", nothing)
    monkeypatch.setattr(site, "_sphinx", fail)
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    log = tmp_path / ".out" / "logs" / "en.log"
    assert f"Read {log}, correct what it names" in capsys.readouterr().err
    assert log.is_file()


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set when a build is about to wait for another."""
    asked = Event()

    def flock(*given: int) -> None:
        asked.set()
        fcntl.flock(*given)

    monkeypatch.setattr(site, "fcntl", SimpleNamespace(flock=flock, LOCK_EX=fcntl.LOCK_EX))
    return asked


def broken(**_: Path) -> None:
    raise InvalidData([DataError("reduce.yaml", 3, "unknown key 'x'", "Remove it.")])


@contextlib.contextmanager
def another_build(work: Path) -> Iterator[None]:
    work.mkdir()
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def test_a_build_that_fails_leaves_the_site_of_the_one_it_waited_for(
    tmp_path: Path, waiting: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    output = tmp_path / "out"
    with ThreadPoolExecutor() as pool:
        with another_build(tmp_path / ".out"):
            failing = pool.submit(site.build_site, output)
            assert waiting.wait(60)
            output.mkdir()
            (output / "index.html").write_text("the other's")
            (tmp_path / ".out" / "kept").mkdir()
        assert isinstance(failing.exception(), InvalidData)
    assert (output / "index.html").read_text() == "the other's"
    assert (tmp_path / ".out" / "kept").is_dir()


def test_a_build_that_fails_leaves_a_site_below_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out"

    def fail(**_: Path) -> None:
        (output / "below").mkdir()
        mark(output / "below")
        raise InvalidData([DataError("reduce.yaml", 3, "unknown key 'x'", "Remove it.")])

    monkeypatch.setattr(site.database, "load", fail)
    assert site.main(["build", "--output", str(output)]) == 2
    assert (output / "below" / MARK).is_file()


def test_a_build_that_fails_takes_no_lock_away_that_another_holds(tmp_path: Path, waiting: Event) -> None:
    work = tmp_path / ".out"
    with ThreadPoolExecutor() as pool:
        with another_build(work):
            next_one = pool.submit(site._lock, work)
            assert waiting.wait(60)
            site._remove(work)
            assert not work.exists()
        with next_one.result() as lock:
            assert os.path.samestat((work / "lock").stat(), os.fstat(lock.fileno()))


@pytest.mark.timeout(60)
def test_a_build_that_fails_waits_for_no_pipe_where_it_removes(tmp_path: Path) -> None:
    work = tmp_path / ".out"
    (work / "derived").mkdir(parents=True)
    os.mkfifo(work / "pipe")
    (tmp_path / "mine").mkdir()
    (work / "link").symlink_to(tmp_path / "mine")
    site._remove(work)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_want_of_memory_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_given: object, **_more: object) -> None:
        raise MemoryError

    monkeypatch.setattr(site, "build_site", fail)
    assert site.main(["build", "--output", str(tmp_path / "site")]) == 2
    assert capsys.readouterr().err == f"{tmp_path / 'site'}: memory ran out. Free some; `ulimit -a` tells the limits.\n"
