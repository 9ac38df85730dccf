"""The agreed translations, and the everyday names that they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import Data, terms
from apidiff.database.terms import Term, everyday_names, load_terms
from apidiff.errors import DataError
from apidiff.lookup.names import shortened

GATHER = Term(en="gather", zh="收集", avoid=["聚集"], also=["Collect-All", "聚合"], apis=["gather", "all_gather"])
# terms, what people type with what is meant
EVERYDAY = [
    ([Term(en="tensor", zh="张量", avoid=["张力"])], {}),
    ([GATHER], {name: ["gather", "all_gather"] for name in ("收集", "聚集", "collect all", "聚合")}),
    (
        [GATHER, Term(en="reduce", zh="归约", also=["聚合"], apis=["reduce", "gather"])],
        {
            **{name: ["gather", "all_gather"] for name in ("收集", "聚集", "collect all")},
            "聚合": ["gather", "all_gather", "reduce"],
            "归约": ["reduce", "gather"],
        },
    ),
]


@pytest.mark.parametrize(("known", "expected"), EVERYDAY)
def test_everyday_names(known: list[Term], expected: dict[str, list[str]]) -> None:
    assert everyday_names(known) == expected


def test_what_is_typed_must_lead_somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "terms.yaml"
    path.write_text("- {en: gather, zh: 收集}\n- {en: scatter, zh: 分发,\n   also: [分散]}\n", "utf-8")
    monkeypatch.setattr(terms, "conf_file", lambda name: tmp_path / name)
    with pytest.raises(DataError, match=r"terms\.yaml:3: `also` of 'scatter' leads nowhere"):
        load_terms()


def test_what_is_meant_is_there(database: Data) -> None:
    """Every name that a term leads to is that of an API, a part of one or a parameter."""
    mappings = database.mappings.values()
    known = {last for one in mappings for last in shortened(one.source.name)[-2:]}
    text = " ".join(sorted(known))
    lost = [api for term in load_terms() for api in term.apis if api not in known and api.lower() not in text.lower()]
    assert [api for api in lost if api != "async_op"] == []


def test_words_and_the_apis_that_they_mean_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each word is looked up with each API: thousands of both took gigabytes."""
    path = tmp_path / "terms.yaml"
    path.write_text(f"- {{en: gather, zh: 收集, apis: [{', '.join(f'a{n}' for n in range(200))}]}}\n", "utf-8")
    monkeypatch.setattr(terms, "conf_file", lambda name: tmp_path / name)
    with pytest.raises(DataError, match="`array` of length <= 100"):
        load_terms()
    words = "".join(
        f"- {{en: t{n}, zh: 收集, avoid_en: [{', '.join(f'a{w}' for w in range(100))}]}}\n" for n in range(16)
    )
    path.write_text(words, "utf-8")
    with pytest.raises(DataError, match=r":16: has more than 1500 words up to 't15'"):
        load_terms()
