"""Asks git about a folder whose repository may be a stranger's: nothing that its settings name is run.

Git runs programs that settings of the repository name: a monitor of its files, filters of their content, hooks, what fetches
objects that are missing.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from apidiff.errors import ApidiffError, typed
from apidiff.process_group import Ended, run

_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
# For all that a command asks: git reads whatever lies in a repository, a pipe too, and waits for it, and a folder may hold any
# number of repositories.
DEADLINE_S = 50.0
# Of a tree that names itself ten times over git makes a list, and where a file should be there may be a link to /dev/zero.
_MEMORY = 2**30  # bytes
# What it prints is held several times. Names of files and of settings may share their beginnings where they are kept: 500 kB of
# them are 500 MB where they are told.
_PRINTED = 64 * 2**20  # bytes; the files of the largest repositories have a third of that
_PRINTED_OF_FILTERS = 2**20  # bytes; the system starts no program with more variables
_COUNT = re.compile(r"\+?0*([0-9]{0,9})")
_NONE = 1  # the exit code of `git config` where no setting is so called
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


def git_deadline() -> float:
    """Returns the time, of the monotonic clock in seconds, until which git may answer what is asked from now on."""
    return time.monotonic() + DEADLINE_S


def git_answer(arguments: list[str], folder: Path, until: float) -> Ended:
    """Runs git in ``folder``. Names of files come as Python names them, whatever the locale.

    ``until``: as `git_deadline` returns it, once for all questions of a command. Raises OSError where there is no git,
    TimeoutError where it does not end, and ApidiffError where the locale's encoding would give back something else than git
    printed.
    """
    asked = ["config", "--name-only", "--null", "--get-regexp", r"^filter\."]
    told = _run(asked, folder, {}, until, printed=_PRINTED_OF_FILTERS)
    if told.code not in {0, _NONE}:  # of filters that nobody knows none is taken away
        return told
    filters = told.output.split("\0")
    # By variables, after the user's: the name of a filter may hold what ends a setting on the command line.
    count = os.environ.get("GIT_CONFIG_COUNT", "").strip()
    if (number := _COUNT.fullmatch(count)) is None:  # git takes others too, as one below zero
        raise ApidiffError(f"GIT_CONFIG_COUNT is {typed(count)}, which is no number of settings. Unset it.")
    first = int(number[1] or 0)
    unset = {f"GIT_CONFIG_KEY_{number}": name for number, name in enumerate(filters[:-1], first)}
    unset |= {f"GIT_CONFIG_VALUE_{number}": "" for number in range(first, first + len(unset))}
    return _run(arguments, folder, {**unset, "GIT_CONFIG_COUNT": str(first + len(filters) - 1)}, until)


def repository_around(folder: Path) -> Path | None:
    """The nearest folder around ``folder`` that seems to be a repository; git may say that it is none."""
    around = [folder, *folder.parents]
    return next((one for one in around if os.path.exists(one / ".git")), None)  # noqa: PTH110 - a Path raises where it is too long


def _run(
    arguments: list[str], folder: Path, settings: dict[str, str], until: float, *, printed: int = _PRINTED
) -> Ended:
    command = ["git", *_NO_PROGRAMS, *arguments]
    environment = os.environ | _ENVIRONMENT | settings
    environment.pop("GIT_CONFIG", None)  # the one file of which `git config` alone tells
    try:
        seconds = max(until - time.monotonic(), 0.0)
        ended = run(
            command,
            seconds,
            folder=folder,
            environment=environment,
            decoded=_decoded,
            guarded=False,
            memory=_MEMORY,
            printed=printed,
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(
            f"git {arguments[0]} in {folder} did not end within {DEADLINE_S:.0f} s, with all that was asked before. Something "
            "there keeps it busy or waiting, as patterns in .gitignore or .gitattributes, or a pipe in .git"
        ) from error
    if ended.code == -signal.SIGXFSZ:
        raise ApidiffError(
            f"git {arguments[0]} in {folder} prints more than {printed // 2**20} MiB. Look at what the index and the settings "
            "there hold; `scan` without --diff and `port` with --force do not ask git."
        )
    return ended


def _decoded(printed: bytes) -> str:
    """What git prints, as the system's functions take it: another filter would be unset than the repository has."""
    text = os.fsdecode(printed)
    try:
        if os.fsencode(text) == printed:
            return text
    except UnicodeEncodeError:
        pass
    raise ApidiffError(
        f"git names something that the locale's encoding, {sys.getfilesystemencoding()}, does not give back as it is. "
        "Set LC_ALL=C.UTF-8."
    )
