"""Finds programs by the folders of PATH that are the same wherever a program is started."""

from __future__ import annotations

import os
import shutil


def find_program(name: str) -> str | None:
    """The absolute path of a program, or None where no absolute folder of PATH has it.

    A relative one, or an empty one, would be looked for in the folder that the program is started in, maybe a stranger's.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)))
