"""What the commands print, as transcripts: a text file for each command, which a board of the tests produces again."""
