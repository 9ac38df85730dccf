"""How tests give the command: in this process, where only what it prints counts, or as a process of its own."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

from apidiff.cli import main
from apidiff.database import Data, data, load

# Where commands read the package's data: in this process it is read once, since no command changes what it has read.
_READ_AT = (
    "apidiff.cli.check.load_valid",
    *(f"apidiff.cli.{name}.load_usable" for name in ("samples", "verify")),
    *(f"apidiff.cli.{name}.load" for name in ("drift", "runs")),
    "apidiff.database.load",
)
COMMAND = [sys.executable, "-c", "import sys; from apidiff.cli import main; sys.exit(main())"]


_read = functools.cache(lambda folder: load())


def read_data() -> Data:
    """Return the data of the folder that is the package's now, which tests may have replaced by one of their own: read once."""
    return _read(data.DATA)


def give(
    *arguments: str, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Gives ``apidiff`` with ``arguments`` in this process, with these variables and in this folder.

    What a process adds to it, such as output that cannot be written or Ctrl-C, is seen with `start` alone.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    variables = dict(os.environ if environment is None else environment)
    with (
        contextlib.ExitStack() as stack,
        mock.patch.dict(os.environ, variables, clear=True),
        contextlib.chdir(folder or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        for name in _READ_AT:
            stack.enter_context(mock.patch(name, read_data))
        try:
            code = main(arguments)
        except SystemExit as ended:  # argparse ends so
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess([*COMMAND, *arguments], code, *said)


def start(
    *arguments: str, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Gives ``apidiff`` with ``arguments`` as a user does: as a process of its own."""
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=500,
        cwd=folder,
        env=environment,
    )
