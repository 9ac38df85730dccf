"""Mappings that are kept: what is taken over is what would be made, and anything they are made from makes them anew."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database import Data, load
from apidiff.database.expansion import Expander
from apidiff.database.paths import DATA
from apidiff.folder_walk import visible_files

MINT = "mindspore.mint.distributed.broadcast"
PROFILES = """\
sends:
  about: What is sent by one rank.
  category: collective
  source:
    probes: {sync: {set: {tensor: {shape: [3]}, src: 0}}}
    claims:
      keeps: {keeps: tensor, ranks: root, by: [sync, never]}
  caveats: {keeping: {kind: in_place, risk: none, source: keeps, note: kept}}
  targets: {mint: {since: "2.5"}}
spare: {about: Nobody names it., category: collective}
"""
NOTES = "kept: {en: Kept., zh: 保持。}\nspare: {en: Spare., zh: 闲置。}\n"
RECORD = f"profile: sends\nsummary: {{en: Copies., zh: 复制。}}\ntargets: {{{MINT}: {{}}}}\n"
DOCUMENTS = "page: {title: T, url: https://example.org, framework: torch, version: '2.13'}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data folder with one mapping, a profile and a note that it names, one of each that it does not, and its script."""
    root = tmp_path / "data"
    root.mkdir()
    (root / "signatures").mkdir()
    for name in ("torch-2.13.0.json", "mindspore-2.10.0.json"):
        shutil.copy(DATA / "signatures" / name, root / "signatures" / name)
    files = {
        "profiles/sends.yaml": PROFILES,
        "notes.yaml": NOTES,
        "documents.yaml": DOCUMENTS,
        "frameworks.yaml": "torch: []\nmindspore: [{version: '2.10.0'}]\n",
        "mappings/torch/distributed/broadcast.yaml": RECORD,
        "examples/torch.distributed.broadcast/torch_example.py": '"""Prints.\n\n1\n"""\nprint(1)\n',
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def expanded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The mappings that were expanded and not taken over."""
    names: list[str] = []
    plain = Expander.expand
    monkeypatch.setattr(Expander, "expand", lambda self, path, name: names.append(name) or plain(self, path, name))
    return names


def told(data: Data) -> dict[str, object]:
    """Everything that was read; what is wrong as words."""
    fields = {field.name: getattr(data, field.name) for field in dataclasses.fields(data)}
    return {name: list(map(str, fields[name])) if name in {"unneeded", "unused"} else fields[name] for name in fields}


def changed(name: str, before: str, after: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        text = (root / name).read_text(encoding="utf-8")
        assert before in text
        (root / name).write_text(text.replace(before, after), encoding="utf-8")

    return edit


def _with_signature(root: Path) -> None:
    path = root / "signatures" / "torch-2.13.0.json"
    text = json.loads(path.read_text("utf-8"))
    text["unreadable"]["torch.nothing"] = "made up"
    path.write_text(json.dumps(text), encoding="utf-8")


def _without_script(root: Path) -> None:
    shutil.rmtree(root / "examples" / "torch.distributed.broadcast")


EDITS: dict[str, Callable[[Path], None]] = {
    "record": changed("mappings/torch/distributed/broadcast.yaml", "Copies.", "Sends."),
    "line of a record": changed("mappings/torch/distributed/broadcast.yaml", "profile:", "\nprofile:"),
    "profile": changed("profiles/sends.yaml", "ranks: root", "ranks: others"),
    "note": changed("notes.yaml", "Kept.", "Left."),
    "document": changed("documents.yaml", "title: T", "title: U"),
    "signatures": _with_signature,
    "script": _without_script,
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_an_edit_expands_anew(root: Path, tmp_path: Path, expanded: list[str], edit: Callable[[Path], None]) -> None:
    keep = tmp_path / "keep"
    assert told(load(root, keep)) == told(load(root))
    expanded.clear()
    assert told(load(root, keep)) == told(load(root))
    assert expanded == ["torch.distributed.broadcast"]  # by the second, which keeps nothing
    edit(root)
    expanded.clear()
    assert told(load(root, keep)) == told(load(root))
    assert len(expanded) == 2


def test_what_only_kept_mappings_name_is_used(root: Path, tmp_path: Path) -> None:
    for _ in range(2):
        unused = list(map(str, load(root, tmp_path / "keep").unused))
        assert [line.partition(": ")[2].partition(".")[0] for line in unused] == [
            "no record names the profile 'spare'",
            "claim 'keeps' of a profile names the probe 'never', which no API of its records has",
            "nothing names the note 'spare'",
        ]


@pytest.mark.parametrize(
    "edit",
    [
        changed("mappings/torch/distributed/broadcast.yaml", "profile: sends", "profile: [sends"),
        changed("mappings/torch/distributed/broadcast.yaml", "profile:", "notes: {lone: {en: A., zh: 甲。}}\nprofile:"),
    ],
    ids=["broken", "a note that nothing names"],
)
def test_what_is_wrong_with_a_record_is_told_each_time(
    root: Path, tmp_path: Path, edit: Callable[[Path], None]
) -> None:
    edit(root)
    for _ in range(2):
        found, plain = load(root, tmp_path / "keep"), load(root)
        wrong = [list(map(str, [*data.broken, *data.unneeded])) for data in (found, plain)]
        assert wrong[0] == wrong[1]
        assert wrong[0]


def test_other_code_expands_anew(
    root: Path, tmp_path: Path, expanded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = tmp_path / "code.py"
    monkeypatch.setattr("apidiff.database.kept_mappings._code_files", lambda: [code])
    for text, again in (("one = 1\n", 1), ("one = 1\n", 0), ("one = 2\n", 1)):
        code.write_text(text)
        expanded.clear()
        load(root, tmp_path / "keep")
        assert len(expanded) == again


@pytest.mark.parametrize(
    "damage",
    [
        lambda left: left[:40],
        lambda left: left[:32] + b"x" * 50,
        lambda left: b"",
        lambda left: left.replace(b"Copies.", b"Moves.."),
        lambda left: left.replace(b"Copies.", b"Copies\xff"),
    ],
    ids=["cut", "no mapping", "empty", "edited", "no UTF-8"],
)
def test_a_damaged_or_edited_file_is_made_anew(
    root: Path, tmp_path: Path, expanded: list[str], damage: Callable[[bytes], bytes]
) -> None:
    load(root, tmp_path / "keep")
    (file,) = (tmp_path / "keep").iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert file.read_bytes() != whole
    expanded.clear()
    assert told(load(root, tmp_path / "keep")) == told(load(root))
    assert len(expanded) == 2  # the second keeps nothing
    assert file.read_bytes() == whole


def test_what_is_kept_of_a_mapping_that_is_gone_is_removed(root: Path, tmp_path: Path) -> None:
    load(root, tmp_path / "keep")
    record = root / "mappings" / "torch" / "distributed" / "broadcast.yaml"
    record.rename(record.with_name("other.yaml"))
    load(root, tmp_path / "keep")
    assert [file.name for file in (tmp_path / "keep").iterdir()] == ["torch.distributed.other.msgpack"]


def test_mappings_are_read_where_none_can_be_kept(root: Path, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.write_text("no folder")
    assert told(load(root, keep)) == told(load(root))
    keep.unlink()
    keep.mkdir()
    os.mkfifo(keep / "torch.distributed.broadcast.msgpack")
    assert told(load(root, keep)) == told(load(root))


def test_all_mappings_of_the_project_are_taken_over_as_they_are(tmp_path: Path) -> None:
    load(keep=tmp_path)
    kept, plain = told(load(keep=tmp_path)), told(load())
    assert [name for name in plain if kept[name] != plain[name]] == []
    assert len(kept["mappings"]) == len(visible_files(DATA / "mappings", "**/*.yaml"))
