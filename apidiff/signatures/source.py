"""Where a framework's source lies: the installed package, or a wheel that is unpacked for the time of reading."""

from __future__ import annotations

import importlib.metadata
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from apidiff.database.regular_files import BOUNDED_METHODS, BROKEN_ZIP
from apidiff.errors import ApidiffError, DataError
from apidiff.model.version import Version, VersionError
from apidiff.scratch_folder import scratch_folder

# torch's Python source is about 60 MB, MindSpore's about 40 MB; far more than that is no framework.
_MOST_BYTES = 1 << 30
_MOST_FILES = 20_000  # torch has some 3000 Python files, MindSpore as many
_MOST_FOLDERS = 5_000  # torch has 350
_MOST_LEVELS = 100  # of folders: torch and MindSpore have a tenth of that
_MOST_METADATA = 1 << 20  # bytes: those of torch and MindSpore have some 40 KB


@dataclass(frozen=True)
class Source:
    """A framework's source: ``root`` is the folder that holds the package's folder. ``installed``: it can be imported."""

    framework: str
    version: str
    root: Path
    installed: bool = False


def installed(framework: str) -> Source:
    """The source of the framework installed beside this program. Raises ApidiffError where it is not installed."""
    try:
        distribution = importlib.metadata.distribution(framework)
    except importlib.metadata.PackageNotFoundError as error:
        remedy = (
            f"Install it, or give a wheel with --wheel. The command was: signatures extract --framework {framework}"
        )
        raise ApidiffError(f"{framework} is not installed in this environment. {remedy}") from error
    root = Path(str(distribution.locate_file("")))
    if not (root / framework / "__init__.py").is_file():
        raise ApidiffError(
            f"{root / framework}: has no __init__.py, so it is not {framework}'s source. Reinstall {framework}."
        )
    return Source(framework, _release(distribution.version, root), root, installed=True)


@contextmanager
def unpacked(framework: str, wheel: Path) -> Iterator[Source]:
    """The source in ``wheel``, unpacked into a temporary folder that is removed afterwards.

    Only Python files and type stubs of the framework's own package are unpacked. Raises DataError for a file that is no
    wheel of the framework, or one with paths that lead out of the folder.
    """
    with scratch_folder("apidiff-wheel-") as root:
        try:
            if wheel.exists() and not wheel.is_file():  # a pipe would be waited for, a device read until memory ends
                raise DataError(wheel, None, "is no regular file", f"Give a wheel of {framework}.")
            with zipfile.ZipFile(wheel) as archive:
                _refuse_other_packing(archive, wheel)
                version = _version(archive, framework, wheel)
                _unpack(archive, framework, wheel, root)
        except OSError as error:
            raise DataError(
                wheel, None, f"cannot be unpacked ({error.strerror or error})", "Check file and disk."
            ) from error
        except BROKEN_ZIP as error:
            raise DataError(wheel, None, f"is not a wheel: {str(error)[:200]}", "Download it again.") from error
        yield Source(framework, version, root)


def _refuse_other_packing(archive: zipfile.ZipFile, wheel: Path) -> None:
    for member in archive.infolist():
        if member.compress_type not in BOUNDED_METHODS:
            raise DataError(wheel, None, f"packs {member.filename!r} otherwise than by deflate", "Don't use this file.")


def _version(archive: zipfile.ZipFile, framework: str, wheel: Path) -> str:
    for name in archive.namelist():
        path = PurePosixPath(name)
        if len(path.parts) == 2 and path.name == "METADATA" and path.parts[0].endswith(".dist-info"):
            with archive.open(name) as metadata:
                headers = HeaderParser().parsestr(metadata.read(_MOST_METADATA).decode("utf-8", "replace"))
            if headers["Name"] != framework:
                raise DataError(wheel, None, f"is a wheel of {headers['Name']!r}", f"Give a wheel of {framework}.")
            return _release(headers["Version"] or "", wheel)
    raise DataError(wheel, None, "is not a wheel: it has no METADATA", f"Give a wheel of {framework}.")


def _unpack(archive: zipfile.ZipFile, framework: str, wheel: Path, root: Path) -> None:
    members = [member for member in archive.infolist() if member.filename.endswith((".py", ".pyi"))]
    for member in members:
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename:
            raise DataError(wheel, None, f"holds the unsafe path {member.filename!r}", "Don't use this file.")
    wanted = [member for member in members if member.filename.startswith(f"{framework}/")]
    compiled = [name for name in archive.namelist() if _is_compiled(name, framework)]
    if (count := len(wanted) + len(compiled)) > _MOST_FILES:
        found = f"holds {count} Python files and compiled modules; at most {_MOST_FILES} are read"
        raise DataError(wheel, None, found, f"Give a wheel of {framework}.")
    levels = max((name.count("/") for name in [*(member.filename for member in wanted), *compiled]), default=0)
    if levels > _MOST_LEVELS:
        found = f"holds a file {levels} folders deep; at most {_MOST_LEVELS} are read"
        raise DataError(wheel, None, found, f"Give a wheel of {framework}.")
    folders = {
        str(above)
        for name in [*(member.filename for member in wanted), *compiled]
        for above in PurePosixPath(name).parents
    }
    if len(folders) > _MOST_FOLDERS:
        found = f"holds {len(folders)} folders; at most {_MOST_FOLDERS} are read"
        raise DataError(wheel, None, found, f"Give a wheel of {framework}.")
    if sum(member.file_size for member in wanted) > _MOST_BYTES:
        raise DataError(wheel, None, "holds more than 1 GiB of Python source", f"Give a wheel of {framework}.")
    if f"{framework}/__init__.py" not in {member.filename for member in wanted}:
        raise DataError(wheel, None, f"holds no {framework}/__init__.py", f"Give a wheel of {framework}.")
    for member in wanted:
        archive.extract(member, root)
    # Compiled modules are left behind empty: it is enough to know that a name is defined in one.
    for name in compiled:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def _is_compiled(name: str, framework: str) -> bool:
    """Whether a member of a wheel is a compiled module of the framework."""
    path = PurePosixPath(name)
    return path.parts[:1] == (framework,) and path.suffix in {".so", ".pyd"} and ".." not in path.parts


def _release(version: str, place: Path) -> str:
    """``version`` without a local part such as '+cpu', which says how it was built."""
    public = version.partition("+")[0]
    try:
        return str(Version(public))
    except VersionError as error:
        raise DataError(place, None, f"has the version {version!r}, which is no release", "Use a release.") from error
