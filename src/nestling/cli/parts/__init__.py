"""Parts shared by commands: options, tables, progress, files, and error messages. No command lives here."""
