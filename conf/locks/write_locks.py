"""Writes the locks beside this file: what `make` and CI install, each package in one version, with the SHA-256 of its files.

The versions are those that are installed in the environment whose Python runs this, so that what is locked was tried. Each lock
lists what the one before it lacks, for every Python and platform the project runs on. PyTorch is not locked: builds for CPUs and
for GPUs are offered under one version, and with digests pip takes the one whose digest the index tells. pyproject.toml pins it.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXTRAS: dict[str, list[str]] = {
    "core": [],
    "site": ["site"],
    "dev": ["site", "dev"],
    "test": ["site", "dev", "mindspore", "torch"],
}
BESIDE = "hatchling\neditables\npytest\n"  # what an editable installation is built by, and what claims are run by
NOT_LOCKED = ("torch==", "cuda-", "nvidia-", "triton")
HEADER = "# Written by `make lock`. Install with: pip install --no-deps --require-hashes -r {name}\n"


def run(*command: str) -> str:
    """What a command prints. Ends the process where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def compiled(extras: list[str], installed: str, folder: Path) -> dict[str, str]:
    """The packages that ``extras`` come to, each with its hashes, by the first line of its entry.

    Versions that are ``installed`` are kept, but where a Python that the project runs on needs another.
    """
    beside = folder / "beside.txt"
    beside.write_text(BESIDE, encoding="utf-8")
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"]
    command += ["--no-emit-index-url", "--no-annotate", "--no-header"]
    command += [part for extra in extras for part in ("--extra", extra)]
    written = folder / "written.txt"
    written.write_text(installed, encoding="utf-8")  # uv prefers the versions in the file that it writes anew
    run(*command, "--output-file", str(written), "pyproject.toml", str(beside))
    text = written.read_text(encoding="utf-8")
    blocks = re.findall(r"^\S.*(?:\n    --hash=.*)+\n", text, re.MULTILINE)
    return {block.partition(" \\\n")[0]: block for block in blocks if not block.startswith(NOT_LOCKED)}


def main() -> None:
    """Writes ``core.txt``, ``site.txt``, ``dev.txt`` and ``test.txt``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        there = run(sys.executable, "-m", "pip", "list", "--format=freeze", "--exclude-editable").splitlines()
        installed = "".join(f"{line.partition('+')[0]}\n" for line in there)
        packages: dict[str, str] = {}
        for lock, extras in EXTRAS.items():
            more = {key: block for key, block in compiled(extras, installed, folder).items() if key not in packages}
            packages |= more
            text = "".join(block for key, block in sorted(more.items()))
            (HERE / f"{lock}.txt").write_text(HEADER.format(name=f"{lock}.txt") + text, encoding="utf-8")


if __name__ == "__main__":
    main()
