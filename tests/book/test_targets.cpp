// Targets that books declare: mistakes with their places, and who may name them.
#include "book/book.h"
#include "common/test.h"

#include <fmt/format.h>

using namespace fw;

class TestTargets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyMistakeHasItsPlace_data();
    void everyMistakeHasItsPlace();
    void everyClauseIsRead();
    void everybodyMayNameThem();
    void whatStandsOnARefusedOneFalls();
    void thereAreLimits();
    void laterOnesTakeThePlace();
    void theMostSpecificKeyWins();
};

void TestTargets::everyMistakeHasItsPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("told");
    const auto row = [](const char* name, const char* text, const char* code, int column,
                        const char* told) {
        QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(code) << column
                            << QString::fromUtf8(told);
    };
    row("clause", "target t on x86-64 { key = [a] }", "TXT01", 22, "did you mean keys?");
    row("clause twice", "target t on x86-64 { threads = 1 threads = 2 }", "TXT01", 34, "once");
    row("nothing to stand on", "target t { threads = 1 }", "TXT01", 8, "target t on x86-64-v3");
    row("no end", "target t on x86-64 { threads = 1", "TXT01", 0, "");
    row("key to stand on", "target t on haswel { }", "TXT02", 13, "did you mean haswell?");
    row("declared key to stand on", "target chip on cpu { } target t on chp { }", "TXT02", 36,
        "did you mean chip?");
    row("library", "target t on cpu { libs = [onednn, mkl] }", "TXT02", 35, "mkl");
    row("feature", "target t on x86-64-v3 { features = [avx3] }", "TXT02", 37, "did you mean avx");
    row("excluded feature", "target t on x86-64-v3 { features = [avx2, avx512f] }", "RUL01", 43,
        "x86-64-v3 has no avx512f");
    row("excluded by a named CPU", "target t on nehalem { features = [fma] }", "RUL01", 35,
        "let the target stand on x86-64-v3");
    row("too wide", "target t on haswell { vector_bits = 512 }", "RUL01", 37, "of 256 bits");
    row("no power of two", "target t on x86-64 { vector_bits = 192 }", "RUL01", 36, "128, 256");
    row("no vectors", "target t on x86-64 { vector_bits = 64 }", "RUL01", 36, "128, 256");
    row("threads", "target t on x86-64 { threads = 0 }", "RUL01", 32, "from 1 to 256");
    row("negative threads", "target t on x86-64 { threads = -1 }", "RUL01", 32, "threads");
    row("itself", "target t on t { }", "RUL01", 13, "t on t");
    row("circle", "target t on u { } target u on t { }", "RUL01", 13, "t on u on t");
    row("shipped name", "target haswell on x86-64 { }", "TXT02", 8, "name of its own");
    row("shipped key", "target cpu on x86-64 { }", "TXT02", 8, "name of its own");
    row("native", "target native on x86-64 { }", "TXT02", 8, "name of its own");
    row("key of another CPU", "target t on x86-64-v3 { keys = [t, x86-64-v4] }", "RUL01", 36,
        "let the target stand on x86-64-v4");
    row("operator", "target t on x86-64 { requires conv2e(...) >> clip(^) }", "OPR01", 31,
        "did you mean conv2d");
    row("beginning", "target t on x86-64 { requires conv2d(...)? >> clip(^) }", "RUL01", 31,
        "begins with an operator");
    row("no operator", "target t on x86-64 { requires x }", "RUL01", 31, "begins with an operator");
}

void TestTargets::everyMistakeHasItsPlace() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(int, column);
    QFETCH(QString, told);
    const Books books =
        readBooks({{"mine.fw", "target before on x86-64 { }\n\n" + text.toStdString() +
                                   "\n\ntarget after on before { }\n"}});
    const Diag* error = nullptr;
    for (const Diag& diag : books.diagnostics)
        if (error == nullptr && diag.severity == Severity::Error)
            error = &diag;
    QVERIFY(error != nullptr);
    QCOMPARE(std::string(codeText(error->code)), code.toStdString());
    if (column > 0) {
        QCOMPARE(error->where.line, 3);
        QCOMPARE(error->where.column, column);
    }
    QVERIFY2(QString::fromStdString(error->text()).contains(told), error->text().c_str());
    QVERIFY(books.targets.contains("before") && books.targets.contains("after"));
    QVERIFY(!books.targets.contains("t") && !books.targets.contains("haswell"));
}

void TestTargets::everyClauseIsRead() {
    const Books books = readBooks(
        {{"mine.fw", "target my-chip \"ours\" on x86-64-v4 {\n"
                     "  keys = [family, x86-64]  libs = [cblas]  features = [avx512vnni]\n"
                     "  vector_bits = 256  threads = 2\n"
                     "  requires conv2d(...) >> clip(^) >> cast(^), dense(...) >> relu(^)\n"
                     "}\n"}});
    QVERIFY2(books.diagnostics.empty(),
             books.diagnostics.empty() ? "" : books.diagnostics[0].text().c_str());
    const Target chip = parseTarget("my-chip", declaredTargets(books)).take();
    QCOMPARE(chip.text, std::string("my-chip -libs=openblas -threads=2"));
    QCOMPARE(chip.vectorLanesF32, 8);
    QVERIFY((chip.features & *cpuFeature("avx512vnni")) != 0);
    QCOMPARE(targetKeys(chip)[0], std::string("my-chip"));
    QCOMPARE(targetKeys(chip)[1], std::string("family"));
    QCOMPARE(targetKeys(chip)[2], std::string("x86-64-v4"));
    const auto required = requiredBy("my-chip", books.targets);
    QCOMPARE(required.size(), std::size_t(2));
    QCOMPARE(required[0]->text, std::string("conv2d(...) >> clip(^) >> cast(^)"));
}

// In whatever order the books are read.
void TestTargets::everybodyMayNameThem() {
    const BookText target{"target.fw", "target mychip on x86-64 { keys = [family] }\n"};
    const BookText uses{
        "uses.fw",
        "implementations dense(...) on mychip, family { a by generated.tiled when target has "
        "mychip && target has family }\n"
        "fuse f on mychip { match relu(tanh(x)) where target has family as stacked }\n"
        "schedule s for dense on mychip { epilogue.vectorize(n) }\n"
        "target next on mychip { requires tail.first(x) }\n"
        "pattern tail.first(x) = relu(tanh(x))\n"};
    for (const auto& texts : {std::vector<BookText>{target, uses}, {uses, target}}) {
        const Books books = readBooks(texts);
        QVERIFY2(books.diagnostics.empty(),
                 books.diagnostics.empty() ? "" : books.diagnostics[0].text().c_str());
    }
    QVERIFY(hasErrors(readBooks({uses}).diagnostics));
    const Books near = readBooks({target, {"b.fw", "fuse f on mychp { match relu(x) }"}});
    QVERIFY(firstError(near.diagnostics)->hint.find("mychip") != std::string::npos);
}

void TestTargets::whatStandsOnARefusedOneFalls() {
    const Books books = readBooks({{"mine.fw", "target a on x86-64 { threads = 0 }\n"
                                               "target b on a { }\n"
                                               "target c on b { }\n"
                                               "chain tail = tanhh(^)\n"
                                               "target d on x86-64 { requires relu(...) >> tail }\n"
                                               "target e on x86-64 { }\n"}});
    for (const char* name : {"a", "b", "c", "d"})
        QVERIFY2(!books.targets.contains(name), name);
    QVERIFY(books.targets.contains("e"));
    for (int line = 1; line <= 5; ++line)
        QVERIFY(
            std::any_of(books.diagnostics.begin(), books.diagnostics.end(), [&](const Diag& diag) {
                return diag.severity == Severity::Error && diag.where.line == line;
            }));
}

// Books that never end in what they stand on, and those that are full of targets.
void TestTargets::thereAreLimits() {
    std::string deep = "target t0 on x86-64 { }\n", many = deep;
    for (int i = 1; i <= 2000; ++i) {
        deep += fmt::format("target t{} on t{} {{ }}\n", i, i - 1);
        many += fmt::format("target t{} on x86-64 {{ }}\n", i);
    }
    const Books way = readBooks({{"deep.fw", deep}});
    QVERIFY(way.targets.contains("t50") && !way.targets.contains("t100"));
    QVERIFY(parseTarget("t50", declaredTargets(way)).ok());
    const Books full = readBooks({{"many.fw", many}});
    QCOMPARE(full.targets.size(), mostTargets);
    for (const Books* books : {&way, &full})
        QCOMPARE(firstError(books->diagnostics)->code, DiagCode::LimitReached);
}

void TestTargets::laterOnesTakeThePlace() {
    const Books books = readBooks({{"a.fw", "target t on x86-64 { threads = 1 }\n"},
                                   {"b.fw", "target t on x86-64-v2 { threads = 2 }\n"
                                            "target t on x86-64-v2 { threads = 0 }\n"}});
    QVERIFY(std::any_of(books.diagnostics.begin(), books.diagnostics.end(), [](const Diag& diag) {
        return diag.message == "target t takes the place of that in a.fw";
    }));
    QCOMPARE(parseTarget("t", declaredTargets(books)).take().threads, 2);
}

void TestTargets::theMostSpecificKeyWins() {
    const Books books = readBooks(
        {{"mine.fw", "target mychip on x86-64-v3 { keys = [family] }\n"
                     "implementations dense(...) on mychip { mine by generated.tiled priority 1 }\n"
                     "implementations dense(...) on family { mine priority 2 }\n"
                     "implementations dense(...) on x86-64-v3 { mine priority 3 }\n"
                     "implementations dense(...) on any { mine priority 4 }\n"}});
    QVERIFY(!hasErrors(books.diagnostics));
    const auto priority = [&](const char* text) {
        const Target target = parseTarget(text, declaredTargets(books)).take();
        for (const MergedEntry& entry :
             books.strategy.entries("dense", FusionKind::Contraction, targetKeys(target)))
            if (entry.name == "mine")
                return entry.priority;
        return 0;
    };
    QCOMPARE(priority("mychip"), 1);
    QCOMPARE(priority("x86-64 -mcpu=x86-64-v3"), 3);
    QCOMPARE(priority("x86-64 -mcpu=x86-64-v2"), 4);
}

FW_TEST(TestTargets, QCoreApplication)
#include "test_targets.moc"
