"""Environments of a matrix, made by the real venv and pip without a network; and the processes that make them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from apidiff.database import DataError
from apidiff.database.backends import load_backends
from apidiff.execute.matrix import environment as environments
from apidiff.execute.matrix.cells import Block, Cell, Deadlines
from apidiff.execute.matrix.environment import Environment, NoPython, NotMade, Overdue, run_logged
from apidiff.execute.matrix.run import run_cells

RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
# A project whose build needs nothing that is not in it.
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "apidiff"
version = "0"
dependencies = []
"""
BACKEND = """
import zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(f"{folder}/apidiff-0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("apidiff.pth", "")
        wheel.writestr("apidiff-0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: apidiff\\nVersion: 0\\n")
        wheel.writestr("apidiff-0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("apidiff-0.dist-info/RECORD", "")
    return "apidiff-0-py3-none-any.whl"
"""


def wheel(folder: Path, name: str, version: str) -> None:
    folder.mkdir(exist_ok=True)
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as made:
        made.writestr(f"{name}.py", f"__version__ = {version!r}\n")
        made.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        made.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{about}/RECORD", "")


def block(**changes: object) -> Block:
    plain: dict[str, object] = {
        "name": "torch",
        "versions": ["1.2.3"],
        "python": [RUNNING],
        "backends": ["gloo"],
        "world_sizes": [2],
        "deadlines": Deadlines(environment=1000, run=1000),
    }
    return Block(**(plain | changes))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (folder / "backend.py").write_text(BACKEND, encoding="utf-8")
    wheel(tmp_path / "wheels", "torch", "1.2.3")
    wheel(tmp_path / "wheels", "extra", "1.0")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return folder


def made_at(environment: Environment) -> float:
    return (environment.folder / "pyvenv.cfg").stat().st_mtime


@pytest.mark.turning(days=2, group="made")
def test_made_once_and_anew_where_something_else_is_wanted(project: Path, tmp_path: Path) -> None:
    told: list[str] = []
    environment = Environment(block(), "1.2.3", project, tmp_path / "work")
    environment.make(told.append)
    seen = subprocess.run(
        [str(environment.python), "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True
    )
    assert seen.stdout == "1.2.3\n", environment.log.read_text()
    assert told, "nothing was told while pip ran"
    first = made_at(environment)
    environment.make(told.append)
    assert made_at(environment) == first

    more = Environment(block(requires=["extra"]), "1.2.3", project, tmp_path / "work")
    more.make(told.append)
    assert made_at(more) > first
    assert (more.folder / "lib" / f"python{RUNNING}" / "site-packages" / "extra.py").is_file()


# (version, what the block says, error, what is said)
FAILS: list[tuple[str, dict[str, object], type[Exception], str]] = [
    ("9.9.9", {}, NotMade, r"ended with 1: ERROR: No matching distribution found for torch==9\.9\.9"),
    ("1.2.3", {"python": ["3.3"]}, NoPython, rf"looked for python3\.3 on PATH; found: Python {RUNNING} only"),
    ("1.2.3", {"deadlines": Deadlines(environment=0.2, run=1000)}, Overdue, r"not done in 0\.2 s"),
]


@pytest.mark.turning(days=2, group="made")
@pytest.mark.parametrize(("version", "changes", "error", "said"), FAILS, ids=[said for *_, said in FAILS])
def test_what_cannot_be_made_says_why_and_is_tried_again(
    project: Path, tmp_path: Path, version: str, changes: dict[str, object], error: type[Exception], said: str
) -> None:
    environment = Environment(block(**changes), version, project, tmp_path / "work")
    with pytest.raises(error, match=said):
        environment.make(lambda _line: None)
    assert not (environment.folder / "apidiff-stamp.json").exists()


BROKEN: list[tuple[str, str]] = [
    (PYPROJECT + "<<<<<<< HEAD\n", "broken TOML: "),
    ("x = 1\n", "missing required field `project`"),
    ("project = 3\n", "Expected `object`, got `int`"),
    ('[project]\ndependencies = ["a", 1]\n', "Expected `str`, got `int`"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN, ids=[said for _, said in BROKEN])
def test_a_project_that_does_not_tell_what_it_needs_is_named(
    project: Path, tmp_path: Path, text: str, said: str
) -> None:
    (project / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(said)) as caught:
        Environment(block(), "1.2.3", project, tmp_path / "work").make(lambda _line: None)
    assert caught.value.path == project / "pyproject.toml"


def test_a_stub_that_cannot_run_is_no_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    stub = tmp_path / "python3.3"
    stub.write_text("#!/bin/sh\necho 'not installed' >&2\nexit 127\n", encoding="utf-8")
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    environment = Environment(block(python=["3.3"]), "1.2.3", project, tmp_path / "work")
    with pytest.raises(NoPython):
        environment.make(lambda _line: None)


FAMILY = """
import subprocess, sys, time
one = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("working", one.pid, flush=True)
time.sleep(600)
"""


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_pipes_are_not_waited_for(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = Environment(block(), "1.2.3", project, tmp_path / "work")
    monkeypatch.setattr(environments, "run_logged", lambda *_: 0)
    environment.folder.mkdir(parents=True)
    (environment.folder / "pyvenv.cfg").touch()
    os.mkfifo(environment.folder / "apidiff-stamp.json")
    environment.make(lambda _line: None)
    assert (environment.folder / "apidiff-stamp.json").is_file()
    monkeypatch.undo()

    os.mkfifo(tmp_path / "it.log")
    with pytest.raises(DataError, match=r"it\.log: the log cannot be written \(it is no regular file\)"):
        run_logged([sys.executable, "-c", ""], tmp_path / "it.log", 10, tmp_path, lambda _line: None)


def files(path: Path) -> None:
    (path / "sub").mkdir(parents=True)
    (path / "a.txt").write_text("mine", encoding="utf-8")


def link(path: Path) -> None:
    files(path.parent.parent / "mine")
    path.symlink_to(path.parent.parent / "mine")


def link_to_an_environment(path: Path) -> None:
    link(path)
    (path / "pyvenv.cfg").touch()


def link_that_leads_nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


def files_and_a_folder_of_that_name(path: Path) -> None:
    files(path)
    (path / "pyvenv.cfg").mkdir()


def files_and_a_link_of_that_name(path: Path) -> None:
    files(path)
    (path / "pyvenv.cfg").symlink_to("a.txt")


# (what stands where the environment of version 1.2.3 lies; what is said)
IN_THE_WAY: list[tuple[Callable[[Path], None], str]] = [
    (Path.touch, "is no folder"),
    (os.mkfifo, "is no folder"),
    (link, "is a link"),
    (link_to_an_environment, "is a link"),
    (link_that_leads_nowhere, "is a link"),
    (files, "holds files and is no environment of Python"),
    (files_and_a_folder_of_that_name, "holds files and is no environment of Python"),
    (files_and_a_link_of_that_name, "holds files and is no environment of Python"),
]


@pytest.mark.parametrize(("put_there", "said"), IN_THE_WAY)
def test_what_is_not_ours_is_named_and_left(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, put_there: Callable[[Path], None], said: str
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(environments, "run_logged", lambda command, *_: asked.append(command) or 0)
    work = tmp_path / "work"
    work.mkdir()
    put_there(work / "torch-1.2.3")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(NotMade, match=rf"^{work}/torch-1\.2\.3 {said}\. Move it away"):
        Environment(block(), "1.2.3", project, work).make(lambda _line: None)
    assert (asked, sorted(tmp_path.rglob("*"))) == ([], before)


def test_what_is_cleared_in_part_is_not_up_to_date(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Environment(block(), "1.2.3", project, tmp_path / "work")
    files(environment.folder)
    (environment.folder / "pyvenv.cfg").touch()
    stamp = environment.folder / "apidiff-stamp.json"
    stamp.touch()
    left: list[bool] = []
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter(sorted(Path(one.path) for one in os.scandir(folder))))

    def fail(_folder: str) -> None:
        left.append(stamp.exists())
        raise Overdue("not done")

    monkeypatch.setattr(environments, "remove_folder", fail)
    (environment.folder / "a-folder").mkdir()
    with pytest.raises(Overdue):
        environment.make(lambda _line: None)
    assert left == [False]


def test_what_is_cleared_stays_an_environment_and_no_link_in_it_is_followed(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends the command half-way leaves what the next one clears."""
    left: list[list[str]] = []
    environment = Environment(block(), "1.2.3", project, tmp_path / "work")

    def fail(*_: object) -> int:
        left.append(sorted(path.name for path in environment.folder.iterdir()))
        raise Overdue("not done")

    monkeypatch.setattr(environments, "run_logged", fail)
    files(tmp_path / "mine")
    for _ in range(2):
        with pytest.raises(Overdue):
            environment.make(lambda _line: None)
        files(environment.folder / "lib")
        (environment.folder / "apidiff-stamp.json").touch()
        (environment.folder / "lib64").symlink_to(tmp_path / "mine")
    assert left == [["pyvenv.cfg"]] * 2
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["a.txt", "sub"]


def test_what_cannot_be_cleared_is_named(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = Environment(block(), "1.2.3", project, tmp_path / "work")
    files(environment.folder)
    (environment.folder / "pyvenv.cfg").touch()
    monkeypatch.setattr(environments, "remove_folder", lambda _folder: None)
    with pytest.raises(NotMade, match=r"/torch-1\.2\.3/sub cannot be deleted\. Delete .*/work/torch-1\.2\.3, and see"):
        environment.make(lambda _line: None)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, project: Path) -> None:
    (tmp_path / "work").touch()
    with pytest.raises(NotMade, match=r"torch-1\.2\.3: Not a directory\. Delete .*/work/torch-1\.2\.3"):
        Environment(block(), "1.2.3", project, tmp_path / "work").make(lambda _line: None)


@pytest.mark.parametrize("is_cleared", [True, False])
def test_a_log_that_somebody_cleared_is_no_fault(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, is_cleared: bool
) -> None:
    def fail(_command: object, log: Path, *_: object) -> int:
        if not is_cleared:
            log.parent.mkdir(parents=True)
            log.write_text("ERROR: no room\n", encoding="utf-8")
        return 1

    monkeypatch.setattr(environments, "run_logged", fail)
    with pytest.raises(NotMade, match=r"printed nothing\." if is_cleared else r"no room\."):
        Environment(block(), "1.2.3", project, tmp_path / "work").make(lambda _line: None)


# (where the interpreter leads, whether the environment is kept)
INTERPRETERS = [(sys.executable, True), ("/nowhere/python", False), ("/bin/true", False)]


@pytest.mark.parametrize(("leads_to", "is_kept"), INTERPRETERS)
def test_an_environment_is_kept_while_its_interpreter_is_there(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, leads_to: str, is_kept: bool
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(environments, "run_logged", lambda command, *_: asked.append(command) or 0)
    environment = Environment(block(), "1.2.3", project, tmp_path / "work")
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(leads_to)
    (environment.folder / "pyvenv.cfg").touch()
    (environment.folder / "apidiff-stamp.json").write_bytes(environment.stamp(RUNNING))
    environment.make(lambda _line: None)
    assert (asked == []) is is_kept


# (what is in the place of the interpreter; how the cell ends, and why)
LOOKED_FOR = [
    ("echo absent 0 gloo: looked for a device", "not here", "gloo: looked for a device"),
    ("echo broken >&2; exit 3", "failed", "ended with 3: broken Read "),
    ("exit 0", "failed", "ended with 0: nothing printed yet Read "),
]


@pytest.mark.parametrize(("script", "state", "why"), LOOKED_FOR)
def test_only_an_answer_says_that_there_is_no_device(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, script: str, state: str, why: str
) -> None:
    monkeypatch.setattr(Environment, "make", lambda *_: None)
    environment = Environment(block(), "1.2.3", project, tmp_path / "work")
    environment.python.parent.mkdir(parents=True)
    environment.python.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    environment.python.chmod(0o755)
    [gloo] = [one for one in load_backends() if (one.full_name, one.framework) == ("gloo-cpu", "torch")]
    cells = [Cell(block(), "1.2.3", gloo, size) for size in (2, 3)]
    found = list(run_cells(environment, cells, None, lambda _cell: None, lambda *_: None))
    assert [one.state for one in found] == [state] * 2
    assert all(why in one.text for one in found)


def test_at_the_deadline_the_whole_group_ends(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "it.log"
    with pytest.raises(Overdue, match=r"not done in 10 s; it was at: working \d+"):
        run_logged([sys.executable, "-c", FAMILY], log, 10, tmp_path, lambda _line: None)
    grandchild = int(log.read_text().split()[1])
    until = time.monotonic() + 120
    while runs(grandchild):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_at_the_deadline_no_temporary_file_is_left(tmp_path: Path) -> None:
    code = "import tempfile, time; print(tempfile.mkdtemp(), flush=True); time.sleep(600)"
    with pytest.raises(Overdue):
        run_logged([sys.executable, "-c", code], tmp_path / "log", 10, tmp_path, lambda _line: None)
    made = Path((tmp_path / "log").read_text().strip())
    assert made.parent.name.startswith("apidiff-matrix-")
    assert not made.parent.exists()


# (what is run, the exit code)
CODES = [
    ("import sys; sys.exit(3)", 3),
    ("import os; os.kill(os.getpid(), 9)", 128 + signal.SIGKILL),
    ("print('ok')", 0),
]


@pytest.mark.parametrize(("code", "expected"), CODES)
def test_the_exit_code_comes_back(tmp_path: Path, code: str, expected: int) -> None:
    assert run_logged([sys.executable, "-c", code], tmp_path / "log", 300, tmp_path, lambda _line: None) == expected


def test_packages_of_another_python_do_not_leak_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    log = tmp_path / "log"
    code = "import os; print(sorted({'PYTHONPATH', 'PYTHONHOME', 'VIRTUAL_ENV'} & set(os.environ)))"
    run_logged([sys.executable, "-c", code], log, 300, tmp_path, lambda _line: None)
    assert log.read_text() == "[]\n"


STARTER = """
import pathlib, sys
from apidiff.execute.matrix.environment import run_logged
here = pathlib.Path(sys.argv[1])
run_logged([sys.executable, "-c", sys.argv[2]], here / "log", 600, here, print)
"""


def test_killed_it_takes_its_command_along(tmp_path: Path) -> None:
    """And its temporary files."""
    root, temporary = str(Path(__file__).resolve().parents[3]), tmp_path / "temporary"
    temporary.mkdir()
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path), FAMILY],
        env=os.environ | {"PYTHONPATH": root, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 300
        while not ((tmp_path / "log").exists() and (tmp_path / "log").read_text()):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert list(temporary.iterdir())
        family = psutil.Process(starter.pid).children(recursive=True)
    finally:
        starter.kill()
        starter.wait()
    assert len(family) == 3  # what ties the command, the command, and what that started
    _, alive = psutil.wait_procs(family, timeout=120)
    assert not alive
    assert not list(temporary.iterdir())
