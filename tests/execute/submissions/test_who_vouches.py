"""Who vouches for a record, and what becomes of that when it is taken in or listed."""

from __future__ import annotations

import dataclasses
import errno
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from minisign_keys import Key, known_as, needs_minisign
from sent_records import BACKENDS, UNKNOWN_SIGNATURE, edited, read_foreign, sent

from apidiff.cli.runs import list_own
from apidiff.database import ApidiffError, Data, DataError, InvalidData, load, own_records
from apidiff.database.own_records import add_own_records, load_own_records, own_records_path
from apidiff.database.runs import (
    load_runs,
    record_path,
    record_stem,
    run_id,
    signature_path,
)
from apidiff.database.signing import SignerKind, sign
from apidiff.execute.record import encode, write_record
from apidiff.execute.submissions.intake import accepted, take_in
from apidiff.execute.submissions.record_validation import Accepted, about_former, record_errors
from apidiff.model.claim_probes import Examples
from apidiff.model.signed import State
from apidiff.model.trace import RunRecord
from apidiff.model.trust import Trust


@needs_minisign
def test_a_signature_comes_along(data: Data, examples: Examples, record: RunRecord, tmp_path: Path, alice: Key) -> None:
    path = sent(tmp_path, encode(record))
    ((written, _, signed, *_),) = take_in([path], data, BACKENDS, examples, known_as(alice))
    assert (signed.state, signature_path(written).exists()) == (State.UNSIGNED, False)
    bytes_of_it = alice.sign(path)
    # The record is here already; its signature is added.
    for signers, state in (({}, State.UNKNOWN_KEY), (known_as(alice), State.VERIFIED)):
        ((again, new, signed, *_),) = take_in([path], load(data.root), BACKENDS, examples, signers)
        assert (again, new, signed.state) == (written, False, state)
        assert signature_path(written).read_bytes() == bytes_of_it
    # Sent again without its signature, it keeps the one that it has here.
    signature_path(path).unlink()
    ((again, new, signed, *_),) = take_in([path], load(data.root), BACKENDS, examples, known_as(alice))
    assert (again, new, signed.state) == (written, False, State.VERIFIED)
    # A run here that says it has the same measurer leaves both where they are.
    write_record(msgspec.structs.replace(record, date="2026-01-01T00:00:00Z"), data.root / "runs")
    assert written.exists()
    assert signature_path(written).read_bytes() == bytes_of_it


@needs_minisign
def test_a_signature_that_does_not_verify_keeps_all_records_out(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, alice: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = sent(tmp_path, encode(record))
    bad = sent(tmp_path, encode(msgspec.structs.replace(record, date="2026-01-01T00:00:00Z")))
    signature_path(bad).write_bytes(alice.sign(good))
    before = load_runs(data.root / "runs")
    with pytest.raises(InvalidData, match="is no signature of") as caught:
        take_in([good, bad], data, BACKENDS, examples, known_as(alice))
    assert [error.path for error in caught.value.errors] == [signature_path(bad)]
    with monkeypatch.context() as patch:  # a disk without room for the copies that minisign is given
        patch.setattr("tempfile.TemporaryDirectory", no_room)
        with pytest.raises(InvalidData, match=r"not checked: minisign gave no answer.* has room"):
            take_in([good], data, BACKENDS, examples, known_as(alice))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidData, match="not checked: there is no minisign"):
        take_in([good], data, BACKENDS, examples, known_as(alice))
    assert load_runs(data.root / "runs") == before


def no_room(**_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@needs_minisign
def test_a_second_signature_does_not_take_the_place_of_the_first(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, alice: Key
) -> None:
    path = sent(tmp_path, encode(record))
    first = alice.sign(path)
    ((written, *_),) = take_in([path], data, BACKENDS, examples, known_as(alice))
    Key(tmp_path, "Mallory").sign(path)
    with pytest.raises(InvalidData, match="is another signature than the one that the record has here"):
        take_in([path], data, BACKENDS, examples, known_as(alice))
    assert signature_path(written).read_bytes() == first


def test_a_signature_that_nobody_can_check_is_not_put_beside_a_record_of_ours(
    data: Data, examples: Examples, tmp_path: Path
) -> None:
    """Whoever finds it there may take it for more than it is, and it would keep out one that verifies."""
    [(ours, _)] = data.runs
    here = record_path(ours, data.root / "runs")
    path = Path(shutil.copy(here, tmp_path))
    signature_path(path).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    notes: list[str] = []
    [taken] = take_in([path], data, BACKENDS, examples, {}, notes.append)
    assert (taken.path, taken.new, taken.signed.state) == (here, False, State.LISTED)
    assert not signature_path(here).exists()
    [said] = notes
    assert said.startswith(
        f"{signature_path(path)}: passed over: the record is this project's own, and no known signer"
    )


# (version of the package, refusal)
BUILDS = [
    ("2.13.0+cu130", None),
    ("2.13.0a0+5228986c39.nv25.05", None),
    ("2.13.0.dev20261120+cu130", "lists the package's version '2.13.0.dev20261120"),
    ("2.12.0a0+5228986c39.nv25.05", "lists the package's version '2.12.0a0"),
]


@pytest.mark.parametrize(("build", "refusal"), BUILDS)
def test_a_vendors_build_is_taken_in_and_says_so(
    tmp_path: Path, record: RunRecord, fits: Accepted, build: str, refusal: str | None
) -> None:
    found = {"names": ["NVIDIA H200"], "versions": {"torch": build, "driver": "575.51.03"}}

    def change(plain: dict[str, Any]) -> None:
        plain["packages"]["torch"] = build
        plain["device_found"] = found

    path = sent(tmp_path, edited(record, change))
    if refusal:
        with pytest.raises(DataError, match=refusal):
            read_foreign(path, fits)
        return
    taken = read_foreign(path, fits)
    assert taken.build == (None if build.startswith("2.13.0+") else build)
    assert taken.device_found is not None
    assert taken.device_found.names == ["NVIDIA H200"]


def test_records_made_before_devices_were_kept_are_read(whole: Data) -> None:
    older = [record for _, record in whole.runs if record.device_found is None]
    assert all(record.build is None for record in older)


@needs_minisign
@pytest.mark.parametrize("kind", SignerKind)
def test_a_record_that_ci_signed_is_attested(
    data: Data,
    examples: Examples,
    record: RunRecord,
    tmp_path: Path,
    alice: Key,
    monkeypatch: pytest.MonkeyPatch,
    kind: SignerKind,
) -> None:
    """It names no measurer, and is this project's by the signature; that of somebody does not make it so."""
    path = sent(tmp_path, encode(msgspec.structs.replace(record, measured_by=None)))
    alice.sign(path)
    signers = {key: msgspec.structs.replace(signer, kind=kind) for key, signer in known_as(alice).items()}
    monkeypatch.setattr("apidiff.database.data.load_signers", lambda: signers)
    if kind is SignerKind.PERSON:
        with pytest.raises(InvalidData, match="does not say who measured"):
            take_in([path], data, BACKENDS, examples, signers)
        return
    [taken] = take_in([path], data, BACKENDS, examples, signers)
    there = load(data.root)
    assert there.signed[run_id(taken.path)].trust is Trust.ATTESTED
    assert run_id(taken.path) in dict(there.runs)
    assert not [
        error for error in record_errors(there, accepted(there, BACKENDS, examples), ()) if error.path == taken.path
    ]
    # Of a changed signature nothing is left to stand on.
    content = bytearray(signature_path(taken.path).read_bytes())
    content[-30] ^= 1
    signature_path(taken.path).write_bytes(content)
    again = load(data.root)
    assert again.signed[run_id(taken.path)].trust is Trust.UNSIGNED
    assert run_id(taken.path) in dict(again.unsigned_runs)


@needs_minisign
def test_a_record_in_the_name_of_a_known_signer_has_their_signature(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, alice: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    signers = known_as(alice)
    monkeypatch.setattr("apidiff.database.data.load_signers", lambda: signers)
    said = "'A1ice', a known signer, who did not sign it. Ask Alice to sign it."
    content = encode(msgspec.structs.replace(record, measured_by="A1ice"))
    path = sent(tmp_path, content)
    with pytest.raises(InvalidData, match=said):
        take_in([path], data, BACKENDS, examples, signers)
    alice.sign(path)
    take_in([path], data, BACKENDS, examples, signers)
    # Put beside the others without one, or before she was known.
    other = encode(msgspec.structs.replace(record, measured_by="A1ice", cores=7))
    lying = sent(data.root / "runs" / "torch-2.13.0", other, whole=True)
    there = load(data.root)
    told = [
        str(error)
        for error in record_errors(there, accepted(there, BACKENDS, examples), signers.values())
        if "known signer" in str(error)
    ]
    assert len(told) == 1
    assert str(lying) in told[0]


# (who has the key that signed a record without a measurer; none where nobody known has it, words where the record is not signed
# or was signed as it was before; whether minisign is there, whether it becomes this project's, what is said then, and what
# `check` says before)
SIGNED_BY = [
    ("not signed", True, True, "  {key}", "If this project made it: apidiff runs own"),
    (None, True, False, "which is none of those known here", "which none of the known signers has. If this project"),
    ("changed", True, False, "does not verify", "a signature that is not its own. If this project"),
    (
        SignerKind.PERSON,
        True,
        False,
        "signed by Alice (verified)",
        "and Alice signed it. Delete it, and ask Alice for one",
    ),
    (SignerKind.PERSON, False, False, "not checked because", "which names the key of Alice, is not checked. Install"),
    (SignerKind.CI, True, False, "made by this project's CI", ""),
]


@needs_minisign
@pytest.mark.parametrize(("kind", "here", "becomes", "said", "checked"), SIGNED_BY)
def test_what_somebody_known_signed_does_not_become_this_projects(
    data: Data,
    examples: Examples,
    record: RunRecord,
    alice: Key,
    monkeypatch: pytest.MonkeyPatch,
    kind: SignerKind | str | None,
    here: bool,
    becomes: bool,
    said: str,
    checked: str,
) -> None:
    """Where it was put beside the others, and not taken in: `import` refuses it."""
    content = encode(msgspec.structs.replace(record, measured_by=None))
    path = sent(data.root / "runs" / "torch-2.13.0", content, whole=True)
    if kind != "not signed":
        signature = alice.sign(path)
    if kind == "changed":
        signature_path(path).write_bytes(signature.replace(b"timestamp", b"Timestamp"))
    known = SignerKind.PERSON if kind == "changed" else kind
    signers = {
        key: msgspec.structs.replace(signer, kind=known)
        for key, signer in known_as(alice).items()
        if isinstance(known, SignerKind)
    }
    for place in ("apidiff.database.data", "apidiff.cli.runs"):
        monkeypatch.setattr(f"{place}.load_signers", lambda: signers)
    if not here:
        monkeypatch.setenv("PATH", "")
    now = load(data.root)
    told = [str(error) for error in record_errors(now, accepted(now, BACKENDS, examples), ()) if error.path == path]
    assert (len(told), checked in "".join(told)) == (1 if checked else 0, True)
    first, *rest = list_own(data.root)
    assert first == f"{own_records_path(data.root)}: {int(becomes)} added"
    assert said.format(key=run_id(path)) in "".join(rest)
    assert (path.stem.rpartition("-")[2] in load_own_records(data.root)) is becomes


@needs_minisign
def test_a_list_that_was_changed_after_it_was_signed_vouches_for_nothing(
    data: Data, examples: Examples, alice: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apidiff.database.data.load_signers", lambda: known_as(alice))
    monkeypatch.setattr(own_records, "load_signers", lambda: known_as(alice))
    [(ours, _)] = data.runs
    path = own_records_path(data.root)
    assert load(data.root).signed[ours].state is State.LISTED
    sign(path, alice.secret)
    signed = load(data.root).signed[ours]
    assert (signed.state, signed.signer, signed.trust) == (State.IN_SIGNED_LIST, alice.name, Trust.PROJECT)
    with (
        monkeypatch.context() as patch
    ):  # without an answer it is a list that is not signed, and that is kept in no index
        patch.setenv("PATH", "")
        unanswered = load(data.root).signed[ours]
    assert (unanswered.state, unanswered.unchecked, signed.unchecked) == (State.LISTED, True, False)
    with path.open("a") as file:
        file.write(f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n")
    changed = load(data.root)
    assert changed.signed[ours].trust is Trust.UNSIGNED
    assert [
        error for error in changed.unread if error.path == signature_path(path) and "is no signature of" in str(error)
    ]
    there = path.read_text(encoding="utf-8")
    signed_text = there[: -len(f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n")]
    # A record of this project that comes back names no measurer: without the list it is nobody's.
    for is_here in (True, False):
        back = record_path(ours, data.root / "runs")
        if not is_here:
            back = back.rename(data.root.parent / back.name)
        path.write_text(there, encoding="utf-8")
        with pytest.raises(
            InvalidData, match=r"is no signature of own_records.txt .* Restore own_records.txt"
        ) as caught:
            take_in([back], data, BACKENDS, examples, known_as(alice))
        assert [error.path for error in caught.value.errors] == [signature_path(path)]
        path.write_text(signed_text, encoding="utf-8")
        [taken] = take_in([back], data, BACKENDS, examples, known_as(alice))
        assert (taken.new, taken.signed.state) == (not is_here, State.IN_SIGNED_LIST)
    # Nobody adds to a list that was changed, nor to one of which that cannot be told: the signature, which tells it, would go.
    for text, environment, told in (
        (there, {}, "Restore own_records.txt from version control"),
        (signed_text, {"PATH": ""}, "is not checked: there is no minisign that answers. .* has room"),
    ):
        path.write_text(text, encoding="utf-8")
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            for add in (
                lambda: add_own_records(data.root, {"1" * 64: f"torch-2.13.0/gloo-cpu-2-{'1' * 64}"}),
                lambda: list_own(data.root),
            ):
                with pytest.raises(DataError, match=told):
                    add()
        assert (path.read_text(encoding="utf-8"), signature_path(path).exists()) == (text, True)
    path.write_text(signed_text, encoding="utf-8")
    # Who adds a record takes the signature away, and signs anew.
    made = {"1" * 64: f"torch-2.13.0/gloo-cpu-2-{'1' * 64}"}
    assert add_own_records(data.root, made) == (list(made.values()), True)
    assert not signature_path(path).exists()
    assert f"{'1' * 64}  torch-2.13.0/gloo-cpu-2\n" in path.read_text(encoding="utf-8")
    assert load(data.root).signed[ours].state is State.LISTED


@pytest.mark.parametrize("checkout", [True, False])
def test_what_a_user_of_an_installed_package_ran_is_not_listed_as_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: bool
) -> None:
    monkeypatch.setattr(own_records, "DATA", tmp_path)
    monkeypatch.setattr(own_records, "in_checkout", lambda: checkout)
    (tmp_path / "own_records.txt").touch()
    added = add_own_records(tmp_path, {"1" * 64: "torch-2.13.0/gloo-cpu-2"})
    assert len(added.runs) == len(load_own_records(tmp_path)) == checkout
    assert not added.unsigned


@needs_minisign
def test_what_is_no_secret_key_signs_nothing(tmp_path: Path, alice: Key) -> None:
    path = tmp_path / "own_records.txt"
    path.write_text("")
    for key in (alice.public, tmp_path / "absent", tmp_path):
        with pytest.raises(ApidiffError, match="was not signed"):
            sign(path, key)
        assert not signature_path(path).exists()


def test_a_former_record_of_this_project_is_not_taken_in_again(database: Data) -> None:
    """What the history of the repository holds is in the list still, and would decide beside what replaced it."""
    run, record = database.runs[0]
    former = msgspec.structs.replace(record, date="2026-01-01T00:00:00Z")
    [(found, _)] = about_former("torch-2.13.0/former", former, database)
    assert found.startswith(f"is a former record of this project, and {run} is of the same place")
    assert list(about_former(run, record, database)) == []
    later = msgspec.structs.replace(record, date="2999-01-01T00:00:00Z")
    assert list(about_former("torch-2.13.0/later", later, database)) == []
    signed = database.signed | {"torch-2.13.0/former": database.signed[run]}
    beside = dataclasses.replace(database, runs=[*database.runs, ("torch-2.13.0/former", former)], signed=signed)
    told = [
        error for error in record_errors(beside, accepted(beside, BACKENDS, {}), []) if "is a former" in error.found
    ]
    assert [record_stem(error.path) for error in told] == ["former"]
