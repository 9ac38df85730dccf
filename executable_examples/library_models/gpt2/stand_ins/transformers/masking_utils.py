"""Stands in for transformers/masking_utils.py: the mask of a decoder without padding."""

import torch


def create_causal_mask(config, inputs_embeds, attention_mask, past_key_values, position_ids=None):
    """Return what is added to the scores: no position sees a later one."""
    seen = past_key_values.get_seq_length() if past_key_values is not None else 0
    length = inputs_embeds.shape[1]
    allowed = torch.tril(torch.ones(length, seen + length), diagonal=seen)
    return (1.0 - allowed) * -1e9


def create_bidirectional_mask(config, inputs_embeds, attention_mask, encoder_hidden_states=None):
    """Return no mask."""
    return
