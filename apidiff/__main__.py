"""``python -m apidiff``: the command `apidiff`. ``python apidiff`` in a checkout is the same, which is how msrun starts it."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while the rest is imported there is nothing to put away, nor to say

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
if (
    sys.path and Path(sys.path[0]).resolve() == _HERE
):  # started by the folder's name: import the package, not what lies in it
    sys.path[0] = str(_HERE.parent)

from apidiff.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
