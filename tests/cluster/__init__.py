"""A real cluster under test; run by `make test-k8s`."""
