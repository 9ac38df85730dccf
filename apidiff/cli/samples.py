"""What `apidiff verify` does with mappings whose samples are made in single processes, and ``apidiff samples extract``."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from apidiff.atomic_write import made_folder, refuse_foreign, write_files
from apidiff.cli.named_path import named_path
from apidiff.database import Data
from apidiff.database.checks import load_usable
from apidiff.database.data import UnknownMapping
from apidiff.database.extracted_samples import (
    begins_as_samples,
    extracted_path,
    load_extracted,
    read_extracted,
    write_extracted,
)
from apidiff.database.paths import DATA
from apidiff.errors import ApidiffError, DataError
from apidiff.execute.single.record import write_record
from apidiff.execute.state_folder import state_folder
from apidiff.execute.variables import package_path, without_settings
from apidiff.messages.escape_invisible import file_name, unbroken
from apidiff.model.agreement import Agreement
from apidiff.model.mapping import Mapping
from apidiff.model.vocabulary import Execution
from apidiff.process_group import end_group, start, wait_for
from apidiff.scratch_folder import scratch_folder
from apidiff.standard_streams import tell
from apidiff.verification.samples import AgreementChange, SingleResult, devices_here, verify_samples

_NEEDED = {"torch": "apidiff[torch]", "expecttest": "apidiff[dev]"}

_AGAIN = "APIDIFF_EXTRACTING"  # set by the command for the process that it starts: the folder for temporary files
_ENDED = "ended"  # a file in that folder: the APIs of which drawing samples failed, a line each

Advance = Callable[[int, int, str], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the actions of the command `apidiff samples`."""
    actions = parser.add_subparsers(dest="action", required=True)
    extract = actions.add_parser(
        "extract",
        help="write the calls that PyTorch's own test inputs make of each API",
        description=(
            "Draws calls from the test inputs that the installed PyTorch ships, tries each, chooses some that are unlike each "
            "other, adds variations, and writes a file for each API: compressed JSON Lines, the same bytes each time. "
            "The file of samples in FOLDER of an API that was asked for, or of any where none was, is removed where it has none "
            "any more, and named; where drawing them failed, it stays, and the exit code is 1."
        ),
    )
    extract.add_argument("ids", metavar="ID", nargs="*", help="only of these mappings (default: of all)")
    extract.add_argument(
        "--into", type=named_path, default=DATA / "samples", metavar="FOLDER", help="default: %(default)s"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the files and says what they hold. Returns 1 where drawing those of an API failed: what there was of it stays.

    They are made by another process, in a folder for temporary files: it is killed at a signal, and would leave half a file.
    Raises ApidiffError where nothing can be written into the folder that was asked for.
    """
    if os.environ.get(_AGAIN) and os.environ[_AGAIN] == os.environ.get("TMPDIR"):
        return _extract(args)
    with _writing_into(args.into):  # told before an hour is spent on all samples
        there = next(folder for folder in [args.into, *args.into.parents] if folder.exists())
        tempfile.TemporaryFile(dir=there).close()
    with scratch_folder("apidiff-samples-") as kept:  # where PyTorch makes a folder when it is imported
        made = kept / "samples"
        # -P: no module is looked for in the user's folder, where a `random.py` may lie.
        again = [sys.executable, "-P", "-m", "apidiff", "samples", "extract", f"--into={made}", "--", *args.ids]
        # Some inputs are drawn in the order of a set.
        own = {"PYTHONHASHSEED": "0", "PYTHONPATH": package_path(), "TMPDIR": str(kept), _AGAIN: str(kept)}
        variables = without_settings(os.environ) | own
        process = start(again, 1, 2, environment=variables, scratch=kept)  # it tells what this one does
        try:
            code = wait_for(process)
        finally:
            end_group(process)
        if code < 0 or code > 128:  # as `Ended` says
            number = -code if code < 0 else code - 128
            raise ApidiffError(
                f"samples extract: the process that draws the calls was killed by signal {number}, and nothing was written. "
                "Free memory, or name fewer mappings."
            )
        if code != 0:
            return code
        ended = (kept / _ENDED).read_text("utf-8").splitlines() if (kept / _ENDED).exists() else []
        _put_in_place(made, args.into, args.ids, ended)
        return 1 if ended else 0


def _put_in_place(made: Path, into: Path, ids: Collection[str], ended: Collection[str]) -> None:
    """Write the files in ``made`` into the folder that was asked for, all or none, and say what they hold.

    Files of samples there of APIs that have none go: of those in ``ids``, or of all where there are none, but for ``ended``, of
    which it is not known. Raises ApidiffError, with nothing written, where such a file holds something else.
    """
    extracted, damaged = load_extracted(made)
    for error in damaged:
        raise error
    files = {extracted_path(into, key): extracted_path(made, key).read_bytes() for key in extracted}
    with _writing_into(into), made_folder(into) if files else nullcontext():
        former = dict.fromkeys(ids) or load_extracted(into)[0]
        without = [extracted_path(into, key) for key in former if key not in extracted and key not in ended]
        gone = [path for path in without if path.exists() or path.is_symlink()]
        for path in (*files, *gone):
            _refuse_other(path)
        for path in files:
            _refuse_replacing(path)
        for path in gone:
            _refuse_no_samples(path)
        write_files(files, without=gone)
    count = sum(len(one.samples) for one in extracted.values())
    size = sum(map(len, files.values()))
    print(f"{file_name(str(into))}: {count} samples of {len(files)} APIs, {size} bytes")  # noqa: T201
    for path in gone:
        print(f"removed: {file_name(str(path))}")  # noqa: T201


def _extract(args: argparse.Namespace) -> int:
    """Makes the files and tells of what has none.

    Raises UnknownMapping for an ID that no mapping has, ApidiffError where a package is missing or there are no signatures.
    """
    try:
        from apidiff.execute.extract.extract import Extractor
        from apidiff.execute.extract.watched import Ended, WatchedExtractor
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        raise ApidiffError(
            f"samples extract needs {error.name}. Install it with: pip install '{_NEEDED[error.name]}'"
        ) from error
    data = load_usable()
    for key in args.ids:
        if key not in data.mappings:
            raise UnknownMapping.of(key)
    keys = args.ids or [key for key, mapping in data.mappings.items() if _is_single(mapping)]
    with WatchedExtractor(Extractor.of(data.signatures)) as extractor:
        for key in track(keys, "Extracting samples", console=Console(stderr=True), transient=True):
            try:
                if (made := extractor.extract(data.mappings[key].source)) is not None:
                    write_extracted(made, args.into)
                elif args.ids:
                    why = "PyTorch's tests have no inputs for it, or none that can be written"
                    tell(f"apidiff: note: {key} has no samples: {why}\n")
            except Ended as error:
                told = f"samples of {key} are not drawn ({error}); what there is of it stays"
                tell(f"{unbroken(f'apidiff: {told}')}\n")
                with (args.into.parent / _ENDED).open("a", encoding="utf-8") as file:
                    file.write(f"{key}\n")
            for call, code in extractor.fatal.items():
                told = f"this call ends PyTorch's process with code {code}, and is left out: {call.decode()[:300]}"
                tell(f"{unbroken(f'apidiff: note: {key}: {told}')}\n")
    return 0


def _refuse_other(path: Path) -> None:
    """Raise ApidiffError where anything but a file is in the place of one of samples, before the first is replaced."""
    try:
        refuse_foreign(path)
        if path.is_dir():
            raise OSError(errno.EISDIR, "it is a folder")
    except OSError as error:
        found = f"{path} is not replaced by a file of samples ({error.strerror})"
        raise ApidiffError(f"{found}. Move it away, or give another folder with --into.") from error


def _refuse_replacing(path: Path) -> None:
    """Raise ApidiffError for a file that would be replaced and does not begin as one of samples: it may be a user's own."""
    if path.exists() and not begins_as_samples(path):
        found = f"{path} would be replaced by a file of samples, but it is none"
        raise ApidiffError(f"{found}. Move it away, or give another folder with --into.")


def _refuse_no_samples(path: Path) -> None:
    """Raise ApidiffError for a file that would be removed and is none of samples: it may be a user's own."""
    try:
        read_extracted(path)
    except DataError as error:
        found = f"{path} would be removed, for its API has no samples, but it is no file of samples that can be read"
        raise ApidiffError(f"{found}. Move it away, or give another folder with --into.") from error


@contextmanager
def _writing_into(folder: Path) -> Iterator[None]:
    """Raise ApidiffError where a block cannot write into ``folder``."""
    try:
        yield
    except OSError as error:
        found = f"{folder}: samples cannot be written there ({error.strerror})"
        raise ApidiffError(f"{found}. Give a folder that can be written to with --into.") from error


@dataclass(frozen=True)
class Choice:
    """The mappings to verify, by execution; None stands for all of that kind, an empty list for none."""

    collective: list[str] | None
    single: list[str] | None


def choose(data: Data, args: argparse.Namespace, *, launched: bool) -> Choice:
    """What the IDs and options of a command mean. Options about ranks, and a launcher's ranks, mean collectives alone."""
    if args.ids:
        single = [name for name in args.ids if _is_single(data.mappings[name])]
        return Choice([name for name in args.ids if name not in single], single)
    about_ranks = bool(args.backend or args.world_size or launched)
    some = any(map(_is_single, data.mappings.values()))
    if args.execution == Execution.SINGLE.value:
        return Choice([], None if some else [])
    return Choice(None, None if some and args.execution is None and not about_ranks else [])


def refuse_unused(args: argparse.Namespace, choice: Choice) -> None:
    """Raise ApidiffError for an option about what is not run, by ranks or in single processes, and one that leaves IDs out."""
    of_ranks, of_single = "the ranks of a world", "single processes"
    unwanted, run = (
        (choice.collective, of_ranks) if args.execution == Execution.SINGLE.value else (choice.single, of_single)
    )
    if args.execution and args.ids and unwanted:
        found = f"{unwanted[0]} runs in {run}, and --execution {args.execution} leaves it out"
        raise ApidiffError(f"verify: {found}. Leave out one of the two.")
    options = [
        ("--backend", args.backend, choice.collective, of_ranks, of_single),
        ("--world-size", args.world_size, choice.collective, of_ranks, of_single),
        ("--inputs", args.inputs, choice.single, of_single, of_ranks),
    ]
    for option, given, chosen, about, run in options:
        if given and chosen == []:
            raise ApidiffError(
                f"verify: {option} is about {about}, and what is to be verified runs in {run}. Leave it out."
            )


def _is_single(mapping: Mapping) -> bool:
    return mapping.execution is Execution.SINGLE


@dataclass(frozen=True)
class SampleReport:
    """What came of it, and the records that were written."""

    result: SingleResult
    written: list[str]

    @property
    def changed(self) -> bool:
        """Whether a verdict is not what is recorded."""
        return bool(self.result.changes) and not self.written

    def plain(self) -> dict[str, object]:
        """The report for JSON."""
        return {
            "execution": Execution.SINGLE.value,
            "runs": [
                {"framework": one.framework, "framework_version": one.framework_version, "device": one.device}
                for one in self.result.records
            ],
            "agreements": {
                target: {one.value: counts[one] for one in Agreement if counts[one]}
                for target, counts in self.result.counts.items()
            },
            "disagreeing": {
                target: [
                    {"facet": facet.value, "agreement": agreement.value, "samples": samples}
                    for (facet, agreement), samples in verdicts.items()
                ]
                for target, verdicts in self.result.disagreeing.items()
            },
            "written": self.written,
            "changes": [] if self.written else [_plain(one) for one in self.result.changes],
        }

    def show(self, console: Console) -> None:
        """Prints it."""
        table = Table.grid(padding=(0, 2))
        for one in self.result.records:
            table.add_row(one.device, f"{one.framework} {one.framework_version}", f"{len(one.samples)} samples")
        for target, counts in self.result.counts.items():
            said = " · ".join(f"{one.value} {counts[one]}" for one in Agreement if counts[one])
            table.add_row("", target, said)
        console.print(table)
        for line in self._disagreeing():
            console.print(line, soft_wrap=True)
        for path in self.written:
            console.print(f"written: {file_name(path)}", soft_wrap=True)
        if self.written:
            return
        for change in self.result.changes:
            console.print(change.text(), soft_wrap=True)
        if self.result.changes:
            remedy = "If they are right: apidiff verify --execution single --record"
            console.print(f"{len(self.result.changes)} verdicts are not what is recorded. {remedy}", soft_wrap=True)
        else:
            console.print(
                "Every verdict is what is recorded."
                if self.result.compared
                else "Nothing is recorded of these versions yet."
            )

    def _disagreeing(self) -> Iterator[str]:
        """The samples on which a target does not agree; facets of the same samples share a line."""
        for target, verdicts in self.result.disagreeing.items():
            facets: dict[tuple[Agreement, tuple[str, ...]], list[str]] = {}
            for (facet, agreement), samples in verdicts.items():
                facets.setdefault((agreement, tuple(dict.fromkeys(samples))), []).append(facet.value)
            for (agreement, names), of in facets.items():
                yield f"{target} {agreement.value} in {', '.join(of)}: {', '.join(names)}"


def _plain(change: AgreementChange) -> dict[str, object]:
    return {name: getattr(change, name) for name in ("target", "version", "device", "before", "now")}


def has_samples(data: Data, mappings: Collection[str] | None, inputs: str) -> bool:
    """Whether any of ``mappings`` (None: of all) has samples of ``inputs``: written in its record, or extracted."""
    if inputs == "written":
        return True
    return bool(data.extracted) if mappings is None else any(key in data.extracted for key in mappings)


def run_samples(
    data: Data,
    mappings: Collection[str] | None,
    inputs: str,
    args: argparse.Namespace,
    progress: Callable[[str], AbstractContextManager[Advance]],
) -> SampleReport:
    """Runs the samples of ``mappings`` (None: of all) and records or compares them, as ``args`` say.

    ``inputs``: ``written`` in the records, or ``extracted``.
    """
    extracted = inputs == "extracted"
    with progress("extracted samples" if extracted else "single") as advance:
        result = verify_samples(
            data,
            devices_here(args.framework, args.device),
            state_folder() / "logs",
            mappings,
            advance,
            extracted=extracted,
        )
    written = []
    if args.record:
        for record in result.records:
            made = msgspec.structs.replace(record, measured_by=args.measured_by)
            try:
                written.append(str(write_record(made, data.root / "runs")))
            except DataError as error:
                others = f" Of the same calls this was written: {', '.join(map(file_name, written))}" if written else ""
                raise ApidiffError(f"{error}{others}") from error
    return SampleReport(result, written)
