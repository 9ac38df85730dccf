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


def _headed(header: str) -> str:
    return f'msgid ""\nmsgstr "{header}\\n"\n\nmsgid "a file"\nmsgid_plural "files"\nmsgstr[0] "文件"\n'


def test_the_one_plural_form_of_chinese_may_be_told(tmp_path: Path) -> None:
    path = tmp_path / "sphinx.po"
    path.write_text(_headed("Plural-Forms: nplurals=1; plural=0;"))
    use_theme_words(path)
    assert translators["general", "sphinx"].ngettext("a file", "files", 3) == "文件"


# what stands in the place of the catalogue, what is said of it
IN_ITS_PLACE: list[tuple[Callable[[Path], None], str]] = [
    (lambda _path: None, "No such file or directory"),
    (_lock, "No such file or directory"),
    (Path.mkdir, "it is no regular file"),
    (os.mkfifo, "it is no regular file"),
    (lambda path: path.write_bytes(b'msgid "\xff"\n'), "'utf-8' codec can't decode"),
    (lambda path: path.write_text('msgid "a'), "missing msgstr for msgid"),
    (lambda path: path.write_text("words\n"), "misformatted keyword"),
    (
        lambda path: path.write_text('msgid ""\nmsgstr "Content-Type: text/plain; charset=none\\n"\n'),
        "its charset is 'none', and not UTF-8",
    ),
    (lambda path: path.write_text(_headed("Content-Type: text/plain; charset=utf-16")), "its charset is 'utf-16', and"),
    (lambda path: path.write_text(_headed("Plural-Forms: nplurals=1; plural=(((;")), "its plural forms are not those"),
    (lambda path: path.write_text(_headed("Plural-Forms: nplurals=300; plural=0;")), "its plural forms are not those"),
    (lambda path: path.write_text(_headed("Language: en")), "its plural forms are not those of Chinese: nplurals=1;"),
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
