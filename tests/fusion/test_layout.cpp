// Layouts are asked of implementations: who wants what, what follows, and what it costs.
#include "common/test.h"
#include "common/thread_time.h"
#include "fusion/layout.h"
#include "fusion/own_code_target.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"

#include <fmt/format.h>

using namespace fw;

namespace {

// Computes whatever it is given, by plain loops, and has a wish.
class Wishing final : public Implementation {
public:
    explicit Wishing(LayoutWish wish) : m_wish(std::move(wish)) {}
    const std::string& name() const override { return m_name; }
    Acceptance accepts(const Workload&, const Target&) const override {
        return {Verdict::Yes, ReasonCode::ScheduleDefault, m_name};
    }
    Acceptance absorbsEpilogue(const Growing&, const Workload&) const override {
        return {Verdict::No, ReasonCode::AbsorbsNothing, m_name};
    }
    Acceptance absorbsPrologue(const Workload&, const Workload&) const override {
        return {Verdict::No, ReasonCode::AbsorbsNothing, m_name};
    }
    LayoutWish wants(const Graph&, const Node&, const Target&) const override { return m_wish; }
    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        return lowerByTemplate(ScheduleTemplate::Plain, site, target);
    }
    double estimate(const Facts&, const Workload&, const Target&) const override { return 1; }

private:
    std::string m_name = "wishing.rows";
    LayoutWish m_wish;
};

struct PlannedLayout {
    GraphPtr graph;
    FusionPlan plan;

    std::string layout(const std::string& value) const {
        const Node& node = *graph->findByName(value);
        return plan.layout({node.id, 0}).text(4);
    }
    QString said(const std::string& value) const {
        for (const Decision& notice : plan.notices)
            if (notice.subject == value)
                return QString::fromStdString(
                    fmt::format("{} {}", codeText(notice.code), notice.evidence));
        return {};
    }
};

PlannedLayout plannedLayout(const std::string& text, const std::string& operators = {},
                            const PlanOptions& options = {}) {
    Diags errors;
    const auto all = operators.empty()
                         ? standardOperators()
                         : withOperators(*standardOperators(), operators, "own.fw", errors);
    if (!errors.empty())
        throw InternalError(errors.front().text());
    PlannedLayout out;
    out.graph = parseGraph(text, all).value();
    out.plan = planFusion(*out.graph, test::ownCodeTarget(), options).value();
    return out;
}

constexpr const char* last = "d0 d2 d3 d1";
constexpr const char* rows = "row-major";

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void decisionsSayWhoWantsWhat();
    void whatKeepsAxesFollows();
    void operatorsOfAnyNameAreAsked();
    void shadowedViewsCompute();
    void costsDecide_data();
    void costsDecide();
    void valuesInsideOfAGroup();
    void planesOfWholePagesCost();
    void choosingIsLinear();
};

void TestLayout::decisionsSayWhoWantsWhat() {
    const PlannedLayout plan =
        plannedLayout("graph g(x: f32[1, 8, 6, 6]) -> y {\n"
                      "  w = const random(1) : f32[8, 8, 3, 3]\n"
                      "  a = relu(x)   c = conv2d(a, w) {pads = [1, 1, 1, 1]}\n"
                      "  b = softmax(c)   y = conv2d(b, w)\n"
                      "}\n");
    QCOMPARE(plan.layout("c"), std::string(last));
    QCOMPARE(plan.said("a"), QString("LAY01 generated.tiled wants channels-last for conv2d"));
    QCOMPARE(plan.said("b"), QString("LAY01 generated.tiled wants channels-last for conv2d_1"));
    QCOMPARE(
        plan.said("x"),
        QString(
            "LAY02 it belongs to the model's signature; generated.tiled wants another for conv2d"));
    const PlannedLayout view =
        plannedLayout("graph g(x: f32[1, 8, 6, 6]) -> y {\n"
                      "  w = const random(1) : f32[8, 8, 3, 3]\n"
                      "  c = conv2d(x, w)   y = reshape(c) {shape = [1, 128]}\n"
                      "}\n");
    QCOMPARE(view.said("c"),
             QString("LAY02 a view reads it as a row; generated.tiled wants another for conv2d"));
}

void TestLayout::whatKeepsAxesFollows() {
    const PlannedLayout plan =
        plannedLayout("graph g(x: f32[1, 8, 6, 6], z: f32[1, 8, 6, 6]) -> y, t {\n"
                      "  w = const random(1) : f32[8, 16, 3, 3]\n"
                      "  a = tanh(x)   b = tanh(z)   j = concat(a, b) {axis = 1}\n"
                      "  p = pad(j) {pads = [0, 0, 1, 1, 0, 0, 1, 1]}\n"
                      "  y = conv2d(p, w)\n"
                      "  u = exp(a)   s = softmax(u)   t = tanh(s)\n"
                      "}\n");
    for (const char* value : {"a", "b", "j", "p", "u"})
        QVERIFY2(QString::fromStdString(plan.layout(value)).startsWith(last), value);
    QCOMPARE(plan.layout("s"), std::string(rows)); // softmax hands nothing on
}

void TestLayout::operatorsOfAnyNameAreAsked() {
    const char* const own = R"(
op blur "neighbours" (x: T[N, C, H, W]) -> y: T[N, C, H, W] {
  y[n, c, h, w] = sum(k in 3 : pad(x[n, c, h, w + k - 1], 0)) }
op stack "behind each other" (xs*: T[P..., D@axis, Q...], attr axis: int = 1)
   -> y: T[P..., total(D), Q...] {
  each xs: y[p..., before(D) + d, q...] = xs[p..., d, q...] }
)";
    const PlannedLayout plan =
        plannedLayout("graph g(x: f32[1, 8, 6, 6]) -> y {\n"
                      "  a = blur(x)   b = blur(a)   j = stack(a, b)   c = blur(j)\n"
                      "  y = tanh(c)\n"
                      "}\n",
                      own);
    QCOMPARE(plan.layout("j"), std::string(last));
    QCOMPARE(plan.layout("b"), std::string("d0 d2 d3 d1, d1 from 8 of 16"));
    QVERIFY(plan.plan.groupAt(plan.graph->findByName("j")->id).isView());
    QVERIFY(plan.said("a").contains(QLatin1String("wants channels-last")));
}

void TestLayout::shadowedViewsCompute() {
    const PlannedLayout plan =
        plannedLayout("graph g(x: f32[4]) -> y { y = identity(x) }\n",
                      "op identity \"not any more\" (x: T[S...]) -> y: T[S...] {\n"
                      "  y[i...] = x[i...] + 1 }\n");
    QVERIFY(!plan.plan.groups.at(0).isView());
    const PlannedLayout same = plannedLayout("graph g(x: f32[4]) -> y { y = identity(x) }\n");
    QVERIFY(same.plan.groups.at(0).isView());
    QCOMPARE(same.plan.groups[0].computedBy(), std::string("view"));
}

void TestLayout::costsDecide_data() {
    QTest::addColumn<double>("otherwise");
    QTest::addColumn<QString>("layout");
    QTest::newRow("it takes no other") << LayoutWish::refused << QString(rows);
    QTest::newRow("it would be a little slower") << 1e-9 << QString(last);
    QTest::newRow("it would be far slower") << 1e9 << QString(rows);
}

void TestLayout::costsDecide() {
    QFETCH(double, otherwise);
    QFETCH(QString, layout);
    const Catalog catalog(
        [&] {
            auto all = generatedImplementations();
            all.push_back(std::make_shared<Wishing>(LayoutWish{StorageMap{}, otherwise, {}}));
            return all;
        }(),
        [] {
            StrategyBook book = standardStrategy();
            book.add(parseFile("implementations softmax(...) on any { wishing.rows priority 90 }\n"
                               "implementations conv2d(...) on any { generated.tiled }\n",
                               "my.fw")
                         .declarations,
                     "my.fw");
            return book;
        }());
    PlanOptions options;
    options.catalog = &catalog;
    const PlannedLayout plan = plannedLayout("graph g(x: f32[1, 8, 6, 6]) -> y {\n"
                                             "  w = const random(1) : f32[8, 8, 3, 3]\n"
                                             "  c = conv2d(x, w)   s = softmax(c)   y = tanh(s)\n"
                                             "}\n",
                                             {}, options);
    QCOMPARE(plan.plan.groupAt(plan.graph->findByName("s")->id).implementation,
             std::string("wishing.rows"));
    QCOMPARE(QString::fromStdString(plan.layout("c")), layout);
    if (layout == QLatin1String(rows))
        QCOMPARE(plan.said("c"), QString("LAY02 wishing.rows works on rows of it; generated.tiled "
                                         "wants another for conv2d"));
}

// Nests of one function hand images on in the order that they want, as groups do.
void TestLayout::valuesInsideOfAGroup() {
    FusionBook book = standardFusion();
    book.add(parseFile("fuse both { match conv2d(x, w) >> relu(^) >> conv2d(^, v) as stacked }\n",
                       "own.fw")
                 .declarations,
             "own.fw");
    PlanOptions options;
    options.book = &book;
    const PlannedLayout plan =
        plannedLayout("graph g(x: f32[1, 8, 6, 6]) -> y {\n"
                      "  w = const random(1) : f32[8, 8, 3, 3]\n"
                      "  a = conv2d(x, w) {pads = [1, 1, 1, 1]}   b = relu(a)\n"
                      "  y = conv2d(b, w) {pads = [1, 1, 1, 1]}\n"
                      "}\n",
                      {}, options);
    QCOMPARE(plan.plan.groups.size(), std::size_t(1));
    QCOMPARE(plan.layout("relu"), std::string(last));
    const GroupBody& body = plan.plan.groups[0].lowering.kernel->body;
    QVERIFY(!body.innerLayouts.empty());
    for (const auto& [tensor, map] : body.innerLayouts)
        QCOMPARE(map.text(4), std::string(last));
}

// What one convolution wants is handed on over a whole chain, against the order of the operators.
// A result that lies row by row, 64 channels of that many pixels, behind a convolution and a pool.
// An EPYC 9004 took 5.4 times as long for each element of planes of 16 KB as of such of 12.25 KB.
void TestLayout::planesOfWholePagesCost() {
    const auto each = [](int extent, const char* then) {
        const PlannedLayout made =
            plannedLayout(fmt::format("graph g(x: f32[1, 8, {0}, {0}], w: f32[64, 8, 1, "
                                      "1]) -> y {{\n c = conv2d(x, w)\n y = {1}\n}}",
                                      extent, then));
        const Group& last = made.plan.groupAt(made.graph->results()[0].value.node);
        return last.estimateUs / (64 * extent * extent);
    };
    const char* const pool = "max_pool2d(c) {kernel_shape = [2, 2], strides = [2, 2]}";
    const double whole = each(128, pool), other = each(112, pool);
    QVERIFY2(whole > 2.5 * other && whole < 10 * other,
             qPrintable(QStringLiteral("%1 %2").arg(whole).arg(other)));
    // Of a map that only hands on what lies so no more is known than of any other.
    const char* const map = "relu(x)";
    QVERIFY(each(128, map) < 1.5 * each(112, map));
}

void TestLayout::choosingIsLinear() {
    const auto chain = [](int length) {
        std::string text = "graph g(x: f32[1, 8, 6, 6]) -> y {\n"
                           "  w = const random(1) : f32[8, 8, 3, 3]\n  v0 = relu(x)\n";
        for (int i = 1; i < length; ++i)
            text += fmt::format("  v{} = relu(v{})\n", i, i - 1);
        return plannedLayout(text + fmt::format("  y = conv2d(v{}, w)\n}}\n", length - 1));
    };
    const auto time = [](const PlannedLayout& plannedLayout) {
        double least = 1e9;
        for (int run = 0; run < 3; ++run) {
            FusionPlan plan = plannedLayout.plan;
            plan.layouts.clear();
            plan.notices.clear();
            const double start = test::threadSeconds();
            chooseLayouts(*plannedLayout.graph, test::ownCodeTarget(), plan);
            least = std::min(least, test::threadSeconds() - start);
            if (plan.layouts.size() != plannedLayout.graph->nodes().size() - 3)
                return -1.0; // all but the input, the weights and the result
        }
        return least;
    };
    const double before = time(chain(500)), after = time(chain(4000));
    QVERIFY(before > 0 && after > 0);
    QVERIFY2(after < 8 * 3 * before, qPrintable(QString::number(after / before / 8)));
}

FW_TEST(TestLayout, QCoreApplication)
#include "test_layout.moc"
