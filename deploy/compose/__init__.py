"""The board in containers, as operators run it: compose.yaml and the commands that `make` has for it.

Runs before anything is installed, so it must never import anything but the standard library.
"""
