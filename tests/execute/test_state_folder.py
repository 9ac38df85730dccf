"""Where runs leave what they leave, and what becomes of them where there is no such place."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from apidiff.errors import ApidiffError
from apidiff.execute import state_folder as module
from apidiff.execute.record import mark_written_here, was_written_here
from apidiff.execute.remote import Place
from apidiff.execute.remote.secret import SECRET, make_secret, read_secret
from apidiff.execute.remote.worker import _connect
from apidiff.execute.state_folder import state_folder
from tests.faults.files import room_for


@pytest.fixture(params=[None, "~", "below/here"])
def homeless(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, of a user whom the system does not know."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])
    for name in ("XDG_STATE_HOME", "HOME", SECRET):
        monkeypatch.delenv(name, raising=False)
    if request.param is not None:
        monkeypatch.setenv("HOME", request.param)
    return tmp_path


def test_a_user_without_a_home_folder_is_told_what_to_set(homeless: Path) -> None:
    with pytest.raises(ApidiffError, match="Set XDG_STATE_HOME to a folder that can be written"):
        state_folder()


@pytest.mark.parametrize("path", ["~/.local/state/apidiff", "below/apidiff"])
def test_a_path_below_the_current_folder_is_none(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases of platformdirs before 4.14 answer such."""
    monkeypatch.setattr(module, "user_state_path", lambda *_, **__: Path(path))
    with pytest.raises(ApidiffError, match="Set XDG_STATE_HOME"):
        state_folder()


def test_a_user_without_a_home_folder_takes_records_in(homeless: Path) -> None:
    record = homeless / "record.json"
    record.write_bytes(b"{}")
    mark_written_here(record)
    assert not was_written_here(record)
    assert list(homeless.iterdir()) == [record]


def test_a_line_that_a_full_disk_cut_swallows_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    records = [tmp_path / name for name in ("first", "second", "third")]
    for record in records:
        record.write_bytes(b"{}")
    mark_written_here(records[0])
    for room in range(90):
        with room_for((tmp_path / "apidiff" / "recorded").stat().st_size + room):
            mark_written_here(records[1])
        assert was_written_here(records[0])
        assert not was_written_here(records[1])
        mark_written_here(records[2])
        assert was_written_here(records[2])
        (tmp_path / "apidiff" / "recorded").unlink()
        mark_written_here(records[0])


def test_a_launched_process_without_a_home_folder_needs_a_secret_that_is_given(
    homeless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place("torchrun", 1, 2, 0, "127.0.0.1", 9, "job")
    for ask in (lambda: make_secret(place), lambda: read_secret(place), lambda: _connect(place, 0)):
        with pytest.raises(ApidiffError, match="Set XDG_STATE_HOME"):
            ask()
    monkeypatch.setenv(SECRET, "a secret of this run")
    with pytest.raises(ApidiffError, match="does not reach rank 0"):
        _connect(place, 0)
    assert list(homeless.iterdir()) == []
