"""What is published for programs, from the small content of the pages' tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from entry_fixture import NEW, SOURCE, content, run_record, write_run
from factories import claim_entry

from apidiff.derive.evidence import RunHead
from apidiff.messages.evidence import observed_entry
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries
from apidiff.model.base import Text
from apidiff.model.signed import Signed, State
from apidiff.model.verdict import EvidenceCode, Observation, Outcome, evidence
from apidiff.model.views import Entry, ObservedEntry
from apidiff.sphinxext.build_cache import BuildCache
from apidiff.writers.exports import publish, publish_sitemap
from apidiff.writers.exports.address import LANGUAGES, Address

OURS = Signed(state=State.LISTED)
# Text that would be markup, script or a broken file if anything took it for more than text.
HOSTILE = (
    "</script><script>alert(1)</script> ]]> <!-- &amp; \x00\x07\x1b\ufffe\ud83d "
    '<a href="javascript:alert(1)">x</a> [y](javascript:alert(2)) ![z](//evil) <img src=x onerror=alert(3)> '
    "\n\n# head\n\n```\n``` **b** _i_ | \\ \u2028 <https://evil.example/>"
)
# JSON holds no halves of surrogate pairs, so a record cannot either.
HOSTILE = HOSTILE.replace("\ud83d", "")


class Published:
    """A site's folder. ``content`` may be replaced between builds."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.site, self.folder, self.address = folder / "site", folder, Address.parse(url)
        made = content(folder / "data")
        self.content = msgspec.structs.replace(made, signed=dict.fromkeys(made.runs, OURS))

    def build(self, languages: tuple[str, ...] = ("en", "zh-cn")) -> set[str]:
        """Publish; the files that were written or removed."""
        before = self._times()
        cache = BuildCache(self.folder / "derived")
        cache.publish(self.content)
        wanted = [language for language in LANGUAGES if language.folder in languages]
        publish(
            self.site,
            self.content.entries,
            self.content.counterparts,
            cache.read("runs", list[RunHead]),
            wanted,
            self.address,
        )
        publish_sitemap(self.site, wanted, self.address)
        after = self._times()
        return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}

    def _times(self) -> dict[str, int]:
        return {name: (self.site / name).stat().st_mtime_ns for name in self.files()}

    def files(self) -> list[str]:
        return sorted(path.relative_to(self.site).as_posix() for path in self.site.rglob("*") if path.is_file())

    def bytes(self) -> dict[str, bytes]:
        return {name: (self.site / name).read_bytes() for name in self.files()}

    def text(self, path: str) -> str:
        return (self.site / path).read_text("utf-8")

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))

    def change(self, **entries: Entry | None) -> None:
        """Replace, add or (None) remove mappings; keys are their IDs with dots as '__'."""
        found = dict(self.content.entries)
        for key, entry in entries.items():
            mapping = key.replace("__", ".")
            if entry is None:
                del found[mapping]
            else:
                found[mapping] = entry
        self.content = msgspec.structs.replace(self.content, entries=found)

    def record(self, name: str = "", by: Signed | None = None, **facts: Any) -> str:
        """Add a run record with these facts, called ``name`` and its digest or as its facts say. Returns its ID.

        ``by``: who vouches for it, this project if None.
        """
        made = msgspec.structs.replace(run_record(), **facts)
        run, path = write_run(self.folder / "data", made, name)
        runs, signed = {**self.content.runs, run: path}, {**self.content.signed, run: by or OURS}
        self.content = msgspec.structs.replace(self.content, runs=runs, signed=signed)
        return run


def observed(run: str, version: str, outcome: str, size: int = 3, lines: Sequence[str] = ()) -> ObservedEntry:
    """A verdict on MindSpore's mccl."""
    seen = Observation(
        outcome=Outcome(outcome),
        framework="mindspore",
        framework_version=version,
        backend="mccl",
        device="cpu",
        world_size=size,
        probe="sync",
        run=run,
        facts=[evidence(EvidenceCode.SIGNATURE, signature=line) for line in lines],
    )
    return observed_entry(seen)


def with_claim(entry: Entry, *found: ObservedEntry, text: str = "Writes `x`.") -> Entry:
    """The entry with a claim of its first target, in place of one added before."""
    claim = claim_entry(
        f"{NEW}#added",
        kind="writes",
        text=Text(en=text, zh=text),
        observed=list(found),
        summary=summarise(found),
        changes=change_entries(found, {}),
    )
    others = [one for one in entry.claims if one.id != claim.id]
    return msgspec.structs.replace(entry, claims=[*others, claim])


__all__ = ["HOSTILE", "NEW", "SOURCE", "Published", "observed", "with_claim"]
