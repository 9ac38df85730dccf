"""What the editor's server keeps of messages and documents: nothing of those that are done with."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
import weakref

import psutil
import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import Workspace

from apidiff.lookup.cache import open_index
from apidiff.servers import language_server
from apidiff.servers.analyser import Analyser, Analysis
from apidiff.servers.language_server import Choices, make_server

CODE = "import torch\nx = torch.eye(3)\n"
NOTEBOOK = "file:///project/notebook.ipynb"
CELLS = ["vscode-notebook-cell:/project/notebook.ipynb#1", "vscode-notebook-cell:/project/notebook.ipynb#2"]
pytestmark = pytest.mark.asyncio


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> LanguageServer:
    """A server that is in a session with an editor."""
    made = make_server(open_index(), Choices(mindspore="2.10"))
    monkeypatch.setattr(made.protocol, "_workspace", Workspace(None))
    return made


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were analysed: what is kept of one is not made again."""
    texts: list[str] = []
    analyse = Analyser.analyse

    def watched(analyser: Analyser, text: str, path: str, *, half_typed: bool) -> Analysis:
        texts.append(text)
        return analyse(analyser, text, path, half_typed=half_typed)

    monkeypatch.setattr(Analyser, "analyse", watched)
    return texts


async def send(server: LanguageServer, method: str, params: object) -> None:
    """Send a notification, and let what it causes be done: an analysis takes a while."""
    server.protocol._handle_notification(method, params)
    async with asyncio.timeout(300):
        while not all(future.done() for future in server.protocol._request_futures.values()):
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.01)  # in which what is done is forgotten


@pytest.mark.parametrize("uri", ["file:///project/never_opened.py", "file:///project/model.py"])
async def test_a_change_is_not_kept_once_it_is_handled(server: LanguageServer, uri: str) -> None:
    """pygls keeps what came of it; where the document was never opened, its text too: 14,000 of 100 kB took 1.5 GB."""
    opened = types.DidOpenTextDocumentParams(types.TextDocumentItem("file:///project/model.py", "python", 1, CODE))
    await send(server, types.TEXT_DOCUMENT_DID_OPEN, opened)
    change = types.DidChangeTextDocumentParams(
        types.VersionedTextDocumentIdentifier(2, uri), [types.TextDocumentContentChangeWholeDocument(CODE)]
    )
    held = weakref.ref(change)
    await send(server, types.TEXT_DOCUMENT_DID_CHANGE, change)
    del change
    gc.collect()
    assert held() is None
    assert server.protocol._request_futures == {}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        (
            types.NOTEBOOK_DOCUMENT_DID_CLOSE,
            types.DidCloseNotebookDocumentParams(
                types.NotebookDocumentIdentifier(NOTEBOOK), [types.TextDocumentIdentifier(uri) for uri in CELLS]
            ),
        ),
        (
            types.NOTEBOOK_DOCUMENT_DID_CHANGE,
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(2, NOTEBOOK),
                types.NotebookDocumentChangeEvent(
                    cells=types.NotebookDocumentCellChanges(
                        structure=types.NotebookDocumentCellChangeStructure(
                            types.NotebookCellArrayChange(0, 2, []),
                            did_close=[types.TextDocumentIdentifier(uri) for uri in CELLS],
                        )
                    )
                ),
            ),
        ),
    ],
    ids=["closed", "taken out"],
)
async def test_cells_that_are_gone_are_forgotten(
    server: LanguageServer, analysed: list[str], method: str, params: object
) -> None:
    """Each of 20 notebooks of 60 cells, opened and closed, left 9 MB behind; what is kept is not analysed again."""

    async def ask() -> None:
        cells = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in CELLS]
        documents = [types.TextDocumentItem(uri, "python", 1, f"{CODE}# {uri}\n") for uri in CELLS]
        notebook = types.NotebookDocument(NOTEBOOK, "jupyter-notebook", 1, cells)
        opened = types.DidOpenNotebookDocumentParams(notebook, documents)
        await send(server, types.NOTEBOOK_DOCUMENT_DID_OPEN, opened)
        for uri in CELLS:
            asked = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(1, 10))
            assert await server.protocol.fm.features[types.TEXT_DOCUMENT_HOVER](asked)

    await ask()
    await ask()
    assert len(analysed) == len(CELLS)
    await send(server, method, params)
    await ask()
    assert len(analysed) == 2 * len(CELLS)


@pytest.mark.parametrize(
    ("is_open", "pause", "waits"), [(True, 3600.0, True), (True, 0.0, False), (False, 3600.0, False)]
)
async def test_a_change_is_waited_for_once_and_only_where_the_document_is_open(
    server: LanguageServer, monkeypatch: pytest.MonkeyPatch, is_open: bool, pause: float, waits: bool
) -> None:
    """A timer stayed under each address: 1,000 of 900 kB, of nothing that was open, took 0.9 GB."""
    uri = f"file:///project/waited_for_{is_open}_{pause}.py"  # earlier servers may hold theirs still
    monkeypatch.setattr(language_server, "_PAUSE", pause)
    if is_open:
        server.workspace.put_text_document(types.TextDocumentItem(uri, "python", 1, CODE))
    change = types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [])
    await send(server, types.TEXT_DOCUMENT_DID_CHANGE, change)
    assert waiting(uri) is waits


def waiting(uri: str) -> bool:
    """Whether a timer is kept under an address."""
    tables = [one for one in gc.get_objects() if type(one) is dict]
    return any(isinstance(table.get(uri), asyncio.TimerHandle) for table in tables)


async def test_a_document_is_closed_by_another_spelling(server: LanguageServer, analysed: list[str]) -> None:
    """pygls knows it by both; what was known of it stayed, 4 MB for each of 100 kB."""
    for _ in range(2):
        document = types.TextDocumentItem("file:///project/a%20b.py", "python", 1, CODE)
        await send(server, types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(document))
        asked = types.HoverParams(types.TextDocumentIdentifier("file:///project/a b.py"), types.Position(1, 10))
        assert await server.protocol.fm.features[types.TEXT_DOCUMENT_HOVER](asked)
        closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///project/a b.py"))
        server.protocol._workspace.remove_text_document(closed.text_document.uri)
        server.protocol.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](closed)
    assert len(analysed) == 2


async def test_a_message_that_fails_is_forgotten() -> None:
    """Its error held it until garbage was looked for, which was put off: 300 of 300 kB took 175 MB, and so on."""
    client = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "apidiff", "lsp", "--stdio"],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert client.stdin is not None
    assert client.stdout is not None

    async def ask(number: int, method: str, params: object) -> None:
        assert client.stdin is not None
        assert client.stdout is not None
        text = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        client.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        await client.stdin.drain()
        head = await client.stdout.readuntil(b"\r\n\r\n")
        await client.stdout.readexactly(int(re.search(rb"Content-Length: (\d+)", head)[1]))  # type: ignore[index]

    try:
        await ask(0, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        sizes = []
        for number in range(1, 401):
            await ask(number, "workspace/executeCommand", {"command": f"{number}{'a' * 300_000}"})
            if number in (100, 400):
                sizes.append(psutil.Process(client.pid).memory_info().rss)
        assert sizes[1] - sizes[0] < 60 * 2**20
    finally:
        client.kill()
        await client.wait()
