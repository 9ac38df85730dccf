"""Asks git about a folder whose repository may be a stranger's: nothing that its settings name is run.

Git runs programs that settings of the repository name: a monitor of its files, filters of their content, hooks, what fetches
objects that are missing.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


def git_answer(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs git in ``folder``. Names of files that are no UTF-8 come as Python names them. Raises OSError where there is none."""
    filters = _run(["config", "--name-only", "--null", "--get-regexp", r"^filter\."], folder, {}).stdout.split("\0")
    # By variables: the name of a filter may hold what ends a setting on the command line.
    unset = {f"GIT_CONFIG_KEY_{number}": name for number, name in enumerate(filters[:-1])}
    unset |= {f"GIT_CONFIG_VALUE_{number}": "" for number in range(len(unset))}
    return _run(arguments, folder, {**unset, "GIT_CONFIG_COUNT": str(len(filters) - 1)})


def _run(arguments: list[str], folder: Path, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *_NO_PROGRAMS, *arguments],
        cwd=folder,
        env=os.environ | _ENVIRONMENT | settings,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )
