"""What to cite."""

from dugraph._version import __version__

CITATION = f"""\
@inproceedings{{kong2013discriminative,
  author    = {{Xiangnan Kong and Philip S. Yu and Xue Wang and Ann B. Ragin}},
  title     = {{Discriminative Feature Selection for Uncertain Graph Classification}},
  booktitle = {{Proceedings of the 2013 SIAM International Conference on Data Mining (SDM)}},
  year      = {{2013}},
  eprint    = {{1301.6626}},
  eprinttype = {{arXiv}}
}}

@software{{dugraph,
  author  = {{{{The dugraph developers}}}},
  title   = {{dugraph: discriminative connected subgraphs of uncertain graphs, exactly}},
  version = {{{__version__}}},
  year    = {{2026}}
}}"""
