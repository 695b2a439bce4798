// Every call of oneDNN with every operator of its chain behind it, with operands of every kind of
// storage, at the instruction set that ONEDNN_MAX_CPU_ISA names: the numbers are those of the
// reference, whether the library takes the operator or not.
#include "common/test.h"
#include "extern/extern.h"
#include "fusion/plan.h"
#include "graph/builder.h"
#include "module/load.h"
#include "strategy/post_ops.h"
#include "tensor/evaluate_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

using namespace fw;
using namespace fw::test;
using Extents = std::vector<std::int64_t>;

namespace {

std::vector<std::string> withoutEmpty(std::vector<std::string> names) {
    std::erase(names, "");
    return names;
}

const std::vector<std::string> binaryOps = withoutEmpty({
#define FW_JOIN(id, number, text, code, value, op) op,
#include "libraries/onednn/post_ops.def"
});
// Those that are not defined everywhere stand behind an exp.
const std::vector<std::string> unaryOps = withoutEmpty({
#define FW_MAP(id, number, text, code, value, op, ...) op,
#define FW_ALSO(id, op, ...) op,
#include "libraries/onednn/post_ops.def"
    "bias"});
const std::vector<std::string> calls = {"conv",   "conv 1x1", "grouped", "depthwise",
                                        "deconv", "winograd", "dense",   "batch_matmul"};
const std::vector<std::string> storages = {"input",    "result",    "constant",
                                           "reshape",  "transpose", "concat 0",
                                           "concat 1", "split",     "computed"};

bool isImage(const std::string& call) {
    return call != "dense" && call != "batch_matmul";
}

Extents resultOf(const std::string& call, std::int64_t channels) {
    if (isImage(call))
        return {2, channels, 7, 6};
    return call == "dense" ? Extents{14, channels} : Extents{3, 14, channels};
}

TensorData scaled(const Extents& extents, std::uint64_t seed, double unit) {
    std::vector<double> values = randomIntegers(DType::F32, extents, seed).toDoubles();
    for (double& value : values)
        value *= unit;
    return dataFromDoubles(DType::F32, extents, values);
}

// 0.5 to 2.5, of both signs: nothing is divided by a small number.
TensorData awayFromZero(const Extents& extents, std::uint64_t seed) {
    std::vector<double> values = randomIntegers(DType::F32, extents, seed).toDoubles();
    for (double& value : values)
        value = value < 0 ? 0.5 * value - 0.5 : 0.5 * value + 0.5;
    return dataFromDoubles(DType::F32, extents, values);
}

class Case {
public:
    Case(std::string call, std::int64_t channels)
        : m_call(std::move(call)), m_channels(channels), m_shape(resultOf(m_call, channels)) {
        m_x = given("x", scaled(m_shape, 5, 1));
    }

    ValueRef anchor() { return anchor(m_x); }
    ValueRef anchor(ValueRef x) {
        const std::int64_t c = m_channels;
        const std::string name = fmt::format("c{}", anchors.size());
        const auto conv = [&](Extents filters, const Attrs& attributes) {
            const bool deconv = m_call == "deconv";
            return b.op(deconv ? "conv_transpose2d" : "conv2d", {x, weights(filters)}, name,
                        attributes);
        };
        const Integers ones = {1, 1, 1, 1};
        ValueRef out;
        if (m_call == "conv" || m_call == "deconv" || m_call == "winograd")
            out = conv({c, c, 3, 3}, attrs({{"pads", ones}}));
        else if (m_call == "conv 1x1")
            out = conv({c, c, 1, 1}, {});
        else if (m_call == "grouped")
            out = conv({c, c / 2, 3, 3}, attrs({{"pads", ones}, {"groups", std::int64_t(2)}}));
        else if (m_call == "depthwise")
            out = conv({c, 1, 3, 3}, attrs({{"pads", ones}, {"groups", c}}));
        else if (m_call == "dense")
            out = b.op("dense", {x, weights({c, c})}, name);
        else
            out = b.op("batch_matmul", {x, given("q" + name, scaled({3, c, c}, ++m_seed, 0.03125))},
                       name);
        anchors.push_back(name);
        return out;
    }

    ValueRef operand(const std::string& storage) {
        const std::string name = fmt::format("r{}", ++m_seed);
        const auto from = [&](const Extents& extents) {
            return given(name, awayFromZero(extents, m_seed));
        };
        if (storage == "input")
            return from(m_shape);
        if (storage == "constant")
            return b.editor.addConstant(name, awayFromZero(m_shape, m_seed));
        if (storage == "computed")
            return b.op("exp", {b.op("neg", {anchor()})});
        if (storage == "reshape") {
            std::int64_t count = 1;
            for (const std::int64_t extent : m_shape)
                count *= extent;
            return b.op("reshape", {from({count})}, attrs({{"shape", Integers(m_shape)}}));
        }
        if (storage == "transpose") {
            Integers perm = {0, 3, 1, 2};
            if (!isImage(m_call))
                perm = m_shape.size() == 2 ? Integers{1, 0} : Integers{1, 0, 2};
            Extents before(m_shape.size());
            for (std::size_t d = 0; d < perm.size(); ++d)
                before[static_cast<std::size_t>(perm[d])] = m_shape[d];
            return b.op("transpose", {from(before)}, attrs({{"perm", perm}}));
        }
        if (storage == "split") {
            Extents twice = m_shape;
            twice[0] *= 2;
            GraphEditor::NewNode node;
            node.op = "split";
            node.inputs = {from(twice)};
            node.attrs =
                attrs({{"axis", std::int64_t(0)}, {"sizes", Integers{m_shape[0], m_shape[0]}}});
            return b.editor.add(std::move(node)).value().at(1);
        }
        const ValueRef p = from(m_shape), r = b.op("neg", {p});
        if (storage == "result")
            results.push_back(r);
        else
            results.push_back(b.op("concat", {r, p},
                                   attrs({{"axis", std::int64_t(storage == "concat 0" ? 0 : 1)}})));
        return r;
    }

    // The operators behind a call, each with a result of its own, every other one with a relu more.
    void behind(const std::string& op, ValueRef call, const std::vector<ValueRef>& operands,
                const Attrs& attributes = {}) {
        ValueRef y = b.op(op, operands, attributes);
        links.push_back({call.node, y.node, op});
        if (links.size() % 2 == 0)
            y = b.op("relu", {y});
        results.push_back(y);
    }
    void binary(const std::string& op, ValueRef operand, bool reversed) {
        const ValueRef call = anchor();
        behind(op, call, reversed ? std::vector{operand, call} : std::vector{call, operand});
    }
    void unary(const std::string& op) {
        ValueRef call = anchor();
        if (op == "sqrt" || op == "log")
            call = b.op("exp", {call});
        const std::string name = fmt::format("b{}", ++m_seed);
        if (op == "bias")
            behind(op, call, {call, b.editor.addConstant(name, scaled({m_channels}, m_seed, 1))},
                   attrs({{"axis", isImage(m_call) ? std::int64_t(1) : std::int64_t(-1)}}));
        else if (op == "clip")
            behind(op, call, {call}, attrs({{"min", -1.0}, {"max", 2.0}}));
        else
            behind(op, call, {call}, op == "swish" ? attrs({{"alpha", 1.5}}) : Attrs());
    }

    struct Link {
        NodeId call, op;
        std::string name;
    };
    Builder b;
    std::vector<std::string> anchors;
    std::vector<Link> links;
    std::vector<ValueRef> results;
    std::vector<TensorData> inputs; // in the order of the signature

private:
    ValueRef given(const std::string& name, const TensorData& data) {
        inputs.push_back(data);
        return b.input(name, data.extents());
    }
    ValueRef weights(const Extents& extents) {
        const std::string name = fmt::format("w{}", ++m_seed);
        return b.editor.addConstant(name, scaled(extents, m_seed, 0.03125));
    }

    std::string m_call;
    std::int64_t m_channels;
    Extents m_shape;
    ValueRef m_x;
    std::uint64_t m_seed = 10;
};

struct Counts {
    int pairs = 0, taken = 0, sums = 0, wrong = 0, refused = 0, moved = 0;
    std::set<std::string> reasons; // of pairs that were refused
};

// An empty text, or where the numbers differ.
std::string judge(Case& made, const std::string& call, int threads, Counts& counts) {
    const GraphPtr graph = made.b.finish(made.results);
    const Target target = parseTarget(fmt::format("-libs=onednn -threads={}", threads)).value();
    std::vector<std::shared_ptr<const Library>> library;
    for (const auto& known : externLibraries())
        if (known->name() == "onednn")
            library.push_back(known);
    const Catalog catalog = catalogOf(library, standardStrategy());
    FusionBook book = standardFusion();
    if (call == "winograd") {
        PinClause pin;
        pin.kind = PinKind::Use;
        pin.names = made.anchors;
        pin.implementation = "onednn.winograd";
        book.addPin({pin, "test"});
    }
    PlanOptions options;
    options.catalog = &catalog;
    options.book = &book;
    const FusionPlan plan = planFusion(*graph, target, options).value();
    const auto module =
        std::make_shared<CompiledModule>(compileModule(*graph, plan, target).value());
    for (const Case::Link& link : made.links) {
        ++counts.pairs;
        const Group& group = plan.groupAt(link.call);
        const KernelReport* report = module->report(group.id);
        if (&group == &plan.groupAt(link.op) && report != nullptr && !report->library.empty()) {
            ++counts.taken;
            counts.sums += report->libraryCall.find("sum") != std::string::npos;
            continue;
        }
        bool moved = false;
        for (const Decision& decision : report != nullptr ? report->decisions : Decisions())
            moved = moved || decision.code == ReasonCode::MovedFromLibrary;
        const EdgeDecision* edge = plan.edge(link.call, link.op);
        const std::string why = edge != nullptr && edge->decision.code == ReasonCode::CannotAbsorb
                                    ? edge->decision.evidence
                                    : std::string();
        const bool wrong = why.find(" wrongly: ") != std::string::npos ||
                           why.find("16 bytes") != std::string::npos;
        ++(moved ? counts.moved : wrong ? counts.wrong : counts.refused);
        if (edge == nullptr || edge->decision.verdict != Verdict::No || moved)
            continue;
        counts.reasons.insert(edge->decision.sentence());
    }
    auto loaded = loadModule(module, target).take();
    std::vector<TensorData> withNan = made.inputs; // one in each
    for (TensorData& one : withNan) {
        std::vector<double> values = one.toDoubles();
        values[values.size() / 2] = std::nan("");
        one = dataFromDoubles(DType::F32, one.extents(), values);
    }
    for (const std::vector<TensorData>& inputs : {made.inputs, withNan, made.inputs}) {
        const bool spread = call == "winograd" && inputs == withNan; // over its tile
        const auto wanted = evaluateGraph(*graph, inputs).value();
        const auto got = loaded->run(inputs).value();
        for (std::size_t i = 0; i < wanted.size(); ++i)
            for (std::size_t k = 0; k < wanted[i].count(); ++k) {
                const double g = got[i].at(k), w = wanted[i].at(k);
                const double close = call == "winograd" ? 1e-2 : 1e-4;
                if (std::isnan(g) && (std::isnan(w) || spread))
                    continue;
                if (g != w && !(std::abs(g - w) <= close * (1 + std::abs(w))))
                    return fmt::format("result {} at {}: {} instead of {}{}", i, k, g, w,
                                       inputs == withNan ? ", with NaN among the inputs" : "");
            }
    }
    return {};
}

} // namespace

class TestPostOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRowIsAStepOfTheChain();
    void initTestCase() {
        if (externLibrary("onednn")->status().state != LibraryState::Ready)
            QSKIP("oneDNN is not installed");
        const std::string core = externLibrary("onednn")->status().core;
        QByteArray level = qgetenv("ONEDNN_MAX_CPU_ISA").toLower();
        if (!level.isEmpty() && core != level.toStdString())
            QSKIP(fmt::format("this CPU does not play {}", level.toStdString()).c_str());
        m_level = core;
    }
    void cleanupTestCase() {
        qInfo("%s: %d pairs, %d taken by the library (%d by sum), %d not seen to be right, "
              "%d refused otherwise, %d moved to generated code",
              m_level.c_str(), m_counts.pairs, m_counts.taken, m_counts.sums, m_counts.wrong,
              m_counts.refused, m_counts.moved);
        for (const std::string& reason : m_counts.reasons)
            qDebug("%s", reason.c_str());
    }

    void operands_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<int>("channels");
        QTest::addColumn<QString>("storage");
        for (const std::string& call : calls)
            for (const int channels : {16, 6})
                for (const std::string& storage : storages) {
                    if (call == "winograd" && storage != "input")
                        continue; // it adds no tensor
                    QTest::addRow("%s of %d channels, %s", call.c_str(), channels, storage.c_str())
                        << QString::fromStdString(call) << channels
                        << QString::fromStdString(storage);
                }
    }
    void operands() {
        QFETCH(QString, call);
        QFETCH(int, channels);
        QFETCH(QString, storage);
        Case made(call.toStdString(), channels);
        const ValueRef operand = made.operand(storage.toStdString());
        for (const std::string& op : binaryOps) {
            made.binary(op, operand, false);
            if (op == "sub" || op == "add")
                made.binary(op, operand, true);
        }
        const std::string found = judge(made, call.toStdString(), channels == 16 ? 2 : 1, m_counts);
        QVERIFY2(found.empty(), found.c_str());
    }

    // A residual: nobody reads the operand afterwards, it may become a sum.
    void sums_data() { alone(); }
    void sums() {
        QFETCH(QString, call);
        QFETCH(int, channels);
        Case made(call.toStdString(), channels);
        for (int i = 0; i < 2; ++i) {
            const ValueRef before = made.b.op("tanh", {made.anchor()});
            const ValueRef between = made.b.op("tanh", {made.anchor(before)});
            const ValueRef after = made.anchor(between);
            made.behind("add", after,
                        i == 0 ? std::vector{after, before} : std::vector{before, after});
        }
        // Results do not share memory.
        for (ValueRef& result : made.results)
            result = made.b.op("erf", {result});
        Counts counts;
        const std::string found = judge(made, call.toStdString(), 2, counts);
        QVERIFY2(found.empty(), found.c_str());
        m_counts.pairs += counts.pairs;
        m_counts.taken += counts.taken;
        m_counts.sums += counts.sums;
        m_counts.wrong += counts.wrong;
        m_counts.refused += counts.refused;
        // Rows of 16 channels begin at multiples of 16 bytes.
        if (channels == 16 && call != QStringLiteral("winograd"))
            QCOMPARE(counts.sums, counts.pairs);
    }

    void functions_data() { alone(); }
    void functions() {
        QFETCH(QString, call);
        QFETCH(int, channels);
        Case made(call.toStdString(), channels);
        for (const std::string& op : unaryOps)
            if (op != "round" || call != QStringLiteral("winograd")) // which is less exact
                made.unary(op);
        const std::string found = judge(made, call.toStdString(), channels == 16 ? 1 : 2, m_counts);
        QVERIFY2(found.empty(), found.c_str());
    }

    // What the library cannot be blamed for is taken.
    void whatIsRightIsTaken() {
        Case made("conv", 16);
        for (const char* op : {"relu", "bias", "swish"})
            made.unary(op);
        for (const std::string& op : binaryOps)
            made.binary(op, made.operand("input"), false);
        Counts counts;
        const std::string found = judge(made, "conv", 1, counts);
        QVERIFY2(found.empty(), found.c_str());
        QCOMPARE(counts.taken, counts.pairs);
    }

    // Blocks of channels have no strides: the plan keeps them between calls that know them, and an
    // operand in blocks is refused.
    void operandsInBlocks() {
        Case made("conv", 16);
        const ValueRef operand = made.operand("input");
        made.binary("add", operand, false);
        const Case::Link link = made.links.front();
        const GraphPtr graph = made.b.finish(made.results);
        const StorageMap blocks = {{{0}, {1, 16}, {2}, {3}, {1, 1, 16}}, {}};
        const NodeId nodes[] = {link.call, link.op};
        GroupSite site;
        site.graph = graph.get();
        site.nodes = nodes;
        site.anchor = link.call;
        site.layout = [&](ValueRef value) { return value == operand ? blocks : channelsLast(4); };
        const Result<Lowering> call =
            catalogOf(externLibraries(), {})
                .find("onednn.conv")
                ->lower(site, parseTarget("-libs=onednn -threads=1").value());
        QVERIFY(!call.ok());
        QVERIFY2(call.diag().message.find("stored in another order") != std::string::npos,
                 call.diag().message.c_str());
    }

    // An operand that the call itself computes lies nowhere.
    void ownValues() {
        for (const std::string& call : calls)
            for (const std::string& op : binaryOps) {
                Case made(call, 16);
                const ValueRef c = made.anchor();
                const ValueRef s = made.b.op("sigmoid", {c});
                made.links.push_back({c.node, s.node, "sigmoid"});
                made.results.push_back(made.b.op(op, {s, c}));
                Counts counts;
                const std::string found = judge(made, call, 1, counts);
                QVERIFY2(found.empty(), (call + " " + op + ": " + found).c_str());
                QCOMPARE(counts.taken, 0);
            }
    }

private:
    void alone() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<int>("channels");
        for (const std::string& call : calls)
            for (const int channels : {16, 6})
                QTest::addRow("%s of %d channels", call.c_str(), channels)
                    << QString::fromStdString(call) << channels;
    }

    Counts m_counts;
    std::string m_level;
};

// The table of the library and the chain of the shipped book name the same operators.
void TestPostOps::everyRowIsAStepOfTheChain() {
    const std::string_view book = embeddedPostOps();
    const QString text = QString::fromUtf8(book.data(), static_cast<qsizetype>(book.size()));
    const qsizetype begin = text.indexOf(QStringLiteral("chain onednn.tail"));
    const QString chain = text.mid(begin, text.indexOf(QStringLiteral("{0..8}"), begin) - begin);
    static const QRegularExpression step(QStringLiteral("(\\w+)\\(\\^"));
    std::set<std::string> steps, rows(unaryOps.begin(), unaryOps.end());
    rows.insert(binaryOps.begin(), binaryOps.end());
    for (auto found = step.globalMatch(chain); found.hasNext();)
        steps.insert(found.next().captured(1).toStdString());
    steps.erase("same"); // of operands
    QVERIFY(steps.size() > 10);
    QCOMPARE(steps, rows);
}

FW_TEST(TestPostOps, QCoreApplication)
#include "test_post_ops.moc"
