"""Phrase templates: one sentence per claim, in English and in Chinese, made from its data."""

from __future__ import annotations

import msgspec

from apidiff.messages.conditions import condition
from apidiff.messages.upstream_status import listed_words
from apidiff.model import AliasKind, Api, ApiKind, Claim, Formula, RankSet, Text
from apidiff.model.claim import (
    Aliases,
    Completes,
    Corresponds,
    Equals,
    Keeps,
    Lacks,
    LacksMember,
    Member,
    Parameter,
    Prints,
    Raises,
    Result,
    Returns,
    Writes,
)
from apidiff.model.probe_resolution import is_partial

_RANKS_EN = {
    RankSet.ALL: "on every rank",
    RankSet.ROOT: "on rank `{root}`",
    RankSet.OTHERS: "on every rank but `{root}`",
    RankSet.MEMBERS: "on every rank of the group",
    RankSet.OUTSIDERS: "on ranks outside the group",
    RankSet.CALLERS: "on each rank that makes the call",
    RankSet.PARTNERS: "on the rank at the other end",
}
_RANKS_ZH = {
    RankSet.ALL: "在所有 rank 上",
    RankSet.ROOT: "在 `{root}` 指定的 rank 上",
    RankSet.OTHERS: "在 `{root}` 以外的所有 rank 上",
    RankSet.MEMBERS: "在通信组内的所有 rank 上",
    RankSet.OUTSIDERS: "在不属于该通信组的 rank 上",
    RankSet.CALLERS: "在发起调用的 rank 上",
    RankSet.PARTNERS: "在对端 rank 上",
}
_SOME_EN = {
    RankSet.ALL: "on at least one rank",
    RankSet.OTHERS: "on at least one rank other than `{root}`",
    RankSet.CALLERS: "on at least one rank that makes the call",
}
_SOME_ZH = {
    RankSet.ALL: "在至少一个 rank 上",
    RankSet.OTHERS: "在 `{root}` 以外的至少一个 rank 上",
    RankSet.CALLERS: "在至少一个发起调用的 rank 上",
}

# What a result is: in English, in Chinese, and in symbols. X_r is the input on rank r, k the rank that looks, n the number
# of ranks, `root` the root rank, `peer` the rank at the other end.
FORMULAS: dict[Formula, tuple[str, str, str]] = {
    Formula.SUM: ("the element-wise sum of `{x}` over all ranks", "各 rank 传入的 `{x}` 逐元素相加之和", "Σ_r {x}_r"),
    Formula.MAX: (
        "the element-wise maximum of `{x}` over all ranks",
        "各 rank 传入的 `{x}` 逐元素的最大值",
        "max_r {x}_r",
    ),
    Formula.MIN: (
        "the element-wise minimum of `{x}` over all ranks",
        "各 rank 传入的 `{x}` 逐元素的最小值",
        "min_r {x}_r",
    ),
    Formula.PRODUCT: (
        "the element-wise product of `{x}` over all ranks",
        "各 rank 传入的 `{x}` 逐元素的乘积",
        "Π_r {x}_r",
    ),
    Formula.AVERAGE: (
        "the element-wise mean of `{x}` over all ranks",
        "各 rank 传入的 `{x}` 逐元素的平均值",
        "Σ_r {x}_r / n",
    ),
    Formula.CONCATENATED: (
        "the `{x}` of all ranks, joined along dimension 0",
        "各 rank 传入的 `{x}` 沿第 0 维拼接的结果",
        "concat_r {x}_r",
    ),
    Formula.STACKED: (
        "the `{x}` of all ranks, stacked along a new first dimension",
        "各 rank 传入的 `{x}` 沿新增的第 0 维堆叠的结果",
        "stack_r {x}_r",
    ),
    Formula.GATHERED: (
        "the list of the `{x}` of all ranks",
        "各 rank 传入的 `{x}` 组成的列表",
        "[{x}_0, …, {x}_(n-1)]",
    ),
    Formula.REDUCED_SLOT: (
        "the sum over all ranks of the element of `{x}` that belongs to this rank",
        "各 rank 传入的 `{x}` 中对应本 rank 的元素之和",
        "Σ_r {x}_r[k]",
    ),
    Formula.REDUCED_CHUNK: (
        "this rank's part, cut along dimension 0, of the sum of `{x}` over all ranks",
        "各 rank 传入的 `{x}` 之和沿第 0 维等分后属于本 rank 的那一份",
        "split(Σ_r {x}_r, n)[k]",
    ),
    Formula.EXCHANGED: (
        "the list of what every rank holds for this rank in `{x}`",
        "各 rank 传入的 `{x}` 中发给本 rank 的元素组成的列表",
        "[{x}_0[k], …, {x}_(n-1)[k]]",
    ),
    Formula.EXCHANGED_CHUNKS: (
        "this rank's parts, cut along dimension 0, of the `{x}` of all ranks, joined",
        "各 rank 传入的 `{x}` 沿第 0 维等分后属于本 rank 的各份拼接的结果",
        "concat_r split({x}_r, n)[k]",
    ),
    Formula.INPUT: ("the same values as `{x}` before the call", "调用前 `{x}` 的值", "{x}_k"),
    Formula.ZEROS: ("zeros in the shape of `{x}`", "与 `{x}` 形状相同的全零张量", "0 · {x}_k"),
    Formula.SHAPE_SAME: ("a tensor of the shape of `{x}`", "与 `{x}` 形状相同的张量", "shape = shape({x}_k)"),
    Formula.SHAPE_STACKED: (
        "a tensor whose first dimension is the number of ranks, followed by the shape of `{x}`",
        "形状比 `{x}` 多出第 0 维、且该维长度等于 rank 数的张量",
        "shape = (n, *shape({x}_k))",
    ),
    Formula.SHAPE_CONCATENATED: (
        "a tensor whose dimension 0 is that of `{x}` times the number of ranks",
        "第 0 维长度等于 `{x}` 的第 0 维长度乘以 rank 数的张量",
        "shape = (n·shape({x}_k)[0], …)",
    ),
    Formula.SHAPE_CHUNK: (
        "a tensor whose dimension 0 is that of `{x}` divided by the number of ranks",
        "第 0 维长度等于 `{x}` 的第 0 维长度除以 rank 数的张量",
        "shape = (shape({x}_k)[0]/n, …)",
    ),
    Formula.FROM_ROOT: ("the `{x}` of rank `{root}`", "`{root}` 指定的 rank 传入的 `{x}`", "{x}_root"),
    Formula.SCATTERED: (
        "this rank's element of the `{x}` of rank `{root}`",
        "`{root}` 指定的 rank 传入的 `{x}` 中对应本 rank 的元素",
        "{x}_root[k]",
    ),
    Formula.SCATTERED_CHUNK: (
        "this rank's part, cut along dimension 0, of the `{x}` of rank `{root}`",
        "`{root}` 指定的 rank 传入的 `{x}` 沿第 0 维等分后属于本 rank 的那一份",
        "split({x}_root, n)[k]",
    ),
    Formula.SENT: ("what the rank at the other end passes as `{x}`", "对端 rank 传入的 `{x}`", "{x}_peer"),
    Formula.RANK: ("the number of this rank in the group", "本 rank 在通信组中的编号", "k"),
    Formula.WORLD: ("the number of ranks in the group", "通信组的 rank 数", "n"),
    Formula.LENGTH_WORLD: ("one element per rank", "长度等于 rank 数的列表", "len = n"),
}


def symbols_of(result: Result) -> str:
    """What a result is, in symbols: ``Σ_r tensor_r``."""
    simple = result.of is None or result.of.isidentifier()
    return FORMULAS[result.formula][2].format(x=result.of if simple else f"({result.of})")


def phrase(claim: Claim, api: Api) -> Text:
    """The claim as one sentence in each language, with the condition under which its probes observe it in front."""
    en, zh = _body(claim, api)
    when = condition(claim, api)
    if when is None:
        return Text(en=f"{en[0].upper()}{en[1:]}.", zh=f"{zh}。")
    return Text(en=f"{when.en[0].upper()}{when.en[1:]}, {en}.", zh=f"{when.zh}，{zh}。")


def _body(claim: Claim, api: Api) -> tuple[str, str]:
    body = claim.body
    root = api.root or "root"
    everyone = RankSet.ALL
    if _narrow(claim, api):
        everyone = RankSet.CALLERS
        if getattr(body, "ranks", None) is RankSet.ALL:
            body = msgspec.structs.replace(body, ranks=everyone)
    match body:
        case Writes(argument=argument, ranks=ranks, some=some):
            en, zh = _ranks(ranks, root, some=some)
            return f"the call overwrites `{argument}` {en}", f"{zh}，`{argument}` 的内容会被改写"
        case Keeps(argument=argument, ranks=ranks):
            en, zh = _ranks(ranks, root)
            return f"`{argument}` keeps its values {en}", f"{zh}，`{argument}` 的内容保持不变"
        case Returns(structure=structure, ranks=ranks):
            en, zh = ("", "") if ranks is everyone else _ranks(ranks, root)
            said_en, said_zh = f"the call returns `{structure}`", f"调用返回 `{structure}`"
            if api.kind is ApiKind.CONSTANT:
                said_en, said_zh = f"it is a `{structure}`", f"它的类型为 `{structure}`"
            return said_en + (f" {en}" if en else ""), (f"{zh}，" if zh else "") + said_zh
        case Result(at=at, formula=formula, of=of, ranks=ranks):
            en, zh = (f"{words}{mark}" for words, mark in zip(_ranks(ranks, root), (", ", "，"), strict=True))
            words_en, words_zh = (text.format(x=of, root=root) for text in FORMULAS[formula][:2])
            if formula is Formula.SENT and ranks is RankSet.PARTNERS:
                words_en, words_zh = f"what the call passes as `{of}`", f"发起调用的 rank 传入的 `{of}`"
            place_en, place_zh = slot_words(at)
            holds = "is" if formula in {Formula.RANK, Formula.WORLD} else "holds"
            return (
                f"{en}{place_en} {holds} {words_en} (`{symbols_of(body)}`)",
                f"{zh}{place_zh.lstrip()}为{' ' if words_zh[0] == '`' else ''}{words_zh}（`{symbols_of(body)}`）",
            )
        case Equals(at=at, value=value, ranks=ranks):
            en, zh = ("", "") if ranks is everyone else _ranks(ranks, root)
            place_en, place_zh = slot_words(at)
            if api.kind is ApiKind.CONSTANT and at == "return":
                place_en, place_zh = "its value", "它的值"
            return f"{place_en} is `{value!r}`" + (f" {en}" if en else ""), (
                f"{zh}，" if zh else ""
            ) + f"{place_zh.lstrip()}为 `{value!r}`"
        case Raises(type=kind, ranks=ranks, some=some):
            en, zh = _ranks(ranks, root, some=some)
            return (
                f"the call raises {f'`{kind}`' if kind else 'an exception'} {en}",
                f"{zh}，调用会抛出{f' `{kind}`' if kind else '异常'}",
            )
        case Completes(ranks=ranks):
            en, zh = ("", "") if ranks is everyone else _ranks(ranks, root)
            return "the call completes without an exception" + (f" {en}" if en else ""), (
                f"{zh}，" if zh else ""
            ) + "调用正常完成，不抛异常"
        case Aliases(slot=slot, with_=other, share=share):
            (left_en, left_zh), (right_en, right_zh) = slot_words(slot), slot_words(other)
            left_zh = left_zh.lstrip()
            if slot == other:
                return f"{left_en} is still the object that was passed in", f"{left_zh}仍是传入的那个对象"
            return {
                AliasKind.OBJECT: (f"{left_en} is the same object as {right_en}", f"{left_zh}与{right_zh}是同一个对象"),
                AliasKind.STORAGE: (f"{left_en} shares memory with {right_en}", f"{left_zh}与{right_zh}共享内存"),
                AliasKind.NOTHING: (f"{left_en} shares no memory with {right_en}", f"{left_zh}与{right_zh}不共享内存"),
            }[share]
        case Parameter(name=name, default=default, required=required):
            if default is not None:
                return (
                    f"there is a parameter `{name}` with default `{default}`",
                    f"有参数 `{name}`，默认值为 `{default}`",
                )
            if required:
                return f"there is a parameter `{name}` without a default", f"有参数 `{name}`，没有默认值"
            return f"there is a parameter `{name}`", f"有参数 `{name}`"
        case Lacks(parameter=name):
            return f"there is no parameter `{name}`", f"没有参数 `{name}`"
        case Member(name=name):
            return f"there is a member `{name}`", f"有成员 `{name}`"
        case LacksMember(name=name):
            return f"there is no member `{name}`", f"没有成员 `{name}`"
        case Corresponds():
            return listed_words(body)
        case Prints(example=example):
            what_en, what_zh = ("recipe", "组合写法") if example.endswith("_recipe.py") else ("example", "示例")
            return (
                f"the {what_en} `{example}` prints what its docstring shows",
                f"{what_zh} `{example}` 的输出与其文档字符串所示一致",
            )
    raise TypeError(f"no phrase for {type(body).__name__}")


def _narrow(claim: Claim, api: Api) -> bool:
    """Whether all probes of a claim leave ranks out: then what is said of all ranks is said of those that call."""
    probes = [probe for probe in claim.probes if probe in api.probes]
    return bool(probes) and all(is_partial(api, probe) for probe in probes)


def slot_words(slot: str) -> tuple[str, str]:
    """A slot as a reader names it, in English and Chinese: ``return[0]`` is element 0 of the returned value.

    ``return.tensor`` is an attribute of the returned object.
    """
    if not slot.startswith("return"):
        return f"`{slot}`", f" `{slot}` "
    if slot.startswith("return."):
        attribute = slot.removeprefix("return.")
        return f"`{attribute}` of the returned object", f"返回对象的 `{attribute}` "
    index = slot.removeprefix("return").strip("[]").replace("][", ".")
    places = "中的".join(f"第 {place} 个元素" for place in index.split("."))
    return (
        (
            f"{' of '.join(f'element {place}' for place in reversed(index.split('.')))} of the returned value",
            f"返回值的{places}",
        )
        if index
        else ("the returned value", "返回值")
    )


def _ranks(ranks: RankSet, root: str, *, some: bool = False) -> tuple[str, str]:
    en = (_SOME_EN if some and ranks in _SOME_EN else _RANKS_EN)[ranks]
    zh = (_SOME_ZH if some and ranks in _SOME_ZH else _RANKS_ZH)[ranks]
    return en.format(root=root), zh.format(root=root)
