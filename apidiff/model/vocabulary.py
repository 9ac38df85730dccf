"""Names that a record chooses from: frameworks, kinds of APIs, standings, risks, relations, kinds of differences."""

from __future__ import annotations

from enum import Enum


class Framework(Enum):
    """The two sides; the first part of every API name."""

    TORCH = "torch"
    MINDSPORE = "mindspore"


class Execution(Enum):
    """How the calls of a mapping are made."""

    COLLECTIVE = "collective"  # by the ranks of one world: probes
    SINGLE = "single"  # in one process: samples


class ApiKind(Enum):
    """How an API is called."""

    FUNCTION = "function"
    PRIMITIVE = "primitive"  # a class: constructed with settings, then called with tensors
    CLASS = "class"  # constructed; what is compared is the constructor and the members
    CONSTANT = "constant"  # looked at, not called
    METHOD = "method"  # called on a receiver
    MODULE = "module"  # a class with parameters and buffers: constructed, then called with tensors


class Status(Enum):
    """Standing of a target in a range of MindSpore versions. At each version exactly one target is ``current``."""

    CURRENT = "current"  # the one to use
    AVAILABLE = "available"  # exists, another target is the one to use
    DEPRECATED = "deprecated"
    REMOVED = "removed"


class AnswerKind(Enum):
    """What stands in for a source API in versions where no single MindSpore API replaces it."""

    COMPOSED = "composed"  # a few lines of MindSpore code do the same: the recipe
    NOT_NEEDED = "not_needed"  # MindSpore does without
    NO_COUNTERPART = "no_counterpart"  # nothing does the same


class Risk(Enum):
    """What happens to code that is ported without minding the difference; worst first."""

    SILENT = "silent"  # runs, with another result or in another buffer
    ERROR = "error"  # raises or hangs
    REWRITE = "rewrite"  # fails at once until it is edited
    NONE = "none"


class Reach(Enum):
    """Whom a difference meets, the most first."""

    EVERYDAY = "everyday"  # the canonical call, or a usual argument
    EDGE = "edge"  # empty, strided, mismatched or invalid arguments, a missing rank
    SOURCE_ONLY = "source-only"  # a fact about PyTorch that porting does not change


class Relation(Enum):
    """How a parameter of the source and its counterpart relate. ``same`` excludes the others."""

    SAME = "same"
    RENAMED = "renamed"
    ONLY_IN_SOURCE = "only_in_source"
    ONLY_IN_TARGET = "only_in_target"
    TYPE_DIFFERS = "type_differs"
    DEFAULT_DIFFERS = "default_differs"
    MEANING_DIFFERS = "meaning_differs"


class DifferenceKind(Enum):
    """What a difference is about."""

    IN_PLACE = "in_place"
    RETURN_VALUE = "return_value"
    RESULT_LAYOUT = "result_layout"
    PARAMETER = "parameter"
    MEMBER = "member"  # of a class or an enumeration
    ERROR_BEHAVIOUR = "error_behaviour"
    CALL_STYLE = "call_style"
    BACKEND_SUPPORT = "backend_support"
    DOCUMENTATION = "documentation"  # a document says what runs refute
    # Facets in which runs of both sides on the same sample differ.
    ERROR = "error"
    STRUCTURE = "structure"
    SHAPE = "shape"
    DTYPE = "dtype"
    VALUE = "value"
    ALIAS = "alias"
    GRADIENT = "gradient"
    ACCURACY = "accuracy"
    SPECIAL_VALUES = "special_values"
    LAYOUT = "layout"
    RANDOMNESS = "randomness"
    GRAPH = "graph"  # the target alone, compiled to a graph
