"""How the command is started as a process of its own."""

from __future__ import annotations

import sys

COMMAND = [sys.executable, "-c", "import sys; from apidiff.cli import main; sys.exit(main())"]
