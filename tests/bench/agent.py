"""How many tokens an agent spends on an answer, over the questions of the tests."""

from __future__ import annotations

import asyncio
import csv
import re
import statistics
from collections.abc import Callable
from pathlib import Path

from apidiff.lookup.cache import open_index
from apidiff.servers.agent_server import make_server
from tests.bench.measure import Measure

_QUESTIONS = Path(__file__).resolve().parents[1] / "servers" / "aliased_questions.csv"
_LIMIT = 400
# Words, numbers and marks: about what the tokenisers of language models make of English and code; of a Chinese character one.
_TOKEN = re.compile(r"[A-Za-z]{1,6}|\d{1,3}|[一-鿿]|[^\sA-Za-z\d]")


def measure_agent(tell: Callable[[str], None]) -> list[Measure]:
    """The median length of answers in tokens, estimated; characters are told."""
    with _QUESTIONS.open(newline="") as content:
        questions = [row["question"] for row in csv.DictReader(content)]
    medians = []
    for language in ("en", "zh"):
        answers = asyncio.run(_answers(questions, language))
        sizes = sorted(len(_TOKEN.findall(answer)) for answer in answers)
        characters = statistics.median(len(answer) for answer in answers)
        medians.append(statistics.median(sizes))
        tell(f"{language}: median {medians[-1]:.0f} tokens, worst {sizes[-1]}; median {characters:.0f} characters")
    return [
        Measure(f"tokens of an answer (median of {len(questions)})", "a paragraph", max(medians), _LIMIT, 1.0, "tokens")
    ]


async def _answers(questions: list[str], language: str) -> list[str]:
    server = make_server(open_index())
    results = [await server.call_tool("lookup", {"name": name, "language": language}) for name in questions]
    return ["".join(part.text for part in result) for result in results]  # type: ignore[union-attr]
