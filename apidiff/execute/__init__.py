"""Runs the frameworks: worlds of ranks, single processes, and what machines elsewhere showed.

``run`` makes a whole run: ``plan`` says of which steps, ``runner`` makes them on a ``world`` of ranks, ``journal`` keeps what is
done, ``record`` writes what came of it. ``ranks`` and ``single`` hold what runs inside the processes: only there is a framework
imported. Rooms of their own, each entered by its package alone: ``remote`` (ranks on other machines), ``matrix`` (framework
versions in environments of their own), ``submissions`` (records that others send), ``offline`` (machines without network,
started as a command). Nothing here judges what a run showed.
"""
