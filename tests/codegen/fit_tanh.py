"""The rational of tanh in core/codegen/vecmath.cpp: z * p(z^2) / q(z^2) on [0, 9], both constant terms 1.

Least squares of the linearised error, weighted by the denominator and, round after round, by where the relative error
is largest (Lawson), so that it ends near the smallest maximum. Needs numpy.
"""
import numpy as np

END, TOP, BOTTOM, POINTS = 9.0, 3, 5, 4000


def powers(u, count):
    return np.stack([u ** (i + 1) for i in range(count)], 1)


z = END / 2 * (1 - np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS))
u = z * z / END**2
want = np.tanh(z) / z
lawson, below, best = np.ones(POINTS), np.ones(POINTS), (np.inf, None)
for _ in range(200):
    for _ in range(6):
        rows = np.concatenate([powers(u, TOP), -want[:, None] * powers(u, BOTTOM)], 1)
        weight = lawson / want / abs(below)
        found = np.linalg.lstsq(rows * weight[:, None], (want - 1) * weight, rcond=None)[0]
        above, below = 1 + powers(u, TOP) @ found[:TOP], 1 + powers(u, BOTTOM) @ found[TOP:]
    error = abs(above / below / want - 1)
    if error.max() < best[0]:
        best = error.max(), found
    lawson = lawson * np.sqrt(0.05 + error / error.max())
    lawson /= lawson.max()
error, found = best
print("relative error", error)
for name, part in (("p", found[:TOP]), ("q", found[TOP:])):
    print(name, ", ".join(f"{c / END ** (2 * i + 2):.10e}" for i, c in enumerate(part)))
