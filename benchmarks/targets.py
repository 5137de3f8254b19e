"""Every target of `make bench`: the median of a ratio over all rounds must be at most this value."""

VISIT_TO_PLAIN_GO = 2.0
QUIET_TO_PLAIN_GO = 1.0

# measured: 8.1, 8.5 and 3.8, on an idle machine with two cores
WRITE_TO_ROW = {"thread": 12, "reply": 13, "vote": 6}

SEARCH_TO_SELECT_1 = 150
QUESTION_TO_SELECT_1 = 300
