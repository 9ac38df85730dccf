"""The matrix as a job array of Slurm: one task a cell, each alone on a machine, records and environments on shared storage.

Slurm rather than Ray or Dask: clusters with GPU or Ascend devices run it, it gives a task its devices, takes up a task again
whose machine went away, and needs no package in the environments, which must hold what is measured and little else.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

from apidiff.execute.matrix.cells import Cell


def script(commands: Sequence[tuple[Cell, Sequence[str]]], logs: Path) -> str:
    """A script for ``sbatch`` with a task for each cell and its command. Options given to sbatch itself count for more."""
    minutes = math.ceil(max(cell.block.deadlines.run for cell, _ in commands) / 60)
    cases = [
        f"  {number}) set -- {shlex.join(command)} ;;  # {cell.name}" for number, (cell, command) in enumerate(commands)
    ]
    return "\n".join(
        [
            "#!/bin/bash",
            f"#SBATCH --array=0-{len(commands) - 1}",
            "#SBATCH --job-name=apidiff-matrix",
            "#SBATCH --nodes=1",
            "#SBATCH --ntasks=1",
            # A core for each rank: on a machine shared with other tasks, probes would reach their deadlines.
            f"#SBATCH --cpus-per-task={max(cell.world_size for cell, _ in commands)}",
            f"#SBATCH --time={minutes}",
            "#SBATCH --requeue",
            f"#SBATCH --output={logs}/slurm-%A-%a.log",
            "#SBATCH --open-mode=append",
            "unset PYTHONPATH PYTHONHOME VIRTUAL_ENV",
            'case "$SLURM_ARRAY_TASK_ID" in',
            *cases,
            '  *) echo "no cell $SLURM_ARRAY_TASK_ID" >&2; exit 2 ;;',
            "esac",
            'exec "$@"',
            "",
        ]
    )
