"""Blocks of the U-Nets of diffusers in a row, down and up again, each with what it takes from the way down."""

from __future__ import annotations

import torch
from diffusers.models.unets import unet_2d_blocks as blocks
from torch import nn

SHAPES = {"image": (2, 8, 16, 16), "time": (2, 24)}


def build() -> dict[str, nn.Module]:
    common = {"temb_channels": 24, "resnet_groups": 4}
    return {
        "down": blocks.DownBlock2D(8, 8, num_layers=2, **common),
        "resnet_down": blocks.ResnetDownsampleBlock2D(8, 8, num_layers=1, **common),
        "middle": blocks.UNetMidBlock2D(8, add_attention=False, **common),
        "resnet_up": blocks.ResnetUpsampleBlock2D(8, 8, 8, num_layers=2, **common),
        "up": blocks.UpBlock2D(8, 8, 8, num_layers=2, **common),
        "encoder": blocks.DownEncoderBlock2D(8, 16, resnet_groups=4),
        "decoder": blocks.UpDecoderBlock2D(16, 8, resnet_groups=4),
        "tiny": blocks.AutoencoderTinyBlock(8, 8, "relu"),
    }


def run(layers: dict[str, nn.Module], inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    image, time = inputs["image"], inputs["time"]
    down, _ = layers["down"](image, time)
    lower, _ = layers["resnet_down"](down, time)
    middle = layers["middle"](lower, time)
    upper = layers["resnet_up"](middle, (lower, middle), time)
    whole = layers["up"](upper, (down, upper), time)
    encoded = layers["encoder"](image)
    return {
        "down": down,
        "lower": lower,
        "middle": middle,
        "upper": upper,
        "whole": whole,
        "encoded": encoded,
        "decoded": layers["decoder"](encoded),
        "tiny": layers["tiny"](image),
    }
