"""Takes the files of a model from the release of its library, twice: to run, and to port.

    pip download --no-deps --only-binary=:all: --require-hashes -d FOLDER/wheels -r gpt2/release.txt
    python take.py gpt2 FOLDER

FOLDER/torch and FOLDER/mindspore then hold the files that MODEL/taken.txt names, what stands in for a few of the others
(MODEL/stand_ins), and MODEL.py, which makes the model and calls it.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def take(model: str, folder: Path) -> None:
    """Unpack the files of a model below ``folder``, where ``wheels`` holds the release."""
    release = (HERE / model / "release.txt").read_text().partition(" ")[0].replace("==", "-")
    (wheel,) = (folder / "wheels").glob(f"{release}-*.whl")
    for copy in (folder / "torch", folder / "mindspore"):
        with zipfile.ZipFile(wheel) as archive:
            for path in (HERE / model / "taken.txt").read_text().split():
                archive.extract(path, copy)
        if (HERE / model / "stand_ins").is_dir():
            shutil.copytree(HERE / model / "stand_ins", copy, dirs_exist_ok=True)
        shutil.copy(HERE / model / "model.py", copy / f"{model}.py")


if __name__ == "__main__":
    take(sys.argv[1], Path(sys.argv[2]))
