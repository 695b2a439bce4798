// Rotary embeddings of opset 23 and of com.microsoft against their definition.
#include "common/test.h"
#include "onnx/heads.h"

#include <functional>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

// Pairs of the first 2 R elements of each row turned by the angles of place `place(b, s)`.
Heads turned(const Heads& x, Extent R, bool interleaved, const std::vector<double>& cosines,
             const std::vector<double>& sines,
             const std::function<Extent(Extent b, Extent s)>& place) {
    Heads out = x;
    for (Extent b = 0; b < x.b; ++b)
        for (Extent h = 0; h < x.h; ++h)
            for (Extent s = 0; s < x.s; ++s)
                for (Extent r = 0; r < R; ++r) {
                    const Extent i = interleaved ? 2 * r : r, j = interleaved ? i + 1 : r + R;
                    const auto at = static_cast<std::size_t>(place(b, s) * R + r);
                    out.at(b, h, s, i) =
                        x.at(b, h, s, i) * cosines[at] - x.at(b, h, s, j) * sines[at];
                    out.at(b, h, s, j) =
                        x.at(b, h, s, j) * cosines[at] + x.at(b, h, s, i) * sines[at];
                }
    return out;
}

} // namespace

class TestRotary : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void byRows_data();
    void byRows();
    void byOffset();
};

void TestRotary::byRows_data() {
    QTest::addColumn<bool>("contribution");
    QTest::addColumn<bool>("joined");
    QTest::addColumn<bool>("interleaved");
    QTest::addColumn<bool>("byPlaces"); // rows of a table
    QTest::addColumn<bool>("partly");   // not the whole row
    for (const bool contribution : {false, true})
        for (const bool joined : {false, true})
            for (const bool interleaved : {false, true})
                for (const bool partly : {false, true})
                    for (const bool byPlaces : {false, true})
                        if (byPlaces || !contribution)
                            QTest::addRow("%s%s%s%s%s", contribution ? "com.microsoft" : "opset 23",
                                          joined ? ", joined" : "",
                                          interleaved ? ", interleaved" : "",
                                          partly ? ", partly" : "", byPlaces ? ", by places" : "")
                                << contribution << joined << interleaved << byPlaces << partly;
}

void TestRotary::byRows() {
    QFETCH(bool, contribution);
    QFETCH(bool, joined);
    QFETCH(bool, interleaved);
    QFETCH(bool, byPlaces);
    QFETCH(bool, partly);
    constexpr Extent B = 2, H = 3, S = 2, D = 6, rows = 5;
    const Extent R = partly ? 2 : 3;
    const Heads x = heads(B, H, S, D, 1);
    const auto count = static_cast<std::size_t>((byPlaces ? rows : B * S) * R);
    const std::vector<double> cosines = numbers(count, 2), sines = numbers(count, 3);
    const std::vector<std::int64_t> places{4, 0, 2, 3};
    M m = contribution ? contrib() : M(23);
    m.input("x", joined ? dims({B, S, H * D}) : dims({B, H, S, D}));
    std::vector<TensorData> inputs{joined ? reals({B, S, H * D}, flat(x))
                                          : reals({B, H, S, D}, x.values)};
    for (const auto& [name, values] : {std::pair("c", cosines), std::pair("s", sines)}) {
        m.input(name, byPlaces ? dims({rows, R}) : dims({B, S, R}));
        inputs.push_back(byPlaces ? reals({rows, R}, values) : reals({B, S, R}, values));
    }
    if (byPlaces) {
        m.input("p", dims({B, S}), proto::TensorProto::INT64);
        inputs.push_back(dataFromIntegers(DType::I64, {B, S}, places));
    }
    auto& node = m.node("RotaryEmbedding",
                        contribution ? "x p c s"
                        : byPlaces   ? "x c s p"
                                     : "x c s",
                        "y");
    if (contribution)
        node.set_domain("com.microsoft");
    M::set(node, "interleaved", interleaved);
    if (joined && (partly || !contribution))
        M::set(node, "num_heads", H);
    if (partly)
        M::set(node, "rotary_embedding_dim", 2 * R);
    m.output("y");
    const Heads wanted = turned(x, R, interleaved, cosines, sines, [&](Extent b, Extent s) {
        return byPlaces ? places[static_cast<std::size_t>(b * S + s)] : b * S + s;
    });
    const std::string wrong = judge(m, inputs, joined ? flat(wanted) : wanted.values);
    QVERIFY2(wrong.empty(), wrong.c_str());
}

// One place for the first row of every batch.
void TestRotary::byOffset() {
    constexpr Extent B = 2, H = 1, S = 3, D = 2, rows = 6;
    const Heads x = heads(B, H, S, D, 1);
    const std::vector<double> cosines = numbers(rows, 2), sines = numbers(rows, 3);
    M m = contrib();
    m.input("x", dims({B, H, S, D})).input("p", {"1"}, proto::TensorProto::INT64);
    m.weights("c", {rows, 1}, {cosines.begin(), cosines.end()});
    m.weights("s", {rows, 1}, {sines.begin(), sines.end()});
    m.node("RotaryEmbedding", "x p c s", "y").set_domain("com.microsoft");
    m.output("y");
    const Heads wanted =
        turned(x, 1, false, cosines, sines, [](Extent, Extent s) { return 2 + s; });
    const std::string wrong = judge(
        m, {reals({B, H, S, D}, x.values), dataFromIntegers(DType::I64, {1}, {2})}, wanted.values);
    QVERIFY2(wrong.empty(), wrong.c_str());
}

FW_TEST(TestRotary, QCoreApplication)
#include "test_rotary.moc"
