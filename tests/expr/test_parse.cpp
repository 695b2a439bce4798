// Expressions read back as the same value; mistakes in them are refused with a reason.
#include "common/test.h"
#include "expr/parse.h"

#include <random>

using namespace fw;

namespace {

// Tensors whose name starts with a dtype have it.
ExprScope scope() {
    ExprScope out;
    out.file = "t";
    out.variable = [](const std::string& name) -> std::optional<Expr> {
        if (name == "unknown")
            return std::nullopt;
        return varExpr(name);
    };
    out.tensor = [](const std::string& name) -> std::optional<DType> {
        return parseDtype(name.substr(0, name.find('_')));
    };
    return out;
}

class Maker {
public:
    explicit Maker(unsigned seed) : m_random(seed) {}

    Expr value(DType dtype, int depth) {
        if (depth == 0 || pick(6) == 0) {
            if (pick(2) == 0)
                return isFloat(dtype) ? floatExpr(static_cast<double>(pick(100)) / 8 - 3, dtype)
                                      : intExpr(static_cast<std::int64_t>(pick(20)) - 9, dtype);
            const std::string name = std::string(dtypeText(dtype)) + "_x";
            if (dtype == DType::I64 && pick(2) == 0)
                return varExpr(pick(2) == 0 ? "i" : "N");
            const Expr load = loadExpr(name, {value(DType::I64, 0), varExpr("j")}, dtype);
            return pick(3) == 0 ? padExpr(load, constantExpr(0, dtype)) : load;
        }
        const auto sub = [&] { return value(dtype, depth - 1); };
        switch (pick(11)) {
        case 0:
            return sub() + sub();
        case 1:
            return sub() - sub();
        case 2:
            return sub() * sub();
        case 3:
            return divExpr(sub(), sub());
        case 4:
            return isFloat(dtype) ? callExpr(MathFn::Tanh, {sub()})
                                  : floorDivExpr(sub(), intExpr(3, dtype));
        case 5:
            return isFloat(dtype) ? callExpr(MathFn::Pow, {sub(), sub()})
                                  : modExpr(sub(), intExpr(5, dtype));
        case 6:
            return minExpr(sub(), sub());
        case 7:
            return selectExpr(truth(depth - 1), sub(), sub());
        case 8:
            return castExpr(value(DType::I64, depth - 1), dtype);
        case 9:
            return -sub();
        default:
            return fmaExpr(sub(), sub(), sub());
        }
    }

    Expr truth(int depth) {
        if (depth <= 0)
            return ltExpr(varExpr("i"), varExpr("N"));
        switch (pick(5)) {
        case 0:
            return andExpr(truth(depth - 1), truth(depth - 1));
        case 1:
            return orExpr(truth(depth - 1), truth(depth - 1));
        case 2:
            return notExpr(truth(depth - 1));
        case 3:
            return leExpr(value(DType::F32, depth - 1), value(DType::F32, depth - 1));
        default:
            return neExpr(value(DType::I64, depth - 1), value(DType::I64, depth - 1));
        }
    }

private:
    unsigned pick(unsigned below) { return static_cast<unsigned>(m_random() % below); }
    std::mt19937 m_random;
};

} // namespace

class TestParse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsBack();
    void mistakes_data();
    void mistakes();
};

void TestParse::readsBack() {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        constexpr DType dtypes[] = {DType::F32, DType::I64, DType::F64, DType::I32};
        const Expr e = Maker(seed).value(dtypes[seed % 4], 1 + static_cast<int>(seed % 5));
        const auto back = parseExpr(e.text(), scope());
        QVERIFY2(back.ok(), (e.text() + "\n" + (back.ok() ? "" : back.diag().text())).c_str());
        QVERIFY2(*back == e, (e.text() + "\n" + back->text()).c_str());
    }
    for (const char* text :
         {"inf", "-inf", "true", "false", "f64(0.1)", "-3", "i32(-3)", "1e-05", "div(i, 2)"})
        QCOMPARE(parseExpr(text, scope())->text(), std::string(text));
}

void TestParse::mistakes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* text, const char* message) {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(message);
    };
    row("unknown + 1", "t:1:1: error TXT02: 'unknown' is not known here");
    row("other[i]", "t:1:1: error TXT02: there is no tensor 'other'");
    row("f32_x[i] + f64_x[i]",
        "t:1:1: error TXT03: '+' has operands of different types, f32 and f64");
    row("f32_x[0.5]", "t:1:7: error TXT03: an index is an integer");
    row("i && N", "t:1:1: error TXT03: '&&' takes truths");
    row("exp(i)", "t:1:1: error TXT03: exp() takes a float, not i64");
    row("exp(1, 2)", "t:1:1: error TXT03: exp() takes 1 operand, not 2");
    row("nothing(1)", "t:1:1: error TXT02: there is no function 'nothing'");
    row("select(i, 1, 2)", "t:1:1: error TXT03: the condition of select() is not a truth");
    row("i / 0", "t:1:1: error TXT03: division by 0");
    row("pad(i, 0)", "t:1:1: error TXT03: pad() takes a read of a tensor");
    row("[1]", "t:1:1: error TXT03: a scalar expression expected");
    row("!i", "t:1:1: error TXT03: '!' takes a truth");
}

void TestParse::mistakes() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    const auto result = parseExpr(text.toStdString(), scope());
    QVERIFY(!result.ok());
    QCOMPARE(QString::fromStdString(result.diag().text()), message);
}

FW_TEST(TestParse, QCoreApplication)
#include "test_parse.moc"
