"""What tests of servers share: the command that starts one."""

from __future__ import annotations

import sys

COMMAND = [sys.executable, "-m", "apidiff"]
