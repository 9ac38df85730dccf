"""Pytest plugin: every claim is a test item. ``pytest --apidiff-backend gloo`` verifies the database where it is run.

An item's ID is the claim's. It passes where every verdict is the recorded one (a claim refuted as recorded passes), fails
where a verdict changed, and is skipped with the reason where it cannot be judged here. What came out flaky is made once
more: where it is as recorded then, the item passes and a line says so. Without the option the plugin does nothing and
imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from apidiff.judge import Context
    from apidiff.model import Api, Claim, RunRecord
    from apidiff.store import Data
    from apidiff.store.backends import Backend
    from apidiff.verify.compare import Change


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--apidiff-backend`` and ``--apidiff-world-size``."""
    group = parser.getgroup("apidiff", "claims about APIs, verified by running the frameworks")
    group.addoption(
        "--apidiff-backend",
        action="append",
        default=[],
        metavar="NAME",
        help="collect every claim as a test and run it on this backend (gloo, mccl, ...); may be repeated",
    )
    group.addoption(
        "--apidiff-world-size",
        default="2,3,4",
        metavar="N[,N...]",
        help="numbers of ranks to run the claims with (default: %(default)s)",
    )
    group.addoption(
        "--apidiff-summary",
        metavar="FILE",
        help="write what was run and which verdicts changed to FILE as Markdown",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Turns the collection of claims on if a backend was asked for.

    Raises pytest.UsageError for a backend that is not described, a world size that is none, or data that is broken.
    """
    names: list[str] = config.getoption("--apidiff-backend")
    if not names:
        return
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("--apidiff-backend starts ranks of its own; leave out -n.")
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        found = " ".join(config.args)
        raise pytest.UsageError(f"--apidiff-backend collects claims, not {found}; choose among them with -k.")
    from apidiff.store import ApidiffError

    try:
        claims = _Claims(config, names, _world_sizes(config.getoption("--apidiff-world-size")))
    except ApidiffError as error:
        raise pytest.UsageError(str(error)) from error
    config.args = []  # not testpaths: claims only
    config.pluginmanager.register(claims, "apidiff-claims")


def _world_sizes(text: str) -> list[int]:
    sizes = [part.strip() for part in text.split(",")]
    if not all(size.isascii() and size.isdigit() and int(size) for size in sizes):
        raise pytest.UsageError(f"Expected --apidiff-world-size such as 2 or 2,3,4 but got {text!r}.")
    return sorted({int(size) for size in sizes})


class VerdictChanged(Exception):
    """A claim's verdict is not what was recorded; the text shows both."""


class ClaimItem(pytest.Item):
    """One claim as a test. ``mapping`` is the ID of the mapping whose file, at ``path`` and ``line``, holds it."""

    def __init__(
        self, *, api: Api, claim: Claim, mapping: str, line: int | None, claims: _Claims, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.api, self.claim, self.mapping = api, claim, mapping
        self._line, self._claims = line, claims

    @property
    def framework(self) -> str:
        """The framework whose runs judge the claim."""
        from apidiff.judge import framework_of

        return framework_of(self.claim, self.api)

    def runtest(self) -> None:
        """Compares the verdicts of this session's runs with the recorded ones."""
        changes, reasons, compared = [], [], 0
        for outcome in self._claims.outcomes(self):
            if isinstance(outcome, str):
                reasons.append(outcome)
            else:
                compared += 1
                changes += outcome
        if changes:
            raise VerdictChanged("\n".join(change.text() for change in changes))
        if not compared:
            pytest.skip("; ".join(dict.fromkeys(reasons)))

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
    """Collects the claims, runs each backend once per world size, and compares."""

    def __init__(self, config: pytest.Config, names: list[str], world_sizes: list[int]) -> None:
        from apidiff.context import make_context
        from apidiff.examples import load_examples
        from apidiff.store import load
        from apidiff.store.backends import called, load_backends
        from apidiff.store.paths import examples_folder

        known = load_backends()
        asked = [backend for name in names for backend in called(known, name)]
        self._config, self._world_sizes = config, world_sizes
        self._backends: list[Backend] = [backend for backend in known if backend in asked]
        self._data: Data = load()
        self._context: Context = make_context(known, load_examples(examples_folder()), self._data.signatures)
        self._absent: dict[int, str] = {}  # index of a backend: what was looked for
        self._runs: dict[int, list[_Comparison]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Makes an item of every claim, before pytest applies -k and --deselect."""
        items[:] = self._items(session)

    def _items(self, session: pytest.Session) -> Iterator[ClaimItem]:
        for key, mapping in self._data.mappings.items():
            lines = self._data.lines.get(key, {})
            places: list[tuple[Api, tuple[str | int, ...]]] = [(mapping.source, ("source",))]
            places += [
                (target.api, ("targets", index, "api"))
                for index, target in enumerate(mapping.targets)
                if not target.api.defined_in
            ]
            for api, at in places:
                for index, claim in enumerate(api.claims):
                    identity = f"{api.name}#{claim.id}"
                    yield ClaimItem.from_parent(
                        session,
                        name=identity,
                        nodeid=identity,
                        path=self._data.path_of(key),
                        api=api,
                        claim=claim,
                        mapping=key,
                        line=lines.get((*at, "claims", index)),
                        claims=self,
                    )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Runs what the selected items need, before the first of them."""
        from apidiff.store import ApidiffError

        if self._config.getoption("collectonly"):
            return
        items = [item for item in session.items if isinstance(item, ClaimItem)]
        try:
            for index, backend in enumerate(self._backends):
                mine = [item for item in items if item.framework == backend.framework]
                if mine:
                    self._run(index, backend, mine)
        except ApidiffError as error:
            raise pytest.UsageError(str(error)) from error

    def _run(self, index: int, backend: Backend, items: list[ClaimItem]) -> None:
        from apidiff.verify.devices import look_for
        from apidiff.verify.plan import world_sizes
        from apidiff.verify.verify import verify

        found = look_for(backend)
        if not found.available:
            self._absent[index] = found.text
            self._say(found.text)
            return
        self._runs[index] = []
        devices = len(found.device.names) if found.device else 0
        for world_size in world_sizes(backend, devices, self._world_sizes).chosen:
            record = verify(self._data, backend, world_size, self._context, {item.mapping for item in items})
            comparison = _Comparison(self._data, record, self._context)
            self._runs[index].append(comparison)
            self._say(comparison.text)
            if unsteady := comparison.unsteady():
                again = {item.mapping for item in items if item.name in unsteady}
                settled = comparison.settle(verify(self._data, backend, world_size, self._context, again))
                for claim in settled:
                    self._say(f"{claim}: came out otherwise in one of three runs, as recorded in the others")

    def pytest_sessionfinish(self) -> None:
        """Writes the summary, where one was asked for."""
        wanted = self._config.getoption("--apidiff-summary")
        if not wanted or self._config.getoption("collectonly"):
            return
        from apidiff.store import ApidiffError
        from apidiff.verify.summary import markdown, write_summary

        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        counts = (
            {name: len(reporter.stats.get(name, [])) for name in ("passed", "failed", "skipped")} if reporter else {}
        )
        compared = [one for found in self._runs.values() for one in found]
        runs = [*(one.text for one in compared), *self._absent.values()]
        try:
            write_summary(Path(wanted), markdown(runs, counts, [change for one in compared for change in one.changes]))
        except ApidiffError as error:
            raise pytest.UsageError(str(error)) from error

    def _say(self, line: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and self._config.get_verbosity() >= 0:
            reporter.write_line(f"apidiff: {line}")

    def outcomes(self, item: ClaimItem) -> Iterator[list[Change] | str]:
        """For each run the changed verdicts on the item's claim, or the reason why there is nothing to compare."""
        if item.claim.reason is not None:
            yield item.claim.reason.en
        mine = [(index, one) for index, one in enumerate(self._backends) if one.framework == item.framework]
        if not mine:
            asked = ", ".join(one.name for one in self._backends)
            yield f"{item.framework} APIs do not run on {asked}"
        for index, _ in mine:
            if index in self._absent:
                yield self._absent[index]
            for comparison in self._runs.get(index, []):
                yield comparison.outcome(item)


class _Comparison:
    """One run beside the record it is compared with.

    ``text``: one line that says what was compared with what. ``changes``: the verdicts that are not what is recorded.
    """

    def __init__(self, data: Data, run: RunRecord, context: Context) -> None:
        from apidiff.model.trace import backend_name
        from apidiff.verify.compare import base_record, compare, observations
        from apidiff.verify.plan import apis_for

        apis = list(apis_for(data, run.framework, run.framework_version))
        base = base_record(data.runs, run)
        backend = backend_name(run.backend, run.device)
        self._where = f"{run.framework} {run.framework_version} on {backend} with {run.world_size} ranks"
        self._apis = {api.name for api in apis}
        self._judged = {f"{api.name}#{claim.id}" for api, claim, _ in observations(apis, "this run", run, context)}
        self._recorded = (
            {f"{api.name}#{claim.id}" for api, claim, _ in observations(apis, *base, context)} if base else set()
        )
        self._compare: Callable[[RunRecord], list[Change]] = lambda record: compare(apis, base, record, context)
        self.changes = self._compare(run)
        self._base = base[1].framework_version if base else None
        self._same_version = self._base == run.framework_version
        self.text = f"{self._where}: {len(run.probes)} probes, compared with {base[0] if base else 'nothing'}"
        if base and not self._same_version:
            self.text += f" (nothing is recorded for {run.framework} {run.framework_version})"

    def unsteady(self) -> set[str]:
        """The claims whose verdict was recorded and came out flaky now: the machine may have been too busy."""
        return {one.claim for one in self.changes if _is_unsteady(one)}

    def settle(self, again: RunRecord) -> list[str]:
        """Takes back the flaky verdicts that are as recorded in ``again``, and returns their claims."""
        still = {(one.claim, one.now.probe) for one in self._compare(again)}
        settled = [one for one in self.changes if _is_unsteady(one) and (one.claim, one.now.probe) not in still]
        self.changes = [one for one in self.changes if one not in settled]
        return list(dict.fromkeys(one.claim for one in settled))

    def outcome(self, item: ClaimItem) -> list[Change] | str:
        """The changed verdicts on the item's claim, or why there is nothing to compare."""
        if item.api.name not in self._apis:
            return f"the mapping has no {item.api.name} for {self._where.partition(' on ')[0]}"
        if item.name not in self._judged:
            return f"no probe of it gives a verdict for {self._where}"
        if self._base is None:
            return f"nothing is recorded for {self._where}; record it with: apidiff verify --record"
        if not self._same_version and item.name not in self._recorded:
            return f"{self._base}, which {self._where} is compared with, has no verdict on it"
        return [change for change in self.changes if change.claim == item.name]


def _is_unsteady(change: Change) -> bool:
    from apidiff.model import Outcome

    return change.now.outcome is Outcome.FLAKY and change.before is not None
