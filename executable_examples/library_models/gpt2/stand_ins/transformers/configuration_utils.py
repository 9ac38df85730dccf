"""Stands in for transformers/configuration_utils.py."""


class PreTrainedConfig:
    """Values by name; a model may know one of them by another name."""

    attribute_map = {}
    num_labels = 2
    _attn_implementation = "eager"

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def __getattr__(self, name):
        known = type(self).attribute_map
        if name in known:
            return getattr(self, known[name])
        raise AttributeError(name)
