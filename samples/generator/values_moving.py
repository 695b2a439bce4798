"""Operators that move, pick, sort and write elements: axes from either end, indices from either end, what occurs twice."""
import numpy as np

from .table import ALL, FLOATS, INTEGERS, NUMBERS, Tensor, draw, whole


def orders(table):
    for dtype in ALL:
        x = draw(dtype, 2, 3, 4)
        table.call("transpose", [x], Tensor(dtype, x.held.transpose(1, 2, 0)), perm=[1, 2, 0])
        z = draw(dtype, 2, 1, 4, seed=1)
        table.call("concat", [x, z], Tensor(dtype, np.concatenate([x.held, z.held], axis=-2)), axis=-2)
        x = draw(dtype, 1, 6, 2)
        shuffled = x.held.reshape(1, 3, 2, 2).transpose(0, 2, 1, 3).reshape(1, 6, 2)
        table.call("channel_shuffle", [x], Tensor(dtype, shuffled), groups=3)
        x = draw(dtype, 2, 3, 4)
        table.call("trilu", [x], Tensor(dtype, np.triu(x.held)))
        table.call("trilu", [x, whole(-1)], Tensor(dtype, np.tril(x.held, -1)), upper=False)
        x = draw(dtype, 2, 3)
        table.call("eye", [x], Tensor(dtype, np.eye(2, 3, 1, dtype=np.int64)), to=dtype, k=1)
        table.call("eye", [x], Tensor(dtype, np.eye(2, 3, -1, dtype=np.int64)), k=-1)
        x = draw(dtype, 2, 3, 3)
        table.call("diagonal", [x], Tensor(dtype, np.diagonal(x.held, axis1=1, axis2=2)))
        x = draw(dtype, 4, 2, 3)
        reversed_ = x.held.copy()
        reversed_[:3, 0], reversed_[:2, 1] = x.held[2::-1, 0], x.held[1::-1, 1]
        table.call("reverse_sequence", [x, whole([3, 2])], Tensor(dtype, reversed_))
        x = draw(dtype, 3, 4)
        for op, mode in (("pad_edge", "edge"), ("pad_reflect", "reflect"), ("pad_wrap", "wrap")):
            table.call(op, [x], Tensor(dtype, np.pad(x.held, ((2, 1), (1, 3)), mode=mode)), before=[2, 1], behind=[1, 3])
            # Cut off first.
            table.call(op, [x], Tensor(dtype, np.pad(x.held[1:, :3], ((0, 1), (2, 0)), mode=mode)), before=[-1, 2], behind=[1, -1])
            table.call(op, [x], Tensor(dtype, np.pad(x.held[:2, 1:3], ((1, 0), (0, 0)), mode=mode)), before=[1, -1], behind=[-1, -1])
    for dtype in NUMBERS:
        start, delta = Tensor(dtype, np.array(5)), Tensor(dtype, np.array(-1 if dtype[0] != "u" else 2))
        table.call("range", [start, delta], Tensor(dtype, start.v + np.arange(4) * delta.v), size=[4])


def natives(table):
    for dtype in ALL:
        x = draw(dtype, 2, 6)
        table.call("reshape", [x], Tensor(dtype, x.held.reshape(3, 4)), shape=[3, 4])
        table.call("shape", [x], whole([2, 6]))
        table.call("element_count", [x], whole(12))
        table.call("shape", [x], whole([6]), start=-1, end=100)
        table.call("split", [x], [Tensor(dtype, x.held[:, :2]), Tensor(dtype, x.held[:, 2:])], axis=-1, sizes=[2, 4])
        table.call("slice", [x], Tensor(dtype, x.held[1:, 4:0:-2]), starts=[1, -2], ends=[100, 0], axes=[0, -1], steps=[1, -2])
        value = 1 if dtype == "bool" else 3
        table.call("pad", [x], Tensor(dtype, np.pad(x.held[:, 1:], ((1, 0), (0, 2)), constant_values=value)),
                   pads=[1, -1, 0, 2], value=float(value))
        x = draw(dtype, 2, 3)
        table.call("tile", [x], Tensor(dtype, np.tile(x.held, (2, 3))), repeats=[2, 3])
        x = draw(dtype, 3, 1)
        table.call("expand", [x], Tensor(dtype, np.broadcast_to(x.held, (2, 3, 4))), shape=[2, 1, 4])
        table.call("constant_of_shape", [], Tensor(dtype, np.full((2, 3), value)), shape=[2, 3],
                   value=f"tensor({dtype}[1], [{float(value) if dtype in FLOATS else value}])")
        x = draw(dtype, 4, 5)
        for step in (2**63 - 1, -(2**63), -(2**63) + 1, 2**40 + 1):
            end = 100 if step > 0 else -100
            table.call("slice", [x], Tensor(dtype, x.held[2:end:step]), starts=[2], ends=[end], axes=[0], steps=[step])
        table.call("slice_at", [x, whole([3, 1]), whole([-2, 1])], Tensor(dtype, x.held[3::-2, 1:4]), shape=[2, 3])
        x, outside = draw(dtype, 3, 4), Tensor(dtype, np.array(value))
        around = ((1, 2), (2, 0))
        for mode in ("constant", "edge", "reflect", "wrap"):
            padded = np.pad(x.held, around, constant_values=outside.held.item()) if mode == "constant" else np.pad(x.held, around, mode=mode)
            table.call("pad_at", [x, whole([1, 2]), outside], Tensor(dtype, padded), shape=[6, 6], mode=mode)
            how = {"constant_values": outside.held.item()} if mode == "constant" else {}
            padded = np.pad(x.held[1:, :3], ((0, 1), (2, 0)), mode=mode, **how)
            table.call("pad_at", [x, whole([-1, 2]), outside], Tensor(dtype, padded), shape=[3, 5], mode=mode)
    table.call("bind_dims", [whole([4, 2])], whole([4, 2]), dims="[p, q]")


def picks(table):
    for dtype in ALL:
        x = draw(dtype, 3, 4)
        for index in ("i32", "i64"):
            at = whole([[1, -1, 0], [-3, 2, 1]], index)
            table.call("gather", [x, at], Tensor(dtype, x.held[:, at.v]), axis=-1)
            at = whole([[1, -1], [0, -4], [3, 2]], index)
            table.call("gather_elements", [x, at], Tensor(dtype, np.take_along_axis(x.held, at.v % 4, axis=1)), axis=-1)
            at = whole([[1, -1], [0, -4]], index)  # of the first rows
            table.call("gather_elements", [x, at], Tensor(dtype, np.take_along_axis(x.held[:2], at.v % 4, axis=1)), axis=-1)
        y = draw(dtype, 3, 4, 5)
        at = whole([[1, -1], [-3, 2]])
        table.call("gather_nd", [y, at], Tensor(dtype, y.held[at.v[:, 0], at.v[:, 1]]))
        at = whole([[1], [-1], [0]])
        table.call("gather_nd", [y, at], Tensor(dtype, y.held[[0, 1, 2], [1, -1, 0]]), batch_dims=1)
        values = draw(dtype, 2, seed=3) if dtype != "bool" else Tensor(dtype, [1, 0])
        at = whole([[0, -1], [2, 7]])
        hit = at.v[..., None] % 8 == np.arange(4) + np.where(at.v < 0, 4, 0)[..., None]
        table.call("one_hot", [at, values], Tensor(dtype, np.where(hit, values.held[1], values.held[0])), depth=[4])
    for index in (*INTEGERS, *FLOATS):
        at = whole([2, 0, 5], index)
        table.call("one_hot", [at, whole([7, 9])], whole([[7, 7, 9], [9, 7, 7], [7, 7, 7]]), depth=[3])
    for index in INTEGERS:
        at = whole([2, 0, 1], index)
        x = draw("f32", 3, 4)
        table.call("gather", [x, at], Tensor("f32", x.v[:, at.v]), axis=1)
        table.call("gather_nd", [x, whole([[2, 1]], index)], Tensor("f32", x.v[2:, 1]))
        table.call("gather_elements", [x, whole([[2, 0, 1, 0]], index)], Tensor("f32", x.v[[2, 0, 1, 0], np.arange(4)][None]))


# What is named behind "scatter", the reductions of scatter_nd that are the same, how two elements become one, the types.
WRITES = (("", ["none"], lambda old, new: new, ALL), ("_add", ["add"], lambda old, new: old + new, NUMBERS),
          ("_mul", ["mul"], lambda old, new: old * new, NUMBERS), ("_max", ["max"], max, NUMBERS),
          ("_min", ["min"], min, NUMBERS), ("_any", ["add", "max"], max, ["bool"]), ("_all", ["mul", "min"], min, ["bool"]))


def writes(table):
    for suffix, reductions, combine, types in WRITES:
        for dtype in types:
            for index in ("i32", "i64"):
                x, u = draw(dtype, 2, 4), draw(dtype, 2, 3, seed=1)
                at = whole([[1, -1, 1], [0, 0, -2]], index)
                out = x.held.copy()
                for row, column in np.ndindex(2, 3):
                    place = (row, at.v[row, column] % 4)
                    out[place] = combine(out[place], u.held[row, column])
                table.call("scatter" + suffix, [x, at, u], Tensor(dtype, out), axis=-1)
            # Fewer updates along every axis than there are elements, one place met twice.
            x, u = draw(dtype, 3, 4, 2), draw(dtype, 2, 3, 1, seed=1)
            at = whole([[[2], [0], [-2]], [[1], [-3], [3]]])
            out = x.held.copy()
            for place in np.ndindex(2, 3, 1):
                where = (place[0], at.v[place] % 4, place[2])
                out[where] = combine(out[where], u.held[place])
            table.call("scatter" + suffix, [x, at, u], Tensor(dtype, out), axis=1)
            x, u = draw(dtype, 3, 2), draw(dtype, 4, 2, seed=1)
            at = whole([[1], [-1], [1], [0]])
            out = x.held.copy()
            for row in range(4):
                for column in range(2):
                    place = (at.v[row, 0] % 3, column)
                    out[place] = combine(out[place], u.held[row, column])
            for reduction in reductions:
                table.call("scatter_nd", [x, at, u], Tensor(dtype, out), reduction=reduction)
    x = draw("f32", 3)
    for index in INTEGERS:
        table.call("scatter_nd", [x, whole([[2]], index), Tensor("f32", [7])], Tensor("f32", [*x.v[:2], 7]))


def chosen(table):
    for dtype in NUMBERS:
        x = Tensor(dtype, [[3, 1, 3, 2], [0, 2, 1, 2], [5, 5, 0, 0]])
        last = 3 - np.argmax(x.v[:, ::-1], axis=1)
        table.call("arg_max", [x], whole(np.argmax(x.v, axis=1)), axis=-1)
        table.call("arg_max", [x], whole(last), axis=1, last=True)
        table.call("arg_min", [x], whole(np.argmin(x.v, axis=0)))
        table.call("arg_min", [x], whole(3 - np.argmin(x.v[:, ::-1], axis=1)), axis=-1, last=True)
        if dtype in FLOATS:
            table.call("hardmax", [x], Tensor(dtype, np.arange(4) == np.argmax(x.v, axis=1)[:, None]))
            table.call("hardmax", [x], Tensor(dtype, np.arange(3)[:, None] == np.argmax(x.v, axis=0)), axis=0)
        order = np.argsort(-x.v, axis=1, kind="stable")[:, :3]
        table.call("top_k", [x], [Tensor(dtype, np.take_along_axis(x.v, order, 1)), whole(order)], count=[3])
        order = np.argsort(x.v, axis=0, kind="stable")[:2]
        table.call("top_k", [x], [Tensor(dtype, np.take_along_axis(x.v, order, 0)), whole(order)], count=[2], axis=-2, largest=False)
        table.call("cumsum", [x], Tensor(dtype, np.cumsum(x.v, axis=1)), axis=-1)
        backwards = np.cumsum(x.v[::-1], axis=0)[::-1] - x.v
        table.call("cumsum", [x], Tensor(dtype, backwards), exclusive=True, reverse=True)


def selected(table):
    """What selects by value writes into room for all; the rest of the room is not said."""
    keep = Tensor("bool", [0, 1, 1, 0, 1])
    table.call("compact", [keep], [Tensor("i64", [1, 2, 4, 0, 0], said=3), whole([3])])
    for dtype in ALL:
        x = Tensor(dtype, np.array([[2, 1], [0, 1], [2, 1], [0, 0], [0, 1]]) % (2 if dtype == "bool" else 3))
        _, first, inverse, times = np.unique(x.v.astype(float), axis=0, return_index=True, return_inverse=True, return_counts=True)
        count = len(first)
        order = np.argsort(first)  # of appearance
        place = np.argsort(order)
        for ascending in (True, False):
            shown = [first, times] if ascending else [first[order], times[order]]
            room = [Tensor("i64", np.resize(v, 5), said=count) for v in shown]
            table.call("unique_rows", [x], [room[0], whole(inverse if ascending else place[inverse]), room[1], whole([count])],
                       ascending=ascending)
    boxes = Tensor("f32", [[[0, 0, 4, 4], [0, 1, 4, 5], [0, 6, 4, 9], [8, 8, 4, 4]]])
    scores = Tensor("f32", [[[0.5, 0.75, 0.625, 0.25], [0.875, 0.125, 0.5, 0.375]]])
    # Boxes 0 and 1 share 12 of 20; at most two of each class, none below 0.2.
    wanted = np.array([[0, 0, 1], [0, 0, 2], [0, 1, 0], [0, 1, 2]] + [[0, 0, 0]] * 2)
    operands = [boxes, scores, whole([2]), Tensor("f32", [0.5]), Tensor("f32", [0.1875])]
    table.call("non_max_suppression", operands, [Tensor("i64", wanted, said=12), whole([4])], room=[6])
    centers = Tensor("f32", [[[2, 2, 4, 4], [3, 2, 4, 4], [7.5, 2, 3, 4], [6, 6, 4, 4]]])
    table.call("non_max_suppression", [centers, *operands[1:]], [Tensor("i64", wanted, said=12), whole([4])], room=[6],
               centered=True)


def reductions(table):
    for dtype in ALL:
        x = draw(dtype, 2, 3, 4)
        axes, shape = (0, 2), [1, 3, 1]
        forms = {"max": np.max, "min": np.min}
        if dtype != "bool":
            forms.update(sum=np.sum, prod=np.prod)
            mean = np.mean(x.v, axis=axes) if dtype in FLOATS else np.trunc(np.sum(x.v, axis=axes) / 8)
            table.call("reduce_mean", [x], Tensor(dtype, mean), axes=[0, -1], keepdims=0)
        for name, function in forms.items():
            values = np.array(x.held, dtype=object) if dtype in INTEGERS else x.v
            reduced = function(values, axis=axes)
            table.call("reduce_" + name, [x], Tensor(dtype, reduced), axes=[0, -1], keepdims=0)
            table.call("reduce_" + name, [x], Tensor(dtype, function(values, axis=1, keepdims=True)), axes=[-2])
            table.call(name + "_to", [x], Tensor(dtype, reduced.reshape(shape)), shape=shape)


def add_to(table):
    for part in (orders, natives, picks, writes, chosen, selected, reductions):
        part(table)
