"""``python -m apidiff``: the command `apidiff`. ``python apidiff`` in a checkout is the same, which is how msrun starts it."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
if (
    sys.path and Path(sys.path[0]).resolve() == _HERE
):  # started by the folder's name: import the package, not what lies in it
    sys.path[0] = str(_HERE.parent)

from apidiff.ending_signals import end_at_once  # noqa: E402

end_at_once()  # while the rest is imported there is nothing to put away

from apidiff.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
