"""The contract: the HTTP interface of the board, declared once as data. Imports no other package of the board."""
