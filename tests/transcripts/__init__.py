"""Transcripts of the commands: a text file for each command, which a board of the tests produces again."""
