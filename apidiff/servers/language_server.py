"""Serves editors over the Language Server Protocol: diagnostics as one types, the answer of a name, edits by their label."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import math
from collections.abc import Generator
from copy import copy
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import unquote

import msgspec
from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcContentModified,
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol, default_converter
from pygls.protocol.language_server import lsp_method
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from apidiff import __version__
from apidiff.errors import ApidiffError
from apidiff.lookup.index import Index
from apidiff.model.base import Language
from apidiff.porting.changes import Repair
from apidiff.porting.file_scan import Reference, Span
from apidiff.porting.judgement import Judgement
from apidiff.porting.port_text import Porter
from apidiff.porting.scan_report import Finding
from apidiff.porting.scan_settings import ScanSettings, read_settings
from apidiff.porting.source_text import UnreadableSource
from apidiff.porting.text_scan import SNIPPET, long_lines
from apidiff.servers.analyser import Analyser, Analysis
from apidiff.servers.byte_order_mark import without_mark
from apidiff.servers.document_lines import DocumentLines
from apidiff.servers.editor_answers import action, by_place, diagnostic, left_out, passed_over
from apidiff.servers.guarded_streams import Answers, GuardedInput
from apidiff.servers.log_lines import log_in_lines
from apidiff.servers.moved_places import place_before
from apidiff.servers.quick_fixes import quick_fixes
from apidiff.servers.worker_thread import WorkerThread
from apidiff.writers.exports.address import Address

_PAUSE = 0.25  # seconds without a keystroke before a document is analysed
_MOST_DIAGNOSTICS = 1_000  # of a document: an editor is sent all of them again after each pause
_SHOWN = 80  # characters of an address that is none, in the log
_log = logging.getLogger(__name__)


class Choices(NamedTuple):
    """What was typed when the server was started; what an editor asks for counts more."""

    language: Language = "en"
    mindspore: str | None = None
    device: str | None = None
    edge: bool = False


def _converter() -> Converter:
    """Reads messages, and stops at the first thing that is not as it should be: to tell all takes seconds and gigabytes."""
    converter: Converter = default_converter().copy(detailed_validation=False)  # type: ignore[no-untyped-call]
    return converter


class _Protocol(LanguageServerProtocol):
    """Answers requests that are not as they should be, instead of leaving who asked to wait."""

    left_early = False  # without a shutdown before it
    _begun = False  # whether a session was

    def structure_message(self, data: dict[str, Any]) -> Any:
        if not _is_number(data.get("id")) or not isinstance(data.get("method", ""), str):
            return data  # it is no message
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=JsonRpcInvalidParams().to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        """Handle a message; what is none, a list of them too, and a request that may not come now is answered so."""
        if not hasattr(message, "jsonrpc"):
            number = message.get("id") if isinstance(message, dict) and "method" in message else None
            self.refuse(JsonRpcInvalidRequest(), number if _is_number(number) else None)
        elif hasattr(message, "id") and hasattr(message, "method") and (error := self._untimely(message.method)):
            self._send_response(message.id, error=error.to_response_error())
        else:
            super().handle_message(message)

    def _untimely(self, method: str) -> JsonRpcException | None:
        """Tell a request before the session was begun, one that begins it again, which would empty it, and one behind its end."""
        begins = method == types.INITIALIZE
        if self._shutdown or (begins and self._begun):
            return JsonRpcInvalidRequest()
        if not begins and not self._begun:
            return JsonRpcServerNotInitialized()
        self._begun = True
        return None

    def refuse(self, error: JsonRpcException, number: Any = None) -> None:
        """Answer what is no message, without an ID where none can be read; one that is None is left out where pygls writes it."""
        told = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": told})

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Begin a session; a root or a folder with an address that is none is passed over."""
        if params.root_uri and not _is_address(params.root_uri):
            params.root_uri = None
        if params.root_path and not _is_path(params.root_path):
            params.root_path = None
        params.workspace_folders = [folder for folder in params.workspace_folders or [] if _is_address(folder.uri)]
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[Any, Any, None]:
        """End the session, and keep whether it was shut down before."""
        self.left_early = not self._shutdown
        yield from super().lsp_exit(*args)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Open a document, unless its address is none."""
        if _is_address(params.text_document.uri):
            yield from super().lsp_text_document__did_open(params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> Generator[Any, Any, None]:
        """Open a notebook's cells but those whose addresses are none."""
        params.cell_text_documents = [cell for cell in params.cell_text_documents if _is_address(cell.uri)]
        yield from super().lsp_notebook_document__did_open(params)

    def _execute_handler(self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None) -> None:
        """Handle a message; pygls keeps what came of each notification, with its text where it failed, until the session ends."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        kept = self._request_futures.get(msg_id)

        def forget(done: Any) -> None:
            if self._request_futures.get(msg_id) is done:
                del self._request_futures[msg_id]

        if kept is not None:
            kept.add_done_callback(forget)

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is not None:
            error.data = None  # a traceback, which is no answer: the log has its last line
        super()._send_response(msg_id, result, error)


class _Server(LanguageServer):
    """A server that logs what goes wrong instead of putting it before the one who types."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log it; a message that is no JSON, which handlers do not see, is answered so."""
        is_no_json = source is JsonRpcException and isinstance(error, ValueError | RecursionError)
        if is_no_json and isinstance(self.protocol, _Protocol):
            self.protocol.refuse(JsonRpcParseError())
        _log.warning("%s: %s", getattr(source, "__name__", source), error)


class Editor:
    """What the server knows of its editor: its choices, and an analysis of each open document."""

    def __init__(self, index: Index, choices: Choices) -> None:
        self._index, self._choices = index, choices
        self.language: Language = choices.language
        self.edge = choices.edge
        self._analyser = Analyser(index, choices.mindspore, choices.device)
        self._site = Address()
        self._porter: Porter | None = None  # keeps the ports of documents
        # One thread: analyses come one after another, and messages are answered meanwhile.
        self._worker = WorkerThread("analysis")
        # By the address as pygls names a document, which editors spell in several ways: `%20` or a blank.
        self._analyses: dict[str, tuple[str, asyncio.Future[Analysis]]] = {}
        self._last: dict[str, tuple[str, Analysis]] = {}  # the last one that is done
        self.waiting: dict[str, asyncio.TimerHandle] = {}

    def begin(self, root: str | None, options: object) -> None:
        """Take over settings: of the command line, of the project at ``root``, of the editor. Raises ApidiffError."""
        settings = ScanSettings()
        with contextlib.suppress(OSError):  # a root that cannot be looked into sets nothing
            if root and Path(root).is_dir():
                settings = read_settings(Path(root))[0]
        asked = options if isinstance(options, dict) else {}
        mindspore = _text(asked.get("mindspore")) or self._choices.mindspore or settings.mindspore
        device = _text(asked.get("device")) or self._choices.device or settings.device
        if asked.get("language") in ("en", "zh"):
            self.language = asked["language"]
        self.edge = bool(asked.get("edge", self._choices.edge or settings.edge))
        device = device if device in {"ascend", "gpu", "cpu"} else None
        self._analyser = Analyser(self._index, mindspore, device)
        self._site = Address.configured(settings.site)
        self._porter = None

    async def analysis(self, document: TextDocument) -> Analysis:
        """Analyse a document as it is now, once. Raises JsonRpcContentModified where it has another text before that is done."""
        text, key = without_mark(document.source), unquote(document.uri)
        known = self._analyses.get(key)
        if known is None or known[0] != text:
            self._drop(key)
            loop = asyncio.get_running_loop()
            future = loop.run_in_executor(self._worker, self._analysed, text, document)
            known = self._analyses[key] = text, future
        try:
            analysis = await asyncio.shield(known[1])
        except asyncio.CancelledError:
            if known[1].cancelled():  # and not who asked for it
                raise JsonRpcContentModified from None
            raise
        if self._analyses.get(key) is known:
            self._last[key] = text, analysis
        return analysis

    def _drop(self, key: str) -> None:
        """Take the analysis of a text that is no longer there from the queue: one for each keystroke would wait there."""
        if known := self._analyses.pop(key, None):
            known[1].cancel()

    def _analysed(self, text: str, document: TextDocument) -> Analysis:
        return self._analyser.analyse(text, _path(document), half_typed=True)

    async def repairs(self, document: TextDocument, first: tuple[int, int], last: tuple[int, int]) -> list[Repair]:
        """The edits between two places; none while a line is half typed or too long to be parsed, and none in a page."""
        loop, text = asyncio.get_running_loop(), without_mark(document.source)
        return await loop.run_in_executor(self._worker, self._repaired, document, text, first, last)

    def _repaired(
        self, document: TextDocument, text: str, first: tuple[int, int], last: tuple[int, int]
    ) -> list[Repair]:
        if without_mark(document.source) != text:  # it has waited: who asked is told that the text is another by now
            return []
        path = _path(document)
        porter = self._porter = self._porter or self._analyser.porter(self.language, self._site, unsafe=True)
        try:
            return [] if path.endswith(".md") or long_lines(text) else porter.repairs(text, path, first, last)
        except UnreadableSource:
            return []

    async def hover(self, document: TextDocument, line: int, column: int) -> tuple[str, Span] | None:
        """What to show at a place, and the span that it is about.

        While a new text waits for its analysis, places that the edit left as they were are answered by the one before.
        """
        text, known = without_mark(document.source), self._last.get(unquote(document.uri))
        if known is not None and known[0] != text and (before := place_before(known[0], text, line)) is not None:
            held = known[1].at(before, column)
            if held is None:
                return None
            span = held[0].span
            if span.line == span.end_line:
                moved = msgspec.structs.replace(span, line=line, end_line=line)
                return self._told(held, moved)
        held = (await self.analysis(document)).at(line, column)
        return self._told(held, held[0].span) if held is not None else None

    def _told(self, held: tuple[Reference, Judgement], span: Span) -> tuple[str, Span] | None:
        text = self._analyser.hover(*held, self.language)
        return (text, span) if text else None

    def shown(self, analysis: Analysis) -> list[Finding]:
        """The findings to show."""
        return analysis.report.findings if self.edge else analysis.report.everyday()

    def forget(self, uri: str) -> None:
        """Drop what is known of a document that was closed."""
        key = unquote(uri)
        self._drop(key)
        self._last.pop(key, None)
        if handle := self.waiting.pop(key, None):
            handle.cancel()


def make_server(index: Index, choices: Choices) -> LanguageServer:
    """Make the server. Raises ApidiffError for a choice that is not known."""
    editor = Editor(index, choices)
    # Whole texts, not changes: what an editor and pygls take for the end of a line may differ, and texts would drift apart.
    server = _Server(
        "apidiff",
        __version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Full,
        protocol_cls=_Protocol,
        converter_factory=_converter,
    )

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        folders = params.workspace_folders or []
        root = folders[0].uri if folders else params.root_uri
        try:
            editor.begin(to_fs_path(root) if root else params.root_path, params.initialization_options)
        except ApidiffError as error:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"apidiff: {error}"))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await _publish(server, editor, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri, loop = params.text_document.uri, asyncio.get_running_loop()
        if _open(server, uri) is None:
            return  # it would be waited for under each name that somebody makes up
        key = unquote(uri)
        if handle := editor.waiting.pop(key, None):
            handle.cancel()

        def publish() -> None:
            editor.waiting.pop(key, None)
            loop.create_task(_publish(server, editor, uri))

        editor.waiting[key] = loop.call_later(_PAUSE, publish)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await _publish(server, editor, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        editor.forget(uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    # Notebooks are not offered to be sent; some editors send them, and ask about their cells.
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_closed(params: types.DidCloseNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents:
            editor.forget(cell.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_changed(params: types.DidChangeNotebookDocumentParams) -> None:
        structure = params.change.cells.structure if params.change.cells else None
        for cell in (structure.did_close if structure else None) or []:
            editor.forget(cell.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = _open(server, params.text_document.uri)
        if document is None:
            return None
        lines = DocumentLines(document)
        shown = await editor.hover(document, *lines.place(params.position))
        _refuse_changed(server, document)
        if shown is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, shown[0])
        return types.Hover(content, lines.range(shown[1]))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = _open(server, params.text_document.uri)
        if document is None or (
            params.context.only and not any(kind in ("", "quickfix") for kind in params.context.only)
        ):
            return []
        analysis = await editor.analysis(document)
        lines = DocumentLines(document)
        first, last = lines.place(params.range.start), lines.place(params.range.end)
        del lines  # of each request that waits there would be a list of all lines
        repairs = await editor.repairs(document, first, last)
        _refuse_changed(server, document)
        text, lines = without_mark(document.source), DocumentLines(document)
        fixes = quick_fixes(repairs, text, first, last, editor.shown(analysis), editor.language)
        shown = by_place(params.context.diagnostics)
        return [action(document, lines, fix, shown) for fix in fixes]

    return server


def serve(index: Index, choices: Choices, stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve one editor until it ends the session or goes away.

    Returns the exit code that the protocol asks for: 1 where the session is left without a shutdown before it.

    Raises ApidiffError for a choice that is not known, OSError where the editor cannot be answered.
    """
    log_in_lines()
    gc.set_threshold(
        700, 10, 10
    )  # as Python has it: a message that fails is held by its own error until garbage is looked for
    logging.getLogger(JsonRPCProtocol.__module__).addFilter(_is_fault)
    answers = Answers(stdout)
    server = make_server(index, choices)
    server.start_io(GuardedInput(stdin, answers), answers)  # type: ignore[arg-type]
    if answers.fault:
        raise answers.fault
    return int(isinstance(server.protocol, _Protocol) and server.protocol.left_early)


def _is_fault(record: logging.LogRecord) -> bool:
    """Tells whether a record is for the log: that one typed on before an answer was there is not."""
    return not record.exc_info or not isinstance(record.exc_info[1], JsonRpcContentModified)


def _is_number(value: object) -> bool:
    """Tells whether an answer can name a request by ``value``, or has none to name it by."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | int | None) and not isinstance(value, bool)


def _is_address(uri: str) -> bool:
    """Tells whether an address can be taken apart; logs one that cannot."""
    try:
        to_fs_path(uri)
    except ValueError as error:
        _log.error("passed over, as it is no address: %s (%s)", ascii(uri[:_SHOWN]), str(error)[:_SHOWN])
        return False
    return True


def _is_path(path: str) -> bool:
    """Tells whether an address can be made of a path; logs one of which none can."""
    try:
        from_fs_path(path)
    except ValueError as error:
        _log.error("passed over, as it is no path: %s (%s)", ascii(path[:_SHOWN]), str(error)[:_SHOWN])
        return False
    return True


def _path(document: TextDocument) -> str:
    """What to call a document; its suffix says what it is."""
    path = to_fs_path(document.uri) or ""
    if document.language_id == "markdown":
        return f"{path}.md"
    if document.uri.startswith("file:") and path.endswith((".py", ".pyi", ".pyw")):
        return path
    return SNIPPET  # a notebook's cell, whose imports stand in another, or a text that lies in no file


def _open(server: LanguageServer, uri: str) -> TextDocument | None:
    """The document as it is now, text and version, if the editor has it open: no file is read that an editor names.

    It stays so while answers are awaited and the editor changes the text.
    """
    documents: dict[str, TextDocument] = server.workspace.text_documents
    document = documents.get(unquote(uri))  # as pygls names them
    return None if document is None else copy(document)


def _refuse_changed(server: LanguageServer, document: TextDocument) -> None:
    """Raises JsonRpcContentModified where a document changed while its answer was awaited: places in it may be others now."""
    now = _open(server, document.uri)
    if now is None or (now.version, now.source) != (document.version, document.source):
        raise JsonRpcContentModified


async def _publish(server: LanguageServer, editor: Editor, uri: str) -> None:
    document = _open(server, uri)
    if document is None:
        return
    try:
        analysis = await editor.analysis(document)
        _refuse_changed(server, document)
    except JsonRpcContentModified:
        return  # typed on meanwhile: another analysis is on its way
    lines = DocumentLines(document)
    findings = sorted(editor.shown(analysis), key=lambda finding: (finding.line, finding.column))
    diagnostics = [diagnostic(finding, lines, editor.language) for finding in findings[:_MOST_DIAGNOSTICS]]
    if more := findings[_MOST_DIAGNOSTICS:]:
        diagnostics.append(left_out(more, lines, editor.language))
    diagnostics += [
        passed_over(problem, editor.language)
        for problem in analysis.report.problems
        if problem.code in {"long_line", "long_name", "many_steps"} and problem.cell is None
    ]
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, document.version))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
