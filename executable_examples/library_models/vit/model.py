"""Vision transformers of timm: a plain one, and one with the parts that others of its file have."""

from __future__ import annotations

import torch
from timm.layers import set_fused_attn
from timm.models.vision_transformer import VisionTransformer
from torch import nn

SHAPES = {"image": (2, 3, 32, 32)}


def build() -> dict[str, nn.Module]:
    set_fused_attn(False)  # `scaled_dot_product_attention` is one of the things that port leaves to the reader
    common = {
        "img_size": 32,
        "patch_size": 8,
        "embed_dim": 32,
        "depth": 2,
        "num_heads": 4,
        "num_classes": 10,
        "weight_init": "skip",
    }
    return {
        "plain": VisionTransformer(**common),
        "average": VisionTransformer(**common, global_pool="avg", class_token=False, init_values=0.1, qk_norm=True),
    }


def run(layers: dict[str, nn.Module], inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    image = inputs["image"]
    return {
        "plain": layers["plain"](image),
        "features": layers["plain"].forward_features(image),
        "average": layers["average"](image),
    }
