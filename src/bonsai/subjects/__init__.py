"""The subjects that come with Bonsai: a folder each, with its `bonsai.toml`, its grammar and its driver."""
