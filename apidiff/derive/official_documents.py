"""Finds the official documentation of an API, in both languages where upstream writes it in both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from apidiff.database.document_addresses import PageRules
from apidiff.model.base import Text
from apidiff.model.mapping import Api, Document
from apidiff.model.version import Version

_TORCH_PAGE = re.compile(r"https://docs\.pytorch\.org/docs/[^/]+/distributed\.html$")


def official_address(
    api: Api, documents: Mapping[str, Document], rules: Mapping[str, PageRules] | None = None
) -> Text | None:
    """Return the address of the newest documentation of ``api``, or None where nobody knows of any.

    The document names the API as its own (``api``) and its address ends in the API's name. Of PyTorch's page of the whole
    module, which shares one address, a claim of the API cites the part about it. Without a document on record ``rules``, by
    framework, tell the address.
    """
    pages = [document for document in documents.values() if document.api == api.name and _is_about(document, api.name)]
    cited = {stated.document for claim in api.claims for stated in claim.stated if _cites(stated.part, api.name)}
    shared = [documents[key] for key in cited if key in documents and _TORCH_PAGE.match(documents[key].url)]
    newest = max([*pages, *shared], key=lambda document: Version(document.version), default=None)
    if newest is None:
        rule = (rules or {}).get(api.name.partition(".")[0])
        return rule.address(api.name) if rule else None
    part = "" if newest in pages else f"#{api.name}"
    return Text(en=newest.url + part, zh=(newest.url_zh or newest.url) + part)


def official_addresses(
    apis: Iterable[Api], documents: Mapping[str, Document], rules: Mapping[str, PageRules] | None = None
) -> dict[str, Text]:
    """Return the address of each of ``apis`` that has one, by name."""
    return {api.name: address for api in apis if (address := official_address(api, documents, rules))}


def _is_about(document: Document, name: str) -> bool:
    return document.url.removesuffix(".html").endswith(("/" + name, "#" + name))


def _cites(part: str, name: str) -> bool:
    return part.partition("/")[0] == name.rpartition(".")[2]
