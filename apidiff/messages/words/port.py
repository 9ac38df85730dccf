"""Porting a snippet."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    # The box.
    "port.label": _t("PyTorch code", "PyTorch 代码"),
    "port.private": _t(
        "Nothing leaves your browser: the code is parsed on this page and sent nowhere. It is kept in this tab until you "
        "close it.",
        "代码不会离开浏览器：解析在本页完成，不会发送到任何地方。代码只保存在当前标签页，关闭后即清除。",
    ),
    "port.sample": _t("Try a sample", "试用示例"),
    "port.clear": _t("Clear", "清空"),
    "port.loading": _t("Loading the parser …", "正在加载解析器……"),
    "port.failed": _t(
        "The parser could not be loaded. Click into the box to try again.", "解析器加载失败，请点击输入框重试。"
    ),
    # What all finds come to.
    "port.versions": _t("PyTorch {torch} → MindSpore {mindspore}", "由 PyTorch {torch} 到 MindSpore {mindspore}"),
    "port.summary": _t("Places: {places}, known APIs: {apis}", "共 {places} 处，涉及 {apis} 个已收录的 API"),
    "port.summary.risk": _t("{risk}: {count}", "{risk}：{count} 处"),
    "port.summary.unknown": _t("not in the database: {count}", "未收录：{count} 个"),
    "port.nothing": _t(
        "Nothing of torch.distributed or torch.nn.parallel is used here, as far as imports and assignments tell.",
        "按导入和赋值语句判断，这段代码没有用到 torch.distributed 和 torch.nn.parallel 中的名称。",
    ),
    "port.unknown": _t("Not in the database", "未收录的名称"),
    "port.unknown.short": _t("unknown", "未收录"),
    "port.unknown.here": _t("The database has nothing about it.", "数据库中没有它的信息。"),
    "port.copy": _t("Copy as Markdown", "复制为 Markdown"),
    "port.copied": _t("Copied.", "已复制。"),
    "port.copy_by_hand": _t(
        "The browser does not allow copying: copy the text below.", "浏览器不允许自动复制，请手动复制下面的文本。"
    ),
    "port.report.title": _t("Porting report", "移植报告"),
    # What must be known to trust the finds.
    "port.note.star": _t(
        "Line {line}: the star import is assumed to bind every name of {name} that the database knows, and no other.",
        "第 {line} 行：假定星号导入绑定 {name} 中所有已收录的名称，且不绑定其他名称。",
    ),
    "port.note.star_other": _t(
        "Line {line}: the star import from {name} is assumed to bind none of the names used here.",
        "第 {line} 行：假定从 {name} 的星号导入不会绑定这里用到的名称。",
    ),
    "port.note.assumed": _t(
        "Line {line}: {name} is bound nowhere in this code and is taken for {value}.",
        "第 {line} 行：这段代码没有绑定 {name}，按 {value} 处理。",
    ),
    "port.note.deep": _t(
        "Line {line}: an expression is nested so deeply that its inner part was left out.",
        "第 {line} 行：表达式嵌套过深，内层部分未分析。",
    ),
    "port.note.errors": _t(
        "Not all of this is valid Python (places: {count}, the first on line {line}); the rest was analysed all the same.",
        "部分内容不是有效的 Python 代码（{count} 处，第一处在第 {line} 行），其余部分照常分析。",
    ),
    # The code and the finds.
    "port.code": _t("The code, marked", "标注后的代码"),
    "port.finds": _t("Found", "标注列表"),
    "port.mark": _t("{code}: find {number}, {risk}", "{code}：第 {number} 处标注，{risk}"),
    "port.all": _t("Show {count} more", "再显示 {count} 处"),
    "port.line": _t("line {line}", "第 {line} 行"),
    "port.place": _t("Line {line}, column {column}", "第 {line} 行第 {column} 列"),
    "port.role.call": _t("a call of", "调用"),
    "port.role.name": _t("a use of", "使用"),
    "port.role.import": _t("an import of", "导入"),
    "port.no_answer": _t("Nothing is recorded for MindSpore {mindspore}.", "没有 MindSpore {mindspore} 的记录。"),
    "port.member.unknown": _t("The database does not know the member {name}.", "数据库中没有成员 {name} 的信息。"),
    "port.member.none": _t("It has no member in the place of {name}.", "其中没有与 {name} 对应的成员。"),
    "port.member.absent": _t("No such member in {version}.", "{version} 中没有此成员。"),
    "port.member.missing": _t("PyTorch {version} has no such member.", "PyTorch {version} 中没有此成员。"),
    "port.missing": _t("The source of PyTorch {version} has no such API.", "PyTorch {version} 的源码中没有此 API。"),
    "port.why": _t("Why", "原因"),
    "port.instead": _t("Instead", "替代做法"),
    "port.uses": _t("With", "用到的 API"),
    "port.others": _t("Also there", "另有"),
    "port.first": _t("About what is passed here", "与此处传入的内容有关"),
    "port.first.member": _t("About this member", "与该成员有关"),
    "port.also": _t("Also", "此外"),
    "port.differences": _t("Differences", "差异"),
    "port.more": _t("{count} more", "另外 {count} 条"),
    "port.apart": _t("About parameters that are not passed here: {count}", "与此处未传入的参数有关：{count} 条"),
    "port.apart.member": _t("About other members: {count}", "与其他成员有关：{count} 条"),
    "port.no_difference": _t("No difference is recorded that matters here.", "没有记录到与此处有关的差异。"),
    "port.page": _t("All about {name}", "{name} 的详细说明"),
}
