"""Outlines of the brain, drawn by hand in millimetres of MNI space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

# Half of the outline from above, front first: x to the right, y to the front.
_ABOVE_HALF = (
    *((0, 70), (8, 74), (22, 72), (37, 64), (50, 50), (59, 32), (65, 10), (69, -14), (70, -38), (66, -60)),
    *((58, -80), (44, -97), (26, -107), (9, -109), (0, -104)),
)
# From the right: y to the front, z up; forehead, crown, back, cerebellum, stem, temporal lobe, orbit.
_SIDE = (
    *((75, 2), (73, 20), (66, 38), (52, 55), (32, 69), (8, 78), (-18, 82), (-44, 79), (-68, 68), (-89, 49)),
    *((-103, 26), (-109, 4), (-105, -14), (-97, -26), (-97, -40), (-88, -55), (-70, -64), (-52, -62)),
    *(
        (-40, -52),
        (-34, -53),
        (-31, -66),
        (-21, -66),
        (-18, -48),
        (-6, -42),
        (14, -45),
        (30, -42),
        (38, -30),
        (46, -24),
    ),
    *((60, -22), (71, -12)),
)
_FISSURE = ((34, -22), (22, -12), (4, -4), (-16, 4), (-36, 16), (-50, 26))
_STEPS = 6  # points on the curve from one given point to the next


def brain_above() -> tuple[Points, Points]:
    """The outline from above, and the line between the halves."""
    half = np.array(_ABOVE_HALF, dtype=np.float64)
    mirrored = half[-2:0:-1] * (-1, 1)
    return _smooth(np.vstack([half, mirrored]), closed=True), np.array([[0.0, 68.0], [0.0, -102.0]])


def brain_side() -> tuple[Points, Points]:
    """The outline from the right side, and the fissure above the temporal lobe."""
    return _smooth(np.array(_SIDE, float), closed=True), _smooth(np.array(_FISSURE, float), closed=False)


def _smooth(points: Points, closed: bool) -> Points:
    """A Catmull-Rom curve through the points."""
    if closed:
        around = np.vstack([points[-1:], points, points[:2]])
    else:
        around = np.vstack([points[:1], points, points[-1:]])
    t = np.linspace(0, 1, _STEPS, endpoint=False)[:, None]
    pieces = []
    for a, b, c, d in zip(around, around[1:], around[2:], around[3:], strict=False):
        pieces.append(
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        )
    return np.vstack(pieces if closed else [*pieces, points[-1:]])


def encloses(outline: Points, points: Points) -> bool:
    """Return whether all points lie inside an outline: a ray from each crosses it an odd number of times."""
    a, b = outline, np.roll(outline, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    spans = (a[:, 1] > y) != (b[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(((spans & (x < at)).sum(axis=1) % 2 == 1).all())
