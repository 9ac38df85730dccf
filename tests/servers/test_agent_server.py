"""`apidiff mcp` as agents use it: the official client over stdio."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import anyio
import msgspec
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from apidiff.lookup import cache
from apidiff.lookup.answer import Found, SearchResult
from apidiff.lookup.cache import open_index
from apidiff.lookup.index import Index
from apidiff.lookup.search import Searcher
from apidiff.model.base import Text
from apidiff.servers import agent_server
from apidiff.servers.agent_server import Agent, make_server

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "apidiff", "mcp"], env=dict(os.environ))
QUESTIONS = Path(__file__).with_name("aliased_questions.csv")
LONGEST = 2500  # characters of the answer of a name
pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def session() -> AsyncIterator[ClientSession]:
    async with stdio_client(SERVER) as (read, write), ClientSession(read, write) as client:
        await client.initialize()
        yield client


async def told(client: ClientSession, tool: str, **arguments: object) -> str:
    """What a tool answers; with ``!`` before it where that is an error."""
    result = await client.call_tool(tool, arguments)
    assert [part.type for part in result.content] == ["text"]
    return ("!" if result.isError else "") + result.content[0].text


async def test_aliased_questions_are_answered_rightly() -> None:
    with QUESTIONS.open(newline="") as content:
        rows = [(row["question"], row["source"]) for row in csv.DictReader(content)]
    assert len(rows) >= 200
    wrong, long = [], []
    async with session() as client:
        for question, source in rows:
            answer = await told(client, "lookup", name=question)
            if not answer.startswith((f"**{source}** → ", f"**{source}**\n")):
                wrong.append((question, answer[:80]))
            if len(answer) > LONGEST:
                long.append((question, len(answer)))
    assert not wrong
    assert not long


CODE = "x = torch.eye(3)\nx.tanh()\nF.no_such(x)\ny = torch.mean(F.relu(x), -1)\n"
RUN = "torch-2.13.0/gloo-cpu-2-9496c9c37b28"
# A tool, what it is given, and what stands in the answer.
ASKED: list[tuple[str, dict[str, object], list[str]]] = [
    ("lookup", {"name": "dist.all_reduce", "mindspore": "2.9"}, ["On MindSpore 2.9.0", "mindspore-2.9.0/mccl-cpu-"]),
    (
        "lookup",
        {"name": "x.view", "language": "zh"},
        ["MindSpore 2.10.0：推荐", "运行记录：", "torch-2.13.0/single-cpu-"],
    ),
    ("lookup", {"name": "mindspore.ops.AllReduce"}, ["torch.distributed.all_reduce"]),
    ("lookup", {"name": "mindspore.mint.distributed.recv"}, ["mindspore.mint.distributed.recv"]),
    ("lookup", {"name": "relu"}, ["!", "torch.nn.functional.relu", "torch.relu"]),
    ("lookup", {"name": "dist.al_reduce"}, ["!", "torch.distributed.all_reduce"]),
    ("lookup", {"name": "F.relu", "mindspore": "9.9"}, ["!", "2.10.0"]),
    ("lookup", {"name": "x = (" * 400}, ["!"]),
    ("lookup", {}, ["!", "name"]),
    ("search", {"query": "matrix product", "limit": 3}, ["- torch.", "["]),
    ("search", {"query": "规约", "language": "zh"}, ["torch.distributed.reduce"]),
    ("search", {"query": "qqqqqqq"}, ["qqqqqqq"]),
    ("search", {"query": "x", "limit": 0}, ["!"]),
    ("scan", {"code": CODE}, ["MindSpore 2.10.0", "- 2:1 torch.Tensor.tanh → mindspore.Tensor.tanh [AD101", "no_such"]),
    ("scan", {"code": CODE, "language": "zh", "device": "cpu"}, ["面向 MindSpore 2.10.0（CPU）", "有条件"]),
    ("scan", {"code": "\ufeffimport torch\ntorch.eye(3)\n"}, ["references to PyTorch: 1"]),
    ("port", {"code": "\ufeffimport torch\ntorch.eye(3)\n"}, ["```python\nfrom mindspore import mint\nmint.eye(3)"]),
    ("scan", {"code": "print 'x'"}, ["not parsed as Python"]),
    ("scan", {"code": "x", "device": "tpu"}, ["!"]),
    ("port", {"code": CODE}, ["x = mint.eye(3)", "mint.mean(", "F.no_such(x)", "# apidiff manual: torch.Tensor.tanh"]),
    (
        "evidence",
        {"name": "Tensor.tanh", "about": "value"},
        ["torch-2.13.0/single-cpu-", "mindspore-2.10.0/", "differs"],
    ),
    ("evidence", {"name": "dist.all_reduce", "about": "avg"}, ["holds"]),
    ("evidence", {"name": "torch.std", "about": "Errors"}, ["errors: "]),
    ("evidence", {"name": "torch.std", "about": "异常", "language": "zh"}, ["异常"]),
    ("evidence", {"name": "torch.std", "about": "weather"}, ["is about “weather”. There are: `error`, "]),
    ("evidence", {"name": "dist.reduce", "about": "weather"}, ["is about “weather”. There are: `", "`has-group`"]),
    ("evidence", {"name": RUN}, ["gloo, world size 2, cpu", "2026-"]),
    ("evidence", {"name": "torch-2.13.0/../../../etc/passwd"}, ["!"]),
    ("evidence", {"name": "/" * 10_000}, ["!"]),
    # Texts that look like JSON
    *(
        ("lookup", {"name": "torch.cat", "mindspore": release}, ["!", "is no known release of MindSpore. Name one of"])
        for release in ("9" * 4301, "[" * 100_000, "null", "[]")
    ),
    *(
        (tool, {"code": "", "device": device}, ["!", "Input should be 'ascend', 'gpu' or 'cpu'"])
        for tool in ("scan", "port")
        for device in ("9" * 4301, "[" * 100_000, "null", "[]", '"cpu"')
    ),
    ("search", {"query": "cat", "language": "9" * 4301}, ["!", "Input should be 'en' or 'zh'"]),
    ("search", {"query": "cat", "language": "{" * 100_000}, ["!", "Input should be 'en' or 'zh'"]),
    ("search", {"query": "cat", "limit": "9" * 4301}, ["!", "Unable to parse input string as an integer"]),
    ("search", {"query": "cat", "limit": "[" * 100_000}, ["!", "Input should be a valid integer"]),
    ("port", {"code": "", "unsafe": "[" * 100_000}, ["!", "Input should be a valid boolean"]),
    # An agent may write a number or a truth value as text.
    ("search", {"query": "rms norm", "limit": "1"}, ["torch.nn.functional.rms_norm"]),
    ("port", {"code": "import torch\ntorch.eye(3)\n", "unsafe": "true"}, ["mint.eye(3)"]),
    ("lookup", {"name": "torch.cat", "mindspore": None}, ["torch.cat"]),
    (
        "scan",
        {"code": "import torch\ntorch.eye(3)\n", "mindspore": "2.10", "device": "cpu"},
        ["references to PyTorch: 1"],
    ),
]


async def test_tools() -> None:
    async with session() as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed.keys() == {name for name, _, _ in ASKED}
        assert all(tool.annotations and tool.annotations.readOnlyHint for tool in listed.values())
        for tool, arguments, parts in ASKED:
            answer = await told(client, tool, **arguments)
            assert answer.startswith("!") is (parts[0] == "!"), (tool, arguments, answer)
            missing = [part for part in parts if part not in answer]
            assert not missing, (tool, arguments, answer)
            assert len(answer) < 6000, (tool, arguments)


async def test_a_long_line_of_classes_is_ported() -> None:
    layers = "".join(f"class A{number}(nn.Module): pass\n" for number in range(3_001))
    line = "".join(f"class A{number}(A{number + 1}): pass\n" for number in range(3_000))
    async with session() as client:
        answer = await told(client, "port", code=f"import torch.nn as nn\n{layers}{line}")
    ported = layers.replace("nn.Module", "nn.Cell")
    assert answer.startswith(f"```python\nfrom mindspore import nn\n{ported}{line}```\n")


async def test_answers_are_of_the_data_as_they_are_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record may come, or the key of a signer go, while the server runs."""
    first = open_index()
    agent = Agent(first, None)
    seen: list[tuple[object, object]] = []

    def tool() -> str:
        seen.append((agent.searcher(), agent.analyser(None)))
        return ""

    answered = agent.aside(tool)
    await answered()
    await answered()
    monkeypatch.setattr(cache, "fingerprint", lambda: "changed")
    monkeypatch.setattr(cache, "open_index", lambda **_: msgspec.structs.replace(first, fingerprint="changed"))
    await answered()
    await answered()
    assert (seen[0], seen[2]) == (seen[1], seen[3])
    assert not set(seen[0]) & set(seen[2])


PASSED_OVER = [  # what is wrong with the data, what every answer ends with
    ({}, "", ""),
    ({"damaged": ["a.yaml: broken", "b.json: broken"]}, "passed over: 2; signatures", "已跳过的损坏文件：2 个"),
    ({"unchecked": ["torch-2.13.0/one"]}, "could not be checked: 1.", "未能验证的签名：1 个"),
]


@pytest.mark.parametrize(("wrong", "english", "chinese"), PASSED_OVER)
async def test_an_answer_says_that_it_lacks_something(
    monkeypatch: pytest.MonkeyPatch, wrong: dict[str, list[str]], english: str, chinese: str
) -> None:
    """An agent sees no standard error, and would take what is missing for what was never run."""
    index = msgspec.structs.replace(open_index(), **wrong)
    monkeypatch.setattr(cache, "_is_current", lambda *_, **__: True)
    server = make_server(index)
    for tool, given in (
        ("lookup", {"name": "torch.cat"}),
        ("evidence", {"name": "torch.cat"}),
        ("port", {"code": "x"}),
    ):
        for language, said in (("en", english), ("zh", chinese)):
            [part] = await server.call_tool(tool, {**given, "language": language})
            last = part.text.rpartition("\n\n")[2]
            assert said in last
            assert bool(said) is ("apidiff check" in last)


async def test_a_server_of_former_code_says_so_and_keeps_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later commands would take what it makes for what the code of now makes, and hand it on."""
    index = open_index()
    kept: list[bool] = []

    def renewed(now: Index, *, ask_again: bool, keep: bool) -> Index:
        kept.append(keep)
        return now

    monkeypatch.setattr(agent_server, "renewed", renewed)
    server = make_server(index)
    said = []
    for state in ("as it began", "changed", "changed"):
        if state == "changed":
            monkeypatch.setattr(agent_server, "code_state", lambda: "changed")
        [part] = await server.call_tool("lookup", {"name": "torch.cat"})
        said.append("apidiff was changed since this server was started" in part.text.rpartition("\n\n")[2])
    assert (said, kept) == ([False, True, True], [True, False, False])


async def test_a_summary_stays_in_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its line breaks would make lines, even headings, of the answer."""
    summary = Text(en="Abs.\n::error ::no\x1b[2J\n# Heading", zh="值。\n# 标题")
    found = SearchResult(
        words="abs", corrected={}, results=[Found(id="torch.abs", risk="none", score=1.0, summary=summary, matches=[])]
    )
    monkeypatch.setattr(Searcher, "search", lambda *_: found)
    server = make_server(open_index())
    for language in ("en", "zh"):
        [part] = await server.call_tool("search", {"query": "abs", "language": language})
        assert (part.text.count("\n"), "\x1b" in part.text) == (0, False)


async def test_names_without_an_answer_are_told_up_to_a_bound() -> None:
    code = "import torch\n" + "".join(f"torch.made_up_{number}()\n" for number in range(150))
    [part] = await make_server(open_index()).call_tool("scan", {"code": code, "language": "en"})
    assert (part.text.count("torch.made_up_"), "50 more" in part.text) == (100, True)


async def test_minisign_is_asked_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    index = open_index()

    def renewed(now: Index, *, ask_again: bool, keep: bool) -> Index:
        assert keep
        asked.append(ask_again)
        return msgspec.structs.replace(index) if ask_again else now

    monkeypatch.setattr(agent_server, "renewed", renewed)
    now = iter([0.0, 100.0, 101.0, 159.0, 161.0, 200.0, 201.0])  # to make an index may take longer than the while
    monkeypatch.setattr(agent_server, "time", SimpleNamespace(monotonic=lambda: next(now)))
    agent = Agent(index, None)
    for _ in range(5):
        agent._renew()
    assert asked == [True, False, False, True, False]


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    },
}


def called(number: int, tool: str, **arguments: object) -> bytes:
    """A request that calls a tool."""
    return line(
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    )


async def test_no_line_of_a_strangers_text_passes_for_one_of_ours() -> None:
    async with session() as client:
        code = 'import torch\n"""\n```\n99 edits made\n"""\nx = torch.eye(3)\n'
        first, *lines = (await told(client, "port", code=code)).splitlines()
        assert first == "````python"
        assert lines.index("99 edits made") < lines.index("````") == len(lines) - 2
        found = await told(client, "search", query="zzzzqq\n- torch.cat [verified]")
        assert "\n" not in found


BEGUN = line(BEGIN) + line({"jsonrpc": "2.0", "method": "notifications/initialized"})
# As the server of this project, with a tool that never answers.
ENDLESS = """
import sys
import anyio
from mcp.server.fastmcp import FastMCP
from apidiff.servers import agent_server
agent_server._PATIENCE = 1.0
server = FastMCP("endless", log_level="ERROR")
@server.tool()
async def wait() -> str:
    await anyio.sleep_forever()
@server.tool()
async def now() -> str:
    return "here"
@server.tool(structured_output=False)
def half(raised: bool) -> str:
    if raised:
        raise ValueError("a\\ud800b")
    return "a\\ud800b"
anyio.run(agent_server._answered, server, sys.stdout)
"""


def answers_of(command: list[str], sent: bytes) -> dict[int, dict[str, object]]:
    """The answers, by the IDs of the requests, to what is sent before the input ends."""
    environment = os.environ | {"PYTHONWARNINGS": "error::ResourceWarning"}
    done = subprocess.run(command, input=sent, env=environment, capture_output=True, timeout=300, check=True)
    assert b"Traceback" not in done.stderr
    told_lines = [json.loads(text) for text in done.stdout.splitlines()]
    assert len({answer["id"] for answer in told_lines}) == len(told_lines)
    return {answer["id"]: answer for answer in told_lines}


async def test_what_was_asked_before_the_input_ended_is_answered() -> None:
    names = ["F.relu", "torch.cat", "torch.mean", "no.such"]
    sent = [called(number, "lookup", name=name) for number, name in enumerate(names, 2)]
    answers = answers_of([SERVER.command, *SERVER.args], BEGUN + b"".join(sent) + called(9, "scan", code=CODE * 200))
    assert answers.keys() == {1, 2, 3, 4, 5, 9}
    assert all("result" in answer for answer in answers.values())


async def test_a_long_answer_holds_up_no_other() -> None:
    async with session() as client, anyio.create_task_group() as tasks:
        ported: list[str] = []

        async def port() -> None:
            ported.append(await told(client, "port", code=CODE * 2500))

        tasks.start_soon(port)
        await anyio.sleep(0.5)  # it is with the server
        await client.send_ping()
        await anyio.sleep(0.1)  # for an answer that came before
        assert not ported
    assert "mint.eye(3)" in ported[0]


async def test_what_is_never_answered_is_told_when_the_input_ended() -> None:
    sent = BEGUN + called(2, "wait") + called(3, "now") + called(4, "wait")
    answers = answers_of([sys.executable, "-c", ENDLESS], sent)
    assert answers.keys() == {1, 2, 3, 4}
    assert "result" in answers[3]
    assert [answers[number]["error"]["message"][:15] for number in (2, 4)] == ["The input ended"] * 2


async def test_an_answer_that_is_no_text_ends_no_server() -> None:
    sent = BEGUN + called(2, "half", raised=False) + called(3, "half", raised=True) + called(4, "now")
    answers = answers_of([sys.executable, "-c", ENDLESS], sent)
    texts = [answers[number]["result"]["content"][0]["text"] for number in (2, 3, 4)]
    assert texts == ["a\\ud800b", "Error executing tool half: a\\ud800b", "here"]


async def test_code_with_names_that_are_no_text() -> None:
    code = 'import torch\ngetattr(torch, "\\ud800")(1)\ntorch.eye(3)\n'
    async with session() as client:
        assert "references to PyTorch: 1" in await told(client, "scan", code=code)
        assert "mint.eye(3)" in await told(client, "port", code=code)


# (where it answers to, its exit code, what it says): as other commands end where their output cannot be written
UNHEARD = [
    (
        "/dev/full",
        2,
        "apidiff: The agent cannot be answered (No space left on device). Look at what reads the output.\n",
    ),
    ("nobody", 141, ""),
]


@pytest.mark.parametrize(("place", "code", "said"), UNHEARD)
async def test_answers_that_nobody_gets(place: str, code: int, said: str) -> None:
    if place == "nobody":
        read, answers = os.pipe()
        os.close(read)
    else:
        answers = os.open(place, os.O_WRONLY)
    command = [SERVER.command, *SERVER.args]
    done = subprocess.run(command, input=line(BEGIN), stdout=answers, stderr=subprocess.PIPE, timeout=300)
    os.close(answers)
    assert (done.returncode, done.stderr.decode()) == (code, said)


async def test_the_log_holds_no_traceback_and_no_escapes() -> None:
    asked = line({"jsonrpc": "2.0", "id": 2, "method": "prompts/get", "params": {"name": "\x1b[31m"}})
    done = subprocess.run([SERVER.command, *SERVER.args], input=BEGUN + asked, capture_output=True, timeout=300)
    assert [said.partition(", server")[0] for said in done.stderr.decode().splitlines()] == [
        "apidiff: Error getting prompt \\x1b[31m",
        "  ValueError: Unknown prompt: \\x1b[31m",
    ]


async def test_any_message_is_survived() -> None:
    strange = [
        b"{nonsense\n",
        b"[]\n",
        b"7\n",
        b"\xff\xfe\n",
        b"\n",
        b"[" * 50_000 + b"\n",
        line({"jsonrpc": "1", "id": 3}),
    ]
    sent = [
        line(BEGIN),
        line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        *strange,
        line({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "lookup\ud800"}}),
        line({"jsonrpc": "2.0", "id": "\ud800", "method": 5}),
        line({"jsonrpc": "2.0", "id": 5, "method": "no/such"}),
        line({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": 4}}),
        line({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "nothing", "arguments": {}}}),
        line(
            {
                "jsonrpc": "2.0",
                "id": 8,
                "method": "tools/call",
                "params": {"name": "lookup", "arguments": {"name": "F.relu"}},
            }
        ),
    ]
    process = subprocess.Popen([SERVER.command, *SERVER.args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"".join(sent))
    process.stdin.flush()
    answers = {}
    while 8 not in answers:
        told_line = process.stdout.readline()
        assert told_line, "the server went away"
        answer = json.loads(told_line)
        answers[answer.get("id")] = answer
    process.stdin.write(b"[]\n" * 300)  # and goes away before these are answered
    process.communicate(timeout=500)
    assert process.returncode == 0
    assert all("error" in answers[number] for number in (4, "\\ud800", 5, 6))
    assert answers[7]["result"]["isError"]
    assert "torch.nn.functional.relu" in answers[8]["result"]["content"][0]["text"]
