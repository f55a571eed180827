"""What the paper measures: experiments on subjects, their data as files, and figures made from the files."""
