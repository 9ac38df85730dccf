"""Says in both languages what a row of upstream's table claims of an API."""

from __future__ import annotations

from apidiff.model import Corresponds, ListedAs


def listed_words(body: Corresponds) -> tuple[str, str]:
    """The clause in English and in Chinese; for a row without a source, that PyTorch has no such API."""
    version = f" {body.source_version}" if body.source_version else ""
    if body.source is None:
        return f"the API is there, and PyTorch{version} has none like it", f"有此 API，且 PyTorch{version} 没有同类 API"
    source_en, source_zh = f"`{body.source}` in PyTorch{version}", f"PyTorch{version} 的 `{body.source}` "
    if body.listed is ListedAs.CONSISTENT:
        return (
            f"the signature is consistent with that of {source_en}: names, order, defaults and types of the parameters",
            f"签名与 {source_zh}一致，包括参数的名称、顺序、默认值和类型",
        )
    if body.listed is ListedAs.DIFF:
        return f"the signature differs from that of {source_en}", f"签名与 {source_zh}不同"
    return f"the API is there, as the counterpart of {source_en}", f"有此 API，与 {source_zh}相对应"
