"""RoiAlign: the mean, or the largest weighted corner, of points in each part of a region."""
import math

import numpy as np


def corners(image, v, u):
    """The four elements around a point, each times its weight, of every channel."""
    rows, columns = image.shape[1:]
    if not (-1 <= v <= rows and -1 <= u <= columns):
        return [np.zeros(image.shape[0])] * 4
    v, u = min(max(v, 0), rows - 1), min(max(u, 0), columns - 1)
    r, c = int(v), int(u)
    out = []
    for row, wv in ((r, 1 - (v - r)), (min(r + 1, rows - 1), v - r)):
        for column, wu in ((c, 1 - (u - c)), (min(c + 1, columns - 1), u - c)):
            out.append(image[:, row, column] * wv * wu)
    return out


def aligned(x, rois, batch, size, scale=1.0, ratio=0, half=True, largest=False, real=np.float64):
    """`size`: the parts of a region, down and across; `ratio` 0: a point for each place of a part, rounded up. Each step that
    leads to a place is rounded to `real`."""
    out = np.zeros((len(rois), x.shape[1], *size))
    for region, (u0, v0, u1, v1) in enumerate(rois.astype(real) * real(scale) - real(0.5 if half else 0)):
        extents = [v1 - v0, u1 - u0]
        if not half:
            extents = [max(extent, real(1)) for extent in extents]
        parts = [extent / real(count) for extent, count in zip(extents, size)]
        points = [ratio or max(math.ceil(part), 0) for part in parts]
        for oh, ow in np.ndindex(*size):
            read = [corners(x[batch[region]], v0 + real(oh) * parts[0] + real(j + 0.5) * parts[0] / real(points[0]),
                            u0 + real(ow) * parts[1] + real(k + 0.5) * parts[1] / real(points[1]))
                    for j in range(points[0]) for k in range(points[1])]
            if read and largest:
                out[region, :, oh, ow] = np.max([np.max(four, axis=0) for four in read], axis=0)
            elif read:
                out[region, :, oh, ow] = np.mean([np.sum(four, axis=0) for four in read], axis=0)
    return out


def roi_align(x, at, opset):
    mode = at.get("coordinate_transformation_mode", "half_pixel" if opset >= 16 else "output_half_pixel")
    return [aligned(x[0], x[1], x[2], (at.get("output_height", 1), at.get("output_width", 1)),
                    at.get("spatial_scale", 1.0), at.get("sampling_ratio", 0), mode == "half_pixel",
                    at.get("mode", "avg") == "max")]


OPERATORS = {"RoiAlign": roi_align}
