"""Builds and serves the site: ``python -m apidiff.site_builder build`` and ``python -m apidiff.site_builder serve``.

The site is one folder with a part per language and a page at its root that leads to them.
"""

from __future__ import annotations

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while the rest is imported there is nothing to put away, nor to say

import argparse
import fcntl
import importlib.util
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from apidiff import database
from apidiff.atomic_write import open_in_place, refuse_irregular, remove_left
from apidiff.database import ApidiffError, InvalidData
from apidiff.database.checks import check_records, run_checks
from apidiff.database.passed_over import tell_passed_over, unchecked_errors
from apidiff.database.paths import in_checkout
from apidiff.database.regular_files import read_text
from apidiff.ending_signals import end_at_once, end_behind, end_in_order, held
from apidiff.execute.submissions import signature_errors
from apidiff.folder_walk import visible_files, walk_folders
from apidiff.process_group import end_group, remove_folder, start
from apidiff.real_path import real_path
from apidiff.site_server import serve_site
from apidiff.standard_streams import open_closed_streams, print_text, refuse_encoding_of_no_text, tell
from apidiff.writers.exports.address import LANGUAGES, Address, SiteLanguage
from apidiff.writers.exports.site_folder import FAULTS, MARK, TOP, is_free, mark, refuse_links, work_folder

if TYPE_CHECKING:
    from apidiff.sphinxext.site_part import SitePart

_ROOT = Path(__file__).resolve().parent.parent
_BUILD_DEADLINE_S = 900


class SiteError(ApidiffError):
    """A step of the build that failed; names the command, its log and what to do."""


class Step:
    """A command with a deadline and a log that a reader can follow. It ends with this process, even where this is killed."""

    def __init__(self, name: str, command: Sequence[str], log: Path, deadline_s: int) -> None:
        self.name, self.command, self.log, self.deadline_s = name, list(command), log, deadline_s
        log.parent.mkdir(parents=True, exist_ok=True)
        with open_in_place(log, emptied=True) as output:
            # What Sphinx writes about a fault goes beside the log, where the next build finds it.
            self.process = start(
                self.command, output, folder=_ROOT, environment=os.environ | {"TMPDIR": str(log.parent)}
            )

    def finish(self) -> None:
        """Wait for the end. Raises SiteError where the command failed or passed its deadline."""
        try:
            code = self.process.wait(self.deadline_s)
        except subprocess.TimeoutExpired:
            self.kill()
            end = f"was killed after {self.deadline_s} s"
        else:
            if code == 0:
                return
            end = f"ended with exit code {code}"
        last = self.log.read_text("utf-8", "replace").splitlines()[-15:]
        raise SiteError(f"{self.name} {end}. Read {self.log}, correct what it names and build again. Its end:", *last)

    def kill(self) -> None:
        """End the command and everything it started, also what is left where it ended by itself."""
        end_group(self.process)


def build_site(
    output: Path, languages: Sequence[str] = ("en", "zh-cn"), site_url: str = "", part: SitePart | None = None
) -> Path:
    """Build the site, all languages at once, and publish its data for programs.

    What Sphinx keeps between builds, and the logs, lie in a folder beside ``output``. A build of the same folder that is
    under way is waited for.

    Args:
        output: the folder of the site.
        languages: folders of the languages to build, the leading one first.
        site_url: the address the site will have, where it is known; what has to name it is left out otherwise.
        part: the mappings to show, where not all are.

    Returns:
        The page at the root.

    Raises:
        InvalidData: the data are not valid; nothing was written.
        DataError: the data cannot be read, or a signature does not verify.
        BadAddress: a site cannot have the address.
        BadFolder: ``output`` is no folder, or holds what no build wrote; nothing was written.
        RepositoryError: pages must not link to the address of the repository.
        BrokenTemplate: a template of the pages, or of that at the root, is broken; nothing was written.
        SiteError: a step failed.
    """
    _check_tools()
    from apidiff.sphinxext import site_content
    from apidiff.sphinxext.build_cache import BuildCache
    from apidiff.sphinxext.garbage import not_collecting
    from apidiff.sphinxext.repository import find_repository
    from apidiff.sphinxext.site_part import mirror_sources
    from apidiff.sphinxext.written_files import refuse_linked, refuse_pipes
    from apidiff.writers.exports import publish, publish_sitemap
    from apidiff.writers.exports.files import write_if_changed

    address = Address.parse(site_url)
    pages = {"404.html": not_found_page("/"), "index.html": root_page(address)}
    _check_templates()
    find_repository(_ROOT, os.environ)  # an address that must not be linked to is told before anything is built
    output = real_path(output)
    wanted = [language for language in LANGUAGES if language.folder in languages]
    work = work_folder(output)
    made = [folder for folder in work.parents if not folder.exists()]
    with _lock(work):
        steps: list[Step] = []
        with _removing_what_is_new(output, work, made, steps):
            refuse_links(work)
            sources = _ROOT
            if part:
                sources = work / "sources"
                mirror_sources(_ROOT, sources, [language.words for language in wanted])
            derived = BuildCache(work / "derived")
            # Sphinx starts, and reads what it keeps of pages, while the data are read and checked and the content is made; the
            # data are published meanwhile. Where something fails, Sphinx is ended before it could read what was derived from an
            # older one.
            with not_collecting(), derived.being_made() as release, ExitStack() as ending:
                _forget_unlisted(output, work, wanted)
                mark(output)
                refuse_linked(_ROOT / "conf")
                for language in wanted:
                    refuse_linked(_ROOT / "docs" / language.words)
                    refuse_pipes(output / language.folder)
                    refuse_pipes(work / "doctrees" / language.folder)
                _forget_faults(work / "logs")
                steps += _start_languages(wanted, output, work, address.root, sources, ending)
                data = database.load(keep=work / "kept" / "mappings")
                tell_passed_over(data.unread, data.unchecked)
                with _beside(partial(_check, data)):
                    content = site_content.make(part.of_data(data) if part else data, keep=work / "kept")
                publishing = partial(
                    publish,
                    output,
                    content.entries,
                    content.counterparts,
                    site_content.run_heads(data),
                    wanted,
                    address,
                    work / "kept" / "texts",
                    content.documents,
                )
                with _beside(publishing):
                    derived.publish(part.of_content(content) if part else content)
                    ending.callback(_forget_failed, steps, wanted, work)
                    release()
                del data, content, publishing  # which takes most of a second, and Sphinx still writes
                for step in steps:
                    step.finish()
        for name, page in pages.items():
            write_if_changed(output / name, page.encode())
        publish_sitemap(output, wanted, address)
    return output / "index.html"


def _lock(work: Path) -> BinaryIO:
    """Makes the folder and holds its lock until the file is closed; a build that holds it is waited for."""
    while True:
        work.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError), ExitStack() as stack:
            lock = stack.enter_context(open_in_place(work / "lock", emptied=False))
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.samestat((work / "lock").stat(), os.fstat(lock.fileno())):  # and no failed build took it away
                stack.pop_all()
                return lock


@contextmanager
def _removing_what_is_new(output: Path, work: Path, made: Sequence[Path], steps: Sequence[Step]) -> Iterator[None]:
    """Where the block fails or is ended by a signal, end the ``steps`` and remove the folders that the build made or filled.

    They stay where a step failed: its log is to be read, and of a language that is done the next build makes nothing anew.
    """
    output_is_new, work_is_new = is_free(output), not _contents(work)
    made = [*([] if output.exists() else [output]), *made]
    try:
        yield
    except SiteError:
        raise
    except BaseException:
        for step in steps:
            step.kill()
        if output_is_new and not _holds_another(output):
            _remove_all(output / name for name in TOP - {MARK})
            remove_left(output, older_s=0)
            if output.is_dir() and {path.name for path in output.iterdir()} == {MARK}:
                (output / MARK).unlink()  # beside what a user has put there it stays: the next build goes on
        if work_is_new:
            _remove(work)
        for folder in made:
            with suppress(OSError):  # another build has begun below it
                folder.rmdir()
        raise


def _holds_another(output: Path) -> bool:
    """Whether another site is built into a folder below, which began once ``output`` was there."""
    return any(MARK in names for path, _, names in walk_folders(output) if path != str(output))


def _contents(work: Path) -> list[Path]:
    """What is kept there besides the lock."""
    return [path for path in work.iterdir() if path.name != "lock"]


def _remove(work: Path) -> None:
    """Removes the folder that a failed build made, its lock last, for which others may wait."""
    _remove_all(_contents(work))
    with suppress(OSError):  # another build has begun
        (work / "lock").unlink(missing_ok=True)
        work.rmdir()


def _remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir():  # a pipe would be waited for
            remove_folder(str(path))
        with suppress(OSError):  # it was a folder
            path.unlink()


def root_page(address: Address) -> str:
    """Write the page at the site's root, which leads to the reader's language. Raises BrokenTemplate for one that is broken."""
    from jinja2 import Environment, StrictUndefined

    from apidiff.sphinxext.own_templates import BrokenTemplate

    path = _ROOT / "conf" / "root.html"
    template = _template(path)
    try:
        page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
        rendered = page.render(site=address.root) + "\n"
        rendered.encode()
    except Exception as error:  # a template is code, which may raise anything
        raise BrokenTemplate(path, getattr(error, "lineno", None), error) from error
    return rendered


def _check_templates() -> None:
    """Raise ApidiffError for a template of the pages that cannot be read: Sphinx comes to it once it has read all pages."""
    from apidiff.sphinxext.own_templates import check_template

    for path in visible_files(_ROOT / "conf" / "templates", "**/*.html"):
        check_template(path, _template(path))


def not_found_page(root: str) -> str:
    """Write the page for an address that leads nowhere, which a host shows at any depth: its links begin with ``root``.

    ``root`` is the path of the site on its host, with a slash at both ends. Raises SiteError where the file is no text.
    """
    return _template(_ROOT / "conf" / "404.html").replace("{root}", root)


def _template(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise SiteError(f"{path}: cannot be read ({error.strerror}). Restore it from version control.") from error
    except UnicodeDecodeError as error:
        raise SiteError(f"{path}: is not UTF-8 (byte {error.start}). Save it as that, or restore it.") from error


def _check_tools() -> None:
    if not in_checkout():
        raise SiteError(f"{_ROOT} is no checkout of the project. Clone it: the site's sources are not in the package.")
    if importlib.util.find_spec("sphinx") is None:
        raise SiteError("sphinx is not installed. Install what the site needs: pip install -e '.[site]'")


def _check(data: database.Data) -> None:
    """Raise InvalidData where the data are not valid."""
    # Without files that are passed over, names that stand in them would be missed.
    errors = [*(check_records(data) if data.broken else run_checks(data)), *signature_errors(data.root)]
    errors += unchecked_errors(data.root, data.unchecked)
    if errors:
        raise InvalidData(errors)


@contextmanager
def _beside(work: Callable[[], None]) -> Iterator[None]:
    """Do ``work`` in a process beside the block. Where that failed it is done again after the block, for its errors."""
    process = multiprocessing.get_context("fork").Process(target=_end_with_outcome, args=(work,), daemon=True)
    try:
        with held():  # in the new process too, until it ends at a signal at once
            process.start()
        yield
    except Exception:
        if process.pid is not None:  # it was started
            _finish(process, work)  # what is wrong with the data is told rather than what came of it
        raise
    except BaseException:
        _kill(process)
        raise
    _finish(process, work)


def _finish(process: BaseProcess, work: Callable[[], None]) -> None:
    try:
        process.join()
    except BaseException:  # a signal: what goes on would write into folders that are removed meanwhile
        _kill(process)
        raise
    if process.exitcode:
        work()


def _kill(process: BaseProcess) -> None:
    """End a process, unless it was not started."""
    if process.pid is not None:
        process.kill()
        process.join()


def _end_with_outcome(work: Callable[[], None]) -> None:
    end_at_once()
    try:
        work()
    except Exception:  # noqa: BLE001 - it is done again where errors are told
        os._exit(1)
    os._exit(0)  # what the site's process does at its end is not for this one


def _start_languages(
    wanted: Sequence[SiteLanguage],
    output: Path,
    work: Path,
    site_url: str,
    sources: Path,
    ending: ExitStack,
) -> list[Step]:
    """Start to build the pages of every language, for which each waits for the content; ``ending`` ends what goes on."""
    # The languages are built beside each other. Each process more that Sphinx reads with is given all that is known of the
    # pages and gives it back, and makes code blocks anew: with no core left for it, it only costs.
    jobs = max(1, len(os.sched_getaffinity(0)) // max(1, len(wanted)))
    steps: list[Step] = []
    for language in wanted:
        with held():
            step = _sphinx(language, output, work, site_url, sources, jobs)
            ending.callback(step.kill)
            steps.append(step)
    return steps


def _forget_unlisted(output: Path, work: Path, wanted: Sequence[SiteLanguage]) -> None:
    """Have all pages of a language read anew where nobody listed them: the build that knew them was ended before, or is gone.

    Before anything is removed, raises OSError where a pipe or the like lies in the place of a language's folder, for which its
    removal would wait, and BadFolder where there are files that no build wrote. What lies in the output folder stays: which of
    it is a user's nobody knows.
    """
    from apidiff.sphinxext.written_files import LIST, refuse_unbuilt

    unlisted: list[Path] = []
    for language in wanted:
        out, doctrees = output / language.folder, work / "doctrees" / language.folder
        refuse_irregular(out)
        refuse_irregular(doctrees)
        if not (out / LIST).is_file():
            refuse_unbuilt(out)
            unlisted.append(doctrees)
    for doctrees in unlisted:
        remove_folder(str(doctrees))


def _forget_faults(logs: Path) -> None:
    """Remove what Sphinx wrote about faults of former builds: each has a name of its own, so that they would add up."""
    for path in logs.glob(FAULTS):
        if path.is_file() or path.is_symlink():
            path.unlink()


def _forget_failed(steps: Sequence[Step], wanted: Sequence[SiteLanguage], work: Path) -> None:
    """End all steps. Of a language whose step failed nothing is kept: Sphinx warns of a page once, when it reads it."""
    for language, step in zip(wanted, steps, strict=True):
        step.kill()
        if step.process.returncode != 0:
            remove_folder(str(work / "doctrees" / language.folder))


def _sphinx(language: SiteLanguage, output: Path, work: Path, site_url: str, sources: Path, jobs: int) -> Step:
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", str(jobs), "-t", language.words]
    command += ["-q", "-n", "-W", "--keep-going", "-D", f"apidiff_site_url={site_url}"]
    command += ["-D", f"apidiff_derived={work / 'derived'}"]
    command += ["-c", str(_ROOT / "conf"), "-d", str(work / "doctrees" / language.folder)]
    command += [str(sources / "docs" / language.words), str(output / language.folder)]
    return Step(f"sphinx ({language.folder})", command, work / "logs" / f"{language.folder}.log", _BUILD_DEADLINE_S)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) < 2**16):
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535 but got {text[:40]!r}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns the exit code: 2 for every error a user can meet, 130 after Ctrl-C while the site is built; that is how a server ends,
    so it is 0 there.
    """
    if arguments is None:
        open_closed_streams()
        end_in_order()
    parser = argparse.ArgumentParser(prog="python -m apidiff.site_builder", description="Build and serve the site.")
    commands = parser.add_subparsers(dest="command", required=True)
    output = _ROOT / "build" / "site"
    build = commands.add_parser("build", help="build both languages")
    serve = commands.add_parser("serve", help="serve the built site on this machine")
    serve.add_argument(
        "--port", type=_port, default=8000, help="port to listen on; a free one is taken where it is in use"
    )
    for command in (build, serve):
        command.add_argument("--output", type=Path, default=output, help="folder of the site")
    build.add_argument(
        "--site-url",
        metavar="URL",
        default=os.environ.get("APIDIFF_SITE_URL", ""),
        help="address the site will have (default: the environment's APIDIFF_SITE_URL)",
    )
    try:
        if arguments is None:
            refuse_encoding_of_no_text()
        options = _parsed(parser, arguments)
        output = options.output
        if options.command == "build":
            index = build_site(options.output, site_url=options.site_url)
            print_text(f"The site is at {index}\nOpen it in a browser, or serve it with: make serve\n")
            if not options.site_url.strip():
                print_text(
                    "Its address is not known, so it has no sitemap.xml, and links to it show no card: "
                    "give --site-url or APIDIFF_SITE_URL\n"
                )
        else:
            serve_site(options.output, options.port)
    except KeyboardInterrupt:
        return 130
    except ApidiffError as error:
        tell(f"{error}\n")
        return 2
    except MemoryError:
        tell(f"{output}: memory ran out. Free some; `ulimit -a` tells the limits.\n")
        return 2
    except OSError as error:
        remedy = "Take away what stands in its place, free the space or give --output another folder."
        tell(f"{error.filename or output}: {error.strerror}. {remedy}\n")
        return 2
    except Exception as error:
        if code := end_behind(error):
            return code
        raise
    finally:
        if arguments is None:
            end_at_once()  # all is put away
    return 0


def _parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read a command line. Raises ApidiffError where it asks for help and that cannot be written."""
    try:
        return parser.parse_args(arguments)
    except SystemExit as ended:
        if not ended.code:
            print_text("")
        raise


if __name__ == "__main__":
    sys.exit(main())
