"""Serves agents over the Model Context Protocol: small answers, each with its version and the runs behind it."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial, wraps
from typing import Annotated, Any, Literal, ParamSpec, TextIO

import anyio
from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.utilities.func_metadata import FuncMetadata
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    ToolAnnotations,
)
from pydantic import Field, ValidationError

from apidiff.errors import ApidiffError
from apidiff.lookup.answer import Answer
from apidiff.lookup.cache import code_state, renewed
from apidiff.lookup.index import Index
from apidiff.lookup.search import Searcher
from apidiff.messages.escape_invisible import one_line
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.porting.changes import Ported
from apidiff.porting.scan_report import ScanReport
from apidiff.porting.source_files import Problem
from apidiff.porting.source_text import UnreadableSource
from apidiff.porting.text_scan import SNIPPET
from apidiff.servers.analyser import Analyser
from apidiff.servers.byte_order_mark import without_mark
from apidiff.servers.log_lines import log_in_lines
from apidiff.servers.run_text import run_text
from apidiff.servers.typed_names import api_meant
from apidiff.servers.worker_thread import WorkerThread
from apidiff.writers.exports.address import Address
from apidiff.writers.markdown import code_block
from apidiff.writers.scan.words import counts, problem_text, title, words
from apidiff.writers.short_answer import short_answer
from apidiff.writers.short_evidence import short_evidence

_LONGEST_CODE, _LONGEST_QUERY, _LONGEST_SUMMARY = 200_000, 200, 500  # characters
_FINDINGS = 40
_NAMES = 100  # without an answer
_PATIENCE = 20.0  # seconds for what was asked before the input ended
_STEP = 0.05  # seconds
_ASKED_AGAIN_S = 60.0  # seconds: minisign, where it gave no answer before
_UNANSWERED = ErrorData(code=CONNECTION_CLOSED, message=f"The input ended, and there was no answer in {_PATIENCE:g} s")
_UNREADABLE = ErrorData(code=INVALID_REQUEST, message="This is no request, or holds half of a character")
_INSTRUCTIONS = """How PyTorch APIs differ from their MindSpore counterparts, checked by running both frameworks.
Ask `lookup` before you write MindSpore code for a PyTorch call, `scan` for what calls meet, `evidence` for what runs showed.
Labels: verified (runs agree on this form of call), unsafe (some samples differ, or none of this form was run), manual (no rule),
unknown (nothing is recorded). "Not run" is not "unsupported"."""

_P = ParamSpec("_P")
Name = Annotated[
    str, Field(description="a PyTorch or MindSpore API as code writes it: torch.cat, F.relu, nn.Linear, x.view")
]
Release = Annotated[str | None, Field(description="MindSpore release, such as 2.10; default: the newest that was run")]
Device = Annotated[Literal["ascend", "gpu", "cpu"] | None, Field(description="default: none in particular")]
Words = Annotated[Literal["en", "zh"], Field(description="language of the answer")]
Code = Annotated[str, Field(description="Python code; it is neither imported nor run", max_length=_LONGEST_CODE)]


class _AsGiven(FuncMetadata):
    """How a tool takes its arguments: as they came.

    The library reads a text for a parameter that is not plain ``str`` as JSON first, which fails on many digits and deep
    nesting, and makes ``"null"`` none. That is for lists and objects, and no parameter here is one.
    """

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave the arguments to the checks of their types."""
        return data


class Agent:
    """What the server answers from. ``mindspore``: the release where a question names none."""

    def __init__(self, index: Index, mindspore: str | None) -> None:
        self._index, self._mindspore = index, mindspore
        self._analysers: dict[tuple[str | None, str | None], Analyser] = {}
        self._searcher: Searcher | None = None
        self._renewed_at = -math.inf
        self._code, self._is_outdated = code_state(), False
        # One thread: answers are made one after another, and who asks whether the server is there is answered meanwhile.
        self._worker = WorkerThread("answers")

    def aside(self, tool: Callable[_P, str]) -> Callable[_P, Awaitable[str]]:
        """Have a tool answer in the thread for that."""

        @wraps(tool)
        async def answered(*args: _P.args, **kwargs: _P.kwargs) -> str:
            return await asyncio.get_running_loop().run_in_executor(self._worker, partial(of_now, *args, **kwargs))

        def of_now(*args: _P.args, **kwargs: _P.kwargs) -> str:
            self._renew()
            answer = tool(*args, **kwargs)
            return "\n\n".join([answer, *self._notes("zh" if kwargs.get("language") == "zh" else "en")])

        return answered

    def _renew(self) -> None:
        """Answer from the data as they are now: since the last answer a record may have come, or the key of a signer gone."""
        self._is_outdated = code_state() != self._code
        ask_again = time.monotonic() > self._renewed_at + _ASKED_AGAIN_S
        index = renewed(self._index, ask_again=ask_again, keep=not self._is_outdated)
        if index is not self._index:
            self._index, self._searcher, self._renewed_at = index, None, time.monotonic()
            self._analysers.clear()

    def _notes(self, language: Language) -> Iterator[str]:
        """What an agent, who sees no standard error, has to know of an answer that lacks something or is of former code."""
        damaged, unchecked = len(self._index.damaged), len(self._index.unchecked)
        if damaged or unchecked:
            yield label("servers.passed_over", language, damaged=damaged, unchecked=unchecked)
        if self._is_outdated:
            yield label("servers.outdated", language)

    def analyser(self, mindspore: str | None, device: str | None = None) -> Analyser:
        """The analyser for a release and a device. Raises ApidiffError for a release that is not known."""
        key = mindspore or self._mindspore, device
        if key not in self._analysers:
            self._analysers[key] = Analyser(self._index, *key)
        return self._analysers[key]

    def answer(self, name: str, mindspore: str | None, language: Language) -> Answer | str:
        """The answer; where no PyTorch API corresponds, what is said of that. Raises ApidiffError."""
        analyser = self.analyser(mindspore)
        answer = analyser.answer(api_meant(self._index, analyser.names, name))
        return answer if isinstance(answer, Answer) else short_answer(answer, language)

    def searcher(self) -> Searcher:
        """Finds APIs by words."""
        if self._searcher is None:
            self._searcher = Searcher(self._index.words, self._index.names)
        return self._searcher


def make_server(index: Index, mindspore: str | None = None) -> FastMCP[None]:
    """Make the server. Raises ApidiffError for a release that is not known."""
    agent = Agent(index, mindspore)
    agent.analyser(None)
    server: FastMCP[None] = FastMCP("apidiff", _INSTRUCTIONS, log_level="ERROR")
    reading = ToolAnnotations(readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False)

    @server.tool(annotations=reading, structured_output=False)
    @agent.aside
    def lookup(name: Name, mindspore: Release = None, language: Words = "en") -> str:
        """What replaces an API in MindSpore: what to write, where it runs, what must change, what to watch, which runs say so."""
        answer = agent.answer(name, mindspore, language)
        return answer if isinstance(answer, str) else short_answer(answer, language, runs=True)

    @server.tool(annotations=reading, structured_output=False)
    @agent.aside
    def search(
        query: Annotated[
            str, Field(description="name, text or behaviour, English or Chinese", max_length=_LONGEST_QUERY)
        ],
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
        language: Words = "en",
    ) -> str:
        """Which APIs fit some words."""
        found = agent.searcher().search(query, limit)
        lines = [
            f"- {result.id} [{label(f'risk.{result.risk}', language)}] "
            f"{one_line(result.summary.said_in(language), _LONGEST_SUMMARY)}"
            for result in found.results
        ]
        return "\n".join(lines) or label("terminal.nothing", language, words=repr(one_line(query, _LONGEST_QUERY)))

    @server.tool(annotations=reading, structured_output=False)
    @agent.aside
    def scan(code: Code, mindspore: Release = None, device: Device = None, language: Words = "en") -> str:
        """Every reference to PyTorch in code, and the differences that each call meets with the arguments written there."""
        analysis = agent.analyser(mindspore, device).analyse(without_mark(code), SNIPPET)
        return "\n".join(_scanned(analysis.report, language))

    @server.tool(annotations=reading, structured_output=False)
    @agent.aside
    def port(
        code: Code,
        unsafe: Annotated[bool, Field(description="also edits with conditions, which comments name")] = False,
        mindspore: Release = None,
        device: Device = None,
        language: Words = "en",
    ) -> str:
        """Code rewritten for MindSpore by the rules that runs prove; comments say what is left to do."""
        porter = agent.analyser(mindspore, device).porter(language, Address.configured(), unsafe=unsafe)
        try:
            ported = porter.port_text(without_mark(code), SNIPPET)
        except UnreadableSource as error:
            problem = Problem("code", error.code, error.line, error.detail)
            raise ApidiffError(problem_text(problem, language)) from error
        # No line of the code may end the block, what follows would pass for ours.
        return "\n".join([code_block(ported.text, "python"), *_states(ported, language)])

    @server.tool(annotations=reading, structured_output=False)
    @agent.aside
    def evidence(
        name: Annotated[
            str, Field(description="an API, or the ID of a run such as torch-2.13.0/gloo-cpu-2-9496c9c37b28")
        ],
        about: Annotated[str, Field(description="only this facet (value, dtype, error, …) or claim")] = "",
        mindspore: Release = None,
        language: Words = "en",
    ) -> str:
        """What runs showed of an API: samples by facet, those that differ, verdicts; or where and with what a run was made."""
        if "/" in name:
            return run_text(name)
        answer = agent.answer(name, mindspore, language)
        return answer if isinstance(answer, str) else short_evidence(answer, language, about)

    for made in server._tool_manager.list_tools():
        made.fn_metadata = _AsGiven.model_construct(**dict(made.fn_metadata))
    return server


def serve(index: Index, mindspore: str | None, stdout: TextIO) -> None:
    """Serve one agent over standard input and ``stdout`` until it goes away. Raises ApidiffError."""
    log_in_lines()  # before the library does, which writes tracebacks
    try:
        anyio.run(_answered, make_server(index, mindspore), stdout)
    except* (anyio.ClosedResourceError, anyio.BrokenResourceError):
        pass  # it went away while it was being answered


async def _answered(server: FastMCP[None], stdout: TextIO) -> None:
    """Serve until standard input ends and what was asked before is answered.

    The session drops what it has not answered when its input ends, as where requests are piped into the server. So it is told
    later, and who asked what took too long is told that.
    """
    waiting: set[RequestId] = set()
    asks, asked = anyio.create_memory_object_stream[SessionMessage | Exception]()
    answers, answered = anyio.create_memory_object_stream[SessionMessage]()

    async def ask() -> None:
        async with asks, read:
            async for message in read:
                if isinstance(message, SessionMessage) and isinstance(message.message.root, JSONRPCRequest):
                    waiting.add(message.message.root.id)
                elif isinstance(message, ValidationError) and (request := _request_in(message)) is not None:
                    error = JSONRPCError(jsonrpc="2.0", id=request, error=_UNREADABLE)
                    await write.send(SessionMessage(_of_text(JSONRPCMessage(error))))
                await asks.send(message)
            with anyio.move_on_after(_PATIENCE):
                while waiting:
                    await anyio.sleep(_STEP)
            for request in sorted(waiting, key=str):
                error = JSONRPCError(jsonrpc="2.0", id=request, error=_UNANSWERED)
                await write.send(SessionMessage(JSONRPCMessage(error)))

    async def answer() -> None:
        async with write, answered:
            async for message in answered:
                if isinstance(message.message.root, JSONRPCResponse | JSONRPCError):
                    waiting.discard(message.message.root.id)
                await write.send(SessionMessage(_of_text(message.message), message.metadata))

    async with stdio_server(stdout=anyio.wrap_file(stdout)) as (read, write), anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        tasks.start_soon(answer)
        session = server._mcp_server  # what FastMCP serves standard input with itself
        await session.run(asked, answers, session.create_initialization_options())


def _request_in(refused: ValidationError) -> RequestId | None:
    """The ID of the request in a message that is none, or holds half of a character; None where it has none."""
    given = refused.errors(include_url=False)[-1]["input"]
    with suppress(ValueError, RecursionError):
        given = json.loads(given) if isinstance(given, str) else given
    number = given.get("id") if isinstance(given, dict) else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def _of_text(message: JSONRPCMessage) -> JSONRPCMessage:
    """``message`` in which every string can be encoded: one that cannot would end the server."""
    return JSONRPCMessage.model_validate(_encodable(message.model_dump(by_alias=True, exclude_none=True)))


def _encodable(value: Any) -> Any:
    """What a message holds, with each half of a character, which is none, as the escape that Python writes it with."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value


def _scanned(report: ScanReport, language: Language) -> list[str]:
    """The counts, then a line for each finding of everyday calls and each name without an answer."""
    lines = [title(report, language), *counts(report, language)]
    lines += [problem_text(problem, language) for problem in report.problems]
    colon = label("site.colon", language)
    findings = report.everyday()
    for finding in findings[:_FINDINGS]:
        target = f" → {finding.target}" if finding.target else ""
        labels = (
            f"{finding.code}, {label(f'risk.{finding.risk}', language)}, {label(f'scan.label.{finding.fix}', language)}"
        )
        lines.append(
            f"- {finding.line}:{finding.column} {finding.source}{target} [{labels}]{colon}"
            f"{finding.headline.said_in(language)}"
        )
    if len(findings) > _FINDINGS:
        lines.append(f"- {label('screen.more_short', language, count=len(findings) - _FINDINGS)}")
    unknown = [used.source for used in report.apis if used.labels.get("unknown")]
    if unknown:
        more = [label("screen.more_short", language, count=len(unknown) - _NAMES)] if len(unknown) > _NAMES else []
        names = label("site.comma", language).join([*unknown[:_NAMES], *more])
        lines.append(words("scan.unknown", language, count=len(unknown)) + label("site.aside", language, text=names))
    return lines


def _states(ported: Ported, language: Language) -> list[str]:
    """How many places are edited, right as they stand, or left."""
    return [
        words(
            "servers.ported",
            language,
            made=ported.count("made"),
            kept=ported.count("kept"),
            left=ported.count("left"),
            manual=ported.count("manual"),
        )
    ]
