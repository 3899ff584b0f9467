import numpy as np
from numpy.typing import NDArray

def support_distribution(probabilities: NDArray[np.float64], tail: float) -> NDArray[np.float64]: ...
