"""The paper's protocol: splits, metrics, ranks, tables, sweeps."""
