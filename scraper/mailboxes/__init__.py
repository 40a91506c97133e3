"""One module per kind of mailbox or export. Each turns a binary stream into messages; none opens files or knows folders."""
