"""The handler of each operation for programs, one module a noun, with the parts that handlers are called with."""
