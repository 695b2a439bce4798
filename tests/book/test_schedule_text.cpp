// Schedules as text: what is wrong with one is told with its place, and the rest of the book
// counts.
#include "book/book.h"
#include "common/test.h"
#include "strategy/entries_without_code.h"
#include "strategy/selection.h"

using namespace fw;

namespace {

const char* const good = "schedule good for conv2d { epilogue.vectorize(ow) }\n";

// Those that no shipped book declares.
std::vector<WrittenSchedule> ownSchedules(const Books& books) {
    std::vector<WrittenSchedule> out = books.strategy.schedules();
    std::erase_if(out, [](const WrittenSchedule& one) { return one.file == "strategy.fw"; });
    return out;
}

} // namespace

class TestScheduleText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mistakesHaveTheirPlace_data();
    void mistakesHaveTheirPlace();
    void entriesNameSchedulesThatAreThere_data();
    void entriesNameSchedulesThatAreThere();
    void aScheduleWithoutTheWord();
    void laterOnesTakeThePlace();
    void oneForACallStandsBeforeShippedOnes();
};

void TestScheduleText::mistakesHaveTheirPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* name, const char* text, const char* code, int column,
                        const char* hint = "") {
        QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(code) << column
                            << QString::fromUtf8(hint);
    };
    row("no stage", "schedule s { vectorize(a) }", "TXT01", 14);
    row("step", "schedule s { y.vectorise(a) }", "TXT02", 16, "vectorize");
    row("step of a second stage", "schedule s { y.1.unrol(a) }", "TXT02", 18, "unroll");
    row("operands", "schedule s { y.split(a, b, 4, guard) }", "TXT01", 14);
    row("tail", "schedule s { y.split(a, b, c, 4, both) }", "TXT01", 34, "split(");
    row("number for a name", "schedule s { y.unroll(4) }", "TXT01", 23);
    row("grain", "schedule s { y.parallel(a) }", "TXT01", 14);
    row("text for a number", "schedule s { y.split(a, b, c, \"4\", peel) }", "TXT01", 31);
    row("fraction", "schedule s { y.split(a, b, c, 2.5, peel) }", "TXT01", 31);
    row("number without name", "schedule s { y.split(a, b, c, lane, peel) }", "TXT02", 31, "lanes");
    row("zero", "schedule s { y.split(a, b, c, 4 - 4, peel) }", "RUL01", 31);
    row("division", "schedule s { y.split(a, b, c, 4 / 0, peel) }", "TXT01", 31);
    row("overflow", "schedule s { y.split(a, b, c, 9000000000000000000 * 2, peel) }", "TXT01", 31);
    row("axis of a layout", "schedule s { w.layout(o) }", "TXT01", 23);
    row("taken", "schedule s { y.split(a, b, b, 4, peel) }", "RUL01", 28);
    row("gone", "schedule s { y.split(a, b, c, 4, peel) y.unroll(a) }", "RUL01", 49);
    row("knob out of range", "schedule s { knob k in 1..4 = 5 }", "RUL01", 19);
    row("knob not in its set", "schedule s { knob k in {8, 16} = 4 }", "RUL01", 19);
    row("empty range", "schedule s { knob k in 4..1 = 1 }", "RUL01", 19);
    row("knob below 1", "schedule s { knob k in 0..4 = 1 }", "RUL01", 19);
    row("knob of a known name", "schedule s { knob lanes in 1..4 = 1 }", "RUL01", 19);
    row("operator", "schedule s for conv2e { anchor.unroll(c) }", "OPR01", 16, "conv2d");
    row("kind", "schedule s for kind contractions { anchor.unroll(reduce) }", "TXT02", 21,
        "contraction");
    row("key", "schedule s for conv2d on x86-65 { anchor.unroll(c) }", "TXT02", 26);
    row("axis", "schedule s for conv2d { epilogue.vectorize(oww) }", "TXT02", 44, "ow");
    row("operand", "schedule s for conv2d { v.layout(d0 d1 d2 d3) anchor.at(epilogue) }", "TXT02",
        25);
    row("role", "schedule s for conv2d { anker.unroll(c) epilogue.unroll(ow) }", "TXT02", 25,
        "anchor");
    row("each beside others", "schedule s { each.parallel(outermost) anchor.unroll(c) }", "RUL01",
        39);
    row("an axis of each", "schedule s for conv2d { each.unroll(ow) }", "TXT02", 37, "outermost");
    row("a word of each", "schedule s { each.unroll(outermos) }", "TXT02", 26, "outermost");
    row("sums of each", "schedule s { each.accumulate(space) }", "RUL01", 14);
    row("stage of at", "schedule s for conv2d { anchor.at(out0, ow) }", "TXT02", 35);
    row("inlining by roles", "schedule s for conv2d { anchor.inline() }", "RUL01", 25);
    row("spelled out for all", "schedule s for conv2d { out0.unroll(ow) }", "RUL01", 16);
    row("unclosed", "schedule s { y.unroll(a", "TXT01", 1);
}

void TestScheduleText::mistakesHaveTheirPlace() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(int, column);
    QFETCH(QString, hint);
    const Books books = readBooks({{"my.fw", text.toStdString() + "\n" + good}});
    QVERIFY(!books.diagnostics.empty());
    const Diag& first = books.diagnostics.front();
    QVERIFY2(codeText(first.code) == code.toStdString(), first.text().c_str());
    QVERIFY2(first.where.column == column, first.text().c_str());
    QVERIFY2(first.hint.find(hint.toStdString()) != std::string::npos, first.text().c_str());
    QCOMPARE(first.where.line, text == QStringLiteral("schedule s { y.unroll(a") ? 2 : 1);
    QCOMPARE(ownSchedules(books).size(), std::size_t(1));
    QCOMPARE(ownSchedules(books).front().tree->name, std::string("good"));
}

void TestScheduleText::entriesNameSchedulesThatAreThere_data() {
    QTest::addColumn<QString>("entry");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* entry, const char* message) {
        QTest::newRow(entry) << QString::fromUtf8(entry) << QString::fromUtf8(message);
    };
    row("conv2d(...) on any { a by schedule goood }", "there is no schedule goood");
    row("conv2d(...) on any { a by schedule bad }", "bad is refused");
    row("dense(...) on any { a by schedule good }", "is for conv2d, not for dense");
    row("dense(...) on any { a by schedule free }", "does not fit dense");
    row("kind reduction on any { a by schedule maps }", "is for kind elementwise");
}

void TestScheduleText::entriesNameSchedulesThatAreThere() {
    QFETCH(QString, entry);
    QFETCH(QString, message);
    const std::string text = std::string(good) +
                             "schedule bad for conv2d { epilogue.vectorize(nobody) }\n"
                             "schedule free { epilogue.vectorize(ow) }\n"
                             "schedule maps for kind elementwise { epilogue.unroll(space) }\n"
                             "implementations conv2d(...) on any { fine by schedule free }\n"
                             "implementations " +
                             entry.toStdString() + "\n";
    const Books books = readBooks({{"my.fw", text}});
    std::vector<Diag> errors;
    for (const Diag& diag : books.diagnostics)
        if (diag.severity == Severity::Error && diag.where.line == 6)
            errors.push_back(diag);
    QCOMPARE(errors.size(), std::size_t(1));
    QVERIFY2(errors[0].message.find(message.toStdString()) != std::string::npos,
             errors[0].text().c_str());
    QCOMPARE(errors[0].where.column, entry.indexOf(QStringLiteral("schedule ")) + 16 + 9 + 1);
    const auto entries = books.strategy.entries("conv2d", FusionKind::Contraction, {"any"});
    QVERIFY(std::any_of(entries.begin(), entries.end(), [](const MergedEntry& one) {
        return one.name == "fine" && one.code == "schedule.free";
    }));
}

void TestScheduleText::aScheduleWithoutTheWord() {
    const Books books = readBooks(
        {{"my.fw", std::string(good) + "implementations conv2d(...) on any { mine by good }\n"}});
    const Diags told = entriesWithoutCode(catalogOf({}, books.strategy));
    QVERIFY(std::any_of(told.begin(), told.end(), [](const Diag& diag) {
        return diag.where.file == "my.fw" && diag.where.line == 2 &&
               diag.hint == "a schedule of this name is `by schedule good`";
    }));
}

void TestScheduleText::laterOnesTakeThePlace() {
    const Books books =
        readBooks({{"a.fw", "schedule s for conv2d { epilogue.vectorize(ow) }\n"},
                   {"b.fw", "schedule s { epilogue.vectorize(oh) }\n"
                            "implementations conv2d(...) on any { mine by schedule s }\n"}});
    QCOMPARE(ownSchedules(books).size(), std::size_t(1));
    QCOMPARE(ownSchedules(books).front().file, std::string("b.fw"));
    for (const MergedEntry& entry :
         books.strategy.entries("conv2d", FusionKind::Contraction, {"any"}))
        QVERIFY(entry.name != "schedule.s");
    QVERIFY(std::any_of(books.diagnostics.begin(), books.diagnostics.end(), [](const Diag& diag) {
        return diag.severity == Severity::Warning &&
               diag.message == "schedule s takes the place of that in a.fw";
    }));
}

void TestScheduleText::oneForACallStandsBeforeShippedOnes() {
    const Books books =
        readBooks({{"my.fw", "schedule s for kind contraction on x86-64 { epilogue.unroll(space) "
                             "}\n"}});
    const auto entries =
        books.strategy.entries("dense", FusionKind::Contraction, {"x86-64-v3", "x86-64", "any"});
    const auto placeOf = [&](const char* name) {
        return std::find_if(entries.begin(), entries.end(),
                            [&](const MergedEntry& one) { return one.name == name; }) -
               entries.begin();
    };
    QVERIFY(placeOf("schedule.s") < placeOf("generated.tiled"));
    QCOMPARE(entries[static_cast<std::size_t>(placeOf("schedule.s"))].priority, 10);
    QCOMPARE(entries[static_cast<std::size_t>(placeOf("schedule.s"))].places,
             std::string("my.fw:1"));
}

FW_TEST(TestScheduleText, QCoreApplication)
#include "test_schedule_text.moc"
