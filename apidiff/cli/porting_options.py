"""The options that `scan` and `port` share, and what they say: the files, the release, the device, who judges."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from apidiff.cli.counts import positive
from apidiff.cli.named_path import named_path
from apidiff.cli.output import language
from apidiff.lookup.cache import open_index
from apidiff.lookup.index import Index
from apidiff.lookup.lookup import chosen_release
from apidiff.model.base import Language
from apidiff.porting.judgement import DEVICES, Judge
from apidiff.porting.scan_settings import ScanSettings, read_settings
from apidiff.porting.source_files import Problem, SourceFile, find_sources
from apidiff.writers.scan.words import words

_SHOWN_FROM = 200  # files: with fewer, the work is over before progress is read


class PortingOptions(msgspec.Struct, frozen=True):
    """What a command line and the settings say. ``folder``: of the settings; ``device``: as a user names it."""

    settings: ScanSettings
    folder: Path
    index: Index
    release: str
    device: str | None
    judge: Judge
    language: Language
    files: list[SourceFile]
    problems: list[Problem]


def add_porting_arguments(parser: argparse.ArgumentParser, *, language_of: str) -> None:
    """Adds the options. ``language_of``: what is written in a language."""
    parser.add_argument("paths", metavar="PATH", nargs="+", type=named_path, help="files or folders")
    parser.add_argument(
        "--mindspore", metavar="VERSION", help="the release to port to (default: the newest that was run)"
    )
    parser.add_argument("--device", choices=tuple(DEVICES), help="the device to port to (default: none in particular)")
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="paths to pass over; repeatable"
    )
    parser.add_argument("--no-config", action="store_true", help="read no pyproject.toml")
    parser.add_argument("--jobs", type=positive, metavar="N", help="how many processes scan (default: one per core)")
    parser.add_argument("--lang", choices=("en", "zh"), help=f"language of {language_of} (default: that of the locale)")


def read_options(args: argparse.Namespace) -> PortingOptions:
    """Reads settings, opens the index and finds the files. Raises ApidiffError for what the user can mend."""
    settings, folder = (ScanSettings(), Path.cwd()) if args.no_config else read_settings(args.paths[0])
    index = open_index()
    # An empty word, as a variable that is not set leaves, is no release.
    release = chosen_release(index, settings.mindspore if args.mindspore is None else args.mindspore)
    device = args.device or settings.device
    judge = Judge.of_index(index, release, device)
    files, problems = find_sources(args.paths, [*settings.exclude, *args.exclude])
    return PortingOptions(settings, folder, index, release, device, judge, language(args.lang), files, problems)


@contextmanager
def progress(count: int, chosen: Language) -> Iterator[Callable[[int], None]]:
    """Shows on a terminal how many files are done, where the work is long."""
    if count < _SHOWN_FROM or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words("scan.progress", chosen), total=count)
        yield lambda done: progress.advance(task, done)
