-- Line 2 is where it goes wrong.
error("not on this machine")
