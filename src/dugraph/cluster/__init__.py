"""Long work in parts: files that a run resumes from, shards of job arrays, the workers of a cluster.

Nothing here knows what the work is; `search` and `significance` do.
"""
