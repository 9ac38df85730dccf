"""Packages for a machine without network: fetched elsewhere, carried along, put on the path without being installed.

``python3 -m apidiff.execute.offline.wheels`` fetches them into ``build/wheels`` for the Pythons and machines below. Only the
standard library is imported here, since the rest may be what is missing.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
WHEELS = CHECKOUT / "build" / "wheels"
PYTHONS = ("3.11", "3.12", "3.13")
_MACHINES = ("x86_64", "aarch64")
_FETCH_S = 600  # seconds for all of one Python and machine

# What verification imports, by module: the package that brings it. PyYAML is the one whose names differ; rich needs the last.
NEEDED = {
    "msgspec": "msgspec",
    "numpy": "numpy",
    "yaml": "pyyaml",
    "platformdirs": "platformdirs",
    "rich": "rich",
    "pygments": "pygments",
    "markdown_it": "markdown-it-py",
    "mdurl": "mdurl",
}
_OLD_GLIBC = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}


class Missing(Exception):
    """Packages that are neither installed nor among the wheels; the text says what to do."""


def requirements() -> dict[str, str]:
    """The range of versions of each package, as ``pyproject.toml`` has it: ``>=0.19,<1``."""
    plain = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = [re.match(r"[\w-]+", one) for one in plain["project"]["dependencies"]]
    return {part[0]: part.string[part.end() :] for part in parts if part}


def lacking() -> list[str]:
    """The modules that are not here, or older than ``pyproject.toml`` wants. NumPy is torch's: any is taken as it is."""
    ranges = requirements()
    return [module for module, package in NEEDED.items() if _is_lacking(module, package, ranges.get(package, ""))]


def _is_lacking(module: str, package: str, wanted: str) -> bool:
    if importlib.util.find_spec(module) is None:
        return True
    least = re.match(r">=([\d.]+)", wanted)
    if least is None or module == "numpy":
        return False
    try:
        return _numbers(importlib.metadata.version(package)) < _numbers(least[1])
    except importlib.metadata.PackageNotFoundError:
        return False  # it is there without saying its version


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def supply(into: Path, wheels: Path = WHEELS) -> list[str]:
    """Unpacks below ``into`` the wheels of what is lacking, and puts that folder on the path of this process and its children.

    Returns the names of the wheels. Raises Missing where one is not there for this Python and machine.
    """
    modules = lacking()
    if not modules:
        return []
    there = sorted(wheels.glob("*.whl"))
    chosen = {module: next((one for one in there if fits(one, NEEDED[module])), None) for module in modules}
    absent = [NEEDED[module] for module, wheel in chosen.items() if wheel is None]
    if absent:
        raise Missing(
            f"{sys.executable} has no {', '.join(absent)}, and {wheels} holds no wheel of it for Python "
            f"{platform.python_version()} on {platform.machine()}. Run 'make wheels' in a checkout on a machine with network "
            f"and copy its folder build/wheels to {wheels}; nothing is installed here."
        )
    found = [wheel for wheel in chosen.values() if wheel is not None]
    folder = _unpacked(found, into)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return [wheel.name for wheel in found]


def fits(wheel: Path, package: str) -> bool:
    """Whether a wheel is one of ``package`` that this Python can load on this machine."""
    parts = wheel.name.removesuffix(".whl").split("-")
    if len(parts) < 5 or parts[0].lower().replace("_", "-") != package:
        return False
    python, abi, platforms = parts[-3:]
    mine = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    if not {mine, "py3"} & set(python.split(".")) or not {mine, "none", "abi3"} & set(abi.split(".")):
        return False
    return any(one == "any" or _fits_machine(one) for one in platforms.split("."))


def _fits_machine(tag: str) -> bool:
    name, _, machine = tag.partition(f"_{platform.machine()}")
    if not tag.endswith(f"_{platform.machine()}") or machine:
        return False
    needed = _OLD_GLIBC.get(name)
    if needed is None and (newer := re.fullmatch(r"manylinux_(\d+)_(\d+)", name)):
        needed = int(newer[1]), int(newer[2])
    library, version = platform.libc_ver()
    return needed is not None and library == "glibc" and _numbers(version)[:2] >= needed


def _unpacked(wheels: Iterable[Path], into: Path) -> Path:
    """The folder that holds exactly these wheels; made anew under a temporary name, then put in its place."""
    into.mkdir(parents=True, exist_ok=True)
    folder = into / f"packages-cp{sys.version_info[0]}{sys.version_info[1]}-{platform.machine()}"
    fresh = Path(tempfile.mkdtemp(prefix=".packages-", dir=into))
    for wheel in wheels:
        try:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(fresh)
        except (OSError, zipfile.BadZipFile) as error:
            shutil.rmtree(fresh, ignore_errors=True)
            raise Missing(f"{wheel} cannot be unpacked ({error}). Copy it again, and free space.") from error
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return folder


def fetch(into: Path = WHEELS) -> int:
    """Downloads the wheels for every Python and machine. Returns the exit code: 2 where pip failed."""
    ranges = requirements()
    for python in PYTHONS:
        # NumPy 1 has no wheels for Python 3.13; what is verified is judged alike with either.
        numpy = ranges["numpy"] if python != "3.13" else ">=2.1,<3"
        named = [f"{package}{numpy if package == 'numpy' else ranges.get(package, '')}" for package in NEEDED.values()]
        for machine in _MACHINES:
            platforms = [f"--platform=manylinux{tag}_{machine}" for tag in ("_2_28", "_2_17", "2014")]
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}", *platforms]
            print(f"wheels: Python {python} on {machine}")  # noqa: T201
            try:
                subprocess.run([*command, f"--dest={into}", *named], timeout=_FETCH_S, check=True)
            except subprocess.SubprocessError as error:
                print(f"wheels: pip did not fetch all ({error}); its lines above say why.", file=sys.stderr)  # noqa: T201
                return 2
    size = sum(wheel.stat().st_size for wheel in into.glob("*.whl")) / 2**20
    print(f"wheels: {size:.0f} MiB in {into}. Copy this folder along with the checkout.")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(fetch())
