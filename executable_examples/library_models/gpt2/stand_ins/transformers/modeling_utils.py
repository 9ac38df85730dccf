"""Stands in for transformers/modeling_utils.py: what a model needs of it to be made and run."""

from torch import nn


class PreTrainedModel(nn.Module):
    """A layer with a configuration."""

    def __init__(self, config):
        super().__init__()
        self.config = config

    def post_init(self):
        """Weights are set from outside."""

    def warn_if_padding_and_no_attention_mask(self, input_ids, attention_mask):
        """Warns of nothing."""


class AttentionFunctions:
    """Knows the attention that a model brings along, and no other."""

    def get_interface(self, name, default):
        """Return the attention to use."""
        return default


ALL_ATTENTION_FUNCTIONS = AttentionFunctions()


def slice_logits_to_keep(hidden_states, logits_to_keep):
    """Return all positions."""
    return hidden_states
