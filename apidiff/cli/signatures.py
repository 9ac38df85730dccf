"""``apidiff signatures``: reads the signatures of a framework version into the database, and lists names without a record."""

from __future__ import annotations

import argparse
from pathlib import Path

from apidiff.cli.named_path import named_path
from apidiff.database.paths import DATA
from apidiff.errors import ApidiffError
from apidiff.messages.escape_invisible import unbroken
from apidiff.model.signature import SignatureFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the actions of the command."""
    actions = parser.add_subparsers(dest="action", required=True)
    extract = actions.add_parser(
        "extract",
        help="read them from the framework's source and type stubs",
        description=(
            "Reads signatures from the framework's Python source, and of compiled modules from their type stubs, without "
            "importing it, and writes <framework>-<version>.json. With --installed, what neither tells is read from the "
            "imported package, in a process of its own."
        ),
    )
    extract.add_argument("--framework", required=True, choices=["mindspore", "torch"])
    source = extract.add_mutually_exclusive_group(required=True)
    source.add_argument("--installed", action="store_true", help="read the package installed in this environment")
    source.add_argument("--wheel", type=named_path, metavar="FILE", help="read a wheel; it is not installed")
    results = actions.add_parser(
        "results",
        help="read what the calls of PyTorch return",
        description="Reads from the source and type stubs of an unpacked PyTorch what its calls return, which classes and "
        "modules it has, and writes the file that `apidiff scan` follows types by. Nothing is imported.",
    )
    results.add_argument("package", type=named_path, metavar="FOLDER", help="the folder torch of site-packages")
    results.add_argument("--of", required=True, metavar="VERSION", help="the version that it is")
    pages = actions.add_parser(
        "pages",
        help="read what upstream's difference pages state of parameters",
        description="Reads the Markdown pages of the folder pytorch_diff of MindSpore's documents, and writes what their tables "
        "state of parameters in place of what was taken from that release before.",
    )
    pages.add_argument("folder", type=named_path, metavar="FOLDER", help="source_en/note/api_mapping/pytorch_diff")
    pages.add_argument("release", metavar="RELEASE", help="the branch that it was taken from, such as r2.4.10")
    actions.add_parser(
        "undecided",
        help="list the public names of PyTorch that no record answers yet",
        description="Writes the public names of the installed PyTorch in scope that no record answers, one on a line.",
    )
    extract.add_argument(
        "--into", type=named_path, default=DATA / "signatures", metavar="FOLDER", help="default: %(default)s"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the file and says what it holds. Raises ApidiffError where the source or the folder does not allow it."""
    if args.action == "results":
        from apidiff.signatures.result_types import read_result_types, write_result_types

        types = read_result_types(args.package, args.of)
        write_result_types(types, DATA / "result_types.json")
        print(f"{DATA / 'result_types.json'}: {len(types.results)} results, {len(types.modules)} modules")  # noqa: T201
        return 0
    if args.action == "pages":
        from apidiff.database.difference_pages import pages_path
        from apidiff.signatures.difference_pages import write_pages

        count = write_pages(args.folder, args.release)
        print(f"{pages_path(DATA)}: {count} rows of {args.release}")  # noqa: T201
        return 0
    if args.action == "undecided":
        return _undecided()
    try:
        from apidiff import signatures
    except ModuleNotFoundError as error:
        if error.name != "griffe":
            raise
        raise ApidiffError("signatures extract needs griffe. Install it with: pip install 'apidiff[dev]'") from error
    if args.installed:
        found = signatures.extract(signatures.installed(args.framework))
    else:
        found = signatures.extract_wheel(args.framework, args.wheel)
    _refuse_empty(found, args.wheel)
    path = signatures.write(found, args.into)
    print(unbroken(f"{path}: {len(found.apis)} signatures, {len(found.unreadable)} not readable"))  # noqa: T201
    for name, reason in sorted(found.unreadable.items()):
        print(unbroken(f"  {name}: {reason}"))  # noqa: T201
    return 0


def _refuse_empty(found: SignatureFile, wheel: Path | None) -> None:
    """Raises ApidiffError where no signature was read: the file of that version would lose all that it holds."""
    if found.apis:
        return
    named = unbroken(str(wheel)) if wheel else f"the installed {found.framework}"
    raise ApidiffError(
        f"{named}: its Python source and type stubs tell no signature of any name of {found.framework} that conf/scope.yaml has "
        f"in scope, so nothing is written. Give a whole wheel of {found.framework}."
    )


def _undecided() -> int:
    """Writes the names that no record answers. Raises ApidiffError where PyTorch is missing or there are more than before."""
    from apidiff.database import load_valid
    from apidiff.database.scope import load_scope
    from apidiff.database.undecided import answered_names, read_undecided, split_undocumented, write_undecided
    from apidiff.execute.extract.public_names import public_names

    try:
        names = public_names()
    except ModuleNotFoundError as error:
        raise ApidiffError(f"signatures undecided needs {error.name}. Install it with: pip install torch") from error
    data = load_valid()
    needed, idle = split_undocumented(names, load_scope().torch)
    if idle:
        patterns = ", ".join(idle)
        raise ApidiffError(f"signatures undecided: no name fits {patterns}. Remove these from conf/scope.yaml.")
    left = set(needed) - answered_names(data)
    former = read_undecided(data.root)
    if former is not None and len(left) > former.most:
        new = ", ".join(sorted(left - set(former.names.values())))
        raise ApidiffError(f"signatures undecided: the list may only shrink. Write records of the new names: {new}.")
    path = write_undecided(left, load_scope().torch.release, data.root)
    print(f"{path}: {len(left)} names")  # noqa: T201
    return 0
