"""Where rows lie: one file for each kind of place, and what a command says to find a row there or to make its document."""
