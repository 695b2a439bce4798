// Nests inside the loops of the nest that reads them: which are, and that the loops compute what
// the stages say, whatever the windows, strides and sizes.
#include "common/long_functions.h"
#include "expr/simplify.h"
#include "lower_check.h"
#include "random_loops.h"
#include "schedule/melted.h"

#include <QElapsedTimer>

using namespace fw;
using namespace fw::test;

namespace {

// One image x[1, C, H, W] and the stages behind it, of which the last writes y. Constants are the
// weights.
class Images {
public:
    Images(std::int64_t channels, std::int64_t height, std::int64_t width)
        : m_channels(channels), m_height(height), m_width(width) {
        inst.inputs = {tensor("x", {Expr(1), Expr(channels), Expr(height), Expr(width)})};
        context.maps[Symbol("x")] = channelsLast(4);
    }

    OpInst inst;
    ScheduleContext context;

    std::int64_t height() const { return std::min(m_height, m_width); }

    void convolution(std::int64_t channels, std::int64_t kernel, std::int64_t stride) {
        const Expr was(m_channels);
        m_channels = channels;
        const Expr read = window(v(name("r")), kernel, stride);
        const Expr weights = weight({Expr(channels), was, Expr(kernel), Expr(kernel)},
                                    {axis("c"), axis("r"), axis("i"), axis("j")});
        end(Reducer::Sum, {{name("r"), was}, {name("i"), Expr(kernel)}, {name("j"), Expr(kernel)}},
            read * weights);
    }

    void depthwise(std::int64_t kernel, std::int64_t stride) {
        const Expr read = window(axis("c"), kernel, stride);
        const Expr weights = weight({Expr(m_channels), Expr(kernel), Expr(kernel)},
                                    {axis("c"), axis("i"), axis("j")});
        end(Reducer::Sum, {{name("i"), Expr(kernel)}, {name("j"), Expr(kernel)}}, read * weights);
    }

    void pool(std::int64_t kernel, std::int64_t stride, bool padded) {
        const Expr read = window(axis("c"), kernel, stride, padded ? (kernel - 1) / 2 : 0,
                                 reducerIdentity(Reducer::Max, DType::F32));
        end(Reducer::Max, {{name("i"), Expr(kernel)}, {name("j"), Expr(kernel)}}, read);
    }

    // max(x + b[c], 0), or less than 6 of it.
    void bias(bool clipped) {
        const Expr b = weight({Expr(m_channels)}, {axis("c")});
        const Expr sum = maxExpr(at(inst, m_last, {axis("n"), axis("c"), axis("h"), axis("w")}) + b,
                                 floatExpr(0));
        end(Reducer::None, {}, clipped ? minExpr(sum, floatExpr(6)) : sum);
    }

    void finish() {
        inst.outputs = {inst.temporaries.back()};
        inst.temporaries.pop_back();
        inst.outputs[0].name = Symbol("y");
        inst.stages.back().out = Symbol("y");
        context.maps.erase(Symbol(m_last));
        context.maps[Symbol("y")] = channelsLast(4);
    }

private:
    std::string name(const char* what) const { return what + std::to_string(inst.stages.size()); }
    Expr axis(const char* what) const { return v(name(what)); }

    Expr window(const Expr& channel, std::int64_t kernel, std::int64_t stride) {
        return window(channel, kernel, stride, (kernel - 1) / 2, floatExpr(0));
    }
    Expr window(const Expr& channel, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                const Expr& otherwise) {
        const Expr read = at(inst, m_last,
                             {axis("n"), channel, axis("h") * Expr(stride) + axis("i") - Expr(pad),
                              axis("w") * Expr(stride) + axis("j") - Expr(pad)});
        m_height = (m_height + 2 * pad - kernel) / stride + 1;
        m_width = (m_width + 2 * pad - kernel) / stride + 1;
        return pad > 0 ? padExpr(read, otherwise) : read;
    }

    Expr weight(const Shape& shape, const Exprs& indices) {
        const std::string own = name("weights");
        inst.inputs.push_back(tensor(own, shape));
        context.constants.insert(Symbol(own));
        return at(inst, own, indices);
    }

    void end(Reducer reducer, std::vector<Axis> reduce, const Expr& body) {
        const std::string out = name("t");
        const Shape shape{Expr(1), Expr(m_channels), Expr(m_height), Expr(m_width)};
        const std::vector<Axis> space{{name("n"), shape[0]},
                                      {name("c"), shape[1]},
                                      {name("h"), shape[2]},
                                      {name("w"), shape[3]}};
        inst.temporaries.push_back(tensor(out, shape));
        inst.stages.push_back(reducer == Reducer::None
                                  ? mapStage(out, space, body)
                                  : reduceStage(out, space, reducer, std::move(reduce), body));
        m_last = out;
    }

    std::string m_last = "x";
    std::int64_t m_channels, m_height, m_width;
};

// One element where lanes lie, a vector and one more, or any number.
std::int64_t extent(Random& r, std::int64_t least, std::int64_t most) {
    return r.oneIn(5) ? 1 : r.oneIn(5) ? 17 : r.pick(least, most);
}

int lanes(Random& r) {
    return r.oneIn(3) ? 16 : r.oneIn(2) ? 8 : 4;
}

Images drawnImages(Random& r) {
    const std::int64_t width = r.pick(5, 21);
    Images out(extent(r, 1, 20), r.oneIn(2) ? width : r.pick(5, 21), width);
    out.context.vectorLanes = lanes(r);
    out.context.vectorRegisters = r.oneIn(2) ? 16 : 32;
    out.context.threads = static_cast<int>(r.pick(1, 2));
    for (std::int64_t stages = r.pick(2, 4); stages > 0; --stages) {
        const std::int64_t kernel = out.height() > 5 ? 2 * r.pick(0, 2) + 1 : 1,
                           stride = out.height() > 6 ? r.pick(1, 2) : 1;
        switch (r.below(4)) {
        case 0:
            out.convolution(extent(r, 3, 20), kernel, stride);
            break;
        case 1:
        case 2:
            out.depthwise(kernel, stride);
            break;
        case 3:
            out.pool(out.height() > 3 ? r.pick(2, 3) : 1, stride, r.oneIn(2));
            break;
        }
        if (r.oneIn(2))
            out.bias(r.oneIn(2));
    }
    out.finish();
    if (r.oneIn(3)) // lanes of one image lie along its rows, of another along its channels
        out.context.maps.clear();
    return out;
}

// Products, and what is known of their rows, over x[B, M, K]; constants are the weights.
class Rows {
public:
    Rows(std::int64_t batch, std::int64_t rows, std::int64_t wide)
        : Rows(Expr(batch), Expr(rows), wide) {}
    Rows(Expr batch, Expr rows, std::int64_t wide)
        : m_batch(std::move(batch)), m_rows(std::move(rows)), m_wide(wide) {
        inst.inputs = {tensor("x", {m_batch, m_rows, Expr(wide)})};
    }

    OpInst inst;
    ScheduleContext context;

    // With rows of another operand, which is computed outside, or with weights.
    void product(std::int64_t wide, bool weights) {
        const std::string other = name("other");
        const Axis reduced{name("k"), Expr(m_wide)};
        Exprs indices{axis("b"), v(reduced.var.text()), axis("n")};
        Shape shape{m_batch, Expr(m_wide), Expr(wide)};
        if (weights) {
            indices = {axis("n"), v(reduced.var.text())};
            shape = {Expr(wide), Expr(m_wide)};
            context.constants.insert(Symbol(other));
        }
        inst.inputs.push_back(tensor(other, shape));
        const Expr read = at(inst, m_last, {axis("b"), axis("m"), v(reduced.var.text())});
        m_wide = wide;
        end(Reducer::Sum, {reduced}, read * at(inst, other, indices));
    }

    // A factor and a mask, as long as the rows or the same for all of them.
    void masked(bool whole, bool divided) {
        const std::string mask = name("mask");
        inst.inputs.push_back(
            tensor(mask, whole ? Shape{m_rows, Expr(m_wide)} : Shape{Expr(1), Expr(m_wide)}));
        const Expr of = at(inst, mask, {whole ? axis("m") : Expr(0), axis("n")});
        end(Reducer::None, {},
            (divided ? divExpr(last(), floatExpr(8)) : last() * floatExpr(0.125)) + of);
    }

    // Only places up to that of the row.
    void causal() {
        end(Reducer::None, {},
            selectExpr(leExpr(axis("n"), axis("m")), last() * floatExpr(0.25), floatExpr(-100)));
    }

    void softmax() {
        const std::string x = m_last, most = row(Reducer::Max, x, [](const Expr&e) { return e; });
        m_last = x;
        end(Reducer::None, {}, callExpr(MathFn::Exp, {last() - ofRow(most)}));
        const std::string e = m_last,
                          sum = row(Reducer::Sum, e, [](const Expr&part) { return part; });
        m_last = e;
        end(Reducer::None, {}, divExpr(last(), ofRow(sum)));
    }

    void norm() {
        const std::string x = m_last, mean = row(Reducer::Sum, x, [](const Expr&e) { return e; });
        const Expr count = floatExpr(static_cast<double>(m_wide));
        m_last = x;
        const std::string spread = row(Reducer::Sum, x, [&](const Expr& e) {
            const Expr apart = e - divExpr(at(inst, mean, {axis("b"), axis("m")}), count);
            return apart * apart;
        });
        m_last = x;
        end(Reducer::None, {},
            (last() - divExpr(ofRow(mean), count)) *
                callExpr(MathFn::Rsqrt, {divExpr(ofRow(spread), count) + floatExpr(1)}));
    }

    void relu() { end(Reducer::None, {}, maxExpr(last(), floatExpr(0))); }

    void finish() {
        inst.outputs = {inst.temporaries.back()};
        inst.temporaries.pop_back();
        inst.outputs[0].name = Symbol("y");
        inst.stages.back().out = Symbol("y");
    }

private:
    std::string name(const char* what) const { return what + std::to_string(inst.stages.size()); }
    Expr axis(const char* what) const { return v(name(what)); }
    Expr last() const { return at(inst, m_last, {axis("b"), axis("m"), axis("n")}); }
    Expr ofRow(const std::string& what) const { return at(inst, what, {axis("b"), axis("m")}); }

    template <class Each>
    std::string row(Reducer reducer, const std::string& of, const Each& each) {
        const std::string out = name("t");
        const Expr read = at(inst, of, {axis("b"), axis("m"), axis("n")});
        const Expr body = each(read);
        inst.temporaries.push_back(tensor(out, {m_batch, m_rows}));
        inst.stages.push_back(reduceStage(out, {{name("b"), m_batch}, {name("m"), m_rows}}, reducer,
                                          {{name("n"), Expr(m_wide)}}, body));
        return out;
    }

    void end(Reducer reducer, std::vector<Axis> reduce, const Expr& body) {
        const std::string out = name("t");
        const Shape shape{m_batch, m_rows, Expr(m_wide)};
        const std::vector<Axis> space{
            {name("b"), shape[0]}, {name("m"), shape[1]}, {name("n"), shape[2]}};
        inst.temporaries.push_back(tensor(out, shape));
        inst.stages.push_back(reducer == Reducer::None
                                  ? mapStage(out, space, body)
                                  : reduceStage(out, space, reducer, std::move(reduce), body));
        m_last = out;
    }

    std::string m_last = "x";
    Expr m_batch, m_rows;
    std::int64_t m_wide;
};

Rows drawnRows(Random& r) {
    const bool isFree = r.oneIn(3); // a batch, or rows, or both
    const Expr batch = isFree && r.oneIn(2) ? v("B") : Expr(r.pick(1, 2)),
               tall = isFree && (batch.isInt() || r.oneIn(2)) ? v("M") : Expr(extent(r, 2, 17));
    Rows out(batch, tall, r.pick(1, 12));
    out.context.vectorLanes = lanes(r);
    out.context.vectorRegisters = r.oneIn(2) ? 16 : 32;
    out.context.threads = static_cast<int>(r.pick(1, 2));
    out.product(extent(r, 3, 28), r.oneIn(2));
    for (std::int64_t stages = r.pick(1, 3); stages > 0; --stages) {
        if (r.oneIn(2))
            out.masked(r.oneIn(2), r.oneIn(2));
        if (r.oneIn(4))
            out.causal();
        switch (r.below(4)) {
        case 0:
        case 1:
            out.softmax();
            break;
        case 2:
            out.norm();
            break;
        case 3:
            out.relu();
            break;
        }
        if (r.oneIn(2))
            out.product(extent(r, 3, 28), r.oneIn(2));
    }
    out.finish();
    return out;
}

std::string stepsOf(const ScheduleChoice& choice) {
    std::string out = choice.schedule.text();
    for (const Decision& decision : choice.decisions)
        out += fmt::format("# {}: {}\n", decision.subject, decision.evidence);
    return out;
}

} // namespace

class TestMelted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chains_data();
    void chains();
    void rows_data();
    void rows();
    void whatCostsMoreIsRefused();
    void whatHasNoBoxIsAlone();
    void rightOrRefused();
};

// Every producer of these is computed inside a loop of what reads it.
void TestMelted::chains_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("inside");
    QTest::newRow("convolution and pool") << "cp" << 1;
    QTest::newRow("bias and pool that overlaps") << "cbq" << 2;
    QTest::newRow("depthwise and pointwise") << "dbpb" << 2;
    QTest::newRow("pointwise and depthwise") << "pbdb" << 2;
    QTest::newRow("pointwise, depthwise, pointwise") << "pbdbpb" << 4;
    QTest::newRow("two convolutions") << "cbcb" << 2;
    QTest::newRow("depthwise chain") << "dddd" << 3;
    QTest::newRow("stride two") << "pbebpb" << 4;
}

void TestMelted::chains() {
    QFETCH(QString, kind);
    QFETCH(int, inside);
    for (const int threads : {1, 2}) {
        Images images(8, 16, 12);
        images.context.vectorLanes = 8;
        images.context.vectorRegisters = 16;
        images.context.threads = threads;
        for (const QChar one : kind)
            switch (one.toLatin1()) {
            case 'c':
                images.convolution(16, 3, 1);
                break;
            case 'p':
                images.convolution(24, 1, 1);
                break;
            case 'd':
                images.depthwise(3, 1);
                break;
            case 'e':
                images.depthwise(3, 2);
                break;
            case 'b':
                images.bias(true);
                break;
            case 'q':
                images.pool(3, 2, true);
                break;
            default:
                images.pool(2, 2, false);
            }
        images.finish();
        const auto choice = meltedSchedule(images.inst, images.context, Melt::Always);
        QVERIFY2(choice.ok(), choice.ok() ? "" : choice.diag().message.c_str());
        const std::string steps = stepsOf(*choice);
        std::size_t placed = 0;
        for (const ScheduleStep& step : choice->schedule.steps)
            placed += step.kind == StepKind::At ? 1 : 0;
        QVERIFY2(placed >= static_cast<std::size_t>(inside), steps.c_str());
        QVERIFY2(choice->lowered.temporaries.empty(), steps.c_str());
        const Checked checked =
            checkLowering(images.inst, choice->schedule, images.context.maps, {});
        QVERIFY2(checked.problem.isEmpty(),
                 qPrintable(checked.problem + u'\n' + QString::fromStdString(steps)));
        QVERIFY2(choice->decisions.back().evidence.starts_with("melted, "), steps.c_str());
    }
}

// A tile of rows is computed whole: a product, what is known of each row, and the product with it.
void TestMelted::rows_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("inside");
    QTest::addColumn<int>("tall");
    for (const int tall : {24, 23, 77, 197}) { // a prime has no tiles of equal size
        const auto row = [&](const char* what, const char* kind, int inside) {
            QTest::addRow("%s, %d", what, tall) << kind << inside << tall;
        };
        row("softmax between two products", "psp", 5);
        row("with a mask", "pmsp", 5);
        row("with a mask and a division", "pdsp", 6);
        row("up to the row", "pcsp", 5);
        row("softmax behind a product", "ps", 1);
        row("norm behind a product", "Pn", 1);
        row("a product behind a norm", "PrnP", 4);
    }
}

void TestMelted::rows() {
    QFETCH(QString, kind);
    QFETCH(int, inside);
    QFETCH(int, tall);
    for (const int threads : {1, 2}) {
        Rows made(tall == 24 ? 2 : 1, tall, 8);
        made.context.vectorLanes = 8;
        made.context.vectorRegisters = 16;
        made.context.threads = threads;
        for (const QChar one : kind)
            switch (one.toLatin1()) {
            case 'p':
            case 'P':
                made.product(40, one == u'P');
                break;
            case 'm':
            case 'd':
                made.masked(true, one == u'd');
                break;
            case 'c':
                made.causal();
                break;
            case 's':
                made.softmax();
                break;
            case 'n':
                made.norm();
                break;
            default:
                made.relu();
            }
        made.finish();
        const auto choice = meltedSchedule(made.inst, made.context, Melt::Always);
        QVERIFY2(choice.ok(), choice.ok() ? "" : choice.diag().message.c_str());
        const std::string steps = stepsOf(*choice);
        std::size_t placed = 0;
        for (const ScheduleStep& step : choice->schedule.steps)
            placed += step.kind == StepKind::At ? 1 : 0;
        QVERIFY2(placed >= static_cast<std::size_t>(inside), steps.c_str());
        QVERIFY2(choice->lowered.temporaries.empty(), steps.c_str());
        QVERIFY2(!choice->decisions.back().evidence.starts_with("melted, 1 x 1 x"), steps.c_str());
        const Checked checked =
            checkLowering(made.inst, choice->schedule, made.context.maps, {}, 1, 1e-5);
        QVERIFY2(checked.problem.isEmpty(),
                 qPrintable(checked.problem + u'\n' + QString::fromStdString(steps)));
    }
}

// The result of a convolution of many channels is small beside its work, and two rows of each three
// would be computed again.
void TestMelted::whatCostsMoreIsRefused() {
    Images images(256, 14, 14);
    images.convolution(256, 3, 1);
    images.convolution(256, 3, 1);
    images.finish();
    images.context.threads = 2;
    const auto choice = meltedSchedule(images.inst, images.context);
    QVERIFY(!choice.ok());
    QVERIFY2(choice.diag().message.starts_with("nothing is melted: y: t0: "),
             choice.diag().message.c_str());
    Images large(4, 512, 512);
    large.convolution(32, 3, 1);
    large.bias(false);
    large.pool(2, 2, false);
    large.finish();
    const auto taken = meltedSchedule(large.inst, large.context);
    QVERIFY2(taken.ok(), taken.ok() ? "" : taken.diag().message.c_str());
}

// A sum over all of an image is a stage of its own, whatever is melted behind it.
void TestMelted::whatHasNoBoxIsAlone() {
    OpInst inst;
    inst.inputs = {tensor("x", {Expr(32), Expr(64)})};
    inst.temporaries = {tensor("t", {Expr(64)})};
    inst.outputs = {tensor("y", {Expr(16)})};
    inst.stages = {reduceStage("t", {{"i", Expr(64)}}, Reducer::Sum, {{"j", Expr(32)}},
                               at(inst, "x", {v("j"), v("i")})),
                   reduceStage("y", {{"k", Expr(16)}}, Reducer::Max, {{"l", Expr(64)}},
                               at(inst, "t", {v("l")}))};
    const auto choice = meltedSchedule(inst, {}, Melt::Always);
    QVERIFY(!choice.ok());
    QVERIFY2(choice.diag().message.find("all of it, or more than can be held") != std::string::npos,
             choice.diag().message.c_str());
}

// As many as FW_FUZZ_SECONDS allows, from FW_FUZZ_SEED on.
void TestMelted::rightOrRefused() {
    const int seconds = qEnvironmentVariableIntValue("FW_FUZZ_SECONDS");
    const auto first = static_cast<unsigned>(qEnvironmentVariableIntValue("FW_FUZZ_SEED"));
    QElapsedTimer timer;
    timer.start();
    int melted = 0, refused = 0;
    const auto hold = [&](const OpInst& inst, const ScheduleContext& context, Melt how,
                          unsigned seed, double tolerance) {
        const auto choice = meltedSchedule(inst, context, how);
        if (!choice.ok()) {
            ++refused;
            QCOMPARE(choice.diag().code, DiagCode::ScheduleIllegal);
            QVERIFY2(choice.diag().message.find("break a rule") == std::string::npos,
                     choice.diag().message.c_str());
            return;
        }
        ++melted;
        const auto size = static_cast<std::int64_t>(seed);
        const Checked checked =
            checkLowering(inst, choice->schedule, context.maps,
                          {{"B", size % 3 + 1}, {"M", size % 19 + 1}}, seed, tolerance);
        QVERIFY2(checked.problem.isEmpty(),
                 qPrintable(QStringLiteral("FW_FUZZ_SEED=%1\n%2\n%3")
                                .arg(seed)
                                .arg(checked.problem,
                                     QString::fromStdString(inst.text() + stepsOf(*choice)))));
    };
    for (unsigned seed = first; seed < first + 40 || timer.elapsed() < 1000 * seconds; ++seed) {
        Random r(seed + 1);
        const Images images = drawnImages(r);
        const Melt how = r.oneIn(4) ? Melt::WherePays : Melt::Always;
        hold(images.inst, images.context, how, seed, 0);
        if (QTest::currentTestFailed())
            return;
        const Rows rows = drawnRows(r);
        hold(rows.inst, rows.context, how, seed, 1e-4);
        if (QTest::currentTestFailed())
            return;
    }
    qInfo("%d melted, %d refused", melted, refused);
    QVERIFY(melted > refused);
}

FW_TEST_BY(&fw::test::runLong<TestMelted>)

#include "test_melted.moc"
