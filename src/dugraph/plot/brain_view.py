"""The brain seen from one side: its outline and all regions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.spatial import ConvexHull, QhullError

from dugraph.plot.axes import Axes
from dugraph.plot.colours import FAINT, PALE

_AROUND = 0.06  # from the outermost nodes to the outline, as a share of the larger extent
# Millimetres of MNI space, with some room: beyond them a glass brain would be a false promise.
_BRAIN = np.array([[-90, 90], [-126, 92], [-80, 110]], dtype=np.float64)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """Which two coordinates are drawn, nilearn's name of the direction, what lies left and right."""

    title: str
    across: int
    up: int
    direction: str
    sides: tuple[str, str]


VIEWS = {
    "above": View("from above (front at the top)", 0, 1, "z", ("left", "right")),
    "right": View("from the right side", 1, 2, "x", ("back", "front")),
    "behind": View("from behind", 0, 2, "y", ("left", "right")),
}


def draw_brain(ax: Axes, coordinates: Floats, view: View) -> tuple[Floats, Floats]:
    """Draw outline, regions and the words for both sides.

    Parameters
    ----------
    ax : matplotlib Axes
    coordinates : ndarray of shape (n_nodes, 3)
    view : View

    Returns
    -------
    pair of ndarray of shape (2,)
        Lower left and upper right corner of what was drawn.
    """
    xy = coordinates[:, [view.across, view.up]]
    low, high = _glass_brain(ax, coordinates, view) or _hull(ax, xy)
    ax.scatter(*xy.T, s=7, color=PALE, zorder=1, linewidths=0)
    for side, place, align in zip(view.sides, (low[0], high[0]), ("left", "right"), strict=True):
        ax.text(place, low[1], side, ha=align, va="bottom", fontsize="x-small", color=FAINT, style="italic")
    return low, high


def _glass_brain(ax: Axes, coordinates: Floats, view: View) -> tuple[Floats, Floats] | None:
    """nilearn's outline, if nilearn is installed and the coordinates are those of a brain in MNI space.

    Not its `plot_connectome`, which draws into its own axes and knows one edge per pair of nodes.
    """
    inside = (coordinates >= _BRAIN[:, 0]) & (coordinates <= _BRAIN[:, 1])
    if not inside.all() or np.ptp(coordinates, axis=0).max() < 40:
        return None
    try:
        from nilearn.plotting.displays import GlassBrainAxes
    except ImportError:
        return None
    brain = GlassBrainAxes(ax, view.direction, 0.0, zorder=0, edgecolor="#BDBDB8", linewidth=0.9)
    for patch in ax.patches:
        patch.set_gid(None)  # several drawings in one page must not share ids
    left, right, bottom, top = brain.get_object_bounds()
    return np.array([left, bottom]), np.array([right, top])


def _hull(ax: Axes, xy: Floats) -> tuple[Floats, Floats]:
    outline = round_outline(xy)
    ax.fill(*outline, facecolor="#F6F6F4", edgecolor="#BDBDB8", linewidth=1.2, zorder=0)
    return outline.min(axis=1), outline.max(axis=1)


def round_outline(xy: Floats) -> Floats:
    """A smooth closed curve slightly outside all nodes, as two rows of coordinates."""
    centre = (xy.min(axis=0) + xy.max(axis=0)) / 2
    around = _AROUND * max(float(np.ptp(xy, axis=0).max()), 1e-6)
    angle = np.linspace(0, 2 * np.pi, 360)
    ray = np.column_stack([np.cos(angle), np.sin(angle)])
    try:
        facets = ConvexHull(xy).equations  # normal and offset of each side of the hull
    except (QhullError, ValueError):  # nodes on one line have no hull
        return np.asarray(centre[:, None] + (np.ptp(xy, axis=0) / 2 + around)[:, None] * ray.T)
    slope = ray @ facets[:, :2].T
    distance = -(facets[:, :2] @ centre + facets[:, 2])
    radius = np.min(np.where(slope > 1e-9, distance / np.maximum(slope, 1e-9), np.inf), axis=1)
    smooth = gaussian_filter1d(radius + around, 12, mode="wrap")
    return np.asarray(centre[:, None] + smooth * ray.T)
