"""Sentences, labels and headlines in English and Chinese."""
