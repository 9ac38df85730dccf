"""Builds in parallel, after edits and after deletions."""

from __future__ import annotations

import multiprocessing
import re
import shutil
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from entry_fixture import SOURCE, run_record, write_run
from msgspec.structs import replace
from small_site import Site

from apidiff.database.paths import DATA
from apidiff.database.runs import read_bytes, run_id, short_id
from apidiff.derive.evidence import single_head_of
from apidiff.model.base import Text
from apidiff.model.sample_run import SingleRecord
from apidiff.model.views import Entry
from apidiff.sphinxext.build_cache import BuildCache, MappingPage, Outline
from apidiff.sphinxext.domain import ApidiffDomain

MakeSite = Callable[..., Site]
OTHER = "torch.distributed.barrier"
# Pages made from whole records; the table of all mappings changes only with what it shows.
INDEXES = {"glance", "risks", "statements"}
RECORDED = {SOURCE, "torch.distributed.ReduceOp", "torch.distributed.gone"}


def test_first_build_is_clean(make_site: MakeSite) -> None:
    built = make_site().build()
    assert built.warnings == ""
    assert {f"mappings/{SOURCE}", f"mappings/{OTHER}"} <= built.read


def test_parallel_build_equals_serial_build(make_site: MakeSite) -> None:
    site = make_site()
    serial, parallel = site.build(out="serial"), site.build(parallel=4, out="parallel")
    assert parallel.warnings == ""
    assert parallel.pages() == serial.pages()
    assert list(parallel.domain.get_objects()) == list(serial.domain.get_objects())
    assert parallel.search() == serial.search()
    inventories = [(built.out / "objects.inv").read_bytes() for built in (serial, parallel)]
    assert inventories[0] == inventories[1]


def test_parallel_build_without_merge_is_noticed(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ApidiffDomain, "merge_domaindata", lambda self, docnames, otherdata: None)
    built = make_site().build(parallel=4)
    assert "no run record" in built.warnings or "no mapping" in built.warnings


def test_unchanged_content_rebuilds_nothing(make_site: MakeSite) -> None:
    site = make_site()
    site.build()
    again = site.build()
    assert again.read == set()
    assert again.written <= {"search"}


INFO = "# Sphinx build info version 1\n# This file records.\nconfig: 0\ntags: 0\n"
# What stands in the place of Sphinx' note of the configuration.
BROKEN_INFO = [
    b"",
    b"\n\n\n\n",
    b"\xff",
    *(INFO[:end].encode() for end in (7, 31, 50, 55, 65)),
    INFO.replace("1", "2").encode(),
    INFO.replace("config", "settings").encode(),
]


@pytest.mark.parametrize("info", BROKEN_INFO)
def test_a_broken_note_of_the_configuration_has_all_pages_written_again(make_site: MakeSite, info: bytes) -> None:
    site = make_site()
    built = site.build()
    note, pages = built.out / ".buildinfo", built.pages()
    before = note.read_bytes()
    note.write_bytes(info)
    again = site.build()
    assert (again.warnings, again.read) == ("", set())
    assert {f"{name}.html" for name in again.written} >= pages.keys() - {"search.html"}
    assert (again.pages(), note.read_bytes()) == (pages, before)
    assert site.build().written <= {"search"}


PAGES = {f"mappings/{SOURCE}", f"evidence/{SOURCE}"}


def _other_summary(entry: Entry) -> Entry:
    return replace(entry, summary=Text(en="Another summary.", zh="另一句概述。"))


def _other_difference(entry: Entry) -> Entry:
    first, *rest = entry.targets
    text = Text(en="Another text.", zh="另一段文字。")
    differences = [replace(one, text=text) for one in first.differences]
    return replace(entry, targets=[replace(first, differences=differences), *rest])


def _other_risk(entry: Entry) -> Entry:
    """What the first target risks is what its everyday differences do: the table reads it off these, the rest is told."""
    first, *rest = entry.targets
    differences = [replace(one, risk="none") for one in first.differences]
    return replace(entry, targets=[replace(first, risk="none", differences=differences), *rest])


def _other_category(entry: Entry) -> Entry:
    return replace(entry, category="p2p")


def _nothing_stated(entry: Entry) -> Entry:
    return replace(entry, claims=[replace(claim, stated=[]) for claim in entry.claims])


@pytest.mark.turning(days=3)
@pytest.mark.parametrize(
    ("edit", "indexes", "parallel"),
    [
        (_other_summary, set(), 4),
        (_other_difference, {"risks"}, 4),
        (_other_risk, {"mappings", "glance", "risks", "statements"}, 1),
        (_other_risk, {"mappings", "glance", "risks", "statements"}, 4),
        (_other_category, {"mappings", *INDEXES}, 4),
        (_nothing_stated, {"statements"}, 1),
    ],
)
def test_edited_record_rebuilds_its_page_and_the_indexes_that_show_it(
    make_site: MakeSite, edit: Callable[[Entry], Entry], indexes: set[str], parallel: int
) -> None:
    site = make_site()
    site.build(parallel)
    site.content.entries[SOURCE] = edit(site.content.entries[SOURCE])
    built = site.build(parallel)
    assert built.warnings == ""
    assert built.read == {*PAGES, *indexes}
    # Sphinx writes the pages whose contents list a page that was read.
    assert built.written - {"search"} == {*PAGES, *indexes, "mappings", "index"} - (set() if indexes else {"index"})
    # What was not read again must be what it would be if it were.
    shutil.rmtree(site.folder / "out-doctrees")
    kept = built.pages()
    assert site.build(parallel).pages() == kept


def _with_another_builder(site: Site) -> None:
    site.build(builder="dummy")


def _of_one_page(site: Site) -> None:
    site.build(pages=["notes"])


def _killed_before_it_writes(site: Site) -> None:
    _killed(site, "env-check-consistency", "")


def _killed(site: Site, event: str, first: str) -> None:
    """Build, and have the process do ``first`` and end at once when Sphinx comes to ``event``."""
    conf = site.conf / "conf.py"
    text = conf.read_text()
    end = f"import os, signal\ndef end(*_):\n    {first}\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    conf.write_text(f"{text}\n{end}def setup(app): app.connect({event!r}, end)\n")
    process = multiprocessing.get_context("fork").Process(target=site.build)
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    conf.write_text(text)


@pytest.mark.parametrize("build", [_with_another_builder, _of_one_page, _killed_before_it_writes])
def test_what_a_build_read_and_did_not_write_the_next_one_writes(
    make_site: MakeSite, build: Callable[[Site], None]
) -> None:
    site = make_site()
    site.build()
    site.content.entries[SOURCE] = _other_summary(site.content.entries[SOURCE])
    del site.content.entries[OTHER]
    build(site)
    assert site.build().pages() == site.build(out="anew").pages()
    assert site.build().written == set()


def test_a_page_that_a_killed_build_left_half_written_is_written_again(make_site: MakeSite) -> None:
    site = make_site()
    first = site.build()
    whole = first.pages()
    _killed(site, "write-started", f"open({str(first.out / 'notes.html')!r}, 'w').close()")
    assert first.html("notes") == ""
    assert site.build().pages() == whole


def test_a_page_that_is_gone_has_no_other_page_written(make_site: MakeSite) -> None:
    site = make_site()
    (site.src / "more.md").write_text("---\norphan: true\n---\n# More\n")
    site.build()
    (site.src / "more.md").unlink()
    assert [site.build().written, site.build().written] == [set(), set()]


def test_derived_files_that_are_given_make_the_same_pages(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site()
    BuildCache(tmp_path / "derived").publish(site.content)
    loaded = site.build(out="loaded").pages()
    conf = site.conf / "conf.py"
    conf.write_text(f"{conf.read_text()}apidiff_derived = {str(tmp_path / 'derived')!r}\n")
    site.content.entries.clear()
    assert site.build(out="given").pages() == loaded


def test_derived_files_of_other_content_replace_the_former(make_site: MakeSite, tmp_path: Path) -> None:
    content, derived = make_site().content, BuildCache(tmp_path / "derived")
    derived.publish(content)
    assert derived.keys("mappings") == sorted(content.entries)
    entries = {SOURCE: content.entries[SOURCE]}
    derived.publish(replace(content, entries=entries, newest=content.newest | {"torch": "1.13.0"}))
    assert derived.keys("mappings") == [SOURCE]
    assert derived.read("outline", Outline).mappings == [SOURCE]
    assert derived.read(f"mappings/{SOURCE}", MappingPage).newest["torch"] == "1.13.0"


def test_derived_files_that_are_being_made_are_waited_for(tmp_path: Path) -> None:
    derived = BuildCache(tmp_path)
    with ThreadPoolExecutor(1) as reader, derived.being_made() as release:
        waiting = reader.submit(derived.wait)
        forked = multiprocessing.get_context("fork").Process(target=time.sleep, args=(300,), daemon=True)
        forked.start()
        with pytest.raises(TimeoutError):
            waiting.result(1)
        release()
        waiting.result(60)
        assert forked.is_alive()
        forked.kill()


def test_new_record_appears(make_site: MakeSite) -> None:
    site = make_site()
    removed = site.content.entries.pop(OTHER)
    site.build()
    site.content.entries[OTHER] = removed
    built = site.build()
    assert built.warnings == ""
    assert {f"mappings/{OTHER}", "mappings", *INDEXES} <= built.read
    assert f"mappings/{SOURCE}" not in built.read
    assert OTHER in built.html("mappings")


@pytest.mark.turning(days=2)
@pytest.mark.parametrize("parallel", [1, 4])
def test_deleted_record_disappears(make_site: MakeSite, parallel: int) -> None:
    site = make_site()
    first = site.build(parallel)
    assert OTHER in first.html("mappings")
    assert first.domain.find("mapping", OTHER)
    del site.content.entries[OTHER]
    built = site.build(parallel)
    assert built.warnings == ""
    assert not (built.out / f"mappings/{OTHER}.html").exists()
    assert not (site.src / f"mappings/{OTHER}.md").exists()
    assert not any(OTHER in text for text in built.pages().values())
    assert built.domain.find("mapping", OTHER) is None
    # The page of the mapping that it stood beside too.
    assert built.read == {
        "mappings",
        *INDEXES,
        *(f"{kind}/torch.distributed.monitored_barrier" for kind in ("mappings", "evidence")),
    }


def test_deleted_run_disappears(make_site: MakeSite) -> None:
    site = make_site()
    second, path = write_run(site.folder / "data", run_record(world_size=2))
    site.content.runs[second] = path
    first = site.build()
    assert (first.out / f"_runs/{second}.json").read_bytes() == path.read_bytes()
    del site.content.runs[second]
    built = site.build()
    assert built.warnings == ""
    # What two runs saw of an API stands on one page.
    assert built.read == {"runs", *(f"evidence/torch-2.13.0/gloo-cpu/{api}" for api in RECORDED)}
    assert not (built.out / f"_runs/{second}.json").exists()
    assert not (built.out / f"runs/{short_id(second)}.html").exists()
    assert second not in built.html("runs")


def test_records_of_single_processes_are_listed_with_their_files(make_site: MakeSite) -> None:
    site = make_site(language="zh_CN")
    assert "单进程调用" not in site.build().html("runs")
    path = min((DATA / "runs").rglob("torch-*/single-cpu-*.json.gz"), key=lambda one: one.stat().st_size)
    key = run_id(path)
    site.content.single_runs[key] = path
    record = msgspec.json.decode(read_bytes(path), type=SingleRecord)
    site.content.single_heads.append(single_head_of(key, record))
    built = site.build()
    assert built.warnings == ""
    assert "单进程调用" in built.html("runs")
    assert f'href="_runs/{key}.json"' in built.html("runs")
    assert (built.out / f"_runs/{key}.json").read_bytes() == read_bytes(path)


@pytest.mark.parametrize("edit", [lambda text: text.replace(b"gloo", b"nccl"), lambda text: text[:200]])
def test_a_copy_of_a_record_that_was_changed_is_written_anew(
    make_site: MakeSite, edit: Callable[[bytes], bytes]
) -> None:
    site = make_site()
    run, site.content.runs[run] = write_run(site.folder / "data", run_record(world_size=2))
    first = site.build()
    record = site.content.runs[run].read_bytes()
    copies = [site.folder / f"out-doctrees/apidiff/runs/{run}.json", first.out / f"_runs/{run}.json"]
    for copy in copies:
        assert copy.read_bytes() == record
        assert edit(record) != record
        copy.write_bytes(edit(record))
    built = site.build()
    assert built.warnings == ""
    assert [copy.read_bytes() == record for copy in copies] == [True, True]
    assert built.pages() == first.pages()


def test_page_with_a_role_follows_its_goal(make_site: MakeSite) -> None:
    """A page that nobody edited is written again when what it refers to comes or goes."""
    site = make_site()
    reduce = site.content.entries.pop(SOURCE)
    site.content.counterparts.clear()
    first = site.build()
    assert f"no API '{'mindspore.ops.communication.reduce'}'" in first.warnings
    site.content.entries[SOURCE] = reduce
    built = site.build()
    assert "notes" not in built.read
    assert "notes" in built.written
    assert built.warnings == ""
    link = f'href="mappings/{SOURCE}.html#mindspore.ops.communication.reduce"'
    assert link in built.html("notes")
    del site.content.entries[SOURCE]
    assert "notes" in site.build().written


def test_renamed_claim_makes_its_reference_dangle(make_site: MakeSite) -> None:
    site = make_site()
    site.build()
    entry = site.content.entries[SOURCE]
    claims = [msgspec.structs.replace(claim, id=claim.id.replace("others", "rest")) for claim in entry.claims]
    targets = [
        msgspec.structs.replace(
            target, differences=[msgspec.structs.replace(one, claims=[]) for one in target.differences]
        )
        for target in entry.targets
    ]
    site.content.entries[SOURCE] = msgspec.structs.replace(entry, claims=claims, targets=targets)
    built = site.build()
    assert re.search(r"notes\.md.*no claim 'torch\.distributed\.reduce#others-keep-tensor'", built.warnings)


# directive, its argument, what is said of it
ODD = [
    ("mapping", "torch.nope", "No mapping 'torch.nope': name a file under apidiff/data/mappings"),
    ("mapping", "../outline", "No mapping '../outline': name a file"),
    ("mapping", "/etc/hostname", "No mapping '/etc/hostname': name a file"),
    ("mapping", "x" * 300, f"No mapping '{'x' * 300}': name a file"),
    ("mapping-evidence", "../mappings/torch", "No mapping '../mappings/torch': remove this directive"),
    ("evidence", "../outline", "No evidence '../outline': remove this directive"),
    ("run", "../index", "No run record '../index': name a file under apidiff/data/runs"),
    ("index", "bogus", "No index 'bogus': write category or risk."),
]


def test_what_no_directive_shows_is_an_error_that_says_what_to_do(make_site: MakeSite) -> None:
    site = make_site()
    directives = "".join(f"```{{apidiff-{name}}} {argument}\n```\n" for name, argument, _ in ODD)
    (site.src / "notes.md").write_text(f"# Notes\n\n{directives}")
    warnings = site.build().warnings
    for number, (_, _, said) in enumerate(ODD):
        assert re.search(rf"notes\.md:{3 + 2 * number}: ERROR: .*{re.escape(said)}", warnings), (said, warnings)


def test_no_content_is_a_valid_site(make_site: MakeSite) -> None:
    site = make_site()
    site.content.entries.clear()
    site.content.counterparts.clear()
    site.content.runs.clear()
    (site.src / "notes.md").write_text("# Notes\n")
    built = site.build()
    assert built.warnings == ""
    assert "No run record exists." in built.html("runs")
    assert "No mapping is recorded." in built.html("mappings")


def test_page_of_the_other_mapping_says_what_is_missing(make_site: MakeSite) -> None:
    site = make_site()
    built = site.build()
    for words in ("No difference is recorded.", "No target is recorded"):
        assert words in built.html(f"mappings/{OTHER}")
    assert "No example is recorded." in built.html(f"evidence/{OTHER}")
