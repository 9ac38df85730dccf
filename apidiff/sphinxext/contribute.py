"""Tells how to correct a mapping: its record, its examples, and an issue already written but for what is wrong."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping as Dictionary
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from docutils import nodes

from apidiff.database import ApidiffError
from apidiff.model.base import Record
from apidiff.model.views import Entry
from apidiff.process_group import run
from apidiff.sphinxext.nodes import code, external, folded, literal, paragraph, relative
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.repeat import recorded_places

# Where the site itself keeps copies of the files.
RECORDS = "_records"
EXAMPLES = "_examples"
VARIABLE = "APIDIFF_REPOSITORY"
# Servers refuse addresses of more than about 8,000 characters.
_LONGEST = 6000
_GIT_S = 20
_SCP = re.compile(r"(?:ssh://)?git@(?P<host>[A-Za-z0-9.-]+)[:/](?P<path>[\w./-]+)")
_SAFE = re.compile(r"[A-Za-z0-9:/._~%-]+")


def contribute_section(
    make: PageBuilder, entry: Entry, newest: dict[str, str], repository: Repository | None
) -> nodes.section:
    """Build the section of a mapping's page. ``newest``: framework → its newest known version."""
    record = record_path(entry.id)
    items = [_file(make, "contribute.record", record, record_file(entry.id), repository)]
    items += [
        _file(make, "contribute.example", f"executable_examples/{path}", f"{EXAMPLES}/{path}", repository)
        for path in example_paths(entry)
    ]
    title, body = issue(make, entry, newest)
    children: list[nodes.Node] = [
        make.sentence("contribute.about"),
        nodes.bullet_list("", *items),
    ]
    if repository:
        link = external(repository.issue(title, body), nodes.Text(make.word("contribute.open")))
        children.append(paragraph(*link, classes=["apidiff-issue"]))
    children.append(folded(make.word("contribute.text"), code(f"{title}\n\n{body}", "text")))
    return make.section("contribute", make.word("contribute"), *children)


def record_path(mapping_id: str) -> str:
    """Return the record's place in the repository."""
    return f"apidiff/data/mappings/{mapping_id.replace('.', '/')}.yaml"


def record_file(mapping_id: str) -> str:
    """Return the place of the record's copy on the site."""
    return f"{RECORDS}/{mapping_id}.yaml"


def example_paths(entry: Entry) -> list[str]:
    """List the scripts of the mapping, below ``executable_examples/``."""
    recipes = [answer.recipe for answer in entry.otherwise if answer.recipe]
    return list(dict.fromkeys(example.path for example in [*entry.examples, *recipes]))


def _file(make: PageBuilder, key: str, path: str, copy: str, repository: Repository | None) -> nodes.list_item:
    words: list[nodes.Node] = [make.lead(key)]
    if repository:
        words += [*external(repository.file(path), literal(path)), nodes.Text(" · ")]
        shown: nodes.Node = nodes.Text(make.word("contribute.copy"))
    else:
        shown = literal(path)
    words.append(nodes.reference("", "", shown, refuri=relative(make.docname, quote(copy)), internal=True))
    return nodes.list_item("", paragraph(*words))


def issue(make: PageBuilder, entry: Entry, newest: dict[str, str]) -> tuple[str, str]:
    """Title and text of the issue; what is wrong is left blank."""
    colon, comma = make.word("site.colon"), make.word("site.comma")
    targets = [target.name for target in entry.targets]
    runs = [
        make.word(
            "coverage.place",
            framework=make.framework(framework),
            version=version,
            backend=backend,
            device=device,
        )
        for framework, version, backend, device in recorded_places(entry)
    ]
    runs += dict.fromkeys(
        make.word(
            "agreement.where",
            source=one.source_version,
            version=one.framework_version,
            device=make.word(f"device.{one.device}"),
        )
        for target in entry.targets
        for one in target.agreements
    )
    lines = [
        f"{make.word('contribute.mapping')}{colon}{entry.id}",
        *([f"{make.word('contribute.targets')}{colon}{comma.join(targets)}"] if targets else []),
        f"{make.word('contribute.file')}{colon}{record_path(entry.id)}",
        f"{make.word('contribute.versions')}{colon}PyTorch {newest['torch']}{comma}MindSpore {newest['mindspore']}",
        f"{make.word('contribute.runs')}{colon}{make.word('site.semicolon').join(runs) or make.word('outcome.not run')}",
        "",
        f"{make.word('contribute.wrong')}{colon}",
        "",
        f"{make.word('contribute.seen')}{colon}",
        "",
        f"{make.word('repeat')}{colon}",
        f"    apidiff verify {entry.id}",
        "",
    ]
    if entry.claims:
        lines += [f"{make.word('contribute.claims')}{colon}", *(f"- {claim.id}" for claim in entry.claims)]
    return make.word("contribute.title", name=entry.id), "\n".join(lines).rstrip() + "\n"


def published(records: dict[str, Path], entries: dict[str, Entry]) -> dict[str, bytes]:
    """Return what the site carries: path on the site → the record's bytes, the example's text."""
    files = {record_file(mapping_id): file.read_bytes() for mapping_id, file in records.items()}
    for entry in entries.values():
        recipes = [answer.recipe for answer in entry.otherwise if answer.recipe]
        for example in [*entry.examples, *recipes]:
            files[f"{EXAMPLES}/{example.path}"] = example.code.encode()
    return files


class RepositoryError(ApidiffError):
    """An address that pages must not link to."""


class Repository(Record, frozen=True, kw_only=True):
    """``address``: of the repository's page, without a slash at its end. ``commit``: what was built, empty if unknown."""

    address: str
    commit: str = ""

    def file(self, path: str) -> str:
        """Return the address of the file at ``path`` as it was built."""
        return f"{self.address}/blob/{self.commit or 'HEAD'}/{quote(path)}"

    def issue(self, title: str, body: str) -> str:
        """Return the address that opens a new issue with this text; a text that is too long for one loses its end."""
        while True:
            text = urlencode({"title": title, "body": body}, quote_via=quote)
            address = f"{self.address}/issues/new?{text}"
            if len(address) <= _LONGEST:
                return address
            body = body[: len(body) * 9 // 10].rstrip() + "\n…"


def find_repository(root: Path, environment: Dictionary[str, str]) -> Repository | None:
    """Find the repository of the checkout at ``root``; None where neither the variable nor ``origin`` names one.

    Raises RepositoryError where the variable holds anything but a plain http(s) address.
    """
    commit = _git(root, "rev-parse", "HEAD")
    if named := environment.get(VARIABLE, "").strip():
        return Repository(address=checked(named), commit=commit)
    address = from_remote(_git(root, "remote", "get-url", "origin"))
    return Repository(address=address, commit=commit) if address else None


def checked(address: str) -> str:
    """Strip an address of what is optional at its end. Raises RepositoryError where it is no plain http(s) address."""
    remedy = f"Set {VARIABLE} to the address of the repository's page, such as https://host/owner/name, or unset it."
    try:
        parts = urlsplit(address)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise RepositoryError(f"{VARIABLE}={address!r} is no address ({error}). {remedy}") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise RepositoryError(f"{VARIABLE}={address!r} is no http(s) address. {remedy}")
    if "@" in parts.netloc:
        raise RepositoryError(f"{VARIABLE} holds a user name or a password, which pages would publish. {remedy}")
    if parts.query or parts.fragment or not _SAFE.fullmatch(address) or ".." in parts.path:
        raise RepositoryError(f"{VARIABLE}={address!r} has more than a host and a path. {remedy}")
    return address.rstrip("/").removesuffix(".git")


def from_remote(remote: str) -> str | None:
    """Return the page of a remote, without credentials; None for one that has no page, such as a folder."""
    if match := _SCP.fullmatch(remote):
        remote = f"https://{match['host']}/{match['path']}"
    parts = urlsplit(remote)
    if parts.scheme == "https" and parts.hostname:
        port = f":{parts.port}" if parts.port else ""
        try:
            return checked(f"https://{parts.hostname}{port}{parts.path}")
        except RepositoryError:
            return None
    return None


def _git(root: Path, *arguments: str) -> str:
    """Return what git prints, or nothing where there is no git, no checkout or no such thing."""
    try:
        ended = run(["git", "-C", str(root), *arguments], _GIT_S, guarded=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.output.strip() if ended.code == 0 else ""
