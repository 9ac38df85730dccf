"""Supplies packages to a machine without network: fetched elsewhere, carried along, put on the path without being installed.

``python3 -m apidiff.execute.offline.wheels`` fetches them into ``build/wheels`` for the Pythons and machines below. Only the
standard library is imported at first, since the rest may be what is missing; ``packaging`` may come from its own wheel.
"""

from __future__ import annotations

import filecmp
import functools
import importlib.metadata
import importlib.util
import os
import platform
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from apidiff.folder_walk import walk_folders
from apidiff.process_group import remove_folder, run_beside
from apidiff.scratch_folder import scratch_folder

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.tags import Tag

CHECKOUT = Path(__file__).resolve().parents[3]
WHEELS = CHECKOUT / "build" / "wheels"
PYTHONS = ("3.11", "3.12", "3.13")
_MACHINES = ("x86_64", "aarch64")
_FETCH_S = 600  # seconds for all of one Python and machine

# What verification imports, by module: the package that brings it. PyYAML is the one whose names differ; rich needs the last.
NEEDED = {
    "msgspec": "msgspec",
    "numpy": "numpy",
    "packaging": "packaging",
    "yaml": "pyyaml",
    "platformdirs": "platformdirs",
    "rich": "rich",
    "pygments": "pygments",
    "markdown_it": "markdown-it-py",
    "mdurl": "mdurl",
}


class Missing(Exception):
    """Packages that are neither installed nor among the wheels; the text says what to do."""


def requirements() -> dict[str, Requirement]:
    """What ``pyproject.toml`` asks for, by the name of the package. Raises Missing where that file does not tell."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        asked = [Requirement(text) for text in _dependencies()]
    except InvalidRequirement as error:
        raise _untold(error) from error
    return {requirement.name: requirement for requirement in asked}


def _dependencies() -> list[str]:
    try:
        plain = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
        return [str(text) for text in plain["project"]["dependencies"]]
    except (OSError, ValueError, RecursionError, LookupError, TypeError) as error:
        raise _untold(error) from error


def _untold(error: Exception) -> Missing:
    return Missing(
        f"{CHECKOUT / 'pyproject.toml'} does not tell what is needed ({(str(error) or type(error).__name__).splitlines()[0]}). "
        "Restore it from version control."
    )


def lacking() -> list[str]:
    """The modules that are not here, or older than ``pyproject.toml`` wants. NumPy is torch's: any is taken as it is."""
    asked = requirements()
    return [module for module, package in NEEDED.items() if _is_lacking(module, package, asked.get(package))]


def _is_lacking(module: str, package: str, wanted: Requirement | None) -> bool:
    from packaging.version import Version

    if not _is_here(module):
        return True
    if wanted is None or module == "numpy":
        return False
    try:
        installed = Version(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return False  # it is there without saying its version
    return any(installed < Version(bound.version) for bound in wanted.specifier if bound.operator == ">=")


def _is_here(module: str) -> bool:
    """Whether a module is installed; ``packaging`` that was borrowed from its wheel is not, nor any folder of the name."""
    spec = PathFinder.find_spec(module)  # not importlib.util.find_spec, which answers for what is imported already
    return spec is not None and spec.origin is not None and ".whl" not in spec.origin


def _borrow_packaging(wheels: Path) -> None:
    """Makes ``packaging`` importable here where it is not installed: Python imports from a wheel as from any zip."""
    if not _is_here("packaging"):
        there = sorted(wheels.glob("packaging-*-py3-none-any.whl"))
        if not there:
            raise _missing(["packaging"], wheels)
        try:
            with scratch_folder("apidiff-wheel-") as folder:
                _unpack(there[-1], folder)  # what cannot be unpacked cannot be imported from
        except OSError as error:
            raise Missing(
                f"No temporary folder can be made ({error.strerror}). Free space, or set TMPDIR to a folder that can be written."
            ) from error
        sys.path.append(str(there[-1]))
        importlib.invalidate_caches()
        try:
            _import_packaging()
        except Exception as error:  # a module that is damaged may raise anything
            sys.path.remove(str(there[-1]))
            for name in [name for name in sys.modules if name.partition(".")[0] == "packaging"]:
                del sys.modules[name]
            found = (str(error) or type(error).__name__).splitlines()[0]
            raise Missing(f"{there[-1]} holds no packaging that can be imported ({found}). Copy it again.") from error


def _import_packaging() -> None:
    """Imports what this module takes from ``packaging``, and with it all of its modules that these need."""
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: F401
    from packaging.tags import sys_tags  # noqa: F401
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename  # noqa: F401
    from packaging.version import Version  # noqa: F401


def supply(into: Path, wheels: Path = WHEELS) -> list[str]:
    """Unpacks below ``into`` the wheels of what is lacking, and puts that folder on the path of this process and its children.

    Returns the names of the wheels. Raises Missing where one is not there for this Python and machine.
    """
    _borrow_packaging(wheels)
    modules = lacking()
    if not modules:
        return []
    there = sorted(wheels.glob("*.whl"))
    chosen = {module: next((one for one in there if fits(one, NEEDED[module])), None) for module in modules}
    absent = [NEEDED[module] for module, wheel in chosen.items() if wheel is None]
    if absent:
        raise _missing(absent, wheels)
    taken = [wheel for wheel in chosen.values() if wheel is not None]
    folder = _unpacked(taken, into)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return [wheel.name for wheel in taken]


def _missing(packages: Iterable[str], wheels: Path) -> Missing:
    return Missing(
        f"{sys.executable} has no {', '.join(packages)}, and {wheels} holds no wheel of it for Python "
        f"{platform.python_version()} on {platform.machine()}. Run 'make wheels' in a checkout on a machine with network "
        f"and copy its folder build/wheels to {wheels}; nothing is installed here."
    )


def fits(wheel: Path, package: str) -> bool:
    """Whether a wheel is one of ``package`` that this Python can load on this machine."""
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        name, _, _, tags = parse_wheel_filename(wheel.name)
    except InvalidWheelFilename:
        return False
    return name == package and not tags.isdisjoint(_supported())


@functools.cache
def _supported() -> frozenset[Tag]:
    from packaging.tags import sys_tags

    return frozenset(sys_tags())


def _unpacked(wheels: Iterable[Path], into: Path) -> Path:
    """The folder that holds exactly these wheels; made anew under a temporary name, then put in its place.

    One that holds them already stays: another measuring, maybe on another machine with the same files, may be using it.
    """
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Missing(f"{into} cannot be made a folder ({error.strerror}). Remove what lies there.") from error
    folder = into / f"packages-cp{sys.version_info[0]}{sys.version_info[1]}-{platform.machine()}"
    fresh = into / f".packages-{os.urandom(8).hex()}"
    try:
        fresh.mkdir(mode=0o700)
        for wheel in wheels:
            _unpack(wheel, fresh)
        if folder.is_dir() and _holds_the_same(folder, fresh):
            remove_folder(str(fresh))
            return folder
        if folder.is_dir():  # a pipe would be waited for
            remove_folder(str(folder))
        fresh.rename(folder)
    except OSError as error:
        remove_folder(str(fresh))
        raise Missing(
            f"{folder} cannot be made ({error.strerror}). Remove what lies there, and see that {into} can be written and that "
            "no other measuring runs here."
        ) from error
    except BaseException:
        remove_folder(str(fresh))
        raise
    return folder


def _holds_the_same(folder: Path, fresh: Path) -> bool:
    """Whether both hold the same files, but for what Python compiled of them."""
    names = _files(fresh)
    return _files(folder) == names and len(filecmp.cmpfiles(folder, fresh, names, shallow=False)[0]) == len(names)


def _files(folder: Path) -> set[str]:
    return {
        os.path.relpath(file, folder)
        for path, _, names in walk_folders(folder)
        for file in (os.path.join(path, name) for name in names)  # noqa: PTH118 - of thousands
        if not file.endswith(".pyc")
    }


def _unpack(wheel: Path, folder: Path) -> None:
    """Raises Missing for a file that is no wheel, or a damaged one."""
    try:
        if not wheel.is_file():  # a pipe would be waited for
            raise OSError("it is no regular file")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    except Exception as error:  # of what is damaged `zipfile` raises whatever its parts make of it
        raise Missing(f"{wheel} cannot be unpacked ({error}). Copy it again, and free space.") from error


def fetch(into: Path = WHEELS) -> int:
    """Downloads the wheels for every Python and machine. Returns the exit code: 2 where pip failed. Raises Missing."""
    if not _is_here("packaging"):
        if not _download(into, [next((text for text in _dependencies() if text.startswith("packaging")), "packaging")]):
            return 2
        _borrow_packaging(into)
    asked = requirements()
    for python in PYTHONS:
        # NumPy 1 has no wheels for Python 3.13; what is verified is judged alike with either.
        newer = {"numpy": "numpy>=2.1,<3"} if python == "3.13" else {}
        named = [newer.get(package, str(asked.get(package, package))) for package in NEEDED.values()]
        for machine in _MACHINES:
            platforms = [f"--platform=manylinux{tag}_{machine}" for tag in ("_2_28", "_2_17", "2014")]
            print(f"wheels: Python {python} on {machine}")  # noqa: T201
            if not _download(into, ["--implementation=cp", f"--python-version={python}", *platforms, *named]):
                return 2
    size = sum(wheel.stat().st_size for wheel in into.glob("*.whl")) / 2**20
    print(f"wheels: {size:.0f} MiB in {into}. Copy this folder along with the checkout.")  # noqa: T201
    return 0


def _download(into: Path, arguments: list[str]) -> bool:
    """Whether pip fetched wheels into ``into``; where it did not, a line says so after pip's own."""
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", f"--dest={into}", *arguments]
    try:
        code = run_beside(command, _FETCH_S)
    except subprocess.TimeoutExpired:
        print(f"wheels: pip was ended after {_FETCH_S} s. Run this again, with a quicker connection.", file=sys.stderr)  # noqa: T201
        return False
    if code:
        print(f"wheels: pip did not fetch all (it ended with {code}); its lines above say why.", file=sys.stderr)  # noqa: T201
    return not code


if __name__ == "__main__":
    try:
        sys.exit(fetch())
    except Missing as missing:
        sys.exit(f"wheels: {missing}")
