"""The board on Kubernetes: manifests for Kustomize, and what generates some of them from the other deployments."""
