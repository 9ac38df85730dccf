"""Run records that others send: signatures, what is taken in and what is refused."""
