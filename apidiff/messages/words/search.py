"""Searching, and the table of all mappings."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    # The search box and the search page.
    "search.results": _t("Results", "搜索结果"),
    "search.loading": _t("Loading the index…", "正在加载索引……"),
    "search.failed": _t("The index could not be loaded.", "索引加载失败。"),
    "search.count": _t("{n} results", "共 {n} 条结果"),
    "search.one": _t("1 result", "共 1 条结果"),
    "search.nothing": _t("Nothing was found for “{q}”.", "没有找到与“{q}”相关的内容。"),
    "search.near": _t("No exact match for “{q}”. Nearest:", "没有与“{q}”完全匹配的结果。最接近的有："),
    "search.all": _t("All {n} results", "查看全部 {n} 条结果"),
    "search.more": _t("Show more", "显示更多"),
    "search.keys": _t(
        "Press / on any page to search; arrows choose, Enter opens, Escape closes.",
        "在任意页面按 / 键即可搜索；方向键选择，Enter 打开，Esc 关闭。",
    ),
    "search.mapping": _t("PyTorch API", "PyTorch API"),
    "search.api": _t("MindSpore API", "MindSpore API"),
    "search.page": _t("Guide", "文档"),
    "search.python": _t("Python interface", "Python 接口"),
    "search.run": _t("Run record", "运行记录"),
    "search.serves": _t("Answers {names}.", "对应 {names}。"),
    "site.more": _t("More", "更多"),
    # The table of all mappings.
    "table.column.api": _t("PyTorch API", "PyTorch API"),
    "table.column.target": _t("Target", "目标"),
    "table.column.category": _t("Category", "类别"),
    "table.column.risk": _t("Risk", "风险"),
    "table.column.status": _t("Status", "状态"),
    "table.column.backends": _t("Run on", "运行后端"),
    "table.column.verdict": _t("Worst verdict", "最差结论"),
    "table.filters": _t("Filter the table", "筛选表格"),
    "table.text": _t("Name or target", "名称或目标"),
    "table.in_torch": _t("Only APIs in PyTorch", "仅限此 PyTorch 版本"),
    "table.any": _t("Any", "不限"),
    "table.reset": _t("Reset the table", "重置表格"),
    "table.shown": _t("{shown} of {all} APIs", "显示 {shown} 个，共 {all} 个 API"),
    "table.about": _t(
        "Answers for MindSpore {version}, as chosen at the top of the page.",
        "以下是 MindSpore {version} 上的答案，版本在页面顶部选择。",
    ),
    "table.not_run": _t(
        "{framework} {version} was not run: the table has no verdict of it.",
        "没有在 {framework} {version} 上运行过，表中没有它的结论。",
    ),
    "table.other_runs": _t(
        "{framework} {version} was not run; the verdicts on PyTorch APIs are from {framework} {versions}.",
        "没有在 {framework} {version} 上运行过，PyTorch API 的结论来自 {framework} {versions}。",
    ),
    "table.no_target": _t("no target recorded", "没有记录目标"),
    "table.no_names": _t("none", "无"),
    "table.not_recorded": _t("not recorded", "没有记录"),
    "table.none": _t("No API fits these filters.", "没有符合筛选条件的 API。"),
}
