"""The sitemap, ``robots.txt`` and addresses: absolute where the site's own is known, left out or relative otherwise."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from published_site import Published

from apidiff.site_builder import root_page
from apidiff.writers.exports.address import Address, BadAddress

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
LINK = "{http://www.w3.org/1999/xhtml}link"
URL = "https://example.org/docs/"
PAGES = ("index", "search", "genindex", "mappings/torch.distributed.reduce", "_static/webpack-macros", "guide/a&b")


def with_pages(built: Published, folders: tuple[str, ...] = ("en", "zh-cn")) -> Published:
    for folder in folders:
        for page in PAGES:
            path = built.site / folder / f"{page}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return built


def test_every_page_names_itself_in_all_languages(make: Callable[..., Published]) -> None:
    built = with_pages(make(url=URL))
    built.build()
    root = ET.fromstring(built.text("sitemap.xml"))
    assert root.tag == f"{SITEMAP}urlset"
    found = {}
    for url in root:
        links = {link.get("hreflang"): link.get("href") for link in url.findall(LINK)}
        assert {link.get("rel") for link in url.findall(LINK)} == {"alternate"}
        found[url.findtext(f"{SITEMAP}loc")] = links
    names = ["guide/a%26b", "index", "mappings/torch.distributed.reduce"]
    assert list(found) == [f"{URL}{folder}/{name}.html" for name in names for folder in ("en", "zh-cn")]
    for name in names:
        expected = {
            "en": f"{URL}en/{name}.html",
            "zh-CN": f"{URL}zh-cn/{name}.html",
            "x-default": f"{URL}en/{name}.html",
        }
        assert found[f"{URL}en/{name}.html"] == found[f"{URL}zh-cn/{name}.html"] == expected


def test_a_page_of_one_language_names_no_other(make: Callable[..., Published]) -> None:
    built = with_pages(make(url=URL), ("zh-cn",))
    built.build()
    assert f"{URL}en/" not in built.text("sitemap.xml")
    assert f"{URL}zh-cn/index.html" in built.text("sitemap.xml")


def test_robots_may_read_and_find_the_sitemap(make: Callable[..., Published]) -> None:
    built = with_pages(make(url=URL))
    built.build()
    assert built.text("robots.txt") == f"User-agent: *\nAllow: /\nSitemap: {URL}sitemap.xml\n"


def test_without_an_address_there_is_no_sitemap_and_an_old_one_goes(make: Callable[..., Published]) -> None:
    built = with_pages(make(url=URL))
    built.build()
    built.address = Address()
    assert "sitemap.xml" in built.build()
    assert "sitemap.xml" not in built.files()
    assert built.text("robots.txt") == "User-agent: *\nAllow: /\n"
    assert URL not in "".join(built.text(name) for name in built.files() if not name.endswith(".sqlite"))


ADDRESSES = [
    ("", ""),
    ("  ", ""),
    ("https://example.org", "https://example.org/"),
    ("https://example.org/docs//", "https://example.org/docs/"),
    ("http://127.0.0.1:8000/a", "http://127.0.0.1:8000/a/"),
]


@pytest.mark.parametrize(("text", "root"), ADDRESSES)
def test_address(text: str, root: str) -> None:
    assert Address.parse(text).root == root


BAD = [
    "example.org",
    "javascript:alert(1)",
    "file:///tmp",
    "https://",
    "https://example.org/?q",
    "https://example.org/#x",
    'https://example.org/"><script>',
    "https://example.org/a b",
    "https://[::1",
    "https://example.org:port/",
    "https://example.org:99999/",
    "https://例.org",
    "https://example.org/\n/x",
]


def test_an_address_that_is_repeated_hundreds_of_times_is_short() -> None:
    """One of 90,000 characters above each of 8,000 statements took 3 GB."""
    assert Address.parse(f"https://a/{'a' * 490}").root.endswith("a/")
    with pytest.raises(BadAddress, match=r"has 501 characters, where 500 are the most\. Write a shorter .* --site-url"):
        Address.parse(f"https://a/{'a' * 491}")


@pytest.mark.parametrize("text", BAD)
def test_bad_address_says_how_a_good_one_looks(text: str) -> None:
    with pytest.raises(BadAddress, match=r"Give one like .* with --site-url"):
        Address.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://u:secret@example.org/",
        "https://secret@example.org",
        "https:///u:secret@h/",
        "https://u:secret@example.org:port/",
    ],
)
def test_an_address_with_a_password_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BadAddress, match=r"a user name or a password, which links would publish\. Write it") as caught:
        Address.parse(text)
    assert "secret" not in str(caught.value)


LINKS = [
    ("", "en/mappings/a.html", "en/verdicts.xml", "", "mappings/a.html"),
    ("", "api/v1/x.json", "en/mappings/a.md", "", "../../api/v1/x.json"),
    ("", "llms.txt", "llms.txt", "", "llms.txt"),
    ("", "en/a b&c.html", "llms.txt", "p#q", "en/a%20b%26c.html#p%23q"),
    (URL, "en/a.html", "en/b.html", "p", f"{URL}en/a.html#p"),
]


@pytest.mark.parametrize(("root", "path", "seen_from", "part", "expected"), LINKS)
def test_link(root: str, path: str, seen_from: str, part: str, expected: str) -> None:
    assert Address(root).link(path, seen_from, part) == expected


@pytest.mark.parametrize("url", ["", URL])
def test_root_page(url: str) -> None:
    page = root_page(Address(url))
    assert f'hreflang="zh-CN" href="{url}zh-cn/index.html"' in page
    assert ('rel="canonical"' in page) == bool(url)
    assert ("og:url" in page) == bool(url)
    assert "{{" not in page
    assert "{%" not in page
