"""Keeps addresses alive that pages of run records had: earlier versions named them by twelve digits of the digest."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path, PurePosixPath

from apidiff.database.runs import short_id

_SCRIPT = "location.replace(document.links[0].href+location.hash)"  # a redirect without it loses the part of the page
_DIGEST = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_PAGE = f"""<!DOCTYPE html>
<html lang="{{language}}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-{_DIGEST}'">
<meta name="robots" content="noindex">
<noscript><meta http-equiv="refresh" content="0; url={{goal}}"></noscript>
<title>{{title}}</title>
<link rel="canonical" href="{{goal}}">
<p><a href="{{goal}}">{{title}}</a></p>
<script>{_SCRIPT}</script>
</html>
"""


def moved_pages(runs: Iterable[str], language: str, out: Path) -> dict[Path, bytes]:
    """The pages at former addresses of the pages of ``runs``, each leading to the page of today; ``out``: where pages lie."""
    return {
        out / "runs" / f"{former}.html": _PAGE.format(
            language=language, goal=f"{escape(name)}.html", title=escape(name)
        ).encode()
        for former, name in _moved(runs)
    }


def moved_records(runs: Iterable[str], folder: Path) -> dict[Path, bytes]:
    """What stands at former addresses of the raw records of ``runs`` below ``folder``: how the file is called today."""
    return {
        folder / f"{former}.json": json.dumps({"moved": f"{name}.json"}).encode() + b"\n"
        for former, name in _moved(runs)
    }


def _moved(runs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Former IDs, each with the file name of today. One that two records could have had leads nowhere."""
    runs = list(runs)
    count = Counter(map(short_id, runs))
    return (
        (short_id(run), PurePosixPath(run).name) for run in runs if count[short_id(run)] == 1 and short_id(run) != run
    )
