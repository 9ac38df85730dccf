"""How long an editor waits for the answer of a name in a file of 4,000 lines, over stdio."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Callable

from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

from tests.bench.measure import Measure

LINES = 4000
_HOVERS = 300
_LIMIT_S = 0.05
_URI = "file:///bench/model.py"
_CLASS = '''
class Block{n}(nn.Module):
    """A block."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.register_buffer("mask", torch.tril(torch.ones(width, width)))
        self.heads = heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        query = self.query(self.norm(x)).view(batch, length, self.heads, -1).transpose(1, 2)
        score = torch.matmul(query, query.transpose(-2, -1)) / width**0.5
        score = score.masked_fill(self.mask[:length, :length] == 0, float("-inf"))
        out = torch.cat([F.softmax(score, dim=-1) @ query, query], dim=-1)
        if out.std() > 0:
            out = F.gelu(out.reshape(batch, length, -1))
        return out.contiguous().mean(dim=(1, 2))
'''


def model(lines: int = LINES) -> str:
    """A module of so many lines."""
    head = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"
    text = head + "".join(_CLASS.format(n=n) for n in range(lines // _CLASS.count("\n")))
    return text + "# end\n" * (lines - text.count("\n"))


def measure_editor(tell: Callable[[str], None]) -> list[Measure]:
    """The 95th percentile of hovers; what a keystroke costs until its diagnostics are there is told."""
    hovers, typed = asyncio.run(_session())
    tell(f"hover: median {statistics.median(hovers) * 1000:.1f} ms, worst {max(hovers) * 1000:.1f} ms")
    tell(f"hover at once after a keystroke: median {statistics.median(typed) * 1000:.0f} ms")
    p95 = statistics.quantiles(hovers, n=20)[-1]
    return [Measure(f"p95 of {len(hovers)} hovers in {LINES} lines", "what nobody waits for", p95, _LIMIT_S, 1.0)]


async def _session() -> tuple[list[float], list[float]]:
    client = make_test_lsp_client()
    await client.start_io(sys.executable, "-m", "apidiff", "lsp")
    await client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
    text = model()
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(_URI, "python", 1, text)))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    lines = text.split("\n")
    places = [
        (number, line.index(name) + 1)
        for number, line in enumerate(lines)
        for name in ("torch.", "F.", "nn.", ".view", ".std", ".mean")
        if name in line and number > 3
    ]
    step = max(1, len(places) // _HOVERS)
    hovers = [await _hover(client, *place) for place in places[::step][:_HOVERS]]
    typed = []
    for version in range(2, 12):
        changed = types.TextDocumentContentChangeWholeDocument(f"{text}x = {version}\n")
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, _URI), [changed])
        )
        typed.append(await _hover(client, *places[version]))
    await client.shutdown_session()
    await client.stop()
    return hovers, typed


async def _hover(client: LanguageClient, line: int, column: int) -> float:
    start = time.perf_counter()
    params = types.HoverParams(types.TextDocumentIdentifier(_URI), types.Position(line, column))
    shown = await client.text_document_hover_async(params)
    assert shown is not None, (line, column)
    return time.perf_counter() - start
