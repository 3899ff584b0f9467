"""The app: pages in a browser that start the commands of dugraph and show their results.

Every run is a `dugraph` command in its own process, whose state is stored in its folder; nothing is computed
here.
"""
