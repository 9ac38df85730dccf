"""Runs on several machines: launched by torchrun, msrun or Slurm's srun, which start one process of ours per rank.

Rank 0 verifies; ``serve`` is what the others do, and ``Hosts`` is how rank 0 starts and asks ranks where they are. Others
import from here only.
"""

from __future__ import annotations

from apidiff.execute.remote.coordinator import HostError, Hosts, RemoteRank
from apidiff.execute.remote.launcher import PORT, Place, is_scheduler, place_of, without_launcher
from apidiff.execute.remote.worker import serve

__all__ = [
    "PORT",
    "HostError",
    "Hosts",
    "Place",
    "RemoteRank",
    "is_scheduler",
    "place_of",
    "serve",
    "without_launcher",
]
