"""Modules of nodes: the lobe of an atlas, a module given, or the beginning of a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dugraph.data import aal_atlas
from dugraph.exceptions import InputError


def node_modules(node_labels: Sequence[str], modules: object = None) -> list[str] | None:
    """Name the module of each node.

    Parameters
    ----------
    node_labels : sequence of str
    modules : sequence of length n_nodes, optional
        Given modules. Default: the lobes, if all labels are AAL regions; otherwise the first word in which
        the labels differ, if this makes at least two modules, on average of two nodes or more.

    Returns
    -------
    list of str, or None
        None where there is nothing to order nodes by.

    Examples
    --------
    >>> node_modules(["Insula_L", "Hippocampus_R"])
    ['Insula', 'Limbic']
    >>> node_modules(["net_Vis_1", "net_Vis_2", "net_Som_1", "net_Som_2"])
    ['Vis', 'Vis', 'Som', 'Som']
    """
    if modules is not None:
        given = np.asarray(modules)
        if given.shape != (len(node_labels),):
            raise InputError(
                f"modules must have one entry per node: got the shape {given.shape} for {len(node_labels)} "
                "nodes. Give a list of module names."
            )
        return [str(module) for module in given.tolist()]
    atlas = aal_atlas()
    lobes = dict(zip(atlas.labels, atlas.lobes, strict=True))
    if all(label in lobes for label in node_labels):
        return [lobes[label] for label in node_labels]
    words = [re.split(r"[_\-.: ]+", label) for label in node_labels]
    for first in zip(*words, strict=False):
        kinds = len(set(first))
        if kinds > 1:
            return list(first) if 2 * kinds <= len(first) else None
    return None


def module_order(modules: Sequence[str]) -> list[int]:
    """Order nodes by module, modules as they first appear, nodes of a module as they come.

    Examples
    --------
    >>> module_order(["b", "a", "b"])
    [0, 2, 1]
    """
    place = {module: i for i, module in enumerate(dict.fromkeys(modules))}
    return sorted(range(len(modules)), key=lambda node: place[modules[node]])
