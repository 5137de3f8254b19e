"""Makes a release of a commit on this machine (`make release VERSION=x.y.z`), and publishes it (`make publish`)."""
