"""Who measured, in their own words: somebody, and nobody that looks like another."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import measurer_names
from apidiff.database.measurer_names import name_fault
from apidiff.errors import DataError

# (who measured, in their words, whether that is somebody)
SOMEBODY = [
    ("Team A, 8 × H200", True),
    ("somebody with NVIDIA H200", True),
    ("本项目组之外的人", True),
    ("this project's friends", True),
    ("🅐 lab of 木村", False),
    *((name, False) for name in ("Maintainers", "MAINTAINERS", "The Maintainers", "maintainer")),
    *((f"a lab{sign}", False) for sign in "<>`*[]|~\\${}=^🙂"),
    ("", False),
    (" \t\u00a0", False),
    ("—", False),
    ("-1", False),
    ("4 × 8", False),
    ("3M", True),
    ("THIS PROJECT", False),
    ("\uff34his-project", False),
    ("本 项 目", False),
    ("华为昇腾实验室", True),
    ("лаборатория", True),
    ("חיים", True),
    ("Gyo\u030br Lab", True),
    ("Müller’s Lab, ʻOkina", True),
    ("東京の研究所", True),
    *(
        (words, True)
        for words in (
            "Huawei CANN team",
            "A lab of 木村 in 日本",
            "未来实验室",
            "南京大学 PASA",
            "O'Neil Lab",
            "O’Neil Lab",
            "the labs' cluster",
            "designed systems group",
            "Resigned Labs",
            "Signe Dahl",
            "项目组 A",
            "PyTorch CI",
            "昇腾 910B（实验室）",
        )
    ),
]

# (who measured, in words that look like others, why that is refused)
IMITATED = [
    ("this proјect", "names nobody"),
    ("thіs project", "names nobody"),
    ("this projеct of ours", "mixes letters of Cyrillic and Latin in 'projеct'"),
    ("this​project's CI", "a character that nobody sees (U+200B)"),
    ("a labㅤ", "a character that nobody sees (U+3164)"),
    ("‮gnikam a", "a character that nobody sees (U+202E)"),
    ("apidiff maintainers, CI", "is named after this project"),
    ("ａｐidiff", "is named after this project"),
    # Lisu, Cherokee, mathematical and small capitals, marks, digits and capitals: each looks like it in some font.
    *(
        (words, "is named after this project")
        for words in ("ꓮꓑꓲꓓꓲꓝꓝ", "𝖺𝗉𝗂𝖽𝗂𝖿𝖿 CI", "ᴀᴘɪᴅɪꜰꜰ", "áp̣idiff", "ApıDıff", "ap1dlff")
    ),
    *((words, "names nobody") for words in ("this pr0ject", "thls project", "this projec𝗍", "ᴛhis project")),
    ("VERIFlED by a lab", "says what only a signature can show"),
    ("signed by Huawei (verified)", "says what only a signature can show"),
    ("华为（已验证）", "says what only a signature can show"),
    *(
        (words, "names nobody")
        for words in ("this pr○ject", "†his project", "7hi5 pr0j3ct", "本专案", "我们项目", "官方")
    ),
    *((words, "is named after this project") for words in ("this repo's CI", "本仓库 CI", "我们的项目 CI")),
    *((words, "says what only a signature can show") for words in ("§igned", "verif⋮ed", "已签 A")),
    *((words, "names nobody") for words in ("The Project", "C.I.", "СI", "maintainers", "the maintainers.", "維護者")),
    *((words, "names nobody") for words in ("本項目", "本專案", "本頂目", "本 顶 目")),
    *(
        (words, "says what only a signature can show")
        for words in (
            "signed Huawei",
            "signature valid: Huawei",
            "in this project's list of its own records",
            "已簽名",
            "己验证",
            "巳签署",
            "Lab (signed)",
            "Lab [signed]",
            "signed: Lab",
            "signed.",
            "SIGNED/Lab",
            "Lab_signed",
            "siɡned",
            "s1gned",
            "已验签",
            "已签字",
            "s!gned",
            "sígned by",
            "a lab, 🅥🅔🅡🅘🅕🅘🅔🅓",
            "Lab 🆂🅸🅶🅽🅴🅳",
            "verᷛified by Lab",
            "已騐证",
            *("已核實", "簽過名", "自有紀錄", "已驗証", "官方認証", "驗籤", "籤名", "签暑"),
            "𝗌𝗂𝗀𝗇𝖾𝖽",
            "known signer, Lab",
        )
    ),
    *(
        (words, "is named after this project")
        for words in (
            "made by this project's CI",
            "This pr0ject’s CI",
            "This Projects CI",
            "由本項目測得",
            "本项目的 CI",
            "this project CI",
            "This Project, CI",
            "CI of this-project",
            "本项目组",
            "CI（本项目）",
            "本项目持续集成",
            "夲项目 CI",
            "由此项目测得",
            "该项目的 CI",
            "this project's friends, and this project",
            "ap!diff",
            "ap¡diff",
            "apidi∫∫",
            "api∂iff",
            "ap🆔iff",
            "🅐🅟🅘🅓🅘🅕🅕 CI",
            "🅰🅿🅸🅳🅸🅵🅵 lab",
            "🇦🇵🇮🇩🇮🇫🇫 lab",
            "🅣🅗🅘🅢 🅟🅡🅞🅙🅔🅒🅣 lab",
            "本项日 CI",
            "木项目 CI",
        )
    ),
    *((words, "names nobody") for words in ("此项目", "该项目", "該項目", "該專案", "本頊目", "[this project]")),
    *((words, "as HTML writes it") for words in ("Ada Lab &#8221; (signed)", "Lab &rdquo;, ours", "Lab&amp;#8221;")),
    *(
        (words, "holds a quotation mark")
        for words in (
            "Lab” (signed), “Huawei",
            'Lab", this project, "',
            "Lab „x‟",
            "Lab «x»",
            "Lab ‹x›",
            "Lab 「x」",
            "Lab『x』",
            "Lab ＂x",
            "Lab´´ (signed)",
            "Lab΄΄ x",
            "Lab’ʼ x",
            "Lab’\u0301’ x",
            "Lab \u030b, ours",
            "Labᐥ, ours",
            "Lab ʺx",
            "Lab ″x",
            "Lab ''x",
            "Lab 〝x〞",
            "Lab ‘x’",
            "Lab 🙷, CI",
            "Lab ❟x",
            "Lab ⟪x⟫",
        )
    ),
    *(
        (f"a{mark}b", f"a character that nobody sees (U+{ord(mark):04X})")
        for mark in "\u034f\u00ad\u180b\ufe0f\U000e0101\U000e0041"
    ),
    ("a" * 300, "has more than 200 characters"),
    *((words, "begins with a dash") for words in ("-", "--", "-1", "--record", " -team", "-a lab", "–team", "－team")),
    *((words, "names nobody") for words in ("", " ")),
]


@pytest.mark.parametrize(("words", "why"), IMITATED)
def test_a_name_that_looks_like_another_is_refused(words: str, why: str) -> None:
    assert why in (name_fault(words) or "")


@pytest.mark.parametrize(("words", "expected"), SOMEBODY)
def test_who_measured_is_somebody(words: str, expected: bool) -> None:
    assert (name_fault(words) is None) is expected


@pytest.mark.parametrize("line", ["110000;0022", "-1;0022", "41;110000", "41", "x;22", "61;" + "62 " * 25])
def test_a_table_with_a_character_that_is_none_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    (tmp_path / "confusables.txt").write_text(f"{line}\n", "utf-8")
    monkeypatch.setattr(measurer_names, "DATA", tmp_path)
    measurer_names.confusables.cache_clear()
    try:
        with pytest.raises(DataError, match="is missing or damaged"):
            measurer_names.confusables()
    finally:
        measurer_names.confusables.cache_clear()
