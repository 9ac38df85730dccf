"""``apidiff verify --matrix`` on data and environments of its own, for tests that run it as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from apidiff.database.backends import load_backends
from apidiff.database.paths import PACKAGE
from apidiff.execute.matrix.cells import read_matrix
from apidiff.execute.matrix.environment import Environment

MAIN = """
import pathlib, sys
sys.path.insert(0, {root!r})
import apidiff.database.data
import apidiff.cli.matrix
apidiff.database.data.DATA = pathlib.Path({data!r})
apidiff.cli.matrix.WORK = pathlib.Path({work!r})
from apidiff.cli import main
sys.exit(main())
"""
MATRIX = """
[[framework]]
name = "torch"
versions = [{versions}]
python = ["{python}"]
backends = ["gloo"]
world_sizes = [2, 3]
deadlines = {{ environment = 600, run = {run} }}
"""


@dataclass
class MatrixCommand:
    """The command on the data below ``folder``."""

    folder: Path

    @property
    def runs(self) -> Path:
        return self.folder / "data" / "runs"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def describe(self, *versions: str, run: float = 240) -> None:
        """Writes the matrix: gloo on 2 and on 3 ranks."""
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        named = ", ".join(f'"{version}"' for version in versions)
        (self.folder / "matrix.toml").write_text(
            MATRIX.format(versions=named, python=python, run=run), encoding="utf-8"
        )

    def environment(self, version: str, apidiff: str | None = None) -> None:
        """An environment that is made already: with the packages of this one. ``apidiff``: a shell script instead of it."""
        backends = load_backends()
        [block] = read_matrix(self.folder / "matrix.toml", backends)
        found = Environment(block, version, PACKAGE.parent, self.work)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(found.folder)], check=True, timeout=300)
        packages = next((found.folder / "lib").glob("python*/site-packages"))
        lines = [str(PACKAGE.parent), *(path for path in sys.path if path.endswith("site-packages"))]
        (packages / "here.pth").write_text("\n".join(lines), encoding="utf-8")
        script = found.folder / "bin" / "apidiff"
        script.write_text(apidiff or f"#!{found.python}\n{self._main()}", encoding="utf-8")
        script.chmod(0o755)
        stamp = found.stamp(block.python[0])
        (found.folder / "apidiff-stamp.json").write_bytes(stamp)

    def _main(self) -> str:
        root, data = str(PACKAGE.parent), str(self.folder / "data")
        return MAIN.format(root=root, data=data, work=str(self.work))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = os.environ | {"XDG_STATE_HOME": str(self.folder / "state"), "CUDA_VISIBLE_DEVICES": ""}
        return subprocess.Popen(
            [sys.executable, "-c", self._main(), "verify", "--matrix", str(self.folder / "matrix.toml"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            start_new_session=True,
        )

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        process = self.start(*arguments)
        try:
            out, err = process.communicate(timeout=1000)
        finally:
            process.kill()
            process.wait()
        return process.returncode, out, err


def torch_release() -> str:
    """The installed torch, as records name it."""
    return metadata.version("torch").partition("+")[0]
