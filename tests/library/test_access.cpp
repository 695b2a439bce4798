// What layouts and fusion ask of a computation, on the operators of the library and on others that
// compute the same under names of their own.
#include "common/test.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "tensor/images.h"
#include "tensor/movement.h"

using namespace fw;

namespace {

const char* const ownOperators = R"(
op patches "products over channels" (x: T[N, C, H, W], w: T[O, C]) -> y: T[N, O, H, W] {
  y[n, o, h, w2] = sum(c in C : x[n, c, h, w2] * w[o, c]) }
op blur "neighbours in a row" (x: T[N, C, H, W]) -> y: T[N, C, H, W] {
  y[n, c, h, w] = sum(k in 3 : pad(x[n, c, h, w + k - 1], 0)) }
op last_conv "channels last" (x: T[N, H, W, C], w: T[O, C, KH, KW]) -> y: T[N, A, B, O] where A = H - KH + 1, B = W - KW + 1 {
  y[n, a, b, o] = sum(c in C, i in KH, j in KW : x[n, a + i, b + j, c] * w[o, c, i, j]) }
op last_pool "channels last" (x: T[N, H, W, C]) -> y: T[N, A, B, C] where A = H / 2, B = W / 2 {
  y[n, a, b, c] = max(i in 2, j in 2 : x[n, a * 2 + i, b * 2 + j, c]) }
op stack "behind each other" (xs*: T[P..., D@axis, Q...], attr axis: int = 1) -> y: T[P..., total(D), Q...] {
  each xs: y[p..., before(D) + d, q...] = xs[p..., d, q...] }
op norm "to the mean of its image" (x: T[N, C, H, W]) -> y: T[N, C, H, W] {
  let s[n, c] = sum(h in H, w in W : x[n, c, h, w])
  y[n, c, h, w] = x[n, c, h, w] / s[n, c] }
op same (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] }
)";

std::shared_ptr<const OperatorSet> operators() {
    static const std::shared_ptr<const OperatorSet> all = [] {
        Diags errors;
        auto out = withOperators(*standardOperators(), ownOperators, "own.fw", errors);
        if (!errors.empty())
            throw InternalError(errors.front().text());
        return out;
    }();
    return all;
}

OpInst computation(const std::string& graph, const std::string& value) {
    const GraphPtr parsed = parseGraph("graph g" + graph, operators()).value();
    const Node& node = *parsed->findByName(value);
    return operators()->find(node.op)->instantiate(callOf(*parsed, node)).value();
}

} // namespace

class TestAccess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void images_data();
    void images();
    void pieces();
    void shufflesReadAcross();
    void views();
};

void TestAccess::images_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<bool>("channels");
    QTest::addColumn<bool>("keeps");
    const auto row = [](const char* call, bool channels, bool keeps) {
        QTest::newRow(call) << QString(call) << channels << keeps;
    };
    row("conv2d(x, w)", true, false);
    row("conv2d(x, w) {strides = [2, 2]}", true, false);
    row("conv2d(x, v) {pads = [1, 1, 1, 1]}", true, false);
    row("conv2d(x, d) {pads = [1, 1, 1, 1], groups = 8}", true, false);
    row("conv_transpose2d(x, d) {strides = [2, 2], groups = 8}", true, false);
    row("max_pool2d(x) {kernel_shape = [2, 2], strides = [2, 2]}", true, false);
    row("avg_pool2d(x) {kernel_shape = [3, 1]}", true, false);
    row("global_average_pool(x)", true, false);
    row("global_max_pool(x)", true, false);
    row("reduce_mean(x) {axes = [2, 3]}", true, false);
    row("lrn(x) {size = 5}", true, false);
    row("patches(x, m)", true, false);
    row("blur(x)", true, false);
    row("conv2d(x, t)", true, false);
    row("conv2d(x, k) {groups = 4}", true, false);
    row("last_conv(x, v)", false, false);
    row("last_conv(x, w)", false, false);
    row("last_conv(x, t)", false, false);
    row("last_pool(x)", false, false);
    row("batch_matmul(x, x)", false, false);
    row("dense(x, m)", false, false);
    row("softmax(x) {axis = 1}", false, false);
    row("softmax(x)", false, false);
    row("reduce_sum(x) {axes = [3]}", false, false);
    row("reduce_max(x) {axes = [1]}", false, false);
    row("norm(x)", false, false);
    row("relu(x)", false, true);
    row("add(x, x)", false, true);
    row("bias(x, b)", false, true);
    row("concat(x, x) {axis = 2}", false, true);
    row("stack(x, x)", false, true);
    row("slice(x) {starts = [1], ends = [7], axes = [1], steps = [2]}", false, true);
    row("pad(x) {pads = [0, 0, 1, 1, 0, 0, 1, 1]}", false, true);
    row("channel_shuffle(x) {groups = 2}", false, true);
    row("expand(b) {shape = [2, 8, 8, 8]}", false, true);
    row("transpose(x) {perm = [0, 2, 3, 1]}", false, false);
    row("reshape(x) {shape = [2, 8, 4, 16]}", false, false);
}

void TestAccess::images() {
    QFETCH(QString, call);
    QFETCH(bool, channels);
    QFETCH(bool, keeps);
    const OpInst inst =
        computation("(x: f32[2, 8, 8, 8]) -> y { w = const random(1) : f32[4, 8, 1, 1]\n"
                    "v = const random(2) : f32[4, 8, 3, 3]  d = const random(3) : f32[8, 1, 3, 3]\n"
                    "m = const random(4) : f32[5, 8]  b = const random(5) : f32[8]\n"
                    "t = const random(6) : f32[4, 8, 3, 1]  k = const random(7) : f32[8, 2, 3, 1]\n"
                    "y = " +
                        call.toStdString() + " }",
                    "y");
    QCOMPARE(worksOnChannels(inst), channels);
    QCOMPARE(keepsAxes(inst), keeps);
}

void TestAccess::pieces() {
    const auto offsets = [](const std::string& graph) {
        QStringList out;
        const OpInst inst = computation(graph, "y");
        if (const auto pieces = piecesOf(inst))
            for (const Piece& piece : *pieces) {
                QStringList one;
                for (const Expr& offset : piece.offset)
                    one << QString::fromStdString(offset.text());
                out << one.join(u',');
            }
        return out;
    };
    QCOMPARE(offsets("(x: f32[2, 3], z: f32[4, 3]) -> y { y = concat(x, z, x) }"),
             (QStringList{"0,0", "2,0", "6,0"}));
    QCOMPARE(offsets("(x: f32[2, A], z: f32[2, B]) -> y { y = concat(x, z) {axis = -1} }"),
             (QStringList{"0,0", "0,A"}));
    QCOMPARE(offsets("(x: f32[2, 3], z: f32[2, 5]) -> y { y = stack(x, z) }"),
             (QStringList{"0,0", "0,3"}));
    QVERIFY(offsets("(x: f32[2, 3]) -> y { y = concat(x) }").isEmpty());
    QVERIFY(offsets("(x: f32[2, 3]) -> y { y = add(x, x) }").isEmpty());
    const OpInst split =
        computation("(x: f32[2, 6]) -> y { (y, z) = split(x) {axis = 1, sizes = [2, 4]} }", "y");
    QCOMPARE(boxOf(split.stages[1], split).value(), (Exprs{Expr(0), Expr(2)}));
    const OpInst steps = computation(
        "(x: f32[9]) -> y { y = slice(x) {starts = [0], ends = [9], axes = [0], steps = [2]} }",
        "y");
    QVERIFY(!boxOf(steps.stages[0], steps));
}

void TestAccess::shufflesReadAcross() {
    const std::vector<Piece> channels =
        piecesOf(computation("(x: f32[1, 4, 2, 2]) -> y { y = concat(x, x) {axis = 1} }", "y"))
            .value();
    const std::vector<Piece> rows =
        piecesOf(computation("(x: f32[1, 8, 1, 2]) -> y { y = concat(x, x) {axis = 2} }", "y"))
            .value();
    const auto across = [](const std::vector<Piece>& pieces, const std::string& call) {
        const OpInst inst = computation("(x: f32[1, 8, 2, 2]) -> y { y = " + call + " }", "y");
        return readsAcross(pieces, inst, inst.inputs[0].name);
    };
    QVERIFY(across(channels, "channel_shuffle(x) {groups = 2}"));
    QVERIFY(!across(rows, "channel_shuffle(x) {groups = 2}"));
    QVERIFY(!across(channels, "channel_shuffle(x) {groups = 1}"));
    QVERIFY(!across(channels, "transpose(x) {perm = [0, 2, 3, 1]}"));
    QVERIFY(!across(channels, "relu(x)"));
}

void TestAccess::views() {
    for (const char* op : {"reshape", "identity", "dropout", "same"})
        QVERIFY2(operators()->find(op)->isView(), op);
    for (const char* op : {"relu", "expand", "slice", "cast", "transpose", "stack", "concat"})
        QVERIFY2(!operators()->find(op)->isView(), op);
}

FW_TEST(TestAccess, QCoreApplication)
#include "test_access.moc"
