// Books that are wrong in every way: each mistake is told with its line and column, all in one
// pass, and what stands beside it is used.
#include "base/files.h"
#include "book/book.h"
#include "common/test.h"
#include "common/thread_time.h"

using namespace fw;

class TestBadBooks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onePass();
    void eachHasItsPlace_data();
    void eachHasItsPlace();
    void notMoreThanAHundred();
    void endlessLines();
};

namespace {

const std::string sound = "rule sound {\n  match y = relu(relu(x))\n  emit y = relu(x)\n}\n";

bool isUsed(const Books& books, const std::string& rule) {
    return std::any_of(books.rules.entries.begin(), books.rules.entries.end(),
                       [&](const auto& entry) { return entry->name == rule; });
}

// "line:column" of what is told about a book.
QStringList placesIn(const Books& books, Severity severity) {
    QStringList out;
    for (const Diag& diag : books.diagnostics)
        if (diag.where.file == "mine.fw" && diag.severity == severity)
            out << QStringLiteral("%1:%2").arg(diag.where.line).arg(diag.where.column);
    return out;
}

QString told(const Books& books) {
    QString out;
    for (const Diag& diag : books.diagnostics)
        out += QString::fromStdString(diag.text()) + u'\n';
    return out;
}

} // namespace

void TestBadBooks::onePass() {
    const Books books = readBooks(
        {{"mine.fw", "rule unknown_op { match y = rellu(x) emit y = x }\n"
                     "rule unknown_attr { match y = softmax(x) {axes = 1} emit y = x }\n"
                     "rule unbound { match y = relu(x) emit y = relu(z) }\n" +
                         sound +
                         "rule cut { match y = relu(x emit y = x }\n"
                         "rule bytes { match y = relu(x) \xff\xfe emit y = x }\n"
                         "rule sound { match y = exp(exp(x)) emit y = exp(exp(exp(x))) }\n"
                         "rule open { match y = tanh(x) emit y = x\n"}});
    QStringList errors = placesIn(books, Severity::Error);
    errors.sort();
    QCOMPARE(errors,
             QStringList({QStringLiteral("12:1"), QStringLiteral("1:29"), QStringLiteral("2:43"),
                          QStringLiteral("3:48"), QStringLiteral("8:29"), QStringLiteral("9:32")}));
    // A rule that is declared again takes the place of the earlier one, and that is told.
    QCOMPARE(placesIn(books, Severity::Warning), QStringList(QStringLiteral("10:1")));
    QVERIFY(isUsed(books, "sound"));
    QVERIFY(!isUsed(books, "unbound") && !isUsed(books, "open"));
}

void TestBadBooks::eachHasItsPlace_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const std::string& text, const char* place,
                        const char* said) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(place)
                            << QString::fromLatin1(said);
    };
    row("a byte that is no character", "rule r { match y = relu(x\xc3\x28) emit y = x }", "5:26",
        "byte 0xc3");
    row("a character cut at the end", "rule q { match y = relu(x) emit y = x } \xe2\x82", "5:41",
        "byte 0xe2");
    row("a byte in quotes that is no character",
        "rule r \"a\xff b\" { match y = relu(x) emit y = x }", "5:10",
        "no character of UTF-8, which is written \\xff");
    row("a byte in a comment that is no character",
        "rule r { # d\xc3\xa9j\xe0\n match y = relu(x) emit y = x }", "5:15",
        "a byte in a comment that is no character of UTF-8");
    row("an escape without digits", "rule r \"a\\x4\" { match y = relu(x) emit y = x }", "5:10",
        "\\x without two hexadecimal digits");
    row("out on a right side", "rule r { match y = split(x) emit y = out(1, split(x)) }", "5:38",
        "let (a, b) = split(x)");
    row("an index before the first",
        "rule r { match y = transpose(x) {perm = p} emit y = transpose(x) {perm = p[-1]} }", "5:76",
        "an index counts from 0");
    row("a zero byte", std::string("rule r { match y = relu(\0x) emit y = x }", 40), "5:25",
        "byte 0x00");
    row("a brace that is open at the end", "rule r {\n  match y = relu(x)\n  emit y = x\n", "9:1",
        "expose or }");
    row("a parenthesis that is open at the end", "chain c = relu(^", "6:1", "the end of the text");
    row("a brace too many", "rule q { match y = relu(x) emit y = x } }", "5:41", "found '}'");
    row("nested parentheses in a pattern",
        "chain c = " + std::string(10000, '(') + "relu(^)" + std::string(10000, ')'),
        "5:", "nested too deeply");
    row("nested parentheses in a condition",
        "rule r { match y = relu(x) where " + std::string(10000, '(') + "rank(x)" +
            std::string(10000, ')') + " == 2 emit y = x }",
        "5:", "nested too deeply");
    row(
        "nested calls on the right",
        [] {
            std::string text = "rule r { match y = relu(x) emit y = ";
            for (int i = 0; i < 10000; ++i)
                text += "relu(";
            return text + "x" + std::string(10000, ')') + " }";
        }(),
        "5:", "nested too deeply");
    row("a step that is anything at all", "rule r { match y = relu(x) >> any* emit y = x }", "5:31",
        "this step does not read ^");
    row("an attribute without the word", "op o (x: T[K], s: float) -> y: T[K] { y[k] = x[k] * s }",
        "5:19", "attr s: float");
    row("a result without an element", "op o (x: T[K]) -> y: T[K] { y = x * x }", "5:31",
        "y[i] = ...");
    row("two conditions of an entry",
        "implementations dense(...) on any { generated.tiled when N > 4 when K > 3 }", "5:64",
        "join them with &&");
    row("a reduction without what runs", "op o (x: T[K]) -> y: T[K] { y[k] = x[k] + sum(x[k]) }",
        "5:43", "sum(k in K : x[k])");
    row("a result that is dropped", "rule r {\n  match y = relu(x), z = tanh(x)\n  emit y = x\n}",
        "5:6", "the same number of values");
    row("an operator that is not known", "rule r { match y = relu(x) emit y = rellu(x) }", "5:37",
        "there is no operator named rellu");
    row("an attribute that is not known",
        "rule r { match y = softmax(x) emit y = softmax(x) {axes = 1} }", "5:52",
        "softmax has no attribute axes");
    row("two priorities",
        "implementations dense(...) on any { generated.tiled priority 9 priority 8 }", "5:64",
        "priority stands once");
    row("two codes of an entry",
        "implementations dense(...) on any { a by generated.tiled by generated.plain }", "5:58",
        "by stands once");
    row("two clauses absorbs",
        "implementations dense(...) on any { generated.tiled absorbs none absorbs any }", "5:66",
        "absorbs stands once");
    row("two computations",
        "implementations sub(...) on any { a compute add(a, neg(b)) compute b }", "5:60",
        "compute stands once");
    row("two strategies",
        "rule r { match y = relu(relu(x)) emit y = x strategy once strategy sweep }", "5:59",
        "strategy stands once");
    row("two stages",
        "rule r { match y = relu(relu(x)) emit y = x stage simplify stage before fusion }", "5:60",
        "stage stands once");
    row("duplicate twice", "rule r { match y = relu(relu(x)) duplicate emit y = x duplicate }",
        "5:55", "duplicate stands once");
    row("a part that is exposed twice",
        "rule r { match y = relu(c = relu(x)) expose c, c emit y = c, c = relu(x) }", "5:48",
        "c is exposed already");
    row("a part that a fusion rule exposes twice",
        "fuse f { match relu(c = relu(x)) expose c expose c }", "5:50", "c is exposed already");
    row("as twice", "fuse f { match relu(relu(x)) as stacked as stacked }", "5:41",
        "as stands once");
    row("two limits", "grow contraction -> elementwise forward limit 4 limit 5", "5:49",
        "limit stands once");
    row("two numbers of operands", "grow contraction -> elementwise forward operands 4 operands 5",
        "5:52", "operands stands once");
    row("an operator twice in a pin", "pin { apart a, b, a }", "5:7", "a is named twice");
    row("keys twice", "target t on x86-64 { keys = [a] keys = [b] }", "5:33", "keys stands once");
    row("a list that is too long in a pattern",
        "rule r { match y = relu(conv2d(x, w) {strides = [1, 2, 3]}) emit y = x }", "5:39",
        "strides of conv2d has 2 elements, not 3");
    row("names in a list that is too long",
        "rule r { match y = relu(conv2d(x, w) {strides = [s, t, u]}) emit y = x }", "5:39",
        "strides of conv2d has 2 elements, not 3");
    row("a list that is too short among several",
        "rule r { match y = relu(conv2d(x, w) {pads in {[0, 0, 0, 0], [1, 1]}}) emit y = x }",
        "5:39", "pads of conv2d has 4 elements, not 2");
    row("a list that is too long on the right",
        "rule r { match y = relu(conv2d(x, w)) emit y = conv2d(x, w) {strides = [1, 2, 3]} }",
        "5:62", "strides of conv2d has 2 elements, not 3");
    row("a list that is too short in a fusion rule",
        "fuse f { match conv2d(x, w) {strides = [1]} >> relu(^) }", "5:30",
        "strides of conv2d has 2 elements, not 1");
    row("a number for a truth in a pattern",
        "rule r { match y = cumsum(x) {exclusive = 5} >> relu(^) emit y = x }", "5:31",
        "exclusive of cumsum is true or false, not 5");
    row("an operand too many in a block",
        "implementations relu(x: T[N], y: T[N]) on any { generated.map }", "5:31",
        "relu has 1 operand, not 2");
    row("an attribute twice in a pattern",
        "rule r { match y = softmax(x) {axis = 1, axis = 2} emit y = x }", "5:42",
        "the attribute axis is written twice");
    row("an attribute twice on the right",
        "rule r { match y = softmax(relu(x)) emit y = softmax(x) {axis = 1, axis = 2} }", "5:68",
        "the attribute axis is written twice");
    row("a range without values", "rule r { match y = softmax(x) {axis in 3..1} emit y = x }",
        "5:32", "the range of axis is empty");
    row("a set without values", "rule r { match y = softmax(x) {axis in {}} emit y = x }", "5:32",
        "axis is one of no values");
    row("the name of a node twice",
        "graph g(x: f32[2]) -> y { y = relu(x) @node(\"a\") @node(\"b\") }", "5:50",
        "@node stands once");
    row("the origins of a node twice", "graph g(x: f32[2]) -> y { y = relu(x) @from(1) @from(2) }",
        "5:48", "@from stands once");
    row("a constant that its type does not hold",
        "graph g(x: f32[2]) -> k { k = const [1, 1e39] : f32[2] }", "5:41",
        "larger than every f32");
    row("a constant that half precision does not hold",
        "graph g(x: f32[2]) -> k { k = const [70000.0] : f16[1] }", "5:38",
        "larger than every f16");
    row("an operator that is called a truth", "op true(x: T[N]) -> y: T[N] { y[n] = x[n] }", "5:4",
        "found true, which is a value");
    row("a rule that is called a truth", "rule false { match y = relu(x) emit y = x }", "5:6",
        "found false, which is a value");
    row("a knob that is set twice", "pin { use generated.tiled(rows = 4, rows = 8) for d }", "5:37",
        "the knob rows is set twice");
    row("a name that is not bound", "rule r { match y = relu(x) emit y = add(x, z) }", "5:44",
        "z is bound neither by match nor by let");
    row("an operand of text", "op s (x: T[A], z: text[]) -> y: T[A] { y[a] = x[a] }", "5:19",
        "compute no text");
    row("an element type that is text by default",
        "op t (x: T[A], attr to: dtype = text) -> y: to[A] { y[a] = cast(x[a], to) }", "5:33",
        "the default of to is text");
    row("a sum as long as an index", "op a (x: T[A]) -> y: T[A] { y[a] = sum(k in a : x[k]) }",
        "5:45", "select() what counts");
    row("a name that is not bound in an attribute",
        "rule r { match y = softmax(x) emit y = softmax(x) {axis = q} }", "5:59",
        "nothing is named q here");
}

void TestBadBooks::eachHasItsPlace() {
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    QFETCH(QString, said);
    const Books books =
        readBooks({{"mine.fw", sound + text.toStdString() + "\n"},
                   {"other.fw", "rule other { match y = exp(log(x)) emit y = x }\n"}});
    const QStringList places = placesIn(books, Severity::Error);
    QVERIFY2(places.size() == 1, qPrintable(told(books)));
    QVERIFY2(place.endsWith(u':') ? places[0].startsWith(place) : places[0] == place,
             qPrintable(told(books)));
    QVERIFY2(told(books).contains(said), qPrintable(told(books)));
    QVERIFY(isUsed(books, "sound") && isUsed(books, "other") && !isUsed(books, "r"));
}

void TestBadBooks::notMoreThanAHundred() {
    std::string text = sound;
    for (int i = 0; i < 1000; ++i)
        text += "rule r" + std::to_string(i) + " { match }\n";
    const Books books = readBooks({{"mine.fw", text}});
    QCOMPARE(placesIn(books, Severity::Error).size(), 100);
    QVERIFY(isUsed(books, "sound"));
}

// 10 MB are more than a book may have, so what reads files refuses them; the parser alone takes
// them in time that grows with the text.
void TestBadBooks::endlessLines() {
    std::string line = "rule r { match y = relu(x) where ";
    while (line.size() < 10u << 20)
        line += "rank(x) == 2 && ";
    const double begin = fw::test::threadSeconds();
    const FileTree tree = parseFile(line, "mine.fw");
    QCOMPARE(tree.errors.size(), std::size_t(1));
    QCOMPARE(tree.errors[0].where.line, 1);
    QVERIFY(fw::test::threadSeconds() - begin < 20);
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("long.fw")).toStdString();
    QVERIFY(writeFile(file, line).ok());
    const Result<Books> books = loadBooks({file});
    QVERIFY(!books.ok());
    QVERIFY2(books.diag().text().find("long.fw") != std::string::npos, books.diag().text().c_str());
}

FW_TEST(TestBadBooks, QCoreApplication)
#include "test_bad_books.moc"
