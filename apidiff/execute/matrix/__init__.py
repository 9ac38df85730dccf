"""Framework versions × backends × world sizes: what is to be run of them, and running it, each version in its own environment."""
