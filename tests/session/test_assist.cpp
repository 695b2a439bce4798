// What an editor shows at a place of a book. In the texts of the tests `|` is the place.
#include "common/test.h"
#include "session/asked.h"
#include "session/range_text.h"
#include "session/text_range.h"

#include <algorithm>
#include <set>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestAssist : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void completions_data();
    void completions();
    void operatorsOfTheModelComeFirst();
    void attributesHaveTypesAndDefaults();
    void wordsAreReplacedWhole();
    void hover_data();
    void hover();
    void hoverTellsWhatANameBinds();
    void definitions_data();
    void definitions();
    void namesOfShippedBooks();
    void references();
    void fixes_data();
    void fixes();
    void refusals();
};

namespace {

// The text without its mark, and the place of it.
Arguments at(std::string text, Arguments arguments = {}) {
    const std::size_t mark = text.find('|');
    text.erase(mark, 1);
    const TextPlaces::LineColumn place = TextPlaces(text).at(mark);
    arguments.rules = {mineFile};
    arguments.texts = {{mineFile, text}};
    arguments.position = TextPlace{mineFile, place.line, place.column};
    return arguments;
}

std::set<std::string> textsOf(const AssistDocument& document) {
    std::set<std::string> out;
    for (const CompletionRecord& one : document.completions)
        out.insert(one.text);
    return out;
}

} // namespace

void TestAssist::completions_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("there"); // among the completions
    QTest::addColumn<QString>("not_there");
    const auto row = [](const char* text, const char* there, const char* not_there = "") {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(there)
                            << QString::fromLatin1(not_there);
    };
    row("|", "rule pattern chain op grow fuse implementations pin composite builtin test", "relu");
    row("ru|", "rule", "relu match");
    row("chain c = relu(^)\n|", "rule chain");
    row("rule r {}\n|", "rule", "match");
    row("rule r {\n  match y = relu(x)\n  emit y = x\n}\nru|", "rule", "match");
    row("rule |", "", "rule match relu");
    row("rule r { |", "match where let emit stage strategy duplicate", "relu rule");
    row("rule r { ma|", "match emit", "relu");
    row("rule r { match |", "", "relu match");
    row("rule r { match y = |", "relu conv2d any const kind onednn.tail", "y match given");
    row("rule r { match y = re|", "relu reduce_sum");
    row("rule r { match y = relu(|", "conv2d any const");
    row("rule r { match y = relu(|\n emit y = x }", "conv2d", "x");
    row("rule r { match y = add(x, |) emit y = x }", "x relu");
    row("rule r { match y = relu(x) |", "where emit let", "relu");
    row("rule r { match y = conv2d(x, w) {|", "strides pads groups dilations", "axis relu match");
    row("rule r { match y = conv2d(x, w) {groups = 1, |", "strides", "relu");
    row("rule r { match y = bias(x, w) {axis = |", "1", "relu");
    row("rule r { match y = bias(x, w) {axis |", "in", "relu");
    row("rule r { match y = conv2d(x, w: |", "const same", "relu");
    row("rule r { match y = conv2d(x, w: const & |", "same", "relu");
    row("rule r { match y = relu(x: |", "f32 i64 const input same any", "relu x");
    row("rule r { match y = dense(x: f32[N, C], w: f32[|", "N C any", "relu x f32");
    row("rule r { match y = dense(x: f32[N, C], w) {axis = n} where |", "N C n x", "f32");
    row("rule r { match y = dense(x: f32[N], w) emit y = reshape(x) {shape = [|", "N dim", "relu");
    row("rule r { match y = not |", "relu conv2d", "emit");
    row("rule r { match y = assoc |", "mul add", "emit");
    row("rule r { match y = add(s = split(x), out(|", "any");
    row("rule r { match y = relu(x) let k = x * |", "x relu");
    row("rule r { match y = relu(x) where rank(x) |", "in", "relu libs");
    row("fuse f { match relu(x) where |", "libs target used_once", "relu");
    row("fuse f { match relu(x) where libs has |", "onednn", "x");
    row("pattern p(x: |", "f32 const input", "relu");
    row("rule r { match y = add(x, w: same(|", "x", "relu");
    row("rule r { match y = kind |", "elementwise contraction rowwise", "relu any");
    row("rule r { match y = relu(x) where |", "used_once finite dim given x y", "relu emit");
    row("rule r { match y = relu(x) where rank(|", "x y", "relu");
    row("rule r { match y = bias(x, b) {axis} where |", "axis", "bias");
    row("rule r { match y = relu(x) where dtype(x) == |", "f32 i64", "relu x");
    row("rule r { match y = relu(x) where used_once(x) |", "emit let", "used_once");
    row("rule r { match y = relu(x) emit |", "y", "relu");
    row("rule r { match y = relu(x) emit y = |", "x relu given", "used_once any");
    row("rule r { match y = relu(x) let k = |", "x relu");
    row("rule r { match y = conv2d(x, w) {*a} emit y = conv2d(x, w) {*|", "a", "relu");
    row("rule r { match y = conv2d(x, w) {*a} emit y = conv2d(x, w) {*a, |", "groups", "relu");
    row("rule r { stage |", "simplify before", "match");
    row("rule r { stage before |", "partition fusion", "match");
    row("rule r { stage simplify |", "match strategy", "partition");
    row("rule r { strategy |", "once sweep fixpoint", "match");
    row("rule r \"relu(|\" {", "", "relu match");
    row("rule r { # relu(|\n", "", "relu match");
    row("pattern p(x, w: |", "const", "relu");
    row("pattern p(x) = |", "relu x", "y emit");
    row("chain c = relu(^) >> |", "bias relu onednn.tail");
    row("chain c = relu(^)? | (", "", "rule");
    row("schedule s |", "for", "relu vectorize");
    row("schedule s for |", "conv2d kind", "elementwise");
    row("schedule s for kind |", "elementwise any", "conv2d");
    row("schedule s for conv2d on |", "any x86-64-v3", "relu");
    row("schedule s { |", "knob anchor epilogue", "relu match");
    row("schedule s { epilogue.|", "epilogue.split epilogue.vectorize", "relu split");
    row("schedule s { epilogue.split(n, n1, n0, 4, guard) epilogue.unroll(|", "n0 n1 reduce lanes",
        "relu vectorize");
    row("schedule s { anchor.unroll(reduce) }\nimplementations dense(...) on any { a by |",
        "schedule generated.tiled", "s relu");
    row("schedule s { anchor.unroll(reduce) }\nimplementations dense(...) on any { a by schedule |",
        "s", "generated.tiled relu");
    row("fuse f on |", "any x86-64-v3 cpu", "relu");
    row("fuse f on x86-64-|", "x86-64-v3", "relu");
    row("fuse f { |", "match where expose as", "emit");
    row("fuse f { match |", "conv2d relu", "emit");
    row("fuse f { match relu(x) as |", "stacked melted for", "relu");
    row("fuse f { match relu(x) as for |", "onednn openblas", "relu");
    row("composite onednn.x for |", "onednn", "match");
    row("op o(x: T[S...]) -> y: T[S...] |", "onnx where", "since requires");
    row("op o(x: T[S...]) |", "requires", "onnx where");
    row("op o(x: T[S...]) -> y: T[S...] onnx \"d\" \"T\" |", "since until chain onnx", "where");
    row("op o(x: T[S...], attr k: int) -> y: T[S...] onnx \"d\" \"T\" since 1 {k = |", "",
        "sum relu");
    row("op o(x: T[S...], attr k: int) -> y: T[S...] onnx \"d\" \"T\" {mode == |", "", "sum relu");
    row("grow |", "contraction elementwise", "forward");
    row("grow contraction -> |", "elementwise", "forward");
    row("grow contraction -> elementwise |", "forward into never", "limit");
    row("grow contraction -> elementwise forward |", "limit operands", "into");
    row("implementations |", "dense conv2d kind", "contraction");
    row("implementations kind |", "contraction any", "dense");
    row("implementations dense(...) |", "on let", "dense");
    row("implementations dense(...) on |", "any x86-64-v3", "dense");
    row("implementations dense(...) on any {\n  |", "generated.tiled onednn.matmul", "by dense");
    row("implementations dense(...) on any { generated.|", "generated.tiled");
    row("implementations dense(...) on any { mine |", "by priority when absorbs");
    row("implementations dense(...) on any { mine by |", "generated.tiled", "when");
    row("implementations dense(...) on any { mine when |", "N K x w size libs", "generated.tiled");
    row("implementations dense(...) let M = size(P) on any { mine when |", "M K");
    row("implementations conv2d(...) on any { mine when |", "strides groups");
    row("implementations dense(...) on any { mine when libs |", "has", "onednn");
    row("implementations dense(...) on any { mine when libs has |", "onednn openblas", "K");
    row("implementations dense(...) on any { mine when target has |", "x86-64-v3", "onednn");
    row("implementations dense(...) on any { mine when K > 3 |", "absorbs priority");
    row("implementations dense(...) on any { mine absorbs |", "none any onednn.tail", "when");
    row("builtin |", "fold_constants cse", "relu");
    row("pin { |", "together apart use avoid", "relu");
    row("pin { use |", "generated.tiled onednn.matmul", "together");
    row("pin { avoid |", "onednn generated.tiled", "together");
    row("pin { together a, b |", "with apart", "for");
    row("rule r { match y = relu(x) emit y = x }\ntest \"t\" of |", "r", "relu");
    row("test \"t\" {\n  |", "graph", "relu expect");
    row("test \"t\" {\n  graph g(x: f32[N]) -> y {\n    a = |", "relu const", "expect");
    row("test \"t\" {\n  graph g(x: f32[N]) -> y {\n    a = relu(|", "x", "expect relu");
    row("test \"t\" {\n  graph g(x: |", "f32", "relu");
    row("test \"t\" {\n  graph g(x: f32[N]) -> y { y = relu(x) }\n  |", "expect", "relu");
    row("test \"t\" {\n  graph g(x: f32[N]) -> y { y = relu(x) }\n  expect |", "match none becomes",
        "relu");
    row("op o(|", "attr bcast", "relu");
    row("op o(x: T[S...], attr a: |", "int float bool text dtype", "relu");
    row("op o(x: T[S...]) -> y: T[S...] { y[i...] = |", "x exp max select", "relu");
    // What is broken before the place does not matter, nor what stands behind it.
    row("rule broken { match y = relu(x\n\nchain c = |\n\nrule other { match", "relu", "match");
    row("rule \xc3\xa9 { }\nchain c = |", "relu");
    row("rule r {\n  match y = relu(x)\n  where rank(x) == ==\n  emit y = |", "x relu given");
    row("rule r {\n  match y = relu(x)\n  let k = {\n    3 }\n  emit |", "y", "relu");
    row("implementations dense(...) on any {\n  a priority high\n  b when |", "K libs", "by");
    row("rule r {\n  emit y = x\n  mach y = relu(x)\n  where |", "used_once", "emit");
    // Words where they may stand, and nowhere else.
    row("op o(x: T[S...], attr k: int) -> y: T[S...] onnx \"d\" \"T\" {k = k |", "else of",
        "until");
    row("op o(x: T[S...], attr k: int[]) -> y: T[S...] onnx \"d\" \"T\" {k = k else |",
        "all reversed");
    row("op o(x: T[S...]) -> y { y = |", "relu x", "let");
    row("op o(x: T[S...]) -> y { y = dense(x, x) {|", "", "relu");
    row("op o(x: T[S...], attr k: int = 1) -> y { y = softmax(x) {axis = |", "-1");
    row("op o(x: T[S...], attr to: dtype) requires T in {|", "f32 i8", "rank");
    row("op o(x: T[S...]) requires T == |", "f32", "rank");
    row("target t on x86-64 { features = [|", "avx2", "onednn");
    row("target t on x86-64 { libs = [|", "onednn", "avx2");
    row("schedule s for dense { w.layout(|", "row", "n0");
    row("graph g(x: f32[2]) -> y { y = relu(x) @|", "node from", "relu");
}

void TestAssist::completions() {
    QFETCH(QString, text);
    QFETCH(QString, there);
    QFETCH(QString, not_there);
    Asked a;
    const auto answer = a.get<AssistDocument>("assist", at(text.toStdString()));
    const std::set<std::string> texts = textsOf(answer);
    QCOMPARE(texts.size(), answer.completions.size()); // none twice
    for (const QString& word : there.split(u' ', Qt::SkipEmptyParts))
        QVERIFY2(texts.contains(word.toStdString()), qPrintable(word));
    for (const QString& word : not_there.split(u' ', Qt::SkipEmptyParts))
        QVERIFY2(!texts.contains(word.toStdString()), qPrintable(word));
    for (const CompletionRecord& one : answer.completions) {
        QVERIFY2(!one.kind.empty(), one.text.c_str());
        QVERIFY2(one.kind != "keyword" || !one.documentation.empty(), one.text.c_str());
    }
}

void TestAssist::operatorsOfTheModelComeFirst() {
    Asked a;
    std::set<std::string> here;
    for (const NodeRecord& node : a.get<GraphDocument>("graph", on("residual")).nodes)
        if (node.op != "input" && node.op != "constant")
            here.insert(node.op);
    const auto answer = a.get<AssistDocument>("assist", at("chain c = |", on("residual")));
    std::vector<CompletionRecord> operators;
    for (const CompletionRecord& one : answer.completions)
        if (one.kind == "operator")
            operators.push_back(one);
    QVERIFY(operators.size() > here.size());
    for (std::size_t i = 0; i < operators.size(); ++i)
        QCOMPARE(here.contains(operators[i].text), i < here.size());
    QVERIFY(operators[0].documentation.find(" in the model") != std::string::npos);
    QVERIFY(operators[0].detail.starts_with(operators[0].text + "("));
    const auto pin = a.get<AssistDocument>("assist", at("pin { together |", on("residual")));
    QVERIFY(textsOf(pin).contains("Relu_stem_relu"));
    const auto typed =
        a.get<AssistDocument>("assist", at("pin { together Relu_s|", on("residual")));
    for (const CompletionRecord& one : typed.completions)
        QVERIFY2(one.kind != "node" || one.text.starts_with("Relu_s"), one.text.c_str());
}

void TestAssist::attributesHaveTypesAndDefaults() {
    Asked a;
    const auto answer = a.get<AssistDocument>("assist", at("chain c = conv2d(^, w) {|"));
    const auto detail = [&](const std::string& text) {
        for (const CompletionRecord& one : answer.completions)
            if (one.text == text)
                return one.kind + " " + one.detail;
        return std::string();
    };
    QCOMPARE(detail("groups"), std::string("attribute int = 1"));
    QCOMPARE(detail("strides"), std::string("attribute int[2] = [1, 1]"));
}

void TestAssist::wordsAreReplacedWhole() {
    const auto replaced = [](const std::string& text) {
        Asked a;
        const Arguments arguments = at(text);
        return textOf(arguments.texts[0].text, a.get<AssistDocument>("assist", arguments).replace);
    };
    QCOMPARE(replaced("chain c = re|lu(^)"), std::string("relu"));
    QCOMPARE(replaced("chain c = |relu(^)"), std::string("relu"));
    QCOMPARE(replaced("chain c = relu|(^)"), std::string("relu"));
    QCOMPARE(replaced("chain c = |"), std::string());
    QCOMPARE(replaced("chain c = relu(^) >> onednn.ta|"), std::string("onednn.ta"));
    QCOMPARE(replaced("fuse f on x86-64-|v3 {"), std::string("x86-64-v3"));
    QCOMPARE(replaced("# \xc3\xa4\nchain \xc3\xa4 = re|"), std::string("re"));
}

void TestAssist::hover_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("lines"); // joined; empty: there is none
    const auto row = [](const char* text, const char* lines) {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(lines);
    };
    row("chain c = re|lu(^)", "relu(x: T[S...]) -> y: T[S...]");
    row("chain c = sof|tmax(^)", "exp(x) divided by its sum along an axis");
    row("chain c = sof|tmax(^)", "kind: rowwise");
    row("chain c = sof|tmax(^)", "let m[p..., q...] = max(d in D : x[p..., d, q...])");
    row("chain c = softmax(^) {a|xis = 1}", "axis: int = -1");
    row("chain c = relu(^)\nchain d = add(^, x) >> c|", "chain c = relu(^)");
    row("rule r { mat|ch y = relu(x) emit y = x }", "match: the values to look for");
    row("rule r { match y = relu(x) emit y = x| }", "x: a value, bound at line 1");
    row("rule r { match y = conv2d(x, w) {pads = q|} emit y = x }", "q: an attribute, bound at");
    row("rule r { match y = conv2d(x, w) {strides = [s|, s]} emit y = x }", "s: an attribute");
    row("rule r { match y = dense(x: T[N|, K], w) emit y = x }", "N: a dim, bound at line 1");
    row("rule r { match y = relu(x: T|[N]) emit y = x }", "T: a dim, bound at line 1");
    row("rule r { match y = no|t relu(x) emit y = x }", "not: not p: a value");
    row("rule r { match y = domina|ted(x, relu(^), add(^, ^)) emit y = x }", "dominated: ");
    row("target t on x86-64 { vector_bi|ts = 256 }", "vector_bits: how wide");
    row("grow contract|ion -> elementwise never", "contraction: sums of products");
    row("implementations dense(...) on any { onednn.mat|mul priority 3 }", "(strategy.fw:");
    row("gro|w contraction -> elementwise never", "grow: whether operators of one kind");
    row("rule r { match y = nosuch|(x) emit y = x }", "");
    row("# rel|u", "");
    row("rule r {  |  }", "");
}

void TestAssist::hover() {
    QFETCH(QString, text);
    QFETCH(QString, lines);
    Asked a;
    const auto answer = a.get<AssistDocument>("assist", at(text.toStdString()));
    QCOMPARE(answer.hover.has_value(), !lines.isEmpty());
    if (!answer.hover)
        return;
    QVERIFY(static_cast<const TextRange&>(*answer.hover) == answer.replace);
    std::string all;
    for (const std::string& line : answer.hover->lines) {
        QVERIFY(line.find('\n') == std::string::npos);
        all += line + "\n";
    }
    QVERIFY2(all.find(lines.toStdString()) != std::string::npos, all.c_str());
}

void TestAssist::hoverTellsWhatANameBinds() {
    Asked a;
    const auto last = [&](const char* text) {
        const auto answer = a.get<AssistDocument>("assist", at(text, on("residual")));
        return answer.hover ? answer.hover->lines.back() : std::string();
    };
    QVERIFY(last("chain c = relu|(^)").ends_with(" in the model"));
    const char* const rule = "rule r { match y = relu(n = batch_norm(x|, ...)) emit y = x }";
    QVERIFY2(last(rule).starts_with("in the first match: "), last(rule).c_str());
    QVERIFY(last(rule).find("f32[") != std::string::npos);
    const char* const typed = "pattern p(x) = relu(batch_norm(x: f32[N|, C, ...], ...))";
    QVERIFY2(last(typed).starts_with("in the first match: "), last(typed).c_str());
    QVERIFY(last("rule r { match y = relu(conv2d(x|, w)) emit y = x }").find("bound at") !=
            std::string::npos); // nothing matches
}

void TestAssist::definitions_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("line"); // 0: whichever
    const auto row = [](const char* text, const char* file, int line) {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(file) << line;
    };
    row("chain c = re|lu(^)", "elementwise.fw", 0);
    row("chain c = bias(^, b) >> onednn.ta|il", "post_ops.fw", 0);
    row("chain c = relu(^)\nfuse f { match bias(^, x) >> c| as stacked }", "/nowhere/mine.fw", 1);
    row("rule r {\n match y = relu(x)\n where used_once(x|)\n emit y = x\n}", "/nowhere/mine.fw",
        2);
    row("chain c = softmax(^) {ax|is = 1}", "normalization.fw", 0);
    row("implementations dense(...) on any { onednn.mat|mul priority 3 }", "/nowhere/mine.fw", 1);
    row("pin { use onednn.mat|mul for a }", "strategy.fw", 0);
    row("op relu(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] }\nchain c = re|lu(^)",
        "/nowhere/mine.fw", 1);
    row("rule broken {\nchain c = relu(^)\nchain d = relu(^) >> c|\nrule", "/nowhere/mine.fw", 2);
}

void TestAssist::definitions() {
    QFETCH(QString, text);
    QFETCH(QString, file);
    QFETCH(int, line);
    Asked a;
    const Arguments arguments = at(text.toStdString());
    const auto answer = a.get<AssistDocument>("assist", arguments);
    QVERIFY(answer.definition.has_value());
    QCOMPARE(QString::fromStdString(answer.definition->file), file);
    QCOMPARE(answer.definition->shipped, file != QStringLiteral("/nowhere/mine.fw"));
    if (line > 0)
        QCOMPARE(answer.definition->line, line);
    std::string where = arguments.texts[0].text;
    if (answer.definition->shipped) {
        Arguments book;
        book.name = answer.definition->file;
        where = a.get<BookDocument>("book", book).text;
    }
    QCOMPARE(textOf(where, *answer.definition), textOf(arguments.texts[0].text, answer.replace));
}

// A shipped book is read like one's own: hover and definitions, nothing beside it.
void TestAssist::namesOfShippedBooks() {
    Arguments arguments;
    arguments.name = "fusion.fw";
    Asked a;
    const std::string text = a.get<BookDocument>("book", arguments).text;
    const std::size_t place = text.find("contraction -> elementwise");
    QVERIFY(place != std::string::npos);
    const TextPlaces::LineColumn at = TextPlaces(text).at(place);
    Arguments asked;
    asked.position = TextPlace{"fusion.fw", at.line, at.column};
    const auto answer = a.get<AssistDocument>("assist", asked);
    QVERIFY(answer.hover && answer.hover->lines[0].starts_with("contraction: "));
}

void TestAssist::references() {
    const std::string text = "chain c = relu(^)\n"
                             "fuse f { match bias(^, x) >> c as stacked }\n"
                             "rule r { match y = relu(x) where used_once(x) emit y = |x }\n";
    Asked a;
    const auto captures = a.get<AssistDocument>("assist", at(text)).references;
    QCOMPARE(captures.size(), std::size_t(3)); // x of the other declaration is another x
    for (const LocationRecord& place : captures)
        QCOMPARE(place.line, 3);
    // What a capture of an attribute is called, and not the attribute of that name.
    const std::string written = "rule r { match y = conv2d(x, w) {pads = q, groups = pads} "
                                "where q| == [1, 1] emit y = conv2d(x, w) {pads = q} }\n";
    QCOMPARE(a.get<AssistDocument>("assist", at(written)).references.size(), std::size_t(3));
    std::string group = written;
    group.erase(group.find('|'), 1);
    group.insert(group.find("groups = pads") + 13, "|");
    QCOMPARE(a.get<AssistDocument>("assist", at(group)).references.size(), std::size_t(1));
    std::string other = text;
    other.erase(other.find('|'), 1);
    other.insert(7, "|");
    QCOMPARE(a.get<AssistDocument>("assist", at(other)).references.size(), std::size_t(2));
}

void TestAssist::fixes_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("fixed");
    const auto row = [](const char* text, const char* fixed) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(fixed);
    };
    row("chain c = rellu(^)", "relu");
    row("chain c = softmax(^) {axes = 1}", "axis");
    row("rule r { match y = relu(input) emit y = inptu }", "input");
    row("rule r { match y = relu(x) where usedonce(x) emit y = x }", "used_once");
    row("rule r { mtach y = relu(x) emit y = x }", "match");
    row("rule r { match y = relu(x) emt y = x }", "emit");
    row("rle r { match y = identity(x) emit y = x }", "rule");
    row("grow contractoin -> elementwise never", "contraction");
    row("grow contraction -> elementwise forwrad", "forward");
    row("fuse f { match bias(relu(x), b) as for onednnn }", "onednn");
    row("builtin fold_constnts", "fold_constants");
    row("rule r { stage simplfy match y = relu(x) emit y = x }", "simplify");
    row("implementations dens(...) on any { generated.* absorbs none }", "dense");
    row("implementations kind contracton on any { generated.* absorbs none }", "contraction");
    row("implementations dense(...) on any { generated.tilde priority 3 }", "generated.tiled");
    row("implementations dense(...) on any { generated.tiled absorbs onednn.tial }", "onednn.tail");
    row("implementations dense(...) on any { generated.tiled when siez(K) > 3 }", "size");
}

void TestAssist::fixes() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, fixed);
    Asked a;
    Arguments arguments;
    arguments.rules = {mineFile};
    arguments.texts = {{mineFile, text.toStdString()}};
    const auto check = a.get<CheckDocument>("check", arguments);
    const auto mark =
        std::find_if(check.marks.begin(), check.marks.end(), [&](const MarkRecord& one) {
            return !one.fixes.empty() && one.fixes[0].text == fixed.toStdString();
        });
    QStringList said;
    for (const MarkRecord& one : check.marks) {
        said << QString::fromStdString(one.diag.text());
        for (const Fix& fix : one.fixes)
            said << QStringLiteral("    ") + QString::fromStdString(fix.label);
    }
    QVERIFY2(mark != check.marks.end(), qPrintable(said.join(u'\n')));
    // Once it is applied nothing is said about that place.
    const TextPlaces places(arguments.texts[0].text);
    const Fix& fix = mark->fixes[0];
    std::string mended = arguments.texts[0].text;
    const std::size_t begin = places.offset(fix.line, fix.column);
    mended.replace(begin, places.offset(fix.endLine, fix.endColumn) - begin, fix.text);
    arguments.texts[0].text = mended;
    for (const MarkRecord& one : a.get<CheckDocument>("check", arguments).marks)
        QVERIFY2(one.column != mark->column || one.line != mark->line, one.diag.text().c_str());
}

void TestAssist::refusals() {
    Asked a;
    QCOMPARE(a.ask("assist", {}).diag().code, DiagCode::Usage);
    Arguments arguments;
    arguments.position = TextPlace{"/nowhere/else.fw", 1, 1};
    QCOMPARE(a.ask("assist", arguments).diag().code, DiagCode::FileMissing);
    // A model that cannot be read is no reason to say nothing.
    Arguments broken = at("chain c = re|");
    broken.model = "/nowhere/net.onnx";
    QVERIFY(textsOf(a.get<AssistDocument>("assist", broken)).contains("relu"));
    // Places behind the text are its end.
    broken.position = TextPlace{mineFile, 99, 99};
    QVERIFY(textsOf(a.get<AssistDocument>("assist", broken)).contains("relu"));
}

FW_TEST(TestAssist, QCoreApplication)
#include "test_assist.moc"
