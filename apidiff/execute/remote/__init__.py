"""Ranks on other machines: who coordinates them, who works for it, what goes over the wire."""
