"""The commands that the guide gives for several machines, as they stand there, on this one."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from apidiff.execute.offline.wheels import CHECKOUT

BIN = Path(sys.executable).parent
GUIDES = [CHECKOUT / "docs" / language / "guide" / "verifying.md" for language in ("en", "zh")]


def documented(guide: Path) -> dict[str, str]:
    """The commands of the section on several machines, by their launcher."""
    section = guide.read_text("utf-8").partition("(guide-verifying-machines)=")[2]
    block = re.search(r"```bash\n(.*?)```", section, re.DOTALL)
    assert block
    lines = block[1].replace("\\\n", "").splitlines()
    return {word: line for line in lines for word in ("torchrun", "msrun", "srun") if re.search(rf"\b{word}\b", line)}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_both_languages_give_the_same_commands() -> None:
    english, chinese = map(documented, GUIDES)
    assert english == chinese
    assert list(english) == ["torchrun", "msrun", "srun"]


# (launcher, what stands in the guide for two machines, and what it is on one)
COMMANDS = [
    ("torchrun", {"--nnodes 2": "--nnodes 1", "--backend nccl": "--backend gloo"}),
    ("msrun", {"--worker_num 4": "--worker_num 2", "--backend hccl": "--backend mccl"}),
]


@pytest.mark.turning(days=4)
@pytest.mark.parametrize(("launcher", "here"), COMMANDS)
def test_a_documented_command_runs(launcher: str, here: dict[str, str], tmp_path: Path) -> None:
    line = documented(GUIDES[0])[launcher]
    port = re.search(r"--master[-_]port (\d+)", line)
    assert port
    mapping = "torch.distributed.get_rank"
    for there, instead in {
        **here,
        "--node-rank N": "--node-rank 0",
        "--node_rank N": "--node_rank 0",
        "HOST": "127.0.0.1",
        port[0]: f"{port[0].split()[0]} {free_port()}",
        '--record --measured-by "$BY"': mapping,
    }.items():
        line = line.replace(there, instead)
    assert mapping in line
    done = subprocess.run(
        ["bash", "-c", f"cd {tmp_path} && exec {line}"],
        capture_output=True,
        text=True,
        timeout=1000,
        check=False,
        env=os.environ
        | {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "PYTHONPATH": str(CHECKOUT),
            "XDG_STATE_HOME": str(tmp_path),
            "APIDIFF_PORT": str(free_port()),
        },
    )
    said = done.stdout + done.stderr + "".join(log.read_text() for log in tmp_path.rglob("worker_0.log"))
    assert done.returncode == 0, said
    assert "Every verdict is what is recorded." in said
