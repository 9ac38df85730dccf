"""`apidiff show` prints a record as it is written, but nothing that steers a terminal or hides what stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.cli import main


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("summary:\r\n\tzh: 中文\u3000é 😀\r\n", "summary:\r\n\tzh: 中文\u3000é 😀\r\n"),
        ("# a\x1b[31m\u202eb\n", "# a\\x1b[31m\\u202eb\n"),
        ("# hidden\rcategory: query\n", "# hidden\\rcategory: query\n"),
    ],
)
def test_a_record_as_it_is_written(
    content: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("apidiff.cli.show.DATA", tmp_path)
    path = tmp_path / "mappings/torch/f.yaml"
    path.parent.mkdir(parents=True)
    path.write_bytes(content.encode())
    assert main(["show", "torch.f"]) == 0
    assert capfdbinary.readouterr().out == shown.encode()


def test_an_expanded_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("apidiff.cli.show.DATA", tmp_path)
    (tmp_path / "mappings/torch").mkdir(parents=True)
    (tmp_path / "mappings/torch/f.yaml").touch()
    record = {"summary": {"en": "a\u202eb", "zh": "中文"}, "category": "query"}
    monkeypatch.setattr("apidiff.cli.show.expanded_record", lambda root, name: record)
    assert main(["show", "torch.f", "--expanded"]) == 0
    assert capsys.readouterr().out == "summary: {en: a\\u202eb, zh: 中文}\ncategory: query\n"
