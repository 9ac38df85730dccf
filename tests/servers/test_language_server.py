"""`apidiff lsp` as editors use it: a client over stdio."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client

SERVER = [sys.executable, "-m", "apidiff", "lsp", "--stdio"]
CODE = "import torch\nx = torch.eye(3)\nx.tanh()\ny = torch.mean(x, -1)\n"
URI = "file:///project/model.py"
pytestmark = pytest.mark.asyncio(loop_scope="module")


def of(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri)


def at(line: int, character: int) -> types.Position:
    return types.Position(line, character)


@pytest_lsp.fixture(scope="module", loop_scope="module", params=["en", "zh"], config=ClientServerConfig(SERVER))
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest) -> AsyncIterator[None]:
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16])
    )
    options = {"language": request.param, "mindspore": "2.10", "device": "cpu", "unknown": [1]}
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, initialization_options=options)
    )
    lsp_client.chosen = request.param
    yield
    await lsp_client.shutdown_session()


async def opened(client: LanguageClient, text: str, uri: str = URI, language: str = "python") -> list[types.Diagnostic]:
    document = types.TextDocumentItem(uri, language, 1, text)
    client.diagnostics.pop(uri, None)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return list(client.diagnostics[uri])


async def closed(client: LanguageClient, uri: str = URI) -> None:
    client.text_document_did_close(types.DidCloseTextDocumentParams(of(uri)))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert not client.diagnostics[uri]


async def test_findings_are_shown_and_gone_when_closed(client: LanguageClient) -> None:
    told = await opened(client, CODE)
    found = next(one for one in told if one.range.start.line == 2)
    assert (found.code, found.source, found.range) == ("AD101", "apidiff", types.Range(at(2, 0), at(2, 6)))
    assert found.code_description.href.startswith("https://")
    assert found.message.startswith(
        {"en": "torch.Tensor.tanh → mindspore.Tensor.tanh: ", "zh": "torch.Tensor.tanh → mindspore.Tensor.tanh："}[
            client.chosen
        ]
    )
    await closed(client)


async def test_a_half_typed_line_hides_only_itself(client: LanguageClient) -> None:
    await opened(client, CODE)
    typed = CODE.replace("y = torch.mean(x, -1)", "y = torch.mean(x.")
    changed = types.TextDocumentContentChangeWholeDocument(text=f"# é😀\n{typed}")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, URI), [changed])
    )
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert "AD101" in {one.code for one in client.diagnostics[URI] if one.range.start.line == 3}
    await closed(client)


PASSED_OVER = {
    "en": "model.py:3: longer than 100,000 characters; passed over",
    "zh": "model.py:3：超过 100,000 个字符，已跳过",
}


@pytest.mark.parametrize("code", ["s = '{half}'; {code}", "{code}  # {half}", "{half} = 1\n{code}"])
async def test_half_of_a_character_hides_nothing_else(client: LanguageClient, code: str) -> None:
    text = "import torch\nx = torch.eye(3)\n" + code.format(half="\ud83d", code="x.tanh()") + "\n"
    told = await opened(client, text)
    line, column = next(
        (number, line.index("x.tanh")) for number, line in enumerate(text.split("\n")) if "x.tanh" in line
    )
    place = types.Range(at(line, column), at(line, column + 6))
    assert "AD101" in [one.code for one in told if one.range == place]
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), at(line, column + 3)))
    assert shown is not None
    assert shown.range == place
    asked = types.CodeActionParams(of(URI), place, types.CodeActionContext(told))
    await client.text_document_code_action_async(asked)  # which is answered
    await closed(client)


@pytest.mark.parametrize("line", ["y = " + "1+" * 2_500_000 + "1", "y = '" + "a" * 5_000_000, "(" * 5_000_000])
async def test_a_line_of_five_megabytes_is_passed_over(client: LanguageClient, line: str) -> None:
    """Python's parser would take half a minute for the first; the lines around it are told, and hover answers."""
    told = await opened(client, CODE.replace("x.tanh()\n", f"{line}\nx.tanh()\n"))
    [long] = [one for one in told if one.code is None]
    assert (long.message, long.range) == (PASSED_OVER[client.chosen], types.Range(at(2, 0), at(2, 0)))
    assert "AD101" in {one.code for one in told if one.range.start.line == 3}
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), at(1, 7)))
    assert "mindspore.mint.eye" in shown.contents.value
    context = types.CodeActionContext([])
    place = types.Range(at(3, 0), at(3, 3))
    assert not [
        fix
        for fix in await client.text_document_code_action_async(types.CodeActionParams(of(URI), place, context)) or []
        if fix.is_preferred
    ]
    await closed(client)


LONG_NAME = {
    "en": "model.py:1: holds a name of more than 1,000 characters; passed over",
    "zh": "model.py:1：含有超过 1,000 个字符的名称，已跳过",
}


async def test_a_document_with_a_name_too_long_is_passed_over(client: LanguageClient) -> None:
    [told] = await opened(client, f"class {'a' * 1_000}: ...\n{CODE}")
    assert (told.message, told.range) == (LONG_NAME[client.chosen], types.Range(at(0, 0), at(0, 0)))
    await closed(client)


WORDS = {
    "en": ("mindspore.mint.eye", "Runs on", "**verified**"),
    "zh": ("mindspore.mint.eye", "适用平台", "**已验证**"),
}


async def test_hover_answers_in_ten_seconds(client: LanguageClient) -> None:
    await opened(client, CODE)
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), at(1, 7)))
    assert all(word in shown.contents.value for word in WORDS[client.chosen]), shown.contents.value
    assert shown.range == types.Range(at(1, 4), at(1, 13))
    for place in (at(3, 0), at(90, 3), at(0, 900)):
        assert await client.text_document_hover_async(types.HoverParams(of(URI), place)) is None
    assert await client.text_document_hover_async(types.HoverParams(of("file:///etc/hostname"), at(0, 0))) is None
    await closed(client)


async def typed(client: LanguageClient, version: int, text: str) -> None:
    change = types.TextDocumentContentChangeWholeDocument(text=text)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, URI), [change])
    )


async def test_hover_right_after_a_keystroke_is_about_the_new_text(client: LanguageClient) -> None:
    await opened(client, CODE)
    await typed(client, 2, CODE.replace("x.tanh()", "x.tanh()  # one\n# two"))
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), at(4, 11)))
    assert "torch.mean" in shown.contents.value
    assert shown.range == types.Range(at(4, 4), at(4, 14))
    await typed(client, 3, CODE.replace("torch.mean(x, -1)", "torch.sum(x, -1)"))
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), at(3, 11)))
    assert "torch.sum" in shown.contents.value
    await typed(client, 4, CODE.replace("import torch", "import numpy as torch"))
    assert await client.text_document_hover_async(types.HoverParams(of(URI), at(1, 7))) is None
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    await closed(client)


async def test_columns_count_in_the_units_of_the_editor(client: LanguageClient) -> None:
    text = "import torch\ns = '😀é'; torch.eye(3).tanh()\f\n"
    found = next(one for one in await opened(client, text) if one.code == "AD101")
    line = text.split("\n")[1].encode("utf-16-le")
    assert line[2 * found.range.start.character : 2 * found.range.end.character].decode("utf-16-le") == "tanh"
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), found.range.start))
    assert "torch.Tensor.tanh" in shown.contents.value
    await closed(client)


def applied(text: str, action: types.CodeAction) -> str:
    """The text after an edit of lines of ASCII."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    edits = [edit for change in action.edit.document_changes for edit in change.edits]
    for edit in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        first, last = edit.range.start, edit.range.end
        text = text[: starts[first.line] + first.character] + edit.new_text + text[starts[last.line] + last.character :]
    return text


async def fixes(client: LanguageClient, line: int, character: int) -> list[types.CodeAction]:
    place = types.Range(at(line, character), at(line, character))
    context = types.CodeActionContext(client.diagnostics[URI], only=[types.CodeActionKind.QuickFix])
    return await client.text_document_code_action_async(types.CodeActionParams(of(URI), place, context))


async def test_a_verified_edit_is_preferred(client: LanguageClient) -> None:
    await opened(client, CODE)
    found = [fix for fix in await fixes(client, 1, 10) if fix.is_preferred]
    assert [applied(CODE, fix) for fix in found] == [
        CODE.replace("import torch\n", "import torch\nfrom mindspore import mint\n").replace("torch.eye", "mint.eye")
    ]
    assert not [fix for fix in await fixes(client, 2, 3) if fix.is_preferred]  # it differs
    await closed(client)


async def test_an_edit_with_conditions_says_so(client: LanguageClient) -> None:
    text = "import torch.nn.functional as F\ny = F.silu(x, inplace=flag)\n"
    await opened(client, text)
    found = [fix for fix in await fixes(client, 1, 8) if "silu" in fix.title]
    assert found
    assert all({"en": "(unsafe: ", "zh": "（有条件："}[client.chosen] in fix.title for fix in found)
    assert not any(fix.is_preferred for fix in found)
    assert "# apidiff unsafe: torch.nn.functional.silu" in applied(text, found[0])
    await closed(client)


async def test_a_second_beginning_takes_no_document_away(client: LanguageClient) -> None:
    await opened(client, CODE)
    with pytest.raises(JsonRpcException, match="Invalid Request"):
        await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), at(2, 3)))
    assert shown is not None
    await closed(client)


MARKED = [
    ("import torch\nx = torch.eye(3)\n", "from mindspore import mint\nx = mint.eye(3)\n"),
    ("import torch; x = torch.eye(3)\n", "from mindspore import mint; x = mint.eye(3)\n"),
]


@pytest.mark.parametrize(("lines", "ported"), MARKED)
async def test_a_byte_order_mark_stays_and_is_no_code(client: LanguageClient, lines: str, ported: str) -> None:
    await opened(client, text := f"\ufeff{lines}")
    line, column = next((number, line.index("eye")) for number, line in enumerate(text.split("\n")) if "eye" in line)
    shown = await client.text_document_hover_async(types.HoverParams(of(URI), at(line, column)))
    assert shown is not None
    assert shown.range.end == at(line, column + 3)
    [found] = [fix for fix in await fixes(client, line, column) if fix.is_preferred]
    assert applied(text, found) == f"\ufeff{ported}"
    await closed(client)


async def test_a_finding_can_be_passed_over(client: LanguageClient) -> None:
    await opened(client, CODE)
    found = next(fix for fix in await fixes(client, 2, 3) if "AD101" in fix.title)
    assert {one.code for one in found.diagnostics} == {"AD101"}
    text = applied(CODE, found)
    assert text == CODE.replace("x.tanh()", "x.tanh()  # apidiff: ignore[AD101]")
    await closed(client)
    assert "AD101" not in {one.code for one in await opened(client, text)}
    again = next(iter(await fixes(client, 2, 3)), None)
    assert again is None or ", AD" in applied(text, again)
    await closed(client)


async def test_each_edit_settles_what_is_told_in_its_place(client: LanguageClient) -> None:
    """An editor asks for the whole text, with all that it shows."""
    text = "import torch\nx = torch.ones(3)\n" + "x.tanh(); x.tanh()\n" * 300
    shown = await opened(client, text)
    params = types.CodeActionParams(of(URI), types.Range(at(0, 0), at(302, 0)), types.CodeActionContext(shown))
    found = await client.text_document_code_action_async(params)
    assert len(found) <= 40
    for fix in found:
        edited = {edit.range.start.line for change in fix.edit.document_changes for edit in change.edits}
        assert fix.diagnostics is None or {one.range.start.line for one in fix.diagnostics} <= edited
    passed_over = [fix for fix in found if "AD101" in fix.title]
    assert [len(fix.diagnostics) for fix in passed_over] == [2] * 10
    await closed(client)


OTHERS: list[tuple[str, str, str, bool]] = [
    ("file:///a%20b/%E4%BD%A0%E5%A5%BD.py", "python", "import torch\ntorch.eye(2).tanh()", True),
    ("file:///c%3A/a.py", "python", "import torch\ntorch.eye(2).tanh()", True),
    ("file:///a/%2520.py", "python", "import torch\ntorch.eye(2).tanh()", True),
    ("file:///a b/你好.py", "python", "import torch\ntorch.eye(2).tanh()", True),
    ("vscode-notebook-cell:/a.ipynb#W1", "python", "F.gelu(torch.eye(2).tanh())", True),
    ("untitled:Untitled-1", "python", "import torch\ntorch.eye(2).tanh()", True),
    ("file:///a/README.md", "markdown", "```python\nimport torch\ntorch.eye(2).tanh()\n```\n", True),
    ("file:///a/old.py", "python", "print 'x'\n" * 30, False),
    ("file:///a/zero.py", "python", "\0", False),
    ("file:///a/deep.py", "python", "(" * 5000, False),
    ("file:///a/empty.py", "python", "", False),
]


@pytest.mark.parametrize(("uri", "language", "text", "is_found"), OTHERS, ids=[row[0] for row in OTHERS])
async def test_other_documents(client: LanguageClient, uri: str, language: str, text: str, is_found: bool) -> None:
    assert ("AD101" in {one.code for one in await opened(client, text, uri, language)}) is is_found
    await closed(client, uri)


def message(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def request(number: int, method: str, params: object) -> bytes:
    return message(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())


BEGIN = request(1, "initialize", {"capabilities": {}, "processId": None, "rootUri": None})
# Messages, and the IDs of requests in them, which are answered with an error.
STRANGE: list[tuple[str, bytes, list[int | None]]] = [
    ("no JSON", message(b"{nonsense"), [None]),
    ("no object", message(b"[1, 2]") + message(b"7") + message(b"null"), [None]),
    ("no method", message(b'{"jsonrpc": "2.0"}'), []),
    ("a later protocol", message(b'{"jsonrpc": "9", "id": 5, "method": "shutdown"}'), []),
    ("an unknown request", request(7, "no/such", {}), [7]),
    ("a request without its parameters", request(8, "textDocument/hover", {}), [8]),
    ("parameters of other types", request(9, "textDocument/hover", {"textDocument": 3, "position": "x"}), [9]),
    ("a change of what is not open", message(b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":{}}'), []),
    ("bytes that are no UTF-8", message(b"\xff\xfe\x00"), [None]),
    ("a size that is no number", b"Content-Length: many\r\n\r\n", []),
    ("a size beyond all", b"Content-Length: 99999999999999999\r\n\r\n", []),
    ("a size behind many blanks", b"Content-Length:" + b" " * 25 + b"99999999999\r\n\r\n", []),
    ("a size behind many zeros", b"Content-Length: " + b"0" * 25 + b"99999999999\r\n\r\n", []),
    ("a size of thousands of zeros", b"Content-Length: " + b"0" * 5000 + b"2\r\n\r\n{}", []),
    ("a negative size", b"Content-Length: -4\r\n\r\n", []),
    ("lines before a header", b"hello\r\n\r\n\r\n", []),
    ("deeply nested JSON", message(b"[" * 100_000), [None]),
    ("an answer to nothing", message(b'{"jsonrpc":"2.0","id":77,"result":null}'), []),
]


async def answered(sent: bytes) -> tuple[dict[int | None, dict[str, object]], subprocess.CompletedProcess[bytes]]:
    """The answers to what is sent before the session is ended, by the IDs of the requests, and how the server ended."""
    sent += request(101, "shutdown", None) + message(b'{"jsonrpc": "2.0", "method": "exit"}')
    done = await asyncio.to_thread(subprocess.run, SERVER, input=sent, capture_output=True, timeout=600, check=False)
    answers = {}
    rest = done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        size = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        told = json.loads(rest[:size])
        rest = rest[size:]
        if "id" in told:
            answers[told["id"]] = told
    return answers, done


@pytest.mark.asyncio(loop_scope="function")
async def test_any_message_is_survived() -> None:
    sent = BEGIN + b"".join(content for _, content, _ in STRANGE)
    sent += request(100, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
    answers, done = await answered(sent)
    assert "capabilities" in answers[1]["result"]
    assert answers[100]["result"] is None
    assert 101 in answers
    wrong = {number for _, _, numbers in STRANGE for number in numbers}
    assert {number for number, answer in answers.items() if "error" in answer} == wrong
    assert done.returncode == 0, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert b"RecursionError" in done.stderr


EXIT = message(b'{"jsonrpc": "2.0", "method": "exit"}')
# How a session ends, and the exit code for that in the protocol.
ENDED = [
    ("left without a shutdown", EXIT, 1),
    ("shut down", request(2, "shutdown", None) + EXIT, 0),
    ("the editor went away", b"", 0),
]


@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize(("sent", "code"), [row[1:] for row in ENDED], ids=[row[0] for row in ENDED])
async def test_the_exit_code_is_that_of_the_protocol(sent: bytes, code: int) -> None:
    done = await asyncio.to_thread(
        subprocess.run, SERVER, input=BEGIN + sent, capture_output=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stderr.decode()
    assert not done.stderr


SHUTDOWN = {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}
# What no server has to do, and the IDs that it is answered by: none where it has none of its own.
INVALID: list[tuple[str, bytes, list[int | str | None]]] = [
    ("a list of requests", message(json.dumps([SHUTDOWN]).encode()), [None]),
    ("an empty list", message(b"[]"), [None]),
    ("no object", message(b"7"), [None]),
    ("an object that is no message", message(b'{"id": 2}'), [None]),
    *(
        (f"an ID that is {number}", message(f'{{"jsonrpc":"2.0","id":{number},"method":"{method}"}}'.encode()), [None])
        for number in ("NaN", "-Infinity", "1e999", "true", "[1]", '{"a": 1}')
        for method in ("shutdown", "no/such")
    ),
    *(
        (f"a method that is {method}", message(f'{{"jsonrpc":"2.0","id":"a","method":{method}}}'.encode()), ["a"])
        for method in ("null", "5", "true", "[]", "{}")
    ),
    ("a notification without a method's name", message(b'{"jsonrpc":"2.0","method":null}'), [None]),
    ("a method and an ID that are none", message(b'{"jsonrpc":"2.0","id":[1],"method":null}'), [None]),
    ("a session that is begun twice", BEGIN, [1]),
    ("requests behind the end", request(2, "shutdown", None) + request(3, "no/such", {}), [3, 101]),
    ("a notification behind the end", request(2, "shutdown", None) + message(b'{"jsonrpc":"2.0","method":"x"}'), [101]),
]


@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize(("sent", "numbers"), [row[1:] for row in INVALID], ids=[row[0] for row in INVALID])
async def test_an_invalid_request_is_told_to_be_one(sent: bytes, numbers: list[int | str | None]) -> None:
    answers, done = await answered(BEGIN + sent)
    refused = {number: answer["error"] for number, answer in answers.items() if "error" in answer}
    assert refused == {number: {"code": -32600, "message": "Invalid Request"} for number in numbers}
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


@pytest.mark.asyncio(loop_scope="function")
async def test_a_request_before_the_session_is_told_to_be_early() -> None:
    hover = request(5, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
    answers, done = await answered(hover + request(6, "no/such", {}) + BEGIN)
    early = {"code": -32002, "message": "ServerNotInitialized"}
    assert [answers[number].get("error") for number in (5, 6, 1, 101)] == [early, early, None, None]
    assert done.returncode == 0


@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize("body", [b"{nonsense", b"\xff\xfe\x00", b"[" * 100_000, b'{"id": ' + b"1" * 5000 + b"}"])
async def test_a_message_that_is_no_json_is_told_to_be_none(body: bytes) -> None:
    answers, done = await answered(BEGIN + message(body))
    assert answers[None]["error"] == {"code": -32700, "message": "Parse Error"}
    assert "error" not in answers[101]
    assert done.returncode == 0


NO_ADDRESS = "file://[::1/x"
# What an editor begins with, and what the log says of it.
ROOTS: list[tuple[dict[str, object], list[str]]] = [
    ({"rootUri": NO_ADDRESS}, ["'file://[::1/x' (Invalid IPv6 URL)"]),
    ({"rootUri": f"file://{chr(0xFF03) * 9999}/x"}, ["'file://\\uff03\\uff03"]),
    ({"rootUri": None, "rootPath": "//x"}, ["'//x' (substring not found)"]),
    ({"rootUri": "file:///" + "x" * 5000}, []),
    ({"rootUri": "file:///a%00b"}, []),
    (
        {"rootUri": None, "workspaceFolders": [{"uri": NO_ADDRESS, "name": "a"}, {"uri": "file:///", "name": "b"}]},
        ["::1"],
    ),
]


@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize(("begins", "logged"), ROOTS, ids=[str(begins)[:50] for begins, _ in ROOTS])
async def test_addresses_that_are_none_are_passed_over(begins: dict[str, object], logged: list[str]) -> None:
    document = {"uri": NO_ADDRESS, "languageId": "python", "version": 1, "text": CODE}
    opened = json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    sent = request(1, "initialize", {"capabilities": {}, "processId": None} | begins) + message(opened.encode())
    place = {"textDocument": {"uri": NO_ADDRESS}, "position": {"line": 1, "character": 7}}
    answers, done = await answered(sent + request(2, "textDocument/hover", place))
    assert "capabilities" in answers[1]["result"]
    assert answers[2]["result"] is None
    lines = done.stderr.decode().splitlines()
    assert len(lines) == len(logged) + 1, lines
    for line, part in zip(lines, [*logged, "'file://[::1/x' (Invalid IPv6 URL)"], strict=True):
        assert line.startswith("apidiff: passed over, as it is no ")
        assert part in line
        assert len(line) < 700
    assert done.returncode == 0


# A setting of the project, the address that the environment names, and what the editor is told.
BROKEN_SETTINGS = [
    ('mindspore = "9.9"', "", "9.9"),
    ("mindspore = 2", "", "pyproject.toml: [tool.apidiff.scan]: "),
    ('site = "http://[::1/"', "", "'http://[::1/' is no address of a site."),
    ("edge = true", "x", "'x' is no address of a site."),
]


@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize(("setting", "site", "told"), BROKEN_SETTINGS, ids=[row[0] for row in BROKEN_SETTINGS])
async def test_a_broken_setting_is_told_once_and_edits_are_offered(
    setting: str, site: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.apidiff.scan]\n{setting}\n")
    monkeypatch.setenv("APIDIFF_SITE_URL", site)
    client = make_test_lsp_client()
    await client.start_io(*SERVER)
    try:
        await client.initialize_session(
            types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=tmp_path.as_uri())
        )
        await opened(client, CODE)
        asked = types.CodeActionParams(of(URI), types.Range(at(1, 4), at(1, 4)), types.CodeActionContext([]))
        for _ in range(2):
            assert any(fix.is_preferred for fix in await client.text_document_code_action_async(asked) or [])
        [said] = client.messages
        assert said.type == types.MessageType.Warning
        assert said.message.startswith("apidiff: ")
        assert told in said.message
    finally:
        await client.shutdown_session()
        await client.stop()


@pytest.mark.asyncio(loop_scope="function")
async def test_no_answer_holds_a_traceback() -> None:
    """Nothing is open before the session begins."""
    place = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 7}}
    answers, _ = await answered(request(2, "textDocument/hover", place) + BEGIN)
    assert answers[2]["error"].keys() <= {"code", "message", "data"}
    assert answers[2]["error"].get("data") is None
    assert "capabilities" in answers[1]["result"]


# Where the answers go, how the server ends, what it says.
UNHEARD = [
    (
        "/dev/full",
        2,
        "apidiff: The output cannot be written (No space left on device). Make room, or send it elsewhere.\n",
    ),
    ("nobody", 141, ""),
]


@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize(("place", "code", "said"), UNHEARD)
async def test_answers_that_nobody_gets(place: str, code: int, said: str) -> None:
    """The server ends at the next message, though its input goes on."""
    if place == "nobody":
        read, answers = os.pipe()
        os.close(read)
    else:
        answers = os.open(place, os.O_WRONLY)
    hover = request(2, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=answers, stderr=subprocess.PIPE) as process:
        os.close(answers)
        assert process.stdin is not None
        assert process.stderr is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(BEGIN + hover * 2000)
            process.stdin.flush()
        assert await asyncio.to_thread(process.wait, 300) == code
        assert process.stderr.read().decode() == said
