"""Which Bonsai this is."""

DISTRIBUTION = "bonsai-fuzzing"


def bonsai_version() -> str:
    """The version of the installed distribution. Looked up when asked for: a target's process never asks."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+unknown"
