"""A cluster of Slurm with one node, this machine, for tests: its daemons, its key and all that it writes in one folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "squeue")
CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ctld}
SlurmdPort={d}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def absent() -> str | None:
    """Why no cluster can be started here, or None."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} not installed (Debian: slurm-wlm)"
    return None if os.geteuid() == 0 else "Slurm's daemons start jobs as root only"


class Cluster:
    """A cluster with one node that says it has four cores. Use as a context manager: leaving it ends jobs and daemons."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}

    def __enter__(self) -> Cluster:
        folder = self.folder
        for name in ("munge", "state", "spool"):
            (folder / name).mkdir(parents=True, mode=0o700)
        key = folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        host = socket.gethostname().partition(".")[0]
        configuration = CONFIGURATION.format(folder=folder, host=host, ctld=free_port(), d=free_port())
        (folder / "slurm.conf").write_text(configuration, encoding="utf-8")
        try:
            named = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
            self.run("munged", "--force", *(f"--{option}={folder}/munge/{name}" for option, name in named.items()))
            self.run("slurmctld", "-i")
            self.run("slurmd")
            self.wait(lambda: self.run("sinfo", "-h", "-o", "%T").strip() == "idle", 60)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(subprocess.SubprocessError, AssertionError):
            self.run("scancel", "--user", "root")
            self.wait(lambda: not self.run("squeue", "-h").strip(), 30)
        for pid in (self.folder / "slurmd.pid", self.folder / "slurmctld.pid", self.folder / "munge" / "pid"):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(pid.read_text()), signal.SIGKILL)

    def run(self, *command: str, given: str | None = None) -> str:
        """What one of Slurm's programs prints."""
        done = subprocess.run(
            command, env=self.environment, input=given, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr, self.logs())
        return done.stdout

    def wait(self, what: object, seconds: float) -> None:
        """Waits until ``what()`` is true."""
        assert callable(what)
        until = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < until, (self.run("squeue"), self.logs())
            time.sleep(0.2)

    def logs(self) -> str:
        """What the daemons wrote."""
        return "\n".join(path.read_text("utf-8", "replace")[-2000:] for path in self.folder.glob("slurm*.log"))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
