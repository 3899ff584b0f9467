"""Files written under a temporary name and renamed; archives whose sizes are checked before they are read."""
