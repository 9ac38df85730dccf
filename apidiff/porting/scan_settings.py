"""Reads the settings of a scan from ``pyproject.toml`` and baselines of findings that are known and left."""

from __future__ import annotations

import errno
import re
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from apidiff.atomic_write import write_file
from apidiff.database.regular_files import read_regular
from apidiff.database.toml import MAX_BYTES, parsed
from apidiff.errors import ApidiffError, decoding_fault, shortened, typed
from apidiff.messages.escape_invisible import file_name, unbroken
from apidiff.porting.scan_report import Finding
from apidiff.real_path import real_path

FILE = "pyproject.toml"
TABLE = "tool.apidiff.scan"
_VERSION = 1
_LARGEST = 64 * 2**20  # bytes of a baseline
# What `write_baseline` writes, also where it was cut or merged: how it begins, each line, and a part of a last one. A brace alone
# may be the beginning of anything.
_BEGINS = re.compile(rb'\s*\{\s*"version": \d+,\s*("findings": \[|"[a-z]*\Z|"findings".{0,2}\Z|<<<<<<<|\Z)')
_LINE = re.compile(rb'[]{}[,]*|"version": \d+,|"findings": \[\]?|"(file|source|id)": ".*",?|"count": \d+|[<|=>]{7}.*')
_LAST_LINE = re.compile(rb'"([a-z]*|findings"(: ?)?|(file|source|id)"(: ?(".*)?)?|count"(: ?)?)')


class ScanSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What ``[tool.apidiff.scan]`` may say; an option on the command line counts more. Paths are relative to the file."""

    mindspore: str | None = None
    device: Literal["ascend", "gpu", "cpu"] | None = None
    fail_on: Literal["silent", "error", "rewrite"] | None = None
    baseline: str | None = None
    exclude: list[str] = []
    edge: bool = False
    site: str | None = None


class _Known(msgspec.Struct, forbid_unknown_fields=True):
    file: str
    source: str
    id: str
    count: Annotated[int, msgspec.Meta(ge=0)]


class _Baseline(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    findings: list[_Known]


def read_settings(path: Path) -> tuple[ScanSettings, Path]:
    """Read the settings for what is scanned at ``path``: of the nearest ``pyproject.toml`` above that has the table.

    Returns them with the folder of that file, or those that nothing says with the current folder. Raises ApidiffError for a
    file that is broken.
    """
    folder = real_path(path)
    for parent in [folder, *folder.parents]:
        file = parent / FILE
        if not file.is_file():
            continue
        try:
            content = read_regular(file, MAX_BYTES + 1)
            if len(content) > MAX_BYTES:  # what is cut off might be what counts
                raise OSError(errno.EFBIG, f"it is larger than {MAX_BYTES // 2**20} MiB")
            table: object = parsed(content.decode("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise ApidiffError(
                f"{file}: cannot be read ({shortened(str(error))}). Mend it, or scan with --no-config."
            ) from error
        for name in TABLE.split("."):
            table = table.get(name) if isinstance(table, dict) else None
        if table is None:
            continue
        try:
            settings = msgspec.convert(table, ScanSettings)
            if "\0" in (settings.baseline or ""):
                raise ApidiffError(
                    f"{file}: [{TABLE}]: `baseline` holds a NUL, which no name of a file can. Name a file."
                )
            return settings, parent
        except msgspec.ValidationError as error:
            known = ", ".join(field.encode_name for field in msgspec.structs.fields(ScanSettings))
            found = shortened(unbroken(decoding_fault(error)))
            raise ApidiffError(f"{file}: [{TABLE}]: {found}. It may hold {known}.") from error
    return ScanSettings(), Path.cwd()


def read_baseline(path: Path, setting: Path | None = None) -> Counter[tuple[str, str, str]]:
    """Read the findings that are known. Raises ApidiffError for a file that is no baseline.

    ``setting``: the ``pyproject.toml`` that names it, which is what is to be changed where it names something else.
    """
    named = file_name(str(path))
    # A setting may be a stranger's, and say what it likes.
    place = f"{file_name(str(setting))}: [{TABLE}]: `baseline` names {typed(str(path))}" if setting else named
    anew = f"--write-baseline {shlex.quote(named)}"
    try:
        baseline = msgspec.json.decode(read_regular(path, _LARGEST), type=_Baseline)
    except FileNotFoundError as error:
        raise ApidiffError(f"{place}: {error.strerror}. Write a baseline with {anew}") from error
    except OSError as error:  # a folder, a device, a name that is too long: no baseline can be written there
        raise ApidiffError(f"{place}: {error.strerror}. Name another file.") from error
    except UnicodeEncodeError as error:
        lacks = f"the locale's encoding, {error.encoding}, lacks characters of this name"
        raise ApidiffError(f"{place}: {lacks}. Set LC_ALL=C.UTF-8.") from error
    except (ValueError, RecursionError) as error:
        found = shortened(decoding_fault(error))
        remedy = "Name another file" + ("." if setting else f", or delete this one and write it anew with {anew}")
        raise ApidiffError(f"{place}: is no baseline ({found}). {remedy}") from error
    if baseline.version != _VERSION:
        raise ApidiffError(f"{place}: is of version {baseline.version}, {_VERSION} is read. Write it anew: {anew}")
    return Counter({(known.file, known.source, known.id): known.count for known in baseline.findings})


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Write all ``findings`` as known; return how many. Lines are left out, so that an edit above one changes nothing.

    Raises ApidiffError where it cannot be written, and where something else than a baseline would be lost.
    """
    named = file_name(str(path))
    counts = Counter((finding.file, finding.source, finding.id) for finding in findings)
    known = [_Known(*key, count) for key, count in sorted(counts.items())]
    content = msgspec.json.format(msgspec.json.encode(_Baseline(_VERSION, known)), indent=1) + b"\n"
    try:
        if path.is_file() and not _is_baseline(read_regular(path, _LARGEST)):
            raise ApidiffError(f"{named}: is there already, and is no baseline. Name another file, or delete this one.")
        write_file(path, content)
    except OSError as error:
        raise ApidiffError(f"{named}: the baseline cannot be written ({error.strerror}). Name another file.") from error
    return sum(counts.values())


def _is_baseline(content: bytes) -> bool:
    """Whether a baseline may take the place of what is there: of nothing, or of one, also where it was cut or merged."""
    if not content.strip():
        return True
    try:
        msgspec.json.decode(content, type=_Baseline)
    except msgspec.ValidationError:  # of another shape
        return False
    except (ValueError, RecursionError):
        *lines, last = map(bytes.strip, content.split(b"\n"))
        whole = all(map(_LINE.fullmatch, lines)) and (_LINE.fullmatch(last) or _LAST_LINE.fullmatch(last))
        return bool(_BEGINS.match(content) and whole)
    return True
