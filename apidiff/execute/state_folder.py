"""The user's state folder, for what runs leave: logs, journals, secrets, and which records were written here."""

from __future__ import annotations

import contextlib
from pathlib import Path

from platformdirs import user_state_path

from apidiff.errors import ApidiffError


def state_folder() -> Path:
    """The folder (on Linux ``~/.local/state/apidiff``). Raises ApidiffError where no home folder is known.

    For a user that the system does not know platformdirs raises RuntimeError, or answers a path in which `~` still stands.
    """
    with contextlib.suppress(RuntimeError):
        path = user_state_path("apidiff", appauthor=False)
        if path.is_absolute():
            return path
    raise ApidiffError(
        "No home folder is known, and logs of runs need one. Set XDG_STATE_HOME to a folder that can be written."
    )
