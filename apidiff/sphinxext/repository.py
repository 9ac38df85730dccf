"""The repository that pages link to: its address, its files at the commit that was built, and new issues in it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from apidiff.errors import ApidiffError
from apidiff.model.base import Record
from apidiff.process_group import run
from apidiff.writers.exports.address import names_user

VARIABLE = "APIDIFF_REPOSITORY"
# Servers refuse addresses of more than about 8,000 characters.
_LONGEST = 6000
_GIT_S = 20
_SCP = re.compile(r"(?:ssh://)?git@(?P<host>[A-Za-z0-9.-]+)[:/](?P<path>[\w./-]+)")
_SAFE = re.compile(r"[A-Za-z0-9:/._~%-]+")


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


def find_repository(root: Path, environment: Mapping[str, str]) -> Repository | None:
    """Find the repository of the checkout at ``root``; None where neither the variable nor ``origin`` names one.

    Raises RepositoryError where the variable holds anything but a plain http(s) address.
    """
    commit = _git(root, "rev-parse", "HEAD")
    if named := environment.get(VARIABLE, "").strip():
        return Repository(address=checked(named), commit=commit)
    address = from_remote(_git(root, "remote", "get-url", "origin"))
    return Repository(address=address, commit=commit) if address else None


def checked(address: str, name: str = VARIABLE) -> str:
    """Strip an address of what is optional at its end. Raises RepositoryError where it is no plain http(s) address.

    ``name``: of the variable or option that holds it, for the error.
    """
    remedy = f"Set {name} to the address of the repository's page, such as https://host/owner/name, or unset it."
    if names_user(address):
        raise RepositoryError(f"{name} holds a user name or a password, which pages would publish. {remedy}")
    try:
        parts = urlsplit(address)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise RepositoryError(f"{name}={address!r} is no address ({error}). {remedy}") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise RepositoryError(f"{name}={address!r} is no http(s) address. {remedy}")
    if parts.query or parts.fragment or not _SAFE.fullmatch(address) or ".." in parts.path:
        raise RepositoryError(f"{name}={address!r} has more than a host and a path. {remedy}")
    return address.rstrip("/").removesuffix(".git")


def from_remote(remote: str) -> str | None:
    """Return the page of a remote, without credentials; None for one that has no page, such as a folder."""
    if match := _SCP.fullmatch(remote):
        remote = f"https://{match['host']}/{match['path']}"
    try:
        parts = urlsplit(remote)
        if parts.scheme != "https" or not parts.hostname:
            return None
        port = f":{parts.port}" if parts.port else ""
        return checked(f"https://{parts.hostname}{port}{parts.path}")
    except (ValueError, RepositoryError):  # git takes what is no address: `https://host:owner/name`
        return None


def _git(root: Path, *arguments: str) -> str:
    """Return what git prints, or nothing where there is no git, no checkout or no such thing."""
    try:
        ended = run(["git", "-C", str(root), *arguments], _GIT_S, guarded=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.output.strip() if ended.code == 0 else ""
