"""Run records that others send: what is taken in and what is refused, whose signatures they bear, which probes are known.

Others import from here only.
"""

from __future__ import annotations

from apidiff.database.measurer_names import name_fault
from apidiff.database.signing import load_signed, load_signers, signature_errors
from apidiff.execute.submissions.intake import Taken, Trial, accepted, standing, take_in
from apidiff.execute.submissions.known_probes import add_specs, known_specs, specs_path
from apidiff.execute.submissions.record_validation import about_imitation, foreign_record, record_errors
from apidiff.execute.submissions.sent_files import read_sent

__all__ = [
    "Taken",
    "Trial",
    "about_imitation",
    "accepted",
    "add_specs",
    "foreign_record",
    "known_specs",
    "load_signed",
    "load_signers",
    "name_fault",
    "read_sent",
    "record_errors",
    "signature_errors",
    "specs_path",
    "standing",
    "take_in",
]
