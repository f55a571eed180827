"""A new subject comes in; what a few samples show to be wrong with its driver goes out."""

from bonsai.checkup import check_target, draw_samples
from bonsai.errors import BonsaiError
from bonsai.subject import Subject

SAMPLES = 20


def trial(subject: Subject) -> str | None:
    """A warning in one line, or nothing."""
    try:
        seen = check_target(subject, draw_samples(subject.grammar, subject.bounds, 0, SAMPLES))
    except BonsaiError as error:
        return f"the driver does not start: {error.message}"
    if seen.finding_example is not None:
        failed, example, message = "crashes or hangs", seen.finding_example, seen.finding_message
        share, advice = seen.findings / seen.executions, "correct it, or list the exception as a verdict"
    elif seen.unparsed_example is not None and not seen.is_fit:
        failed, example, message = "does not parse", seen.unparsed_example, seen.unparsed_message
        share, advice = seen.unparsed, "is the grammar that of the program?"
    else:
        return None
    return (
        f"the driver {failed}: {share:.0%} of {seen.executions} samples, such as {example!r}: {message}; {advice}"
    )
