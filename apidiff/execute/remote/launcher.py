"""Reads from the environment whether a launcher started this process among others: torchrun, msrun or Slurm's srun."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from apidiff.database import ApidiffError
from apidiff.database.record_gate import MAX_RANKS
from apidiff.errors import typed
from apidiff.process_group import run

PORT = "APIDIFF_PORT"
_LONGEST_JOB = 500  # bytes; of a greeting, which holds it as JSON, 4,096 are read
_MOST_DIGITS = 9
_MOST_RANKS = 100_000  # that are read, and devices of a machine
# What launchers set for the frameworks; the ranks that the verifier starts get variables of their own.
_PREFIXES = ("TORCHELASTIC_", "MS_", "GROUP_", "ROLE_", "LOCAL_", "MASTER_", "RANK_")
_NAMES = {"RANK", "WORLD_SIZE", "DEVICE_ID", "APIDIFF_SECRET", "APIDIFF_SECRET_FILE"}


class Place(NamedTuple):
    """One process among those that were launched.

    ``host`` and ``port``: where rank 0 is reached by the others. ``job``: what the launcher calls the whole.
    """

    launcher: str
    rank: int
    world_size: int
    local_rank: int
    host: str
    port: int
    job: str


def place_of(environment: Mapping[str, str]) -> Place | None:
    """Reads the place that a launcher gave this process; None where none did. Raises ApidiffError where it says too little."""
    if "TORCHELASTIC_RUN_ID" in environment:
        return _place("torchrun", environment, "RANK", "WORLD_SIZE", "LOCAL_RANK", environment["TORCHELASTIC_RUN_ID"])
    if environment.get("MS_ROLE") == "MS_WORKER" and "MS_SCHED_HOST" in environment:
        if "MS_NODE_ID" not in environment:
            raise ApidiffError("verify: msrun gave this process no rank. Start it with --node_rank on every machine.")
        return _place("msrun", environment, "MS_NODE_ID", "MS_WORKER_NUM", "DEVICE_ID", "msrun")
    if environment.get("SLURM_STEP_NUM_TASKS", "1") != "1" and "SLURM_PROCID" in environment:
        job = environment.get("SLURM_JOB_ID", "srun")
        return _place("srun", environment, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", job)
    return None


def is_scheduler(environment: Mapping[str, str]) -> bool:
    """Tells whether msrun started this process as its scheduler. The verifier has one of its own for each start of the ranks."""
    return environment.get("MS_ROLE") == "MS_SCHED"


def _place(launcher: str, environment: Mapping[str, str], rank: str, size: str, local: str, job: str) -> Place:
    local = local if local in environment else rank
    ranks = _number(environment, size, launcher, 1, _MOST_RANKS)
    if ranks > MAX_RANKS:
        raise ApidiffError(
            f"verify: {launcher} started {ranks:,} ranks, and a record holds {MAX_RANKS} at most. Start no more of them."
        )
    own = _number(environment, rank, launcher, 0, ranks - 1)
    here = _number(environment, local, launcher, 0, _MOST_RANKS)  # a device's number, maybe
    host = environment.get("MASTER_ADDR") or environment.get("MS_SCHED_HOST") or _first_host(environment)
    if environment.get(PORT):
        port = _number(environment, PORT, launcher)
    else:
        # The launcher may listen on its own port; the next one is ours.
        given = next((name for name in ("MASTER_PORT", "MS_SCHED_PORT") if environment.get(name)), None)
        port = 1 + (_number(environment, given, launcher) if given else 29500)
    if not 0 < port < 2**16:
        raise ApidiffError(f"verify: there is no port {port}. Name a free one on every machine: {PORT}=29700")
    try:
        if len(job.encode()) > _LONGEST_JOB:
            raise ApidiffError(
                f"verify: {launcher} gave this process the job {job[:20]!r}…, a name of {len(job):,} characters, by which "
                f"ranks greet each other. Give it one of at most {_LONGEST_JOB} bytes."
            )
        host.encode("idna")
    except UnicodeError as error:
        raise ApidiffError(
            f"verify: {launcher} gave this process the job {job!r} and the address {host!r} of rank 0; one of them is no name. "
            "Name the job in letters and digits, and the machine as others reach it (MASTER_ADDR)."
        ) from error
    return Place(launcher, own, ranks, here, host, port, job)


def _number(
    environment: Mapping[str, str], name: str, launcher: str, least: int | None = None, most: int | None = None
) -> int:
    """Read a number. Raises ApidiffError where there is none, or one that is not from ``least`` to ``most``."""
    try:
        if len(environment[name]) > _MOST_DIGITS:
            raise ValueError
        number = int(environment[name])
        if least is not None and most is not None and not least <= number <= most:
            raise ValueError
    except (KeyError, ValueError) as error:
        found = f"{name}={typed(environment[name])}" if name in environment else f"no {name}"
        wanted = "a number" if least is None else f"a number from {least} to {most}"
        remedy = "Set it to a number" if name == PORT else f"Start the ranks with {launcher} itself"
        raise ApidiffError(
            f"verify: {launcher} gave this process {found}, where {wanted} is needed. {remedy}."
        ) from error
    return number


def _first_host(environment: Mapping[str, str]) -> str:
    """Asks Slurm for the machine of its first task. Raises ApidiffError where Slurm does not tell."""
    nodes = environment.get("SLURM_STEP_NODELIST", "")
    try:
        return run(["scontrol", "show", "hostnames", nodes], 30, guarded=False).output.split()[0]
    except (OSError, subprocess.TimeoutExpired, IndexError) as error:
        raise ApidiffError(
            f"verify: the machine of rank 0 is not known (scontrol show hostnames {nodes!r} gave nothing). "
            "Export MASTER_ADDR before srun."
        ) from error


def without_launcher(environment: Mapping[str, str]) -> dict[str, str]:
    """Leaves out what launchers set, for the processes that the verifier starts."""
    return {key: value for key, value in environment.items() if key not in _NAMES and not key.startswith(_PREFIXES)}
