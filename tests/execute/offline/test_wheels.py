"""Packages that are carried along: which wheel fits, what is said where none does, and that an interpreter can use them."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import packaging
import pytest
from deep_folders import deep
from packaging.requirements import Requirement
from packaging.tags import compatible_tags, cpython_tags

from apidiff.execute.offline import wheels
from apidiff.execute.offline.wheels import CHECKOUT, NEEDED, Missing, fits, requirements, supply

PLATFORMS = [
    *(f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)),
    "manylinux2014_x86_64",
    "manylinux1_x86_64",
]
TAGS = frozenset(
    [*cpython_tags((3, 11), platforms=PLATFORMS), *compatible_tags((3, 11), interpreter="cp311", platforms=PLATFORMS)]
)

# (file name, package, whether Python 3.11 on x86_64 with glibc 2.28 can load it)
FILES = [
    ("rich-15.0.0-py3-none-any.whl", "rich", True),
    ("markdown_it_py-4.3.0-py3-none-any.whl", "markdown-it-py", True),
    ("six-1.17.0-py2.py3-none-any.whl", "six", True),
    ("msgspec-0.22.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_28_x86_64.whl", "msgspec", True),
    ("msgspec-0.22.0-cp311-cp311-manylinux1_x86_64.whl", "msgspec", True),
    ("msgspec-0.22.0-cp311-cp311-manylinux_2_28_x86_64.whl", "msgspec", True),
    ("msgspec-0.22.0-cp311-cp311-manylinux_2_34_x86_64.whl", "msgspec", False),
    ("msgspec-0.22.0-cp311-cp311-musllinux_1_2_x86_64.whl", "msgspec", False),
    ("msgspec-0.22.0-cp311-cp311-manylinux2014_aarch64.whl", "msgspec", False),
    ("msgspec-0.22.0-cp312-cp312-manylinux2014_x86_64.whl", "msgspec", False),
    ("msgspec-0.22.0-cp311-cp311-win_amd64.whl", "msgspec", False),
    ("msgspec-0.22.0-cp311-cp311-manylinux2014_x86_64.whl", "numpy", False),
    ("msgspec-0.22.0.tar.gz", "msgspec", False),
    ("msgspec.whl", "msgspec", False),
]


@pytest.mark.parametrize(("name", "package", "fitting"), FILES)
def test_which_wheel_fits(monkeypatch: pytest.MonkeyPatch, name: str, package: str, fitting: bool) -> None:
    monkeypatch.setattr(wheels, "_supported", lambda: TAGS)
    assert fits(Path(name), package) is fitting


def test_what_is_needed_is_what_the_project_asks_for() -> None:
    """All that the project depends on, but what only a lookup takes, and what these packages take themselves."""
    declared = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert set(requirements()) - {"rapidfuzz"} <= set(NEEDED.values())
    assert requirements()["msgspec"] == Requirement(next(one for one in declared if one.startswith("msgspec")))


def wheel(folder: Path, package: str, module: str) -> None:
    with zipfile.ZipFile(folder / f"{package.replace('-', '_')}-99.0-py3-none-any.whl", "w") as archive:
        if module == "packaging":  # the real one, by which wheels are chosen
            real = Path(packaging.__file__).parent
            for path in real.rglob("*.py"):
                archive.write(path, f"packaging/{path.relative_to(real)}")
        else:
            archive.writestr(f"{module}/__init__.py", f"name = {package!r}\n")
        archive.writestr(
            f"{package}-99.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 99.0\n"
        )


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has nothing installed."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], timeout=500, check=True)
    return folder / "bin" / "python"


def supplied(bare: Path, carried: Path, into: Path, path: str = "") -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; from pathlib import Path; from apidiff.execute.offline.wheels import Missing, lacking, supply\n"
        "try: print(supply(Path(sys.argv[1]), Path(sys.argv[2])))\n"
        "except Missing as error:\n"
        "    print([name for name in (*sys.path, *sys.modules) if 'packaging' in name])\n"
        "    sys.exit(str(error))\n"
        "import os, subprocess, msgspec, yaml\n"
        "print(msgspec.name, yaml.name, lacking())\n"
        "subprocess.run([sys.executable, '-c', 'import rich; print(rich.name)'], timeout=60, check=True)\n"
    )
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(
        [str(bare), "-u", "-c", code, str(into), str(carried)],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env=environment,
        timeout=500,
        check=False,
    )


def test_wheels_are_unpacked_for_a_python_that_has_nothing(bare: Path, tmp_path: Path) -> None:
    for module, package in NEEDED.items():
        wheel(tmp_path, package, module)
    done = supplied(bare, tmp_path, tmp_path / "into")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert all(f"{package.replace('-', '_')}-99.0-py3-none-any.whl" in lines[0] for package in NEEDED.values())
    assert lines[1:] == ["msgspec pyyaml []", "rich"]


def test_folders_of_the_names_are_no_packages(bare: Path, tmp_path: Path) -> None:
    """Many a repository has a folder ``packaging``, which Python takes for a package without modules."""
    for module, package in NEEDED.items():
        wheel(tmp_path, package, module)
        (tmp_path / "repository" / module).mkdir(parents=True)
    done = supplied(bare, tmp_path, tmp_path / "into", str(tmp_path / "repository"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == ["msgspec pyyaml []", "rich"]


def test_a_wheel_that_is_not_there_is_named_with_the_remedy(bare: Path, tmp_path: Path) -> None:
    for module, package in NEEDED.items():
        if package not in {"msgspec", "numpy"}:
            wheel(tmp_path, package, module)
    done = supplied(bare, tmp_path, tmp_path / "into")
    assert done.returncode == 1
    assert f"has no msgspec, numpy, and {tmp_path} holds no wheel of it for Python 3." in done.stderr
    assert "Run 'make wheels' in a checkout on a machine with network" in done.stderr
    assert not (tmp_path / "into").exists()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def without_members(path: Path) -> None:
    zipfile.ZipFile(path, "w").close()


def without_modules(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("packaging/__init__.py", "")


def with_module(path: Path, name: str, code: str | None) -> None:
    """As it was, but for one module of ``packaging``; without it where there is no code."""
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.namelist() if member != f"packaging/{name}.py"}
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
        if code is not None:
            archive.writestr(f"packaging/{name}.py", code)


# (a module that others need, what it holds)
BROKEN = [
    ("markers", None),
    ("_tokenizer", None),
    ("specifiers", "class Specifier(\n"),
    ("specifiers", "\0"),
    ("utils", ""),
    ("_elffile", "1 / 0"),
    ("tags", "import sys\nsys.no_such"),
]


@pytest.mark.parametrize(("name", "code"), BROKEN)
def test_a_packaging_that_cannot_be_imported_is_refused(
    bare: Path, tmp_path: Path, name: str, code: str | None
) -> None:
    wheel(tmp_path, "packaging", "packaging")
    broken = tmp_path / "packaging-99.0-py3-none-any.whl"
    with_module(broken, name, code)
    done = supplied(bare, tmp_path, tmp_path / "into")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{broken} holds no packaging that can be imported ("), done.stderr
    assert done.stderr.endswith("). Copy it again.\n")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == "[]\n"


def written(path: Path, offsets: tuple[int, int], value: bytes) -> None:
    """``value`` at so many bytes behind the beginning of each member's two headers."""
    content = bytearray(path.read_bytes())
    for mark, offset in zip((b"PK\x03\x04", b"PK\x01\x02"), offsets, strict=True):
        place = -1
        while (place := content.find(mark, place + 1)) >= 0:
            content[place + offset : place + offset + len(value)] = value
    path.write_bytes(content)


def encrypted(path: Path) -> None:
    written(path, (6, 8), b"\x01\x00")


def in_another_way(path: Path) -> None:
    written(path, (8, 10), b"\x63\x00")


def not_deflated(path: Path) -> None:
    written(path, (8, 10), b"\x08\x00")


DAMAGES = [cut, empty, pipe, folder, encrypted, in_another_way, not_deflated]


@pytest.mark.parametrize(
    ("package", "damage"),
    [
        *((package, damage) for package in ("rich", "packaging") for damage in DAMAGES),
        *(("packaging", damage) for damage in (without_members, without_modules)),
    ],
)
def test_a_wheel_that_is_damaged_is_refused(
    bare: Path, tmp_path: Path, package: str, damage: Callable[[Path], None]
) -> None:
    for module, needed in NEEDED.items():
        wheel(tmp_path, needed, module)
    damaged = tmp_path / f"{package}-99.0-py3-none-any.whl"
    damage(damaged)
    done = supplied(bare, tmp_path, tmp_path / "into")
    assert done.returncode == 1
    assert done.stderr.startswith(str(damaged)), done.stderr
    assert "Copy it again" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [*(tmp_path / "into").glob("*")] == []


def test_a_file_where_wheels_are_unpacked_is_told(bare: Path, tmp_path: Path) -> None:
    for module, package in NEEDED.items():
        wheel(tmp_path, package, module)
    (tmp_path / "into").write_text("no folder")
    done = supplied(bare, tmp_path, tmp_path / "into")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert f"{tmp_path / 'into'} cannot be made a folder" in done.stderr


def link_to_files(path: Path) -> None:
    (path.parent / "mine").mkdir()
    (path.parent / "mine" / "a.txt").write_text("mine")
    path.symlink_to("mine")


def filled_meanwhile(path: Path) -> None:
    """As by another process between the removal and the rename: here what cannot be removed."""
    (path / "rich").mkdir(parents=True)


# (what stands where the wheels are unpacked, why they cannot be)
IN_THE_WAY: list[tuple[Callable[[Path], object], str]] = [
    (Path.touch, "Not a directory"),
    (os.mkfifo, "Not a directory"),
    (link_to_files, "Not a directory"),
    (lambda path: path.symlink_to("nowhere"), "Not a directory"),
    (filled_meanwhile, "Directory not empty"),
]


@pytest.mark.parametrize(("put_there", "said"), IN_THE_WAY)
def test_what_lies_in_the_place_of_what_is_unpacked_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put_there: Callable[[Path], object], said: str
) -> None:
    wheel(tmp_path, "rich", "rich")
    into = tmp_path / "into"
    place = wheels._unpacked([], into)
    place.rmdir()
    put_there(place)
    before = sorted(into.rglob("*"))
    if put_there is filled_meanwhile:
        real = wheels.remove_folder
        monkeypatch.setattr(wheels, "remove_folder", lambda path: None if path == str(place) else real(path))
    with pytest.raises(Missing, match=rf"^{re.escape(str(place))} cannot be made \({said}\)\. Remove what lies there"):
        wheels._unpacked(tmp_path.glob("*.whl"), into)
    assert sorted(into.rglob("*")) == before


def compiled(place: Path) -> None:
    (place / "rich" / "__pycache__").mkdir()
    (place / "rich" / "__pycache__" / "__init__.cpython-311.pyc").touch()


# (what became of the folder of a former measuring, whether it stays)
FORMER: list[tuple[Callable[[Path], object], bool]] = [
    (lambda _place: None, True),
    (compiled, True),
    (lambda place: (place / "rich" / "__init__.py").write_text("name = 'cihr'\n"), False),
    (lambda place: (place / "rich" / "__init__.py").unlink(), False),
    (lambda place: (place / "rich" / "more.py").touch(), False),
    (lambda place: os.mkfifo(place / "rich" / "more.py"), False),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("change", "stays"), FORMER)
def test_what_another_measuring_unpacked_and_may_be_using_stays(
    tmp_path: Path, change: Callable[[Path], object], stays: bool
) -> None:
    wheel(tmp_path, "rich", "rich")
    into = tmp_path / "into"
    place = wheels._unpacked(tmp_path.glob("*.whl"), into)
    change(place)
    before = place.stat().st_ino, (place / "rich").stat().st_ino
    assert wheels._unpacked(tmp_path.glob("*.whl"), into) == place
    assert ((place.stat().st_ino, (place / "rich").stat().st_ino) == before) is stays
    assert (place / "rich" / "__init__.py").read_text() == "name = 'rich'\n"
    assert list(into.iterdir()) == [place]


@pytest.mark.parametrize("call", ["mkdir", "rename"])
def test_a_folder_in_which_nothing_can_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Root may write into any folder, so this one is told that it may not."""
    into = tmp_path / "into"
    into.mkdir()
    real = getattr(Path, call)

    def refuse(self: Path, *words: object, **how: object) -> object:
        if self.parent == into:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))
        return real(self, *words, **how)

    monkeypatch.setattr(Path, call, refuse)
    with pytest.raises(Missing, match=rf"cannot be made \(Read-only file system\)\. .* see that {into} can be written"):
        wheels._unpacked([], into)
    assert list(into.iterdir()) == []


def test_without_a_temporary_folder_packaging_is_not_borrowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(tmp_path, "packaging", "packaging")
    monkeypatch.setattr(wheels, "_is_here", lambda _name: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(Missing, match=r"No temporary folder can be made \(No such file or directory\)\. .* TMPDIR"):
        supply(tmp_path / "into", tmp_path)


def test_a_wheel_of_deep_folders_leaves_no_temporary_file(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made one after the other, each as deep as Python can make at once below those that are there."""
    damaged = tmp_path / "packaging-99.0-py3-none-any.whl"
    with zipfile.ZipFile(damaged, "w") as archive:
        for levels in (500, 1000, 1500):
            archive.writestr("a/" * levels + "file", "")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    with deep(tmp_path / "temporary", 0) as temporary:
        done = supplied(bare, tmp_path, tmp_path / "into")
        assert re.fullmatch(rf"{re.escape(str(damaged))} .* Copy it again.*\n", done.stderr)
        assert list(Path(temporary).iterdir()) == []


@pytest.mark.parametrize(
    "text", ["<<<<<<< HEAD\n", "x = 1\n", "project = 3\n", '[project]\ndependencies = ["a b c"]\n', None]
)
def test_a_project_that_does_not_tell_what_it_needs_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    monkeypatch.setattr(wheels, "CHECKOUT", tmp_path)
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(
        Missing, match=r"does not tell what is needed \(.*\)\. Restore it from version control"
    ) as caught:
        supply(tmp_path / "into")
    assert str(caught.value).startswith(str(tmp_path / "pyproject.toml"))


def test_what_is_too_old_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wheels.lacking() == []
    older = {"rich": "10.2.0", "numpy": "1.21.0"}
    real = wheels.importlib.metadata.version
    monkeypatch.setattr(wheels.importlib.metadata, "version", lambda name: older.get(name) or real(name))
    assert wheels.lacking() == ["rich"], "numpy belongs to torch"
