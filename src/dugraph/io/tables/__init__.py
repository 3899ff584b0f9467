"""Tables: delimited text, participants and their classes, atlases."""
