"""What conf/static/elements holds is what conf/elements makes: scripts that were built from older sources are found."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUNDLES = ROOT / "conf" / "static" / "elements"


def run(*command: str, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"


def differing(sources: Path, folder: Path) -> list[str]:
    """The names of bundles that building ``sources`` into ``folder`` gives otherwise than they are checked in."""
    run("node", "build.mjs", str(folder), folder=sources)
    built = {path.name: path.read_bytes() for path in folder.iterdir()}
    kept = {path.name: path.read_bytes() for path in BUNDLES.iterdir()}
    return sorted(name for name in built | kept if built.get(name) != kept.get(name))


def test_the_sources_have_right_types(sources: Path) -> None:
    run("npm", "run", "--silent", "types", folder=sources)


def test_bundles_are_those_of_the_sources(sources: Path, tmp_path: Path) -> None:
    assert differing(sources, tmp_path / "built") == [], "run `make elements` and commit conf/static/elements"


def test_an_edited_source_is_found(sources: Path, tmp_path: Path) -> None:
    edited = min((sources / "src").glob("*.ts"))
    text = edited.read_text("utf-8")
    edited.write_text(text + 'document.title = "edited";\n', "utf-8")
    try:
        assert differing(sources, tmp_path / "built") == [f"{edited.stem}.js"]
    finally:
        edited.write_text(text, "utf-8")
