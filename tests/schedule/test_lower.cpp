// Lowering under hand-written and default schedules computes what the stages say.
#include "lower_check.h"

#include "common/test.h"
#include "loop/print.h"

using namespace fw;
using namespace fw::test;

namespace {

OpInst elementwise(const Shape& shape) {
    OpInst inst;
    inst.inputs = {tensor("a", shape), tensor("b", shape)};
    inst.outputs = {tensor("y", shape)};
    std::vector<Axis> axes;
    Exprs indices;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        axes.push_back({Symbol("i" + std::to_string(d)), shape[d]});
        indices.push_back(varExpr(axes.back().var));
    }
    inst.stages = {mapStage(
        "y", axes, maxExpr(at(inst, "a", indices) + at(inst, "b", indices), floatExpr(0)))};
    return inst;
}

} // namespace

class TestLower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plainTakesEverything();
    void elementwiseOfAnySize();
    void elementwiseWithBroadcastsAndLayouts();
    void splitsFusionsAndOrders();
    void epilogueInRegisters();
    void convolutionsOfAllKinds();
    void productsOfAllSizes();
    void iterationsThatAreSharedAreWorthIt();
    void poolsAndDepthwise();
    void rowsOfAnyLength();
    void accumulatorsFoldInWholeVectors();
    void reductionsOverAnyAxes();
    void movesOfElements();
    void randomGroups();
    void goldenNests();
    void illegalStepsAreRefused();
    void schedulesReadBack();
};

void TestLower::plainTakesEverything() {
    const ScheduleContext context;
    const std::vector<std::pair<OpInst, Bindings>> cases = {
        {elementwise({}), {}},
        {elementwise({v("N"), Expr(3)}), {{"N", 5}}},
        {convolution({.bias = true, .relu = true}), {}},
        {matmul(v("M"), Expr(5), Expr(7), true, true), {{"M", 4}}},
        {matmul(v("M"), Expr(5), Expr(0), true, true), {{"M", 0}}},
    };
    for (const auto& [inst, symbols] : cases)
        VERIFY_LOWERED(checkLowering(inst, plainSchedule(inst, context)->schedule, {}, symbols));
    const OpInst rows = softmax(v("N"), Expr(9));
    VERIFY_LOWERED(
        checkLowering(rows, plainSchedule(rows, context)->schedule, {}, {{"N", 3}}, 1, 1e-12));
}

void TestLower::elementwiseOfAnySize() {
    ScheduleContext context;
    for (const std::int64_t lanes : {4, 16}) {
        context.vectorLanes = lanes;
        for (const std::int64_t n : {0, 1, 3, 15, 16, 17, 63, 64, 65, 130}) {
            std::string name;
            VERIFY_LOWERED(checkDefault(elementwise({Expr(n), Expr(3)}), context, {}, 1, 0, &name));
            QCOMPARE(name, n * 3 >= lanes / 2 ? "map" : "plain");
            VERIFY_LOWERED(checkDefault(elementwise({v("N"), Expr(3)}), context, {{"N", n}}));
            VERIFY_LOWERED(
                checkDefault(elementwise({v("N"), v("M")}), context, {{"N", n}, {"M", 5}}));
            VERIFY_LOWERED(checkDefault(elementwise({Expr(2), v("N")}), context, {{"N", n}}));
        }
        VERIFY_LOWERED(checkDefault(elementwise({}), context, {}));
    }
}

void TestLower::elementwiseWithBroadcastsAndLayouts() {
    ScheduleContext context;
    OpInst inst;
    const Shape shape{v("N"), Expr(6), Expr(5), Expr(7)};
    inst.inputs = {tensor("a", shape), tensor("b", {Expr(6)}),
                   tensor("m", {v("N"), Expr(1), Expr(5), Expr(1)})};
    inst.outputs = {tensor("y", shape)};
    inst.stages = {
        mapStage("y", {{"n", v("N")}, {"c", Expr(6)}, {"h", Expr(5)}, {"w", Expr(7)}},
                 at(inst, "a", {v("n"), v("c"), v("h"), v("w")}) * at(inst, "b", {v("c")}) +
                     at(inst, "m", {v("n"), Expr(0), v("h"), Expr(0)}))};
    for (const bool last : {false, true})
        for (const bool mixed : {false, true}) {
            context.maps.clear();
            if (last)
                context.maps["y"] = channelsLast(4);
            if (last != mixed)
                context.maps["a"] = channelsLast(4);
            for (const std::int64_t n : {0, 1, 2}) {
                context.vectorLanes = 4;
                VERIFY_LOWERED(checkDefault(inst, context, {{"N", n}}));
            }
        }
}

void TestLower::splitsFusionsAndOrders() {
    const auto parsed = parseSchedule("y.fuse(i0, i1, f)\n"
                                      "y.split(f, f1, f0, 12, peel)\n"
                                      "y.split(f0, fu, fl, 4, guard)   # 12 = 3 * 4\n"
                                      "y.reorder(f1, fu, fl)\n"
                                      "y.parallel(f1, 2)\ny.unroll(fu)\ny.vectorize(fl)\n");
    QVERIFY(parsed.ok());
    for (const std::int64_t n : {0, 1, 2, 5, 12, 13, 25}) {
        VERIFY_LOWERED(checkLowering(elementwise({v("N"), Expr(3)}), *parsed, {}, {{"N", n}}));
        VERIFY_LOWERED(checkLowering(elementwise({Expr(n), Expr(3)}), *parsed, {}, {}));
        // The second operand in another order: offsets need division and remainder.
        VERIFY_LOWERED(checkLowering(elementwise({v("N"), Expr(3)}), *parsed,
                                     {{"b", {{{1, 1, 0}, {0, 1, 0}}, {}}}}, {{"N", n}}));
    }
}

void TestLower::epilogueInRegisters() {
    const auto parsed =
        parseSchedule("t_b.inline()\n"
                      "y.reorder(n_a, oh_a, ow_a, o_a)\n"
                      "y.split(o_a, o1, o0, 8, guard)\ny.split(o0, ov, ol, 4, guard)\n"
                      "y.split(ow_a, w1, w0, 3, peel)\n"
                      "y.reorder(o1, oh_a, w1, w0, ov, ol)\n"
                      "y.vectorize(ol)\ny.unroll(ov)\ny.unroll(w0)\n"
                      "conv.at(y, w1)\nconv.reorder(kh, kw, c)\nconv.unroll(kw)\n"
                      "w.layout(d0/8 d2 d3 d1 d0%8)\n");
    QVERIFY(parsed.ok());
    const StorageMaps last{{"x", channelsLast(4)}, {"y", channelsLast(4)}};
    for (const std::int64_t o : {1, 4, 8, 10})
        for (const std::int64_t w : {1, 2, 5, 9, 12})
            for (const std::int64_t stride : {1, 2}) {
                const OpInst inst = convolution(
                    {.c = 2, .h = 4, .w = w, .o = o, .stride = stride, .bias = true, .relu = true});
                const Checked checked = checkLowering(inst, *parsed, last, {});
                QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));
                // Packed weights reach to the end of the last tile, so sums need no guard.
                QVERIFY2(checked.text.find("fma(") != std::string::npos, checked.text.c_str());
            }
}

void TestLower::convolutionsOfAllKinds() {
    ScheduleContext context;
    context.threads = 2;
    unsigned seed = 0;
    for (const std::int64_t lanes : {4, 16})
        for (const bool last : {false, true}) {
            context.vectorLanes = lanes;
            context.vectorRegisters = lanes == 4 ? 16 : 32;
            context.maps.clear();
            if (last)
                context.maps = {
                    {"x", channelsLast(4)}, {"y", channelsLast(4)}, {"r", channelsLast(4)}};
            const ConvShape shapes[] = {
                {.c = 3, .h = 9, .w = 9, .o = 17, .bias = true, .relu = true, .residual = true},
                {.c = 5, .h = 1, .w = 30, .o = 33, .kh = 1, .kw = 1, .pad = 0, .relu = true},
                {.c = 4, .h = 7, .w = 7, .o = 8, .bias = true},
                {.c = 2, .h = 12, .w = 31, .o = 9, .kh = 5, .kw = 5, .stride = 2, .pad = 2},
                {.c = 2, .h = 9, .w = 16, .o = 5, .kh = 3, .kw = 2, .pad = 0, .dilation = 2},
                {.c = 3,
                 .h = 14,
                 .w = 14,
                 .o = 16,
                 .kh = 7,
                 .kw = 7,
                 .stride = 2,
                 .pad = 3,
                 .relu = true},
                {.c = 8, .h = 5, .w = 6, .o = 16, .groups = 2, .bias = true},
                {.c = 16, .h = 3, .w = 5, .o = 32, .groups = 8, .relu = true},
                {.c = 12, .h = 3, .w = 5, .o = 12, .groups = 3, .bias = true},
                {.c = 9, .h = 3, .w = 5, .o = 39, .groups = 3},
                {.c = 16, .h = 8, .w = 8, .o = 20, .kh = 4, .kw = 4, .stride = 4, .pad = 0},
                {.c = 20, .h = 6, .w = 17, .o = 20, .groups = 20, .relu = true},
                {.n = Expr(2),
                 .c = 3,
                 .h = 4,
                 .w = 4,
                 .o = 3,
                 .kh = 1,
                 .kw = 1,
                 .stride = 2,
                 .pad = 0},
                {.n = v("N"), .c = 3, .h = 4, .w = 15, .o = 6, .relu = true},
            };
            for (const ConvShape& shape : shapes)
                for (const bool constant : {false, true}) {
                    context.constants = constant ? std::set<Symbol>{"w", "b"} : std::set<Symbol>{};
                    std::string name;
                    ++seed;
                    VERIFY_LOWERED(checkDefault(convolution(shape), context, {{"N", seed % 3}},
                                                seed, 0, &name));
                    if (constant && (last || shape.w > 4))
                        QCOMPARE(QString::fromStdString(name), QStringLiteral("tiled"));
                }
        }
}

void TestLower::productsOfAllSizes() {
    ScheduleContext context;
    context.vectorLanes = 4;
    context.vectorRegisters = 16;
    context.threads = 2;
    unsigned seed = 0;
    for (const std::int64_t m : {0, 1, 2, 5, 6, 7, 13})
        for (const std::int64_t n : {0, 1, 3, 4, 8, 9, 17})
            for (const std::int64_t k : {0, 1, 5, 16}) {
                const bool transposed = (m + n + k) % 2 == 0, constant = (m + k) % 3 == 0;
                context.constants = constant ? std::set<Symbol>{"b"} : std::set<Symbol>{};
                VERIFY_LOWERED(
                    checkDefault(matmul(Expr(m), Expr(n), Expr(k), transposed, m % 5 == 0), context,
                                 {}, ++seed));
                VERIFY_LOWERED(checkDefault(matmul(v("M"), Expr(n), Expr(k), transposed, true),
                                            context, {{"M", m}}, ++seed));
                VERIFY_LOWERED(checkDefault(matmul(v("M"), v("N"), v("K"), transposed, false),
                                            context, {{"M", m}, {"N", n}, {"K", k}}, ++seed));
            }
}

// An iteration of the shared loop computes a tile of rows in every block of channels: a convolution
// of 19 million multiply-adds over 16 channels is work for several threads.
void TestLower::iterationsThatAreSharedAreWorthIt() {
    static const QRegularExpression shared(QStringLiteral("parallel \\S+ in (\\d+) grain (\\d+)"));
    for (const int lanes : {8, 16}) {
        ScheduleContext context;
        context.vectorLanes = lanes;
        context.vectorRegisters = lanes == 16 ? 32 : 16;
        context.threads = 2;
        context.maps = {{"x", channelsLast(4)}, {"y", channelsLast(4)}};
        ConvShape shape;
        shape.c = 16;
        shape.h = shape.w = 112;
        shape.o = 96;
        shape.kh = shape.kw = 1;
        shape.pad = 0;
        const OpInst inst = convolution(shape);
        const auto choice = plannedSchedule(inst, context);
        QVERIFY(choice.ok());
        const auto lowered = lower(inst, choice->schedule, context.maps, "narrow");
        QVERIFY(lowered.ok());
        const QString loops = QString::fromStdString(text(lowered->nest));
        const auto match = shared.match(loops);
        // A grain of 1 is not written.
        QVERIFY2(!match.hasMatch() || match.captured(1).toInt() >= 4 * match.captured(2).toInt(),
                 qPrintable(loops));
    }
}

void TestLower::poolsAndDepthwise() {
    ScheduleContext context;
    context.vectorLanes = 4;
    context.vectorRegisters = 16;
    for (const bool last : {false, true})
        for (const std::int64_t w : {1, 2, 7, 18})
            for (const std::int64_t stride : {1, 2})
                for (const Reducer reducer : {Reducer::Max, Reducer::Sum}) {
                    const std::int64_t oh = (5 + 2 - 3) / stride + 1, ow = (w + 2 - 3) / stride + 1;
                    if (w + 2 < 3)
                        continue;
                    OpInst inst;
                    inst.inputs = {tensor("x", {v("N"), Expr(6), Expr(5), Expr(w)})};
                    inst.outputs = {tensor("y", {v("N"), Expr(6), Expr(oh), Expr(ow)})};
                    const Expr x =
                        padExpr(at(inst, "x",
                                   {v("n"), v("c"), v("oh") * Expr(stride) + v("kh") - Expr(1),
                                    v("ow") * Expr(stride) + v("kw") - Expr(1)}),
                                reducerIdentity(reducer, DType::F32));
                    inst.stages = {reduceStage(
                        "y", {{"n", v("N")}, {"c", Expr(6)}, {"oh", Expr(oh)}, {"ow", Expr(ow)}},
                        reducer, {{"kh", Expr(3)}, {"kw", Expr(3)}}, x)};
                    context.maps.clear();
                    if (last)
                        context.maps = {{"x", channelsLast(4)}, {"y", channelsLast(4)}};
                    VERIFY_LOWERED(checkDefault(inst, context, {{"N", 2}}));
                }
}

void TestLower::rowsOfAnyLength() {
    ScheduleContext context;
    context.vectorLanes = 4;
    for (const std::int64_t n : {0, 1, 3})
        for (const std::int64_t d : {1, 2, 4, 5, 13, 15, 16, 17, 23, 40}) {
            std::string name;
            VERIFY_LOWERED(
                checkDefault(softmax(v("N"), Expr(d)), context, {{"N", n}}, 1, 1e-12, &name));
            if (d > 1)
                QCOMPARE(QString::fromStdString(name), QStringLiteral("rowwise"));
            VERIFY_LOWERED(checkDefault(softmax(Expr(n), v("D")), context, {{"D", d}}, 2, 1e-12));
            // A row too long for the stack
            if (d == 17)
                VERIFY_LOWERED(checkDefault(softmax(Expr(2), Expr(5000)), context, {}, 3, 1e-12));
            // Layer norm, with the mean as a second output
            OpInst norm;
            norm.inputs = {tensor("x", {v("N"), Expr(d)}), tensor("g", {Expr(d)})};
            norm.outputs = {tensor("y", {v("N"), Expr(d)}), tensor("mean", {v("N")})};
            norm.temporaries = {tensor("s1", {v("N")}), tensor("s2", {v("N")}),
                                tensor("r", {v("N")})};
            const Expr centred = at(norm, "x", {v("p3"), v("d3")}) - at(norm, "mean", {v("p3")});
            norm.stages = {
                reduceStage("s1", {{"p1", v("N")}}, Reducer::Sum, {{"d1", Expr(d)}},
                            at(norm, "x", {v("p1"), v("d1")})),
                mapStage("mean", {{"p2", v("N")}},
                         divExpr(at(norm, "s1", {v("p2")}), floatExpr(static_cast<double>(d)))),
                reduceStage("s2", {{"p3", v("N")}}, Reducer::Sum, {{"d3", Expr(d)}},
                            centred * centred),
                mapStage("r", {{"p4", v("N")}},
                         callExpr(MathFn::Rsqrt, {at(norm, "s2", {v("p4")}) + floatExpr(0.5)})),
                mapStage("y", {{"p5", v("N")}, {"d5", Expr(d)}},
                         (at(norm, "x", {v("p5"), v("d5")}) - at(norm, "mean", {v("p5")})) *
                             at(norm, "r", {v("p5")}) * at(norm, "g", {v("d5")}))};
            VERIFY_LOWERED(checkDefault(norm, context, {{"N", n}}, 4, 1e-12, &name));
            if (d > 1)
                QCOMPARE(QString::fromStdString(name), QStringLiteral("rowwise"));
        }
}

// Three accumulators of four lanes become two, not one and a half.
void TestLower::accumulatorsFoldInWholeVectors() {
    ScheduleContext context;
    context.vectorLanes = 4;
    static const QRegularExpression fold(QStringLiteral("\\.lane in (\\d+)"));
    for (const std::int64_t d : {4, 8, 12, 13, 16, 20, 23, 28, 1000}) {
        const OpInst inst = softmax(Expr(6), Expr(d));
        const auto choice = plannedSchedule(inst, context);
        QVERIFY(choice.ok());
        const auto lowered = lower(inst, choice->schedule, context.maps, "rows");
        QVERIFY(lowered.ok());
        const QString loops = QString::fromStdString(text(lowered->nest));
        int folds = 0;
        for (auto match = fold.globalMatch(loops); match.hasNext(); ++folds) {
            const int lanes = match.next().captured(1).toInt();
            QVERIFY2(lanes % 4 == 0 || lanes < 4, qPrintable(loops));
        }
        QVERIFY2(folds > 0, qPrintable(loops));
    }
}

void TestLower::reductionsOverAnyAxes() {
    ScheduleContext context;
    context.vectorLanes = 4;
    const std::int64_t extents[3] = {3, 5, 9};
    for (int mask = 0; mask < 8; ++mask)
        for (const Reducer reducer : {Reducer::Sum, Reducer::Max})
            for (const bool scaled : {false, true}) {
                OpInst inst;
                inst.inputs = {tensor("x", {Expr(3), Expr(5), Expr(9)})};
                std::vector<Axis> space, reduce, space2;
                Exprs loads, indices;
                Shape shape;
                for (int d = 0; d < 3; ++d) {
                    const Axis axis{Symbol("i" + std::to_string(d)), Expr(extents[d])};
                    loads.push_back(varExpr(axis.var));
                    if ((mask >> d & 1) != 0) {
                        reduce.push_back(axis);
                        continue;
                    }
                    space.push_back(axis);
                    space2.push_back({Symbol("j" + std::to_string(d)), Expr(extents[d])});
                    indices.push_back(varExpr(space2.back().var));
                    shape.emplace_back(extents[d]);
                }
                if (reduce.empty())
                    continue;
                inst.outputs = {tensor("y", shape)};
                inst.stages = {
                    reduceStage(scaled ? "t" : "y", space, reducer, reduce, at(inst, "x", loads))};
                if (scaled) {
                    inst.temporaries = {tensor("t", shape)};
                    inst.stages.push_back(
                        mapStage("y", space2, at(inst, "t", indices) * floatExpr(3)));
                }
                VERIFY_LOWERED(checkDefault(inst, context, {}));
            }
    // softmax over a middle axis: no template takes the row as a whole
    OpInst inst;
    const Shape shape{Expr(2), Expr(5), Expr(9)};
    inst.inputs = {tensor("x", shape)};
    inst.outputs = {tensor("y", shape)};
    inst.temporaries = {tensor("m", {Expr(2), Expr(9)})};
    inst.stages = {
        reduceStage("m", {{"a", Expr(2)}, {"b", Expr(9)}}, Reducer::Max, {{"k", Expr(5)}},
                    at(inst, "x", {v("a"), v("k"), v("b")})),
        mapStage("y", {{"a2", Expr(2)}, {"k2", Expr(5)}, {"b2", Expr(9)}},
                 at(inst, "x", {v("a2"), v("k2"), v("b2")}) - at(inst, "m", {v("a2"), v("b2")}))};
    VERIFY_LOWERED(checkDefault(inst, context, {}));
}

void TestLower::movesOfElements() {
    ScheduleContext context;
    context.vectorLanes = 4;
    for (const std::int64_t n : {1, 6, 17}) {
        OpInst transpose;
        transpose.inputs = {tensor("x", {Expr(n), Expr(3), v("W")})};
        transpose.outputs = {tensor("y", {Expr(3), v("W"), Expr(n)})};
        transpose.stages = {mapStage("y", {{"c", Expr(3)}, {"w", v("W")}, {"i", Expr(n)}},
                                     at(transpose, "x", {v("i"), v("c"), v("w")}))};
        VERIFY_LOWERED(checkDefault(transpose, context, {{"W", 5}}));
        // In tiles where rows share a set of the cache, and values have no vectors.
        for (const DType dtype : {DType::F64, DType::I64}) {
            OpInst wide;
            wide.inputs = {tensor("x", {Expr(2), Expr(2 * n + 3), Expr(256)}, dtype)};
            wide.outputs = {tensor("y", {Expr(2), Expr(256), Expr(2 * n + 3)}, dtype)};
            wide.stages = {mapStage("y", {{"b", Expr(2)}, {"c", Expr(256)}, {"r", Expr(2 * n + 3)}},
                                    at(wide, "x", {v("b"), v("r"), v("c")}))};
            VERIFY_LOWERED(checkDefault(wide, context, {}));
        }
        OpInst concat;
        concat.inputs = {tensor("a", {Expr(n), Expr(5)}), tensor("b", {Expr(n), v("K")})};
        concat.outputs = {tensor("y", {Expr(n), v("K") + Expr(5)})};
        concat.stages = {
            mapStage("y", {{"i", Expr(n)}, {"j", Expr(5)}}, at(concat, "a", {v("i"), v("j")})),
            mapStage("y", {{"i2", Expr(n)}, {"j2", v("K")}}, at(concat, "b", {v("i2"), v("j2")}))};
        concat.stages[1].store[1] = v("j2") + Expr(5);
        VERIFY_LOWERED(checkDefault(concat, context, {{"K", 4}}));
        // A map of it is computed with every piece: the whole is never stored.
        OpInst shifted = concat;
        shifted.temporaries = concat.outputs;
        shifted.inputs.push_back(tensor("s", {v("K") + Expr(5)}));
        shifted.outputs = {tensor("z", {Expr(n), v("K") + Expr(5)})};
        shifted.stages.push_back(
            mapStage("z", {{"i3", Expr(n)}, {"j3", v("K") + Expr(5)}},
                     maxExpr(at(shifted, "y", {v("i3"), v("j3")}) + at(shifted, "s", {v("j3")}),
                             at(shifted, "y", {v("i3"), v("j3")}))));
        VERIFY_LOWERED(checkDefault(shifted, context, {{"K", 4}}));
        const auto inPieces = plannedSchedule(shifted, context);
        QVERIFY(inPieces.ok());
        QVERIFY2(inPieces->schedule.text().starts_with("y.inline()"),
                 inPieces->schedule.text().c_str());
        OpInst gather;
        gather.inputs = {tensor("x", {Expr(4), Expr(n)}), tensor("idx", {v("J")}, DType::I64)};
        gather.outputs = {tensor("y", {v("J"), Expr(n)})};
        gather.stages = {mapStage(
            "y", {{"j", v("J")}, {"i", Expr(n)}},
            at(gather, "x",
               {minExpr(maxExpr(at(gather, "idx", {v("j")}), Expr(0)), Expr(3)), v("i")}))};
        VERIFY_LOWERED(checkDefault(gather, context, {{"J", 3}}));
        // An index that is picked by an index.
        const auto within = [](const Expr& index) {
            return minExpr(maxExpr(index, Expr(0)), Expr(3));
        };
        OpInst twice = gather;
        twice.inputs.push_back(tensor("which", {v("J")}, DType::I64));
        const Expr picked = at(twice, "idx", {within(at(twice, "which", {v("j")}))});
        twice.inputs[1].type.shape = {Expr(4)};
        twice.stages[0].body = at(twice, "x", {within(picked), v("i")});
        VERIFY_LOWERED(checkDefault(twice, context, {{"J", 3}}));
        // A producer inlined under pad(): outside, it is the pad that counts.
        OpInst padded;
        padded.inputs = {tensor("x", {Expr(n)})};
        padded.temporaries = {tensor("t", {Expr(n)})};
        padded.outputs = {tensor("y", {Expr(n + 3)})};
        padded.stages = {mapStage("t", {{"i", Expr(n)}}, at(padded, "x", {v("i")}) + floatExpr(1)),
                         mapStage("y", {{"j", Expr(n + 3)}},
                                  padExpr(at(padded, "t", {v("j") - Expr(1)}), floatExpr(7)))};
        VERIFY_LOWERED(checkDefault(padded, context, {}));
        OpInst mixed; // comparison to bool, 64-bit integers
        mixed.inputs = {tensor("x", {Expr(n)}, DType::I64)};
        mixed.outputs = {tensor("y", {Expr(n)}, DType::Bool)};
        mixed.stages = {
            mapStage("y", {{"i", Expr(n)}}, ltExpr(at(mixed, "x", {v("i")}), intExpr(1)))};
        VERIFY_LOWERED(checkDefault(mixed, context, {}));
    }
}

// Random shapes and storage: the same ones every time, or as many as FW_FUZZ_SECONDS allows.
void TestLower::randomGroups() {
    const int seconds = qEnvironmentVariableIntValue("FW_FUZZ_SECONDS");
    QElapsedTimer timer;
    timer.start();
    for (unsigned seed = 1; seconds > 0 ? timer.elapsed() < seconds * 1000 : seed <= 200; ++seed) {
        std::mt19937 random(seed);
        const auto pick = [&](int low, int high) {
            return static_cast<std::int64_t>(low) +
                   static_cast<std::int64_t>(random() % static_cast<unsigned>(high - low + 1));
        };
        ScheduleContext context;
        context.vectorLanes = pick(0, 1) == 0 ? 4 : 8;
        context.vectorRegisters = pick(0, 1) == 0 ? 16 : 32;
        context.threads = static_cast<int>(pick(1, 3));
        for (const char* name : {"x", "y", "r"})
            if (pick(0, 2) > 0)
                context.maps[name] = channelsLast(4);
        if (pick(0, 1) == 0)
            context.constants = {"w", "b"};
        ConvShape s;
        s.groups = pick(0, 3) == 0 ? pick(1, 4) : 1;
        s.c = s.groups * pick(1, 4);
        s.o = s.groups * pick(1, 7);
        s.kh = pick(1, 4);
        s.kw = pick(1, 4);
        s.dilation = pick(1, 2);
        s.stride = pick(1, 3);
        s.pad = pick(0, 3);
        s.h = std::max<std::int64_t>(pick(1, 10), s.dilation * (s.kh - 1) + 1 - 2 * s.pad);
        s.w = std::max<std::int64_t>(pick(1, 20), s.dilation * (s.kw - 1) + 1 - 2 * s.pad);
        s.n = pick(0, 2) == 0 ? v("N") : Expr(pick(1, 2));
        s.bias = pick(0, 1) == 0;
        s.relu = pick(0, 1) == 0;
        s.residual = pick(0, 2) == 0;
        const Checked checked = checkDefault(convolution(s), context, {{"N", pick(0, 2)}}, seed);
        QVERIFY2(checked.problem.isEmpty(),
                 qPrintable(QStringLiteral("seed %1\n").arg(seed) + checked.problem));
    }
}

// Read a golden that changed. FW_UPDATE_GOLDEN=1 writes them anew.
void TestLower::goldenNests() {
    ScheduleContext context;
    context.constants = {"w", "b"};
    const auto check = [&](const std::string& name, const OpInst& inst) {
        const auto choice = plannedSchedule(inst, context);
        const auto lowered = lower(inst, choice->schedule, context.maps, name);
        const QByteArray now =
            QByteArray::fromStdString(choice->schedule.text() + "\n" + text(lowered->nest));
        QFile file(QStringLiteral(FW_SOURCE_DIR "/tests/golden/loops/%1.txt")
                       .arg(QString::fromStdString(name)));
        if (qEnvironmentVariableIsSet("FW_UPDATE_GOLDEN")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(now);
            return;
        }
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
        QVERIFY2(file.readAll() == now, now.constData());
    };
    check("softmax", softmax(v("N"), Expr(40)));
    check("dense_bias", matmul(v("M"), Expr(40), Expr(24), true, true));
    context.maps = {{"x", channelsLast(4)}, {"y", channelsLast(4)}};
    check("conv_bias_relu",
          convolution({.c = 8, .h = 28, .w = 28, .o = 32, .bias = true, .relu = true}));
}

void TestLower::illegalStepsAreRefused() {
    const OpInst inst = convolution({.relu = true});
    const std::pair<const char*, const char*> wrong[] = {
        {"z.unroll(o)", "no such stage"},
        {"y.unroll(q)", "no such loop"},
        {"y.split(oh_a, n, b, 2, guard)", "a name is taken"},
        {"y.fuse(n_a, oh_a, f)", "not neighbours"},
        {"conv.inline()", "cannot be computed where it is read"},
        {"y.accumulate(oh_a)", "reduces nothing"},
        {"y.split(ow_a, a, b, 2, peel)\ny.split(a, e, f, 2, guard)", "peeled loop cannot be split"},
        {"conv.at(y, ow_a)\ny.split(ow_a, e, f, 2, guard)", "made others of the loop"},
        {"conv.accumulate(ow)\nconv.split(ow, e, f, 2, guard)", "made others of the loop"},
        {"y.split(ow_a, e, f, 4, peel)\ny.reorder(n_a, o_a, oh_a, f, e)\ny.fuse(oh_a, f, g)",
         "is peeled and must lie inside e"},
        {"y.parallel(oh_a, 1)", "not the outermost"},
        {"y.vectorize(oh_a)", "must be the innermost"},
        {"y.at(conv)", "no such stage after it"},
        {"conv.vectorize(kw)", "lanes need partial"},
        {"y.parallel(n_a, 1)\nconv.at(y)", "every iteration|outside a parallel"},
        {"conv.parallel(c, 1)", "cannot be parallel"},
    };
    for (const auto& [text, why] : wrong) {
        const auto schedule = parseSchedule(text);
        QVERIFY2(schedule.ok(), text);
        const auto lowered = lower(inst, *schedule, {}, "t");
        QVERIFY2(!lowered.ok(), text);
        QCOMPARE(lowered.diag().code, DiagCode::ScheduleIllegal);
        QVERIFY2(
            std::any_of(why, why + 1,
                        [&](char) {
                            for (const QString& part : QString::fromUtf8(why).split(u'|'))
                                if (QString::fromStdString(lowered.diag().message).contains(part))
                                    return true;
                            return false;
                        }),
            lowered.diag().message.c_str());
    }
}

void TestLower::schedulesReadBack() {
    const char* text = "w.layout(d0/32 d2 d3 d1 d0%32)\ny.1.split(o, o1, o0, 32, "
                       "guard)\nconv.at(y, w1)\nconv.at(y)\n"
                       "y.accumulate()\ny.partial(kl)\n";
    const auto schedule = parseSchedule(text);
    QVERIFY(schedule.ok());
    QCOMPARE(schedule->text(), std::string(text));
    for (const char* wrong :
         {"split(a)", "y.twist(a)", "y.split(a, b, c, 0, guard)", "y.split(a, b, c, 2, both)",
          "y.fuse(a, b)", "y.parallel(a)", "w.layout(d0 x)", "y.reorder(a,,b)"}) {
        const auto refused = parseSchedule(wrong);
        QVERIFY2(!refused.ok(), wrong);
        QVERIFY(refused.diag().where.line == 1);
    }
}

FW_TEST(TestLower, QCoreApplication)
#include "test_lower.moc"
