"""One damaged file stops nothing but what is made of it: it is named, and the rest is read."""

from __future__ import annotations

import gc
import os
import shutil
import weakref
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from unlisted_folders import refuse_listing

from apidiff import cli
from apidiff.database import DataError, InvalidData, checks, load, load_valid
from apidiff.database.checks import passing_over, without_unusable
from apidiff.database.checks.subject import Subject
from apidiff.database.document_addresses import load_addresses
from apidiff.database.expansion import Expander, profiles
from apidiff.database.expansion.origins import Origin
from apidiff.database.expansion.signatures import derive_signature_claims
from apidiff.database.odd_records import UNLIKE_OTHERS
from apidiff.database.own_records import add_own_records, load_own_records, own_records_path
from apidiff.database.paths import DATA
from apidiff.database.runs import run_id, signature_path
from apidiff.derive.counterparts import counterparts
from apidiff.derive.official import official_report
from apidiff.errors import Damage
from apidiff.folder_walk import visible_files
from apidiff.lookup import entry, knowledge
from apidiff.lookup.entry import entries
from apidiff.lookup.made_entries import made_entries
from apidiff.model.signed import State
from apidiff.sphinxext import site_content
from tests.faults.files import room_for

REDUCE, GATHER, ABS = "torch.distributed.reduce", "torch.distributed.gather", "torch.abs"
FOLDER = "mappings/torch/distributed"
REDUCED = f"{FOLDER}/reduce.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the data folder with a few mappings and no evidence."""
    for name in ("profiles", "official", "signatures"):
        shutil.copytree(DATA / name, tmp_path / name, symlinks=True)
    for path in [*visible_files(DATA, "*.yaml"), DATA / "own_records.txt"]:
        shutil.copy(path, tmp_path)
    for name in (REDUCE, GATHER, ABS):
        path = Path("mappings", *name.split(".")).with_suffix(".yaml")
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DATA / path, tmp_path / path)
    # Both name APIs that have no record here.
    for name in ("canonical_calls.yaml", "writing_rules.yaml"):
        (tmp_path / name).unlink()
    return tmp_path


def appended(text: bytes) -> Callable[[Path], None]:
    def append(path: Path) -> None:
        path.write_bytes(path.read_bytes() + text)

    return append


def replaced(old: str, new: str) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return replace


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


BROKEN_YAML = appended(b"\n]: [\n")
BAD_BYTES = appended(b"\xff\xfe\n")
# file, what is done to it, the mappings that cannot be made without it, what pages say of it
DAMAGED = [
    (f"{FOLDER}/reduce.yaml", BROKEN_YAML, {REDUCE}, Damage.SYNTAX),
    (f"{FOLDER}/reduce.yaml", BAD_BYTES, {REDUCE}, Damage.ENCODING),
    (f"{FOLDER}/reduce.yaml", emptied, {REDUCE}, Damage.FORM),
    (f"{FOLDER}/reduce.yaml", folder_instead, {REDUCE}, Damage.UNREADABLE),
    (f"{FOLDER}/reduce.yaml", replaced("profile: collective", "profile: of-nothing"), {REDUCE}, Damage.RULE),
    ("profiles/collective.yaml", BROKEN_YAML, {REDUCE, GATHER}, Damage.SYNTAX),
    ("profiles/collective.yaml", appended(b"\nsurplus: {surprise: 1}\n"), {REDUCE, GATHER}, Damage.FORM),
    ("notes.yaml", BROKEN_YAML, {REDUCE, GATHER}, Damage.SYNTAX),
    ("notes.yaml", appended(b"\nhalf: {en: Only English.}\n"), {REDUCE, GATHER}, Damage.FORM),
    ("signatures/mindspore-2.7.1.json", emptied, set(), Damage.FORM),
    ("signatures/mindspore-2.7.1.json", appended(b"}"), set(), Damage.FORM),
    ("signatures/mindspore-2.7.1.json", replaced('"2.7.1"', '"2..1"'), set(), Damage.FORM),
    ("signatures/mindspore-2.7.1.json", lambda path: path.write_bytes(b"[" * 100_000), set(), Damage.FORM),
    ("official/r2.4.10.yaml", BROKEN_YAML, set(), Damage.SYNTAX),
    ("mindspore_only.yaml", BAD_BYTES, set(), Damage.ENCODING),
    ("documented.yaml", BROKEN_YAML, set(), Damage.SYNTAX),
    ("documented.yaml", replaced("document: ", "document: no-"), set(), Damage.RULE),
    ("mindspore_only.yaml", replaced("document: ", "document: no-"), set(), Damage.RULE),
    ("official/r2.4.10.yaml", replaced("document: ", "document: no-"), set(), Damage.RULE),
    ("document_twins.yaml", BROKEN_YAML, set(), Damage.SYNTAX),
    ("document_addresses.yaml", BROKEN_YAML, set(), Damage.SYNTAX),
    ("uses.yaml", BROKEN_YAML, set(), Damage.SYNTAX),
    ("uses.yaml", replaced("{diffusers: ", "{diffusers: 999999999"), set(), Damage.FORM),
    ("profiles/everyday.yaml", replaced("[1, 2, 3]", "[1, 2, 18446744073709551616]"), {ABS}, Damage.FORM),
    (f"{FOLDER}/reduce.yaml", replaced("dst: 0", f"dst: {2**64}"), {REDUCE}, Damage.FORM),
    ("own_records.txt", BAD_BYTES, set(), Damage.FORM),
]


@pytest.mark.parametrize(("file", "damage", "gone", "said"), DAMAGED)
def test_a_damaged_file_is_named_and_the_rest_is_read(
    root: Path, file: str, damage: Callable[[Path], None], gone: set[str], said: Damage
) -> None:
    damage(root / file)
    data = load(root)
    [error] = data.broken
    assert (error.path, error.damage) == (root / file, said)
    assert data.mappings.keys() == {REDUCE, GATHER, ABS} - gone
    assert data.passed_over.keys() == gone
    made = entries(without_unusable(data))
    assert made.keys() == data.mappings.keys()
    assert counterparts(data, made)
    assert official_report(data, made)
    assert refusal(root) == [str(error)]


@pytest.mark.parametrize(
    "file", ["torch.abs.yaml", "torch/distributed.gather.yaml", "torch.distributed/gather.yaml", "torch.eye.yaml"]
)
def test_a_file_that_is_named_as_no_mapping_is_takes_nobodys_place(root: Path, file: str) -> None:
    """It took the place of the mapping of its ID, and every answer was of its text alone."""
    before, place = load(root), root / "mappings" / file
    place.parent.mkdir(exist_ok=True)
    text = (root / "mappings" / "torch" / "abs.yaml").read_text(encoding="utf-8")
    place.write_text(text.replace("mint.abs", "mint.neg"), encoding="utf-8")
    data = load(root)
    [error] = data.broken
    assert (error.path, error.damage, data.passed_over) == (place, Damage.NAME, {})
    name = file.removesuffix(".yaml").replace("/", ".")
    assert error.found == f"is read as the mapping {name}, whose file is mappings/{name.replace('.', '/')}.yaml"
    assert data.mappings == before.mappings
    assert refusal(root) == [str(error)]


@pytest.mark.parametrize("name", ["F.softmax", "mindspore.mint.abs", "dist.reduce", "torch"])
def test_a_mapping_of_what_is_not_pytorchs_takes_nobodys_spelling(root: Path, name: str) -> None:
    """Its ID is a spelling of another, which won."""
    before, place = load(root), (root / "mappings" / Path(*name.split("."))).with_suffix(".yaml")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(root / "mappings" / "torch" / "abs.yaml", place)
    data = load(root)
    [error] = data.broken
    assert (error.path, error.damage, data.mappings) == (place, Damage.NAME, before.mappings)
    assert error.found == f"is read as the mapping {name}, which is no API of PyTorch"


def refusal(root: Path) -> list[str]:
    """What `load_valid` raises. Nothing keeps it: the frames in it hold all that was read, out of the search for garbage."""
    try:
        load_valid(root)
    except InvalidData as refused:
        return [str(error) for error in refused.errors]
    return []


def test_what_is_read_goes_when_nobody_has_it_any_more(root: Path) -> None:
    """What is read is kept out of the search for garbage: in a cycle, or in the frames of an error, it would stay for ever."""
    BROKEN_YAML(root / REDUCED)
    data = load(root)
    assert [error.__traceback__ for error in [*data.unread, *data.passed_over.values()]] == [None, None]
    expander = Expander.of(root, data.signatures, data.documents)
    expander.expand(data.path_of(ABS), ABS)
    profiles, notes = weakref.ref(expander.profiles), weakref.ref(expander.notes)
    gc.disable()
    try:
        del expander
        assert (profiles(), notes()) == (None, None)
    finally:
        gc.enable()


def test_of_many_lines_that_name_no_record_the_first_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    """An error for each would take hundreds of times the bytes of the file."""
    own_records_path(tmp_path).write_text("x\n" * 5000 + f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n", encoding="utf-8")
    broken: list[DataError] = []
    assert load_own_records(tmp_path, broken) == {"0" * 64: "torch-2.13.0/gloo-cpu-2"}
    assert [error.line for error in broken] == [*range(1, 101), None]
    assert "4900 more lines are no SHA-256 and name of a run" in str(broken[-1])


@pytest.mark.parametrize("breaks", ["\u2028", "\x85", "\x0b", "\x1c", "\r"])
def test_no_record_is_listed_within_the_line_of_another(breaks: str, tmp_path: Path) -> None:
    """Who reviews the list sees one line there, and it is none of the list."""
    line = f"{'0' * 64}  torch-2.13.0/gloo-cpu-2"
    hidden = line.replace("0" * 64, "1" * 64)
    own_records_path(tmp_path).write_bytes(f"{line}\r\n{line}{breaks}{hidden}{breaks}\n".encode())
    broken: list[DataError] = []
    assert load_own_records(tmp_path, broken).keys() == {"0" * 64}
    assert [error.line for error in broken] == [2]


def test_a_list_of_own_records_that_is_too_large_is_not_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{digit * 64}  torch-2.13.0/gloo-cpu-2\n" for digit in "012"]
    own_records_path(tmp_path).write_text("".join(lines))
    monkeypatch.setattr("apidiff.database.own_records._MOST", sum(map(len, lines)))
    assert len(load_own_records(tmp_path)) == 3
    monkeypatch.setattr("apidiff.database.own_records._MOST", sum(map(len, lines)) - 1)
    broken: list[DataError] = []
    assert load_own_records(tmp_path, broken) == {}
    assert "it is larger than" in str(broken[0])
    with pytest.raises(DataError, match="it is larger than"):
        add_own_records(tmp_path, {"3" * 64: "torch-2.13.0/gloo-cpu-2"})
    assert own_records_path(tmp_path).read_text() == "".join(lines)


def test_where_the_list_of_own_records_cannot_be_written_its_signature_stays(tmp_path: Path) -> None:
    lines = "".join(f"{number:064x}  torch-2.13.0/gloo-cpu-2\n" for number in range(100))
    path = own_records_path(tmp_path)
    path.write_text(lines)
    signature = b"\n".join(
        [b"untrusted comment:", b64encode(b"ED" + bytes(72)), b"trusted comment:", b64encode(bytes(64))]
    )
    signature_path(path).write_bytes(signature)
    with room_for(len(lines)), pytest.raises(DataError, match="cannot be written") as refused:
        add_own_records(tmp_path, {"f" * 64: "torch-2.13.0/gloo-cpu-2"})
    assert refused.value.path == path
    assert (path.read_text(), signature_path(path).read_bytes()) == (lines, signature)
    assert len(list(tmp_path.iterdir())) == 2
    assert add_own_records(tmp_path, {"f" * 64: "torch-2.13.0/gloo-cpu-2"}) == (["torch-2.13.0/gloo-cpu-2"], True)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("text", "said"), [("x = [", Damage.SYNTAX), (None, Damage.UNREADABLE)])
def test_signers_that_cannot_be_read_stop_no_answer(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, said: Damage
) -> None:
    """No signer is known then; what the list of this project's own records has is still its own."""
    kept = next((DATA / "runs").glob("*/*.json"))
    (root / "runs" / kept.parent.name).mkdir(parents=True)
    shutil.copy(kept, root / "runs" / kept.parent.name)
    path = tmp_path / "signers.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr("apidiff.database.signing.conf_file", lambda _name: path)
    data = load(root)
    assert [(error.path, error.damage) for error in data.broken] == [(path, said)]
    assert data.mappings.keys() == {REDUCE, GATHER, ABS}
    assert {key: signed.state for key, signed in data.signed.items()} == {run_id(kept): State.LISTED}
    with pytest.raises(InvalidData, match=r"signers\.toml"):
        load_valid(root)


# what cannot be read, whether verdicts of ranks and of single calls are left
PLACES = [("backends", False, True), ("devices", True, False)]


@pytest.mark.parametrize(("module", "of_ranks", "of_single_calls"), PLACES)
def test_without_what_describes_places_nothing_is_judged_by_records_of_them(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, of_ranks: bool, of_single_calls: bool
) -> None:
    """A kernel that is missing would be told as an error, and claims as refuted."""
    for kind in ("torch-2.13.0", "mindspore-2.10.0"):
        shutil.copytree(DATA / "runs" / kind, root / "runs" / kind, symlinks=True)
    path = tmp_path / "damaged.toml"
    path.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(f"apidiff.database.{module}.conf_file", lambda _: path)
    data = load(root)
    assert [(error.path, error.damage) for error in data.broken] == [(path, Damage.FORM)]
    assert data.runs
    assert data.single_runs
    usable = without_unusable(data)
    assert (bool(usable.runs), bool(usable.single_runs)) == (of_ranks, of_single_calls)
    made = entries(usable)
    assert made.keys() == {REDUCE, GATHER, ABS}
    assert any(claim.observed for claim in made[REDUCE].claims) is of_ranks
    assert any(target.agreements for target in made[ABS].targets) is of_single_calls
    with pytest.raises(InvalidData, match=r"damaged\.toml"):
        load_valid(root)


def pipe_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link_instead(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


# files that the data need not have
FILES = [
    "notes.yaml",
    "uses.yaml",
    "documented.yaml",
    "mindspore_only.yaml",
    "document_twins.yaml",
    "document_addresses.yaml",
]


@pytest.mark.parametrize("put", [folder_instead, pipe_instead, link_instead])
@pytest.mark.parametrize("name", [*FILES, "canonical_calls.yaml", "writing_rules.yaml"])
def test_what_is_no_file_in_the_place_of_one_is_told_alone(root: Path, name: str, put: Callable[[Path], None]) -> None:
    """It was taken for a file that is not there, and of notes each record that names one was told."""
    (root / name).touch()
    put(root / name)
    data = load(root)
    assert [(error.path, error.damage) for error in data.broken] == [(root / name, Damage.UNREADABLE)]


# folders of the data that a user may not list
UNLISTED = ["runs", "runs/torch-2.13.0", "samples", "profiles", "mappings/torch/distributed", "official", "signatures"]


@pytest.mark.parametrize("name", UNLISTED)
def test_a_folder_that_cannot_be_listed_is_told_once_and_not_taken_for_an_empty_one(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    shutil.copytree(DATA / "runs" / "torch-2.13.0", root / "runs" / "torch-2.13.0", symlinks=True)
    assert {*visible_files(root / "runs", "*/*")}
    refuse_listing(root / name, monkeypatch)
    data = load(root)
    [error] = data.unread
    assert (error.path, error.damage) == (root / name, Damage.UNREADABLE)
    assert error.found == "cannot be listed (Permission denied)"
    if name.startswith("runs"):
        assert not data.every_run
        assert data.unfit == [error]


@pytest.mark.parametrize(
    "name", ["with_twins", "load_uses", "load_page_rows", "with_canonical_calls", "load_writing_rules"]
)
def test_what_nobody_expected_of_a_file_is_told_of_it(root: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Code of a sample that did not parse ended every command with a traceback, by way of the list of canonical calls."""

    def fail(*_: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(f"apidiff.database.data.{name}", fail)
    data = load(root)
    assert [error.found.startswith(f"{UNLIKE_OTHERS} (RecursionError") for error in data.broken] == [True]
    assert data.mappings


@pytest.mark.parametrize("name", ["canonical_calls.yaml", "writing_rules.yaml"])
def test_what_is_said_of_a_damaged_record_is_passed_over_with_it(root: Path, name: str) -> None:
    """And a list that is itself damaged leaves the records as they are."""
    whole = load(root).mappings
    (root / name).write_text({"canonical_calls.yaml": f"{REDUCE}: {{source: f(}}\n"}.get(name, "["), encoding="utf-8")
    data = load(root)
    assert [error.path for error in data.broken] == [root / name]
    assert data.mappings == whole
    BROKEN_YAML(root / f"{FOLDER}/reduce.yaml")
    (root / name).write_text(
        {"canonical_calls.yaml": f"{REDUCE}: {{source: dist.reduce(1)}}\n"}.get(name, f"targets: {{{REDUCE}: {{}}}}\n"),
        encoding="utf-8",
    )
    assert [error.path.name for error in load(root).broken] == ["reduce.yaml"]


def test_a_target_written_in_a_damaged_record_is_passed_over_and_not_blamed(root: Path) -> None:
    words = "defined_in: torch.distributed.all_gather\n"
    user = next(path for path in visible_files(DATA / FOLDER, "*.yaml") if words in path.read_text("utf-8"))
    for name in ("all_gather.yaml", user.name):
        shutil.copy(DATA / FOLDER / name, root / FOLDER)
    assert f"torch.distributed.{user.stem}" in load(root).mappings
    BROKEN_YAML(root / FOLDER / "all_gather.yaml")
    data = load(root)
    assert [error.path.name for error in data.broken] == ["all_gather.yaml"]
    assert data.passed_over.keys() == {"torch.distributed.all_gather", f"torch.distributed.{user.stem}"}


SYNC = "sync: {"
# file, what is done to it, what is said of it
UNUSABLE = [
    (f"{FOLDER}/reduce.yaml", replaced("by: async}", "by: asynk}"), "claim 'async-returns-none' names probe 'asynk'"),
    (f"{FOLDER}/reduce.yaml", replaced("{like: sync, set: {dst: 1}}", "{like: synk}"), "no probe 'synk'; it has"),
    (f"{FOLDER}/reduce.yaml", replaced("{like: sync, set: {dst: 1}}", "{like: dst-1}"), "probe 'dst-1' is like itself"),
    ("mappings/torch/abs.yaml", appended(b"samples: {odd: {like: plane}}\n"), "there is no sample 'plane'"),
    ("mappings/torch/abs.yaml", appended(b"samples: {odd: {like: odd}}\n"), "sample 'odd' is like itself"),
    (
        "mappings/torch/abs.yaml",
        appended(b"samples: {odd: {code: {torch: '(', mindspore: x}}}\n"),
        "does not parse: '('",
    ),
    ("mappings/torch/abs.yaml", appended(b"source: {kind: constant}\n"), "constant, which no single process calls"),
    ("mappings/torch/abs.yaml", replaced("elementwise", "single\ncategory: math"), "has no sample. Add one"),
    ("mappings/torch/abs.yaml", replaced('"2.7"', "2.x"), "Expected a release version such as 2.10"),
    ("mappings/torch/abs.yaml", replaced('"2.7"', '""'), "Expected a release version such as 2.10"),
    (f"{FOLDER}/reduce.yaml", replaced(SYNC, "sync: {like: snyc,"), "probe 'sync' is like 'snyc', which is not there"),
    (
        f"{FOLDER}/reduce.yaml",
        replaced(SYNC, "sync: {partner: {api: torch.distributed.recv, ranks: []},"),
        "`array` of length >= 1 in $.source.probes.sync.partner.ranks",
    ),
    (f"{FOLDER}/reduce.yaml", replaced('on_rank: {"1"', 'on_rank: {"one"'), "matching regex"),
    (
        f"{FOLDER}/reduce.yaml",
        replaced("without: [", f"without: [{'keeps-input, ' * 300}"),
        "more than 100 items in $.source.without",
    ),
    (
        f"{FOLDER}/reduce.yaml",
        replaced(
            "targets:\n",
            f"targets:\n  mindspore.a: {{claims: {{c: {{result: sum, at: return, among: [{'[1], ' * 90}]}}}}}}\n"
            + "".join(f"  mindspore.a{n}: {{like: mindspore.a}}\n" for n in range(9)),
        ),
        "`array` of length <= 64 in $.targets.mindspore.a.claims.c.among",
    ),
    (
        f"{FOLDER}/reduce.yaml",
        replaced("targets:\n", "targets:\n" + "".join(f"  mindspore.a{n}: {{like: source}}\n" for n in range(900))),
        "more than 100 items in $.targets",
    ),
    (
        "mappings/torch/abs.yaml",
        appended(f"aliases: [{', '.join(f'torch.a{n}' for n in range(200))}]\n".encode()),
        "more than 100 items in $.aliases",
    ),
    (
        "mappings/torch/abs.yaml",
        appended(b"samples:\n" + b"".join(b"  a%d: {like: a}\n" % n for n in range(400))),
        "more than 100 items in $.samples",
    ),
    (
        f"{FOLDER}/reduce.yaml",
        replaced(
            "targets:\n",
            f"sweeps: {{dtype: {{of: [sync], over: [{', '.join(f'd{n}' for n in range(99))}]}}}}\ntargets:\n"
            + "".join(f"  mindspore.a{n}: {{like: source}}\n" for n in range(35)),
        ),
        "the record has more than 20000 values. Let fewer",
    ),
    (
        f"{FOLDER}/reduce.yaml",
        replaced(
            "notes:\n",
            "".join(
                f"  mindspore.a{n}: {{differences: {{"
                + "".join(f"d{k}: {{source: sync-returns-none, note: long}}, " for k in range(20))
                + "}}\n"
                for n in range(35)
            )
            + f"notes:\n  long: {{en: {'x' * 5_000}, zh: {'x' * 5_000}}}\n",
        ),
        "the record has more than 20000 values. Let fewer",
    ),
    (
        f"{FOLDER}/reduce.yaml",
        replaced(
            "notes:\n",
            "".join(f"  mindspore.a{n}: {{}}\n" for n in range(30))
            + f"samples: {{{''.join(f'a{n}: {{code: {{torch: {chr(34)}{chr(120) * 900}{chr(34)}}}}}, ' for n in range(90))}}}\n"
            + "notes:\n",
        ),
        "the record has more than 20000 values. Let fewer",
    ),
    (f"{FOLDER}/reduce.yaml", replaced(SYNC, "sync: {like: sync,"), "like another over more than 16 steps"),
    (f"{FOLDER}/reduce.yaml", replaced(SYNC, "sync: {like: dst-1,"), "like another over more than 16 steps"),
    (
        f"{FOLDER}/reduce.yaml",
        replaced("result: sum, at: tensor, of", "result: sum, of"),
        "missing required field `at`",
    ),
    (f"{FOLDER}/reduce.yaml", replaced("profile: collective", "profile: [collective, p0]"), "there is no profile 'p0'"),
    (
        "mappings/torch/abs.yaml",
        appended(f"with: {{x: {'b' * 1000}}}\ncaveats: {{of: {{note: {{en: {'$x' * 9}, zh: 元}}}}}}\n".encode()),
        "placeholders stand for more than 8192 characters in one record. Give $x a shorter value",
    ),
]


@pytest.mark.parametrize(("file", "damage", "said"), UNUSABLE)
def test_a_record_that_names_what_is_not_there_is_passed_over_alone(
    root: Path, file: str, damage: Callable[[Path], None], said: str
) -> None:
    damage(root / file)
    data = without_unusable(load(root))
    [error] = data.broken
    assert (error.path, said in str(error)) == (root / file, True), error
    assert len(data.passed_over) == 1
    assert entries(data).keys() == {REDUCE, GATHER, ABS} - data.passed_over.keys()


def test_profiles_that_build_on_each_other_for_ever_are_passed_over(root: Path) -> None:
    steps = "".join(f"p{step}: {{about: A step., profile: p{step + 1}}}\n" for step in range(99))
    (root / "profiles" / "steps.yaml").write_text(f"{steps}p99: {{about: The last.}}\n", encoding="utf-8")
    replaced("profile: elementwise", "profile: [elementwise, p0]")(root / "mappings" / "torch" / "abs.yaml")
    data = load(root)
    assert [error.found for error in data.broken] == ["profile 'p0' builds on others over more than 60 steps"]
    assert data.passed_over.keys() == {ABS}


def test_a_profile_that_may_be_in_a_refused_file_is_told_so(root: Path) -> None:
    BROKEN_YAML(root / "profiles" / "everyday.yaml")
    data = load(root)
    assert [error.path.name for error in data.broken] == ["everyday.yaml"]
    told = str(data.passed_over[ABS])
    assert "there is no profile 'elementwise'" in told
    assert told.endswith(" Or mend everyday.yaml, which may have it.")


@pytest.mark.parametrize(
    "fault", [KeyError("at"), TypeError("no items"), RecursionError(), ZeroDivisionError(), ValueError()]
)
def test_a_record_that_a_pass_fails_on_is_passed_over_alone(
    root: Path, fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(record: dict[str, object], name: str, *rest: object) -> dict[str, object]:
        if name == ABS:
            raise fault
        return derive_signature_claims(record, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("apidiff.database.expansion.derive_signature_claims", fail)
    data = load(root)
    [error] = data.broken
    assert (error.path, data.passed_over.keys()) == (root / "mappings" / "torch" / "abs.yaml", {ABS})
    assert error.found == f"{UNLIKE_OTHERS} ({type(fault).__name__}: {str(fault)!r})"


@pytest.mark.parametrize("raised", [KeyError("odd"), SyntaxError("odd")])
def test_a_mapping_of_which_no_entry_can_be_made_is_passed_over_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch, raised: Exception
) -> None:
    data, failing = load(root), dict[str, DataError]()
    history = entry.history_entries

    def fail(names: list[str], *rest: object) -> object:
        if ABS in names:
            raise raised
        return history(names, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(entry, "history_entries", fail)
    made = [key for key, *_ in made_entries(data, lambda *_: None, failing)]
    assert (set(made), failing.keys()) == ({REDUCE, GATHER}, {ABS})
    rest = passing_over(data, failing, failing)
    assert (rest.mappings.keys(), rest.passed_over.keys(), rest.broken) == ({REDUCE, GATHER}, {ABS}, [failing[ABS]])
    with pytest.raises(InvalidData, match="is unlike any record"):
        site_content.kept(data, root / "kept")


@pytest.mark.parametrize("what", ["official", "documents"])
def test_a_report_goes_on_without_a_mapping_that_has_no_entry(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], what: str
) -> None:
    """A table lists it: the report ended in a traceback."""
    known = knowledge.load()
    rest = {key: made for key, made in known.entries.items() if key != REDUCE}
    monkeypatch.setattr(knowledge.KnowledgeBase, "entries", rest)
    assert cli.main(["report", what]) == 0
    assert capsysbinary.readouterr().out


def test_a_difference_that_is_called_as_a_made_one_is_named(root: Path) -> None:
    """Tables of an export and anchors of a page have one of each ID."""
    replaced("  returned-handle: {kind:", "  parameter-tensor: {note: returned-handle, kind:")(
        root / FOLDER / "reduce.yaml"
    )
    failing = dict[str, DataError]()
    assert REDUCE not in [key for key, *_ in made_entries(load(root), lambda *_: None, failing)]
    assert "the difference 'parameter-tensor' is called as one that is made" in str(failing[REDUCE])


@pytest.mark.parametrize("name", ["torch.abs", "mindspore.mint.abs; x", "mindspore"])
def test_only_apis_of_mindspore_have_no_counterpart_there(root: Path, name: str) -> None:
    """The index of words has one line for each name: none could be built."""
    path = root / "mindspore_only.yaml"
    path.write_text(f"'{name}': {{why: {{en: None., zh: 无。}}}}\n", encoding="utf-8")
    [error] = load(root).broken
    assert error.path == path


def test_a_record_that_a_check_fails_on_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(subject: Subject) -> Iterator[DataError]:
        if subject.mapping.id == ABS:
            raise KeyError("odd")
        yield from ()

    data = load(root)
    [error] = checks.found_in(Subject(data, data.mappings[ABS]), [fail])
    assert (error.path, error.found) == (data.path_of(ABS), f"{UNLIKE_OTHERS} (KeyError: \"'odd'\")")
    monkeypatch.setattr(checks, "samples_fit", fail)
    assert [error.found for error in checks.check_records(data) if UNLIKE_OTHERS in error.found] == [
        f"{UNLIKE_OTHERS} (KeyError: \"'odd'\")"
    ]
    assert checks.without_unusable(data).passed_over.keys() == {ABS}


@pytest.mark.parametrize("name", ["caveats", "differences", "note"])
def test_a_parameter_may_be_called_as_a_part_of_a_record_is(root: Path, name: str) -> None:
    replaced("parameters: {dst: {note", f"parameters: {{{name}: {{note")(root / FOLDER / "reduce.yaml")
    assert load(root).broken == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SYNC, "sync: {partner: {api: torch.distributed.recv, ranks: [1]}, ranks: [0], "),
        ("result: sum, at", "keeps: tensor, result: null, at"),
    ],
)
def test_what_a_sweep_needs_not_is_left_out(root: Path, old: str, new: str) -> None:
    replaced(old, new)(root / FOLDER / "reduce.yaml")
    assert [error.found for error in load(root).broken if UNLIKE_OTHERS in error.found] == []


@pytest.mark.parametrize("written", ["source:\n", "source: null\n", "otherwise: []\n"])
def test_a_part_that_is_left_empty_is_none(root: Path, written: str) -> None:
    appended(written.encode())(root / "mappings" / "torch" / "abs.yaml")
    assert without_unusable(load(root)).broken == []


def test_a_target_of_which_no_entry_can_be_made_is_passed_over_wherever_it_is_used(root: Path) -> None:
    for name in ("all_gather.yaml", "all_gather_into_tensor.yaml"):
        shutil.copy(DATA / FOLDER / name, root / FOLDER)
    assert without_unusable(load(root)).broken == []
    path = root / FOLDER / "all_gather.yaml"
    source, targets, rest = path.read_text(encoding="utf-8").partition("\ntargets:")
    path.write_text(source + targets + rest.replace("like: sync,", "like: synk,", 1), encoding="utf-8")
    data = without_unusable(load(root))
    assert [error.path for error in data.broken] == [path]
    assert entries(data).keys() == {REDUCE, GATHER, ABS}
    assert data.passed_over.keys() == {"torch.distributed.all_gather", "torch.distributed.all_gather_into_tensor"}


@pytest.mark.parametrize("name", ["\udcff", "a\x1b[31mb", "a\nb", "a\u202eb"])
def test_a_name_that_is_no_plain_text_is_shown_as_escapes(root: Path, name: str) -> None:
    """What an error says may be written to any terminal, and kept."""
    for path in (root / "mappings" / "torch" / f"{name}.yaml", root / "runs" / name / f"{name}-12.json"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x: 1")
    data = load(root)
    told = [*map(str, data.unread), *(key for key in data.passed_over if "\udcff" in name)]
    assert len(told) == 2 + ("\udcff" in name)
    assert all(text.isprintable() for text in told)
    assert all(name.encode("unicode_escape").decode() in text for text in told)


@pytest.mark.parametrize("name", ["documents.yaml", "frameworks.yaml"])
def test_what_all_answers_rest_on_is_missed(root: Path, name: str) -> None:
    BROKEN_YAML(root / name)
    with pytest.raises(DataError, match=name):
        load(root)


@pytest.mark.parametrize("text", ["torch: [{version: 2.13.0}]", "torch: [{version: 2.13.0}]\nmindspore: []", "{}"])
def test_releases_without_one_of_mindspore_are_refused(root: Path, text: str) -> None:
    (root / "frameworks.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"lists no release of mindspore\. List its releases there"):
        without_unusable(load(root))


def test_an_address_names_its_api_a_few_times(tmp_path: Path) -> None:
    """Each `$name` stands for as much as a name has, on the pages of hundreds of APIs."""
    text = 'torch: {{version: "2.13", at: "https://pytorch.org/", pages: {{torch.: {page}}}}}\n'
    (tmp_path / "document_addresses.yaml").write_text(text.format(page="$name" * 4), "utf-8")
    assert load_addresses(tmp_path)["torch"].address("torch.abs").en == "https://pytorch.org/" + "torch.abs" * 4
    (tmp_path / "document_addresses.yaml").write_text(text.format(page="$name" * 5), "utf-8")
    with pytest.raises(DataError, match=r"pages of 'torch\.' have `\$name` more than 4 times"):
        load_addresses(tmp_path)


def test_what_profiles_bring_is_bounded_over_all_records(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 samples or caveats of each of ten profiles that build on each other: 21 kB took 3.7 GB, and 35 kB minutes."""
    assert load(root).broken == []
    monkeypatch.setattr(profiles, "_MOST_VALUES_OF_ALL", 100)
    [*_, error] = load(root).broken
    found = "with it all records have more than 100 values. Let profiles that many records name bring fewer"
    assert found in str(error)


def test_a_long_note_counts_wherever_a_record_names_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note of 9,300 characters in 14 caveats that 1,500 records have from one profile took 3.7 GB."""
    counted: list[int] = []
    count = profiles.Profiles.count

    def watched(all_of: profiles.Profiles, values: int, origin: Origin) -> None:
        count(all_of, values, origin)
        counted.append(all_of.values)

    monkeypatch.setattr(profiles.Profiles, "count", watched)
    path = root / "mappings" / "torch" / "abs.yaml"
    written = path.read_text("utf-8")
    sizes = []
    for length in (10, 1010):
        (root / "notes.yaml").write_text(f"long: {{en: '{'w' * length}.', zh: '{'字' * length}。'}}\n", "utf-8")
        path.write_text(written.replace('since: "2.7"', 'since: "2.7", note: long'), "utf-8")
        load(root)
        sizes.append(counted[-1])
    assert sizes[1] - sizes[0] == 2 * (1000 // 50)
