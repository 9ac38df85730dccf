"""GPT-2 of transformers: the model that predicts words, and the one that classifies them."""

from __future__ import annotations

import torch
from torch import nn
from transformers.models.gpt2 import modeling_gpt2 as gpt2
from transformers.models.gpt2.configuration_gpt2 import GPT2Config

SHAPES = {"ids": (2, 12)}


def build() -> dict[str, nn.Module]:
    config = GPT2Config(vocab_size=50, n_positions=32, n_embd=32, n_layer=3, n_head=4)
    return {"words": gpt2.GPT2LMHeadModel(config), "tokens": gpt2.GPT2ForTokenClassification(config)}


def run(layers: dict[str, nn.Module], inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    ids = inputs["ids"]
    return {"logits": layers["words"](ids).logits, "classes": layers["tokens"](ids).logits}
