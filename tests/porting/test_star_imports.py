"""Star imports of modules that take all names from each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apidiff.porting.star_imports import StarImports
from apidiff.porting.torch_names import Value
from apidiff.porting.tree_links import TreeLinks
from tests.porting.conftest import Scan

MODULES = "abcdefg"


def by_hand(stars: dict[str, list[str]], module: str) -> set[str]:
    """The modules that star imports lead to from one, that one too where they lead back."""
    found, waiting = set[str](), [module]
    while waiting:
        more = [star for star in stars.get(waiting.pop(), ()) if star not in found]
        found.update(more)
        waiting += more
    return found


@given(
    stars=st.dictionaries(st.sampled_from(MODULES), st.lists(st.sampled_from(MODULES), max_size=4)),
    bound=st.sets(st.tuples(st.sampled_from("xyz*"), st.sampled_from(MODULES))),
)
def test_all_modules_that_star_imports_lead_to_are_found(
    stars: dict[str, list[str]], bound: set[tuple[str, str]]
) -> None:
    links = StarImports(stars, bound)
    for module in MODULES:
        for name in "xyz*":
            expected = by_hand(stars, module) & {binder for one, binder in bound if one == name}
            given = list(links.givers(module, name))
            assert sorted(given) == sorted(expected)
            if given:
                links.forget(given[0], name)
                assert list(links.givers(module, name)) == given[1:]
                bound -= {(name, given[0])}


ORDERS: list[tuple[dict[str, list[str]], list[str]]] = [
    ({"a": ["c", "b"]}, ["c", "b"]),
    ({"a": ["d", "c"], "d": ["b"]}, ["b", "c"]),
    ({"a": ["a", "c", "b"], "c": ["a"]}, ["c", "b"]),
]


@pytest.mark.parametrize(("stars", "given"), ORDERS)
def test_modules_are_given_in_the_order_of_the_imports(stars: dict[str, list[str]], given: list[str]) -> None:
    assert list(StarImports(stars, [("x", "b"), ("x", "c")]).givers("a", "x")) == given


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[Value]:
    """All that is resolved, each time again."""
    noted, resolve = list[Value](), TreeLinks.resolve

    def noting(links: TreeLinks, path: Value) -> Value:
        noted.append(path)
        return resolve(links, path)

    monkeypatch.setattr(TreeLinks, "resolve", noting)
    return noted


def test_modules_that_all_import_each_other(scan: Scan, resolved: list[Value]) -> None:
    """Each name was looked for in each module, and the answer of each kept."""
    count = 400
    files: dict[str, str | bytes] = {}
    for number in range(count):
        stars = "".join(f"from m{(number * 7 + step * step) % count} import *\n" for step in range(1, 19))
        names = f"import torch as t{number}\nt{(number + 200) % count}.ones(2)\nnone{number}.ones(2)\n"
        files[f"m{number}.py"] = stars + names
    assert [one.name for file in scan(files) for one in file.references].count("torch.ones") == count
    assert len(resolved) < 50 * count


def test_a_name_that_no_module_gives_is_looked_for_in_each_once(scan: Scan, resolved: list[Value]) -> None:
    count = 300
    files: dict[str, str | bytes] = {f"m{number}.py": "from gone import x\n" for number in range(count)}
    files |= {f"u{number}.py": "from hub import *\nx.ones(2)\n" for number in range(count)}
    files |= {"gone.py": "", "hub.py": "".join(f"from m{number} import *\n" for number in range(count))}
    assert not [one for file in scan(files) for one in file.references]
    assert len(resolved) < 50 * count
