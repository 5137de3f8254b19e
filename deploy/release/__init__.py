"""The files of a release that no other tool makes (`make release VERSION=x.y.z`)."""
