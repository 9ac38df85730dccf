"""Words by which kinds of behaviour are found, in both languages: their labels, and what else people call them."""

from __future__ import annotations

from apidiff.database.scope import load_scope
from apidiff.messages.labels import LABELS

_SYNONYMS = {
    "in_place": "in place inplace mutates modifies overwrites overwritten 原地 就地 覆盖 改写",
    "writes": "in place inplace mutates modifies overwrites overwritten 原地 就地 覆盖 改写",
    "keeps": "unchanged untouched not modified 不变 未修改",
    "return_value": "returns return handle work 返回 句柄",
    "result_layout": "shape dimension stack concatenate 形状 维度 拼接",
    "error_behaviour": "raises raise exception error throw hang deadlock 异常 报错 抛出 挂起 死锁",
    "raises": "raise exception error throw 异常 报错 抛出",
    "aliases": "alias share storage same object view 共享 别名 内存",
    "backend_support": "backend device cpu gpu ascend unsupported 后端 设备 昇腾 不支持",
    "call_style": "primitive class construct call 原语 构造 调用",
    "member": "member attribute method value 成员 属性 方法 取值",
    "no_counterpart": "missing unavailable without alternative 缺失 没有 无 替代",
    "composed": "combine recipe workaround several calls 组合 替代 实现",
    "not_needed": "unnecessary omit remove drop 不需要 省略 删除",
    "silent": "silently unnoticed wrong result 静默 无提示 结果错误",
    "crash": "crashes crashed abort aborts segmentation fault 崩溃 段错误 中止",
    "timeout": "time out hang hangs stuck deadlock 超时 挂起 卡死 死锁",
    "unsupported": "not supported unavailable 不支持",
    "flaky": "unstable intermittent 不稳定 偶发",
    "deprecated": "deprecation outdated 弃用 废弃",
    "removed": "gone deleted 移除 删除",
    "documentation": "documentation document wrong 文档 错误",
}


def words_of(enumeration: str, value: str) -> str:
    """The words of one value of an enumeration, or of a category: ``words_of("difference", "in_place")``."""
    label = load_scope().categories[value] if enumeration == "category" else LABELS[f"{enumeration}.{value}"]
    return f"{value} {label.en} {label.zh} {_SYNONYMS.get(value, '')}"
