"""Long computations in parts: checkpoints, shards of job arrays, Dask workers.

The modules of this package do not depend on what is computed; `search` and `significance` provide that.
"""
