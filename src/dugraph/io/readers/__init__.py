"""Readers, one module for each layout of files, and what several of them share."""
