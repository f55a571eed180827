"""What to do about errors of the operating system."""

import errno

_HINTS = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room: the quota on this disk is used up",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f)",
    errno.EACCES: "check the permissions of the file and of its folder",
    errno.EPERM: "check the permissions of the file and of its folder",
    errno.EROFS: "name a place that is not read-only",
    errno.EMFILE: "raise the number of files that may be open (ulimit -n), or use fewer --jobs",
    errno.ENFILE: "close other programs: the system has too many files open",
    errno.ENOMEM: "free some memory, or use fewer --jobs",
    errno.EAGAIN: "end other processes (ulimit -u), or use fewer --jobs",
    errno.ENOENT: "check the path; was it removed or renamed meanwhile?",
    errno.ENOTDIR: "check the path: a part of it is a file, not a folder",
    errno.EISDIR: "name a file, not a folder",
    errno.EEXIST: "name another path, or remove what is there",
    errno.ENOTEMPTY: "name another folder, or remove what is there",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.ELOOP: "check the symbolic links in the path: they lead back to themselves",
    errno.EIO: "check the disk: it reports an error of its own",
    errno.ESTALE: "check the network file system, and try again",
}


def hint_for(error: OSError) -> str:
    """Returns what a user can do about an error of the operating system."""
    return _HINTS.get(error.errno or 0, "check the path, and try again")
