"""The app: pages in a browser that start the commands of dugraph and show their results.

Every run is a `dugraph` command in a process of its own, and its state is its folder: nothing is computed
here.
"""
