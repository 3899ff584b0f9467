"""Files that are written whole or not at all, and archives that are checked before they are believed."""
