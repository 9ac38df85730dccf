"""Former addresses of run records: pages and raw files under twelve digits of a digest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from small_site import Built

from apidiff.database.runs import short_id
from apidiff.sphinxext.moved_pages import moved_pages, moved_records
from apidiff.writers.exports.address import is_former


def test_an_address_that_two_records_could_have_had_leads_nowhere() -> None:
    first, second = (f"torch-2.13.0/gloo-cpu-3-{'0123456789ab' + digit * 52}" for digit in "12")
    alone = f"torch-2.13.0/gloo-cpu-2-{'c' * 64}"
    pages = moved_pages([first, second, alone], "zh", Path("zh"))
    assert list(pages) == [Path(f"zh/runs/torch-2.13.0/gloo-cpu-2-{'c' * 12}.html")]
    assert all(is_former(page) and not is_former(page.with_stem(f"gloo-cpu-2-{'c' * 64}")) for page in pages)
    assert f'<a href="gloo-cpu-2-{"c" * 64}.html">'.encode() in pages.popitem()[1]
    records = moved_records([first, second, alone], Path("zh/_runs"))
    assert list(records) == [Path(f"zh/_runs/torch-2.13.0/gloo-cpu-2-{'c' * 12}.json")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_former_addresses_lead_to_the_pages_of_today(plain: Callable[[str], Built], language: str) -> None:
    out = plain(language).out
    for raw in sorted((out / "_runs").glob("torch-*/gloo-*.json")):
        digest = raw.stem.rpartition("-")[2]
        if len(digest) == 64:
            former = short_id(f"{raw.parent.name}/{raw.stem}")
            assert f'href="{raw.stem}.html"' in (out / "runs" / f"{former}.html").read_text()
            assert (out / "runs" / raw.parent.name / f"{raw.stem}.html").is_file()
            assert json.loads((out / "_runs" / f"{former}.json").read_bytes()) == {"moved": raw.name}
            break
    else:
        pytest.fail("no record has a page")
