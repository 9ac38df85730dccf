"""Records as somebody sends them: written, edited and read."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from apidiff.database.backends import load_backends
from apidiff.database.runs import digest_of, whole_digest
from apidiff.execute.record import encode
from apidiff.execute.submissions.record_validation import Accepted, foreign_record
from apidiff.execute.submissions.sent_files import read_sent
from apidiff.model.trace import RunRecord

BACKENDS = load_backends()
NOTHING = Accepted(BACKENDS, frozenset(), {}, frozenset())
TENSOR = {"t": "tensor", "type": "Tensor", "dtype": "float32", "shape": [3], "values": [1], "storage": 0, "object": 0}
# As minisign writes it, by a key that nobody knows.
UNKNOWN_SIGNATURE = (
    "untrusted comment: a comment\n"
    f"{base64.b64encode(b'ED' + bytes(72)).decode()}\n"
    "trusted comment: nothing\n"
    f"{base64.b64encode(bytes(64)).decode()}\n"
)


def read_foreign(path: Path, fits: Accepted) -> RunRecord:
    [(_, content, _)] = read_sent(path)
    return foreign_record(path, content, fits)


def sent(folder: Path, content: bytes, name: str = "gloo-cpu-2", *, whole: bool = False) -> Path:
    """Writes a record as somebody sends it, under twelve digits as earlier versions did, or under the whole digest."""
    path = folder / f"{name}-{whole_digest(content) if whole else digest_of(content)}.json"
    path.write_bytes(content)
    return path


def edited(record: RunRecord, change: Callable[[dict[str, Any]], object]) -> bytes:
    plain = json.loads(encode(record))
    change(plain)
    return json.dumps(plain).encode()


def put(*keys: str | int) -> Callable[[object], Callable[[dict[str, Any]], None]]:
    def with_value(value: object) -> Callable[[dict[str, Any]], None]:
        def change(plain: Any) -> None:
            for key in keys[:-1]:
                plain = plain[key]
            plain[keys[-1]] = value

        return change

    return with_value
