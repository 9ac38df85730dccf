"""Where the data lies: in a checkout, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
DATA = PACKAGE / "data"
_CHECKOUT = PACKAGE.parent


def in_checkout() -> bool:
    """Whether the package runs from a checkout of the project (records can be edited and runs recorded there)."""
    settings = (_CHECKOUT / "conf" / name for name in ("backends.toml", "scope.yaml"))
    # Whatever stands in the place of one is told by who reads it, and a folder that may not be looked into by this very question.
    return (_CHECKOUT / "pyproject.toml").is_file() and any(path.is_symlink() or path.exists() for path in settings)


def conf_file(name: str) -> Path:
    """``backends.toml`` or ``terms.yaml``: from ``conf/`` of the checkout, else the copy shipped with the package."""
    return (_CHECKOUT / "conf" if in_checkout() else DATA / "conf") / name


def examples_folder() -> Path:
    """``executable_examples/`` of the checkout, else the copy shipped with the package."""
    return _CHECKOUT / "executable_examples" if in_checkout() else DATA / "examples"


def docs_folder() -> Path:
    """``docs/`` of the checkout; an installed package has none."""
    return _CHECKOUT / "docs"


def examples_of(data: Path) -> Path:
    """The scripts of the data folder ``data``: for the project's own those of `examples_folder`, else its ``examples/``."""
    return examples_folder() if data == DATA else data / "examples"
