"""Checks the options in ``conf.py`` before anything is made with them: the extension's, and Sphinx' of how pages are written."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from apidiff.errors import shortened
from apidiff.sphinxext.nodes import Translator
from apidiff.sphinxext.repository import RepositoryError, checked
from apidiff.sphinxext.supported_builders import writes_site
from apidiff.writers.exports.address import Address, AddressWithPassword, BadAddress

_COMMIT = re.compile(r"[\w./-]*", re.ASCII)


def add_options(app: Sphinx) -> None:
    """Register the options, and their check before all else that reads them."""
    # The folder of derived files that were made for all languages; empty: they are made of the package's data.
    app.add_config_value("apidiff_derived", "", "", str)
    app.add_config_value("apidiff_repository", "", "env", str)
    # A page that is not built again keeps the commit it was built at, where its record is the same.
    app.add_config_value("apidiff_commit", "", "", str)
    # The address of the site's root, or empty; pages are written again when it changes.
    app.add_config_value("apidiff_site_url", "", "html", str)
    app.connect("config-inited", check_options, priority=50)
    app.connect("builder-inited", check_pages, priority=50)


def check_options(_app: Sphinx, config: Config) -> None:
    """Leave addresses as links need them. Raises ConfigError for a value that no page could be made with."""
    for name in ("apidiff_derived", "apidiff_repository", "apidiff_commit", "apidiff_site_url"):
        if not isinstance(config[name], str):
            raise wrong_option(name, config[name], "is no text", "Write text in quotes")
    if config.apidiff_derived and not _is_folder(config.apidiff_derived):
        raise wrong_derived(config, "is no folder")
    if not _COMMIT.fullmatch(config.apidiff_commit):
        raise wrong_option(
            "apidiff_commit", config.apidiff_commit, "is no commit", "Write its digest or the name of a tag"
        )
    try:
        config.apidiff_repository = (
            checked(config.apidiff_repository, "apidiff_repository") if config.apidiff_repository else ""
        )
    except RepositoryError as error:  # which does not repeat a password
        raise ConfigError(str(error)) from error
    try:
        config.apidiff_site_url = Address.parse(config.apidiff_site_url).root
    except AddressWithPassword as error:
        found = "apidiff_site_url holds a user name or a password, which pages would publish"
        raise ConfigError(f"{found}. Write the address without them, or leave apidiff_site_url out.") from error
    except BadAddress as error:
        remedy = "Write one such as https://example.org/apidiff/"
        raise wrong_option("apidiff_site_url", config.apidiff_site_url, "is no address of a site", remedy) from error


def check_pages(app: Sphinx) -> None:
    """Raise ConfigError where pages would be written, encoded or named otherwise than parts, links and scripts expect."""
    if not writes_site(app.builder):
        return
    writer = app.builder.get_translator_class()
    if not issubclass(writer, Translator):
        found = f"The writer of pages is {writer.__module__}.{writer.__qualname__}, which cannot write those of apidiff"
        raise ConfigError(f"{found}. Derive it from apidiff.sphinxext.nodes.Translator, or leave it out.")
    if not _is_utf8(app.config.html_output_encoding):
        found = "is not UTF-8, which apidiff writes"
        raise wrong_option("html_output_encoding", app.config.html_output_encoding, found, "Write 'utf-8'")
    for name in ("html_file_suffix", "html_link_suffix"):
        if app.config[name] not in (None, ".html"):  # it may be a list, which no set can be asked for
            raise wrong_option(name, app.config[name], "is not '.html', to which apidiff links", "Write '.html'")


def _is_utf8(encoding: object) -> bool:
    try:
        return codecs.lookup(str(encoding)).name == "utf-8"
    except (LookupError, ValueError):
        return False


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:  # the name is longer than one may be, or leads through a folder that may not be read
        return False


def wrong_derived(config: Config, found: str) -> ConfigError:
    """What is said of a folder of derived files that cannot be used."""
    return wrong_option(
        "apidiff_derived", config.apidiff_derived, found, "Name the folder of files that a build of the site derived"
    )


def wrong_option(name: str, value: object, found: str, remedy: str) -> ConfigError:
    """What is said of a value that an option cannot have."""
    return ConfigError(f"{name} = {shortened(repr(value))} {found}. {remedy}, or leave {name} out.")
