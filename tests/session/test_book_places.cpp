// Where things lie in the text of a book: mistakes and what mends them, captures and what they
// stand for, the steps of a pattern, near misses and what relaxes them.
#include "common/test.h"
#include "session/asked.h"
#include "session/range_text.h"
#include "session/text_range.h"

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestBookPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void marksUnderlineTokens();
    void marksKnowTheBooksBeside();
    void declarationsHaveRanges();
    void capturesStandForNodes();
    void placesOfDeclaredPatterns();
    void funnelCountsSteps();
    void funnelCountsConditions();
    void nearMissesAreRelaxed_data();
    void nearMissesAreRelaxed();
    void limitsAreTold();
};

namespace {

Arguments with(Arguments arguments, const std::string& text) {
    arguments.rules = {mineFile};
    arguments.texts = {{mineFile, text}};
    return arguments;
}

std::string edited(const std::string& text, const Fix& fix) {
    const TextPlaces places(text);
    const std::size_t begin = places.offset(fix.line, fix.column);
    return text.substr(0, begin) + fix.text +
           text.substr(places.offset(fix.endLine, fix.endColumn));
}

const CaptureRecord* captureOf(const RuleMatches& rule, const std::string& name) {
    for (const CaptureRecord& capture : rule.captures)
        if (capture.name == name)
            return &capture;
    return nullptr;
}

} // namespace

void TestBookPlaces::marksUnderlineTokens() {
    const std::string text = "# \xc3\x9c\nrule \xc3\xa9 { }\n"
                             "rule \"\xc3\xa4\" { match y = relu(x) emit y = x }\n"
                             "rule torn \"\xc3\xa4\" { match y = relu(x }\n"
                             "rule wrong { match y = rellu(x) emit y = z }\n"
                             "grow contraction -> elementwis forward\n"
                             "fuse f { match relu(x) as for onednnn }\n"
                             "builtin foldconstants\n"
                             "rule last { match y = relu(";
    Asked a;
    const auto check = a.get<CheckDocument>("check", with({}, text));
    QStringList underlined;
    for (const MarkRecord& mark : check.marks) {
        QCOMPARE(mark.line, mark.diag.where.line);
        underlined << QString::fromStdString(textOf(text, mark));
    }
    QCOMPARE(
        underlined.join(u' '),
        QString::fromUtf8("\xc3\xa9 \"\xc3\xa4\" } rellu z elementwis onednnn foldconstants ("));
    // What is missing is a fix; with it the declaration is read.
    const MarkRecord& torn = check.marks[2];
    QCOMPARE(torn.fixes.size(), std::size_t(1));
    const std::string mended = edited(text, torn.fixes[0]);
    QVERIFY(mended.find("relu(x) }") != std::string::npos);
    const auto again = a.get<CheckDocument>("check", with({}, mended));
    QVERIFY(std::none_of(again.marks.begin(), again.marks.end(), [](const MarkRecord& mark) {
        return mark.diag.message.starts_with("')' expected") && mark.line == 4;
    }));
}

void TestBookPlaces::marksKnowTheBooksBeside() {
    Arguments arguments = with({}, "rule r { match y = twice(pair(x)) emit y = twice(relu(x)) }\n"
                                   "fuse f { match bias(x, b) >> onednn.tail as stacked }\n");
    Asked a;
    QCOMPARE(a.get<CheckDocument>("check", arguments).items[0].verdict, std::string("refused"));
    arguments.rules.push_back("other.fw");
    arguments.texts.push_back({"other.fw",
                               "op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] * 2 }\n"
                               "pattern pair(x) = relu(relu(x))\n"
                               "chain broken = rellu(^)\n"});
    const auto check = a.get<CheckDocument>("check", arguments);
    QCOMPARE(check.items.size(), std::size_t(2));
    for (const CheckItem& item : check.items)
        QVERIFY2(stands(item), item.diagnostics.empty() ? "" : item.diagnostics[0].text().c_str());
    QVERIFY(check.marks.empty()); // mistakes of the other book are told with that book
}

void TestBookPlaces::declarationsHaveRanges() {
    const std::string text = "chain c = relu(^)\n\n"
                             "rule r {\n  match y = relu(relu(x))\n  emit y = relu(x)\n}\n"
                             "test \"once\" {\n"
                             "  graph g(x: f32[N]) -> y { a = relu(x)  y = relu(a) }\n"
                             "  expect match 1\n}\n";
    Asked a;
    const auto check = a.get<CheckDocument>("check", with({}, text));
    QCOMPARE(check.items.size(), std::size_t(3));
    QCOMPARE(textOf(text, check.items[0]), std::string("chain c = relu(^)"));
    QCOMPARE(check.items[1].line, 3);
    QCOMPARE(check.items[1].endLine, 6);
    QCOMPARE(check.items[2].kind, std::string("test"));
    QVERIFY(textOf(text, check.items[2]).ends_with("expect match 1\n}"));
    const auto found = a.get<MatchDocument>("match", with(on("lenet"), text));
    QCOMPARE(found.rules.size(), std::size_t(2));
    QCOMPARE(static_cast<const TextRange&>(found.rules[1]),
             static_cast<const TextRange&>(check.items[1]));
    QVERIFY(found.rules[1].ms > 0);
}

void TestBookPlaces::capturesStandForNodes() {
    const std::string text =
        "rule r { match y = batch_norm(c = conv2d(x, w: const) {*a}, ...) {epsilon_ in 0..0} "
        "emit y = x }\n"
        "rule s {\n"
        "  match y = relu(n = batch_norm(c = conv2d(x, w: const) {*a}, ...) {eps})\n"
        "  where used_once(c), rank(x) == 4\n"
        "  emit  y = relu(conv2d(x, scale(w, w) {axis = 0}) {*a})\n"
        "}\n";
    Asked a;
    const auto graph = a.get<GraphDocument>("graph", on("residual"));
    const auto found = a.get<MatchDocument>("match", with(on("residual"), text));
    const RuleMatches& rule = found.rules.back();
    QVERIFY(rule.matches.size() > 1);
    QCOMPARE(captureOf(rule, "x")->ranges.size(), std::size_t(3));
    QCOMPARE(captureOf(rule, "w")->ranges.size(), std::size_t(3));
    QCOMPARE(captureOf(rule, "c")->ranges.size(), std::size_t(2));
    QVERIFY(captureOf(rule, "axis") == nullptr && captureOf(rule, "eps") == nullptr);
    for (const CaptureRecord& capture : rule.captures)
        for (const TextRange& range : capture.ranges)
            QCOMPARE(textOf(text, range), capture.name);
    std::map<std::string, std::size_t> places; // one record for each operator of the pattern
    for (const CaptureRecord& capture : rule.captures)
        places[capture.kind.str() + " " + capture.name] += 1;
    QCOMPARE(places["operator conv2d"], std::size_t(1));
    QCOMPARE(places["operator relu"], std::size_t(1));
    const auto node = [&](NodeId id) {
        return *std::find_if(graph.nodes.begin(), graph.nodes.end(),
                             [&](const NodeRecord& one) { return one.id == id; });
    };
    for (const MatchRecord& match : rule.matches) {
        std::size_t operators = 0;
        for (const BindingRecord& bound : match.bound) {
            const CaptureRecord& capture = rule.captures[static_cast<std::size_t>(bound.capture)];
            if (capture.kind == "operator") {
                QCOMPARE(node(bound.node).op, capture.name);
                ++operators;
            } else if (capture.name == "w") {
                QCOMPARE(node(bound.node).op, std::string("constant"));
            } else if (capture.name == "c") {
                QCOMPARE(node(bound.node).op, std::string("conv2d"));
            }
        }
        QCOMPARE(operators, match.nodes.size());
    }
}

void TestBookPlaces::placesOfDeclaredPatterns() {
    const std::string text = "pattern normed(x, w: const) = batch_norm(conv2d(x, w), ...)\n"
                             "chain last = relu(^)?\n"
                             "fuse f { match normed(i, k) >> last as stacked }\n"
                             "fuse g { match kind contraction(i, ...) as stacked }\n";
    Asked a;
    const auto found = a.get<MatchDocument>("match", with(on("residual"), text));
    const RuleMatches& fuse = found.rules[2];
    QCOMPARE(fuse.name, std::string("f"));
    QVERIFY(!fuse.matches.empty());
    QCOMPARE(fuse.captures.size(), std::size_t(4)); // i, k and the two names
    const CaptureRecord* normed = captureOf(fuse, "normed");
    QVERIFY(normed != nullptr && captureOf(fuse, "last") != nullptr);
    QCOMPARE(textOf(text, normed->ranges[0]), std::string("normed"));
    QCOMPARE(normed->ranges[0].line, 3);
    // Both operators that the name stands for are found at its place.
    std::size_t inside = 0;
    for (const BindingRecord& bound : fuse.matches[0].bound)
        if (&fuse.captures[static_cast<std::size_t>(bound.capture)] == normed)
            ++inside;
    QCOMPARE(inside, std::size_t(2));
    QCOMPARE(textOf(text, captureOf(found.rules[3], "contraction")->ranges[0]),
             std::string("kind contraction"));
    QVERIFY(!found.rules[3].matches.empty());
    // A miss inside a name is told at the name, and the other declaration is left alone.
    for (const NearMissRecord& miss : fuse.nearMisses) {
        QCOMPARE(miss.range.line, 3);
        QVERIFY(!miss.relax || miss.relax->line == 3);
    }
}

void TestBookPlaces::funnelCountsSteps() {
    const std::string text = "pattern p(x, w) = conv2d(x, w) >> batch_norm(^, ...) >> relu(^)? >> "
                             "add(^, r)\n"
                             "pattern q(x) = (relu(x) | add(x, r))\n";
    Asked a;
    const auto graph = a.get<GraphDocument>("graph", on("residual"));
    const auto found = a.get<MatchDocument>("match", with(on("residual"), text));
    const std::vector<FunnelStep>& funnel = found.rules[0].funnel;
    QCOMPARE(funnel.size(), std::size_t(4));
    QCOMPARE(funnel[0].clause, std::string("conv2d(x, w)"));
    QCOMPARE(std::size_t(funnel[0].count), countOf(graph, "conv2d"));
    QCOMPARE(funnel[1].clause, std::string("batch_norm(^, ...)"));
    QCOMPARE(funnel[1].count, std::int64_t(4)); // every convolution is followed by one
    QVERIFY(funnel[2].optional && !funnel[1].optional && !funnel[3].optional);
    QCOMPARE(funnel[2].count, std::int64_t(2));
    QCOMPARE(std::size_t(funnel[3].count), found.rules[0].matches.size());
    for (const FunnelStep& step : funnel)
        QCOMPARE(textOf(text, step), step.clause);
    const std::vector<FunnelStep>& either = found.rules[1].funnel;
    QCOMPARE(std::size_t(either[0].count), countOf(graph, "relu"));
    QCOMPARE(std::size_t(either[1].count), countOf(graph, "add"));
    QCOMPARE(found.rules[1].matches.size(), countOf(graph, "add") + countOf(graph, "relu"));
}

void TestBookPlaces::funnelCountsConditions() {
    const std::string text =
        "rule r { match y = relu(z = batch_norm(x, ...)) "
        "where rank(x) == 4, dim(x, 1) == 0, used_once(z) emit y = x }\n"
        "rule s { match y = relu(z) emit y = relu(relu(z)) }\n"
        "rule t { match y = batch_norm(conv2d(x, w), ...) emit y = x }\n"
        "rule u { match y = global_average_pool(relu(x)) emit y = x }\n"
        "rule v { match y = batch_norm(c, ...), z = relu(c) emit y = c, z = c }\n"
        "rule shared { match y = conv2d(r = relu(x), w) emit y = x }\n";
    Asked a;
    const auto found = a.get<MatchDocument>("match", with(on("residual"), text));
    const RuleMatches& rule = found.rules[0];
    QCOMPARE(rule.funnel.size(), std::size_t(5));
    QCOMPARE(rule.funnel[2].clause, std::string("rank(x) == 4"));
    QCOMPARE(rule.funnel[2].count, rule.funnel[1].count);
    QCOMPARE(rule.funnel[3].count, std::int64_t(0));
    QCOMPARE(rule.funnel[4].count, std::int64_t(0));
    QVERIFY(rule.matches.empty());
    QCOMPARE(textOf(text, rule.nearMisses[0].range), std::string("dim(x, 1) == 0"));
    // Values that are read outside: the last step, which no clause says.
    const RuleMatches& shared = found.rules[5];
    QVERIFY(shared.funnel.back().line == 0);
    QVERIFY(shared.funnel.back().count < shared.funnel[shared.funnel.size() - 2].count);
    QCOMPARE(std::size_t(shared.funnel.back().count), shared.matches.size());
}

void TestBookPlaces::nearMissesAreRelaxed_data() {
    QTest::addColumn<QByteArray>("sample");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("edited"); // what the text then has
    const auto row = [](const char* name, const char* sample, const char* text, const char* after) {
        QTest::newRow(name) << QByteArray(sample) << QByteArray(text) << QByteArray(after);
    };
    row("only attribute", "residual",
        "pattern p(x, w) = relu(batch_norm(conv2d(x, w) {strides = [7, 7]}, ...))",
        "conv2d(x, w), ...)");
    row("first attribute", "residual",
        "pattern p(x, w) = batch_norm(conv2d(x, w) {groups = 7, strides}, ...)",
        "conv2d(x, w) {strides}");
    row("last attribute", "residual",
        "pattern p(x, w) = batch_norm(conv2d(x, w) {strides, groups = 7}, ...)",
        "conv2d(x, w) {strides}");
    row("range", "residual", "pattern p(x, w) = batch_norm(conv2d(x, w) {groups in 2..4}, ...)",
        "{groups in 1..4}");
    row("constant", "residual", "pattern p(x) = batch_norm(conv2d(x: const, w), ...)",
        "conv2d(x, w)");
    row("a constant beside a type", "residual",
        "chain p = batch_norm(^, ...) >> add(^, r: const & same(^))", "add(^, r: same(^))");
    row("const", "residual", "pattern p(w) = batch_norm(conv2d(const, w), ...)", "conv2d(any, w)");
    row("an element type", "residual", "pattern p(w) = batch_norm(conv2d(x: i64[N, ...], w), ...)",
        "x: any[N, ...]");
    row("an element type alone", "residual",
        "pattern p(w) = batch_norm(conv2d(x: i64 & input, w), ...)", "conv2d(x: input, w)");
    row("an extent", "residual",
        "pattern p(x, w) = batch_norm(conv2d(x, w: f32[O, 7777, K, L]), ...)",
        "w: f32[O, any, K, L]");
    row("another rank", "residual", "pattern p(w) = batch_norm(conv2d(x: f32[N], w), ...)",
        "x: f32, w)");
    row("a rank that is spoken of", "residual",
        "rule r { match y = batch_norm(x: f32[N], ...) where N > 1 emit y = relu(x) }", "");
    row("an extent again", "residual",
        "pattern p(x) = batch_norm(x: f32[N, C, ...], g: f32[N], ...)", "g: f32[any]");
    row("a parameter", "residual", "pattern p(x: const, w) = batch_norm(conv2d(x, w), ...)",
        "pattern p(x, w)");
    row("another operator", "residual", "chain p = conv2d(...) >> bias(^, ...) >> relu(^)",
        "(bias(^, ...) | batch_norm(^, ...))");
    row("an operator within", "residual", "pattern p(x) = global_average_pool(sigmoid(x))",
        "global_average_pool((sigmoid(x) | relu(x)))");
    row("the same value", "residual", "pattern p(x, g) = batch_norm(x, g, g, ...)",
        "batch_norm(x, g, g2, ...)");
    row("operands", "inception", "pattern p(x) = concat(x)", "concat(x, ...)");
    row("fewer operands", "inception", "pattern p(a) = concat(a, b, c, d, e, g)",
        "concat(a, b, c, d, ...)");
    row("a captured attribute", "residual", "pattern p(x) = relu(kind broadcast(x, ...) {axis})",
        "relu(kind broadcast(x, ...))");
    row("behind the end", "residual", "chain p = conv2d(...) >> batch_norm(^, ...) >> sigmoid(^)?",
        "sigmoid(^)? >> relu(^)?");
    row("behind two that may be absent", "residual",
        "fuse p { match conv2d(...) >> batch_norm(^, ...) >> sigmoid(^)? >> tanh(^)* }",
        "tanh(^)* >> relu(^)? }");
    row("behind the end, a second operand", "residual",
        "chain p = batch_norm(conv2d(...), ...) >> tanh(^)?", "tanh(^)? >> ");
    row("one condition", "residual",
        "rule r { match y = relu(x) where rank(x) == 9 emit y = relu(x) }",
        "match y = relu(x) emit");
    row("first condition", "residual",
        "rule r { match y = relu(x) where rank(x) == 9, rank(x) < 9 emit y = relu(x) }",
        "where rank(x) < 9 emit");
    row("last condition", "residual",
        "rule r { match y = relu(x) where rank(x) < 9, rank(x) == 9 emit y = relu(x) }",
        "where rank(x) < 9 emit");
    row("condition on its line", "residual",
        "rule r {\n  match y = relu(x)\n  where rank(x) == 9\n  emit y = relu(x)\n}",
        "relu(x)\n  \n  emit");
    row("used outside", "residual", "rule r { match y = conv2d(r = relu(x), w) emit y = x }",
        "duplicate\n  match");
}

void TestBookPlaces::nearMissesAreRelaxed() {
    QFETCH(QByteArray, sample);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, edited);
    Asked a;
    const Arguments arguments = with(on(sample.toStdString()), text.toStdString());
    const RuleMatches before = a.get<MatchDocument>("match", arguments).rules.at(0);
    QVERIFY2(!hasErrors(before.diagnostics),
             before.diagnostics.empty() ? "" : before.diagnostics[0].text().c_str());
    const auto miss = std::find_if(before.nearMisses.begin(), before.nearMisses.end(),
                                   [](const NearMissRecord& one) { return one.relax.has_value(); });
    if (edited.isEmpty()) { // nothing small helps
        QVERIFY(!before.nearMisses.empty() && miss == before.nearMisses.end());
        return;
    }
    QVERIFY(miss != before.nearMisses.end());
    QVERIFY(!miss->relax->label.empty());
    const std::string after = ::edited(text.toStdString(), *miss->relax);
    QVERIFY2(after.find(edited.toStdString()) != std::string::npos, after.c_str());
    // The node matches with it, or fails later.
    const RuleMatches now =
        a.get<MatchDocument>("match", with(on(sample.toStdString()), after)).rules.at(0);
    QVERIFY2(!hasErrors(now.diagnostics), after.c_str());
    const bool matches =
        std::any_of(now.matches.begin(), now.matches.end(), [&](const auto& match) {
            return std::find(match.nodeIds.begin(), match.nodeIds.end(), miss->rootId) !=
                   match.nodeIds.end();
        });
    const bool further =
        std::any_of(now.nearMisses.begin(), now.nearMisses.end(), [&](const NearMissRecord& one) {
            return one.rootId == miss->rootId && one.matched >= miss->matched &&
                   std::pair(one.clause, one.expected) != std::pair(miss->clause, miss->expected);
        });
    QVERIFY2(matches || further, after.c_str());
    QVERIFY(now.matches.size() >= before.matches.size());
}

void TestBookPlaces::limitsAreTold() {
    Asked a;
    Arguments arguments = with(on("residual"), "pattern p(x) = relu(x)\n");
    arguments.limit = 1;
    RuleMatches rule = a.get<MatchDocument>("match", arguments).rules[0];
    QCOMPARE(rule.matches.size(), std::size_t(1));
    QVERIFY(rule.stopped.find("more than 1") != std::string::npos);
    arguments.limit.reset();
    rule = a.get<MatchDocument>("match", arguments).rules[0];
    QVERIFY(rule.matches.size() > 1 && rule.stopped.empty());
    arguments.seconds = 0;
    rule = a.get<MatchDocument>("match", arguments).rules[0];
    QVERIFY(rule.matches.empty());
    QVERIFY(rule.stopped.find("time") != std::string::npos);
}

FW_TEST(TestBookPlaces, QCoreApplication)
#include "test_book_places.moc"
