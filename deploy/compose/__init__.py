"""The board in containers, as operators run it: compose.yaml and the commands behind the `make` targets.

The commands run before anything is installed, so they must import only the standard library. haproxy_files is for
developers and is exempt.
"""
