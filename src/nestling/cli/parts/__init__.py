"""What commands are made of: options, tables, progress, files, and errors in words. No command lives here."""
