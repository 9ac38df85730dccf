"""Publishes the data for programs beside the site's pages.

At the site's root, which belongs to no language: ``api/v1/`` (JSON, schemas, SQLite), ``llms.txt``, ``robots.txt`` and,
where the site's address is known, ``sitemap.xml``. In the folder of each language: ``verdicts.xml`` (Atom), ``llms.txt``,
``llms-full.txt`` and a Markdown file beside each mapping's page. Only what changed is written, and what is gone is removed.
The bytes are the same for the same data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from apidiff.derive.document_differences import DocumentRow
from apidiff.derive.evidence import RunHead
from apidiff.model.published import IndexRun
from apidiff.model.trust import Trust
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.writers.export import json_files, sqlite_bytes
from apidiff.writers.exports.address import API, Address, SiteLanguage
from apidiff.writers.exports.feed import NAME as FEED
from apidiff.writers.exports.feed import changed_verdicts, feed_bytes, outcomes_by_run
from apidiff.writers.exports.files import write_if_changed
from apidiff.writers.exports.kept_texts import digests_of
from apidiff.writers.exports.listed_files import replace_listed
from apidiff.writers.exports.llms import Texts
from apidiff.writers.exports.sitemap import pages, robots_text, sitemap_bytes


def publish(
    site: Path,
    entries: Mapping[str, Entry],
    counterparts: Mapping[str, CounterpartEntry],
    runs: Sequence[RunHead],
    languages: Sequence[SiteLanguage],
    address: Address,
    keep: Path | None = None,
    documents: Sequence[DocumentRow] = (),
) -> None:
    """Write everything that programs read into the folder of a built site.

    Args:
        site: the folder with the pages of every language; run records lie in ``_runs`` of the first one's folder.
        entries: by mapping.
        counterparts: MindSpore's communication APIs by name.
        runs: the run records.
        languages: those the site has, the leading one first.
        address: where the site stands on the web, if that is known.
        keep: a folder where texts of mappings are kept for the next build.
        documents: what documents describe and runs show otherwise.
    """
    entries = dict(sorted(entries.items()))
    _write_api(site, entries, counterparts, runs, documents, languages[0])
    digests, changes, counts = digests_of(entries), changed_verdicts(entries, runs), outcomes_by_run(entries)
    for language in languages:
        folder = language.folder
        others = [other for other in languages if other is not language]
        texts = Texts(entries, digests, language, others, address, keep)
        markdown = {site / path: text.encode() for path, text in texts.pages().items()}
        replace_listed(site / folder / "mappings", markdown)
        write_if_changed(site / folder / "llms.txt", texts.index(f"{folder}/llms.txt").encode())
        write_if_changed(site / folder / "llms-full.txt", texts.full(f"{folder}/llms-full.txt").encode())
        write_if_changed(site / folder / FEED, feed_bytes(changes, runs, counts, language, address))
        if language is languages[0]:
            write_if_changed(site / "llms.txt", texts.index("llms.txt").encode())
    write_if_changed(site / "robots.txt", robots_text(address).encode())


def publish_sitemap(site: Path, languages: Sequence[SiteLanguage], address: Address) -> None:
    """Write the sitemap of the pages that are there, where the site's address is known; arguments as of `publish`."""
    if address.root:
        write_if_changed(site / "sitemap.xml", sitemap_bytes(pages(site, languages), address))
    else:
        (site / "sitemap.xml").unlink(missing_ok=True)


def _write_api(
    site: Path,
    entries: Mapping[str, Entry],
    counterparts: Mapping[str, CounterpartEntry],
    runs: Sequence[RunHead],
    documents: Sequence[DocumentRow],
    leading: SiteLanguage,
) -> None:
    """Write ``/api/v1/``: what ``apidiff export`` writes, the SQLite database, run records and `documents.json`."""
    folder = site / API
    listed = [
        IndexRun(
            id=run.id,
            file=f"../../{leading.folder}/_runs/{run.id}.json",
            framework=run.framework,
            framework_version=run.framework_version,
            backend=run.backend,
            device=run.device,
            world_size=run.world_size,
            date=run.date,
            measured_by=run.measured_by,
            trust=run.signed.trust.value,
            signer=run.signed.signer if run.signed.trust is Trust.SIGNED else "",
        )
        for run in runs
    ]
    files = json_files(entries, counterparts, listed)
    # What `apidiff report documents --json` writes.
    files["documents.json"] = msgspec.json.format(msgspec.json.encode(documents), indent=1) + b"\n"
    replace_listed(folder, {folder / path: content for path, content in files.items()})
    write_if_changed(folder / "apidiff.sqlite", sqlite_bytes(entries.values(), counterparts.values()))
