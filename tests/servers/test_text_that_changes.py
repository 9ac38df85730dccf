"""A document that changes while an answer about it is awaited: none is about two texts, or about the former as the new one."""

from __future__ import annotations

import asyncio
import logging
from threading import Event

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.workspace import Workspace

from apidiff.lookup.cache import open_index
from apidiff.model.base import Language
from apidiff.servers import language_server
from apidiff.servers.analyser import Analyser, Analysis
from apidiff.servers.language_server import Choices, _is_fault, make_server

URI = "file:///project/model.py"
CODE = "import torch\nx = torch.eye(3)\nx.tanh()\n"
MOVED = f"# a\nprint('precious')\n{CODE}"
OF = types.TextDocumentIdentifier(URI)
ALL = types.Range(types.Position(0, 0), types.Position(3, 0))
HOVER = types.HoverParams(OF, types.Position(1, 7))
EDITS = types.CodeActionParams(OF, ALL, types.CodeActionContext([]))
pytestmark = pytest.mark.asyncio


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> LanguageServer:
    """A server that has a document open."""
    made = make_server(open_index(), Choices(mindspore="2.10"))
    workspace = Workspace(None)
    workspace.put_text_document(types.TextDocumentItem(URI, "python", 1, CODE))
    monkeypatch.setattr(made.protocol, "_workspace", workspace)
    return made


async def answer(server: LanguageServer, method: str, params: object, *texts: str) -> object:
    """What a request is answered with, when each of ``texts`` comes as soon as the answer is awaited once more."""
    asked = asyncio.ensure_future(server.protocol.fm.features[method](params))
    for version, text in enumerate(texts, 2):
        await asyncio.sleep(0)
        document = types.VersionedTextDocumentIdentifier(version, URI)
        server.workspace.update_text_document(document, types.TextDocumentContentChangeWholeDocument(text))
    return await asked


@pytest.mark.parametrize(("method", "params"), [("hover", HOVER), ("codeAction", EDITS)])
@pytest.mark.parametrize("text", ["", MOVED, CODE])
async def test_an_answer_about_a_former_text_is_refused(
    server: LanguageServer, method: str, params: object, text: str
) -> None:
    with pytest.raises(JsonRpcContentModified) as raised:
        await answer(server, f"textDocument/{method}", params, f"{text}# new", text)
    assert raised.value.code == types.LSPErrorCodes.ContentModified
    assert text != CODE or await answer(server, f"textDocument/{method}", params)


@pytest.mark.parametrize(("texts", "told"), [([], [(1, 2)]), ([MOVED], []), ([MOVED, CODE], [])])
async def test_findings_are_published_for_the_version_that_has_them(
    server: LanguageServer, texts: list[str], told: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[types.PublishDiagnosticsParams] = []
    monkeypatch.setattr(server, "text_document_publish_diagnostics", published.append)
    await answer(server, "textDocument/didSave", types.DidSaveTextDocumentParams(OF), *texts)
    assert [(one.version, len(one.diagnostics)) for one in published] == told


@pytest.mark.parametrize(
    ("language", "last"),
    [("en", "From here on {} more findings are not shown"), ("zh", "自此处起还有 {} 处差异未显示")],
)
async def test_an_editor_is_sent_the_first_findings_and_how_many_more_there_are(
    monkeypatch: pytest.MonkeyPatch, language: Language, last: str
) -> None:
    """Those of 480 kB of code were 321 MB in one message."""
    server = make_server(open_index(), Choices(language, "2.10"))
    workspace = Workspace(None)
    text = "import torch\nx = torch.eye(3)\ndef f():\n    x.tanh()\n" + "x.tanh()\n" * 4
    workspace.put_text_document(types.TextDocumentItem(URI, "python", 1, text))
    monkeypatch.setattr(server.protocol, "_workspace", workspace)
    published: list[types.PublishDiagnosticsParams] = []
    monkeypatch.setattr(server, "text_document_publish_diagnostics", published.append)
    for most in (1_000, 3):
        monkeypatch.setattr(language_server, "_MOST_DIAGNOSTICS", most)
        await answer(server, "textDocument/didSave", types.DidSaveTextDocumentParams(OF))
    every, first = (one.diagnostics for one in published)
    assert first[:-1] == every[:3]
    assert first[-1].range == every[3].range
    assert first[-1].message.startswith(last.format(len(every) - 3))
    assert [one.range.start.line for one in every] == sorted(one.range.start.line for one in every)


@pytest.mark.parametrize(("error", "told"), [(JsonRpcContentModified(), False), (JsonRpcInternalError(), True)])
async def test_that_one_typed_on_is_no_fault_in_the_log(error: Exception, told: bool) -> None:
    record = logging.LogRecord("pygls", logging.ERROR, "", 1, "", (), (type(error), error, None))
    assert _is_fault(record) == told


async def test_one_analysis_waits_however_many_keys_were_pressed(
    server: LanguageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the texts that come while one is analysed, the newest alone is analysed after it; who asked before is told so."""
    analyse, begun, goes_on = Analyser.analyse, [], Event()

    def waits(analyser: Analyser, text: str, path: str, **options: bool) -> Analysis:
        begun.append(text)
        goes_on.wait(60)
        return analyse(analyser, text, path, **options)

    monkeypatch.setattr(Analyser, "analyse", waits)
    asked = []
    for version in range(2, 12):
        document = types.VersionedTextDocumentIdentifier(version, URI)
        change = types.TextDocumentContentChangeWholeDocument(f"{CODE}# {version}\n")
        server.workspace.update_text_document(document, change)
        asked.append(asyncio.ensure_future(server.protocol.fm.features["textDocument/hover"](HOVER)))
        while not begun:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)
    while not all(one.done() for one in asked[:-1]):  # until the newest has taken those before it from the queue
        await asyncio.sleep(0.01)
    goes_on.set()
    *before, last = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(one, JsonRpcContentModified) for one in before)
    assert isinstance(last, types.Hover)
    assert begun == [f"{CODE}# 2\n", f"{CODE}# 11\n"]
