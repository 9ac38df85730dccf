"""What the site publishes for programs, written beside its pages once they are built.

At the site's root, which belongs to no language: ``api/v1/`` (JSON, schemas, SQLite), ``llms.txt``, ``robots.txt`` and,
where the site's address is known, ``sitemap.xml``. In the folder of each language: ``verdicts.xml`` (Atom), ``llms.txt``,
``llms-full.txt`` and a Markdown file beside each mapping's page. Only what changed is written, through temporary files,
and what is gone is removed. The bytes are the same for the same data.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from apidiff.messages.labels import Language
from apidiff.sphinxext.build_cache import Shelf, replace_folder, write_if_changed
from apidiff.sphinxext.languages import LANGUAGES
from apidiff.writers.exports.address import Address
from apidiff.writers.exports.api import write_api
from apidiff.writers.exports.changes import changed_verdicts, recorded_runs
from apidiff.writers.exports.feed import NAME as FEED
from apidiff.writers.exports.feed import feed_bytes
from apidiff.writers.exports.llms import Texts
from apidiff.writers.exports.sitemap import pages, robots_text, sitemap_bytes

_WORDS: dict[str, Language] = {folder: "zh" if folder.startswith("zh") else "en" for _, folder, _, _ in LANGUAGES}
_NAMES = {folder: name for _, folder, _, name in LANGUAGES}


def publish(site: Path, shelf: Shelf, folders: Sequence[str], address: Address, work: Path) -> None:
    """Write everything for the site at ``site`` from the files its pages were made from.

    ``folders``: the languages it has, the first of which leads. ``work``: a folder kept between builds.
    """
    entries = {key: shelf.mapping(key).entry for key in shelf.mapping_ids()}
    counterparts = {one.name: one for one in shelf.counterparts()}
    runs = shelf.runs()
    write_api(site, entries, counterparts, runs, folders[0], work / "sqlite.made-from")
    changes, recorded = changed_verdicts(entries, runs), recorded_runs(entries, runs)
    for folder in folders:
        language = _WORDS[folder]
        others = [(other, _NAMES[other]) for other in folders if other != folder]
        texts = Texts(entries, language, folder, others, address)
        found = {site / path: text.encode() for path, text in texts.pages().items()}
        replace_folder(site / folder / "mappings", found, "*.md")
        for name, text in (("llms.txt", texts.index), ("llms-full.txt", texts.full)):
            write_if_changed(site / folder / name, text(f"{folder}/{name}").encode())
        write_if_changed(site / folder / FEED, feed_bytes(changes, recorded, language, folder, address))
        if folder == folders[0]:
            write_if_changed(site / "llms.txt", texts.index("llms.txt").encode())
    write_if_changed(site / "robots.txt", robots_text(address).encode())
    if address.root:
        write_if_changed(site / "sitemap.xml", sitemap_bytes(pages(site, list(folders)), address))
    else:
        (site / "sitemap.xml").unlink(missing_ok=True)
