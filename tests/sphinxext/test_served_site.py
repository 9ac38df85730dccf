"""The server of the built site: what it answers, its port, its connections."""

from __future__ import annotations

import contextlib
import errno
import http.client
import io
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from threading import Thread

import pytest

from apidiff import site_builder as site
from apidiff import site_server
from apidiff.standard_streams import print_text


def test_serving_what_is_not_built_says_how_to_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert site.main(["serve", "--output", str(tmp_path)]) == 2
    assert "Build it first: make site" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pipe", "to-a-pipe", "nowhere", "x" * 300, "%00"])
def test_what_is_no_file_is_not_found_and_not_waited_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "index.html").write_text("here")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-a-pipe").symlink_to("pipe")
    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{name}", timeout=20)
        assert answer.value.code == 404
        server.shutdown()


# an address, what is answered
LINKS = [
    ("out", (404, b"no page")),
    ("out-folder/secret", (404, b"no page")),
    ("out-folder/", (404, b"no page")),
    ("shows-out/", (404, b"no page")),
    ("beside/secret", (404, b"no page")),
    ("in", (200, b"here")),
    ("in-folder/page.html", (200, b"a page")),
    ("folder/", (200, b"here")),
    ("", (200, b"here")),
]


@pytest.mark.parametrize(("address", "answered"), LINKS)
@pytest.mark.parametrize("behind_link", [False, True])
def test_no_link_is_followed_out_of_the_site(
    tmp_path: Path, address: str, answered: tuple[int, bytes], behind_link: bool
) -> None:
    folder, other = tmp_path / "site", tmp_path / "site-not"
    for made in (folder / "folder", folder / "shows-out", other):
        made.mkdir(parents=True)
    for name, text in {"index.html": "here", "404.html": "no page", "folder/page.html": "a page"}.items():
        (folder / name).write_text(text)
    (other / "secret").write_text("a key")
    links = {
        "out": "../site-not/secret",
        "out-folder": other,
        "beside": "../site-not",
        "shows-out/index.html": other / "secret",
    }
    for name, goal in (
        links | {"in": "index.html", "in-folder": "folder", "folder/index.html": "../index.html"}
    ).items():
        (folder / name).symlink_to(goal)
    (tmp_path / "link").symlink_to("site")
    with site_server.start_server(tmp_path / "link" if behind_link else folder, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)) as connection:
            connection.request("GET", f"/{address}")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == answered
        server.shutdown()


def test_a_page_for_wrong_addresses_outside_the_site_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("here")
    (tmp_path / "key").write_text("a key")
    (tmp_path / "site" / "404.html").symlink_to("../key")
    with site_server.start_server(tmp_path / "site", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/nowhere", timeout=20)
        assert (answer.value.code, b"a key" in answer.value.read()) == (404, False)
        server.shutdown()


def test_a_page_for_wrong_addresses_that_is_far_too_large_is_done_without(tmp_path: Path) -> None:
    """One of gigabytes of zeros took as much memory, or ended in a traceback; packed it has three megabytes."""
    (tmp_path / "index.html").write_text("here")
    with (tmp_path / "404.html").open("wb") as page:
        page.truncate(200 * 2**30)
    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/nowhere", timeout=20)
        assert (answer.value.code, b"File not found" in answer.value.read()) == (404, True)
        server.shutdown()


def test_as_many_connections_as_may_be_take_no_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no more files may be open, the server asked for the next connection again and again at once."""
    (tmp_path / "index.html").write_text("here")
    asked = []

    def accept(_socket: object) -> None:
        asked.append(1)
        raise OSError(errno.EMFILE, "Too many open files")

    with site_server.start_server(tmp_path, 0) as server:
        with monkeypatch.context() as patched, socket.create_connection(("127.0.0.1", server.server_port), timeout=20):
            patched.setattr(socket.socket, "accept", accept)
            Thread(target=server.serve_forever, daemon=True).start()
            time.sleep(1)
        assert 1 <= len(asked) <= 20
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/", timeout=20) as reply:
            assert reply.read() == b"here"
        server.shutdown()


def test_more_connections_than_a_reader_has_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index.html").write_text("here")
    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(site_server._Server, "_most", threading.active_count() + 1)
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as first:
            first.sendall(b"GET / HTTP/1.1\r\n")
            with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as second:
                assert second.recv(1) == b""
        server.shutdown()


@pytest.mark.parametrize("moment", [-(2**60), 253402300800, 2**60])
def test_a_file_of_a_time_that_no_date_says_is_served(
    tmp_path: Path, moment: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("here")
    real = os.fstat

    def fstat(file: int) -> os.stat_result:  # few file systems keep such a time
        found = list(real(file))
        return os.stat_result([*found[:8], moment, found[9]])

    monkeypatch.setattr("http.server.os.fstat", fstat)
    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        asked = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/index.html")
        asked.add_header("If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT")
        with urllib.request.urlopen(asked, timeout=20) as answer:
            assert (answer.status, answer.read()) == (200, b"here")
        server.shutdown()
    assert capsys.readouterr().err == ""


def test_where_no_thread_can_be_started_a_connection_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("here")

    def process(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(site_server._Server, "process_request", process)
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as closed:
            assert closed.recv(1) == b""
        server.shutdown()
    assert capsys.readouterr().err == ""


def test_a_file_that_cannot_be_read_to_its_end_closes_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("here")
    monkeypatch.setattr("http.server.shutil.copyfileobj", _fail)
    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        answer = urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/index.html", timeout=20)
        with answer, pytest.raises(http.client.IncompleteRead):
            answer.read()
        server.shutdown()
    assert capsys.readouterr().err == ""


def _fail(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_a_page_for_wrong_addresses_that_cannot_be_read_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("here")
    (tmp_path / "404.html").write_text("no page")
    monkeypatch.setattr(site_server, "read_regular", _fail)
    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/nowhere", timeout=20)
        assert answer.value.code == 404
        assert b"File not found" in answer.value.read()
        server.shutdown()


# encoding of standard output, name of a folder, how it is shown
NAMES = [("utf-8", "a\udcff", b"a\\udcff"), ("ascii", "站", b"\\u7ad9"), ("utf-8", "站", "站".encode())]


@pytest.mark.parametrize(("encoding", "name", "shown"), NAMES)
def test_a_name_that_standard_output_has_no_letters_for_is_escaped(
    encoding: str, name: str, shown: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
    print_text(name)
    assert written.getvalue() == shown


def test_server_takes_a_free_port_where_its_own_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("here")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with site_server.start_server(tmp_path, port) as server:
            assert server.server_port != port
            assert server.server_address[0] == "127.0.0.1"
            Thread(target=server.serve_forever, daemon=True).start()
            with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/") as reply:
                assert reply.read() == b"here"
            server.shutdown()


def test_a_connection_that_says_nothing_more_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_server._Handler, "timeout", 0.2)
    (tmp_path / "index.html").write_text("here")
    with site_server.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
            assert slow.recv(1) == b""
        server.shutdown()


def test_a_reader_who_leaves_half_way_is_not_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_bytes(bytes(2**26))
    with site_server.start_server(tmp_path, 0) as server:
        server.daemon_threads = False  # so that closing it waits for the thread of the connection
        Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as leaving:
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            leaving.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert leaving.recv(1)
        server.shutdown()
    assert capsys.readouterr().err == ""


# Ends the server by a signal that another thread takes, as one that waits since the process was stopped may be.
ELSEWHERE = """
import os, signal, sys, threading, time
from apidiff import site_builder
from apidiff.ending_signals import end_in_order

def send():
    time.sleep(3)
    os.kill(os.getpid(), signal.SIGTERM)

end_in_order()
threading.Thread(target=send, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
sys.exit(site_builder.main(["serve", "--port", "0", "--output", sys.argv[1]]))
"""


def test_a_signal_that_another_thread_takes_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("here")
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    assert subprocess.run(command, timeout=60, check=False, capture_output=True).returncode == 143


def test_an_encoding_in_which_no_text_is_written_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "apidiff.site_builder", "serve", "--output", str(tmp_path)]
    variables = os.environ | {"PYTHONIOENCODING": "idna"}
    done = subprocess.run(command, env=variables, timeout=60, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        "Python cannot write text in the encoding 'idna'. Set PYTHONIOENCODING=utf-8.\n",
    )


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--help", "The output cannot be written (No space left on device). Make room, or send it elsewhere.\n"),
        ("--helped", "error: the following arguments are required: command\n"),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_help_that_cannot_be_written_is_told(option: str, told: str, unbuffered: str) -> None:
    command = [sys.executable, "-m", "apidiff.site_builder", option]
    with Path("/dev/full").open("w") as full:
        variables = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, text=True, env=variables)
    assert done.returncode == 2
    assert done.stderr.endswith(told)
    assert done.stderr.count("\n") == told.count("\n") + (option == "--helped")


def test_an_error_that_cannot_be_told_has_its_exit_code(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "apidiff.site_builder", "serve", "--output", str(tmp_path)]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, stdout=full, stderr=full, timeout=60, check=False).returncode == 2
