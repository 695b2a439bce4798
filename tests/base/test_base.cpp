// Codes are unique, numbers print without a locale, symbols compare by name.
#include "base/beginning.h"
#include "base/decision.h"
#include "base/hash.h"
#include "base/memo.h"
#include "base/numbers.h"
#include "base/result.h"
#include "base/symbol.h"
#include "base/system_limit.h"
#include "common/test.h"

#include <cerrno>
#include <new>
#include <set>
#include <system_error>

using namespace fw;

class TestBase : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void codesAreUnique();
    void diagNamesItsPlace();
    void decisionFillsTheSentence();
    void numbersRoundTrip();
    void floorDivisionRoundsDown();
    void symbolsOrderByName();
    void longTextsAreTold();
    void systemLimitsAreTold();
    void memosForgetWhatNoRoundAskedFor();
};

void TestBase::codesAreUnique() {
    std::set<std::string_view> seen;
#define FW_X(name, text, ...) QVERIFY2(seen.insert(text).second, text);
    FW_DIAG_CODES(FW_X)
    FW_SYSTEM_CODES(FW_X)
    FW_REASON_CODES(FW_X)
#undef FW_X
}

void TestBase::diagNamesItsPlace() {
    Diag diag = makeDiag(DiagCode::ShapeMismatch, "K is 768 from x but 512 from w");
    diag.at({"model.onnx", "dense_1"}).at({"other.onnx", "late"}).advise("check the weights");
    QCOMPARE(diag.text(),
             std::string("model.onnx: node dense_1: error SHP01: K is 768 from x but 512 "
                         "from w (check the weights)"));
    QCOMPARE(exitCode(diag.code), 2);
}

void TestBase::decisionFillsTheSentence() {
    const Decision decision{"conv -> relu", Verdict::No, ReasonCode::ValueEscapes, "add_3"};
    QCOMPARE(decision.sentence(), std::string("the value is used outside the group: add_3"));
}

void TestBase::longTextsAreTold() {
    QCOMPARE(beginningOf("short"), std::string("short"));
    QCOMPARE(beginningOf("abcdef", 3), std::string("abc... (6 bytes)"));
    QCOMPARE(beginningOf("ab\u00e9d", 3), std::string("ab... (5 bytes)"));
}

void TestBase::numbersRoundTrip() {
    for (double value : {0.0, -1.5, 0.1, 1e-300, 3.0e38})
        QCOMPARE(parseNumber(numberText(value)), std::optional(value));
    QCOMPARE(numberText(-HUGE_VAL), std::string("-inf"));
    QVERIFY(!parseInteger("12x"));
    QVERIFY(!checkedMul(INT64_MAX, 2));
}

void TestBase::floorDivisionRoundsDown() {
    QCOMPARE(floorDiv(-1, 4), -1);
    QCOMPARE(floorMod(-1, 4), 3);
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    QCOMPARE(floorMod(7, least), least + 7); // the multiple below 7 is no number
    QCOMPARE(floorMod(least, 3), 1);
    QCOMPARE(floorDiv(7, -2), -4);
}

void TestBase::symbolsOrderByName() {
    const Symbol late("zebra"), early("ant");
    QVERIFY(early < late);
    QCOMPARE(Symbol("zebra"), late);
    QVERIFY(Symbol().empty());
}

// Nobody's mistake: told as what the machine refuses.
void TestBase::systemLimitsAreTold() {
    QCOMPARE(exitCode(systemLimit), 3);
    QCOMPARE(codeText(systemLimit), std::string_view("SYS01"));
    QCOMPARE(systemLimitOf(std::bad_alloc())->code, systemLimit);
    const std::system_error thread(std::make_error_code(std::errc::resource_unavailable_try_again));
    QCOMPARE(systemLimitOf(thread)->code, systemLimit);
    const std::system_error other(std::make_error_code(std::errc::permission_denied));
    QVERIFY(!systemLimitOf(other));
    QVERIFY(!systemLimitOf(std::runtime_error("x")));
    QVERIFY(systemLimitDiag("pipe", EMFILE).text().find("ulimit -n") != std::string::npos);
    const auto said =
        systemLimitIn("ld: cannot find -lm: Too many open files", "cc could not link");
    QVERIFY(said && said->code == systemLimit);
    QCOMPARE(said->message, std::string("cc could not link: Too many open files"));
    QVERIFY(!systemLimitIn("ld: undefined reference to `f'", "cc could not link"));
}

void TestBase::memosForgetWhatNoRoundAskedFor() {
    Memo<std::string, int> memo;
    const auto square = [&](const std::string& key, int of) {
        return *memo.answer(key, [&] { return of * of; });
    };
    QCOMPARE(square("three", 3), 9);
    QCOMPARE(square("three", 4), 9); // it is known
    QCOMPARE(*memo.add("three", 5), 9);
    QCOMPARE(square("four", 4), 16);
    QCOMPARE(memo.made(), std::size_t(3));
    memo.beginRound(3);
    const auto held = memo.find("four");
    memo.beginRound(2);
    QVERIFY(memo.find("three") == nullptr);
    QVERIFY(memo.find("four") == held);
    memo.beginRound(2); // fewer: nothing is forgotten
    memo.beginRound(2);
    QVERIFY(memo.find("four") == held);
}

FW_TEST(TestBase, QCoreApplication)
#include "test_base.moc"
