// Schedules of books: what is printed comes back as the same loops, schedules by roles serve any
// instance, and what cannot be lowered leaves the group to the next candidate.
#include "base/files.h"
#include "common/test.h"
#include "common/thread_time.h"
#include "fusion/lower_groups.h"
#include "fusion/plan.h"
#include "loop/print.h"
#include "planned.h"

#include <QDir>

using namespace fw;
using namespace fw::test;
using namespace Qt::StringLiterals;

namespace {

const QString samplesFolder = QStringLiteral(FW_SOURCE_DIR "/samples");

// The book of samples/schedules, with a tile that leaves a rest.
const std::string& tiles() {
    static const std::string text = [] {
        std::string out =
            readFile((samplesFolder + u"/schedules/tiles.fw"_s).toStdString(), largestBook).value();
        out.replace(out.find("= 6"), 3, "= 3");
        return out;
    }();
    return text;
}

std::string convGraph(const std::string& batch, int channels, int size, int outputs, int window,
                      const std::string& tail) {
    return fmt::format("graph g(x: f32[{0}, {1}, {2}, {2}]) -> y {{\n"
                       "  w = const random(1) : f32[{3}, {1}, {4}, {4}]\n"
                       "  b = const random(2) : f32[{3}]\n"
                       "  c = conv2d(x, w) {{pads = [{5}, {5}, {5}, {5}]}}\n{6}}}\n",
                       batch, channels, size, outputs, window, window / 2, tail);
}

} // namespace

class TestSchedules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsPrintedComesBack_data();
    void whatIsPrintedComesBack();
    void rolesFitEveryInstance_data();
    void rolesFitEveryInstance();
    void productsOfAnyRank_data();
    void productsOfAnyRank();
    void computationsHaveTheirOwnAxes();
    void formulasAroundSumsHaveTheirAxes();
    void knobsAreTold();
    void pinsNameKnobs();
    void schedulesAreDefaults();
    void whatCannotBeLoweredIsLeftToOthers_data();
    void whatCannotBeLoweredIsLeftToOthers();
    void changedTextIsLoweredAnew();
    void eachStageByItself_data();
    void eachStageByItself();
    void plainIsTheTemplate();
};

void TestSchedules::whatIsPrintedComesBack_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("cpu");
    for (const char* model : {"mlp", "lenet", "residual", "conv_zoo", "encoder", "inception",
                              "attention", "odd/group_two", "odd/primes"})
        for (const char* cpu : {"x86-64-v3", "x86-64-v4"})
            QTest::addRow("%s %s", model, cpu)
                << QString::fromLatin1(model) << QString::fromLatin1(cpu);
}

void TestSchedules::whatIsPrintedComesBack() {
    QFETCH(QString, model);
    QFETCH(QString, cpu);
    PipelineInputs inputs;
    inputs.model = (samplesFolder + u'/' + model).toStdString();
    inputs.target = fmt::format("x86-64 -mcpu={} -libs= -threads=2", cpu.toStdString());
    Pipeline pipeline(inputs);
    const FusionPlan& plan = *pipeline.plan({}).value();
    const Graph& graph = *pipeline.simplified({}).value()->graph;
    const Target& target = *pipeline.target().value();
    int compared = 0;
    for (const Group& group : plan.groups) {
        if (!group.lowering.kernel)
            continue;
        const KernelCode& code = *group.lowering.kernel;
        const Books books =
            booksOf(fmt::format("schedule s {{\n{}}}\n", code.choice.schedule.text()));
        QVERIFY2(books.diagnostics.empty(),
                 books.diagnostics.empty() ? "" : books.diagnostics.front().text().c_str());
        const WrittenSchedule& written = books.strategy.schedules().back();
        const Result<Lowering> again =
            scheduledImplementation(written)->lower(siteOf(graph, plan, group), target);
        QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
        QCOMPARE(text(again->kernel->choice.lowered.nest), text(code.choice.lowered.nest));
        QVERIFY(again->kernel->choice.packs == code.choice.packs);
        ++compared;
    }
    QVERIFY(compared > 0);
}

void TestSchedules::rolesFitEveryInstance_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("cpu");
    QTest::addColumn<int>("threads");
    const std::pair<const char*, const char*> tails[] = {
        {"plain", "  y = relu(x)\n"},
        {"alone", ""},
        {"bias", "  y = bias(c, b) {axis = 1}\n"},
        {"relu", "  d = bias(c, b) {axis = 1}  y = relu(d)\n"},
        {"residual", "  d = bias(c, b) {axis = 1}  e = add(d, c2)  y = relu(e)\n"},
    };
    struct Shape {
        const char* batch;
        int channels, size, outputs, window;
    };
    const Shape shapes[] = {{"1", 3, 7, 5, 3},   {"2", 4, 8, 16, 1}, {"1", 1, 1, 1, 1},
                            {"1", 5, 13, 37, 3}, {"N", 3, 6, 9, 3},  {"3", 8, 5, 64, 3}};
    for (const Shape& shape : shapes)
        for (const auto& [name, tail] : tails) {
            if (std::string(name) == "plain")
                continue;
            std::string body = tail;
            if (body.empty())
                body = "  y = identity(c)\n";
            if (std::string(name) == "alone")
                body.clear();
            std::string graph = convGraph(shape.batch, shape.channels, shape.size, shape.outputs,
                                          shape.window, body);
            if (std::string(name) == "alone")
                graph.replace(graph.find("  c = conv2d"), 4, "  y ");
            if (std::string(name) == "residual") {
                graph.replace(graph.find(") -> y"), 1,
                              fmt::format(", c2: f32[{0}, {1}, {2}, {2}])", shape.batch,
                                          shape.outputs, shape.size));
            }
            for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
                for (const int threads : {1, 2})
                    if (threads == 1 || std::string(name) == "residual")
                        QTest::addRow("%s of %s, %d channels, %d rows, %d outputs, %s, %d threads",
                                      name, shape.batch, shape.channels, shape.size, shape.outputs,
                                      cpu, threads)
                            << QString::fromStdString(graph) << QString::fromLatin1(cpu) << threads;
        }
}

void TestSchedules::rolesFitEveryInstance() {
    QFETCH(QString, graph);
    QFETCH(QString, cpu);
    QFETCH(int, threads);
    const auto made = planned(tiles(), graph.toStdString(), cpu.toStdString(), threads);
    QVERIFY2(made->group().implementation == "mine", made->refusal("mine").c_str());
    QCOMPARE(made->group().lowering.kernel->choice.main(), std::string("conv_tile"));
    if (!made->target.isHost)
        QSKIP("this CPU cannot run the target");
    if (made->graph->freeDims().empty())
        QCOMPARE(difference(*made), std::string());
    else
        for (const std::int64_t batch : {0, 1, 3})
            QCOMPARE(difference(*made, {{"N", batch}}), std::string());
}

void TestSchedules::productsOfAnyRank_data() {
    QTest::addColumn<QString>("rows");
    QTest::addColumn<int>("inner");
    QTest::addColumn<int>("columns");
    for (const char* rows : {"1", "17", "0", "N", "3, 5", "2, N, 3"})
        for (const int inner : {0, 1, 6})
            for (const int columns : {1, 33})
                QTest::addRow("%s by %d to %d", rows, inner, columns)
                    << QString::fromLatin1(rows) << inner << columns;
}

// The pack p... is one axis, several, some of them free or empty.
void TestSchedules::productsOfAnyRank() {
    QFETCH(QString, rows);
    QFETCH(int, inner);
    QFETCH(int, columns);
    const std::string graph =
        fmt::format("graph g(x: f32[{0}, {1}]) -> y {{\n"
                    "  w = const random(1) : f32[{2}, {1}]    b = const random(2) : f32[{2}]\n"
                    "  d = dense(x, w)    e = bias(d, b) {{axis = -1}}    y = tanh(e)\n}}\n",
                    rows.toStdString(), inner, columns);
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        const auto made = planned(tiles(), graph, cpu);
        QVERIFY2(made->group().implementation == "mine", made->refusal("mine").c_str());
        if (!made->target.isHost)
            continue;
        for (const std::int64_t n : {0, 1, 7})
            QCOMPARE(difference(*made, made->graph->freeDims().empty()
                                           ? std::map<std::string, std::int64_t>()
                                           : std::map<std::string, std::int64_t>{{"N", n}}),
                     std::string());
    }
}

void TestSchedules::computationsHaveTheirOwnAxes() {
    const std::string book =
        "op twin(x: T[P..., K], w: T[N, K]) -> y: T[P..., N] {\n"
        "  y[p..., m] = sum(q in K : x[p..., q] * w[m, q]) }\n"
        "schedule s {\n"
        "  epilogue.split(m, m1, lane, lanes, guard)    epilogue.vectorize(lane)\n"
        "  anchor.split(q, q1, q0, 4, peel)             anchor.unroll(q0)\n"
        "  anchor.at(epilogue, m1)                      w.layout(d0/lanes d1 d0%lanes)\n"
        "}\n"
        "implementations dense(...) on any { mine compute twin(x, w) by schedule s priority 20 }\n";
    const auto made = planned(book, "graph g(x: f32[3, 10]) -> y {\n"
                                    "  w = const random(1) : f32[13, 10]\n"
                                    "  d = dense(x, w)    y = relu(d)\n}\n");
    QVERIFY2(made->group().implementation == "mine", made->refusal("mine").c_str());
    QCOMPARE(made->group().lowering.kernel->choice.packs.size(), std::size_t(1));
    QCOMPARE(difference(*made), std::string());
}

// An operator whose result is a formula around its sum, alone and with a tail.
void TestSchedules::formulasAroundSumsHaveTheirAxes() {
    const std::string book =
        "op mean_pool(x: T[N, C, H, W]) -> y: T[N, C, A, B]\n"
        "  where A = H / 2, B = W / 2 {\n  y[n, c, a, b] = sum(i in 2, j in 2 : "
        "x[n, c, a * 2 + i, b * 2 + j]) * 0.25 }\n"
        "schedule s for mean_pool {\n"
        "  epilogue.reorder(n, a, b, c)    epilogue.vectorize(c)\n"
        "  anchor.unroll(i)                anchor.at(epilogue, b)\n}\n";
    for (const char* tail : {"y = mean_pool(x)", "p = mean_pool(x)    y = exp(p)"}) {
        const auto made =
            planned(book, std::string("graph g(x: f32[1, 8, 6, 10]) -> y { ") + tail + " }");
        QVERIFY2(made->group().implementation == "schedule.s", made->refusal("schedule.s").c_str());
        QCOMPARE(difference(*made), std::string());
    }
}

void TestSchedules::knobsAreTold() {
    const auto made = planned(tiles(), convGraph("1", 4, 8, 16, 3, "  y = relu(c)\n"));
    const Decisions& decisions = made->group().lowering.kernel->choice.decisions;
    QVERIFY(std::any_of(decisions.begin(), decisions.end(), [](const Decision& decision) {
        return decision.code == ReasonCode::ScheduleWritten &&
               decision.evidence == "conv_tile (my.fw:3), rows = 3";
    }));
    QVERIFY(made->group().lowering.kernel->choice.schedule.text().find(", 3, peel)") !=
            std::string::npos);
}

void TestSchedules::pinsNameKnobs() {
    const std::string graph = convGraph("1", 4, 8, 16, 3, "  y = relu(c)\n");
    const auto made = planned(tiles() + "pin { use mine(rows = 2) for c }\n", graph);
    QCOMPARE(made->group().implementation, std::string("mine(rows = 2)"));
    QCOMPARE(made->group().source, std::string("pin"));
    QVERIFY(made->group().lowering.kernel->choice.schedule.text().find(", 2, peel)") !=
            std::string::npos);
    QVERIFY(difference(*made).empty());
    for (const char* name : {"mine(rows = 17)", "mine(columns = 2)", "generated.tiled(rows = 2)"}) {
        const auto refused = planned(tiles() + "pin { use " + name + " for c }\n", graph);
        QCOMPARE(refused->group().implementation, std::string("mine"));
        QVERIFY(std::any_of(refused->plan.notices.begin(), refused->plan.notices.end(),
                            [&](const Decision& notice) {
                                return notice.code == ReasonCode::PinRefused &&
                                       notice.evidence.ends_with("has no such knob or value");
                            }));
    }
    // What is avoided is what the text names: not the entry.
    const auto avoided =
        planned(tiles() + "pin { use mine(rows = 2) for c  avoid mine(rows = 2) for "
                          "c }\n",
                graph);
    QCOMPARE(avoided->group().implementation, std::string("mine"));
}

void TestSchedules::schedulesAreDefaults() {
    // For an operator, where the priority is that of what the shipped book says, and for a kind.
    std::string forConv = tiles().substr(0, tiles().find("implementations"));
    forConv.replace(forConv.find(" {\n"), 3, " for conv2d on any {\n");
    const std::string graph = convGraph("1", 4, 8, 16, 3, "  y = relu(c)\n");
    QCOMPARE(planned(forConv, graph)->group().implementation, std::string("schedule.conv_tile"));
    const std::string maps = "schedule lines for kind elementwise on x86-64 {\n"
                             "  epilogue.fuse(space, all)\n"
                             "  epilogue.split(all, chunk, lane, lanes, peel)\n"
                             "  epilogue.vectorize(lane)\n"
                             "  epilogue.parallel(chunk)\n"
                             "}\n";
    const auto made = planned(maps, "graph g(x: f32[3, 5, N]) -> y { a = tanh(x) y = relu(a) }");
    QVERIFY2(made->group().implementation == "schedule.lines",
             made->refusal("schedule.lines").c_str());
    for (const std::int64_t n : {0, 1, 7, 64})
        QCOMPARE(difference(*made, {{"N", n}}), std::string());
    // Elsewhere it takes no part.
    QCOMPARE(planned(maps, "graph g(x: f32[8, 8]) -> y { y = softmax(x) }")->group().implementation,
             std::string("generated.rowwise"));
}

void TestSchedules::whatCannotBeLoweredIsLeftToOthers_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("why");
    const std::pair<const char*, const char*> rows[] = {
        {"out0.split(nobody, a, b, 4, guard)", "my.fw:1:14: out0.split(nobody, a, b, 4, guard): no "
                                               "such loop"},
        {"nobody.unroll(a)", "no such stage"},
        {"out0.parallel(i3_1, 1)",
         "my.fw:1:14: out0.parallel(i3_1, 1): i3_1 is parallel but not the "
         "outermost"},
        {"epilogue.split(o, a, b, 1099511627776, guard)", "1099511627776 is more than a factor"},
        {"epilogue.split(o, a, b, 1000000, guard)", "beyond the tail"},
        {"epilogue.split(o, a, b, 1048576 * 1048576 * 1048576 * 1048576, guard)", "too large"},
        {"epilogue.split(ow, a, b, registers * 1099511627776, peel)", "more than a factor"},
        {"epilogue.split(ow, a, b, 1000000, peel) epilogue.unroll(b)", "copies"},
        {"epilogue.split(o, a, b, 4096, peel) epilogue.reorder(n, oh, ow, a, b) "
         "epilogue.vectorize(b)",
         "lanes"},
        {"epilogue.split(o, a, b, lanes - lanes, guard)", "the number is 0"},
        {"epilogue.split(o, a, b, 4 / (lanes - lanes), guard)", "division by zero"},
        {"epilogue.unroll(h)", "h is no loop"},
        {"anchor.unroll(p...)", "none of these loops"},
        {"w.layout(d0 d1) anchor.at(epilogue)", "d2 is not laid out as a whole"},
        {"w.layout(d0/1099511627776 d1 d2 d3 d0%1099511627776) anchor.at(epilogue)",
         "more than a factor"},
        {"anchor.at(epilogue, ow) epilogue.split(ow, a, b, 2, peel)", "made others of the loop"},
        {"epilogue.split(o, a, b, 2, peel) epilogue.split(a, e, f, 2, guard)",
         "a peeled loop cannot be split"},
        {"in0.layout(d1 d0 d2 d3)", "only a constant is packed"},
        {"out0.layout(d1 d0 d2 d3)", "only a constant is packed"},
    };
    for (const auto& [steps, why] : rows)
        QTest::addRow("%s", steps) << QString::fromLatin1(steps) << QString::fromLatin1(why);
    std::string many;
    for (int i = 0; i < 2000; ++i)
        many += fmt::format("epilogue.split({}, a{}, b{}, 1, guard) ",
                            i == 0 ? "o" : fmt::format("b{}", i - 1), i, i);
    QTest::newRow("many loops") << QString::fromStdString(many) << u"no more can be made"_s;
}

void TestSchedules::whatCannotBeLoweredIsLeftToOthers() {
    QFETCH(QString, steps);
    QFETCH(QString, why);
    const std::string book =
        fmt::format("schedule s {{ {} }}\nimplementations conv2d(...) on any {{ mine by schedule s "
                    "priority 15 }}\n",
                    steps.toStdString());
    const StrategyBook strategy = [&] { // as it is, without the checks of books
        StrategyBook out = standardStrategy();
        out.add(parseFile(book, "my.fw").declarations, "my.fw");
        return out;
    }();
    const Catalog catalog(generatedImplementations(), strategy);
    const Books books = booksOf({});
    const GraphPtr graph =
        parseGraph(convGraph("1", 4, 8, 16, 3, "  y = relu(c)\n"), books.operators).value();
    PlanOptions options;
    options.catalog = &catalog;
    const double begin = fw::test::threadSeconds();
    const FusionPlan plan =
        planFusion(*graph, parseTarget("x86-64 -mcpu=x86-64-v3 -libs=").value(), options).value();
    QVERIFY(fw::test::threadSeconds() - begin < 5);
    const Group& group = plan.groups.at(0);
    QCOMPARE(group.implementation, std::string("generated.tiled"));
    std::string said;
    for (const Candidate& candidate : group.candidates)
        if (candidate.implementation == "mine")
            said = candidate.evidence;
    QVERIFY2(said.starts_with("my.fw:1") && said.find(why.toStdString()) != std::string::npos,
             said.c_str());
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const Decision& notice) {
        return notice.code == ReasonCode::LoweringRefused;
    }));
    QCOMPARE(plan.edges.size(), std::size_t(1));
    QCOMPARE(plan.edges[0].decision.evidence, std::string("relu at the store of generated.tiled"));
}

void TestSchedules::changedTextIsLoweredAnew() {
    const GraphPtr graph =
        parseGraph(convGraph("1", 4, 8, 16, 3, "  y = relu(c)\n"), booksOf({}).operators).value();
    const Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -libs=").value();
    LoweringMemo memo;
    std::set<std::string> loops;
    for (const char* rows : {"= 3", "= 2", "= 3"}) {
        std::string book = tiles();
        book.replace(book.find("= 3"), 3, rows);
        const Books books = booksOf(book);
        const Catalog catalog(generatedImplementations(), books.strategy);
        PlanOptions options;
        options.catalog = &catalog;
        options.memo = &memo;
        const FusionPlan plan = planFusion(*graph, target, options).value();
        loops.insert(text(plan.groups.at(0).lowering.kernel->choice.lowered.nest));
    }
    QCOMPARE(loops.size(), std::size_t(2));
    QCOMPARE(memo.made(), std::size_t(2));
}

void TestSchedules::eachStageByItself_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("nests");
    const QString plain = u"each.reorder(outermost, space) each.parallel(outermost)"_s;
    const QString lanes = u"each.fuse(space, all) each.split(all, chunk, lane, lanes, guard) "
                          "each.vectorize(lane) each.parallel(chunk) each.unroll(reduce)"_s;
    for (const QString& steps : {plain, lanes}) {
        const char* kind = steps == plain ? "plain" : "lanes";
        QTest::addRow("%s, a row", kind) << steps << u"y = softmax(x)"_s << 4;
        QTest::addRow("%s, a map", kind) << steps << u"y = tanh(x)"_s << 1;
        QTest::addRow("%s, a product", kind)
            << steps << u"w = const random(1) : f32[5, 7]  y = dense(x, w)"_s << 1;
    }
    // A stage without loops, and one whose first axis has one entry.
    QTest::newRow("one element") << plain << u"y = reduce_sum(x) {axes = [0, 1], keepdims = 0}"_s
                                 << 1;
    QTest::newRow("one row") << plain
                             << u"z = slice(x) {starts = [0], ends = [1], axes = [0]}  "
                                "y = exp(z)"_s
                             << 1;
}

// Its stages are nests apart, nothing but maps is joined, and the results are right.
void TestSchedules::eachStageByItself() {
    QFETCH(QString, steps);
    QFETCH(QString, body);
    QFETCH(int, nests);
    const std::string book = fmt::format("schedule s {{ {} }}\nimplementations kind any on any {{ "
                                         "mine by schedule s priority 50 absorbs none }}\n",
                                         steps.toStdString());
    for (const int threads : {1, 2}) {
        const auto made =
            planned(book, fmt::format("graph g(x: f32[6, 7]) -> y {{ {} }}\n", body.toStdString()),
                    "x86-64-v3", threads);
        QVERIFY(difference(*made).empty());
        const Group& group = made->group();
        QCOMPARE(group.implementation, std::string("mine"));
        QCOMPARE(group.lowering.kernel->choice.nests.size(), static_cast<std::size_t>(nests));
    }
}

// The shipped schedule makes the loops that the template makes to which all others are compared.
void TestSchedules::plainIsTheTemplate() {
    for (const char* body : {"y = softmax(x)", "y = tanh(x)", "y = transpose(x) {perm = [1, 0]}",
                             "w = const random(1) : f32[5, 7]  y = dense(x, w)",
                             "y = max_pool2d(i) {kernel_shape = "
                             "[2, 2]}"}) {
        const auto made =
            planned("implementations kind any on any { generated.plain priority 50 }",
                    fmt::format("graph g(x: f32[6, 7], i: f32[1, 3, 8, 8]) -> y {{ {} }}\n", body));
        const Group& group = made->group();
        QCOMPARE(group.implementation, std::string("generated.plain"));
        const KernelCode& code = *group.lowering.kernel;
        const auto byTemplate =
            lowerByTemplate(ScheduleTemplate::Plain, siteOf(*made->graph, made->plan, group),
                            made->target)
                .value();
        QCOMPARE(text(code.choice.lowered.nest), text(byTemplate.kernel->choice.lowered.nest));
        QVERIFY(std::any_of(code.choice.decisions.begin(), code.choice.decisions.end(),
                            [](const Decision& one) {
                                return one.code == ReasonCode::ScheduleWritten &&
                                       one.evidence.starts_with("plain (strategy.fw:");
                            }));
    }
}

FW_TEST(TestSchedules, QCoreApplication)
#include "test_schedules.moc"
