"""Non-maximum suppression: the best box is taken, those that it covers are left out, and so on."""
import numpy as np


def corners(box, centered):
    if centered:
        x, y, width, height = box
        return y - height / 2, x - width / 2, y + height / 2, x + width / 2
    return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])


def overlap(a, b):
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    if height <= 0 or width <= 0:
        return 0.0
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])
    return height * width / (area(a) + area(b) - height * width)


def suppression(x, at, opset):
    number = lambda i, absent: x[i].item() if len(x) > i and x[i] is not None else absent
    most, covered, least = number(2, 0), number(3, 0.0), number(4, -np.inf)
    out = []
    for image in range(x[0].shape[0]):
        boxes = [corners(box, at.get("center_point_box", 0)) for box in x[0][image]]
        for label in range(x[1].shape[1]):
            scores = x[1][image, label]
            left = sorted((i for i in range(len(boxes)) if scores[i] > least), key=lambda i: -scores[i])
            taken = 0
            while left and taken < most:
                best = left.pop(0)
                out.append([image, label, best])
                taken += 1
                left = [i for i in left if overlap(boxes[best], boxes[i]) <= covered]
    return [np.array(out, dtype=np.int64).reshape(-1, 3)]
