"""The board on Kubernetes: manifests for Kustomize. shared_files, for developers, generates some of them."""
