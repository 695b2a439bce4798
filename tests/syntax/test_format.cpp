// The layout of `.fw` text: what it looks like, that it is laid out once, and that words and
// comments are what they were, in whatever way they stood.
#include "common/test.h"
#include "syntax/format.h"
#include "syntax/op.h"

#include <QDirIterator>

#include <random>

using namespace fw;
using namespace Qt::StringLiterals;

namespace {

std::string laidOut(const std::string& text) {
    const FormattedText out = formatText(text, "b.fw");
    return out.errors.empty() ? out.text : "error: " + out.errors.front().text();
}

// Tokens with their kinds, and comments.
QStringList wordsOf(std::string_view text) {
    QStringList out;
    const TokenList list = tokenize(text);
    for (const Token& token : list.tokens)
        out << u"%1 %2"_s.arg(int(token.kind)).arg(QString::fromStdString(token.text));
    for (const Comment& comment : list.comments)
        out << QString::fromStdString(comment.text).trimmed();
    return out;
}

QStringList books() {
    QStringList out;
    for (const char* folder : {"resources", "samples", "tests"}) {
        QDirIterator all(QStringLiteral(FW_SOURCE_DIR) + u'/' + QLatin1StringView(folder),
                         {u"*.fw"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (all.hasNext())
            out << all.next();
    }
    out.sort();
    return out;
}

// What no book of the repository declares.
const std::string others = "composite a.b for a { match relu(x)  where rank(x) > 1 }\n"
                           "target t on x86-64-v3 { keys = [a-b]  threads = 2 }\n"
                           "pin { together a, b with c  use d(e = 1) for f }\n"
                           "include \"../other.fw\"\n";

std::string textOf(const QString& file) {
    QFile in(file);
    return in.open(QFile::ReadOnly) ? in.readAll().toStdString() : std::string();
}

// Other blanks, line breaks and remarks between the tokens, here and there.
std::string shaken(const std::string& text, std::mt19937& random) {
    constexpr const char* between[] = {
        "\n", " ", " # a remark\n", "\n  # on its own line  \n", "\n\n\n", "\t\r\n"};
    std::string out;
    std::size_t end = 0;
    const unsigned often = random() % 60 + 1;
    for (const Token& token : tokenize(text).tokens) {
        std::string gap = text.substr(end, token.span.begin - end);
        if (random() % 100 < often) {
            const unsigned how = random() % 7;
            if (how < 6)
                out += between[how];
            else if (gap.find('#') == std::string::npos && !gap.empty())
                gap = " ";
        }
        out += gap + text.substr(token.span.begin, token.span.end - token.span.begin);
        end = token.span.end;
    }
    return out;
}

} // namespace

class TestFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layouts_data();
    void layouts();
    void booksKeepTheirWords();
    void shippedBooksAreLaidOut();
    void shakenBooksAreLaidOutOnce();
    void longLinesAreBroken();
    void linesAreBrokenWhereTheyRead();
    void whatIsWrongIsLeftAlone();
    void declarationsHaveText();
};

void TestFormat::layouts_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* given, const char* expected) {
        QTest::newRow(name) << QString::fromUtf8(given) << QString::fromUtf8(expected);
    };
    row("nothing", "", "");
    row("a remark alone", "\n\n  # only this  \n\n", "# only this\n");
    row("a rule on one line", "rule  r{match y=relu( relu(x) )emit y=relu(x)}",
        "rule r { match y = relu(relu(x))  emit y = relu(x) }\n");
    row("an operator in place of a name",
        "rule r{match y=mul(x,x) emit y=op(x:T[S...])->y:T[S...]{y[i...]=x[i...]} (x)}",
        "rule r { match y = mul(x, x)  emit y = op (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] "
        "}(x) }\n");
    row("an open rule",
        "rule r \"doc\"\n{ match y = add(x,z: const&same(x)){axis=-1,*a}  where "
        "used_once(y),!(1<-2)\n"
        "emit y=x+z*-1 strategy sweep duplicate }",
        "rule r \"doc\" {\n"
        "  match    y = add(x, z: const & same(x)) {axis = -1, *a}\n"
        "  where    used_once(y), !(1 < -2)\n"
        "  emit     y = x + z * -1\n"
        "  strategy sweep\n"
        "  duplicate\n"
        "}\n");
    row("patterns", "chain c=(bias(^,const)|relu( ^ ) ?)*{0..4}>>kind elementwise(^ , ...)*",
        "chain c = (bias(^, const) | relu(^)?)* {0..4} >> kind elementwise(^, ...)*\n");
    row("empty lines and remarks",
        "pattern a(x)=relu(x)\n\n\n\n# about b\n\npattern b(x)= relu(x)# behind b\n\n\n",
        "pattern a(x) = relu(x)\n\n# about b\n\npattern b(x) = relu(x)  # behind b\n");
    row("an operator",
        "op halves \"doc\"(bcast x?:T[P...,N@axis],xs*:T[N],attr s:int[2]=[1,-1])requires "
        "N%2==0->y:T[P...,M]\n"
        "where M=N/2,\nK=3 {\nlet s[p...,m]=sum(k in 2,j in K:x[p...,m*2+k])\neach xs : "
        "y[p...,m]=s[p...,m]}",
        "op halves \"doc\" (bcast x?: T[P..., N@axis], xs*: T[N], attr s: int[2] = [1, -1]) "
        "requires N % 2 == 0\n"
        "  -> y: T[P..., M]\n"
        "  where M = N / 2,\n"
        "        K = 3 {\n"
        "  let s[p..., m] = sum(k in 2, j in K : x[p..., m * 2 + k])\n"
        "  each xs: y[p..., m] = s[p..., m] }\n");
    row("columns of entries",
        "implementations dense(x:f32[P...,K])let M=size(P)on x86 - 64 ,any{\n"
        "onednn.matmul priority 15 when libs has onednn&&M>16 absorbs none # why\n"
        "mine by schedule rows absorbs any\ngenerated . * absorbs none}",
        "implementations dense(x: f32[P..., K]) let M = size(P) on x86-64, any {\n"
        "  onednn.matmul                    priority 15  when libs has onednn && M > 16  absorbs "
        "none  # why\n"
        "  mine           by schedule rows                                               absorbs "
        "any\n"
        "  generated.*                                                                   absorbs "
        "none\n"
        "}\n");
    row("columns of growth",
        "grow a->b forward limit 64 operands 32\ngrow elementwise->cc into limit 4\n\ngrow a -> b "
        "never",
        "grow a           -> b   forward  limit 64  operands 32\n"
        "grow elementwise -> cc  into     limit 4\n"
        "\n"
        "grow a -> b never\n");
    row("graphs",
        "graph g(\"odd name\":i64[2]@from(3),x:f32[N,4])->y,z=d{w=const @\"w\" hash \"1\":f32[8,4] "
        "k=const[1,-2]:i64[2]\n"
        "(n , m)=unknown \"com\" \"Odd\" (x,none){a=\"b\"}:f32[N],f32[1]\n"
        "y=call(x)@node(\"f\")body t(0)graph t(v:f32[N,4])->s{s=relu(v)}\nassume N%2==0\"pairs\"}",
        "graph g(\"odd name\": i64[2] @from(3), x: f32[N, 4]) -> y, z = d {\n"
        "  w = const @\"w\" hash \"1\" : f32[8, 4]  k = const [1, -2] : i64[2]\n"
        "  (n, m) = unknown \"com\" \"Odd\"(x, none) {a = \"b\"} : f32[N], f32[1]\n"
        "  y = call(x) @node(\"f\")  body t(0) graph t(v: f32[N, 4]) -> s { s = relu(v) }\n"
        "  assume N % 2 == 0 \"pairs\"\n"
        "}\n");
    row("a test",
        "test \"t\" of r{graph g(x:f32[N])->y{y=relu(x)} expect none \"w\" expect becomes\n"
        "graph g(x:f32[N])->y{\ny=tanh(x)}}",
        "test \"t\" of r {\n"
        "  graph g(x: f32[N]) -> y { y = relu(x) }\n"
        "  expect none \"w\"\n"
        "  expect becomes graph g(x: f32[N]) -> y {\n"
        "    y = tanh(x)\n"
        "  }\n"
        "}\n");
    row("schedules",
        "schedule s for dense on x86-64{knob tall in{1,2}=1 y.1 . split(n,a,b) w.layout(d0 / 32 d1 "
        "d0%32)\nv.layout( row - major)}",
        "schedule s for dense on x86-64 {\n"
        "  knob tall in {1, 2} = 1  y.1.split(n, a, b)  w.layout(d0/32 d1 d0%32)\n"
        "  v.layout(row-major)\n"
        "}\n");
    row("targets", "target my-chip on x86-64 - v3{keys=[a - 1,b]libs=[ ]requires relu(^)?}",
        "target my-chip on x86-64-v3 { keys = [a-1, b]  libs = []  requires relu(^)? }\n");
    row("pins",
        "pin{together d,\"b 1\"with mine(rows=8)apart c,s use g for e avoid o for any "
        "because\"slow\"}",
        "pin { together d, \"b 1\" with mine(rows = 8)  apart c, s  use g for e  avoid o for any "
        "because \"slow\" }\n");
}

void TestFormat::layouts() {
    QFETCH(QString, given);
    QFETCH(QString, expected);
    const std::string out = laidOut(given.toStdString());
    QCOMPARE(QString::fromStdString(out), expected);
    QCOMPARE(QString::fromStdString(laidOut(out)), expected);
}

void TestFormat::booksKeepTheirWords() {
    int readable = 0;
    QSet<QString> keywords;
    const QStringList files = books() << QString();
    for (const QString& file : files) {
        const std::string text = file.isEmpty() ? others : textOf(file);
        const FormattedText once = formatText(text, file.toStdString());
        if (!once.errors.empty()) {
            QCOMPARE(once.text, text);
            continue;
        }
        ++readable;
        QVERIFY2(wordsOf(text) == wordsOf(once.text), qPrintable(file));
        QVERIFY2(once.text == laidOut(once.text), qPrintable(file));
        const FileTree before = parseFile(text, {}), after = parseFile(once.text, {});
        QCOMPARE(before.declarations.size(), after.declarations.size());
        for (std::size_t i = 0; i < before.declarations.size(); ++i)
            QCOMPARE(declarationText(*after.declarations[i]),
                     declarationText(*before.declarations[i]));
        for (const DeclarationPtr& declaration : before.declarations) {
            const std::string alone = declarationText(*declaration);
            const FileTree again = parseFile(alone, {});
            QVERIFY2(again.errors.empty() && again.declarations.size() == 1, alone.c_str());
            QVERIFY2(wordsOf(alone) == wordsOf(declaration->source), alone.c_str());
            QCOMPARE(declarationText(*again.declarations[0]), alone);
            keywords.insert(QString::fromStdString(declaration->keyword));
        }
    }
    QVERIFY(readable > 20);
    for (const auto& [keyword, parser] : fwGrammar())
        QVERIFY2(keywords.contains(QString::fromStdString(keyword)), keyword.c_str());
}

// What people read first is as `fw format` leaves it.
void TestFormat::shippedBooksAreLaidOut() {
    int looked = 0;
    for (const QString& file : books()) {
        if (file.contains(u"/tests/"_s))
            continue;
        const std::string text = textOf(file);
        QVERIFY2(formatText(text, file.toStdString()).text == text,
                 qPrintable(u"fw format -w "_s + file));
        ++looked;
    }
    QVERIFY(looked > 20);
}

void TestFormat::shakenBooksAreLaidOutOnce() {
    std::mt19937 random(7);
    int readable = 0;
    for (const QString& file : books())
        for (const std::string text = textOf(file); const int seed : {1, 2, 3}) {
            if (text.size() > 20000)
                continue;
            const std::string other = shaken(text, random);
            const FormattedText once = formatText(other, "b.fw");
            readable += once.errors.empty() ? 1 : 0;
            QVERIFY2(once.errors.empty() || once.text == other, qPrintable(file));
            QVERIFY2(!once.errors.empty() ||
                         (wordsOf(other) == wordsOf(once.text) && once.text == laidOut(once.text)),
                     qPrintable(
                         u"%1, %2:\n%3"_s.arg(file).arg(seed).arg(QString::fromStdString(other))));
        }
    QVERIFY(readable > 60);
}

void TestFormat::longLinesAreBroken() {
    std::string text = "rule long { match y = add(x, z) where ";
    for (int i = 0; i < 40; ++i)
        text += (i > 0 ? " && " : "") + ("dim(x, " + std::to_string(i) + ") == 1");
    text += " emit y = z }";
    const std::string out = laidOut(text);
    const QStringList lines = QString::fromStdString(out).split(u'\n');
    QVERIFY(lines.size() > 8);
    for (const QString& line : lines)
        QVERIFY2(line.size() <= formatWidth, qPrintable(line));
    QCOMPARE(lines[2].left(22), u"  where  dim(x, 0) == "_s);
    QVERIFY2(lines[3].startsWith(u"         && dim("_s), qPrintable(lines[3]));
}

// Lists of numbers and what a sum goes over stay together where there is another place, and what
// fits if it is not aligned is not broken.
void TestFormat::linesAreBrokenWhereTheyRead() {
    const auto lines = [](const std::string& text) {
        return QString::fromStdString(laidOut(text)).split(u'\n');
    };
    const QStringList perm = lines(
        "rule r { match y = relu(x)\n"
        "emit y = transpose(my_conv2d(transpose(x) {perm = [0, 2, 3, 1]}, w) {strides = strides}) "
        "{perm = [0, 3, 1, 2]} }");
    QVERIFY2(perm.join(u'\n').contains(u"{perm = [0, 3, 1, 2]}"_s), qPrintable(perm.join(u'\n')));
    const QStringList sum = lines(
        "op f (x: T[N, H, W, C]) -> y: T[N, H, W] {\n"
        "y[n, h, v] = sum(c in C, i in 3, j in 3 : x[n, h * 2 + i, v * 2 + j, c] * x[n, h * 2 + i, "
        "v * 2 + j, c] * 0.125) }");
    QVERIFY2(sum[1].endsWith(u"sum(c in C, i in 3, j in 3 :"_s), qPrintable(sum.join(u'\n')));
    const QStringList deep = lines(
        "op f (x: T[N, H, W, C]) -> y: T[N, H, W, C] {\n"
        "  y[n, h, v, c] = select(h == 0, x[n, h, v, c], select(h == 1, x[n, h, v, c] * 0.25 + 1,\n"
        "      0.5 * (x[n, h, v, c] + x[n, h, v, c] + select(h == 1, x[n, h, v, c], 0 - x[n, h, v, "
        "c])))) }");
    QCOMPARE(deep.size(), 4);
}

void TestFormat::whatIsWrongIsLeftAlone() {
    const std::string text = "rule  r { match y = relu(x }\n\npattern   p(x)=relu(x)\n";
    const FormattedText out = formatText(text, "b.fw");
    QCOMPARE(out.text, text);
    QCOMPARE(out.errors.size(), std::size_t(1));
    QCOMPARE(out.errors[0].where.line, 1);
    QCOMPARE(out.errors[0].where.column, 28);
}

void TestFormat::declarationsHaveText() {
    const FileTree file =
        parseFile("chain a=relu( ^ )? rule r {\nmatch y=x=relu(z) emit y=z\n}", "b.fw");
    QCOMPARE(file.declarations.size(), std::size_t(2));
    QCOMPARE(declarationText(*file.declarations[0]), std::string("chain a = relu(^)?"));
    QCOMPARE(declarationText(*file.declarations[1]),
             std::string("rule r {\n  match  y = x = relu(z)\n  emit   y = z\n}"));
}

FW_TEST(TestFormat, QCoreApplication)
#include "test_format.moc"
