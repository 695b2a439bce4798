// Rule books as text: every mistake is named with its line and column before a graph is touched,
// the rest of the book stays usable, and no text brings the reader down.
#include "book/book.h"
#include "common/test.h"
#include "rewrite/rewriting.h"

#include <random>

using namespace fw;
using namespace rewriting;

namespace {

// "3:14 RUL01 message" of the first thing that is wrong.
QString firstError(const std::string& text) {
    const CheckedBook book = checkBookText(text, "book.fw");
    const auto line = [](const Diag& diag) {
        return QStringLiteral("%1:%2 %3 %4")
            .arg(diag.where.line)
            .arg(diag.where.column)
            .arg(QString::fromUtf8(codeText(diag.code).data()),
                 QString::fromStdString(diag.message));
    };
    if (!book.diagnostics.empty())
        return line(book.diagnostics[0]);
    for (const CheckedItem& item : book.items)
        for (const Diag& diag : item.diagnostics)
            return line(diag);
    return QStringLiteral("ok");
}

} // namespace

class TestRuleText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mistakes_data();
    void mistakes();
    void standardBookIsClean();
    void allMistakesInOnePass();
    void refusedBeforeTheGraph();
    void usersOperators();
    void hostileText();
};

void TestRuleText::mistakes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const char* text, const char* error) {
        QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(error);
    };
    row("fine", "rule r {\n match y = relu(x)\n emit y = x\n}", "ok");
    row("unknown operator", "rule r {\n match y = rellu(x)\n emit y = x\n}",
        "2:12 OPR01 there is no operator, pattern or chain named rellu");
    row("unknown operator on the right", "rule r {\n match y = relu(x)\n emit y = rellu(x)\n}",
        "3:11 OPR01 there is no operator named rellu");
    row("unbound name", "rule r {\n match y = relu(x)\n emit y = tanh(z)\n}",
        "3:16 TXT02 z is bound neither by match nor by let");
    row("unbound in let", "rule r {\n match y = relu(x)\n let k = x + z\n emit y = k\n}",
        "3:14 TXT02 z is bound neither by match nor by let");
    row("let in order", "rule r {\n match y = relu(x)\n let k = l, l = x\n emit y = k\n}",
        "3:10 TXT02 l is bound neither by match nor by let");
    row("capture named like an operator", "rule r {\n match y = relu(tanh)\n emit y = tanh\n}",
        "2:17 TXT02 the capture tanh has the name of an operator or pattern");
    row("part named like an operator", "rule r {\n match y = relu(exp = tanh(x))\n emit y = x\n}",
        "2:17 TXT02 the capture exp has the name of an operator or pattern");
    row("emit without match", "rule r {\n emit y = x\n}",
        "1:6 TXT01 a rule needs match and emit with the same number of values");
    row("match without emit", "rule r {\n match y = relu(x)\n}",
        "1:6 TXT01 a rule needs match and emit with the same number of values");
    row("emit of another name", "rule r {\n match y = relu(x)\n emit z = x\n}",
        "3:11 RUL01 emit gives z, which match does not name");
    row("emit twice", "rule r {\n match y = relu(x), m = tanh(x)\n emit y = x, y = x\n}",
        "3:18 RUL01 emit gives y more than once");
    row("attribute of the operator", "rule r {\n match y = softmax(x) {axes = 1}\n emit y = x\n}",
        "2:24 TXT02 softmax has no attribute axes");
    row("attribute on the right",
        "rule r {\n match y = relu(x)\n emit y = softmax(x) {axes = 1}\n}",
        "3:23 TXT02 softmax has no attribute axes");
    row("attribute not captured",
        "rule r {\n match y = relu(x)\n emit y = softmax(x) {axis = a}\n}",
        "3:30 TXT02 nothing is named a here");
    row("attributes not captured", "rule r {\n match y = relu(x)\n emit y = softmax(x) {*a}\n}",
        "3:23 TXT02 no match binds the attributes {*a}");
    row("attributes as a value", "rule r {\n match y = softmax(x) {*a}\n emit y = relu(a)\n}",
        "3:16 TXT02 a is a list of attributes, not a value");
    row("number alone", "rule r {\n match y = relu(x)\n emit y = 1\n}",
        "3:11 RUL01 a number needs an operand beside it, whose element type it takes");
    row("numbers are computed", "rule r {\n match y = relu(x)\n emit y = x + (1 + 2)\n}", "ok");
    row("only numbers", "rule r {\n match y = relu(x)\n emit y = 1 + 2\n}",
        "3:11 RUL01 a number needs an operand beside it, whose element type it takes");
    row("infix", "rule r {\n match y = relu(x)\n emit y = x % x\n}",
        "3:11 RUL01 the right side of a rule has no infix %");
    row("indexing", "rule r {\n match y = relu(x)\n emit y = x[0]\n}",
        "3:11 RUL01 this cannot stand on the right side of a rule");
    row("several results",
        "rule r {\n match y = relu(x), m = tanh(x), s = exp(x)\n"
        " emit (y, m, s) = layernorm(x, x, x)\n}",
        "ok");
    row("fewer results", "rule r {\n match y = relu(x), m = tanh(x)\n emit (y, m) = neg(x)\n}",
        "3:16 RUL01 neg has 1 result, not 2");
    row("several names for a value",
        "rule r {\n match y = relu(x), m = tanh(x)\n emit (y, m) = x\n}",
        "3:16 TXT01 several names need a call of an operator with as many results");
    std::string many = "a0";
    for (int i = 1; i < 65; ++i)
        many += ", a" + std::to_string(i);
    row("too many results",
        ("rule r {\n match y = relu(x)\n emit (" + many + ") =\n split(x)\n}").c_str(),
        "3:7 TXT01 at most 64 results have names");
    row("operands of several results",
        "rule r {\n match y = relu(x), m = tanh(x), s = exp(x)\n"
        " emit (y, m, s) = layernorm(x, y, z)\n}",
        "3:35 TXT02 z is bound neither by match nor by let");
    row("given", "rule r {\n match y = relu(x)\n emit y = given(x)\n}",
        "3:11 RUL01 given needs an optional capture and two values");
    row("reads what it replaces", "rule r {\n match y = relu(x)\n emit y = neg(y)\n}",
        "3:15 RUL01 the right side reads y, which it replaces");
    row("condition", "rule r {\n match y = relu(x)\n where sometimes(x)\n emit y = x\n}",
        "3:8 TXT02 there is no function sometimes in conditions");
    row("condition of nothing", "rule r {\n match y = relu(x)\n where used_once(z)\n emit y = x\n}",
        "3:18 TXT02 nothing is named z here");
    row("condition on an attribute",
        "rule r {\n match y = softmax(x)\n where axis == 1\n emit y = x\n}",
        "3:8 TXT02 nothing is named axis here");
    row("condition on a type",
        "rule r {\n match y = relu(x)\n where dtype(x) == float\n emit y = x\n}",
        "3:20 TXT02 nothing is named float here");
    row("stage", "rule r {\n stage later\n match y = relu(x)\n emit y = x\n}",
        "2:8 RUL01 there is no stage later");
    row("strategy", "rule r {\n strategy often\n match y = relu(x)\n emit y = x\n}",
        "2:11 RUL01 there is no strategy often");
    row("builtin", "builtin fold_everything",
        "1:9 RUL01 there is no built-in rewrite fold_everything");
    row("a list that is no operand",
        "rule r { match y = relu(x) >> (add(^, r))* {1..2} emit y = ...r }",
        "1:60 RUL01 a list stands among the operands of an operator");
    row("a pack for a list",
        "rule r { match y = relu(x) >> (add(^, r))* {1..2} emit y = concat(r...) }",
        "1:67 RUL01 a list is handed on as ...NAME");
    row("a list of what is none", "rule r { match y = relu(x) emit y = concat(...z) }",
        "1:47 TXT02 z is bound neither by match nor by let");
    row("what is in a number",
        "rule r { match y = softmax(x) {axis} emit y = reshape(x) {shape = [...axis]} }",
        "1:68 RUL01 ... puts in what is in a list");
    row("let twice", "rule r { match y = relu(x) let a = 1, a = 2 emit y = x + a }",
        "1:43 TXT02 let gives a more than once");
    row("two names for one result", "rule r { match y = relu(x) let (a, b) = neg(x) emit y = a }",
        "1:41 RUL01 neg has 1 result, not 2");
    row("a list outside of rules", "op o(x: T[S...]) -> y: T[S...] { y[i...] = x[...i] }",
        "1:46 TXT01 an expression expected, found '...'");
    row("operator in place: its text",
        "rule r { match y = relu(x) emit y = op (x: T[S...]) -> y: T[S...] { y[i...] = q[i...] "
        "}(x) }",
        "1:79 TXT02 r.op1: there is no tensor 'q' to read here");
    row("operator in place: no operands",
        "rule r { match y = relu(x) emit y = op (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] } }",
        "1:89 TXT01 the operands expected behind the operator, found '}'");
    row("operator in place: too many operands",
        "rule r { match y = relu(x) emit y = op (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] "
        "}(x, x) }",
        "1:37 OPR03 r.op1 has 1 operand, not 2");
    row("operator in place: no attribute",
        "rule r { match y = relu(x) emit y = op (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] "
        "}(x) {a = 1} }",
        "1:93 TXT02 r.op1 has no attribute a");
    row("an operand applied", "rule r { match y = relu(x) emit y = x(x) }",
        "1:37 OPR01 x is the name of no operator inside the match");
    row("applied with attributes",
        "rule r { match y = relu(e = kind elementwise(x)) emit y = e(x) {alpha = 1} }",
        "1:59 RUL01 an operator of the match is applied with the attributes it has");
    row("a list applied", "rule r { match y = tanh(x >> (c = add(^, r))* {1..3}) emit y = c(x) }",
        "1:64 RUL01 c stands for several operators, which cannot be applied");
    row("an operator of the match applied",
        "rule r { match y = relu(e = kind elementwise(x)) emit y = e(tanh(x)) }", "ok");
    row("the root applied", "rule r { match y = kind elementwise(neg(x)) emit y = neg(y(x)) }",
        "ok");
    row("expose of an operand", "rule r { match y = relu(neg(x)) expose x emit y = x, x = x }",
        "1:40 TXT02 x is the name of no operator inside the match");
    row("expose of an operand in a group", "fuse f { match relu(neg(x)) expose x }",
        "1:36 TXT02 x is the name of no operator inside the match");
    row("exposed by a group", "fuse f { match relu(c = neg(x)) expose c }", "ok");
    row("exposed and not given", "rule r { match y = relu(c = neg(x)) expose c emit y = x }",
        "1:6 TXT01 emit gives every value of match and every value that is exposed");
    row("exposed and read", "rule r { match y = relu(c = neg(x)) expose c emit y = c, c = x }",
        "1:55 RUL01 the right side reads c, which it replaces");
    row("exposed, given and read",
        "rule r { match y = relu(c = neg(x)) expose c emit c = x, y = c }", "ok");
    row("a list exposed",
        "rule r { match y = tanh(x >> (c = add(^, r))* {1..3}) expose c emit y = x, c = x }",
        "1:62 RUL01 c stands for several values, which cannot be exposed");
    row("clause", "rule r {\n mach y = relu(x)\n}",
        "2:2 TXT01 expected stage, strategy, match, where, let, emit, name, duplicate, changes, "
        "expose or }");
    row("counts", "rule r {\n match y = relu(^)* {3..2}\n emit y = x\n}",
        "2:12 TXT01 a repetition goes from a smaller to a larger count up to 1000");
    row("chain of itself", "chain a = relu(^) >> b\nchain b = a >> tanh(^)",
        "1:1 RUL01 a is made of itself: a, b, a, with no way out");
    row("arguments", "pattern p(x, w) = mul(x, w)\nrule r {\n match y = p(x)\n emit y = x\n}",
        "3:12 OPR03 p has 2 parameters, 1 are given");
    row("misspelt chain", "chain tail = relu(^)?\npattern p(x, w) = conv2d(x, w) >> tial",
        "2:35 TXT02 there is no chain named tial");
    row("step that reads nothing", "pattern p(x) = relu(x) >> tanh(x)",
        "1:27 RUL01 this step does not read ^, the value before it");
    row("name of an attribute", "pattern p(x) = softmax(x) {axis = a}", "ok");
    row("a text without quotes",
        "op o(x: T[S...], attr mode: text = \"a\") -> y: T[S...] { y[i...] = x[i...] }\n"
        "pattern p(x) = o(x) {mode = edge}",
        "2:29 TXT03 mode of o is a text");
    row("names in a repetition", "pattern p(x) = relu(x) >> (concat(^, ...xs))* {1..2}",
        "1:38 RUL01 a name cannot stand for lists of lists");
    row("element type", "pattern p(x: f23[N]) = relu(x)",
        "1:14 TXT02 there is no element type f23");
    row("two packs", "pattern p(x: f32[..., N, S...]) = relu(x)",
        "1:26 RUL01 only one part of a shape may have any number of axes");
    row("extent that nothing binds", "pattern p(x: f32[2 * N]) = relu(x)",
        "1:22 TXT02 nothing is named N here");
    row("constant that is no number", "pattern p(x) = add(x, const \"one\")",
        "1:29 TXT01 ')' expected, found \"one\"");
    row("not of what comes before", "pattern p(x) = tanh(x) >> relu(not neg(^))",
        "1:32 RUL01 not does not look at what comes before");
    row("result that is not there", "pattern p(x) = tanh((_, b) = relu(x))",
        "1:30 RUL01 relu has 1 result, counted from 0");
    row("assoc of what does not commute", "pattern p(x, z, w) = assoc sub(x, z, w)",
        "1:22 RUL01 sub may not be nested as one likes: it neither commutes nor is it a product of "
        "matrices");
    row("assoc of a product with a transposed matrix", "pattern p(x, z, w) = assoc dense(x, z, w)",
        "1:22 RUL01 dense may not be nested as one likes: it neither commutes nor is it a product "
        "of "
        "matrices");
    row("assoc of one's own operator that is no product",
        "op f(a: T[M, K], b: T[K, N]) -> y: T[M, N] { y[m, n] = max(k in K : a[m, k] * b[k, n]) }\n"
        "pattern p(x, z, w) = assoc f(x, z, w)",
        "2:22 RUL01 f may not be nested as one likes: it neither commutes nor is it a product of "
        "matrices");
    row("path that reads nothing", "pattern p(x) = dominated(x, relu(any), add(^, ^))",
        "1:29 RUL01 this does not say which operands lead up to the first value");
    row("path with names", "pattern p(x) = dominated(x, add(^, r), add(^, ^))",
        "1:29 RUL01 a path has any number of steps, so its parts have no names");
    row("called parameter", "pattern two(f, x) = f(f(x))\npattern p(x) = two(relu(x), x)",
        "2:20 RUL01 f is called, so it stands for an operator or a pattern");
    row("called parameter that is not known",
        "pattern two(f, x) = f(f(x))\npattern p(x) = two(rely, x)",
        "2:20 OPR01 there is no operator, pattern or chain named rely");
    row("called parameter with other operands",
        "pattern two(f, x) = f(f(x))\npattern p(x) = two(dense, x)",
        "2:16 OPR03 dense has 2 operands, not 1");
    row("elements of no value", "rule r { match y = relu(x) where all(1 > 0) emit y = relu(x) }",
        "1:34 RUL01 all is asked of the elements of a constant or a list");
    row("type of an attribute", "pattern p(x) = softmax(x) {axis = \"one\"}",
        "1:28 OPR02 axis of softmax is an integer, not a text");
    row("operands of a pattern", "pattern p(x) = relu(x, x)",
        "1:16 OPR03 relu has 1 operand, not 2");
    row("too few operands", "pattern p(x) = dense(x)", "1:16 OPR03 dense has 2 operands, not 1");
    row("any further operands", "pattern p(x) = dense(x, ...)", "ok");
    row("parameter that is not used", "pattern p(x, unused) = relu(x)",
        "1:14 TXT02 the parameter unused is not used");
    row("^ of nothing", "pattern p() = relu(^)",
        "1:20 RUL01 ^ stands for nothing here: no step comes before");
    row("^ of a chain", "chain p = relu(^)", "ok");
    row("a truth compared", "rule r { match y = relu(x) where used_once(x) == 1 emit y = x }",
        "1:34 RUL01 a truth and an integer are not compared by ==");
    row("a number as condition", "rule r { match y = relu(x) where rank(x) emit y = x }",
        "1:34 RUL01 rank(x) is no condition: it is an integer");
    row("const as a value", "rule r { match y = add(x, k) where k == const emit y = x }",
        "1:41 TXT02 const alone is no value");
    row("given of a name that is not bound",
        "rule r { match y = relu(x) where given(z) emit y = x }",
        "1:40 TXT02 nothing is named z here");
    row("given of no name", "rule r { match y = relu(x) where given(relu(x)) emit y = x }",
        "1:34 RUL01 given asks for an optional part by its name");
    row("given of two kinds",
        "rule r { match y = softmax(x) emit y = softmax(x) {axis = given(x, 1, \"a\")} }",
        "1:59 RUL01 given is an integer or a text");
    row("given of another kind than the attribute",
        "rule r { match y = softmax(x) emit y = softmax(x) {axis = given(x, 1.5, 2.5)} }",
        "1:52 OPR02 axis of softmax is an integer, not a number");
    row("given in what is looked for",
        "pattern p(x) = softmax(x >> bias(^, b)?) {axis = given(b, 1, 2)}",
        "1:50 RUL01 given stands in conditions and on the right side");
    row("a value as number", "rule r { match y = relu(x) where x > 1 emit y = x }",
        "1:34 RUL01 a value and an integer are not compared by >");
    row("real attribute", "rule r { match y = clip(x) {min} where min == 0.0 emit y = x }", "ok");
    row("list attribute",
        "rule r { match y = max_pool2d(x) {kernel_shape} where kernel_shape == [2, 2] emit y = x }",
        "ok");
    row("one of some types", "rule r { match y = relu(x) where dtype(x) in {f32, f16} emit y = x }",
        "ok");
    row("one of what it never is",
        "rule r { match y = relu(x) where dtype(x) in {f32, 3} emit y = x }",
        "1:52 RUL01 an element type is never an integer");
    row("target in a rule", "rule r { match y = relu(x) where libs has onednn emit y = x }", "ok");
    row("operands on the right", "rule r { match y = relu(x) emit y = conv2d(x) }",
        "1:37 OPR03 conv2d has 2 operands, not 1");
    row("attribute type on the right",
        "rule r { match y = relu(x) emit y = softmax(x) {axis = [1]} }",
        "1:49 OPR02 axis of softmax is an integer, not a list of integers");
    row("let takes a name of match", "rule r { match y = relu(x) let x = tanh(x) emit y = x }",
        "1:36 TXT02 x is bound by match already");
    row("stages", "rule r { stage before fusion match y = relu(x) emit y = x }", "ok");
    row("stage before nothing", "rule r { stage before fusing match y = relu(x) emit y = x }",
        "1:23 RUL01 there is no stage before fusing");
    row("arithmetic of attributes",
        "rule r { match y = conv2d(x, w) {pads} let n = dim(w, 0) * 2 emit y = slice(conv2d(x, w) "
        "{pads = pads + 1}) {starts = [0], ends = [n / 2], axes = [1], steps = [1]} }",
        "ok");
    row("unclosed", "rule r {\n match y = relu(x",
        "2:18 TXT01 ')' expected, found the end of the text");
    row("declaration", "rulle r { }", "1:1 TXT01 a declaration expected, found 'rulle'");
    row("operator", "op twice(x: T[S...]) -> y: T[S...] {\n y[i...] = z[i...]\n}",
        "2:12 TXT02 twice: there is no tensor 'z' to read here");
}

void TestRuleText::mistakes() {
    QFETCH(QString, text);
    QFETCH(QString, error);
    const QString found = firstError(text.toStdString());
    if (error.isEmpty())
        QVERIFY2(found != QStringLiteral("ok"), qPrintable(found));
    else
        QCOMPARE(found, error);
}

void TestRuleText::standardBookIsClean() {
    const auto book = checkBook(readBooks({}), "simplify.fw");
    QVERIFY(book);
    QVERIFY(book->diagnostics.empty());
    QVERIFY(book->items.size() >= 7);
    for (const CheckedItem& item : book->items)
        QVERIFY2(item.verdict == "ok", item.name.c_str());
}

void TestRuleText::allMistakesInOnePass() {
    const std::optional<CheckedBook> book =
        checkBookText("rule a {\n match y = rellu(x)\n emit y = z\n}\nrule b {\n "
                      "match\n}\nrule c {\n match y = relu(x)\n emit y = x\n}\n"
                      "builtin cse\nchain t = tanhh(^)\n",
                      "book.fw");
    QCOMPARE(book->diagnostics.size(), std::size_t(1)); // b has no tree
    QCOMPARE(book->diagnostics[0].where.file, std::string("book.fw"));
    QStringList verdicts;
    for (const CheckedItem& item : book->items)
        verdicts << QString::fromStdString(item.kind + " " + item.name + " " + item.verdict + " " +
                                           std::to_string(item.diagnostics.size()));
    QCOMPARE(
        verdicts,
        (QStringList{QStringLiteral("rule a refused 2"), QStringLiteral("rule c ok 0"),
                     QStringLiteral("builtin cse ok 0"), QStringLiteral("chain t refused 1")}));
}

void TestRuleText::refusedBeforeTheGraph() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n y = relu(x)\n}");
    const auto out = rewriteGraph(graph,
                                  bookOf("rule fine {\n match y = relu(x)\n emit y = x\n}\nrule "
                                         "bad {\n match y = relu(x)\n emit y = z\n}"),
                                  {});
    QVERIFY(!out);
    QCOMPARE(out.diag().code, DiagCode::TextName);
    QVERIFY(out.diag().text().find("rule bad cannot be used") != std::string::npos);
}

void TestRuleText::usersOperators() {
    const std::optional<CheckedBook> book =
        checkBookText("op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + "
                      "x[i...] }\nrule r {\n match y = twice(x)\n emit y = x + x\n}",
                      "book.fw");
    for (const CheckedItem& item : book->items)
        QVERIFY2(item.verdict == "ok", item.name.c_str());
}

void TestRuleText::hostileText() {
    const std::string seed = "chain t = bias(^, b: const)? >> (relu(^) | tanh(^))* {0..3}\npattern "
                             "p(x, w: const) = dense(x, w) >> t\n"
                             "rule r \"doc\" {\n match y = c = p(x, w), z = softmax(x) {axis = -1, "
                             "*a}\n where used_once(c), rank(x) >= 2 && !finite(w)\n"
                             " let k = given(b, b, x) * 2 - x\n emit y = relu(k) , z = softmax(k / "
                             "x) {*a, axis = 1}\n strategy once duplicate\n}\nbuiltin cse\n";
    const GraphPtr graph = graphOf("graph g(x: f32[2, 3]) -> y {\n w = const random(1) : f32[4, 3] "
                                   " d = dense(x, w)  e = softmax(x)  y = relu(d)\n}");
    std::mt19937 random(3);
    const std::string marks = "(){}[],:;=<>+-*/%?@^|&!\"#.\\\n 0123xyab";
    for (int i = 0; i < 4000; ++i) {
        std::string text = seed;
        for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text[at] = marks[random() % marks.size()];
                break;
            case 1:
                text.erase(at, 1 + random() % 6);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), random() % 16));
                break;
            default:
                text.resize(at + 1);
            }
            if (text.empty())
                text = "r";
        }
        (void)checkBookText(text, "book.fw");
        RewriteOptions options;
        options.applications = 10;
        if (const auto book = parseRules(text, "book.fw"))
            (void)rewriteGraph(graph, *book, options).ok();
    }
    std::string doubling;
    for (int i = 0; i < 60; ++i)
        doubling += "chain c" + std::to_string(i) + " = c" + std::to_string(i + 1) + " | c" +
                    std::to_string(i + 1) + "\n";
    doubling += "chain c60 = tanh(^)\nrule r {\n match y = relu(c0)\n emit y = x\n}\n";
    QCOMPARE(firstError(doubling),
             QStringLiteral("64:11 TXT02 x is bound neither by match nor by let"));
    QVERIFY(firstError("rule r { match y = " + std::string(100000, '(')) != QStringLiteral("ok"));
}

FW_TEST(TestRuleText, QCoreApplication)
#include "test_rule_text.moc"
