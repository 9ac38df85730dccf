"""A U-Net of one level, as diffusion models have it: residual blocks that are told the time step, down, and up again."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def timestep_embedding(steps: torch.Tensor, dim: int) -> torch.Tensor:
    """Sines and cosines of the time steps."""
    half = dim // 2
    freqs = torch.exp(-math.log(10000.0) * torch.arange(0, half, dtype=torch.float32) / half)
    args = steps[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


class ResBlock(nn.Module):
    """Two convolutions beside a shortcut; the time step is added between them."""

    def __init__(self, channels: int, out_channels: int, emb_channels: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(8, channels)
        self.conv1 = nn.Conv2d(channels, out_channels, 3, padding=1)
        self.emb = nn.Linear(emb_channels, out_channels)
        self.norm2 = nn.GroupNorm(8, out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.skip = nn.Conv2d(channels, out_channels, 1) if channels != out_channels else nn.Identity()

    def forward(self, x: torch.Tensor, emb: torch.Tensor) -> torch.Tensor:
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.emb(F.silu(emb))[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        return self.skip(x) + h


class Downsample(nn.Module):
    """Halves the size."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.op = nn.Conv2d(channels, channels, 3, stride=2, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.op(x)


class Upsample(nn.Module):
    """Doubles the size."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


class UNet(nn.Module):
    """The whole model."""

    def __init__(self, channels: int = 16) -> None:
        super().__init__()
        self.channels = channels
        self.time_embed = nn.Sequential(
            nn.Linear(channels, channels * 4), nn.SiLU(), nn.Linear(channels * 4, channels * 4)
        )
        self.inp = nn.Conv2d(3, channels, 3, padding=1)
        self.down = ResBlock(channels, channels * 2, channels * 4)
        self.pool = Downsample(channels * 2)
        self.middle = ResBlock(channels * 2, channels * 2, channels * 4)
        self.up = Upsample(channels * 2)
        self.last = ResBlock(channels * 4, channels, channels * 4)
        self.out = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        emb = self.time_embed(timestep_embedding(steps, self.channels))
        h = self.inp(x)
        kept = self.down(h, emb)
        h = self.middle(self.pool(kept), emb)
        h = torch.cat([self.up(h), kept], dim=1)
        return self.out(F.silu(self.last(h, emb)))


def build() -> nn.Module:
    """The model that is compared."""
    return UNet()


def inputs() -> list[np.ndarray]:
    """What it is given."""
    generator = np.random.default_rng(0)
    return [generator.standard_normal((2, 3, 16, 16)).astype(np.float32), np.array([3, 700])]
