"""What of an entry can be found by searching, and the words it is found by."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

import msgspec

from apidiff.kb.answer import Match
from apidiff.kb.names import spellings
from apidiff.kb.tokens import index_words
from apidiff.model import Text
from apidiff.model.entry import Entry
from apidiff.render.labels import LABELS

_TABLES = """
-- `weight`: of two passages that fit alike the one that tells more comes first.
CREATE TABLE passage (id INTEGER PRIMARY KEY, mapping TEXT, weight REAL, json TEXT);
CREATE TABLE found (mapping TEXT PRIMARY KEY, json TEXT) WITHOUT ROWID;
-- Words are cut by apidiff.kb.tokens; the tokenizer only splits at spaces and stems English.
CREATE VIRTUAL TABLE words USING fts5 (names, text, behaviour, content='', tokenize="porter unicode61 tokenchars '_.'");
"""

# Other words people use for a kind of behaviour, beside its label.
_SYNONYMS = {
    "in_place": "in place inplace mutates modifies overwrites overwritten 原地 就地 覆盖 改写",
    "writes": "in place inplace mutates modifies overwrites overwritten 原地 就地 覆盖 改写",
    "keeps": "unchanged untouched not modified 不变 未修改",
    "return_value": "returns return handle work 返回 句柄",
    "result_layout": "shape dimension stack concatenate 形状 维度 拼接",
    "error_behaviour": "raises raise exception error throw hang 异常 报错 抛出 挂起",
    "raises": "raise exception error throw 异常 报错 抛出",
    "aliases": "alias share storage same object view 共享 别名 内存",
    "backend_support": "backend device cpu gpu ascend unsupported 后端 设备 昇腾 不支持",
    "call_style": "primitive class construct call 原语 构造 调用",
    "documentation": "documentation document wrong 文档 错误",
}


def fill_search(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Adds the tables that searching reads to the index."""
    connection.executescript(_TABLES)
    for entry in entries:
        json = msgspec.json.encode({"id": entry.id, "summary": entry.summary, "risk": entry.risk}).decode()
        connection.execute("INSERT INTO found VALUES (?, ?)", (entry.id, json))
        for match, names, behaviour in _passages(entry):
            text = index_words(f"{match.text.en} {match.text.zh}")
            row = connection.execute(
                "INSERT INTO passage (mapping, weight, json) VALUES (?, ?, ?)",
                (entry.id, _weight(match), msgspec.json.encode(match).decode()),
            )
            connection.execute(
                "INSERT INTO words (rowid, names, text, behaviour) VALUES (?, ?, ?, ?)",
                (row.lastrowid, index_words(names), text, index_words(behaviour)),
            )


def _passages(entry: Entry) -> Iterator[tuple[Match, str, str]]:
    """Each passage with the names it belongs to and words for its behaviour."""
    every_name = " ".join(dict.fromkeys(spelling for spelling, _, _ in spellings(entry)))
    yield _match("summary", entry.id, None, entry.summary), every_name, entry.category
    for target in entry.targets:
        both = f"{entry.source} {target.name}"
        if target.note:
            yield _match("target", target.name, target.risk, target.note), both, target.kind
        for difference in target.differences:
            behaviour = f"{_words('difference', difference.kind)} {_words('risk', difference.risk)}"
            evidence = " ".join(f"{one.text.en} {one.text.zh}" for one in difference.evidence)
            match = _match("difference", f"{target.name}: {difference.id}", difference.risk, difference.text)
            yield match, both, f"{behaviour} {evidence}"
        for row in target.parameters:
            if row.relations == ["same"] or row.risk != "none":
                continue  # nothing to tell, or told as a difference
            relations = " ".join(_words("relation", relation) for relation in row.relations)
            name = row.source or row.target or ""
            match = _match("parameter", f"{target.name}: {name}", row.risk, row.text)
            yield match, both, f"{row.source} {row.target} {relations}"
    for claim in entry.claims:
        seen = {f"{_words('outcome', item.outcome)} {item.backend} {item.device}" for item in claim.summary}
        yield (
            _match("claim", claim.id, None, claim.text),
            claim.subject,
            f"{_words('claim', claim.kind)} {' '.join(seen)}",
        )


def _match(kind: str, ref: str, risk: str | None, text: Text) -> Match:
    return Match(kind=kind, ref=ref, risk=risk, text=text)


def _weight(match: Match) -> float:
    if match.kind == "difference":
        return {"silent": 1.5, "error": 1.3, "rewrite": 1.1}.get(match.risk or "", 1.0)
    return {"parameter": 0.7}.get(match.kind, 1.0)


def _words(enumeration: str, value: str) -> str:
    label = LABELS[f"{enumeration}.{value}"]
    return f"{value} {label.en} {label.zh} {_SYNONYMS.get(value, '')}"
