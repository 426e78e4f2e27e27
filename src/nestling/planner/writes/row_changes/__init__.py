"""What puts one row into its home, takes it out, changes it there or moves it: the commands, for each kind of place."""
