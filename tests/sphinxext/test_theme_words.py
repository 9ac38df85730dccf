"""The theme's words in Chinese, whatever lies beside the catalogue that they stand in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.locale import get_translation, translators
from sphinx.util.tags import Tags

from apidiff.database.paths import PACKAGE
from apidiff.sphinxext import extension
from apidiff.sphinxext.extension import _env_version
from apidiff.sphinxext.languages import THEME_WORDS, use_theme_words


@pytest.fixture(autouse=True)
def _no_language() -> Iterator[None]:
    translators.clear()  # Sphinx keeps the language of an earlier build of the process
    yield
    translators.clear()


def _lock(path: Path) -> None:
    path.symlink_to("me@host.1:2")


def _empty(path: Path) -> None:
    path.touch()


def _cut(path: Path) -> None:
    path.write_bytes(b"\xde\x12\x04\x95\0\0\0\0")


# what lies beside the catalogue, and how it came there
BESIDE: list[tuple[str, Callable[[Path], None]]] = [
    ("sphinx.mo", _empty),
    ("sphinx.mo", _cut),
    ("sphinx.mo", os.mkfifo),
    (".#sphinx.po", _lock),
    ("x.po", _lock),
    ("x.po", Path.mkdir),
    ("x.po", os.mkfifo),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("name", "put_there"), BESIDE)
def test_what_lies_beside_the_catalogue_changes_no_word(
    name: str, put_there: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = tmp_path / "conf"
    shutil.copytree(PACKAGE.parent / "conf", conf, symlinks=True, ignore=shutil.ignore_patterns("*.mo"))
    words = conf / THEME_WORDS.relative_to(PACKAGE.parent / "conf")
    put_there(words.with_name(name))
    monkeypatch.setattr(extension, "THEME_WORDS", words)
    config = Config.read(conf, {}, Tags(["zh"]))
    Sphinx._init_i18n(SimpleNamespace(config=config, srcdir=tmp_path))
    translated = get_translation("sphinx")
    assert [str(translated(text)) for text in ("Color mode", "Search")] == ["颜色模式", "搜索"]
    assert _env_version() > 0


HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: zh_CN\\n"\n\n'


def _headed(header: str) -> str:
    return f'msgid ""\nmsgstr "{header}\\n"\n\nmsgid "a file"\nmsgstr "文件"\n'


def _said(english: str, chinese: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(f'{HEADER}msgid "{english}"\nmsgstr "{chinese}"\n') and None


# what is filled in by its name, and markup, may stand in another order
@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("Last updated on %(at)s by %(who)s.", "%(who)s 于 %(at)s 更新"),
        ("<b>%s</b> of %s", "%s 的 <b>%s</b>"),
        ("It's 100%% of {n}", "{n} 的 100%%，'"),
    ],
)
def test_markup_stays_as_it_is(english: str, chinese: str, tmp_path: Path) -> None:
    path = tmp_path / "sphinx.po"
    _said(english, chinese)(path)
    use_theme_words(path)
    assert translators["general", "sphinx"].gettext(english) == chinese


# what stands in the place of the catalogue, what is said of it
IN_ITS_PLACE: list[tuple[Callable[[Path], None], str]] = [
    (lambda _path: None, "No such file or directory"),
    (_lock, "No such file or directory"),
    (Path.mkdir, "it is no regular file"),
    (os.mkfifo, "it is no regular file"),
    (lambda path: path.write_bytes(b'msgid "\xff"\n'), "'utf-8' codec can't decode"),
    (lambda path: path.write_text('msgid "a'), "missing msgstr for msgid"),
    (lambda path: path.write_text("words\n"), "misformatted keyword"),
    (lambda path: path.write_text(_headed("Content-Type: text/plain; charset=none")), "its header is not"),
    (lambda path: path.write_text(_headed("Content-Type: text/plain; charset*=utf-8''UTF-8")), "its header is not"),
    (lambda path: path.write_text(_headed("Plural-Forms: nplurals=300; plural=0;")), "its header is not"),
    (
        lambda path: path.write_text(HEADER + 'msgid "a file"\nmsgid_plural "files"\nmsgstr[0] "文件"\n'),
        "line 6: a message has plural forms",
    ),
    # A theme writes them as they are: into an attribute, into text.
    (_said("Link to this heading", '\\"><script>alert(1)</script>'), "has other markup or placeholders"),
    (_said("On this page", "<script>alert(1)</script>"), "has other markup or placeholders"),
    (_said("Breadcrumb", "x' onclick='alert(1)"), "has other markup or placeholders"),
    (_said("Breadcrumb", "&#60;"), "has other markup or placeholders"),
    (_said('<a href=\\"https://a\\">A</a>', '<a href=\\"https://b\\">A</a>'), "has other markup or placeholders"),
    (_said("Home", "\u202e页首"), "has other markup or placeholders"),
    (_said("Home", "首" * 30), "is longer than 'Home'"),
    # Sphinx fills them in.
    (_said("%s (class in %s)", "x"), "has other markup or placeholders"),
    (_said("%s (%d)", "%d (%s)"), "has other markup or placeholders"),
    (_said("%s", "%.900s"), "has other markup or placeholders"),
    (_said("on %(date)s", "%(data)s"), "has other markup or placeholders"),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("put_there", "said"), IN_ITS_PLACE)
def test_a_catalogue_that_cannot_be_read_is_named(
    put_there: Callable[[Path], None], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sphinx.po"
    put_there(path)
    with pytest.raises(ConfigError) as refused:
        use_theme_words(path)
    assert str(refused.value).startswith(f"{path}: cannot be read as a catalogue (")
    assert said in str(refused.value)
    monkeypatch.setattr(extension, "THEME_WORDS", path)
    assert _env_version() > 0
