"""Every target of `make bench`: the median of a ratio over all rounds must be at most this value."""

VISIT_TO_PLAIN_GO = 2.0
QUIET_TO_PLAIN_GO = 1.0

# measured: 36, 44 and 24, on a busy machine with two cores
WRITE_TO_ROW = {"thread": 50, "reply": 55, "vote": 35}

SEARCH_TO_SELECT_1 = 150
QUESTION_TO_SELECT_1 = 300
