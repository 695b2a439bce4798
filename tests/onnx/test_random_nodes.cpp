// Nodes of every operator that is imported, with operands and attributes at random: each is
// understood or refused with a reason, and what is understood is written, or refused, and read
// again. Nothing here is expected of what it computes. FW_ROUNDS: so many more of each.
#include "common/test.h"
#include "onnx/graph_tools.h"
#include "onnx/read/importers.h"
#include "onnx/reading.h"
#include "onnx/schema/standard_operators.h"

#include <limits>
#include <map>
#include <random>
#include <sstream>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

namespace {

struct Type {
    std::string domain, name;
    std::map<std::string, std::string> attributes; // of any version, with their kinds
    int operands = 1;
};

int mostOperands(const std::string& count) {
    const std::size_t dash = count.find('-');
    const std::string most = dash == std::string::npos ? count : count.substr(dash + 1);
    return most == "*" ? 3 : std::stoi(most);
}

// A line of the table of standard operators.
Type typeOf(const std::string& line) {
    Type out;
    out.name = line.substr(0, line.find(' '));
    for (std::size_t at = line.find('('); at != std::string::npos; at = line.find('(', at + 1)) {
        const std::string inside = line.substr(at + 1, line.find(')', at) - at - 1);
        out.operands = std::max(out.operands, mostOperands(inside.substr(0, inside.find(';'))));
        std::istringstream words(inside.substr(inside.rfind(';') + 1));
        for (std::string word; words >> word;) {
            std::string kind = word.substr(word.find(':') + 1);
            if (kind.back() == '!')
                kind.pop_back();
            out.attributes[word.substr(0, word.find(':'))] = kind;
        }
    }
    return out;
}

std::vector<Type> types() {
    std::vector<Type> out;
    std::istringstream lines{std::string(standardTable())};
    for (std::string line; std::getline(lines, line);)
        if (const std::string type = line.substr(0, line.find(' '));
            !line.empty() && (findImporter("", type, newestOpset) ||
                              standardOperators()->onnxReading("", type, newestOpset) != nullptr))
            out.push_back(typeOf(line));
    const std::string more[] = {
        "Gelu 1(1;1;)",
        "BiasGelu 1(2;1;)",
        "FastGelu 1(2;1;)",
        "QuickGelu 1(1;1;alpha:f)",
        "FusedMatMul 1(2;1;alpha:f transA:i transB:i transBatchA:i transBatchB:i)",
        "SkipLayerNormalization 1(5;4;epsilon:f)",
        "SkipSimplifiedLayerNormalization 1(4;4;epsilon:f)",
        "SimplifiedLayerNormalization 1(2;2;axis:i epsilon:f stash_type:i)",
        "Attention 1(7;2;num_heads:i unidirectional:i do_rotary:i scale:f mask_filter_value:f "
        "qkv_hidden_sizes:is)",
        "MultiHeadAttention 1(8;3;num_heads:i unidirectional:i scale:f mask_filter_value:f)",
        "RotaryEmbedding 1(4;1;interleaved:i num_heads:i rotary_embedding_dim:i scale:f)"};
    for (const std::string& line : more) {
        out.push_back(typeOf(line));
        out.back().domain = "com.microsoft";
    }
    return out;
}

class Maker {
public:
    Maker(unsigned seed, const Type& type) : m_random(seed), m_type(type) {}

    M make() {
        m_tame = chance(60);
        M m(chance(40) ? newestOpset : 1 + below(newestOpset));
        auto* entry = m.model.add_opset_import();
        entry->set_domain("com.microsoft");
        entry->set_version(1);
        m_rank = m_tame ? 3 + below(2) : below(6);
        std::string names;
        const auto operands = static_cast<int>(chance(40)   ? std::min(m_type.operands, 3)
                                               : chance(75) ? 1 + below(m_type.operands)
                                                            : below(m_type.operands + 2));
        for (int i = 0; i < operands; ++i) {
            const std::string name = "x" + std::to_string(i);
            names += (i == 0 ? "" : " ") + (i > 0 && chance(12) ? std::string("-") : name);
            chance(i == 0 ? 10 : 45) ? constant(m, name) : input(m, name);
        }
        auto& node = m.node(m_type.name, names, chance(20) ? "y z" : "y", "asked");
        node.set_domain(m_type.domain);
        for (const auto& [name, kind] : m_type.attributes)
            if (chance(m_tame ? 35 : 55))
                attribute(node, name, kind);
        m.output("y");
        return m;
    }

private:
    std::int64_t below(std::int64_t limit) {
        return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(limit));
    }
    bool chance(int percent) { return below(100) < percent; }
    template <typename T>
    T pick(std::initializer_list<T> from) {
        return from.begin()[below(static_cast<std::int64_t>(from.size()))];
    }
    std::int64_t number() {
        if (m_tame && chance(90))
            return 1 + below(2);
        if (chance(85))
            return below(7) - 2;
        return pick<std::int64_t>({std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max(), 1LL << 62, 1LL << 40,
                                   -(1LL << 31), 1LL << 24, 1000});
    }
    float real() {
        if (m_tame)
            return static_cast<float>(1 + below(3)) / 2;
        if (chance(60))
            return static_cast<float>(below(9) - 2) / 2;
        return pick<float>({0, -1, 1e-30F, 1e30F, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN(), 1e-3F, 1000});
    }
    std::size_t rank() { return static_cast<std::size_t>(chance(60) ? m_rank : below(6)); }
    int dtype() {
        using T = proto::TensorProto;
        return chance(m_tame ? 95 : 70) ? T::FLOAT
                                        : pick<int>({T::INT64, T::BOOL, T::INT32, T::FLOAT16,
                                                     T::DOUBLE, T::UINT8, T::STRING, T::BFLOAT16});
    }
    void input(M& m, const std::string& name) {
        std::vector<std::string> dims;
        for (std::size_t i = rank(); i > 0; --i)
            dims.push_back(m_tame && chance(85) ? "4"
                           : chance(75)         ? std::to_string(1 + below(4))
                           : chance(50)         ? pick<std::string>({"N", "M", "0", ""})
                                                : std::to_string(pick<std::int64_t>(
                                              {1LL << 62, 1LL << 31, 1LL << 40, 65537})));
        m.input(name, dims, dtype());
    }
    void constant(M& m, const std::string& name) {
        const bool whole = chance(60);
        std::vector<std::int64_t> extents;
        std::int64_t count = 1;
        for (std::size_t i = whole ? static_cast<std::size_t>(below(3)) : rank(); i > 0; --i) {
            extents.push_back(chance(90) ? 1 + below(4) : 0);
            count *= extents.back();
        }
        if (!whole) {
            std::vector<float> values;
            for (std::int64_t i = 0; i < count; ++i)
                values.push_back(real());
            if (count > 0)
                m.weights(name, extents, values);
            else
                m.weights(name, extents);
            return;
        }
        auto* tensor = m.graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(proto::TensorProto::INT64);
        for (const std::int64_t extent : extents)
            tensor->add_dims(extent);
        for (std::int64_t i = 0; i < count; ++i)
            tensor->add_int64_data(number());
    }
    void attribute(proto::NodeProto& node, const std::string& name, const std::string& kind) {
        if (kind == "i")
            M::set(node, name, number());
        else if (kind == "f")
            M::setReal(node, name, real());
        else if (kind == "s")
            M::setText(node, name,
                       pick<std::string>({"",
                                          "linear",
                                          "cubic",
                                          "nearest",
                                          "max",
                                          "avg",
                                          "NOTSET",
                                          "SAME_UPPER",
                                          "SAME_LOWER",
                                          "VALID",
                                          "reflect",
                                          "edge",
                                          "constant",
                                          "wrap",
                                          "align_corners",
                                          "asymmetric",
                                          "half_pixel",
                                          "tf_crop_and_resize",
                                          "not_larger",
                                          "add",
                                          "none",
                                          "mean",
                                          "sum",
                                          "DCR",
                                          "CRD",
                                          "LEFT",
                                          "RIGHT",
                                          "tanh",
                                          "zeros",
                                          "border",
                                          "ij,jk->ik",
                                          "...i->i...",
                                          "ii",
                                          "ij->",
                                          "floor",
                                          "ceil",
                                          "round_prefer_ceil"}));
        else if (kind == "is") {
            std::vector<std::int64_t> values;
            const std::int64_t spatial = std::max<std::int64_t>(m_rank - 2, 1);
            for (std::int64_t i = m_tame && name == "pads" ? 2 * spatial
                                  : m_tame                 ? spatial
                                  : chance(60)             ? m_rank
                                                           : below(9);
                 i > 0; --i)
                values.push_back(number());
            M::set(node, name, values);
        } else if (kind == "fs") {
            auto* out = node.add_attribute();
            out->set_name(name);
            out->set_type(proto::AttributeProto::FLOATS);
            for (std::int64_t i = m_rank; i > 0; --i)
                out->add_floats(real());
        }
    }

    std::mt19937_64 m_random;
    const Type& m_type;
    std::int64_t m_rank = 0; // of most operands
    bool m_tame = false;     // more of it fits together
};

} // namespace

class TestRandomNodes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void understoodOrRefused_data();
    void understoodOrRefused();
    void enoughAreUnderstood();

private:
    int m_understood = 0;
};

void TestRandomNodes::understoodOrRefused_data() {
    QTest::addColumn<int>("place");
    const std::vector<Type> all = types();
    QVERIFY(all.size() > 100);
    for (std::size_t i = 0; i < all.size(); ++i)
        QTest::newRow((all[i].domain + (all[i].domain.empty() ? "" : ".") + all[i].name).c_str())
            << static_cast<int>(i);
}

void TestRandomNodes::understoodOrRefused() {
    QFETCH(int, place);
    static const std::vector<Type> all = types();
    const Type& type = all[static_cast<std::size_t>(place)];
    const unsigned rounds = 200u + qEnvironmentVariableIntValue("FW_ROUNDS");
    for (unsigned round = 0; round < rounds; ++round) {
        const M m = Maker(static_cast<unsigned>(place) * 100003 + round, type).make();
        const auto read = test::read(m.bytes());
        if (!read) {
            QVERIFY(!read.diag().message.empty());
            continue;
        }
        const auto written = exportModel(*read->graph);
        if (!written) {
            QVERIFY(!written.diag().message.empty());
            continue;
        }
        if (hasErrors(read->diagnostics)) // unknown, and wrong in other ways than the one told
            continue;
        ++m_understood;
        const auto again = test::read(written->bytes);
        // Values that are declared are counted, those inside a graph are not.
        QVERIFY2(again.ok() || again.diag().code == DiagCode::DimOverflow ||
                     again.diag().code == DiagCode::LimitReached,
                 again.ok()
                     ? ""
                     : (again.diag().text() + "\n" + m.model.DebugString() + listing(*read->graph))
                           .c_str());
    }
}

void TestRandomNodes::enoughAreUnderstood() {
    QVERIFY2(m_understood > 3000, qPrintable(QString::number(m_understood)));
}

FW_TEST(TestRandomNodes, QCoreApplication)
#include "test_random_nodes.moc"
