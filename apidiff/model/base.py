"""The one base of all authored records: frozen, keyword-only, unknown keys refused."""

from typing import Annotated, Literal

import msgspec

Slug = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$(?!\n)", max_length=100, description="lower-case words joined by '-'"
    ),
]
DottedName = Annotated[
    str, msgspec.Meta(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$(?!\n)", max_length=200, description="full dotted name")
]
Language = Literal["en", "zh"]
NonEmpty = Annotated[str, msgspec.Meta(min_length=1)]
# Pages link to it, and exports hand it on: browsers run the code in one that begins with javascript:.
Address = Annotated[
    str, msgspec.Meta(pattern=r"^https?://[^\s/]\S*$(?!\n)", max_length=2_000, description="address: http or https")
]
AddressOrNone = Annotated[
    str, msgspec.Meta(pattern=r"^(https?://[^\s/]\S*)?$(?!\n)", max_length=2_000, description="address, or empty")
]
Script = Annotated[
    str, msgspec.Meta(pattern=r"^[A-Za-z0-9_./-]{1,200}$(?!\n)", description="a path below executable_examples/")
]
# What `Version` takes; behind `$` Python would take a line break, which that does not.
ReleaseVersion = Annotated[
    str,
    msgspec.Meta(pattern=r"^[0-9]{1,5}(\.[0-9]{1,5}){0,2}$(?!\n)", description="a release such as '2.10' or '2.7.1'"),
]
# `datetime.timedelta` takes no more than 1e14; nobody waits for a day.
Seconds = Annotated[float, msgspec.Meta(ge=0, le=86400, description="seconds, at most a day")]
# A place a value can be seen at: an argument, the returned object, an element of one, a tensor that an object holds.
Slot = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z_]\w*(\[[0-9]{1,3}\]|\.[A-Za-z_]\w*){0,8}$(?!\n)",  # values up to an index are made up
        description="'tensor', 'tensor_list[0]', 'return', 'return[0]', 'p2p_op_list[1].tensor'",
    ),
]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """An authored record. Decoding one with an unknown key fails.

    ``gc=False``: records hold no reference back to what holds them, so the collector need not visit each.
    """


class Text(Record, frozen=True, kw_only=True):
    """Prose in both languages; neither may be empty."""

    en: NonEmpty
    zh: NonEmpty

    def said_in(self, language: Language) -> str:
        """The prose in one of the languages."""
        return self.en if language == "en" else self.zh
