"""What `apidiff verify --record` writes of calls in single processes: a record of each framework."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from apidiff.cli import samples
from apidiff.database import Data
from apidiff.database.devices import load_devices
from apidiff.errors import ApidiffError
from apidiff.execute.single.record import make_record
from apidiff.verification.samples import SingleResult


@contextmanager
def progress(_title: str) -> Iterator[Callable[[int, int, str], None]]:
    yield lambda _done, _total, _what: None


def test_of_a_pair_that_cannot_be_written_whole_it_is_told_what_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the first framework can be written, that of the second cannot: a disk that just became full."""
    cpu = {one.framework: one for one in load_devices() if one.device == "cpu"}
    records = [make_record(cpu["torch"], "2.13.0", [], []), make_record(cpu["mindspore"], "2.10.0", [], [])]
    monkeypatch.setattr(samples, "verify_samples", lambda *_, **__: SingleResult(records, {}, {}, [], compared=False))
    monkeypatch.setattr(samples, "devices_here", lambda *_: [])
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "mindspore-2.10.0").write_text("in the way")
    args = argparse.Namespace(framework=None, device="cpu", record=True, measured_by="somebody")
    with pytest.raises(
        ApidiffError, match=r"mindspore-2\.10\.0.* Of the same calls this was written: .*torch-2\.13\.0"
    ):
        samples.run_samples(Data(tmp_path, {}, {}, {}), None, "written", args, progress)
    assert [path.parent.name for path in tmp_path.rglob("*.json*")] == ["torch-2.13.0"]
