"""Whose signatures of run records are known: the keys in ``conf/signers.toml``."""

from __future__ import annotations

import base64
import binascii
import re
import tomllib
from pathlib import Path

import msgspec

from apidiff.database.paths import conf_file
from apidiff.errors import DataError
from apidiff.model.base import NonEmpty, Record

_HEAD = re.compile(r"^[ \t]*\[\[[ \t]*signer[ \t]*\]\]", re.MULTILINE)
_KEY_BYTES = 42  # of a public key: its algorithm, its ID, the key
_EXAMPLE = "Write one table [[signer]] a signer, with name, key and about; the head of the file has an example."


class Signer(Record, frozen=True, kw_only=True):
    """A key of which it is known whose it is. ``key``: as minisign writes it. ``about``: who that is, in free text."""

    name: NonEmpty
    key: str
    about: str = ""


class _File(Record, frozen=True, kw_only=True):
    signer: list[Signer] = []


def load_signers(path: Path | None = None) -> dict[str, Signer]:
    """The signers in ``path`` (default: those of this project) by the ID of their key.

    Raises DataError where the file is broken, a key is none, or two signers share a name or a key.
    """
    path = path or conf_file("signers.toml")
    try:
        text = path.read_text(encoding="utf-8")
        signers = msgspec.convert(tomllib.loads(text), _File).signer
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", "Restore it from version control.") from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise DataError(path, line, "is not UTF-8 text", "Save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        raise DataError(path, int(at[1]) if at else None, f"broken TOML: {error}", "Mend the syntax.") from error
    except msgspec.ValidationError as error:
        table = re.search(r"signer\[(\d+)\]", str(error))
        raise DataError(path, _line(text, int(table[1]) if table else 0), str(error), _EXAMPLE) from error
    found: dict[str, Signer] = {}
    for number, one in enumerate(signers):
        key_id = id_of(one.key, _KEY_BYTES)
        if key_id is None:
            remedy = "Copy the last line of the signer's file minisign.pub: 56 characters that begin with RW."
            raise DataError(path, _line(text, number), f"the key of {one.name!r} is no public key of minisign", remedy)
        if key_id in found or one.name in {other.name for other in found.values()}:
            remedy = "Keep one of the two, or give each a name of its own."
            raise DataError(path, _line(text, number), f"the name or the key of {one.name!r} is there twice", remedy)
        found[key_id] = one
    return found


def _line(text: str, number: int) -> int | None:
    """The line at which the table of the signer begins."""
    heads = [text.count("\n", 0, match.start()) + 1 for match in _HEAD.finditer(text)]
    return heads[number] if number < len(heads) else None


def id_of(encoded: str, size: int) -> str | None:
    """The ID of the key in a public key or a signature of minisign, as minisign prints it; None where it is neither.

    ``size``: how many bytes it has. After two that name the algorithm, Ed (in signatures also ED), eight are the ID.
    """
    try:
        found = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(found) != size or found[:2] not in {b"Ed", b"ED"}:
        return None
    return found[2:10][::-1].hex().upper()
