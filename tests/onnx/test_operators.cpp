// Nodes that the operator cases do not have: other domains, old opsets, operands that are computed.
// The reference gives what is expected, before and after the model was written and read again.
#include "common/test.h"
#include "onnx/judge.h"
#include "onnx/proto_types.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

double normal(double x) {
    return 0.5 * (1 + std::erf(x / std::sqrt(2)));
}

} // namespace

class TestOperators : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fusedMatMul();
    void gelus();
    void skipNormalization();
    void oldBroadcast();
    void axisOfCumSum();
    void axesThatAreComputed();
    void powersOfLargeExponents();
    void axesOfTransforms();
    void transformsBackOfOneSide();
    void modesThatAreNone();
    void groups();
    void convolutionsOfEveryRank_data();
    void convolutionsOfEveryRank();
    void scatterOfFewer();
    void scatterOfTruths();
    void einsums_data();
    void einsums();
};

void TestOperators::fusedMatMul() {
    M m = contrib();
    m.input("a", {"2", "2"}).input("b", {"2", "2"});
    auto& node = m.node("FusedMatMul", "a b", "y");
    node.set_domain("com.microsoft");
    M::set(node, "transA", 1);
    M::setReal(node, "alpha", 0.5F);
    m.output("y", {"2", "2"});
    const std::string wrong =
        judge(m, {reals({2, 2}, {1, 2, 3, 4}), reals({2, 2}, {1, 0, 2, 1})}, {3.5, 1.5, 5, 2});
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestOperators::gelus() {
    for (const char* type : {"Gelu", "BiasGelu", "FastGelu", "QuickGelu"}) {
        M m = contrib();
        m.input("x", {"1", "2"});
        const bool biased = std::string_view(type) == "BiasGelu";
        if (biased)
            m.weights("b", {2}, {1, -1});
        m.node(type, biased ? "x b" : "x", "y").set_domain("com.microsoft");
        m.output("y", {"1", "2"});
        std::vector<double> wanted;
        for (double x : {0.5, -1.0}) {
            x += biased ? (wanted.empty() ? 1 : -1) : 0;
            if (std::string_view(type) == "FastGelu")
                wanted.push_back(0.5 * x *
                                 (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))));
            else if (std::string_view(type) == "QuickGelu")
                wanted.push_back(x / (1 + std::exp(-1.702 * x)));
            else
                wanted.push_back(x * normal(x));
        }
        const std::string wrong = judge(m, {reals({1, 2}, {0.5, -1})}, wanted);
        QVERIFY2(wrong.empty(), (std::string(type) + ": " + wrong).c_str());
    }
}

void TestOperators::skipNormalization() {
    M m = contrib();
    m.input("x", {"1", "2"}).input("s", {"1", "2"});
    m.weights("g", {2}, {2, 2}).weights("t", {2}, {1, 0});
    m.node("SkipLayerNormalization", "x s g t", "y").set_domain("com.microsoft");
    m.output("y", {"1", "2"});
    const std::string wrong =
        judge(m, {reals({1, 2}, {1, 2}), reals({1, 2}, {0, 3})}, {2 * -1.0 + 1, 2 * 1.0});
    QVERIFY2(wrong.empty(), wrong.c_str());
}

// `axis` places the second operand where `broadcast` is 1; without the two NumPy's rule holds.
void TestOperators::oldBroadcast() {
    const auto model = [](const std::string& type, const std::vector<std::string>& second,
                          std::optional<std::int64_t> broadcast, std::optional<std::int64_t> axis) {
        M m(6);
        m.input("a", {"2", "2", "2"}).input("b", second);
        auto& node = m.node(type, "a b", "y");
        if (broadcast)
            M::set(node, "broadcast", *broadcast);
        if (axis)
            M::set(node, "axis", *axis);
        m.output("y", {"2", "2", "2"});
        return m;
    };
    const TensorData a = reals({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), b = reals({2}, {1, 2});
    const auto differs = [&](const M& m, const std::vector<double>& wanted) {
        const std::string wrong = judge(m, {a, b}, wanted);
        return wrong;
    };
    QCOMPARE(differs(model("Sub", {"2"}, 1, 1), {0, 1, 1, 2, 4, 5, 5, 6}), std::string());
    QCOMPARE(differs(model("Sub", {"2"}, 1, -2), {0, 1, 1, 2, 4, 5, 5, 6}), std::string());
    QCOMPARE(differs(model("Mul", {"2"}, 1, 0), {1, 2, 3, 4, 10, 12, 14, 16}), std::string());
    QCOMPARE(differs(model("Add", {"2"}, 1, {}), {2, 4, 4, 6, 6, 8, 8, 10}), std::string());
    QCOMPARE(differs(model("Div", {"2"}, 0, 0), {1, 1, 3, 2, 5, 3, 7, 4}), std::string());
    const std::string why = refusal(model("Pow", {"2", "2"}, 1, 2));
    QVERIFY2(why.find("axis + rank(R) <= rank(S) must hold") != std::string::npos, why.c_str());
    M constant(6);
    constant.input("a", {"2", "2"}).weights("b", {2}, {1, 2}).output("y", {"2", "2"});
    auto& node = constant.node("Add", "a b", "y");
    M::set(node, "broadcast", 1);
    QCOMPARE(operatorsOf(*read(constant.bytes())->graph), std::string("bias"));
}

// The axis is chosen while the model runs, counted from either end.
void TestOperators::axisOfCumSum() {
    M m(14);
    m.input("x", {"2", "2"}).input("axis", {}, i64);
    m.node("CumSum", "x axis", "y");
    m.output("y", {"2", "2"});
    for (const std::int64_t axis : {0, 1, -1, -2}) {
        const bool rows = axis == 0 || axis == -2;
        const std::string wrong =
            judge(m, {reals({2, 2}, {1, 2, 3, 4}), dataFromIntegers(DType::I64, {}, {axis})},
                  rows ? std::vector<double>{1, 2, 4, 6} : std::vector<double>{1, 3, 3, 7});
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

// Scale and shift for each group before opset 21, for each channel since.
void TestOperators::axesThatAreComputed() {
    for (const char* type : {"CumSum", "CumProd"})
        for (const std::int64_t axis : {0, 1, -1, -2}) {
            M m(26);
            m.input("x", {"2", "3"}).input("axis", {}, proto::TensorProto::INT64).output("y");
            m.node(type, "x axis", "y");
            const bool sums = std::string_view(type) == "CumSum";
            const std::vector<double> along = axis == 0 || axis == -2
                                                  ? std::vector<double>{1, 2, 3, 5, 7, 9}
                                                  : std::vector<double>{1, 3, 6, 4, 9, 15};
            const std::vector<double> product = axis == 0 || axis == -2
                                                    ? std::vector<double>{1, 2, 3, 4, 10, 18}
                                                    : std::vector<double>{1, 2, 6, 4, 20, 120};
            const std::string wrong = judge(
                m, {reals({2, 3}, {1, 2, 3, 4, 5, 6}), dataFromIntegers(DType::I64, {}, {axis})},
                sums ? along : product);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
}

// As NumPy has it, which computes in f64: what is even in f32 may be odd.
void TestOperators::powersOfLargeExponents() {
    const double inf = std::numeric_limits<double>::infinity();
    const Integers exponents{16777216, 16777217, -16777217, 33554433, 2, -1};
    const auto power = [&](double x, std::int64_t e) {
        return static_cast<double>(static_cast<float>(std::pow(x, static_cast<double>(e))));
    };
    for (const bool isKnown : {true, false})
        for (const std::int64_t e : exponents) {
            const std::vector<double> xs{-1, 1, -0.5, -2, -inf, 1.5};
            std::vector<double> wanted;
            for (const double x : xs)
                wanted.push_back(power(x, e));
            M m(15);
            m.input("x", {"6"}).output("y");
            std::vector<TensorData> data{reals({6}, xs)};
            if (isKnown) {
                m.integers("e", {e});
            } else {
                m.input("e", {"1"}, proto::TensorProto::INT64);
                data.push_back(dataFromIntegers(DType::I64, {1}, {e}));
            }
            m.node("Pow", "x e", "y");
            const auto read = test::read(m.bytes());
            QVERIFY2(read.ok() && read->diagnostics.empty(), "not read");
            const bool isPlain = isKnown && std::abs(e) <= 16777216;
            QCOMPARE(operatorsOf(*read->graph).find("cast") == std::string::npos, isPlain);
            const auto got = evaluateBound(*read->graph, data);
            QVERIFY2(got.ok(), got ? "" : got.diag().text().c_str());
            for (std::size_t i = 0; i < xs.size(); ++i) {
                const double found = got->at(0).at(i), meant = wanted[i];
                QVERIFY2(found == meant || std::fabs(found - meant) < 1e-5 * std::fabs(meant),
                         fmt::format("{} to {} is {}, not {}", xs[i], e, found, meant).c_str());
            }
        }
}

// The last axis holds the parts of a complex number.
void TestOperators::axesOfTransforms() {
    const auto said = [](std::int64_t axis, std::int64_t opset, bool isList) {
        M m(opset);
        m.input("x", {"2", "4", "1"}).output("y");
        if (opset < 20)
            M::set(m.node("DFT", "x", "y"), "axis", axis);
        else
            m.integers("axis", {axis}, !isList).node("DFT", "x - axis", "y");
        const auto read = test::read(m.bytes());
        if (!read)
            return read.diag().text();
        return read->diagnostics.empty() ? read->graph->type(read->graph->results()[0].value).text()
                                         : read->diagnostics.front().text();
    };
    for (const bool isList : {false, true})
        for (const std::int64_t opset : {17, 20}) {
            for (const std::int64_t axis : {-2, 1})
                QCOMPARE(said(axis, opset, isList), std::string("f32[2, 4, 2]"));
            QCOMPARE(said(-3, opset, isList), std::string("f32[2, 4, 2]"));
        }
    const std::string last = said(-1, 20, false);
    QVERIFY2(last.find("does not fit T[P..., N@axis, Q..., C] where axis is 2") !=
                 std::string::npos,
             last.c_str());
    const std::string beyond = said(3, 20, false);
    QVERIFY2(beyond.find("axis 3 is outside a tensor of rank 3") != std::string::npos,
             beyond.c_str());
}

// ONNX has them since opset 20 only.
void TestOperators::transformsBackOfOneSide() {
    M m(20);
    m.input("x", {"1", "3", "2"}).integers("axis", {1}, true).output("y");
    auto& node = m.node("DFT", "x - axis", "y");
    M::set(node, "inverse", 1);
    M::set(node, "onesided", 1);
    const auto read = test::read(m.bytes());
    QVERIFY(read.ok() && read->diagnostics.empty());
    QCOMPARE(operatorsOf(*read->graph), std::string("inverse_real_dft"));
    const auto written = exportModel(*read->graph);
    QVERIFY(written.ok());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QVERIFY(model.opset_import(0).version() >= 20);
    QCOMPARE(model.graph().node(0).input_size(), 3);
    const std::string wrong = judge(m, {reals({1, 3, 2}, {10, 0, -2, 2, -2, 0})}, {1, 2, 3, 4});
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestOperators::modesThatAreNone() {
    M m(16);
    m.input("x", {"1", "1", "4", "4"}).input("r", {"1", "4"}).output("y");
    m.integers("i", {0});
    M::setText(m.node("RoiAlign", "x r i", "y"), "mode", "middle");
    const auto read = test::read(m.bytes());
    QVERIFY(read.ok());
    const std::string text = read->diagnostics.front().text();
    QVERIFY2(text.find("and only \"max\" and \"avg\" are supported") != std::string::npos ||
                 text.find("and only \"avg\" and \"max\" are supported") != std::string::npos,
             text.c_str());
}

void TestOperators::groups() {
    for (const std::int64_t opset : {18, 21}) {
        M m(opset);
        m.input("x", {"1", "4", "1"});
        if (opset == 18)
            m.weights("g", {2}, {1, 2}).weights("t", {2}, {0, 1});
        else
            m.weights("g", {4}, {1, 1, 2, 2}).weights("t", {4}, {0, 0, 1, 1});
        auto& node = m.node("GroupNormalization", "x g t", "y");
        M::set(node, "num_groups", 2);
        m.output("y", {"1", "4", "1"});
        const std::string wrong = judge(m, {reals({1, 4, 1}, {-1, 1, 4, 8})},
                                        {-0.999995, 0.999995, -0.9999975, 2.9999975});
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

void TestOperators::convolutionsOfEveryRank_data() {
    QTest::addColumn<int>("rank");
    QTest::addColumn<bool>("transposed");
    for (const int rank : {1, 2, 3})
        for (const bool transposed : {false, true})
            QTest::addRow("%s of %d axes", transposed ? "transposed" : "convolution", rank)
                << rank << transposed;
}

// Groups, pads that differ, strides and dilations at random, against the sum as it is written down.
void TestOperators::convolutionsOfEveryRank() {
    QFETCH(int, rank);
    QFETCH(bool, transposed);
    std::mt19937 random(static_cast<unsigned>(rank) * 2 + transposed);
    const auto below = [&](std::int64_t limit) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
    };
    for (int round = 0; round < 12; ++round) {
        const std::int64_t groups = 1 + below(2), in = groups * (1 + below(2)),
                           out = groups * (1 + below(2));
        std::vector<std::int64_t> size, kernel, strides, dilations, before, behind, made;
        for (int axis = 0; axis < rank; ++axis) {
            kernel.push_back(1 + below(3));
            strides.push_back(1 + below(2));
            dilations.push_back(1 + below(2));
            before.push_back(below(2));
            behind.push_back(below(2));
            const std::int64_t reach = dilations.back() * (kernel.back() - 1);
            size.push_back(reach + 1 + below(3));
            made.push_back(
                transposed
                    ? (size.back() - 1) * strides.back() + reach + 1 - before.back() - behind.back()
                    : (size.back() + before.back() + behind.back() - reach - 1) / strides.back() +
                          1);
        }
        if (*std::min_element(made.begin(), made.end()) < 1)
            continue;
        const auto count = [](const std::vector<std::int64_t>& sizes) {
            return std::accumulate(sizes.begin(), sizes.end(), std::int64_t(1),
                                   std::multiplies<>());
        };
        // The place of an index behind `leading`, and whether it lies inside.
        const auto placeIn = [](const std::vector<std::int64_t>& sizes, std::int64_t leading,
                                const std::vector<std::int64_t>& index) {
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                if (index[i] < 0 || index[i] >= sizes[i])
                    return std::int64_t(-1);
                leading = leading * sizes[i] + index[i];
            }
            return leading;
        };
        const auto indexOf = [](const std::vector<std::int64_t>& sizes, std::int64_t place) {
            std::vector<std::int64_t> index(sizes.size());
            for (std::size_t i = sizes.size(); i-- > 0; place /= sizes[i])
                index[i] = place % sizes[i];
            return index;
        };
        std::vector<double> x(static_cast<std::size_t>(in * count(size)));
        std::vector<double> y(static_cast<std::size_t>(out * count(made)), 0.0);
        std::vector<float> w(static_cast<std::size_t>(in * out / groups * count(kernel)));
        for (double& one : x)
            one = static_cast<double>(below(7) - 3);
        for (float& one : w)
            one = static_cast<float>(below(7) - 3);
        const std::int64_t inGroup = in / groups, outGroup = out / groups;
        for (std::int64_t c = 0; c < in; ++c)
            for (std::int64_t o = c / inGroup * outGroup; o < (c / inGroup + 1) * outGroup; ++o)
                for (std::int64_t k = 0; k < count(kernel); ++k) {
                    const auto tap = indexOf(kernel, k);
                    const std::int64_t weight =
                        transposed ? (c * outGroup + o % outGroup) * count(kernel) + k
                                   : (o * inGroup + c % inGroup) * count(kernel) + k;
                    // From the side with fewer elements to the place on the other.
                    const auto& from = transposed ? size : made;
                    const auto& to = transposed ? made : size;
                    for (std::int64_t i = 0; i < count(from); ++i) {
                        auto index = indexOf(from, i);
                        for (std::size_t a = 0; a < index.size(); ++a)
                            index[a] = index[a] * strides[a] + tap[a] * dilations[a] - before[a];
                        const std::int64_t other = placeIn(to, transposed ? o : c, index);
                        if (other < 0)
                            continue;
                        const std::int64_t mine = (transposed ? c : o) * count(from) + i;
                        y[static_cast<std::size_t>(transposed ? other : mine)] +=
                            x[static_cast<std::size_t>(transposed ? mine : other)] *
                            static_cast<double>(w[static_cast<std::size_t>(weight)]);
                    }
                }
        M m(13);
        std::vector<std::int64_t> extents{1, in},
            weights{transposed ? in : out, transposed ? outGroup : inGroup};
        extents.insert(extents.end(), size.begin(), size.end());
        weights.insert(weights.end(), kernel.begin(), kernel.end());
        std::vector<std::string> dims;
        for (const std::int64_t extent : extents)
            dims.push_back(std::to_string(extent));
        m.input("x", dims).weights("w", weights, w);
        auto& node = m.node(transposed ? "ConvTranspose" : "Conv", "x w", "y");
        std::vector<std::int64_t> pads = before;
        pads.insert(pads.end(), behind.begin(), behind.end());
        M::set(node, "group", groups);
        M::set(node, "pads", pads);
        M::set(node, "strides", strides);
        M::set(node, "dilations", dilations);
        m.output("y");
        const std::string wrong = judge(m, {reals(extents, x)}, y);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

void TestOperators::scatterOfFewer() {
    M m(16);
    m.input("x", {"3", "2"}).input("i", {"2", "1"}, i64).input("u", {"2", "1"});
    M::setText(m.node("ScatterElements", "x i u", "y", "put"), "reduction", "add");
    m.output("y", {"3", "2"});
    const std::string wrong =
        judge(m,
              {reals({3, 2}, {1, 2, 3, 4, 5, 6}), dataFromIntegers(DType::I64, {2, 1}, {-1, 2}),
               reals({2, 1}, {10, 20})},
              {1, 2, 3, 4, 35, 6});
    QVERIFY2(wrong.empty(), wrong.c_str());
    M more(16);
    more.input("x", {"3", "2"}).input("i", {"2", "3"}, i64).input("u", {"2", "3"});
    more.node("ScatterElements", "x i u", "y", "put");
    more.output("y", {"3", "2"});
    const auto read = test::read(more.bytes());
    QVERIFY(!read.ok());
    QVERIFY2(read.diag().message.find("all(B <= Q) must hold: Q[0] = 2") != std::string::npos,
             read.diag().text().c_str());
}

// As ONNX Runtime has it: a sum of truths is whether any is, a product whether all are. 256 updates
// of one element would be 0 in eight bits.
void TestOperators::scatterOfTruths() {
    const auto truths = [](std::vector<std::int64_t> values) {
        const auto count = static_cast<std::int64_t>(values.size());
        return dataFromIntegers(DType::Bool, {count}, values);
    };
    const TensorData x = truths({0, 1, 1});
    for (const auto& [reduction, wanted] : {std::pair("add", std::vector<double>{1, 1, 1}),
                                            std::pair("mul", std::vector<double>{0, 0, 1}),
                                            std::pair("max", std::vector<double>{1, 1, 1}),
                                            std::pair("min", std::vector<double>{0, 0, 1})})
        for (const std::string type : {"ScatterElements", "ScatterND"}) {
            constexpr int boolean = proto::TensorProto::BOOL;
            M m(18);
            m.input("x", {"3"}, boolean).input("u", {"258"}, boolean);
            const std::vector<std::string> places = type == "ScatterND"
                                                        ? std::vector<std::string>{"258", "1"}
                                                        : std::vector<std::string>{"258"};
            m.input("i", places, i64);
            M::setText(m.node(type, "x i u", "y", "put"), "reduction", reduction);
            m.output("y", {"3"}, boolean);
            std::vector<std::int64_t> updates(258, 1), where(258, 0);
            updates[256] = 0, where[256] = 1;
            updates[257] = 1, where[257] = 2;
            std::vector<std::int64_t> extents = {258};
            if (type == "ScatterND")
                extents.push_back(1);
            const std::string wrong = judge(
                m, {x, truths(updates), dataFromIntegers(DType::I64, extents, where)}, wanted);
            QVERIFY2(wrong.empty(), (type + " " + reduction + ": " + wrong).c_str());
        }
}

void TestOperators::einsums_data() {
    QTest::addColumn<QString>("equation");
    QTest::addColumn<QList<double>>("wanted");
    // a = [[1, 2], [3, 4]], b = [[5, 6], [7, 8]]
    QTest::newRow("product") << "ij,jk->ik" << QList<double>{19, 22, 43, 50};
    QTest::newRow("implicit") << "ij,jk" << QList<double>{19, 22, 43, 50};
    QTest::newRow("inner") << "ij,ij->" << QList<double>{70};
    QTest::newRow("outer rows") << "ij,kj->ki" << QList<double>{17, 39, 23, 53};
    QTest::newRow("element by element") << "ij,ij->ji" << QList<double>{5, 21, 12, 32};
    QTest::newRow("summed before") << "ij,kl->ik" << QList<double>{33, 45, 77, 105};
    QTest::newRow("diagonals") << "ii,jj->ij" << QList<double>{5, 8, 20, 32};
    QTest::newRow("rest") << "...j,jk->...k" << QList<double>{19, 22, 43, 50};
}

void TestOperators::einsums() {
    QFETCH(QString, equation);
    QFETCH(QList<double>, wanted);
    M m(12);
    m.input("a", {"2", "2"}).input("b", {"2", "2"});
    auto* attribute = m.node("Einsum", "a b", "y").add_attribute();
    attribute->set_name("equation");
    attribute->set_type(proto::AttributeProto::STRING);
    attribute->set_s(equation.toStdString());
    m.output("y");
    const std::string wrong = judge(m, {reals({2, 2}, {1, 2, 3, 4}), reals({2, 2}, {5, 6, 7, 8})},
                                    {wanted.begin(), wanted.end()});
    QVERIFY2(wrong.empty(), wrong.c_str());
}

FW_TEST(TestOperators, QCoreApplication)
#include "test_operators.moc"
