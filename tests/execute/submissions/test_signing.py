"""Signatures of run records: rows of (what is done to a good one, what is said), with real keys of minisign."""

from __future__ import annotations

import base64
import fcntl
import gzip
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest
from minisign_keys import Key, known_as, needs_minisign

from apidiff import atomic_write, site_builder
from apidiff.atomic_write import locked
from apidiff.cli import check
from apidiff.database import Data, DataError, InvalidData
from apidiff.database import signing as module
from apidiff.database.measurer_names import looks_like
from apidiff.database.passed_over import tell_passed_over, unchecked_errors
from apidiff.database.runs import MAX_RECORD, run_id, signature_path, whole_digest
from apidiff.database.signing import Signer, id_of, load_signed, load_signers, sign, signed_at, signed_by
from apidiff.errors import ApidiffError
from apidiff.execute.submissions import signature_errors
from apidiff.execute.submissions.sent_files import MAX_SIGNATURE
from apidiff.model.signed import Signed, State
from tests.faults.files import room_for

CONTENT = b'{"a": "record"}\n'
KEY = "RWR7ospBDqes4JODMBPOT7NjNvpzzLOaQhnTrbz/nf9Zz19JKJrcUNdX"
GOOD = f'name = "A"\nkey = "{KEY}"\n'


def _under_another_id(key: str) -> str:
    raw = base64.b64decode(key)
    return base64.b64encode(raw[:2] + bytes(8) + raw[10:]).decode()


def _two(one: str, other: str) -> str:
    """Two signers with keys of their own."""
    raw = base64.b64decode(KEY)
    keys = [base64.b64encode(raw[:2] + bytes([number] * 40)).decode() for number in (1, 2)]
    tables = zip((one, other), keys, strict=True)
    return "".join(f'[[signer]]\nname = "{name}"\nkey = "{key}"\n' for name, key in tables)


# What stands in conf/signers.toml, the line that is named, what the message says.
BROKEN = [
    ("[[signer]\n", 1, "broken TOML"),
    (f"[[signer]]\n{GOOD}\n[[signer]]\nname = 'B'\n", 5, "missing required field `key`"),
    (f"[[signer]]\n{GOOD}mail = 'a'\n", 1, "unknown field `mail`"),
    ("# a\n[[signer]]\nname = 'B'\nkey = 'RWnothing'\n", 2, "the key of 'B' is no public key of minisign"),
    ("[[signer]]\nname = ''\nkey = 'RW'\n", 1, "length >= 1"),
    (f"[[signer]]\n{GOOD}[[signer]]\n{GOOD}", 4, "the name or the key of 'A' is there twice"),
    (f"[[signer]]\n{GOOD}[[signer]]\n{GOOD.replace('A', 'B', 1)}", 4, "the key of 'B' is there twice"),
    (f"[[signer]]\n{GOOD.replace('A', 'this project', 1)}", 1, "the name 'this project' names nobody"),
    (
        f"[[signer]]\n{GOOD.replace('A', 'Lab A (verified), measured by “apidiff”', 1)}",
        1,
        "holds a quotation mark, which would end the quote",
    ),
    (f"[[signer]]\n{GOOD.replace('A', 'Lab A (verified)', 1)}", 1, "says what only a signature can show"),
    (_two("Alice", "L\u0430b A"), 4, "mixes letters of Cyrillic and Latin"),
    (_two("Lab A", "Lab A "), 4, "the name 'Lab A ' looks like 'Lab A', another signer's. Keep one of the two"),
    (_two("Lab A", "lab  Á"), 4, "the name 'lab  Á' looks like 'Lab A'"),
    (_two("ACE", "\u0410\u0421\u0415"), 4, "looks like 'ACE'"),
    (
        f"[[signer]]\n{GOOD}[[signer]]\nname = 'B'\nkey = '{_under_another_id(KEY)}'\n",
        4,
        "the key of 'B' is there twice",
    ),
    ("signer = 3\n", None, "Expected `array`"),
]


@pytest.mark.parametrize(("text", "line", "message"), BROKEN)
def test_broken_signers_are_refused(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    path = tmp_path / "signers.toml"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        load_signers(path)
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert message in str(caught.value)


def test_names_are_compared_once_for_each_signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(name: str) -> str:
        seen.append(name)
        return looks_like(name)

    monkeypatch.setattr(module, "looks_like", counted)
    raw = base64.b64decode(KEY)
    path = tmp_path / "signers.toml"
    path.write_text(
        "".join(
            f'[[signer]]\nname = "Lab {number}"\nkey = "{base64.b64encode(raw[:2] + bytes([number] * 40)).decode()}"\n'
            for number in range(2, 30)
        )
    )
    assert len(load_signers(path)) == len(seen) == 28


def test_signers_are_known_by_the_id_of_their_key(tmp_path: Path) -> None:
    path = tmp_path / "signers.toml"
    path.write_text(f"[[signer]]\n{GOOD}about = 'who'\n")
    assert {key: (one.name, one.about) for key, one in load_signers(path).items()} == {"E0ACA70E41CAA27B": ("A", "who")}
    load_signers()  # those of this project


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Key, Key]:
    folder = tmp_path_factory.mktemp("keys")
    return Key(folder, "Alice"), Key(folder, "-Bob")  # a name that no program may take for an option


@pytest.fixture
def signers(keys: tuple[Key, Key]) -> dict[str, Signer]:
    found = {id_of(key.signer.key, 42): key.signer for key in keys}
    return {key: one for key, one in found.items() if key}


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, float], Path]:
    """Puts a script in the place of minisign, and says how many seconds it is waited for; its path."""

    def put(script: str, seconds: float) -> Path:
        program = tmp_path / "bin" / "minisign"
        program.parent.mkdir()
        program.write_text(script)
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setattr(module, "_DEADLINE_S", seconds)
        return program

    return put


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "-record.json"
    path.write_bytes(CONTENT)
    return path


@needs_minisign
def test_a_signature_verifies_and_names_its_signer(
    keys: tuple[Key, Key], signers: dict[str, Signer], record: Path
) -> None:
    for key in keys:
        key.sign(record)
        found = signed_at(record, signers)
        assert (found.state, found.signer, found.about) == (State.VERIFIED, key.name, "a test")


@needs_minisign
def test_a_key_that_is_not_known_is_said_and_nothing_more(
    keys: tuple[Key, Key], signers: dict[str, Signer], record: Path
) -> None:
    alice, bob = keys
    alice.sign(record)
    known = {key: one for key, one in signers.items() if one.name == bob.name}
    found = signed_at(record, known)
    assert (found.state, found.signer) == (State.UNKNOWN_KEY, "")
    assert found.key.lstrip("0") in alice.public.read_text()  # minisign leaves zeros at its beginning out


def test_a_record_without_a_signature_is_unsigned(record: Path) -> None:
    assert signed_at(record, {}).state is State.UNSIGNED


def _swap_key(alice: bytes, bob: bytes) -> bytes:
    """Bob's signature under the ID of Alice's key."""
    lines = [one.split(b"\n") for one in (alice, bob)]
    raw = [base64.b64decode(one[1]) for one in lines]
    lines[1][1] = base64.b64encode(raw[1][:2] + raw[0][2:10] + raw[1][10:])
    return b"\n".join(lines[1])


@needs_minisign
def test_what_is_signed_here_verifies(keys: tuple[Key, Key], signers: dict[str, Signer], record: Path) -> None:
    assert sign(record, keys[0].secret) == signature_path(record)
    assert signed_at(record, signers).state is State.VERIFIED
    assert b"file:-record.json" in signature_path(record).read_bytes()


def _asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: str) -> None:
    """Has minisign do something else as well before it signs, as others may while it waits for a password."""
    program = tmp_path / "bin" / "minisign"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n{meanwhile}\nexec {shutil.which("minisign")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_whoever_ends_a_command_at_the_password_sees_what_is_typed_next(tmp_path: Path, sent: signal.Signals) -> None:
    """minisign shows no letter of a password, and what is ended then leaves the terminal so."""
    (tmp_path / "record").write_bytes(CONTENT)
    asking = tmp_path / "minisign"
    asking.write_text("#!/bin/sh\nstty -echo </dev/tty\necho 'Password:' >/dev/tty\nexec sleep 60\n")
    asking.chmod(0o755)
    code = (
        "import pathlib, sys; from apidiff.database.signing import sign; from apidiff.ending_signals import end_in_order; "
        "end_in_order(); sign(pathlib.Path(sys.argv[1]), pathlib.Path('key'))"
    )
    screen, terminal = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "record")],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as command:
        said = b""
        while b"Password:" not in said:
            said += os.read(screen, 1000)
        assert not _echoes(terminal)
        command.send_signal(sent)
        command.wait(20)
    assert _echoes(terminal)
    os.close(screen)
    os.close(terminal)


def _echoes(terminal: int) -> bool:
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


@needs_minisign
def test_a_folder_for_temporary_files_without_room_is_told_of_as_that(
    keys: tuple[Key, Key], record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is another matter."""
    record.write_bytes(CONTENT * 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with room_for(5_000), pytest.raises(ApidiffError) as refused:
        sign(record, keys[0].secret)
    assert str(refused.value) == (
        f"{record} was not signed: its copy cannot be written to {tmp_path} (File too large). "
        "Make room there, or name another folder: TMPDIR=/somewhere"
    )
    assert [path.name for path in tmp_path.iterdir()] == [record.name]


@needs_minisign
@pytest.mark.parametrize("former", [b"a signature of the list before", None])
def test_a_file_that_changes_while_it_is_signed_is_not_signed(
    keys: tuple[Key, Key], record: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, former: bytes | None
) -> None:
    if former:
        signature_path(record).write_bytes(former)
    _asked(tmp_path, monkeypatch, f"echo another >> '{record}'")
    with pytest.raises(DataError, match=r"-record\.json: was changed while it was signed, .*\. Sign it again\."):
        sign(record, keys[0].secret)
    assert (signature_path(record).read_bytes() if signature_path(record).exists() else None) == former
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


@needs_minisign
def test_a_signature_is_written_while_no_other_process_writes(
    keys: tuple[Key, Key], signers: dict[str, Signer], record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who locks the folder removes what is left of writing there."""
    put = atomic_write._put_on_disk

    def another_comes_in(path: Path, content: bytes) -> None:
        put(path, content)
        monkeypatch.setattr(atomic_write, "_LOCK_S", 0.1)
        with pytest.raises(DataError, match="another process has been writing"), locked(path.parent):
            pass

    monkeypatch.setattr(atomic_write, "_put_on_disk", another_comes_in)
    sign(record, keys[0].secret)
    assert signed_at(record, signers).state is State.VERIFIED


@needs_minisign
def test_nobody_waits_for_a_password(
    keys: tuple[Key, Key], signers: dict[str, Signer], record: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _asked(tmp_path, monkeypatch, f"flock --nonblock '{record.parent}' true || exit 9")
    sign(record, keys[0].secret)
    assert signed_at(record, signers).state is State.VERIFIED


def _line(number: int, text: bytes) -> Callable[[bytes, bytes, bytes], bytes]:
    return lambda alice, _bob, _other: b"\n".join(
        text if at == number else line for at, line in enumerate(alice.split(b"\n"))
    )


# What becomes of Alice's signature (given: hers, Bob's, hers of another file), and what the refusal says.
ALTERED = [
    (lambda alice, bob, other: other, "is no signature of -record.json by Alice: "),
    (lambda alice, bob, other: _swap_key(alice, bob), "is no signature of -record.json by Alice: "),
    (_line(2, b"trusted comment: signed by somebody else"), "by Alice: "),
    (lambda alice, bob, other: alice[: len(alice) // 2], "is no signature that minisign made, or was cut"),
    (lambda alice, bob, other: alice[:-20], "is no signature that minisign made, or was cut"),
    (lambda alice, bob, other: alice + b"another line\n", "is no signature that minisign made, or was cut"),
    (lambda alice, bob, other: b"", "is no signature that minisign made, or was cut"),
    (lambda alice, bob, other: b"\xff" * 200, "is no signature that minisign made, or was cut"),
    (lambda alice, bob, other: alice + b"x" * MAX_SIGNATURE, "is larger than 16 KiB"),
]


@needs_minisign
@pytest.mark.parametrize(("alter", "message"), ALTERED)
def test_what_does_not_verify_is_refused(
    keys: tuple[Key, Key],
    signers: dict[str, Signer],
    record: Path,
    tmp_path: Path,
    alter: Callable[[bytes, bytes, bytes], bytes],
    message: str,
) -> None:
    alice, bob = keys
    another = tmp_path / "another.json"
    another.write_bytes(b"{}\n")
    signature_path(record).write_bytes(alter(alice.sign(record), bob.sign(record), alice.sign(another)))
    with pytest.raises(DataError) as caught:
        signed_at(record, signers)
    assert str(caught.value).startswith(f"{signature_path(record)}: ")
    assert message in str(caught.value)


@needs_minisign
def test_an_altered_record_or_signature_never_verifies(
    keys: tuple[Key, Key], signers: dict[str, Signer], record: Path
) -> None:
    """Every byte of the record, and a draw of those of the signature; its first line is a comment that nobody signs."""
    good = keys[0].sign(record)
    altered = [(CONTENT[:at] + bytes([byte ^ 1]) + CONTENT[at + 1 :], good) for at, byte in enumerate(CONTENT)]
    head = good.index(b"\n") + 1
    places = random.Random(1).sample(range(head, len(good) - 1), 60)
    altered += [(CONTENT, good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]) for at in places]
    assert signed_by(record, CONTENT, good, signers).state is State.VERIFIED
    for content, signature in altered:
        try:
            found = signed_by(record, content, signature, signers)
        except DataError:
            continue
        assert found.state is State.UNKNOWN_KEY
        assert signature != good


@needs_minisign
def test_without_the_program_nothing_is_said_to_be_verified(
    keys: tuple[Key, Key], signers: dict[str, Signer], record: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys[0].sign(record)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    found = signed_at(record, signers)
    assert (found.state, found.signer) == (State.NOT_CHECKED, "Alice")


@needs_minisign
@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("#!/bin/sh\nprintf 'first\\nno \\033[31mluck\\n'; exit 1\n", "says 'no \\x1b[31mluck'"),
        ("#!/bin/sh\nexit 2\n", "ended with 2"),
    ],
)
def test_a_program_that_fails_is_not_taken_for_a_yes(
    keys: tuple[Key, Key],
    signers: dict[str, Signer],
    record: Path,
    stand_in: Callable[[str, float], Path],
    script: str,
    message: str,
) -> None:
    keys[0].sign(record)
    stand_in(script, 300.0)
    with pytest.raises(DataError) as caught:
        signed_at(record, signers)
    assert message in str(caught.value)


@needs_minisign
@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/sh\nsleep 300 & sleep 300\n",
        "#!/nowhere/sh\n",
        "#!/bin/sh\nkill -SEGV $$\n",
        # As the loader ends where a library is broken, and a shell where a program is missing.
        "#!/bin/sh\necho 'error while loading shared libraries: libsodium.so.23: file too short' >&2; exit 127\n",
        "#!/bin/sh\nexit 126\n",
    ],
)
def test_a_program_that_gives_no_answer_has_checked_nothing(
    keys: tuple[Key, Key],
    signers: dict[str, Signer],
    record: Path,
    stand_in: Callable[[str, float], Path],
    script: str,
) -> None:
    keys[0].sign(record)
    stand_in(script, 2.0)
    found = signed_at(record, signers)
    assert (found.state, found.signer) == (State.NOT_CHECKED, "Alice")


@needs_minisign
def test_a_program_that_is_late_is_not_asked_for_each_signature(
    keys: tuple[Key, Key],
    signers: dict[str, Signer],
    record: Path,
    stand_in: Callable[[str, float], Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Of hundreds of signatures each would take its time, in every command."""
    keys[0].sign(record)
    program = stand_in(f"#!/bin/sh\necho asked >> {tmp_path}/asked\nexec sleep 300\n", 1.0)
    assert [signed_at(record, signers).state for _ in range(3)] == [State.NOT_CHECKED] * 3
    assert (tmp_path / "asked").read_text() == "asked\n"
    # After a while it is.
    monkeypatch.setattr(module, "_silent_until", {})
    program.write_text('#!/bin/sh\nPATH="${PATH#*:}" exec minisign "$@"\n')
    assert signed_at(record, signers).state is State.VERIFIED


@needs_minisign
@pytest.mark.parametrize(("beside", "state"), [(CONTENT, State.VERIFIED), (b"another text", State.REFUSED)])
def test_a_signature_of_another_text_vouches_for_no_record(
    keys: tuple[Key, Key],
    tmp_path: Path,
    signers: dict[str, Signer],
    beside: bytes,
    state: State,
) -> None:
    """A record may lie there compressed, and something else under its name that is not."""
    read = tmp_path / "runs" / "torch-2.13.0" / f"single-cpu-{whole_digest(CONTENT)}.json.gz"
    read.parent.mkdir(parents=True)
    read.write_bytes(gzip.compress(CONTENT))
    read.with_suffix("").write_bytes(beside)
    keys[0].sign(read.with_suffix(""))
    signed = load_signed(tmp_path, [run_id(read)], signers)[run_id(read)]
    assert (signed.state, signed.unlinked) == (state, False)


def _alone(_copy: Path, _signature: Path, _stranger: Key) -> None:
    """Nothing lies beside it."""


def _signed_by_a_stranger(copy: Path, _signature: Path, stranger: Key) -> None:
    stranger.sign(copy)


def _with_the_same_signature(copy: Path, signature: Path, _stranger: Key) -> None:
    signature_path(copy).write_bytes(signature.read_bytes())


def _of_another_text(copy: Path, signature: Path, _stranger: Key) -> None:
    copy.write_bytes(b"junk")
    signature_path(copy).write_bytes(signature.read_bytes())


def _signed_with_copy(root: Path, key: Key, beside: Callable[[Path, Path, Key], None]) -> Path:
    """A packed record that ``key`` signed, and a copy of it that is not packed, to which ``beside`` does something."""
    read = root / "runs" / "torch-2.13.0" / f"single-cpu-{whole_digest(CONTENT)}.json.gz"
    read.parent.mkdir(parents=True)
    read.write_bytes(gzip.compress(CONTENT))
    key.sign(read)
    copy = read.with_suffix("")
    copy.write_bytes(CONTENT)
    beside(copy, signature_path(read), Key(root, "Mallory"))
    return read


@needs_minisign
@pytest.mark.parametrize("beside", [_alone, _signed_by_a_stranger, _with_the_same_signature, _of_another_text])
def test_a_copy_beside_a_signed_record_takes_nothing_from_it(
    keys: tuple[Key, Key],
    tmp_path: Path,
    signers: dict[str, Signer],
    beside: Callable[[Path, Path, Key], None],
) -> None:
    read = _signed_with_copy(tmp_path, keys[0], beside)
    signed = load_signed(tmp_path, [run_id(read)], signers)[run_id(read)]
    assert (signed.state, signed.unlinked) == (State.VERIFIED, True)  # it does not fit the JSON that is published


@needs_minisign
@pytest.mark.parametrize("beside", [_alone, _signed_by_a_stranger])
def test_a_signature_that_is_not_checked_is_named_by_its_own_file(
    keys: tuple[Key, Key],
    tmp_path: Path,
    signers: dict[str, Signer],
    monkeypatch: pytest.MonkeyPatch,
    beside: Callable[[Path, Path, Key], None],
) -> None:
    read = _signed_with_copy(tmp_path, keys[0], beside)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("apidiff.database.passed_over.load_signers", lambda: signers)
    assert load_signed(tmp_path, [run_id(read)], signers)[run_id(read)].state is State.NOT_CHECKED
    assert [error.path for error in unchecked_errors(tmp_path, [run_id(read)])] == [signature_path(read)]


@needs_minisign
@pytest.mark.parametrize(("measured_by", "signer"), [("Ada", "Ada"), ("Bea", "Bea"), ("Cy", "Bea"), (None, "Bea")])
def test_of_two_known_signers_the_one_counts_whom_the_record_names(
    tmp_path: Path, measured_by: str | None, signer: str
) -> None:
    """Packed in two ways it may have two signatures: of those the first would count whoever made it."""
    content = msgspec.json.encode({"measured_by": measured_by})
    packed = tmp_path / "runs" / "torch-2.13.0" / f"single-cpu-{whole_digest(content)}.json.gz"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(gzip.compress(content))
    packed.with_suffix("").write_bytes(content)
    ada, bea = Key(tmp_path, "Ada"), Key(tmp_path, "Bea")
    ada.sign(packed)
    bea.sign(packed.with_suffix(""))
    signed = load_signed(tmp_path, [run_id(packed)], known_as(ada) | known_as(bea))[run_id(packed)]
    assert (signed.state, signed.signer) == (State.VERIFIED, signer)


@needs_minisign
@pytest.mark.parametrize(
    ("content", "beside", "signer"),
    [
        (b'{"measured_by": "Bea"}', b'{"measured_by": "Ada"}', "Bea"),
        (b'{"measured_by": "Ada"}', b'{"measured_by": "Bea"}', "Ada"),
        (b'{"a": ' + b"[" * 3000 + b"]" * 3000 + b"}", b"", "Bea"),
    ],
)
def test_what_nobody_signed_says_nothing_of_who_counts(
    tmp_path: Path, content: bytes, beside: bytes, signer: str
) -> None:
    packed = tmp_path / "runs" / "torch-2.13.0" / f"single-cpu-{whole_digest(content)}.json.gz"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(gzip.compress(content))
    packed.with_suffix("").write_bytes(content)
    packed.with_suffix(".xz").write_bytes(lzma.compress(beside))
    ada, bea = Key(tmp_path, "Ada"), Key(tmp_path, "Bea")
    ada.sign(packed)
    bea.sign(packed.with_suffix(""))
    signed = load_signed(tmp_path, [run_id(packed)], known_as(ada) | known_as(bea))[run_id(packed)]
    assert (signed.state, signed.signer) == (State.VERIFIED, signer)


def _enlarge(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)  # of which the disk holds nothing


@pytest.mark.parametrize(
    ("instead", "message"),
    [
        (lambda _path: None, "cannot be read (No such file or directory)"),
        (Path.mkdir, "cannot be read (it is no regular file)"),
        (_enlarge, f"is larger than {MAX_RECORD // 2**20} MiB"),
    ],
    ids=["gone", "folder", "too large"],
)
def test_a_signature_beside_what_cannot_be_read_is_told(
    tmp_path: Path, instead: Callable[[Path], object], message: str
) -> None:
    path = tmp_path / "own_records.txt"
    instead(path)
    signature_path(path).write_bytes(b"a signature")
    with pytest.raises(DataError) as caught:
        signed_at(path, {})
    assert message in str(caught.value)


@needs_minisign
def test_the_check_names_signatures_that_fit_no_record(
    keys: tuple[Key, Key], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signers: dict[str, Signer]
) -> None:
    monkeypatch.setattr("apidiff.database.signing.load_signers", lambda: signers)
    folder = tmp_path / "runs" / "torch-2.13.0"
    folder.mkdir(parents=True)
    for name in ("good", "changed", "gone"):
        (folder / f"{name}.json").write_bytes(CONTENT)
        keys[0].sign(folder / f"{name}.json")
    (folder / "changed.json").write_bytes(b"{}")
    (folder / "gone.json").unlink()
    errors = [str(error) for error in signature_errors(tmp_path)]
    assert [error.partition(": ")[0] for error in errors] == [
        str(folder / f"{name}.json.minisig") for name in ("changed", "gone")
    ]
    assert "lies beside no record" in errors[1]


# (who vouches for a record; what of it is told to whoever publishes)
UNANSWERED = [
    (Signed(state=State.NOT_CHECKED, key="0" * 16), "runs/torch-2.13.0/gloo-cpu-2-0123.json.gz.minisig"),
    (Signed(state=State.LISTED, key="0" * 16), "own_records.txt.minisig"),
    (Signed(state=State.LISTED), None),
    (Signed(state=State.UNKNOWN_KEY, key="0" * 16), None),
    (Signed(state=State.VERIFIED, key="0" * 16), None),
]


@pytest.mark.parametrize(("signed", "named"), UNANSWERED)
def test_nothing_is_published_without_an_answer_of_minisign(
    signed: Signed,
    named: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is signed counts for nothing then, and verdicts would go away unsaid."""
    data = Data(tmp_path, {}, {}, {}, signed={"torch-2.13.0/gloo-cpu-2-0123": signed})
    errors = [str(error) for error in check._evidence_errors(data)]
    assert [error.partition(": ")[0] for error in errors] == ([str(tmp_path / named)] if named else [])
    assert all("is not checked" in error and "Install a minisign" in error for error in errors)
    monkeypatch.setattr(site_builder, "run_checks", lambda _data: [])
    with pytest.raises(InvalidData) if named else nullcontext():
        site_builder._check(data)
    tell_passed_over([], data.unchecked)
    assert ("is not checked, and counts for nothing" in capsys.readouterr().err) is bool(named)
