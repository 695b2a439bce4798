// Text as it is while somebody types: cut anywhere, deeply nested, on one endless line. Check,
// match and assist answer it, in time that grows with the text and not faster.
#include "book/book.h"
#include "common/test.h"
#include "session/asked.h"

#include <algorithm>
#include <ctime>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestHalfTyped : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void prefixesAreAnswered_data();
    void prefixesAreAnswered();
    void middlesAreAnswered();
    void hostileTextsAreAnswered_data();
    void hostileTextsAreAnswered();
    void endlessLinesAreRefused();
    void rulesThatNeverEndAreTold();
    void operatorsAreTriedOnce();

private:
    Asked m_asked;

    void answered(const std::string& text, const TextPlace& place) {
        Arguments arguments = on("lenet");
        arguments.rules = {"typed.fw"};
        arguments.texts = {{"typed.fw", text}};
        arguments.position = place;
        for (const char* command : {"check", "match", "assist"}) {
            const Result<std::string> answer = m_asked.ask(command, arguments);
            const std::string said = answer ? "" : command + (": " + answer.diag().text());
            QVERIFY2(answer.ok(), said.c_str());
        }
    }
};

namespace {

double seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

std::string repeated(const std::string& text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        out += text;
    return out;
}

TextPlace endOf(const std::string& text) {
    const auto lines = std::count(text.begin(), text.end(), '\n');
    const std::size_t last = text.rfind('\n');
    return {"typed.fw", static_cast<int>(lines) + 1,
            static_cast<int>(text.size() - (last == std::string::npos ? 0 : last + 1)) + 1};
}

// Between the places of a text that are tried: as many of a long one as of others, since each takes
// time that grows with what stands before it. FW_PREFIX_STEP=1 tries every place.
std::size_t stepOf(const std::string& text, std::size_t most, std::size_t least) {
    const int wanted = qEnvironmentVariableIntValue("FW_PREFIX_STEP");
    return wanted > 0 ? static_cast<std::size_t>(wanted) : std::max(least, text.size() / most | 1);
}

} // namespace

void TestHalfTyped::prefixesAreAnswered_data() {
    QTest::addColumn<int>("book");
    const std::vector<ShippedText> books = shippedTexts();
    for (std::size_t i = 0; i < books.size(); ++i)
        QTest::newRow(books[i].file.c_str()) << static_cast<int>(i);
}

void TestHalfTyped::prefixesAreAnswered() {
    QFETCH(int, book);
    const std::string text(shippedTexts()[static_cast<std::size_t>(book)].text);
    for (std::size_t size = 0; size <= text.size(); size += stepOf(text, 24, 127)) {
        const std::string typed = text.substr(0, size);
        answered(typed, endOf(typed));
    }
}

// A piece taken out, the caret in the gap.
void TestHalfTyped::middlesAreAnswered() {
    for (const ShippedText& book : shippedTexts()) {
        const std::string text(book.text);
        for (std::size_t place = 0; place + 37 < text.size(); place += stepOf(text, 8, 797)) {
            const std::string before = text.substr(0, place);
            answered(before + text.substr(place + 37), endOf(before));
        }
    }
}

void TestHalfTyped::hostileTextsAreAnswered_data() {
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<QByteArray>("piece");
    QTest::addColumn<QByteArray>("end");
    const auto row = [](const char* name, const char* begin, const char* piece,
                        const char* end = "") {
        QTest::newRow(name) << QByteArray(begin) << QByteArray(piece) << QByteArray(end);
    };
    row("open parentheses", "chain c = ", "(");
    row("open brackets", "op o(x: T[S...]) -> y: T[S...] { y[i...] = ", "[");
    row("open braces", "rule r ", "{");
    row("braces of attributes", "chain c = relu(^) ", "{");
    row("calls", "chain c = ", "relu(");
    row("calls that end", "chain c = ", "relu(^) >> ", "relu(^)");
    row("alternatives", "chain c = ", "relu(^) | ", "tanh(^)");
    row("optional steps", "chain c = ", "relu(^)? >> ", "relu(^)?");
    row("sums", "op o(x: T[S...]) -> y: T[S...] { y[i...] = ", "x[i...] + ", "1 }");
    row("signs", "op o(x: T[S...]) -> y: T[S...] { y[i...] = ", "-", "1 }");
    row("attributes", "chain c = conv2d(^, w) {", "groups = 1, ", "groups = 1}");
    row("operands", "chain c = concat(", "^, ", "^)");
    row("conditions", "rule r { match y = relu(x) where ", "used_once(x), ",
        "used_once(x) emit y = x }");
    row("conditions joined", "rule r { match y = relu(x) where ", "used_once(x) && ",
        "used_once(x) emit y = x }");
    row("rules", "", "rule r { match y = relu(x) emit y = x }\n");
    row("broken rules", "", "rule r { match y = relu(x\n");
    row("chains of chains", "", "chain c = c >> relu(^)\n");
    row("keys", "fuse f on ", "x86-64-", "v3 { match relu(x) as stacked }");
    row("words", "", "rule ");
    row("quotes", "rule r ", "\"");
    row("a long text", "rule r \"", "x", "\" { match y = relu(x) emit y = x }");
    row("a long name", "chain c = ", "x");
    row("a long number", "builtin ", "9");
    row("comments", "", "# \xc3\xa4\n");
    row("characters", "", "\xe2\x82\xac");
    row("bytes of no character", "", "\x80");
    row("empty lines", "", "\n");
}

void TestHalfTyped::hostileTextsAreAnswered() {
    QFETCH(QByteArray, begin);
    QFETCH(QByteArray, piece);
    QFETCH(QByteArray, end);
    double times[2] = {};
    for (const int i : {0, 1}) {
        const std::string text = begin.toStdString() +
                                 repeated(piece.toStdString(), i == 0 ? 5000 : 20000) +
                                 end.toStdString();
        const double start = seconds();
        answered(text, endOf(text));
        times[i] = seconds() - start;
    }
    qInfo("%.0f ms, four times as long %.0f ms", times[0] * 1e3, times[1] * 1e3);
    QVERIFY(times[1] < 8 * times[0] + 0.1);
}

void TestHalfTyped::endlessLinesAreRefused() {
    Arguments arguments = on("lenet");
    arguments.rules = {"typed.fw"};
    arguments.texts = {{"typed.fw", "rule r " + std::string(10u << 20, 'x')}};
    arguments.position = TextPlace{"typed.fw", 1, 9};
    for (const char* command : {"check", "match", "assist", "fuse"}) {
        const Result<std::string> answer = m_asked.ask(command, arguments);
        QVERIFY2(!answer.ok(), command);
        QCOMPARE(answer.diag().code, DiagCode::FileTooLarge);
        QVERIFY(!answer.diag().hint.empty());
    }
    // The longest line that a book may have.
    const std::string text = "rule r " + std::string(largestBook - 10, 'x');
    answered(text, endOf(text));
}

void TestHalfTyped::rulesThatNeverEndAreTold() {
    Arguments arguments = on("lenet");
    arguments.rules = {"typed.fw"};
    arguments.texts = {{"typed.fw", "rule grows { match y = relu(x) emit y = relu(relu(x)) }\n"}};
    const auto done = m_asked.get<RewriteDocument>("rewrite", arguments);
    QVERIFY2(done.stopReason.starts_with("limit"), done.stopReason.c_str());
    QVERIFY(done.stopReason.find("grows") != std::string::npos);
    QVERIFY(m_asked.ask("match", arguments).ok());
}

// Trying an operator costs more than reading it: those that did not change are not tried again.
void TestHalfTyped::operatorsAreTriedOnce() {
    Arguments arguments;
    arguments.rules = {"typed.fw"};
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "op tried" + std::to_string(i) +
                "(a: T[S...], b: T[S...]) -> y: T[S...] { y[i...] = max(a[i...], b[i...]) * " +
                std::to_string(i) + " }\n";
    const auto time = [&](const std::string& more) {
        arguments.texts = {{"typed.fw", text + more}};
        const double start = seconds();
        const auto check = m_asked.get<CheckDocument>("check", arguments);
        const double taken = seconds() - start;
        const auto sound = std::count_if(check.items.begin(), check.items.end(),
                                         [](const auto& item) { return stands(item); });
        return sound == 60 ? taken : 1e9;
    };
    const double first = time("");
    const double again = time("# another text\n");
    qInfo("%.1f ms, then %.1f ms", first * 1e3, again * 1e3);
    QVERIFY(again < 0.7 * first);
    // A change is tried: it reads outside its operand.
    arguments.texts = {{"typed.fw", text + "op wrong(a: T[N]) -> y: T[N] { y[n] = a[n + 1] }\n"}};
    QCOMPARE(m_asked.get<CheckDocument>("check", arguments).items.back().verdict,
             std::string("refused"));
}

FW_TEST(TestHalfTyped, QCoreApplication)
#include "test_half_typed.moc"
