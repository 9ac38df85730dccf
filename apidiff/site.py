"""Builds and serves the site: ``python -m apidiff.site build`` and ``python -m apidiff.site serve``.

The site is one folder with a part per language, a page at its root that leads to them, and one search index.
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import http.server
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from apidiff import store
from apidiff.store import ApidiffError, InvalidData
from apidiff.store.checks import run_checks
from apidiff.store.paths import in_checkout

_ROOT = Path(__file__).resolve().parent.parent
_BUILD_DEADLINE_S = 900
_INDEX_DEADLINE_S = 300


class Language(NamedTuple):
    """One language of the site: its folder there, and the name of its sources, which is also the tag for Sphinx."""

    folder: str
    sources: str


LANGUAGES = (Language("en", "en"), Language("zh-cn", "zh"))


class SiteError(ApidiffError):
    """A step of the build that failed; names the command, its log and what to do."""


class Step:
    """A command in a process group of its own, with a deadline and a log that a reader can follow."""

    def __init__(self, name: str, command: Sequence[str], log: Path, deadline_s: int) -> None:
        self.name, self.command, self.log, self.deadline_s = name, list(command), log, deadline_s
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                self.command, cwd=_ROOT, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )

    def finish(self) -> None:
        """Wait for the end. Raises SiteError where the command failed or passed its deadline."""
        try:
            code = self.process.wait(self.deadline_s)
        except subprocess.TimeoutExpired:
            self.kill()
            found = f"was killed after {self.deadline_s} s"
        else:
            if code == 0:
                return
            found = f"ended with exit code {code}"
        last = "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-15:])
        raise SiteError(
            f"{self.name} {found}. Read {self.log}, correct what it names and build again. Its end:\n{last}"
        )

    def kill(self) -> None:
        """End the command and everything it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def build_site(output: Path, languages: Sequence[str] = ("en", "zh-cn")) -> Path:
    """Build the site into ``output``, all languages at once, and index it for searching.

    What Sphinx keeps between builds, and the logs, lie in a folder beside ``output``. Returns the page at the root.
    A build of the same folder that is under way is waited for. Raises InvalidData or DataError, before anything is
    written, where the data are not valid, and SiteError where a step fails.
    """
    _check_tools()
    from apidiff.sphinxext.content import write_if_changed

    output = output.resolve()
    errors = run_checks(store.load())
    if errors:
        raise InvalidData(errors)
    wanted = [language for language in LANGUAGES if language.folder in languages]
    work = output.with_name(f".{output.name}")
    work.mkdir(parents=True, exist_ok=True)
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _build_languages(wanted, output, work)
        index = output / "index.html"
        write_if_changed(index, (_ROOT / "conf" / "root.html").read_bytes())
        _build_search(output, work)
    return index


def _check_tools() -> None:
    if not in_checkout():
        raise SiteError(f"{_ROOT} is no checkout of the project. Clone it: the site's sources are not in the package.")
    for module in ("sphinx", "pagefind"):
        if importlib.util.find_spec(module) is None:
            raise SiteError(f"{module} is not installed. Install what the site needs: pip install -e '.[site]'")


def _build_languages(wanted: Sequence[Language], output: Path, work: Path) -> None:
    steps: list[Step] = []
    try:
        for language in wanted:
            steps.append(_sphinx(language, output, work))  # noqa: PERF401 - a list that is complete when starting one fails
        for step in steps:
            step.finish()
    finally:
        for language, step in zip(wanted, steps, strict=False):
            step.kill()
            if step.process.returncode != 0:
                # Sphinx warns of a page once, when it reads it: the next build has to read it again.
                shutil.rmtree(work / "doctrees" / language.folder, ignore_errors=True)


def _build_search(output: Path, work: Path) -> None:
    # Made beside the site and put into place file by file: whoever is searching meanwhile finds what he asks for. Pagefind
    # names fragments by their content, so those of former builds are what is not among the new ones.
    from apidiff.sphinxext.content import write_if_changed

    made, place = work / "pagefind", output / "pagefind"
    shutil.rmtree(made, ignore_errors=True)
    pagefind = [sys.executable, "-m", "pagefind", "--site", str(output), "--root-selector", "article.bd-article"]
    pagefind += ["--exclude-selectors", "a.headerlink", "--exclude-selectors", ".apidiff-trace"]
    pagefind += ["--output-path", str(made)]
    Step("pagefind", pagefind, work / "logs" / "pagefind.log", _INDEX_DEADLINE_S).finish()
    files = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    for path in sorted(files):
        write_if_changed(place / path, (made / path).read_bytes())
    for stale in [path for path in place.rglob("*") if path.is_file() and path.relative_to(place) not in files]:
        stale.unlink()


def _sphinx(language: Language, output: Path, work: Path) -> Step:
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "auto", "-t", language.sources]
    command += ["-q", "-n", "-W", "--keep-going"]
    command += ["-c", str(_ROOT / "conf"), "-d", str(work / "doctrees" / language.folder)]
    command += [str(_ROOT / "docs" / language.sources), str(output / language.folder)]
    return Step(f"sphinx ({language.folder})", command, work / "logs" / f"{language.folder}.log", _BUILD_DEADLINE_S)


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Files of the site, without a line on the terminal for each."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        pass


def start_server(site: Path, port: int) -> http.server.ThreadingHTTPServer:
    """A server of ``site`` on the loopback interface, on ``port`` or, where that is taken, on a free one.

    Raises SiteError where there is no site. The caller runs ``serve_forever``; ``server_port`` is the port in use.
    """
    if not (site / "index.html").is_file():
        raise SiteError(f"{site} holds no site. Build it first: make site")
    handler = functools.partial(_Handler, directory=str(site))
    try:
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError:
        return http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns the exit code: 2 for every error a user can meet."""
    parser = argparse.ArgumentParser(prog="python -m apidiff.site", description="Build and serve the site.")
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="build both languages and the search index")
    serve = commands.add_parser("serve", help="serve the built site on this machine")
    serve.add_argument(
        "--port", type=int, default=8000, help="port to listen on; a free one is taken where it is in use"
    )
    for one in (build, serve):
        one.add_argument("--output", type=Path, default=_ROOT / "build" / "site", help="folder of the site")
    options = parser.parse_args(arguments)
    try:
        if options.command == "build":
            index = build_site(options.output)
            sys.stdout.write(f"The site is at {index}\nServe it, with search, with: make serve\n")
        else:
            _serve(options.output, options.port)
    except ApidiffError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(
            f"{error.filename or options.output}: {error.strerror}. Free the space or give --output another folder.\n"
        )
        return 2
    return 0


def _serve(site: Path, port: int) -> None:
    with start_server(site, port) as server:
        sys.stdout.write(f"Serving {site} on http://127.0.0.1:{server.server_port}/ (Ctrl+C ends it)\n")
        sys.stdout.flush()
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            thread.join()
        except KeyboardInterrupt:
            server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
