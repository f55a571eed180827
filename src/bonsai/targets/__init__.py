"""Programs under test: how a subject names them, and (with the engines) how they are run."""
