"""Texts come in; whether they were seen before goes out, with bounded memory."""

from hashlib import blake2b


class Seen:
    """The texts that were executed, by an eight-byte digest that is the same in every process.

    Two generations: when the younger is full, the older is forgotten and the younger takes its place. So memory is
    bounded, what is forgotten depends on the order of the texts alone, and a text is remembered for at least
    `generation` others.
    """

    def __init__(self, generation: int = 250_000) -> None:
        self._generation = generation
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()

    def add(self, text: str) -> bool:
        """Remember a text; whether it is new."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if digest in self._young or digest in self._old:
            return False
        if len(self._young) >= self._generation:
            self._old, self._young = self._young, set()
        self._young.add(digest)
        return True

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
