"""What a release has that no other tool makes (`make release VERSION=x.y.z`)."""
