"""Pictures of what a collective does to each rank's buffers."""

from __future__ import annotations

from apidiff.messages.words import both as _t
from apidiff.model.base import Text

WORDS: dict[str, Text] = {
    "picture.title": _t("See it happen", "图解调用过程"),
    "picture.intro": _t(
        "Drawn from recorded runs. Before the call, the elements of rank 0 are 1, 2, 3, …, those of rank 1 are 10, 20, 30, …, "
        "and so on by tens, so a result shows which inputs went into it; output buffers hold -1. The digits under a value "
        "name the ranks it came from.",
        "根据运行记录绘制。调用之前，rank 0 的元素为 1、2、3……，rank 1 的元素为 10、20、30……，其余 rank 依次乘以 10，"
        "因此从结果可以看出用到了哪些输入；输出缓冲区预先填为 -1。数值下方的数字是它来自的 rank。",
    ),
    "picture.intro_texts": _t(
        "Drawn from recorded runs. Every rank sends a text with its number in it. The digits under a value name the ranks it "
        "came from.",
        "根据运行记录绘制。每个 rank 发送带有自身编号的文本。值下方的数字是它来自的 rank。",
    ),
    "picture.intro_no_buffers": _t(
        "Drawn from recorded runs. No buffer is passed to this call; what remains to be seen is what it returns.",
        "根据运行记录绘制。该调用不传入任何缓冲区，因此只显示返回值。",
    ),
    # The two columns, and what became of a buffer.
    "picture.before": _t("before the call", "调用前"),
    "picture.after": _t("after the call", "调用后"),
    "picture.after_wait": _t("after the wait", "等待完成后"),
    "picture.written": _t("written", "已写入"),
    "picture.unchanged": _t("unchanged", "未变"),
    "picture.fresh": _t("new memory", "新分配的内存"),
    "picture.shares": _t("shares memory with {names}", "与 {names} 共享内存"),
    "picture.unexpected": _t("unexpected", "意外写入"),
    "picture.unknown": _t("origin unknown", "来源未知"),
    "picture.returned": _t("returned {what}", "返回 {what}"),
    "picture.return": _t("returned value", "返回值"),
    "picture.partner": _t("the other end: {api}", "对端：{api}"),
    "picture.nothing": _t("takes no part", "不参与调用"),
    "picture.pending": _t(
        "The call has returned {what}. What the buffers held before the wait was not recorded.",
        "调用已返回 {what}。等待完成之前缓冲区的内容没有记录。",
    ),
    # Where there is nothing to see.
    "picture.unsupported": _t("not supported on {backend}", "{backend} 不支持"),
    "picture.raised": _t("raised", "抛出异常"),
    "picture.timeout": _t("no answer in time", "超时未应答"),
    "picture.crash": _t("crashed", "进程崩溃"),
    "picture.silent": _t("This rank did not answer.", "该 rank 没有应答。"),
    "picture.same_error": _t("the same error as on rank {rank}", "错误与 rank {rank} 相同"),
    "picture.lost": _t("What the buffers hold after an error was not recorded.", "出错之后缓冲区的内容没有记录。"),
    "picture.flaky": _t(
        "Two tries did not come out the same; this is the first.", "两次尝试的结果不同，这里显示第一次。"
    ),
    "picture.no_target": _t(
        "No single MindSpore call replaces this one in {version}.", "MindSpore {version} 中没有可直接替代它的单个接口。"
    ),
    "picture.no_scene": _t("No run of {api} with these settings is recorded.", "没有 {api} 在该设置下的运行记录。"),
    # The legend.
    "picture.legend": _t("How to read the picture", "图例"),
    "picture.legend_rank": _t("came from this rank", "来自该 rank"),
    "picture.legend_sum": _t("sum over ranks 0 and 2", "rank 0 与 rank 2 之和"),
    "picture.legend_written": _t("an argument that the call wrote", "被调用写入的参数"),
    "picture.legend_unchanged": _t("an argument that kept its values", "值未变的参数"),
    "picture.legend_fresh": _t("new memory that the call made", "调用新分配的内存"),
    "picture.legend_shares": _t("memory shared with an argument", "与某个参数共享的内存"),
    "picture.legend_unexpected": _t(
        "written although a document or another claim says that it is left alone",
        "按文档或其他论断本应保持不变，却被写入",
    ),
    "picture.legend_unknown": _t(
        "no input explains the value, or more than one does", "没有输入能解释该值，或有多种解释"
    ),
    # The table with the same facts.
    "picture.table": _t("As a table", "以表格显示"),
    "picture.column_buffer": _t("buffer", "缓冲区"),
    "picture.column_happened": _t("what happened", "发生了什么"),
    "picture.column_origin": _t("where the values came from", "值的来源"),
    "picture.run": _t("Run record", "运行记录"),
    # What script adds.
    "picture.controls": _t("What the picture shows", "图中显示的内容"),
    "picture.size": _t("Ranks", "rank 数"),
    "picture.mode": _t("Call", "调用方式"),
    "picture.sync": _t("sync", "同步"),
    "picture.async": _t("async", "异步"),
    "picture.target": _t("MindSpore call", "MindSpore 接口"),
    "picture.place": _t("Backend of {framework}", "{framework} 的后端"),
    "picture.step": _t("Step", "步骤"),
    "picture.back": _t("Step back", "上一步"),
    "picture.forward": _t("Step forward", "下一步"),
    "picture.play": _t("Play", "播放"),
    "picture.stop": _t("Stop", "停止"),
    "picture.step_called": _t("the call has returned, nothing was waited for", "调用已返回，尚未等待"),
    "picture.hint": _t(
        "Point at a value, or move between values with the arrow keys, to see which inputs made it.",
        "将指针移到某个值上，或用方向键在各个值之间移动，即可查看它由哪些输入得到。",
    ),
    "picture.tell_copy": _t(
        "{place} = {value}: a copy of {buffer} of rank {ranks}", "{place} = {value}：复制自 rank {ranks} 的 {buffer}"
    ),
    "picture.tell_sum": _t(
        "{place} = {value}: the sum of {buffer} over ranks {ranks}", "{place} = {value}：rank {ranks} 的 {buffer} 之和"
    ),
    "picture.tell_kept": _t("{place} = {value}: as before the call", "{place} = {value}：与调用前相同"),
    "picture.tell_unknown": _t("{place} = {value}: origin unknown", "{place} = {value}：来源未知"),
    "picture.tell_input_none": _t(
        "{place} = {value}: before the call; went into no value", "{place} = {value}：调用前的值，后来没有用于任何值"
    ),
    "picture.tell_input_one": _t(
        "{place} = {value}: before the call; went into one value", "{place} = {value}：调用前的值，后来用于 1 个值"
    ),
    "picture.tell_input": _t(
        "{place} = {value}: before the call; went into {count} values",
        "{place} = {value}：调用前的值，后来用于 {count} 个值",
    ),
    "picture.tell_unexpected": _t("; this rank was to leave the buffer alone", "；该 rank 本不应改动这个缓冲区"),
    "picture.not_recorded": _t(
        "No run with {framework} {version} is recorded; this is from runs of {shown}.",
        "没有 {framework} {version} 的运行记录，这里显示 {shown}。",
    ),
}
