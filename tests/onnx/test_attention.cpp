// Attention against the sums as they are written down, in double precision.
#include "common/test.h"
#include "onnx/heads.h"

#include <functional>
#include <limits>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

Heads behind(const Heads& past, const Heads& x) {
    Heads out = empty(x.b, x.h, past.s + x.s, x.d);
    for (Extent b = 0; b < x.b; ++b)
        for (Extent h = 0; h < x.h; ++h)
            for (Extent s = 0; s < out.s; ++s)
                for (Extent d = 0; d < x.d; ++d)
                    out.at(b, h, s, d) =
                        s < past.s ? past.at(b, h, s, d) : x.at(b, h, s - past.s, d);
    return out;
}

// What is added to the score of query s and key t, of one head.
using Mask = std::function<double(Extent b, Extent h, Extent s, Extent t)>;

Heads attention(const Heads& q, const Heads& k, const Heads& v, double scale, double softcap,
                const Mask& mask) {
    Heads out = empty(q.b, q.h, q.s, v.d);
    for (Extent b = 0; b < q.b; ++b)
        for (Extent h = 0; h < q.h; ++h)
            for (Extent s = 0; s < q.s; ++s) {
                const Extent g = h / (q.h / k.h);
                std::vector<double> weights;
                double sum = 0;
                for (Extent t = 0; t < k.s; ++t) {
                    double score = 0;
                    for (Extent d = 0; d < q.d; ++d)
                        score += q.at(b, h, s, d) * k.at(b, g, t, d);
                    score *= scale;
                    if (softcap != 0)
                        score = softcap * std::tanh(score / softcap);
                    weights.push_back(std::exp(score + mask(b, h, s, t)));
                    sum += weights.back();
                }
                for (Extent t = 0; t < k.s; ++t)
                    for (Extent d = 0; d < v.d; ++d)
                        out.at(b, h, s, d) +=
                            weights[static_cast<std::size_t>(t)] / sum * v.at(b, g, t, d);
            }
    return out;
}

double unmasked(Extent, Extent, Extent, Extent) {
    return 0;
}

proto::NodeProto& contribNode(M& m, const std::string& type, const std::string& inputs,
                              const std::string& outputs) {
    auto& node = m.node(type, inputs, outputs);
    node.set_domain("com.microsoft");
    return node;
}

} // namespace

class TestAttention : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyForm_data();
    void everyForm();
    void pastAndPresent_data();
    void pastAndPresent();
    void freeSizes();
    void refusals();
    void oneProjection_data();
    void oneProjection();
    void threeOperands_data();
    void threeOperands();
    void contribRefusals();
    void hugeWidths();
    void simplifiedNormalization();
};

void TestAttention::everyForm_data() {
    QTest::addColumn<bool>("joined"); // [B, S, H * D]
    QTest::addColumn<int>("groups");
    QTest::addColumn<QString>("mask");
    QTest::addColumn<bool>("causal");
    QTest::addColumn<double>("softcap");
    QTest::addColumn<double>("scale");
    QTest::newRow("plain") << false << 4 << "" << false << 0.0 << 0.0;
    QTest::newRow("joined heads") << true << 4 << "" << false << 0.0 << 0.0;
    QTest::newRow("groups") << false << 2 << "" << false << 0.0 << 0.5;
    QTest::newRow("joined groups") << true << 2 << "" << true << 0.0 << 0.0;
    QTest::newRow("one head of keys") << true << 1 << "rows" << false << 0.0 << 0.0;
    QTest::newRow("a truth each") << false << 4 << "truths" << false << 0.0 << 0.0;
    QTest::newRow("a number each, groups") << false << 2 << "all" << false << 0.0 << 0.0;
    QTest::newRow("numbers for all heads, groups") << true << 2 << "heads" << false << 0.0 << 0.0;
    QTest::newRow("causal") << false << 4 << "" << true << 0.0 << 1.0;
    QTest::newRow("causal and truths") << true << 2 << "truths" << true << 0.0 << 0.0;
    QTest::newRow("capped") << false << 4 << "" << false << 0.75 << 0.0;
    QTest::newRow("capped, truths") << false << 2 << "truths" << true << 0.75 << 0.0;
}

void TestAttention::everyForm() {
    QFETCH(bool, joined);
    QFETCH(int, groups);
    QFETCH(QString, mask);
    QFETCH(bool, causal);
    QFETCH(double, softcap);
    QFETCH(double, scale);
    constexpr Extent B = 2, H = 4, S = 3, T = 5, D = 4, E = 2;
    const Extent G = groups;
    const Heads q = heads(B, H, S, D, 1), k = heads(B, G, T, D, 2), v = heads(B, G, T, E, 3);
    M m(23);
    std::vector<TensorData> inputs;
    if (joined) {
        m.input("q", dims({B, S, H * D})).input("k", dims({B, T, G * D}));
        m.input("v", dims({B, T, G * E}));
        inputs = {reals({B, S, H * D}, flat(q)), reals({B, T, G * D}, flat(k)),
                  reals({B, T, G * E}, flat(v))};
    } else {
        m.input("q", dims({B, H, S, D})).input("k", dims({B, G, T, D}));
        m.input("v", dims({B, G, T, E}));
        inputs = {reals({B, H, S, D}, q.values), reals({B, G, T, D}, k.values),
                  reals({B, G, T, E}, v.values)};
    }
    Mask added = unmasked;
    const std::vector<double> some = numbers(B * H * S * T, 4);
    const auto here = [&](Extent i) { return some[static_cast<std::size_t>(i)]; };
    if (mask == u"truths") { // of every query the keys but every third one
        std::vector<double> truths;
        for (Extent i = 0; i < S * T; ++i)
            truths.push_back(i % 3 == 1 ? 0 : 1);
        m.input("m", dims({S, T}), proto::TensorProto::BOOL);
        inputs.push_back(dataFromDoubles(DType::Bool, {S, T}, truths));
        added = [](Extent, Extent, Extent s, Extent t) { return (s * T + t) % 3 == 1 ? never : 0; };
    } else if (mask == u"rows") {
        m.input("m", dims({S, T}));
        inputs.push_back(reals({S, T}, {some.begin(), some.begin() + S * T}));
        added = [&](Extent, Extent, Extent s, Extent t) { return here(s * T + t); };
    } else if (mask == u"heads") {
        m.input("m", dims({B, 1, S, T}));
        inputs.push_back(reals({B, 1, S, T}, {some.begin(), some.begin() + B * S * T}));
        added = [&](Extent b, Extent, Extent s, Extent t) { return here((b * S + s) * T + t); };
    } else if (mask == u"all") {
        m.input("m", dims({B, H, S, T}));
        inputs.push_back(reals({B, H, S, T}, some));
        added = [&](Extent b, Extent h, Extent s, Extent t) {
            return here(((b * H + h) * S + s) * T + t);
        };
    }
    auto& node = m.node("Attention", mask.isEmpty() ? "q k v" : "q k v m", "y");
    if (joined) {
        M::set(node, "q_num_heads", H);
        M::set(node, "kv_num_heads", G);
    }
    if (causal)
        M::set(node, "is_causal", 1);
    if (softcap != 0)
        M::setReal(node, "softcap", static_cast<float>(softcap));
    if (scale != 0)
        M::setReal(node, "scale", static_cast<float>(scale));
    m.output("y");
    const Heads wanted = attention(q, k, v, scale == 0 ? 0.5 : scale, softcap,
                                   [&](Extent b, Extent h, Extent s, Extent t) {
                                       return causal && t > s ? never : added(b, h, s, t);
                                   });
    const std::string wrong = judge(m, inputs, joined ? flat(wanted) : wanted.values);
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestAttention::pastAndPresent_data() {
    QTest::addColumn<bool>("free"); // the past is of any length
    QTest::newRow("fixed") << false;
    QTest::newRow("free") << true;
}

void TestAttention::pastAndPresent() {
    QFETCH(bool, free);
    constexpr Extent B = 1, H = 2, S = 2, P = 3, D = 4;
    const Heads q = heads(B, H, S, D, 1), k = heads(B, H, S, D, 2), v = heads(B, H, S, D, 3),
                pk = heads(B, H, P, D, 4), pv = heads(B, H, P, D, 5);
    M m(23);
    const std::vector<std::string> past =
        free ? std::vector<std::string>{"1", "2", "P", "4"} : dims({B, H, P, D});
    for (const char* name : {"q", "k", "v"})
        m.input(name, dims({B, S, H * D}));
    m.input("pk", past).input("pv", past);
    auto& node = m.node("Attention", "q k v - pk pv", "y nk nv");
    M::set(node, "q_num_heads", H);
    M::set(node, "kv_num_heads", H);
    M::set(node, "is_causal", 1);
    m.output("y").output("nk").output("nv");
    const Heads allK = behind(pk, k), allV = behind(pv, v);
    const Heads wanted = attention(q, allK, allV, 0.5, 0, [](Extent, Extent, Extent s, Extent t) {
        return t > s + P ? never : 0;
    });
    const std::vector<TensorData> inputs{
        reals({B, S, H * D}, flat(q)), reals({B, S, H * D}, flat(k)), reals({B, S, H * D}, flat(v)),
        reals({B, H, P, D}, pk.values), reals({B, H, P, D}, pv.values)};
    if (!free) {
        const std::string wrong = judgeAll(m, inputs, {flat(wanted), allK.values, allV.values});
        QVERIFY2(wrong.empty(), wrong.c_str());
        return;
    }
    ImportOptions options;
    QVERIFY2(refusal(m).empty(), refusal(m).c_str());
    options.dims["P"] = P;
    const auto bound = importModelBytes(m.bytes(), standardOperators(), options);
    QVERIFY(bound.ok());
    const std::string wrong =
        resultsOf(*bound->graph, inputs, {flat(wanted), allK.values, allV.values});
    QVERIFY2(wrong.empty(), wrong.c_str());
}

// A model whose batch and lengths are free is read whole.
void TestAttention::freeSizes() {
    M m(23);
    m.input("q", {"B", "S", "8"}).input("k", {"B", "T", "4"}).input("v", {"B", "T", "4"});
    auto& node = m.node("Attention", "q k v", "y");
    M::set(node, "q_num_heads", 4);
    M::set(node, "kv_num_heads", 2);
    M::set(node, "is_causal", 1);
    m.output("y");
    QVERIFY2(refusal(m).empty(), refusal(m).c_str());
    const auto read = test::read(m.bytes());
    QVERIFY(read.ok());
    QCOMPARE(read->graph->type(read->graph->results()[0].value).text(),
             std::string("f32[B, S, 8]"));
    QVERIFY(writtenAndRead(*read->graph).ok());
}

void TestAttention::refusals() {
    const auto why = [](const char* inputs, const char* outputs, const auto& change) {
        M m(24);
        for (const char* name : {"q", "k", "v"})
            m.input(name, dims({1, 2, 3, 4}));
        m.input("wide", dims({3, 5})).input("n", {"1"}, proto::TensorProto::INT64);
        m.input("past", dims({1, 2, 3, 4}));
        auto& node = m.node("Attention", inputs, outputs);
        change(node);
        m.output("y");
        if (std::string_view(outputs).size() > 1)
            m.output("s");
        return refusal(m);
    };
    const auto same = [](proto::NodeProto&) {};
    for (const auto& [text, part] :
         {std::pair(why("q k v", "y - - s",
                        [](proto::NodeProto& node) { M::set(node, "qk_matmul_output_mode", 4); }),
                    "qk_matmul_output_mode 4"),
          std::pair(why("q k v wide", "y", same), "for 3 keys"),
          std::pair(why("q k v - past past n", "y", same), "nonpad_kv_seqlen is given beside"),
          std::pair(why("q k v", "y",
                        [](proto::NodeProto& node) { M::set(node, "softmax_precision", 11); }),
                    "softmax_precision 11")})
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
}

void TestAttention::oneProjection_data() {
    QTest::addColumn<QString>("mask");
    QTest::addColumn<bool>("causal");
    QTest::addColumn<bool>("otherValues"); // of another size than the keys
    QTest::newRow("plain") << "" << false << false;
    QTest::newRow("keys that are padding") << "keys" << false << false;
    QTest::newRow("a mask of every pair, causal") << "pairs" << true << true;
}

void TestAttention::oneProjection() {
    QFETCH(QString, mask);
    QFETCH(bool, causal);
    QFETCH(bool, otherValues);
    constexpr Extent B = 2, S = 3, I = 4, H = 2, D = 2;
    const Extent E = otherValues ? 3 : 2, columns = H * (2 * D + E);
    const std::vector<double> x = numbers(B * S * I, 1),
                              w = numbers(static_cast<std::size_t>(I * columns), 2),
                              bias = numbers(static_cast<std::size_t>(columns), 3);
    std::vector<double> parts[3];
    const Extent sizes[] = {H * D, H * D, H * E};
    for (Extent row = 0; row < B * S; ++row)
        for (Extent column = 0, part = 0, first = 0; column < columns; ++column) {
            if (column == first + sizes[part])
                first += sizes[part++];
            double sum = bias[static_cast<std::size_t>(column)];
            for (Extent i = 0; i < I; ++i)
                sum += x[static_cast<std::size_t>(row * I + i)] *
                       w[static_cast<std::size_t>(i * columns + column)];
            parts[part].push_back(sum);
        }
    M m = contrib();
    m.input("x", dims({B, S, I}));
    m.weights("w", {I, columns}, {w.begin(), w.end()});
    m.weights("b", {columns}, {bias.begin(), bias.end()});
    std::vector<TensorData> inputs{reals({B, S, I}, x)};
    Mask added = unmasked;
    if (mask == u"keys") { // the last key of the second row is padding
        m.input("m", dims({B, S}), proto::TensorProto::INT32);
        inputs.push_back(dataFromIntegers(DType::I32, {B, S}, {1, 1, 1, 1, 1, 0}));
        added = [](Extent b, Extent, Extent, Extent t) { return b == 1 && t == 2 ? -5000 : 0; };
    } else if (mask == u"pairs") {
        m.input("m", dims({B, S, S}), proto::TensorProto::INT32);
        std::vector<std::int64_t> pairs(B * S * S, 1);
        pairs[3 * 2 + 1] = 0;
        inputs.push_back(dataFromIntegers(DType::I32, {B, S, S}, pairs));
        added = [](Extent b, Extent, Extent s, Extent t) {
            return b == 0 && s == 2 && t == 1 ? -5000 : 0;
        };
    }
    auto& node = contribNode(m, "Attention", mask.isEmpty() ? "x w b" : "x w b m", "y");
    M::set(node, "num_heads", H);
    M::setReal(node, "mask_filter_value", -5000);
    M::set(node, "unidirectional", causal);
    if (otherValues)
        M::set(node, "qkv_hidden_sizes", std::vector<Extent>{H * D, H * D, H * E});
    m.output("y");
    const Heads wanted = attention(fromFlat(B, H, S, D, parts[0]), fromFlat(B, H, S, D, parts[1]),
                                   fromFlat(B, H, S, E, parts[2]), 1 / std::sqrt(2.0), 0,
                                   [&](Extent b, Extent h, Extent s, Extent t) {
                                       return causal && t > s ? never : added(b, h, s, t);
                                   });
    const std::string wrong = judge(m, inputs, flat(wanted));
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestAttention::threeOperands_data() {
    QTest::addColumn<bool>("past");
    QTest::addColumn<bool>("keysApart"); // [B, H, T, D] already
    QTest::newRow("bias, mask, bias of the scores") << false << false;
    QTest::newRow("behind a past, causal") << true << false;
    QTest::newRow("keys as heads") << false << true;
}

void TestAttention::threeOperands() {
    QFETCH(bool, past);
    QFETCH(bool, keysApart);
    constexpr Extent B = 2, S = 2, P = 1, H = 2, D = 2;
    const Extent T = past ? S : 3, all = past ? P + S : T;
    Heads q = heads(B, H, S, D, 1), k = heads(B, H, T, D, 2), v = heads(B, H, T, D, 3);
    const Heads pk = heads(B, H, P, D, 4), pv = heads(B, H, P, D, 5);
    const std::vector<double> bias = numbers(3 * H * D, 6),
                              scores = numbers(static_cast<std::size_t>(H * S * all), 7);
    M m = contrib();
    m.input("q", dims({B, S, H * D}));
    std::vector<TensorData> inputs{reals({B, S, H * D}, flat(q))};
    for (const auto& [name, x] : {std::pair("k", k), std::pair("v", v)}) {
        m.input(name, keysApart ? dims({B, H, T, D}) : dims({B, T, H * D}));
        inputs.push_back(keysApart ? reals({B, H, T, D}, x.values) : reals({B, T, H * D}, flat(x)));
    }
    m.weights("b", {3 * H * D}, {bias.begin(), bias.end()});
    m.input("m", dims({B, all}), proto::TensorProto::INT32).input("a", dims({1, H, S, all}));
    std::vector<std::int64_t> seen(static_cast<std::size_t>(B * all), 1);
    seen.back() = 0;
    inputs.push_back(dataFromIntegers(DType::I32, {B, all}, seen));
    inputs.push_back(reals({1, H, S, all}, scores));
    if (past) {
        m.input("pk", dims({B, H, P, D})).input("pv", dims({B, H, P, D}));
        inputs.push_back(reals({B, H, P, D}, pk.values));
        inputs.push_back(reals({B, H, P, D}, pv.values));
    }
    auto& node = contribNode(m, "MultiHeadAttention",
                             past        ? "q k v b m a pk pv"
                             : keysApart ? "q k v - m a"
                                         : "q k v b m a",
                             past ? "y nk nv" : "y");
    M::set(node, "num_heads", H);
    M::setReal(node, "scale", 0.25F);
    M::set(node, "unidirectional", past);
    m.output("y");
    if (past)
        m.output("nk").output("nv");
    int part = 0;
    if (!keysApart)
        for (Heads* x : {&q, &k, &v}) {
            std::vector<double> values = flat(*x);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] += bias[static_cast<std::size_t>(part * H * D) + i % (H * D)];
            *x = fromFlat(x->b, x->h, x->s, x->d, values);
            ++part;
        }
    if (past) {
        k = behind(pk, k);
        v = behind(pv, v);
    }
    const Heads wanted = attention(q, k, v, 0.25, 0, [&](Extent b, Extent h, Extent s, Extent t) {
        const double own = scores[static_cast<std::size_t>((h * S + s) * all + t)];
        return past && t > s + P ? never : own - (b == 1 && t == all - 1 ? 10000 : 0);
    });
    std::vector<std::vector<double>> results{flat(wanted)};
    if (past)
        results.insert(results.end(), {k.values, v.values});
    const std::string wrong = judgeAll(m, inputs, results);
    QVERIFY2(wrong.empty(), wrong.c_str());
}

// Each width is one that a model may have, their sum is none.
void TestAttention::hugeWidths() {
    M m = contrib();
    for (const char* name : {"q", "k", "v"})
        m.input(name, {"1", "1", "4611686018427387904"});
    m.input("b", {"4"});
    M::set(contribNode(m, "MultiHeadAttention", "q k v b", "y"), "num_heads", 2);
    m.output("y");
    QVERIFY(!refusal(m).empty());
}

void TestAttention::contribRefusals() {
    const auto why = [](const char* type, const char* inputs, const char* attribute) {
        M m = contrib();
        m.input("x", dims({1, 2, 4})).input("w", dims({4, 12})).input("b", dims({12}));
        m.input("n", {"1"}, proto::TensorProto::INT32).input("p", dims({2, 1, 2, 1, 2}));
        m.input("packed", dims({1, 2, 2, 3, 2}));
        auto& node = contribNode(m, type, inputs, "y");
        M::set(node, "num_heads", 2);
        if (attribute != nullptr)
            M::set(node, attribute, 1);
        m.output("y");
        return refusal(m);
    };
    for (const auto& [text, part] :
         {std::pair(why("Attention", "x w b n", nullptr), "a mask i32[1] is not supported"),
          std::pair(why("Attention", "x w b - p", "past_present_share_buffer"), "in one buffer"),
          std::pair(why("Attention", "x w b - packed", nullptr), "a past of f32[1, 2, 2, 3, 2]"),
          std::pair(why("Attention", "x w b", "do_rotary"), "do_rotary"),
          std::pair(why("MultiHeadAttention", "packed", nullptr), "packed"),
          std::pair(why("MultiHeadAttention", "x", nullptr), "packed"),
          std::pair(why("MultiHeadAttention", "x x x - n", nullptr), "a mask i32[1]"),
          std::pair(why("RotaryEmbedding", "x n w w", "is_packed_batching"),
                    "'is_packed_batching' is 1, and only 0 is supported")})
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
}

void TestAttention::simplifiedNormalization() {
    for (const char* domain : {"", "com.microsoft"}) {
        M m = contrib();
        m.input("x", {"1", "2"}).weights("g", {2}, {2, 4});
        auto& node = m.node("SimplifiedLayerNormalization", "x g", "y");
        node.set_domain(domain);
        M::setReal(node, "epsilon", 0);
        m.output("y", {"1", "2"});
        const double root = std::sqrt(12.5);
        const std::string wrong = judge(m, {reals({1, 2}, {3, 4})}, {2 * 3 / root, 4 * 4 / root});
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

FW_TEST(TestAttention, QCoreApplication)
#include "test_attention.moc"
