"""Records that try everything text can try: markup, links that run, ends of what holds them, other languages of markup."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
from entry_fixture import reduce_entry, run_record, write_run
from small_site import Site

from apidiff.database.runs import signature_path
from apidiff.model.base import Text
from apidiff.model.signed import Signed, State
from apidiff.model.trace import CallError, ObjectDump, RankTrace

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> &lt;b&gt; **bold** [link](javascript:alert(3)) "
    '{raw}`x` :doc:`index` ```{raw} html\n<b>raw</b>\n``` |sub| [^1] `code <i>` "quotes" -- ... '
    "</p></pre></code></script></article><svg onload=alert(5)> --> ]]> {{ 7*7 }} {% raw %} &#60;script&#62; "
    "<javascript:alert(6)> '\" onmouseover='alert(7)' \u202egnihtyna\u202c \u2066x\u2069 \x1b[31mred \x00 \u200bhidden"
)
# What no page may lead to, and what it may, with what a careless template would make of it.
ADDRESSES = (
    "javascript:alert(4)",
    " JaVaScRiPt:alert(4)",
    "java\nscript:alert(4)",
    "data:text/html,<script>alert(4)</script>",
    "vbscript:x",
    "//127.0.0.2:9/away",
    "file:///etc/passwd",
    'https://example.org/"><script>alert(4)</script>',
    "https://example.org/' onmouseover='alert(4)",
)
_FREE = {
    "title",
    "before",
    "after",
    "code",
    "expected",
    "command",
    "source_default",
    "target_default",
    "note",
    "nearest_why",
}
_FREE_LISTS = {"evidence", "call", "aliases"}


def soiled(value: Any, addresses: itertools.cycle[str] | None = None) -> Any:
    """``value`` with every text that is free to say anything saying it; names that lead somewhere stay as they are."""
    addresses = addresses or itertools.cycle(ADDRESSES)
    if isinstance(value, Text):
        return Text(en=HOSTILE, zh=HOSTILE)
    if isinstance(value, list):
        return [soiled(one, addresses) for one in value]
    if isinstance(value, dict):
        return {key: soiled(one, addresses) for key, one in value.items()}
    if not isinstance(value, msgspec.Struct):
        return value
    changed = {}
    for name in value.__struct_fields__:
        found = getattr(value, name)
        if name == "url":
            changed[name] = next(addresses)
        elif name in _FREE and isinstance(found, str) and found:
            changed[name] = HOSTILE
        elif name in _FREE_LISTS and found and isinstance(found[0], str):
            changed[name] = [HOSTILE]
        elif name in {"signatures", "values"}:
            changed[name] = dict.fromkeys(found, HOSTILE)
        else:
            changed[name] = soiled(found, addresses)
    return msgspec.structs.replace(value, **changed)


def soil(site: Site) -> None:
    """Soil all of the site's content, a run record with hostile traces among it."""
    record = run_record()
    bad = RankTrace(
        rank=0,
        before={HOSTILE: ObjectDump(type="X", text=HOSTILE, object=1)},
        error=CallError(stage="call", type=HOSTILE, message=HOSTILE),
        output=[HOSTILE],
    )
    probe = msgspec.structs.replace(record.probes[0], ranks=[bad], log=[HOSTILE])
    run, path = write_run(
        site.folder / "data",
        msgspec.structs.replace(
            record, probes=[probe], packages={HOSTILE: HOSTILE}, measured_by=HOSTILE, stopped=HOSTILE
        ),
    )
    signature_path(path).write_text(HOSTILE)
    entry = reduce_entry(run)
    entries = {**site.content.entries, entry.id: entry}
    addresses = itertools.cycle(ADDRESSES)
    site.content = msgspec.structs.replace(
        site.content,
        entries={name: soiled(one, addresses) for name, one in entries.items()},
        counterparts=soiled(site.content.counterparts, addresses),
        runs={run: path},
        signed={run: Signed(state=State.NOT_CHECKED, signer=HOSTILE, about=HOSTILE, key="0" * 16)},
    )
