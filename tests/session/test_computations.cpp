// Own computations of entries in plans: chosen, judged on every level, with a tail, at sizes that
// are free; what is not chosen says what it is.
#include "asked.h"

#include "base/files.h"
#include "common/test.h"

#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using fw::test::Asked;

namespace {

const char* const pointwise = R"fw(
op pointwise "a convolution by single pixels" (x: T[N, C, H, V], w: T[O, C, KH, KW]) requires KH == 1, KW == 1 -> y: T[N, O, H, V] {
  y[n, o, h, v] = sum(c in C : x[n, c, h, v] * w[o, c, 0, 0]) }
implementations conv2d(...) on any {
  own compute pointwise(x, w) priority 20
      when KH == 1 && KW == 1 && strides == [1, 1] && pads == [0, 0, 0, 0] && groups == 1
}
)fw";

const char* const winograd = R"fw(
op winograd "F(2x2, 3x3)" (x: T[N, C, H, W], w: T[O, C, KH, KW], attr pads: int[4] = [0, 0, 0, 0]) requires KH == 3, KW == 3
   -> y: T[N, O, OH, OW]
   where OH = H + pads[0] + pads[2] - 2, OW = W + pads[1] + pads[3] - 2,
         TH = (OH + 1) / 2, TW = (OW + 1) / 2, A = 4, B = 4, P = 2 {
  let g[o, c, a, kw] = select(a == 0, w[o, c, 0, kw], select(a == 3, w[o, c, 2, kw],
      0.5 * (w[o, c, 0, kw] + w[o, c, 2, kw] + select(a == 1, w[o, c, 1, kw], 0 - w[o, c, 1, kw]))))
  let u[o, c, a, b] = select(b == 0, g[o, c, a, 0], select(b == 3, g[o, c, a, 2],
      0.5 * (g[o, c, a, 0] + g[o, c, a, 2] + select(b == 1, g[o, c, a, 1], 0 - g[o, c, a, 1]))))
  let d[n, c, th, tw, a, b] = pad(x[n, c, 2 * th + a - pads[0], 2 * tw + b - pads[1]], 0)
  let r[n, c, th, tw, a, b] =
      select(a == 0, d[n, c, th, tw, 0, b] - d[n, c, th, tw, 2, b],
      select(a == 1, d[n, c, th, tw, 1, b] + d[n, c, th, tw, 2, b],
      select(a == 2, d[n, c, th, tw, 2, b] - d[n, c, th, tw, 1, b],
                     d[n, c, th, tw, 1, b] - d[n, c, th, tw, 3, b])))
  let v[n, c, th, tw, a, b] =
      select(b == 0, r[n, c, th, tw, a, 0] - r[n, c, th, tw, a, 2],
      select(b == 1, r[n, c, th, tw, a, 1] + r[n, c, th, tw, a, 2],
      select(b == 2, r[n, c, th, tw, a, 2] - r[n, c, th, tw, a, 1],
                     r[n, c, th, tw, a, 1] - r[n, c, th, tw, a, 3])))
  let m[n, o, th, tw, a, b] = sum(c in C : u[o, c, a, b] * v[n, c, th, tw, a, b])
  let s[n, o, th, tw, p, b] =
      select(p == 0, m[n, o, th, tw, 0, b] + m[n, o, th, tw, 1, b] + m[n, o, th, tw, 2, b],
                     m[n, o, th, tw, 1, b] - m[n, o, th, tw, 2, b] - m[n, o, th, tw, 3, b])
  y[n, o, oh, ow] =
      select(ow % 2 == 0, s[n, o, oh / 2, ow / 2, oh % 2, 0] + s[n, o, oh / 2, ow / 2, oh % 2, 1]
                              + s[n, o, oh / 2, ow / 2, oh % 2, 2],
                          s[n, o, oh / 2, ow / 2, oh % 2, 1] - s[n, o, oh / 2, ow / 2, oh % 2, 2]
                              - s[n, o, oh / 2, ow / 2, oh % 2, 3])
}
implementations conv2d(...) on any {
  own compute winograd(x, w) priority 20
      when KH == 3 && KW == 3 && strides == [1, 1] && dilations == [1, 1] && groups == 1
}
)fw";

const char* const attention = R"fw(
op attention "scaled products of rows" (q: T[B, M, K], k: T[B, N, K], v: T[B, N, D], attr scale: float = 0.5)
   requires N >= 1 -> y: T[B, M, D] {
  let s[b, m, n] = scale * sum(c in K : q[b, m, c] * k[b, n, c])
  let h[b, m] = max(n in N : s[b, m, n])
  let e[b, m, n] = exp(s[b, m, n] - h[b, m])
  let t[b, m] = sum(n in N : e[b, m, n])
  y[b, m, d] = sum(n in N : e[b, m, n] * v[b, n, d]) / t[b, m]
}
op scaled "x times a number" (x: T[S...], attr scale: float = 1) -> y: T[S...] { y[i...] = scale * x[i...] }
implementations attention(...) on any {
  own compute batch_matmul(softmax(scaled(batch_matmul(q, transpose(k) {perm = [0, 2, 1]}))), v)
      priority 20
}
)fw";

} // namespace

class TestComputations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void everyLevelAgrees_data();
    void everyLevelAgrees();
    void codeBehindIt();
    void whatIsNotChosenSaysWhatItIs();
    void attributesOfAnySignAreTried_data();
    void attributesOfAnySignAreTried();

private:
    Arguments on(const std::string& model, const std::string& target, const std::string& text) {
        const std::string file = m_folder.filePath("model.fw").toStdString();
        if (!writeFile(file, model).ok())
            throw InternalError("cannot write");
        Arguments out;
        out.model = file;
        out.target = target;
        out.rules = {"/b/own.fw"};
        out.texts = {{"/b/own.fw", text}};
        return out;
    }

    QTemporaryDir m_folder;
};

void TestComputations::everyLevelAgrees_data() {
    QTest::addColumn<QString>("book");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("target");
    const struct {
        const char *name, *book, *model;
    } cases[] = {
        {"pixels", pointwise,
         "graph g(x: f32[1, 7, 9, 5]) -> y { w = const random(1) : f32[19, 7, 1, 1]  b = const "
         "random(2) : f32[19]  c = conv2d(x, w)  d = bias(c, b)  y = relu(d) }"},
        {"free pixels", pointwise,
         "graph g(x: f32[N, 16, H, 8]) -> y { w = const random(1) : f32[32, 16, 1, 1]  y = "
         "conv2d(x, w) }"},
        {"winograd", winograd,
         "graph g(x: f32[1, 5, 9, 6], r: f32[1, 8, 9, 6]) -> y { w = const random(1) : f32[8, 5, "
         "3, 3]  c = conv2d(x, w) {pads = [1, 1, 1, 1]}  a = add(c, r)  y = relu(a) }"},
        {"attention", attention,
         "graph g(q: f32[2, M, 16], k: f32[2, 33, 16], v: f32[2, 33, 24]) -> y { a = attention(q, "
         "k, v) {scale = 0.25}  y = relu(a) }"},
    };
    for (const auto& one : cases)
        for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
            QTest::addRow("%s on %s", one.name, level)
                << QString(one.book) << QString(one.model)
                << QString("x86-64 -mcpu=%1 -libs=").arg(level);
}

void TestComputations::everyLevelAgrees() {
    QFETCH(QString, book);
    QFETCH(QString, model);
    QFETCH(QString, target);
    const Arguments arguments = on(model.toStdString(), target.toStdString(), book.toStdString());
    Asked asked;
    const auto plan = asked.get<FuseDocument>("fuse", arguments);
    QCOMPARE(plan.groups.size(), std::size_t(1));
    QCOMPARE(plan.groups[0].implementation, std::string("own"));
    const auto answer = asked.ask("verify", arguments);
    if (!answer && answer.diag().code == DiagCode::TargetUnsupported)
        QSKIP("this CPU cannot run the level");
    const auto verified = asked.get<VerifyDocument>("verify", arguments).models.at(0);
    if (std::any_of(verified.rows.begin(), verified.rows.end(), [](const VerifyRow& row) {
            return row.reason.find("this CPU cannot run") != std::string::npos;
        }))
        QSKIP("this CPU cannot run the level");
    QCOMPARE(verified.differing + verified.notRun, std::int64_t(0));
    const auto own = std::find_if(verified.rows.begin(), verified.rows.end(),
                                  [](const VerifyRow& row) { return row.implementation == "own"; });
    QVERIFY(own != verified.rows.end());
    QVERIFY2(own->verdict == "exact" || own->verdict == "within", own->verdict.str().c_str());
}

void TestComputations::codeBehindIt() {
    const std::string model = "graph g(x: f32[1, 7, 9, 5]) -> y { w = const random(1) : f32[19, 7, "
                              "1, 1]  y = conv2d(x, w) }";
    const auto lanes = [&](const std::string& text) {
        const auto plan = Asked().get<FuseDocument>("fuse", on(model, "x86-64 -libs=", text));
        if (plan.groups[0].implementation != "own")
            throw InternalError("it is not chosen");
        return std::string(plan.groups[0].schedule).find("vectorize") != std::string::npos;
    };
    std::string plain = pointwise;
    plain.replace(plain.find("own compute"), 3, "own by generated.plain");
    QVERIFY(lanes(pointwise));
    QVERIFY(!lanes(plain));
}

void TestComputations::whatIsNotChosenSaysWhatItIs() {
    std::string text = pointwise;
    text.replace(text.find("priority 20"), 11, "priority 2 ");
    const auto plan = Asked().get<FuseDocument>(
        "fuse", on("graph g(x: f32[1, 7, 9, 5]) -> y { w = const random(1) : f32[19, 7, 1, 1]  y = "
                   "conv2d(x, w) }",
                   "x86-64 -libs=", text));
    QVERIFY(plan.groups[0].implementation != "own");
    const auto& all = plan.groups[0].candidates;
    const auto own =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.name == "own"; });
    QVERIFY(own != all.end());
    QCOMPARE(std::string(own->code), std::string("IMP06"));
}

void TestComputations::attributesOfAnySignAreTried_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("attributes");
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("right");
    const struct {
        const char *name, *op, *attributes, *body;
        bool right;
    } cases[] = {
        {"larger of both", "leaky_relu", ", attr alpha: float", "max(x[i...], alpha * x[i...])",
         false},
        {"both parts", "elu", ", attr alpha: float",
         "max(x[i...], 0) + min(alpha * (exp(x[i...]) - 1), 0)", false},
        {"positive ones above", "thresholded_relu", ", attr alpha: float",
         "select(alpha < x[i...], max(x[i...], 0), 0)", false},
        {"from where it is 0", "hard_sigmoid", ", attr alpha: float, attr beta: float",
         "min(1, alpha * max(x[i...], -beta / alpha) + beta)", false},
        {"halves upwards", "round", "", "floor(x[i...] + 0.5)", false},
        {"by a choice", "leaky_relu", ", attr alpha: float",
         "select(0 < x[i...], x[i...], alpha * x[i...])", true},
        {"by both signs", "leaky_relu", ", attr alpha: float",
         "max(x[i...], 0) + alpha * min(x[i...], 0)", true},
        {"halves downwards", "round", "", "-round(-x[i...])", true},
    };
    for (const auto& one : cases)
        QTest::newRow(one.name) << QString(one.op) << QString(one.attributes) << QString(one.body)
                                << one.right;
}

void TestComputations::attributesOfAnySignAreTried() {
    QFETCH(QString, op);
    QFETCH(QString, attributes);
    QFETCH(QString, body);
    QFETCH(bool, right);
    const QString text =
        QStringLiteral("op own (x: T[S...]%2) -> y: T[S...] { y[i...] = %3 }\n"
                       "implementations %1(...) on any { c compute own(x) priority 20 }\n")
            .arg(op, attributes, body);
    Arguments arguments;
    arguments.rules = {"/b/own.fw"};
    arguments.texts = {{"/b/own.fw", text.toStdString()}};
    const auto checked = Asked().get<CheckDocument>("check", arguments);
    const CheckItem& row = checked.items.at(1);
    QVERIFY2(row.verdict == (right ? "ok" : "refused"),
             row.diagnostics.empty() ? row.verdict.c_str() : row.diagnostics[0].text().c_str());
    if (!right)
        QVERIFY(row.diagnostics.at(0).code == DiagCode::OutputsDiffer);
}

FW_TEST(TestComputations, QCoreApplication)
#include "test_computations.moc"
