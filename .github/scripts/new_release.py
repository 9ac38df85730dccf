"""Tells whether a framework has a release that the data do not know, and if so adds it to the releases and to the matrix.

Prints ``old=…`` and ``new=…`` for a workflow, nothing where all are known. Pre-releases are passed over.
"""

import re
import subprocess
import sys
from pathlib import Path

from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parents[2]
RELEASES = ROOT / "apidiff" / "data" / "frameworks.yaml"
MATRIX = ROOT / "conf" / "matrix.toml"


def offered(framework: str) -> list[str]:
    """The releases that pip could install, in any order."""
    command = [sys.executable, "-m", "pip", "index", "versions", framework]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = next(line for line in told.splitlines() if line.startswith("Available versions:"))
    return [version.strip() for version in line.partition(":")[2].split(",")]


def known(releases: str, framework: str) -> list[str]:
    """The releases of a framework in the text of frameworks.yaml, oldest first."""
    block = re.search(rf"^{framework}:\n((?:[ #].*\n|\n)*)", releases, re.MULTILINE)
    if block is None:
        sys.exit(f"{RELEASES}: has no {framework}")
    return re.findall(r'^  - version: "([^"]+)"', block[1], re.MULTILINE)


def newest(versions: list[str]) -> str | None:
    """The newest of them that is a final release."""
    final = []
    for text in versions:
        try:
            version = Version(text)
        except InvalidVersion:
            continue
        if not (version.is_prerelease or version.is_postrelease or version.local):
            final.append((version, text))
    return max(final)[1] if final else None


def with_release(releases: str, matrix: str, framework: str, old: str, new: str) -> tuple[str, str]:
    """Both texts with a release more: behind the one before among all, and among those that are run."""
    line = f'  - version: "{old}"'
    head, block, rest = releases.partition(f"{framework}:\n")
    entry = re.compile(rf"^{re.escape(line)}\n(?:    .*\n)*", re.MULTILINE)
    releases = head + block + entry.sub(lambda found: f'{found[0]}  - version: "{new}"\n', rest, count=1)
    versions = re.compile(rf'(name = "{framework}"\nversions = \[[^\]]*)\]')
    return releases, versions.sub(rf'\g<1>, "{new}"]', matrix, count=1)


def main(framework: str) -> None:
    """Look, add and print."""
    releases, matrix = RELEASES.read_text("utf-8"), MATRIX.read_text("utf-8")
    old, new = known(releases, framework)[-1], newest(offered(framework))
    if new is None or Version(new) <= Version(old):
        return
    releases, matrix = with_release(releases, matrix, framework, old, new)
    RELEASES.write_text(releases, "utf-8")
    MATRIX.write_text(matrix, "utf-8")
    sys.stdout.write(f"old={old}\nnew={new}\n")


if __name__ == "__main__":
    main(sys.argv[1])
