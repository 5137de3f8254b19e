"""Checks of the manifests in deploy/k8s that need no cluster; tests/cluster runs them on one."""
