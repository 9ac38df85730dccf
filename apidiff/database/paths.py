"""Where the data lies: in a checkout, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
DATA = PACKAGE / "data"
_CHECKOUT = PACKAGE.parent


def in_checkout() -> bool:
    """Whether the package runs from a checkout of the project (records can be edited and runs recorded there)."""
    return (_CHECKOUT / "pyproject.toml").is_file() and (_CHECKOUT / "conf" / "backends.toml").is_file()


def conf_file(name: str) -> Path:
    """``backends.toml`` or ``terms.yaml``: from ``conf/`` of the checkout, else the copy shipped with the package."""
    return (_CHECKOUT / "conf" if in_checkout() else DATA / "conf") / name


def examples_folder() -> Path:
    """``executable_examples/`` of the checkout, else the copy shipped with the package."""
    return _CHECKOUT / "executable_examples" if in_checkout() else DATA / "examples"


def examples_of(data: Path) -> Path:
    """The scripts of the data folder ``data``: for the project's own those of `examples_folder`, else its ``examples/``."""
    return examples_folder() if data == DATA else data / "examples"
