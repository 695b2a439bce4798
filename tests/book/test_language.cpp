// What people write who know other languages: booleans, names of element types, numbers that are
// written as integers, graphs with several mistakes. Each is understood, or told with its place and
// with what to write.
#include "book/book.h"
#include "book/include.h"
#include "common/test.h"

using namespace fw;
using namespace Qt::StringLiterals;

class TestLanguage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void casesSayThis_data();
    void casesSayThis();
    void booleansAreNumbers();
    void booleansAreNoNames_data();
    void booleansAreNoNames();
    void realsAreOneValue();
    void numbersHaveExtrema();
    void mistakesAreTold_data();
    void mistakesAreTold();
    void rightSpellingsAreTaken_data();
    void rightSpellingsAreTaken();
    void graphsTellEverything();
    void testGraphsTellEverything();
    void errorsBehindIncludesAreKnown();
};

namespace {

// Every error of a book, and of its tests, in the order of the text.
QStringList errorsOf(const Books& books, const std::string& file) {
    QStringList out;
    const CheckedBook checked = checkBook(books, file).value();
    const auto add = [&](const Diags& diags) {
        for (const Diag& diag : diags)
            if (diag.severity == Severity::Error)
                out << QString::fromStdString(diag.text())
                           .section(u": "_s, 0)
                           .mid(QString::fromStdString(file).size() + 1);
    };
    add(checked.diagnostics);
    for (const CheckedItem& item : checked.items)
        add(item.diagnostics);
    return out;
}

QStringList errorsOf(const std::string& text) {
    return errorsOf(readBooks({{"b.fw", text}}), "b.fw");
}

std::string caseFile(const QString& name) {
    return FW_SOURCE_DIR "/tests/book/language/" + name.toStdString() + ".fw";
}

} // namespace

void TestLanguage::casesSayThis_data() {
    QTest::addColumn<QStringList>("errors");
    const auto row = [](const char* name, const QStringList& errors) {
        QTest::newRow(name) << errors;
    };
    row("true_is_a_capture", {});
    row("number_max", {});
    row("max_of_numbers", {});
    row("clips", {});
    row("real_attr",
        {u"7:1: error TXT02: there is no rule, pattern, chain or built-in rewrite named "
         "cse2 (test \"...\" of NAME { ... })"_s});
    row("model_file_ignores_blocks", {});
    row("float32_is_a_type_variable",
        {u"1:9: error TXT02: f: there is no element type float32 (write f32)"_s,
         u"1:27: error TXT02: f: there is no element type float32 (write f32)"_s,
         u"2:20: error TXT02: g: there is no element type int32 (write i32)"_s});
    row("check_passes_wrong_graph",
        {u"1:48: error TXT02: there is no value \"w\""_s,
         u"1:55: error OPR03: conv2d has 2 operands, not 1 "_s,
         u"1:69: error OPR01: there is no operator named rellu (did you mean relu?)"_s});
    row("number_as_operand", {});
}

void TestLanguage::casesSayThis() {
    QFETCH(QStringList, errors);
    const std::string file = caseFile(QString::fromLatin1(QTest::currentDataTag()));
    const QStringList told = errorsOf(loadBooks({file}).value(), file);
    QVERIFY2(told.size() == errors.size(), qPrintable(told.join(u'\n')));
    for (qsizetype i = 0; i < told.size(); ++i)
        QVERIFY2(told[i].startsWith(errors[i]), qPrintable(told[i] + u'\n' + errors[i]));
}

void TestLanguage::booleansAreNumbers() {
    const std::string graph =
        "graph g(x: f32[4]) -> y, z { y = cumsum(x) {exclusive = true}  z = cumsum(x) }";
    const QStringList errors = errorsOf(
        "pattern yes(x) = cumsum(x) {exclusive = true}\n"
        "test \"true\" { " +
        graph +
        " expect match 1 }\n"
        "pattern one(x) = cumsum(x) {exclusive = 1}\n"
        "test \"1\" { " +
        graph +
        " expect match 1 }\n"
        "pattern no(x) = cumsum(x) {exclusive = false, reverse = false}\n"
        "test \"false\" { " +
        graph +
        " expect match 1 }\n"
        "pattern either(x) = cumsum(x) {exclusive in {true, false}}\n"
        "test \"either\" { " +
        graph +
        " expect match 2 }\n"
        "rule on { match y = cumsum(x) {exclusive = e} where e == true emit y = cumsum(x) }\n"
        "test \"a condition\" { " +
        graph +
        " expect match 1 expect becomes graph g(x: f32[4]) -> "
        "y, z { y = cumsum(x)  z = cumsum(x) } }\n"
        "rule turn { match y = cumsum(x) {exclusive = false} emit y = cumsum(x) {exclusive = true} "
        "}\n"
        "test \"a right side\" { graph g(x: f32[4]) -> y { y = cumsum(x) } expect match 1 }\n"
        "pattern of_bools(x) = and(x, const true)\n"
        "test \"a constant\" { graph g(x: bool[2]) -> y { c = const [true, 1] : bool[2]  "
        "y = and(x, c) } expect match 1 }\n"
        "op flip(x: T[N], attr off: bool = false) requires off == false -> y: T[N] { y[n] = "
        "select(off, x[n], x[n] * 2) }\n"
        "implementations cumsum(...) on any { mine by generated.plain when exclusive == true }\n");
    // A right side that changes values is refuted by the graphs' values, not by the language.
    QVERIFY2(errors.size() <= 1, qPrintable(errors.join(u'\n')));
    for (const QString& error : errors)
        QVERIFY2(error.contains(u"changes what the graph computes"_s), qPrintable(error));
}

void TestLanguage::booleansAreNoNames_data() {
    QTest::addColumn<QString>("said");
    const auto row = [](const char* text, const char* said) {
        QTest::newRow(text) << QString::fromUtf8(said);
    };
    row("rule r { match y = relu(True) emit y = x }",
        "1:25: error TXT01: True is a number, not the name of a value (a constant of one value is "
        "written const true)");
    row("rule r { match y = relu(true) emit y = true }",
        "1:40: error RUL01: a number needs an operand beside it");
    row("pattern p(false) = relu(false)", "1:11: error TXT01: a capture expected, found false");
    row("rule r { match true = relu(x) emit true = x }", "found true, which is a value");
    row("rule r { match y = relu(true = tanh(x)) emit y = x }", "true is a number");
    row("rule r { match y = relu(x) let true = x emit y = true }", "found true, which is a value");
    row("op f(true: T[N]) -> y: T[N] { y[n] = true[n] }", "found true, which is a value");
    row("op f(x: T[N], attr false: int) -> y: T[N] { y[n] = x[n] }", "found false");
    row("graph g(true: f32[4]) -> y { y = relu(true) }", "found true, which is a value");
    row("graph g(x: f32[4]) -> y { false = relu(x)  y = relu(false) }", "found false");
    row("pattern p(x) = cumsum(x) {exclusive = True}", "True is a name here (write true)");
    row("rule r { match y = cumsum(x) emit y = cumsum(x) {exclusive = False} }", "(write false)");
    row("graph g(x: f32[4]) -> y { y = cumsum(x) {exclusive = TRUE} }", "(write true)");
}

void TestLanguage::booleansAreNoNames() {
    QFETCH(QString, said);
    const QStringList errors = errorsOf(QTest::currentDataTag());
    QVERIFY2(errors.size() == 1 && errors[0].contains(said), qPrintable(errors.join(u'\n')));
}

void TestLanguage::realsAreOneValue() {
    QCOMPARE(
        errorsOf("rule one { match y = clip(relu(x)) {min = 0, max} emit y = clip(x) {min = 0.0, "
                 "max = max} }\n"
                 "test \"written as integers\" { graph g(x: f32[4]) -> y { r = relu(x)  y = "
                 "clip(r) {min = 0, max = 6} }\n"
                 "  expect match 1  expect becomes graph g(x: f32[4]) -> y { y = clip(x) {min "
                 "= 0, max = 6.0} } }\n"
                 "pattern same(x) = add(clip(x) {*a}, clip(x) {*a})\n"
                 "test \"all attributes\" { graph g(x: f32[4]) -> y { p = clip(x) {min = 1}  q = "
                 "clip(x) {min = 1.0}  y = add(p, q) } expect match 1 }\n"
                 "builtin cse\n"
                 "test \"cse\" { graph g(x: f32[4]) -> y { p = clip(x) {min = 1}  q = clip(x) "
                 "{min = 1.0}  y = add(p, q) } expect match 1 }\n"
                 "rule product { match y = leaky_relu(leaky_relu(x) {alpha = a}) {alpha = b} "
                 "where a > 0, b > 0 emit y = leaky_relu(x) {alpha = a * b} }\n"
                 "test \"as f32\" { graph g(x: f32[4]) -> y { h = leaky_relu(x) {alpha = 0.1}  y "
                 "= leaky_relu(h) {alpha = 0.2} }\n"
                 "  expect becomes graph g(x: f32[4]) -> y { y = leaky_relu(x) {alpha = 0.02} "
                 "} }\n"),
        QStringList());
}

void TestLanguage::numbersHaveExtrema() {
    const std::string two = "graph g(x: f32[4]) -> y { h = clip(x) {min = -2, max = 1.5}  y = "
                            "clip(h) {min = -1, max = 3} }";
    QCOMPARE(
        errorsOf("rule inner { match y = clip(clip(x) {min = a, max = b}) {min = c, max = d} "
                 "where max(a, c) <= min(b, d), max(a, -5) == a emit y = clip(x) {min = "
                 "max(a, c), max = min(b, d)} }\n"
                 "test \"of reals\" { " +
                 two +
                 " expect match 1 expect becomes graph g(x: "
                 "f32[4]) -> y { y = clip(x) {min = -1, max = 1.5} } }\n"
                 "rule mixed { match y = leaky_relu(x) {alpha = a} where a < 0.25, a > 0 emit "
                 "y = leaky_relu(x) {alpha = max(a, 1)} }\n"
                 "pattern lists(x: f32[1, 3, ...], w) = conv2d(x, w) {strides = s}\n"
                 "rule of_lists { match y = conv2d(x, w) {strides = s, *a} where min(s, 2) == "
                 "s, max(rank(x), 3) == 4, all(max(s, 1) == s) emit y = conv2d(x, w) {*a} }\n"
                 "test \"of lists\" { graph g(x: f32[1, 2, 8, 8], w: f32[3, 2, 1, 1]) -> y { y "
                 "= conv2d(x, w) {strides = [2, 1]} } expect none }\n"),
        QStringList());
    const QStringList errors = errorsOf(
        "rule r { match y = concat(...xs) {axis} where min(\"a\", 1) == 0 emit y = x }\n"
        "rule s { match y = relu(x) where max(x, 2.5) == 2, rank(2.5) == 1 emit y = x }\n");
    QVERIFY2(errors.join(u'\n').contains(
                 u"1:51: error RUL01: \"a\" is a text, min wants numbers (min(a, b): the smaller "
                 "number; of lists element by element)"_s),
             qPrintable(errors.join(u'\n')));
    QVERIFY2(errors.join(u'\n').contains(u"2:38: error RUL01: x is a value, max wants numbers"_s),
             qPrintable(errors.join(u'\n')));
    QVERIFY2(errors.join(u'\n').contains(u"error RUL01: 2.5 is a number, rank wants a value"_s),
             qPrintable(errors.join(u'\n')));
}

void TestLanguage::mistakesAreTold_data() {
    QTest::addColumn<QString>("said");
    const auto row = [](const char* text, const char* said) {
        QTest::newRow(text) << QString::fromUtf8(said);
    };
    // Element types.
    for (const auto& [foreign, meant] :
         {std::pair("float", "f32"), std::pair("half", "f16"), std::pair("double", "f64"),
          std::pair("bfloat16", "bf16"), std::pair("uint8", "u8"), std::pair("int64", "i64"),
          std::pair("bool_", "bool"), std::pair("FLOAT16", "f16"), std::pair("np.float32", "f32"),
          std::pair("i1", "bool"), std::pair("F32", "f32")})
        QTest::newRow(qPrintable(u"op f(x: %1[N]) -> y: f32[N] { y[n] = 1.0 * x[n] }"_s.arg(
            QString::fromLatin1(foreign))))
            << u"1:9: error TXT02: f: there is no element type %1 (write %2)"_s.arg(
                   QString::fromLatin1(foreign), QString::fromLatin1(meant));
    row("op f(x: tensor[N]) -> y: T[N] { y[n] = x[n] }",
        "there is no element type tensor (in front of the brackets stands the element type: f32[N, "
        "4], or T[N, 4] for any)");
    row("op f(x: t[N]) -> y: t[N] { y[n] = x[n] }", "begins with a capital: T[N]");
    row("op f(x: f32[N]) -> y: i64[N] { y[n] = cast(x[n], int64) }",
        "'int64' is not an element type (write i64)");
    row("op f(x: T[N], attr n: int64 = 1) -> y: T[N] { y[n] = x[n] }",
        "'int64' is not a type of attributes (write int)");
    row("op f(x: T[N], attr n: double) -> y: T[N] { y[n] = x[n] }", "(write float)");
    row("op f(x: T[-1, N]) -> y: T[N] { y[n] = x[0, n] }",
        "no extent is -1 (any extent has a name");
    row("implementations dense(x: float32[M, K], w: f32[N, K]) on any { mine by generated.plain }",
        "1:26: error TXT02: there is no element type float32 (write f32)");
    row("pattern p(x) = relu(x: float32)", "there is no element type float32 (write f32)");
    row("pattern p(x) = cast(x) {to = float16}", "float16 is a name here (write f16)");
    row("rule r { match y = cast(x) {to} where to == int8 emit y = x }", "(write i8)");
    row("rule r { match y = cast(x) {to} emit y = cast(x) {to = half} }", "(write f16)");
    row("graph g(x: float32[4]) -> y { y = relu(x) }",
        "'float32' is not an element type (write f32)");
    row("graph g(x: f32[4]) -> y { y = cast(x) {to = float16} }", "(write f16)");
    row("graph g(x: f32[-1, 4]) -> y { y = relu(x) }", "a free dimension has a name: N");
    // Patterns.
    row("pattern p(x) = relu(x: f32[1, 3, -1, -1])",
        "no extent is -1 (any is one axis of any extent, ... any number of axes)");
    row("pattern p(x) = add(x, wildcard())", "(any value is written any)");
    row("pattern p(x) = relu(is_op(x))", "(an operator is written by its name: conv2d(x, w))");
    row("pattern p(x, w) = dominates(conv2d(x, w), relu(^), add(^, ^))",
        "is written dominated(p, path, q)");
    row("pattern p(x) = relu(is_constant())", "a constant is written const");
    // Rules.
    row("rule r { match y = relu(x) emit y = add(x, const(0)) }", "beside a value");
    row("rule r { stage after fusion match y = relu(relu(x)) emit y = relu(x) }",
        "1:16: error RUL01: there is no stage after fusion (there are simplify, before partition, "
        "before fusion)");
    // Conditions.
    row("rule r { match y = relu(x) where x.shape[0] == 2 emit y = x }",
        "nothing is named x.shape here (an extent is dim(x, 0), all of them extents(x))");
    row("rule r { match y = relu(x) where k.ndim == 2 emit y = x }", "is rank(k)");
    row("rule r { match y = relu(x) where shape(x) == [2] emit y = x }",
        "there is no function shape in conditions (an extent is dim(x, 0)");
    row("rule r { match y = relu(x) where not(const(x)) emit y = x }", "is written !");
    row("fuse f { match relu(x) where libs has nnpack }", "there is no library nnpack");
    // Attributes of graphs.
    row("graph g(x: f32[4]) -> y { y = softmax(x) {axes = 1} }",
        "1:43: error TXT02: softmax has no attribute axes (did you mean axis?)");
    row("graph g(x: f32[4]) -> y, z { (y, z) = top_k(x) {count = 2} }",
        "count is a list of integers, 1 of them, not 2 (count = [2])");
    row("graph g(x: f32[4]) -> y { c = const(0)  y = add(x, c) }",
        "there is no operator named const (a constant is written const [1, 2] : f32[2])");
    row("graph g(x: f32[4]) -> y { y = const(x) }",
        "there is no operator named const (a constant is written const [1, 2] : f32[2])");
}

void TestLanguage::mistakesAreTold() {
    QFETCH(QString, said);
    const QStringList errors = errorsOf(QTest::currentDataTag());
    QVERIFY2(!errors.isEmpty() && errors[0].contains(said), qPrintable(errors.join(u'\n')));
}

void TestLanguage::rightSpellingsAreTaken_data() {
    QTest::addColumn<bool>("unused");
    for (const char* text :
         {"fuse f { match relu(x) where libs has dnnl }",
          "fuse f { match relu(x) where libs has cblas }",
          "composite c for mkldnn { match dense(x, w: const) >> relu(^) }",
          "fuse f { match relu(tanh(x)) as for dnnl }",
          "implementations dense(...) on any { mine by generated.plain when libs has dnnl }",
          "target t on x86-64 { libs = [cblas] }", "pin { avoid dnnl for any }",
          "rule r { match y = clip(x) {max = inf} emit y = clip(x) {max = inf} }",
          "op f(x: Acc[N]) -> y: Acc[N] { y[n] = x[n] }",
          "pattern p(x) = relu(x: any[any, 3, ...])",
          "rule r { match y = relu(x) emit y = pow(x, 2) }",
          "rule r { match y = leaky_relu(x) {alpha = a} emit y = mul(x, a + 1) }"})
        QTest::newRow(text) << true;
}

void TestLanguage::rightSpellingsAreTaken() {
    QCOMPARE(errorsOf(QTest::currentDataTag()), QStringList());
}

// One pass, and what reads a value that is wrong says nothing more.
void TestLanguage::graphsTellEverything() {
    const QStringList errors = errorsOf("graph g(x: f32[2, 3], y: f32[4]) -> z, nowhere {\n"
                                        "  a = matmull(x, x)\n"
                                        "  b = relu(a)\n"
                                        "  c = softmax(b) {axs = 1, axis = -1}\n"
                                        "  d = add(x, y)\n"
                                        "  e = relu(d, xx)\n"
                                        "  (f, f2) = relu(x)\n"
                                        "  h = relu(later)\n"
                                        "  later = relu(x)\n"
                                        "  k = const [1, 2] : f32[3]\n"
                                        "  w = const @\"weights\" hash \"00\" : f32[7, 3]\n"
                                        "  m = dense(x, w)\n"
                                        "  n = dense(m, w)\n"
                                        "  z = add(c, b)\n"
                                        "}\n");
    QStringList places;
    for (const QString& error : errors)
        places << error.section(u": "_s, 0, 0);
    QCOMPARE(places, QStringList({u"1:40"_s, u"2:7"_s, u"4:19"_s, u"5:3"_s, u"6:7"_s, u"6:15"_s,
                                  u"7:3"_s, u"8:12"_s, u"10:13"_s, u"13:3"_s}));
    // What a graph holds by name only is no mistake of the text.
    QCOMPARE(
        errorsOf("graph g(x: f32[2, 3]) -> y { w = const @\"weights\" hash \"00\" : f32[7, 3]  "
                 "r = const random(3) : f32[7]  d = dense(x, w)  y = add(d, r) }"),
        QStringList());
}

void TestLanguage::testGraphsTellEverything() {
    const QStringList errors =
        errorsOf("rule r { match y = relu(relu(x)) emit y = relu(x) }\n"
                 "test \"both\" {\n"
                 "  graph g(x: f32[4]) -> y { a = rellu(x)  b = relu(w)  y = relu(a) }\n"
                 "  expect match 1\n"
                 "}\n");
    QCOMPARE(errors.size(), 2);
    QVERIFY(errors.join(u'\n').contains(u"named rellu (did you mean relu?)"_s));
    QVERIFY(errors.join(u'\n').contains(u"there is no value \"w\""_s));
}

void TestLanguage::errorsBehindIncludesAreKnown() {
    const std::string first = caseFile(u"include_cycle_1"_s);
    const Books books = loadBooks({first}).value();
    const Diags errors = errorsOfIncluded(books, first);
    QCOMPARE(errors.size(), std::size_t(1));
    QVERIFY2(errors[0].message.starts_with("books include each other: ") &&
                 errors[0].where.file.ends_with("include_cycle_3.fw"),
             errors[0].text().c_str());
    // The include that leads there says so.
    const CheckedBook checked = checkBook(books, first).value();
    QVERIFY(checked.items[0].diagnostics.size() == 1 &&
            checked.items[0].diagnostics[0].message.ends_with("include_cycle_3.fw are refused"));
}

FW_TEST(TestLanguage, QCoreApplication)
#include "test_language.moc"
