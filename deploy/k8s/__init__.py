"""The board on Kubernetes: manifests for Kustomize, what generates some of them, and the commands of `make k8s-...`.

The commands run before anything is installed, so they must import only the standard library. shared_files is for
developers and is exempt.
"""
