"""What is taken in of records made elsewhere, and how they are read from then on."""

from __future__ import annotations

import lzma
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from minisign_keys import Key, known_as, needs_minisign
from sent_records import BACKENDS, TENSOR, UNKNOWN_SIGNATURE, edited, put, sent

from apidiff.database import Data, DataError, InvalidData, load, with_runs_of_now
from apidiff.database import data as database_data
from apidiff.database.data import _sharing, load_one_run
from apidiff.database.examples import load_examples
from apidiff.database.own_records import add_own_records, without_measurer
from apidiff.database.paths import examples_folder
from apidiff.database.runs import (
    MAX_ROOM,
    Reading,
    load_runs,
    room_of,
    run_id,
    runs_meant,
    short_id,
    signature_path,
    whole_digest,
)
from apidiff.errors import Damage
from apidiff.execute.record import encode, write_record
from apidiff.execute.submissions import intake
from apidiff.execute.submissions.intake import accepted, take_in
from apidiff.execute.submissions.known_probes import specs_of_today
from apidiff.execute.submissions.record_validation import Accepted, record_errors
from apidiff.judge import make_context
from apidiff.lookup.record_trial import record_trial
from apidiff.model.claim_probes import Examples
from apidiff.model.sample_run import SINGLE_SCHEMA, SingleRecord
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord, TensorDump
from apidiff.model.trust import Trust


def test_a_record_is_taken_in_beside_ours_and_once(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    path = sent(tmp_path, encode(record))
    ((written, new, *_),) = take_in([path], data, BACKENDS, examples, {})
    assert new
    assert written.read_bytes() == path.read_bytes()
    assert len(load_runs(data.root / "runs")) == 2
    assert take_in([path], load(data.root), BACKENDS, examples, {}) == [(written, False, Signed(), 0, 5)]
    assert len(load_runs(data.root / "runs")) == 2
    # Recording anew takes the place of our own record, not of theirs.
    (_, mine) = next(one for one in data.runs)
    write_record(msgspec.structs.replace(mine, date="2026-01-01T00:00:00Z"), data.root / "runs")
    assert sorted(one.measured_by or "" for _, one in load_runs(data.root / "runs")) == ["", "a cluster elsewhere"]


@pytest.mark.parametrize(
    "stand_in", [lambda path: path.write_bytes(b"{"), lambda path: path.touch(), Path.mkdir, os.mkfifo]
)
def test_what_else_bears_the_name_of_a_record_is_told(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, stand_in: Callable[[Path], object]
) -> None:
    path = sent(tmp_path, encode(record))
    ((written, *_),) = take_in([path], data, BACKENDS, examples, {})
    written.unlink()
    stand_in(written)
    with pytest.raises((DataError, OSError)) as told:
        take_in([path], load(data.root), BACKENDS, examples, {})
    assert str(written) in str(told.value)


def _packed(written: Path) -> Path:
    packed = written.with_suffix(".json.xz")
    packed.write_bytes(lzma.compress(written.read_bytes()))
    written.unlink()
    return packed


def test_a_record_that_lies_there_packed_is_not_written_again(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    path = sent(tmp_path, encode(record))
    ((written, *_),) = take_in([path], data, BACKENDS, examples, {})
    packed = _packed(written)
    signature_path(packed).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    ((again, new, found, *_),) = take_in([path], load(data.root), BACKENDS, examples, {})
    assert (again, new, found.state) == (packed, False, State.UNKNOWN_KEY)
    assert not written.exists()


def test_a_signature_of_a_record_that_lies_there_packed_is_not_taken_in(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    """It would lie there twice, which no check lets pass."""
    path = sent(tmp_path, encode(record))
    ((written, *_),) = take_in([path], data, BACKENDS, examples, {})
    packed = _packed(written)
    signature_path(path).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    with pytest.raises(InvalidData) as told:
        take_in([path], load(data.root), BACKENDS, examples, {})
    assert f"signs a record that lies here packed, as {packed}. Unpack that first." in str(told.value)
    assert not written.exists()
    assert not signature_path(written).exists()


@pytest.mark.turning(days=4)
@pytest.mark.parametrize("signed", [(), (0,), (1,), (0, 1)])
def test_a_record_that_is_given_twice_is_taken_once(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, signed: tuple[int, ...]
) -> None:
    paths = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        paths.append(sent(tmp_path / str(number), encode(record)))
        if number in signed:
            signature_path(paths[-1]).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    ((written, new, found, *_),) = take_in(paths, data, BACKENDS, examples, {})
    assert (new, found.state) == (True, State.UNKNOWN_KEY if signed else State.UNSIGNED)
    assert signature_path(written).exists() == bool(signed)


def test_a_record_that_is_given_with_two_signatures_is_refused(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    paths = [sent(tmp_path, encode(record))]
    signature_path(paths[0]).write_text(UNKNOWN_SIGNATURE, encoding="utf-8")
    (tmp_path / "other").mkdir()
    paths.append(sent(tmp_path / "other", encode(record)))
    signature_path(paths[1]).write_text(UNKNOWN_SIGNATURE.replace("a comment", "another"), encoding="utf-8")
    with pytest.raises(InvalidData, match="is another signature than that of"):
        take_in(paths, data, BACKENDS, examples, {})
    assert len(load_runs(data.root / "runs")) == 1


def test_a_record_of_a_former_version_is_taken_and_says_what_is_asked_otherwise(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, fits: Accepted
) -> None:
    today = set(specs_of_today(data, examples))
    asked = {(api, probe) for api, probe, _ in today}
    api, probe, spec = min(one for one in fits.specs - today if one[:2] in asked)
    former = msgspec.structs.replace(record.probes[0], api=api, probe=probe, spec=spec)
    runs = [former, *record.probes]
    path = sent(tmp_path, encode(msgspec.structs.replace(record, probes=runs)))
    ((*_, changed, probes),) = take_in([path], data, BACKENDS, examples, {})
    assert (changed, probes) == (1, len(runs))


@pytest.mark.parametrize("which", ["the record", "its signature"])
def test_a_pipe_is_not_waited_for(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, which: str
) -> None:
    path = sent(tmp_path, encode(record))
    pipe = path if which == "the record" else signature_path(path)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(InvalidData, match=r"cannot be read \(it is no regular file\)") as caught:
        take_in([path], data, BACKENDS, examples, {})
    assert [error.path for error in caught.value.errors] == [pipe]


def _single(folder: Path, **changes: object) -> Path:
    """Write a record of single calls, and return the path by which the check names it."""
    made = SingleRecord(
        schema=SINGLE_SCHEMA,
        suite_version="0",
        framework="torch",
        framework_version="2.13.0",
        device="cpu",
        date="2026-01-01T00:00:00Z",
        os="Linux",
        python="3.11.7",
        machine="x86_64",
        cores=2,
        packages={"torch": "2.13.0"},
    )
    content = encode(msgspec.structs.replace(made, **changes))
    path = folder / f"single-cpu-{whole_digest(content)}.json"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        (f"x\n{'1' * 64}  torch-2.13.0", "gloo-cpu-2-{digest}.json"),
        ("torch-2.13.0", "gloo-cpu-2.json"),
        ("torch-2.13.0", "gloo cpu-2-{digest}.json"),
    ],
)
def test_a_name_that_is_none_of_a_record_is_not_listed(
    tmp_path: Path, record: RunRecord, folder: str, name: str
) -> None:
    content = encode(msgspec.structs.replace(record, measured_by=None))
    path = tmp_path / folder / name.format(digest=whole_digest(content))
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"holds the run 'torch-2\.13\.0/gloo-cpu-2'|its name says 2"):
        without_measurer(tmp_path, ())


def test_what_is_listed_already_is_not_read_again(tmp_path: Path, record: RunRecord) -> None:
    path = write_record(msgspec.structs.replace(record, measured_by=None), tmp_path / "runs")
    digest = path.stem.rpartition("-")[2]
    assert without_measurer(tmp_path / "runs", ()) == {digest: run_id(path)}
    path.write_bytes(b"")
    assert without_measurer(tmp_path / "runs", {digest}) == {}


def test_what_lies_in_the_folder_is_checked_by_the_same_rules(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    """Files that were committed and not taken in: each is named, none stops the others."""
    folder = data.root / "runs" / "torch-2.13.0"
    changes = {
        "does not say who measured, and is not in the list": {"measured_by": None},
        "was made on -7 cores": {"cores": -7},
        "has the date 2999-01-01T00:00:00Z": {"date": "2999-01-01T00:00:00Z"},
        "which names nobody": {"measured_by": "this project"},
        "of no known version": {"probes": [msgspec.structs.replace(record.probes[0], spec="0" * 12)]},
    }
    written = {
        message: sent(folder, encode(msgspec.structs.replace(record, **change)), whole=True)
        for message, change in changes.items()
    }
    (folder / "gloo-cpu-2-000000000000.json").write_bytes(b"[" * 100_000)
    os.mkfifo(folder / "gloo-cpu-3-000000000000.json")
    packed = written["does not say who measured, and is not in the list"].with_suffix(".json.xz")
    packed.write_bytes(lzma.compress(written["does not say who measured, and is not in the list"].read_bytes()))
    written["does not say who measured, and is not in the list"].unlink()
    written["does not say who measured, and is not in the list"] = packed
    written["which says what only a signature can show"] = _single(folder, measured_by="signed by the lab")
    there = load(data.root)
    errors = list(record_errors(there, accepted(there, BACKENDS, examples), ()))
    for message, path in written.items():
        assert any(error.path == path and message in str(error) for error in errors), message
    assert {error.path.name for error in there.damaged} >= {
        "gloo-cpu-2-000000000000.json",
        "gloo-cpu-3-000000000000.json",
    }
    # The record of ours is there and has no fault.
    [(ours, _)] = data.runs
    assert there.signed[ours].trust is Trust.PROJECT
    assert not [error for error in errors if error.path.stem in ours]


def test_a_record_under_a_part_of_its_digest_is_not_read(data: Data, record: RunRecord) -> None:
    """Twelve digits can be met by a second record in minutes: under a name that holds no more, none is read."""
    [(ours, _)] = data.runs
    there = data.root / "runs" / f"{ours}.json"
    place, _, digest = ours.rpartition("-")
    former = data.root / "runs" / f"{place}-{digest[:12]}.json"
    there.rename(former)
    read = load(data.root)
    assert (read.runs, read.unsigned_runs) == ([], [])
    [error] = read.damaged
    assert (error.path, error.found) == (former, "its name ends in a part of its digest only")
    assert f"git mv {former.name} {there.name}" in str(error)
    # Another record, however its first digits, is neither read under the whole name nor as ours.
    there.write_bytes(encode(msgspec.structs.replace(record, measured_by=None)))
    assert {error.path for error in load(data.root).damaged} == {there, former}


def test_runs_are_read_anew_with_who_vouches_for_them(data: Data, record: RunRecord) -> None:
    """What `load` would find of them after a run has written its record, without the rest of the data."""
    hers = write_record(record, data.root / "runs")
    ours = write_record(msgspec.structs.replace(record, measured_by=None, world_size=3), data.root / "runs")
    now, anew = with_runs_of_now(data), load(data.root)
    assert (now.runs, now.unsigned_runs, now.signed) == (anew.runs, anew.unsigned_runs, anew.signed)
    assert [key for key, _ in now.unsigned_runs] == [run_id(hers)]
    assert run_id(ours) in dict(now.runs)
    assert now.mappings is data.mappings


def test_records_that_share_twelve_digits_are_told_apart() -> None:
    first, second = (f"torch-2.13.0/gloo-cpu-3-{'0123456789ab' + digit * 52}" for digit in "12")
    other = f"torch-2.13.0/gloo-cpu-13-{'f' * 64}"
    runs = [first, second, other]
    assert runs_meant(first, runs) == runs_meant(first.rpartition("-")[2][:13], runs) == [first]
    assert runs_meant(short_id(first), runs) == runs_meant("0123", runs) == [first, second]
    assert runs_meant(short_id(other), runs) == runs_meant("cpu-13-ffff", runs) == runs_meant("ffff", runs) == [other]
    for nothing in ("", "-", "fff", "3-ffff", "FFFF", "cpu-13", "gloo-cpu-13-", f"{other}0"):
        assert runs_meant(nothing, runs) == []


@pytest.fixture(scope="module")
def pair() -> tuple[Path, Path]:
    """Two records that were made to share twelve digits, by trying 24 million values of ``measured_by``: half a minute."""
    first, second = sorted((Path(__file__).parent / "same_twelve_digits").iterdir())
    assert short_id(run_id(first)) == short_id(run_id(second))
    assert all(whole_digest(path.read_bytes()) in path.name for path in (first, second))
    return first, second


def test_a_record_that_is_shown_by_the_id_of_another_is_refused(
    data: Data, examples: Examples, pair: tuple[Path, Path]
) -> None:
    with pytest.raises(
        InvalidData, match=r"would be shown as torch-2[.]13[.]0/gloo-cpu-2-4b624b11b2e1, as is another"
    ) as both:
        take_in(pair, data, BACKENDS, examples, {})
    assert [error.path for error in both.value.errors] == [pair[1]]
    assert len(list((data.root / "runs").glob("*/*"))) == 1
    [taken] = take_in(pair[:1], data, BACKENDS, examples, {})
    there = load(data.root)
    with pytest.raises(InvalidData, match="would be shown as") as second:
        take_in(pair[1:], there, BACKENDS, examples, {})
    assert str(pair[1]) in str(second.value)
    assert run_id(taken.path) in str(second.value)
    [again] = take_in(pair[:1], there, BACKENDS, examples, {})
    assert not again.new


def test_a_former_record_of_ours_that_comes_back_counts_nothing_twice(data: Data, examples: Examples) -> None:
    """Anybody may send what this project's history holds: 194 of them raised the number of observations by half."""
    folder = data.root / "runs" / "torch-2.13.0"
    [(ours, record)] = data.runs
    former = sent(folder, encode(msgspec.structs.replace(record, date="2026-01-02T03:04:05Z")), whole=True)
    add_own_records(data.root, {whole_digest(former.read_bytes()): "torch-2.13.0/gloo-cpu-2"})
    there = load(data.root)
    assert len(there.runs) == 2
    [error] = [one for one in record_errors(there, accepted(there, BACKENDS, examples), ()) if "former" in str(one)]
    assert error.path == former
    assert f"{ours} is of the same place" in str(error)


def test_of_records_that_are_shown_by_one_id_none_is_picked(
    data: Data, examples: Examples, pair: tuple[Path, Path]
) -> None:
    folder = data.root / "runs" / "torch-2.13.0"
    first, second = (Path(shutil.copy(path, folder)) for path in pair)
    there = load(data.root)
    assert [run for run, _ in there.every_run] == [data.runs[0][0]]
    assert {error.path: error.found.rpartition("is ")[2] for error in there.damaged} == {
        first: whole_digest(second.read_bytes()),
        second: whole_digest(first.read_bytes()),
    }
    errors = record_errors(there, accepted(there, BACKENDS, examples), ())
    assert {first, second} <= {error.path for error in errors}
    # The one that the list of this project's records has keeps its ID.
    add_own_records(data.root, {whole_digest(first.read_bytes()): "torch-2.13.0/gloo-cpu-2"})
    there = load(data.root)
    assert run_id(first) in dict(there.runs)
    assert [error.path for error in there.damaged] == [second]


# (who vouches for each of two records that are shown by one ID; which of them are kept)
SHARING = [
    ((State.LISTED, State.UNSIGNED), [0]),
    ((State.LISTED, State.VERIFIED), [0]),
    ((State.VERIFIED, State.ATTESTED), [1]),
    ((State.UNSIGNED, State.VERIFIED), [1]),
    ((State.VERIFIED, State.VERIFIED), []),
    ((State.LISTED, State.ATTESTED), []),
    ((State.UNSIGNED, State.UNSIGNED), []),
]


@pytest.mark.parametrize(("states", "kept"), SHARING)
def test_this_projects_record_keeps_its_id(states: tuple[State, State], kept: list[int]) -> None:
    """Who signs a record that is shown by the ID of one of ours takes nothing from it."""
    runs = [f"torch-2.13.0/gloo-cpu-2-0123456789ab{end * 52}" for end in "ef"]
    signed = {run: Signed(state=state) for run, state in zip(runs, states, strict=True)}
    assert [at for at, run in enumerate(runs) if run not in _sharing(Path("data"), signed)] == kept


def test_a_record_with_which_a_command_would_fail_is_not_written(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path
) -> None:
    context = make_context(BACKENDS, load_examples(examples_folder()), data.signatures)
    trial = record_trial(data, BACKENDS, context)
    path = sent(tmp_path, encode(record))
    trial(path, record)
    tensor = msgspec.convert(TENSOR | {"dtype": "nonsense", "values": [1, 2, 3]}, TensorDump)
    probes = [
        msgspec.structs.replace(
            run,
            ranks=[
                msgspec.structs.replace(trace, returned=tensor, after=dict.fromkeys(trace.after, tensor))
                for trace in run.ranks
            ],
        )
        for run in record.probes
    ]
    with pytest.raises(DataError, match="cannot be judged: KeyError") as caught:
        trial(path, msgspec.structs.replace(record, probes=probes))
    assert caught.value.path == path


def test_no_more_is_looked_at_than_is_sent_by_one(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty zips of 50 kB held 57 records of 8 MB: to refuse them all took more than a minute."""
    path = sent(tmp_path, encode(record))
    monkeypatch.setattr(intake, "MAX_TOGETHER", 3 * path.stat().st_size)
    before = load_runs(data.root / "runs")
    with pytest.raises(InvalidData) as caught:
        take_in([path] * 5, data, BACKENDS, examples, {})
    assert "makes more than 0 MiB of records with those before it. Send fewer at a time." in str(caught.value)
    assert len(caught.value.errors) == 1
    assert load_runs(data.root / "runs") == before
    assert len(take_in([path] * 3, data, BACKENDS, examples, {})) == 1


def test_all_are_taken_in_or_none(data: Data, examples: Examples, record: RunRecord, tmp_path: Path) -> None:
    good = sent(tmp_path, encode(record))
    bad = sent(tmp_path, edited(record, put("probes", 0, "spec")("0" * 12)))
    before = load_runs(data.root / "runs")
    with pytest.raises(InvalidData) as caught:
        take_in([good, bad, tmp_path / "absent.json"], data, BACKENDS, examples, {})
    assert [error.path for error in caught.value.errors] == [bad, tmp_path / "absent.json"]
    assert [error.__traceback__ for error in caught.value.errors] == [None, None], "it would hold the whole record"
    assert load_runs(data.root / "runs") == before


@needs_minisign
def test_what_would_not_be_read_is_not_taken_in(
    data: Data, examples: Examples, record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alice: Key
) -> None:
    """Of the records that others made a part is read only; those that are there keep their room."""
    first, second, third = (
        sent(tmp_path, encode(msgspec.structs.replace(record, measured_by=f"lab {one}"))) for one in "abc"
    )
    for trust in (Trust.UNSIGNED, Trust.SIGNED):
        monkeypatch.setitem(MAX_ROOM[trust], RunRecord, int(1.5 * room_of(first.read_bytes())))
    with pytest.raises(InvalidData, match="is one too many") as caught:
        take_in([first, second], data, BACKENDS, examples, {})
    assert [error.path for error in caught.value.errors] == [second]
    take_in([first], data, BACKENDS, examples, {})
    there = load(data.root)
    assert (len(there.unsigned_runs), there.taken_room[Trust.UNSIGNED]) == (1, room_of(first.read_bytes()))
    with pytest.raises(InvalidData, match="is one too many"):
        take_in([second], there, BACKENDS, examples, {})
    take_in([first], there, BACKENDS, examples, {})  # it is there
    alice.sign(second)
    ((_, new, *_),) = take_in([second], there, BACKENDS, examples, known_as(alice))
    assert new
    # Those that are signed have room of their own, also for one that is there without a signature.
    monkeypatch.setattr("apidiff.database.data.load_signers", lambda: known_as(alice))
    there = load(data.root)
    assert there.taken_room == {trust: room_of(first.read_bytes()) for trust in (Trust.UNSIGNED, Trust.SIGNED)}
    alice.sign(first)
    alice.sign(third)
    for path in (first, third):
        with pytest.raises(InvalidData, match="is one too many: the records that known signers signed"):
            take_in([path], there, BACKENDS, examples, known_as(alice))
    take_in([second], there, BACKENDS, examples, known_as(alice))  # it is there


def test_one_record_that_is_signed_is_read_alone_by_the_bound_of_such(
    data: Data, record: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MAX_ROOM[Trust.UNSIGNED], RunRecord, 1)
    path = write_record(record, data.root / "runs")
    with pytest.raises(DataError, match="for which nobody known vouches"):
        load_one_run(data.root, path)
    by_lab = Signed(state=State.VERIFIED, signer="Lab")
    monkeypatch.setattr(database_data, "load_signed", lambda _root, runs, _signers: dict.fromkeys(runs, by_lab))
    assert load_one_run(data.root, path) == (record, by_lab)


def test_a_record_that_is_one_too_many_keeps_nobody_from_recording(
    data: Data, record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MAX_ROOM[Trust.UNSIGNED], RunRecord, 1)
    write_record(record, data.root / "runs")
    there = load(data.root)
    assert [error.damage for error in there.damaged] == [Damage.TOO_MANY]
    assert there.unfit == []


def test_a_stranger_says_who_he_is(data: Data, examples: Examples, record: RunRecord, tmp_path: Path) -> None:
    path = sent(tmp_path, encode(msgspec.structs.replace(record, measured_by=None)))
    before = load_runs(data.root / "runs")
    with pytest.raises(InvalidData, match="does not say who measured"):
        take_in([path], data, BACKENDS, examples, {})
    assert load_runs(data.root / "runs") == before
    # A record of this project that comes back is the one that is here.
    ours = min((data.root / "runs").glob("*/*.json"))
    ((written, new, *_),) = take_in([ours], load(data.root), BACKENDS, examples, {})
    assert (written, new) == (ours, False)


def test_a_record_that_comes_while_the_others_are_read_is_read(
    data: Data, record: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its signature is looked at, too: the files are listed twice."""
    before = len(load(data.root).every_run)
    listed = database_data.load_runs

    def load_with_another(runs: Path, reading: Reading) -> list[tuple[str, RunRecord]]:
        write_record(record, runs)
        return listed(runs, reading)

    monkeypatch.setattr(database_data, "load_runs", load_with_another)
    there = load(data.root)
    assert len(there.every_run) == before + 1
    assert [there.signed[key].state for key, _ in there.unsigned_runs] == [State.UNSIGNED]
