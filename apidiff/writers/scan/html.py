"""Writes a scan as one page of HTML that needs nothing else: no script, no file, no address is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from apidiff.messages.escape_invisible import file_name, visible
from apidiff.messages.labels import label
from apidiff.model.base import Language
from apidiff.porting.scan_report import FileShares, Finding, ScanReport
from apidiff.writers.scan.table import rows_by_risk
from apidiff.writers.scan.words import LABELS, counts, place, problem_text, title, words

_PLACES = 50  # of one difference
_STYLE = """
:root { color-scheme: light dark; --line: #8884;
  --verified: #2e7d32; --unsafe: #b26a00; --manual: #b3261e; --unknown: #6b7280;
  --silent: #b3261e; --error: #b26a00; --rewrite: #1b66c9; --none: #2e7d32; }
@media (prefers-color-scheme: dark) { :root { --verified: #66bb6a; --unsafe: #ffb74d; --manual: #ef9a9a; --unknown: #9ca3af;
  --silent: #ef9a9a; --error: #ffb74d; --rewrite: #90caf9; --none: #66bb6a; } }
body { font: 16px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { white-space: nowrap; }
td.n, th.n { text-align: end; font-variant-numeric: tabular-nums; }
.bar { display: flex; height: .8rem; min-width: 8rem; border-radius: .2rem; overflow: hidden; background: var(--line); }
.bar span { display: block; } .legend span { margin-inline-end: 1.2rem; white-space: nowrap; }
.key::before { content: ""; display: inline-block; width: .8em; height: .8em; border-radius: .15em; margin-inline-end: .4em;
  background: currentColor; }
.verified { color: var(--verified); } .unsafe { color: var(--unsafe); }
.manual { color: var(--manual); } .unknown { color: var(--unknown); }
.bar .verified { background: var(--verified); } .bar .unsafe { background: var(--unsafe); }
.bar .manual { background: var(--manual); } .bar .unknown { background: var(--unknown); }
.silent { color: var(--silent); } .error { color: var(--error); }
.rewrite { color: var(--rewrite); } .none { color: var(--none); }
details > summary { cursor: pointer; } ul { margin: .2rem 0; padding-inline-start: 1.2rem; }
"""


def scan_html(report: ScanReport, language: Language, *, everything: bool = False) -> str:
    """The page: shares, differences by risk, files with their shares, names without an answer, what could not be read."""
    findings = report.findings if everything else report.everyday()
    head = escape(title(report, language))
    parts = [
        "<!doctype html>",
        f'<html lang="{"en" if language == "en" else "zh-CN"}">',
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{head}</title><style>{_STYLE}</style></head>",
        f"<body><main><h1>{head}</h1>",
        *(f"<p>{escape(sentence)}</p>" for sentence in counts(report, language)),
        _bar(report.shares()),
        f'<p class="legend">{"".join(_legend(language))}</p>',
        *_differences(findings, language),
        *_files(report.files, language),
        *_unknown(report, language),
        *_problems(report, language),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _bar(shares: dict[str, int]) -> str:
    total = sum(shares.values()) or 1
    spans = "".join(f'<span class="{name}" style="width:{100 * shares[name] / total:.2f}%"></span>' for name in LABELS)
    return f'<div class="bar" aria-hidden="true">{spans}</div>'


def _legend(language: Language) -> Iterator[str]:
    for name in LABELS:
        meaning = escape(label(f"scan.label_meaning.{name}", language))
        yield f'<span class="key {name}" title="{meaning}">{escape(label(f"scan.label.{name}", language))}</span>'


def _differences(findings: Sequence[Finding], language: Language) -> Iterator[str]:
    yield f"<h2>{escape(label('scan.heading.differences', language))}</h2>"
    if not findings:
        yield f"<p>{escape(words('scan.nothing', language))}</p>"
        return
    columns = ("risk", "uses", "source", "headline", "fix", "place")
    yield '<div class="scroll"><table><thead><tr>'
    yield "".join(_head(label(f"scan.column.{key}", language), number=key == "uses") for key in columns)
    yield "</tr></thead><tbody>"
    for row in rows_by_risk(findings):
        first = row.first
        target = f"<br>→&nbsp;{_code(first.target)}" if first.target else ""
        cells = [
            f'<td class="{first.risk}">{escape(label(f"risk.{first.risk}", language))}</td>',
            f'<td class="n">{len(row.places)}</td>',
            f"<td>{_code(first.source)}{target}</td>",
            f"<td>{escape(visible(first.headline.said_in(language)))}</td>",
            f'<td class="{first.fix}">{escape(label(f"scan.label.{first.fix}", language))}</td>',
            f"<td>{_places(row.places)}</td>",
        ]
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _places(findings: Sequence[Finding]) -> str:
    if len(findings) == 1:
        return _code(place(findings[0]))
    items = "".join(f"<li>{_code(place(one))}</li>" for one in findings[1:_PLACES])
    more = "<li>…</li>" if len(findings) > _PLACES else ""
    return f"<details><summary>{_code(place(findings[0]))}</summary><ul>{items}{more}</ul></details>"


def _files(files: Sequence[FileShares], language: Language) -> Iterator[str]:
    used = [file for file in files if file.references]
    if not used:
        return
    yield f"<h2>{escape(label('scan.heading.files', language))}</h2>"
    yield '<div class="scroll"><table><thead><tr>'
    yield _head(label("scan.column.file", language)) + _head(label("scan.column.share", language))
    yield "".join(_head(label(f"scan.label.{name}", language), number=True) for name in LABELS)
    yield "</tr></thead><tbody>"
    for file in used:
        shares = {name: int(getattr(file, name)) for name in LABELS}
        numbers = "".join(f'<td class="n">{shares[name]}</td>' for name in LABELS)
        yield f"<tr><td>{_code(file_name(file.file))}</td><td>{_bar(shares)}</td>{numbers}</tr>"
    yield "</tbody></table></div>"


def _unknown(report: ScanReport, language: Language) -> Iterator[str]:
    names = sorted((-used.labels["unknown"], used.source) for used in report.apis if used.labels.get("unknown"))
    if names:
        yield f"<h2>{escape(words('scan.unknown', language, count=len(names)))}</h2><ul>"
        yield from (f"<li>{_code(name)} × {-uses}</li>" for uses, name in names)
        yield "</ul>"


def _problems(report: ScanReport, language: Language) -> Iterator[str]:
    if report.problems:
        yield f"<h2>{escape(label('scan.heading.problems', language))}</h2><ul>"
        for problem in report.problems:
            yield f"<li>{escape(visible(problem_text(problem, language)))}</li>"
        yield "</ul>"


def _head(text: str, *, number: bool = False) -> str:
    return f'<th scope="col"{" class=n" if number else ""}>{escape(text)}</th>'


def _code(text: str) -> str:
    return f"<code>{escape(visible(text))}</code>"
