"""``python -m apidiff``: the command `apidiff`. ``python apidiff`` in a checkout is the same, which is how msrun starts it."""

from __future__ import annotations

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while the rest is imported there is nothing to put away, nor to say

import os
from pathlib import Path

_HERE = Path(__file__).resolve().parent
# Started by the folder's name: import the package, not what lies in it. To compare paths would follow any number of links.
if sys.path and os.path.isdir(sys.path[0]) and os.path.samefile(sys.path[0], _HERE):  # noqa: PTH112, PTH121 - it may be any text
    sys.path[0] = str(_HERE.parent)

from apidiff.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
