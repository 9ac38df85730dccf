"""The one zip that people send: rows of (what is in it, what is read, what is said or refused)."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database import DataError
from apidiff.execute.submissions import sent_files as module
from apidiff.execute.submissions.sent_files import read_sent

ONE, OTHER = "gloo-cpu-2-0a1b2c3d4e5f.json", "gloo-cpu-3-0a1b2c3d4e5f.json"


def packed(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


# (what is in the zip, (name, bytes, signature) of what is read, what is said)
READ = [
    (packed((ONE, b"1")), [(ONE, b"1", None)], []),
    (
        packed((ONE, b"1"), (f"{ONE}.minisig", b"s"), (OTHER, b"2"), ("report.txt", b"text")),
        [(ONE, b"1", b"s"), (OTHER, b"2", None)],
        ["passed over: 'report.txt'"],
    ),
    (packed((f"{OTHER}.minisig", b"s"), (ONE, b"1")), [(ONE, b"1", None)], [f"passed over: '{OTHER}.minisig'"]),
    (
        packed((f"runs/{ONE}", b"1"), (f"../{ONE}", b"2"), (f"..\\{ONE}", b"3"), (f"/{ONE}", b"4"), (OTHER, b"5")),
        [(OTHER, b"5", None)],
        [f"passed over: 'runs/{ONE}', '../{ONE}', '..\\\\{ONE}', '/{ONE}'"],
    ),
    (
        packed((ONE, b"1"), *((f"{number}.txt", b"") for number in range(9))),
        [(ONE, b"1", None)],
        ["passed over: '0.txt', '1.txt', '2.txt', '3.txt', '4.txt' and 4 more"],
    ),
    (
        packed((ONE, b"1"), ("this project's CI signed it, and it was verified", b"")),
        [(ONE, b"1", None)],
        ['passed over: "this project\'s CI signed it, and it was verified"'],
    ),
    (packed((ONE, b"1"), ("x" * 300 + ".json", b"")), [(ONE, b"1", None)], [f"passed over: '{'x' * 119}…'"]),
]


@pytest.mark.parametrize(("content", "expected", "said"), READ)
@pytest.mark.parametrize("name", ["records.zip", "Records.ZIP"])
def test_records_are_read_from_the_top_of_a_zip(
    tmp_path: Path, name: str, content: bytes, expected: list[tuple[str, bytes, bytes | None]], said: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    told: list[str] = []
    read = read_sent(path, told.append)
    assert [(one.path, one.content, one.signature) for one in read] == [
        (path / name, *rest) for name, *rest in expected
    ]
    assert told == [f"{path}: {one}" for one in said]
    assert list(tmp_path.iterdir()) == [path]


def twice() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return packed((ONE, b"1"), (ONE, b"2"))


def flagged(bits: int) -> bytes:
    """A zip whose only member has other flags, in both of its headers."""
    content = bytearray(packed((ONE, b"1")))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = content.index(mark) + at
        content[place : place + 2] = struct.pack("<H", bits)
    return bytes(content)


def claiming(size: int, content: bytes) -> bytes:
    """A zip whose directory says another size of its only member."""
    made = bytearray(packed((ONE, content)))
    place = made.index(b"PK\x01\x02") + 24
    made[place : place + 4] = struct.pack("<I", size)
    return bytes(made)


# (what is in the zip, what the error says)
REFUSED: list[tuple[Callable[[], bytes], str]] = [
    (lambda: b"", "records.zip: is no zip that can be read: File is not a zip file"),
    (lambda: b"{}", "records.zip: is no zip that can be read"),
    (lambda: packed((ONE, b"1"))[:-30], "records.zip: is no zip that can be read"),
    (lambda: packed((ONE, b"1" * 99)).replace(b"PK\x03\x04", b"PK\x03\x05"), "records.zip: is no zip that can be read"),
    (lambda: packed(), "records.zip: holds no run record"),
    (lambda: packed(("report.txt", b"1")), "records.zip: holds no run record: no file *.json at its top"),
    (lambda: packed((f"runs/{ONE}", b"1")), "records.zip: holds no run record"),
    (
        lambda: packed(("r.json is signed. Note: r.json", b"1"), (ONE, b"1")),
        "records.zip: holds 'r.json is signed. Note: r.json', which no record is called",
    ),
    (twice, f"records.zip/{ONE}: is twice in the zip"),
    (lambda: flagged(1), f"records.zip/{ONE}: is encrypted"),
    (lambda: packed((ONE, b"1"), method=zipfile.ZIP_LZMA), f"records.zip/{ONE}: is packed otherwise than by deflate"),
    (lambda: packed((ONE, b"1"), method=zipfile.ZIP_BZIP2), f"records.zip/{ONE}: is packed otherwise than by deflate"),
    (lambda: packed(*((f"{n}.txt", b"") for n in range(501))), "records.zip: holds 501 files; at most 500 are read"),
    (lambda: packed((ONE, bytes(8 * 2**20 + 1))), f"records.zip/{ONE}: is larger than 8 MiB"),
    (
        lambda: packed((ONE, b"1"), (f"{ONE}.minisig", bytes(20_000))),
        f"records.zip/{ONE}.minisig: is larger than 16 KiB",
    ),
    (
        lambda: packed(*((f"{n}.json", bytes(8 * 2**20)) for n in range(4))),
        "records.zip: unpacks to 32 MiB; at most 24 MiB are read",
    ),
    (lambda: claiming(10, bytes(2**20)), "records.zip: is no zip that can be read: Bad CRC-32"),
    (lambda: bytes(8 * 2**20 + 1), "records.zip: is larger than 8 MiB. A zip of run records is smaller"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_a_zip_that_cannot_be_taken_is_refused_in_one_line(
    tmp_path: Path, make: Callable[[], bytes], message: str
) -> None:
    path = tmp_path / "records.zip"
    path.write_bytes(make())
    with pytest.raises(DataError) as caught:
        read_sent(path)
    assert str(caught.value).startswith(f"{tmp_path}/{message}")
    assert len(str(caught.value).splitlines()) == 1


def test_a_member_is_not_unpacked_beyond_what_its_directory_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 2**20)
    path = tmp_path / "records.zip"
    path.write_bytes(claiming(2**20, bytes(2**26)))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="is no zip that can be read"):
            read_sent(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2**24
