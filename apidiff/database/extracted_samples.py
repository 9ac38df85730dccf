"""Reads and writes extracted samples: ``samples/<api>.jsonl.gz``, a line about the whole, then a line for each sample."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from apidiff.atomic_write import write_file
from apidiff.database.regular_files import gunzip, read_regular
from apidiff.errors import Damage, DataError, decoding_fault
from apidiff.folder_walk import visible_files
from apidiff.model.extracted_samples import EXTRACTED_SCHEMA, MOST_EXTRACTED, ExtractedSamples
from apidiff.model.sample import Arguments, Sample
from apidiff.model.signature import ParameterKind, Signature

SUFFIX = ".jsonl.gz"
_BEGINS = b'{"schema":'  # all that was ever written, of whatever schema
_MAX_BYTES = 2**20  # the largest file has a twelfth of that; lists in lists take fifty times their room in memory
_MAX_TOGETHER = 32 * 2**20  # six times what all have
_REMEDY = "Restore the file from version control, or make it anew: apidiff samples extract {api}."


def extracted_path(folder: Path, api: str) -> Path:
    """The file of the samples of ``api``."""
    return folder / f"{api}{SUFFIX}"


def encode_extracted(extracted: ExtractedSamples) -> bytes:
    """The lines of a file, before they are compressed. What has its default is left out."""
    head = msgspec.to_builtins(msgspec.structs.replace(extracted, samples={}))
    lines = [head, *({"name": name, **msgspec.to_builtins(sample)} for name, sample in extracted.samples.items())]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def write_extracted(extracted: ExtractedSamples, folder: Path) -> Path:
    """Writes a file with its digest, the same bytes for the same samples. Returns its path."""
    whole = msgspec.structs.replace(extracted, digest=extracted.own_digest())
    path = extracted_path(folder, extracted.api)
    folder.mkdir(parents=True, exist_ok=True)
    write_file(path, gzip.compress(encode_extracted(whole), compresslevel=9, mtime=0))
    return path


def read_extracted(path: Path) -> ExtractedSamples:
    """Reads one file. Raises DataError where it cannot be read, has a changed byte or does not fit the model."""
    return _decoded(path, _unpacked(path))


def _unpacked(path: Path) -> bytes:
    remedy = _REMEDY.format(api=path.name.removesuffix(SUFFIX))
    try:
        content = gunzip(read_regular(path, _MAX_BYTES), _MAX_BYTES + 1)
    except (EOFError, zlib.error) as error:
        raise DataError(path, None, f"cannot be decompressed: {error}", remedy, Damage.UNREADABLE) from error
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", remedy, Damage.UNREADABLE) from error
    if len(content) > _MAX_BYTES:
        raise DataError(path, None, f"is larger than {_MAX_BYTES // 2**20} MiB", remedy, Damage.SIZE)
    return content


def _decoded(path: Path, content: bytes) -> ExtractedSamples:
    api = path.name.removesuffix(SUFFIX)
    remedy = _REMEDY.format(api=api)
    line = 1
    try:
        first, *rest = content.splitlines()
        head = msgspec.json.decode(first, type=ExtractedSamples)
        samples = {}
        if len(rest) > MOST_EXTRACTED:
            raise ValueError(f"has more than {MOST_EXTRACTED} of them")
        for text in rest:
            line += 1
            written = msgspec.json.decode(text, type=dict[str, object])
            name = str(written.pop("name"))
            samples[name] = msgspec.convert(written, Sample)
    except (ValueError, KeyError, AttributeError, RecursionError) as error:
        raise DataError(path, line, f"holds no sample: {decoding_fault(error)}", remedy, Damage.FORM) from error
    extracted = msgspec.structs.replace(head, samples=samples)
    if extracted.schema != EXTRACTED_SCHEMA:
        raise DataError(
            path, 1, f"is of schema {extracted.schema}, and {EXTRACTED_SCHEMA} is read", remedy, Damage.FORM
        )
    if extracted.api != api:
        raise DataError(
            path,
            1,
            f"holds the samples of {extracted.api}",
            "The name says which API it is of: rename it.",
            Damage.NAME,
        )
    if (digest := extracted.own_digest()) != extracted.digest:
        found = f"its samples have digest {digest}, it says {extracted.digest}: it was changed"
        raise DataError(path, 1, found, remedy, Damage.CHANGED)
    return extracted


def begins_as_samples(path: Path) -> bool:
    """Whether a file begins as those that are written here, though what follows may be cut, changed or of another schema.

    Raises OSError where it cannot be read or is no regular file.
    """
    try:
        return zlib.decompressobj(wbits=31).decompress(read_regular(path, _MAX_BYTES), len(_BEGINS)) == _BEGINS
    except zlib.error:
        return False


def load_extracted(folder: Path) -> tuple[dict[str, ExtractedSamples], list[DataError]]:
    """All files below ``folder`` by API, none where there is no such folder; and what is wrong with those passed over."""
    extracted: dict[str, ExtractedSamples] = {}
    damaged: list[DataError] = []
    together = 0
    for path in visible_files(folder, f"*{SUFFIX}", damaged):
        try:
            content = _unpacked(path)
            together += len(content)
            if together > _MAX_TOGETHER:
                found = f"makes more than {_MAX_TOGETHER // 2**20} MiB of samples with the files before it"
                raise DataError(path, None, found, "Take out those of APIs that have no record.", Damage.SIZE)
            extracted[path.name.removesuffix(SUFFIX)] = _decoded(path, content)
        except DataError as error:
            damaged.append(error)
    return extracted, damaged


def unnamed_parameters(extracted: ExtractedSamples, signature: Signature, path: Path) -> Iterator[DataError]:
    """An error for each sample that names a parameter which ``signature`` lacks.

    Parts of a ``*sizes`` have names of their own, numbered: ``sizes_0``; what goes to ``**kwargs`` has any name.
    """
    known = {parameter.name for parameter in signature.every_parameter}
    starred = {
        parameter.name
        for parameter in signature.every_parameter
        if parameter.kind in {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}
    }
    open_end = any(parameter.kind is ParameterKind.VARIADIC_KEYWORD for parameter in signature.every_parameter)
    for line, (name, sample) in enumerate(extracted.samples.items(), 2):
        given = sample.constructor or Arguments(args=sample.args or {}, kwargs=sample.kwargs or {})
        for parameter in (*given.args, *(() if open_end else given.kwargs)):
            if parameter not in known and parameter.rpartition("_")[0] not in starred:
                found = f"sample {name!r} names {parameter!r}, which is no parameter of {extracted.api}"
                yield DataError(path, line, found, _REMEDY.format(api=extracted.api))
