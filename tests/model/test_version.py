"""Versions: order, precision, and what is no version; ranges looked up at one version."""

from __future__ import annotations

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apidiff.model.mapping import Target
from apidiff.model.ranges import status_at
from apidiff.model.version import Version, VersionError, is_recordable, release_of


@pytest.mark.parametrize(
    ("low", "high"), [("2.9", "2.10"), ("2.7.1", "2.7.2"), ("1.13", "2"), ("2.4.1", "2.4.10"), ("2.10", "2.10.1")]
)
def test_order(low: str, high: str) -> None:
    assert Version(low) < Version(high)


@pytest.mark.parametrize(
    ("asked", "release", "covers"),
    [
        ("2.10", "2.10.0", True),
        ("2.7", "2.7.2", True),
        ("2.7.1", "2.7.2", False),
        ("2", "2.10.0", True),
        ("2.1", "2.10.0", False),
    ],
)
def test_covers(asked: str, release: str, covers: bool) -> None:
    assert Version(asked).covers(Version(release)) is covers


@pytest.mark.parametrize(
    "text", ["", "2.x", "v2.1", "2.1.0.1", "2.13.0+cpu", "-1", "2..1", "²", "2.1rc1", "999999", "1" * 5000]
)
def test_no_version(text: str) -> None:
    with pytest.raises(VersionError, match=r"\AExpected a release version such as 2.10 or 2.7.1 but got '.{0,40}'\Z"):
        Version(text)


@given(st.text(max_size=12))
def test_any_text_is_a_version_or_refused(text: str) -> None:
    with contextlib.suppress(VersionError):
        assert str(Version(text)) == text


RANGES = [
    {"until": "2.3", "status": "available"},
    {"since": "2.4", "until": "2.8", "status": "current"},
    {"since": "2.9", "status": "deprecated"},
]
TARGET = msgspec.convert({"api": {"name": "a.b"}, "ranges": RANGES, "parameters": []}, Target)


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("1.0", "available"),
        ("2.3", "available"),
        ("2.3.1", "available"),
        ("2.4", "current"),
        ("2.8.2", "current"),
        ("2.9", "deprecated"),
        ("2.10", "deprecated"),
    ],
)
def test_status(version: str, status: str) -> None:
    found = status_at(TARGET, Version(version))
    assert found is not None
    assert found.value == status


def test_no_status_in_a_hole() -> None:
    holed = msgspec.convert({"api": {"name": "a.b"}, "ranges": RANGES[:1] + RANGES[2:], "parameters": []}, Target)
    assert status_at(holed, Version("2.5")) is None


# (version of a build, whether runs of it are recorded, the release it is of)
BUILDS = [
    ("2.13.0", True, "2.13.0"),
    ("2.13.0+cu130", True, "2.13.0"),
    ("2.13.0+cpu", True, "2.13.0"),
    ("2.7.0a0+5228986c39.nv25.05", True, "2.7.0"),
    ("2.8.0a0+git1234567", True, "2.8.0"),
    ("2.7.0a0", False, "2.7.0"),
    ("2.16.0.dev20261120+cpu", False, "2.16.0"),
    ("2.16.0a0.dev20261120+cpu", False, "2.16.0"),
    ("2.16.0rc1", False, "2.16.0"),
    ("2.16.0rc1+cu130", False, "2.16.0"),
]


@pytest.mark.parametrize(("build", "recorded", "release"), BUILDS)
def test_builds(build: str, recorded: bool, release: str) -> None:
    assert (is_recordable(build), release_of(build)) == (recorded, release)
