"""Pytest plugin: every claim is a test item. ``pytest --apidiff-backend gloo`` verifies the database where it is run.

An item's ID is the claim's; one or more of them, or names of APIs, as arguments choose. An item passes where every verdict
is the recorded one (a claim refuted as recorded passes), fails where a verdict changed, and is skipped with the reason where
it cannot be judged here. What came out flaky is made once more: where it is as recorded then, the item passes and a line
says so. A session that compared nothing, or had no backend of a name that was asked for, fails. Without the option the plugin
does nothing and imports nothing. Samples, which compare both frameworks in single processes, are no claims on a backend:
``apidiff verify`` runs them.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from apidiff.database import Data
    from apidiff.model.mapping import Api
    from apidiff.verification.claim_sample import Sample
    from apidiff.verification.claim_session import Chosen, ClaimRuns


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--apidiff-backend``, ``--apidiff-world-size``, ``--apidiff-sample`` and ``--apidiff-summary``."""
    group = parser.getgroup("apidiff", "claims about APIs, verified by running the frameworks")
    group.addoption(
        "--apidiff-backend",
        action="append",
        default=[],
        metavar="NAME",
        help="collect every claim as a test and run it on this backend (gloo, mccl, ...); may be repeated; "
        "arguments are IDs of claims or names of APIs (default: all claims). Samples of APIs that are called in a single "
        "process are run by apidiff verify",
    )
    group.addoption(
        "--apidiff-world-size",
        metavar="N[,N...]",
        help="numbers of ranks to run the claims with (default: 2,3,4, with nccl and hccl as far as devices go)",
    )
    group.addoption(
        "--apidiff-sample",
        metavar="[K/]N",
        help="run the claims of one part in N of the mappings, another one each day (part K: to repeat a day's), and those "
        "of every mapping whose probes of today are not recorded",
    )
    group.addoption(
        "--apidiff-summary",
        metavar="FILE",
        help="write what was run and which verdicts changed to FILE as Markdown",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Turns the collection of claims on if a backend was asked for.

    Raises pytest.UsageError for a backend that is not described, a world size or a sample that is none, an ID that no claim
    has, a summary that cannot be written, or data that is broken.
    """
    names: list[str] = config.getoption("--apidiff-backend")
    if not names:
        return
    if config.getoption("numprocesses", None) or (config.getoption("dist", "no") != "no" and config.getoption("tx")):
        raise pytest.UsageError("--apidiff-backend starts ranks of its own; leave out -n, and --dist with --tx.")
    wanted = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    from apidiff.database import ApidiffError
    from apidiff.verification.summary import check_writable

    try:
        if summary := config.getoption("--apidiff-summary"):
            check_writable(Path(summary))
        sizes, sample = _world_sizes(config.getoption("--apidiff-world-size")), _sample(config)
        claims = _Claims(config, names, sizes, wanted, sample)
    except ApidiffError as error:
        raise pytest.UsageError(str(error)) from error
    config.args = []  # not testpaths: claims only
    config.pluginmanager.register(claims, "apidiff-claims")


def _world_sizes(text: str | None) -> list[int] | None:
    from apidiff.errors import typed
    from apidiff.execute.plan import read_world_sizes
    from apidiff.model.probe import LARGEST_WORLD_SIZE

    try:
        return None if text is None else read_world_sizes(text)
    except ValueError:
        limits = f"numbers of ranks from 1 to {LARGEST_WORLD_SIZE}"
        raise pytest.UsageError(
            f"Expected --apidiff-world-size to be {limits} such as 2 or 2,3,4 but got {typed(str(text))}."
        ) from None


def _sample(config: pytest.Config) -> Sample | None:
    from apidiff.errors import typed
    from apidiff.verification.claim_sample import Sample

    text: str | None = config.getoption("--apidiff-sample")
    if text is None:
        return None
    try:
        return Sample.parse(text, datetime.datetime.now(datetime.UTC).date())
    except ValueError:
        raise pytest.UsageError(
            f"Expected --apidiff-sample to be a number of parts such as 10, or one of them such as 3/10, but got {typed(text)}."
        ) from None


class VerdictChanged(Exception):
    """A claim's verdict is not what was recorded; the text shows both."""


class ClaimItem(pytest.Item):
    """One claim as a test. ``path`` and ``line`` are its place in the file of its mapping."""

    def __init__(self, *, chosen: Chosen, line: int | None, runs: ClaimRuns, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.chosen, self._line, self._runs = chosen, line, runs
        # No fixtures; said because pytest-lsp, where it is installed, fails on items that have no such attribute.
        self.funcargs: dict[str, object] = {}

    def runtest(self) -> None:
        """Compares the verdicts of this session's runs with the recorded ones."""
        self._name_class()
        changes = self._runs.judge(self.chosen)
        if isinstance(changes, str):
            pytest.skip(changes)
        if changes:
            raise VerdictChanged("\n".join(change.text() for change in changes))

    def _name_class(self) -> None:
        """Names the API as the class in JUnit XML: pytest takes a class from '::' in an ID, which a claim's has not."""
        from _pytest.junitxml import xml_key  # what the fixture record_xml_attribute uses; only functions have fixtures

        if xml := self.config.stash.get(xml_key, None):
            xml.node_reporter(self.nodeid).add_attribute("classname", self.chosen.api.name)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The recorded verdict and today's, instead of a traceback into this plugin."""
        if isinstance(excinfo.value, VerdictChanged):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The claim's place in its mapping file."""
        # pytest rewrites a headline that is the end of the ID: dots in it would become '::'.
        return self.path, self._line and self._line - 1, f"claim {self.name}"


class _Claims:
    """Collects the claims, has them run before the first is judged, and tells what came of it."""

    def __init__(
        self,
        config: pytest.Config,
        names: list[str],
        world_sizes: list[int] | None,
        wanted: Collection[str],
        sample: Sample | None,
    ) -> None:
        from apidiff.database.backends import load_backends
        from apidiff.database.checks import load_usable
        from apidiff.database.examples import load_examples
        from apidiff.database.paths import examples_folder
        from apidiff.judge import make_context
        from apidiff.verification.claim_session import ClaimRuns

        known = load_backends()
        self._config, self._wanted, self._sample = config, set(wanted), sample
        self._data: Data = load_usable()
        if self._data.unfit:  # what it recorded would be compared with nothing, and every claim skipped
            raise pytest.UsageError(str(self._data.unfit[0]))
        context = make_context(known, load_examples(examples_folder()), self._data.signatures)
        self._runs: ClaimRuns = ClaimRuns(self._data, context, known, names, world_sizes, self._say)
        self._error: str | None = None
        self._lacking: list[str] = []
        there = {name for chosen, _ in self._all() for name in (chosen.name, chosen.api.name)}
        if unknown := [name for name in wanted if name not in there]:
            if unknown[0] in self._data.mappings and self._data.mappings[unknown[0]].samples:
                raise pytest.UsageError(
                    f"{unknown[0]} has samples and no claims, and --apidiff-backend collects claims. "
                    f"Run its samples: apidiff verify {unknown[0]}"
                )
            raise pytest.UsageError(
                f"--apidiff-backend collects claims, and no claim or API is called {unknown[0]!r}. "
                "--collect-only -q lists the IDs; -k chooses by a part of them."
            )

    def _all(self) -> Iterator[tuple[Chosen, int | None]]:
        """Lists every claim, each once, with its line in the file of its mapping."""
        from apidiff.verification.claim_session import Chosen

        for key, mapping in self._data.mappings.items():
            origins = self._data.origins.get(key, {})
            places: list[tuple[Api, tuple[str | int, ...]]] = [(mapping.source, ("source",))]
            places += [
                (target.api, ("targets", index, "api"))
                for index, target in enumerate(mapping.targets)
                if not target.api.defined_in
            ]
            for api, at in places:
                for index, claim in enumerate(api.claims):
                    origin = origins.get((*at, "claims", index))
                    yield Chosen(api, claim, key), origin.line if origin and origin.what == "record" else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Makes an item of every claim, or of those that arguments name, before pytest applies -k and --deselect."""
        path_of = functools.cache(self._data.path_of)
        items[:] = [
            ClaimItem.from_parent(
                session,
                name=chosen.name,
                nodeid=chosen.name,
                path=path_of(chosen.mapping),
                chosen=chosen,
                line=line,
                runs=self._runs,
            )
            for chosen, line in self._all()
            if not self._wanted or self._wanted & {chosen.name, chosen.api.name}
        ]
        if self._sample:
            self._leave_out(items, self._sample)

    def _leave_out(self, items: list[pytest.Item], sample: Sample) -> None:
        """Deselects the items whose mappings are not in today's sample, and says so."""
        mappings = self._runs.mappings_of(sample)
        left_out = [item for item in items if isinstance(item, ClaimItem) and item.chosen.mapping not in mappings]
        items[:] = [item for item in items if not isinstance(item, ClaimItem) or item.chosen.mapping in mappings]
        self._config.hook.pytest_deselected(items=left_out)
        every = len(self._data.mappings)
        self._say(f"part {sample.part} of {sample.parts} and what is not recorded: {len(mappings)} of {every} mappings")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Runs what the selected items need, before the first of them."""
        from apidiff.database import ApidiffError

        if self._config.getoption("collectonly"):
            return
        try:
            self._runs.run([item.chosen for item in session.items if isinstance(item, ClaimItem)])
        except ApidiffError as error:
            self._error = str(error)
            raise pytest.UsageError(self._error) from error

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fails a session that would pass without having shown what was asked for, and writes the summary."""
        if self._config.getoption("collectonly"):
            return
        from apidiff.database import ApidiffError
        from apidiff.verification.summary import markdown, write_summary

        lacking = self._runs.lacking()
        if not self._runs.compared:
            lacking = [f"Nothing was compared: {self._why_nothing(session, exitstatus)}"]
        if exitstatus == pytest.ExitCode.OK and lacking:
            codes = pytest.ExitCode
            session.exitstatus = codes.TESTS_FAILED if self._runs.compared else codes.NO_TESTS_COLLECTED
        self._lacking = lacking
        if not (wanted := self._config.getoption("--apidiff-summary")):
            return
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        stats = reporter.stats if reporter else {}
        counts = {name: len(stats.get(name, [])) for name in ("passed", "failed", "skipped", "deselected")}
        text = markdown(self._runs.lines(), counts, self._runs.changes, lacking, compared=self._runs.compared > 0)
        try:
            write_summary(Path(wanted), text)
        except ApidiffError as error:
            raise pytest.UsageError(str(error)) from error

    def _why_nothing(self, session: pytest.Session, exitstatus: int) -> str:
        if self._error:
            return self._error
        if exitstatus == pytest.ExitCode.USAGE_ERROR:
            return "pytest refused an argument; what it printed names it"
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            return "the session was interrupted"
        if not session.items:
            return "no claim was chosen"
        return self._runs.why_nothing() or "no claim that was chosen is judged by a run on the backends asked for"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says why the session fails, even where little is to be said."""
        for line in self._lacking:
            terminalreporter.write_line(f"apidiff: {line}")

    def _say(self, line: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and self._config.get_verbosity() >= 0:
            reporter.write_line(f"apidiff: {line}")
