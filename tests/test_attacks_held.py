"""The attack of 17,000 tries on commit e77358c: each thing that it found, and the tests that hold it now.

A maintainer who changes one of these tests sees here what would be let in again.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
REFUSED = "execute/submissions/test_refused_records.py"
INTAKE = "execute/submissions/test_intake.py"
VOUCHES = "execute/submissions/test_who_vouches.py"
ARGUMENTS = "cli/test_hostile_arguments.py"
TEXT = "database/test_hostile_text.py"
HOSTS = "execute/remote/test_hosts.py"
TRUST = "lookup/test_trusted.py"

# what the attack found → (module, test) that hold it
HELD = {
    # Accepted, then fatal.
    "a dtype, value or shape that cannot be; memory for a shape": [(REFUSED, "test_what_does_not_fit_is_refused")],
    "a call of 1e308 seconds": [(REFUSED, "test_what_does_not_fit_is_refused")],
    "a genuine float8_e4m3fn": [(REFUSED, "test_a_dtype_that_numpy_lacks_is_known_and_judged")],
    "a record with which a later command fails": [
        (INTAKE, "test_a_record_with_which_a_command_would_fail_is_not_written")
    ],
    "a default that is no literal": [(TEXT, "test_a_literal_that_is_none_is_told_by_one_error")],
    "one bad file stops everything": [
        ("database/test_damaged_files.py", "test_a_damaged_file_is_named_and_the_rest_is_read"),
        ("cli/test_broken_data.py", "test_a_damaged_record_is_named_and_stops_nothing_else"),
    ],
    # `check` knows fewer rules than import.
    "a committed record without a measurer, of 2999, of -7 cores": [
        (INTAKE, "test_what_lies_in_the_folder_is_checked_by_the_same_rules")
    ],
    # Forgeries weigh the same.
    "a forged record decides": [
        (TRUST, "test_an_unsigned_record_that_disagrees_is_shown_and_changes_nothing"),
        (TRUST, "test_an_unsigned_record_alone_is_no_verdict"),
    ],
    "lookup cannot leave it out": [(TRUST, "test_a_reader_may_leave_records_out")],
    "standing is not shown": [
        (TRUST, "test_independent_records_that_agree_say_so"),
        (VOUCHES, "test_a_record_that_ci_signed_is_attested"),
        (VOUCHES, "test_a_list_that_was_changed_after_it_was_signed_vouches_for_nothing"),
    ],
    "an altered record under a signature": [
        ("execute/submissions/test_signing.py", "test_an_altered_record_or_signature_never_verifies")
    ],
    "names that imitate ours": [("database/test_measurer_names.py", "test_a_name_that_looks_like_another_is_refused")],
    # Names of 48 bits.
    "two records with one name": [
        (INTAKE, "test_a_record_under_a_part_of_its_digest_is_not_read"),
        (INTAKE, "test_records_that_share_twelve_digits_are_told_apart"),
        (INTAKE, "test_a_record_that_is_shown_by_the_id_of_another_is_refused"),
    ],
    # YAML and TOML.
    "bombs of aliases, nesting, impossible dates and tags": [
        (TEXT, "test_yaml_is_refused"),
        (TEXT, "test_toml_is_refused"),
    ],
    "a release 1..1, sizes below zero": [(TEXT, "test_a_value_that_cannot_be_does_not_fit_the_model")],
    "a chain of 2,000 like": [(TEXT, "test_a_chain_of_like_is_no_longer_than_anybody_reads")],
    "wrong bytes": [("database/test_bad_input.py", "test_bytes_that_are_no_text")],
    # Launched runs.
    "whoever knows the job's name joins": [
        (HOSTS, "test_who_has_the_secret_joins_and_who_has_another_does_not"),
        (HOSTS, "test_rank_0_has_to_prove_itself_too"),
        (HOSTS, "test_a_secret_that_anybody_guesses_is_refused"),
    ],
    # Smaller.
    "one word searched for 2,000 times": [(ARGUMENTS, "test_a_word_that_is_repeated_counts_once")],
    "a damaged index": [("lookup/test_cache.py", "test_a_damaged_index_is_set_aside_and_made_anew")],
    "an argument that is no UTF-8": [(ARGUMENTS, "test_an_argument_that_is_no_text_is_refused")],
    "a closed standard output": [(ARGUMENTS, "test_a_closed_stream_is_no_fault")],
    "COLUMNS=99999999": [(ARGUMENTS, "test_a_terminal_of_an_impossible_width")],
    "--port 99999": [(ARGUMENTS, "test_a_port_that_cannot_be")],
    "/%00": [(ARGUMENTS, "test_an_address_that_no_file_has")],
    "an address ending in #%": [("browser/test_shell.py", "test_an_address_whose_part_is_no_encoding_is_opened")],
    "names of 300 characters": [(ARGUMENTS, "test_a_name_that_no_file_can_have")],
    "a damaged journal": [("execute/test_journal.py", "test_a_damaged_line_is_said_and_made_again")],
    "ESC and bidi characters": [
        (ARGUMENTS, "test_what_cannot_be_seen_is_shown_in_markdown"),
        ("writers/test_llms.py", "test_hostile_text_stays_text"),
    ],
    "temporary folders after SIGTERM": [(ARGUMENTS, "test_what_was_begun_is_put_away_after_a_signal")],
    "exit code 1 for a traceback": [(ARGUMENTS, "test_a_fault_of_the_program_has_an_exit_code_of_its_own")],
}


@pytest.mark.parametrize("found", HELD)
def test_what_was_found_is_held(found: str) -> None:
    for module, name in HELD[found]:
        tree = ast.parse((HERE / module).read_text("utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, f"{module}::{name}"
