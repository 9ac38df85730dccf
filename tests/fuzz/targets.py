"""What is given inputs: each target is a class of inputs, genuine ones to begin with, and what is done with one.

``refused``: it was turned away with a sentence of ours. ``survived``: it was taken, and all that follows worked. Anything else, a
traceback, is a fault.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import yaml
from hypothesis import strategies as st

from apidiff import site_server
from apidiff.cli import FAULT, main
from apidiff.database import Data, load
from apidiff.database.backends import load_backends
from apidiff.database.checks import check_records, without_unusable
from apidiff.database.data import mapping_path
from apidiff.database.examples import load_examples
from apidiff.database.expansion import Expander
from apidiff.database.measurer_names import name_fault
from apidiff.database.odd_records import UNLIKE_OTHERS
from apidiff.database.paths import DATA, examples_folder
from apidiff.database.runs import digest_of
from apidiff.database.shared_targets import fill_in
from apidiff.database.toml import read_toml
from apidiff.database.yaml import read_yaml
from apidiff.derive.picture import pictures
from apidiff.errors import ApidiffError, DataError
from apidiff.execute.journal import Journal
from apidiff.execute.plan import Plan
from apidiff.execute.record import encode
from apidiff.execute.submissions.intake import accepted
from apidiff.execute.submissions.record_validation import Accepted, foreign_record
from apidiff.execute.submissions.sent_files import read_sent
from apidiff.judge import Context, make_context
from apidiff.lookup import cache as index_cache
from apidiff.lookup.cache import open_index
from apidiff.lookup.entry import Builder
from apidiff.lookup.record_trial import record_trial
from apidiff.messages.call_facts import call_facts
from apidiff.model.authored import AuthoredRecord
from apidiff.model.literals import literal
from apidiff.model.trace import ProbeRun, RunRecord
from apidiff.model.version import Version, is_recordable, release_of
from apidiff.porting.changes import PortOptions
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Porter
from apidiff.porting.source_text import UnreadableSource
from apidiff.porting.text_scan import scan_text
from tests.fuzz.ending import KEPT
from tests.fuzz.mutations import HOSTILE_VALUES, mutated, rearranged, with_hostile_values
from tests.fuzz.pages import open_page
from tests.fuzz.servers import AGENT, EDITOR, agent, editor, messages

REFUSED, SURVIVED = "refused", "survived"


@dataclass(frozen=True)
class Target:
    """``inputs``: how they are made; called late, since genuine ones are read from the data.

    ``is_elsewhere``: whether another process reads them, so that nobody sees here which lines they run through.
    """

    inputs: Callable[[], st.SearchStrategy[bytes]]
    give: Callable[[bytes], str]
    is_elsewhere: bool = False


@functools.cache
def _data() -> Data:
    return load()


@functools.cache
def _context() -> Context:
    return make_context(load_backends(), load_examples(examples_folder()), _data().signatures)


@functools.cache
def _fits() -> Accepted:
    return accepted(_data(), load_backends(), _context().examples)


@functools.cache
def _record() -> bytes:
    real = next(record for key, record in _data().runs if key.startswith("torch-2.13.0/gloo-cpu-2-"))
    probes = [run for run in real.probes if run.api in {"torch.distributed.all_reduce", "torch.distributed.scatter"}][
        :6
    ]
    return encode(msgspec.structs.replace(real, probes=probes, signatures=real.signatures[:4], measured_by="a lab"))


def _give_record(content: bytes) -> str:
    path = Path(f"gloo-cpu-2-{digest_of(content)}.json")
    try:
        record = foreign_record(path, content, _fits())
    except DataError:
        return REFUSED
    record_trial(_data(), load_backends(), _context())(path, record)
    return SURVIVED


@functools.cache
def _expander() -> Expander:
    return Expander.of(DATA, _data().signatures, _data().documents)


@functools.cache
def _builder() -> Builder:
    return Builder(_data(), load_backends(), load_examples(examples_folder()))


def _give_mapping(content: bytes) -> str:
    """What is told of a record as unlike any that was thought of is a fault here."""
    name = "torch.distributed.reduce"

    def read(path: Path) -> None:
        mapping, origins = _expander().expand(path, name)
        filled = fill_in(mapping, {**_data().mappings, name: mapping}, origins)
        usable = without_unusable(replace(_data(), mappings={name: filled}, origins={name: origins}, broken=[]))
        for error in [*usable.broken, *check_records(usable)]:
            if error.__cause__ or usable.broken:
                raise error
        call_facts(usable, {name: _builder().entry(filled)})
        pictures(usable)

    with tempfile.TemporaryDirectory(prefix="apidiff-fuzz-") as folder:
        path = Path(folder) / "a.yaml"
        path.write_bytes(content)
        try:
            read(path)
        except ApidiffError as error:
            if UNLIKE_OTHERS in str(error) and error.__cause__:
                raise error.__cause__ from None
            return REFUSED
    return SURVIVED


def _records() -> st.SearchStrategy[bytes]:
    paths = [mapping_path(DATA, name) for name in ("torch.distributed.reduce", "torch.distributed.send", "torch.clamp")]
    plain: list[dict[str, Any]] = [yaml.safe_load(path.read_bytes()) for path in paths]
    return st.sampled_from(plain).flatmap(rearranged)


def _in_file(name: str, content: bytes, read: Callable[[Path], object]) -> str:
    with tempfile.TemporaryDirectory(prefix="apidiff-fuzz-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            read(path)
        except ApidiffError:
            return REFUSED
    return SURVIVED


def _journal_lines() -> bytes:
    record = msgspec.json.decode(_record(), type=RunRecord)
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal", Plan((), ()))
        for run in record.probes[:3]:
            journal.add(run)
        journal.close()
        return (Path(folder) / "journal").read_bytes()


def _give_journal(content: bytes) -> str:
    with (
        tempfile.TemporaryDirectory(prefix="apidiff-fuzz-") as folder,
        contextlib.redirect_stderr(io.StringIO()) as said,
    ):
        path = Path(folder) / "journal"
        path.write_bytes(content)
        journal = Journal(path, Plan((), ()))
        assert all(isinstance(run, ProbeRun) for run in journal.done.values())
        journal.close()
    return REFUSED if said.getvalue() else SURVIVED


@functools.cache
def _index() -> bytes:
    return index_cache._sealed(msgspec.msgpack.encode({"fingerprint": "1", "releases": {}, "words": b"x" * 200}))


def _give_index(content: bytes) -> str:
    with tempfile.TemporaryDirectory(prefix="apidiff-fuzz-") as folder, contextlib.redirect_stderr(io.StringIO()):
        path = Path(folder) / "index.msgpack"
        path.write_bytes(content)
        assert index_cache._read(path) is None
        # One that is whole and of another shape was written by another state of the program, and is written over.
        assert path.exists() is (content == index_cache._sealed(content[: -index_cache._DIGEST]))
    return REFUSED


def _give_version(content: bytes) -> str:
    text = content.decode("utf-8", "replace")
    is_recordable(text)
    try:
        release_of(text)
        Version(text)
    except ValueError:
        return REFUSED
    return SURVIVED


def _give_literal(content: bytes) -> str:
    try:
        literal(content.decode("utf-8", "replace"))
    except ValueError:
        return REFUSED
    return SURVIVED


def _give_name(content: bytes) -> str:
    return REFUSED if name_fault(content.decode("utf-8", "replace")) else SURVIVED


@functools.cache
def _porter() -> Porter:
    index = open_index()
    judge = Judge(index.call_facts, index.source_names.apis, "2.10.0", index.releases["mindspore"], None)
    return Porter(judge, index.source_names, PortOptions(unsafe=True))


def _give_code(content: bytes) -> str:
    text = content.decode("utf-8", "replace")
    scan_text(text, "pasted.py", _porter().names, half_typed=True)
    try:
        _porter().port_text(text)
    except UnreadableSource:
        return REFUSED
    return SURVIVED


def _give_arguments(content: bytes) -> str:
    words = content.decode("utf-8", "surrogateescape").split("\n")[:6]
    command = {"l": "lookup", "s": "search", "c": "schema", "w": "show"}.get(words[0][:1], words[0])
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="replace")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            code = main([command, *words[1:]]) if command in {"lookup", "search", "schema", "show"} else main([command])
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 2
    assert code in {0, 2}, (code, said.getvalue())
    assert code != FAULT
    return REFUSED if code else SURVIVED


@functools.cache
def _site() -> http.client.HTTPConnection:
    folder = Path(KEPT.enter_context(tempfile.TemporaryDirectory(prefix="apidiff-fuzz-site-")))
    (folder / "index.html").write_text("home")
    server = site_server.start_server(folder, 0)
    server.handle_error = lambda request, address: (_ for _ in ()).throw(AssertionError("a traceback in the server"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)


def _give_address(content: bytes) -> str:
    connection = _site()
    connection.close()
    connection.connect()
    assert connection.sock
    connection.sock.sendall(b"GET /" + content.replace(b"\n", b"").replace(b"\r", b"") + b" HTTP/1.0\r\n\r\n")
    answer = b""
    while chunk := connection.sock.recv(65536):
        answer += chunk
    connection.close()
    assert answer, "the server hung up without an answer"
    return SURVIVED if b" 200 " in answer[:20] else REFUSED


def _give_page(content: bytes) -> str:
    open_page(content)
    return SURVIVED


def _give_zip(content: bytes) -> str:
    return _in_file("records.zip", content, read_sent)


def _zip() -> bytes:
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("gloo-cpu-2-0a1b2c3d4e5f.json", _record()[:2000])
    return packed.getvalue()


_YAML = (DATA / "mappings" / "torch" / "distributed" / "reduce.yaml").read_bytes()
_WORDS = [str(value).encode("utf-8", "surrogatepass") for value in HOSTILE_VALUES]
_CODE = (
    b"import torch\nfrom torch import nn\nx = torch.cat([a, b], dim=1)\n"
    b"class N(nn.Module):\n    def f(self, x):\n        return x.sum(0)\n"
)


def _texts(*genuine: bytes) -> st.SearchStrategy[bytes]:
    return st.one_of(st.sampled_from(genuine).flatmap(mutated), st.sampled_from(_WORDS), st.binary(max_size=60))


_COMMANDS = (
    b"l\nreduce\n--json",
    b"s\nall gather\n--limit\n3",
    b"w\ntorch.abs",
    b"c\nindex",
    b"l\nreduce\n--mindspore\n2.10",
)

TARGETS: dict[str, Target] = {
    "values of run records": Target(lambda: with_hostile_values(_record()), _give_record),
    "bytes of run records": Target(lambda: mutated(_record()), _give_record),
    "zips": Target(lambda: mutated(_zip()), _give_zip),
    "mappings": Target(_records, _give_mapping),
    "YAML": Target(
        lambda: mutated(_YAML),
        lambda content: _in_file("a.yaml", content, lambda path: read_yaml(path, AuthoredRecord)),
    ),
    "TOML": Target(
        lambda: mutated(b'a = "b"\n[c]\nd = [1, 2.5, 2026-01-01]\n'),
        lambda content: _in_file(
            "a.toml",
            content,
            lambda path: read_toml(path, dict[str, str], lambda _t, e: DataError(path, 1, str(e), "Mend it.")),
        ),
    ),
    "journals": Target(lambda: mutated(_journal_lines()), _give_journal),
    "indexes": Target(lambda: mutated(_index()), _give_index),
    "versions": Target(lambda: _texts(b"2.10.0", b"2.7.0a0+5228986c39.nv25.05"), _give_version),
    "literals": Target(lambda: _texts(b"(1, [2, {'a': None}])", b"-1.5"), _give_literal),
    "names of measurers": Target(lambda: _texts("a lab, 8 \u00d7 H200".encode(), "本项目".encode()), _give_name),
    "arguments": Target(
        lambda: open_index() and _texts(*_COMMANDS),
        _give_arguments,
    ),
    "addresses of the site": Target(lambda: _texts(b"index.html", b"en/a%20b?x=1#y"), _give_address),
    "addresses of pages": Target(
        lambda: _texts(b"?torch=2.13.0&mindspore=2.10#difference-a", b"#a--b", b"?q=all%20gather&trust=signed"),
        _give_page,
        is_elsewhere=True,
    ),
    "protocol of editors": Target(
        lambda: messages(EDITOR), lambda content: SURVIVED if editor().give(content) else REFUSED, is_elsewhere=True
    ),
    "protocol of agents": Target(
        lambda: messages(AGENT), lambda content: SURVIVED if agent().give(content) else REFUSED, is_elsewhere=True
    ),
    "pasted code": Target(lambda: open_index() and _texts(_CODE), _give_code),
}
