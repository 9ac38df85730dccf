"""Pages show a record of ranks by the file that the data were read from: packed or not, whatever lies beside it."""

from __future__ import annotations

import gzip
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from entry_fixture import run_record, write_run
from small_site import Site

from apidiff import database
from apidiff.database.paths import DATA
from apidiff.database.runs import run_id, signature_path
from apidiff.errors import DataError
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord
from apidiff.sphinxext import site_content
from apidiff.sphinxext.build_cache import BuildCache
from apidiff.sphinxext.site_content import Content

MakeSite = Callable[..., Site]
ABS = "torch.abs"


def _pack(suffix: str, pack: Callable[[bytes], bytes], path: Path) -> Path:
    packed = path.with_suffix(suffix)
    packed.write_bytes(pack(path.read_bytes()))
    path.unlink()
    return packed


def _gz(path: Path) -> Path:
    return _pack(".json.gz", gzip.compress, path)


def _xz(path: Path) -> Path:
    return _pack(".json.xz", lzma.compress, path)


def _gz_beside_a_forged_one(path: Path) -> Path:
    record = msgspec.json.decode(path.read_bytes(), type=RunRecord)
    packed = _gz(path)
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(record, python="9.9.9")))
    return packed


def _xz_beside_what_is_no_record(path: Path) -> Path:
    packed = _xz(path)
    path.write_text('{"a": 1}')
    return packed


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project's data with one mapping and one run of ranks."""
    root = tmp_path / "data"
    shutil.copytree(
        DATA, root, symlinks=True, ignore=shutil.ignore_patterns("mappings", "samples", "runs", "canonical_calls.yaml")
    )
    mapping = database.data.mapping_path(root, ABS)
    mapping.parent.mkdir(parents=True)
    shutil.copy(database.data.mapping_path(DATA, ABS), mapping)
    run = min((DATA / "runs" / "torch-2.13.0").glob("gloo-cpu-2-*.json"))
    (root / "runs" / "torch-2.13.0").mkdir(parents=True)
    shutil.copy(run, root / "runs" / "torch-2.13.0")
    return root


@pytest.mark.parametrize("lay", [_gz, _xz, _gz_beside_a_forged_one, _xz_beside_what_is_no_record])
def test_what_is_published_is_the_record_that_was_read(root: Path, tmp_path: Path, lay: Callable[[Path], Path]) -> None:
    (path,) = (root / "runs").rglob("*.json")
    run, whole = run_id(path), path.read_bytes()
    packed = lay(path)
    content = site_content.make(database.load(root))
    assert content.runs == {run: packed}
    cache = BuildCache(tmp_path / "derived")
    cache.publish(content)
    assert cache.file(f"runs/{run}").read_bytes() == whole


def _recorded(site: Site, lay: Callable[[Path], Path], signed: Signed, signature: bytes = b"") -> tuple[str, Content]:
    """The site's content with one record, in the file that ``lay`` makes."""
    run, path = write_run(site.folder / "data", run_record())
    path = lay(path)
    if signature:
        signature_path(path).write_bytes(signature)
    return run, msgspec.structs.replace(site.content, runs={run: path}, signed={run: signed})


def _plain(path: Path) -> Path:
    return path


@pytest.mark.parametrize("lay", [_plain, _gz])
@pytest.mark.parametrize("kind", ["runs", "single_runs"])
def test_a_record_that_is_changed_after_it_was_read_is_named_and_not_published(
    make_site: MakeSite, tmp_path: Path, lay: Callable[[Path], Path], kind: str
) -> None:
    run, content = _recorded(make_site(), lay, Signed())
    path = content.runs[run]
    content = msgspec.structs.replace(content, **{"runs": {}, kind: {run: path}})
    other = msgspec.json.encode(run_record(world_size=2))
    path.write_bytes(other if lay is _plain else gzip.compress(other))
    cache = BuildCache(tmp_path / "derived")
    with pytest.raises(DataError, match=r"its bytes have digest .*: it was changed") as raised:
        cache.publish(content)
    assert raised.value.path == path
    assert not cache.file(f"{kind}/{run}").exists()


VERIFIED = Signed(state=State.VERIFIED, signer="Lab", key="0" * 16)


@pytest.mark.parametrize(
    ("lay", "signed", "signature", "leads"),
    [
        (_plain, VERIFIED, b"signature", True),
        (_plain, Signed(state=State.REFUSED), b"signature", True),
        (_plain, Signed(state=State.REFUSED), b"x" * 20_000, False),  # of which it is known that it is none
        (_plain, VERIFIED, b"", False),  # it was taken away meanwhile
        (_plain, msgspec.structs.replace(VERIFIED, unlinked=True), b"signature", False),
        (_gz, VERIFIED, b"signature", False),
        (_xz, VERIFIED, b"signature", False),
        (_gz_beside_a_forged_one, Signed(state=State.REFUSED), b"signature", False),
    ],
)
def test_pages_lead_to_a_signature_where_it_fits_what_is_published(
    make_site: MakeSite, lay: Callable[[Path], Path], signed: Signed, signature: bytes, leads: bool
) -> None:
    site = make_site()
    run, site.content = _recorded(site, lay, signed, signature)
    built = site.build()
    assert built.warnings == ""
    published = built.out / f"_runs/{run}.json.minisig"
    assert (published.read_bytes() if published.exists() else b"") == (signature if leads else b"")
    pages = [text for text in built.pages().values() if f"_runs/{run}.json" in text]
    assert len(pages) > 1
    assert any(f"_runs/{run}.json.minisig" in text for text in pages) is leads
