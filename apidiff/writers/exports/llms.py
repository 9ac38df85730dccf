"""Writes Markdown for programs that read text: a page per mapping, and ``llms.txt`` (https://llmstxt.org) that lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from apidiff.database.scope import load_scope
from apidiff.messages.escape_invisible import visible
from apidiff.messages.labels import label
from apidiff.model.views import Entry
from apidiff.model.vocabulary import Risk
from apidiff.writers.exports.address import API, Address, SiteLanguage
from apidiff.writers.exports.feed import NAME as FEED
from apidiff.writers.exports.kept_texts import mapping_texts
from apidiff.writers.markdown import code_span, link, prose


class Texts:
    """Writes the files of one language.

    ``digests``: of the entries (`digests_of`). ``others`` are the site's other languages. ``keep``: a folder where texts of
    mappings are kept for the next build.
    """

    def __init__(
        self,
        entries: Mapping[str, Entry],
        digests: Mapping[str, bytes],
        language: SiteLanguage,
        others: Sequence[SiteLanguage],
        address: Address,
        keep: Path | None = None,
    ) -> None:
        self.entries, self.language, self.others, self.address = entries, language, others, address
        self.folder = language.folder
        kept = keep / f"{self.folder}.msgpack" if keep else None
        self._texts = mapping_texts(entries, digests, language.words, kept)

    def pages(self) -> dict[str, str]:
        """Write a page per mapping, by its path in the site."""
        paths = {key: f"{self.folder}/mappings/{key}.md" for key in self.entries}
        return {path: self._page(key, path) for key, path in paths.items()}

    def full(self, path: str) -> str:
        """Write all pages in one file, which lies at ``path``."""
        return "\n".join(self._page(key, path) for key in self.entries)

    def _page(self, key: str, path: str) -> str:
        links = [
            (self.word("machines.page"), self.address.link(f"{self.folder}/mappings/{key}.html", path)),
            (self.word("machines.entry"), self.address.link(f"{API}/mappings/{key}.json", path)),
        ]
        return self._texts[key].at(links)

    def index(self, path: str) -> str:
        """Write ``llms.txt``, which lies at ``path``: what this is, what there is for programs, and every mapping."""
        here, english = self.folder, self.language.words == "en"
        programs = [
            (f"{API}/index.json", "machines.about_index"),
            (f"{API}/apidiff.json", "machines.about_whole"),
            (f"{API}/schema/entry.json", "machines.about_schema"),
            (f"{API}/apidiff.sqlite", "machines.about_sqlite"),
            (f"{here}/{FEED}", "machines.feed_about"),
            (f"{here}/llms-full.txt", "machines.about_full"),
            (f"{here}/guide/agents.html", "machines.server"),
        ]
        parts = [
            f"# {self.word('site.title')}",
            f"> {self.word('site.description')}",
            self.word("machines.how_to_read"),
            "\n".join(f"- {self.word(f'risk.{one.value}')}: {self.word(f'risk_meaning.{one.value}')}" for one in Risk),
            f"## {self.word('machines.programs')}",
            "\n".join(self._line(path, goal, goal.rpartition("/")[2], self.word(about)) for goal, about in programs),
        ]
        scope = load_scope()
        for category in scope.categories:
            rows = [
                self._line(
                    path,
                    f"{here}/mappings/{entry.id}.md",
                    code_span(entry.source),
                    f"{prose(entry.summary.en if english else entry.summary.zh)} "
                    f"{self.word('worst_risk')}{self.word('site.colon')}{self.word(f'risk.{entry.risk}')}",
                )
                for entry in self.entries.values()
                if entry.category == category
            ]
            parts += (
                [f"## {prose(scope.category_name(category, self.language.words))}", "\n".join(rows)] if rows else []
            )
        elsewhere = [self._line(path, f"{here}/guide/index.html", self.word("machines.guide"))]
        elsewhere += [self._line(path, f"{other.folder}/llms.txt", other.name) for other in self.others]
        # The format's own word: what may be left out where room is short.
        return visible("\n\n".join([*parts, "## Optional", "\n".join(elsewhere)])) + "\n"

    def _line(self, path: str, goal: str, name: str, about: str = "") -> str:
        return f"- {link(name, self.address.link(goal, path))}" + (f": {about}" if about else "")

    def word(self, key: str) -> str:
        """Return the words under ``key``."""
        return label(key, self.language.words)
