"""The messages are all there: every file, and every key that code names, so that no page or answer finds one missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from apidiff.database.paths import PACKAGE
from apidiff.errors import Damage, DataError
from apidiff.folder_walk import visible_files

FILES = {
    *("agreement", "census", "claims", "code_comments", "condition_figures", "conditions", "coverage"),
    *("differences", "documents", "evidence", "evidence_pages", "exports", "first_screen", "headlines"),
    *("history", "home", "names", "pages", "picture", "port", "porting", "runs", "scan", "search", "servers"),
    *("shell", "sweeps", "synonyms", "terminal", "upstream_tables", "versions"),
}
_REMEDY = "It is a part of apidiff: take it from git, or reinstall apidiff."
# A key as calls name it, whole, or the front of one that code completes: label("scan.title", filled(f"risk.{.
_NAMED = re.compile(r'\b(?:label|filled|joined|words)\(\s*(?:"([a-z_]+\.[\w.]+)"|f"([a-z_]+\.)\{)')


def messages_are_there(folder: Path, keys: Collection[str]) -> Iterator[DataError]:
    """Every file of messages that is missing; where all are there, every key that code names and that no file has.

    ``keys``: those of the files in ``folder``.
    """
    missing = [path for name in sorted(FILES) if not (path := folder / f"{name}.yaml").is_file()]
    for path in missing:
        yield DataError(path, None, "is missing", _REMEDY, Damage.UNREADABLE)
    if missing:  # its keys would be told one by one
        return
    families = {key.partition(".")[0] for key in keys}
    for key, module in sorted(named_keys().items()):
        there = key[:-1] in families if key.endswith(".") else key in keys
        if not there:
            found = f"'{key}{'*' if key.endswith('.') else ''}', which {module} names, is in none of its files"
            yield DataError(folder, None, found, _REMEDY, Damage.UNREADABLE)


def named_keys() -> dict[str, str]:
    """Keys that modules of the package name, and families (``risk.``), with one module that does."""
    return {
        key or family: path.relative_to(PACKAGE).as_posix()
        for path in visible_files(PACKAGE, "**/*.py")
        for key, family in _NAMED.findall(path.read_text("utf-8"))
    }
