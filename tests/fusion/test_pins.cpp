// Whatever is pinned shows in the plan, or a decision says why not: random pins on sample models.
#include "common/test.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "onnx/read/import.h"
#include "strategy/measurements.h"

#include <random>

using namespace fw;

namespace {

// A library that takes every operator of some kinds and what comes behind it, so that pins meet
// calls wherever the real ones are not installed.
class Lent final : public Library {
public:
    class Code final : public Implementation {
    public:
        Code(const Library& library, std::string name, std::size_t most)
            : m_library(library), m_name(std::move(name)), m_most(most) {}
        const std::string& name() const override { return m_name; }
        const Library* library() const override { return &m_library; }
        int priority() const override { return 4; } // by a pin only
        Acceptance accepts(const Workload& anchor, const Target&) const override {
            const bool takes = anchor.facts.kind >= FusionKind::Reduction &&
                               anchor.facts.kind != FusionKind::Opaque;
            return {takes ? Verdict::Yes : Verdict::No,
                    takes ? ReasonCode::LibraryTakes : ReasonCode::LibraryRefused, anchor.node->op};
        }
        Acceptance absorbsEpilogue(const Growing& group, const Workload& next) const override {
            const bool takes = group.epilogue.size() < m_most;
            return {takes ? Verdict::Yes : Verdict::No,
                    takes ? ReasonCode::FusedEpilogue : ReasonCode::CannotAbsorb, next.node->op};
        }
        Acceptance absorbsPrologue(const Workload&, const Workload&) const override {
            return {Verdict::No, ReasonCode::AbsorbsNothing, "a call reads memory"};
        }
        double estimate(const Facts&, const Workload&, const Target&) const override { return 1; }
        Result<Lowering> lower(const GroupSite&, const Target&) const override {
            return makeDiag(DiagCode::LibraryFailed, "it is never called");
        }

    private:
        const Library& m_library;
        std::string m_name;
        std::size_t m_most;
    };

    Lent() { m_status.state = LibraryState::Ready; }
    const std::string& name() const override { return m_name; }
    const LibraryStatus& status() const override { return m_status; }
    std::vector<std::shared_ptr<const Implementation>> implementations() const override {
        return {std::make_shared<Code>(*this, "onednn.alone", 0),
                std::make_shared<Code>(*this, "onednn.tail", 3)};
    }

private:
    std::string m_name = "onednn";
    LibraryStatus m_status;
};

std::string quoted(const std::string& name) {
    return '"' + name + '"';
}

class RandomPins {
public:
    RandomPins(const Graph& graph, const Catalog& catalog, unsigned seed)
        : m_graph(graph), m_random(seed) {
        for (const NodePtr& node : graph.nodes())
            if (!node->isInput() && !node->isConstant())
                m_nodes.push_back(node->id);
        for (const auto& code : catalog.all())
            m_codes.push_back(code->name());
        m_codes.push_back("generated.plain");
    }

    std::string book() {
        std::string out;
        for (int i = 0; i < 4; ++i) {
            switch (below(4)) {
            case 0:
                out += "  together " + names(part());
                if (below(3) == 0)
                    out += " with " + code();
                break;
            case 1:
                out += "  apart " + names(part());
                break;
            case 2:
                out += "  use " + code() + " for " + names({any()});
                break;
            default:
                out += "  avoid " + (below(3) == 0 ? "onednn" : code()) + " for " + names({any()});
            }
            out += "\n";
        }
        // One that is asked for of a part that is held together.
        const std::vector<NodeId> held = part();
        out += "  together " + names(held) + "\n  use " + code() + " for " +
               names({held[below(held.size())]}) + "\n";
        static const char* const rules[] = {
            "", "fuse maps { match kind elementwise(kind elementwise(^, ...), ...) }\n",
            "fuse tail { match (conv2d(x, w) | dense(x, w)) >> bias(^, b)? >> relu(^)? }\n"};
        return std::string(rules[below(3)]) + "pin {\n" + out + "}\n";
    }

private:
    std::size_t below(std::size_t n) { return m_random() % n; }
    NodeId any() { return m_nodes[below(m_nodes.size())]; }
    std::string code() { return m_codes[below(m_codes.size())]; }
    // Two to four along the values from one on.
    std::vector<NodeId> part() {
        for (;;) {
            std::vector<NodeId> out{any()};
            while (out.size() < 2 + below(3)) {
                const auto uses = m_graph.uses({out.back(), 0});
                if (uses.empty())
                    break;
                out.push_back(uses[below(uses.size())].node);
            }
            if (out.size() > 1)
                return out;
        }
    }
    std::string names(const std::vector<NodeId>& nodes) {
        std::string out;
        for (const NodeId id : nodes)
            out += (out.empty() ? "" : ", ") + quoted(m_graph.node(id).name);
        return out;
    }

    const Graph& m_graph;
    std::mt19937 m_random;
    std::vector<NodeId> m_nodes;
    std::vector<std::string> m_codes;
};

// What is neither shown nor told; empty: all is.
std::string silent(const Graph& graph, const FusionPlan& plan, const FusionBook& book) {
    const auto told = [&](ReasonCode code, const std::string& subject, const std::string& words) {
        return std::any_of(plan.notices.begin(), plan.notices.end(), [&](const Decision& one) {
            return one.code == code &&
                   (one.subject == subject ||
                    (!words.empty() && one.evidence.find(words) != std::string::npos));
        });
    };
    for (const PinRule& pin : book.pins()) {
        std::vector<const Group*> groups;
        for (const std::string& name : pin.clause.names)
            groups.push_back(&plan.groupAt(graph.findByName(name)->id));
        const std::string subject = "pin at " + pin.place();
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const std::string& name = pin.clause.names[i];
            const std::string wish = pin.clause.implementation + " for " + name;
            switch (pin.clause.kind) {
            case PinKind::Together:
                if (groups[i] != groups[0] && !told(ReasonCode::PinRefused, subject, "") &&
                    !told(ReasonCode::NotConvex, subject, ""))
                    return subject + ": apart, and nobody says so";
                if (!pin.clause.implementation.empty() && groups[i] == groups[0] &&
                    groups[i]->implementation != pin.clause.implementation &&
                    !told(ReasonCode::PinRefused, subject, "") &&
                    !told(ReasonCode::NotConvex, subject, "") &&
                    !told(ReasonCode::PinRefused, groups[i]->name, ""))
                    return subject + ": by " + groups[i]->implementation;
                break;
            case PinKind::Apart:
                for (std::size_t j = 0; j < i; ++j)
                    if (groups[i] == groups[j] && name != pin.clause.names[j])
                        return subject + ": together";
                break;
            case PinKind::Use:
                if (groups[i]->implementation != pin.clause.implementation &&
                    !told(ReasonCode::PinRefused, "", wish) &&
                    !told(ReasonCode::PinRefused, groups[i]->name, ""))
                    return wish + ": by " + groups[i]->computedBy();
                break;
            case PinKind::Avoid:
                if (groups[i]->implementation == pin.clause.implementation ||
                    groups[i]->implementation.starts_with(pin.clause.implementation + "."))
                    return wish + ": it computes " + groups[i]->name;
                break;
            }
        }
    }
    return {};
}

} // namespace

class TestPins : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areFollowedOrTold_data();
    void areFollowedOrTold();
    void avoidedSaysWhoComputes();
    void rulesAboutOneOperatorAreTold();
};

namespace {

// The notices of a plan with the books of the user, of this code.
QStringList noticesOf(const std::string& model, const std::string& text, ReasonCode code) {
    const GraphPtr graph = parseGraph(model, standardOperators()).value();
    FusionBook book = standardFusion();
    book.add(parseFile(text, "mine.fw").declarations, "mine.fw");
    PlanOptions options;
    options.book = &book;
    const Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -libs= -threads=2").value();
    const FusionPlan plan = planFusion(*graph, target, options).value();
    QStringList out;
    for (const Decision& one : plan.notices)
        if (one.code == code)
            out << QString::fromStdString(one.subject + ": " + one.evidence);
    return out;
}

const char* const pinnedChain = "graph g(x: f32[4]) -> y {\n"
                                "  a = relu(x) @node(\"first\")  y = tanh(a) @node(\"second\")\n"
                                "}\n";

} // namespace

void TestPins::avoidedSaysWhoComputes() {
    const QStringList other = noticesOf(
        pinnedChain, "pin { avoid generated.map for first, second }", ReasonCode::PinAvoids);
    QVERIFY(!other.isEmpty());
    for (const QString& one : other)
        QVERIFY2(one.endsWith(QStringLiteral(", computed by generated.plain")), qPrintable(one));
    // Of code there is none left.
    const QStringList none =
        noticesOf(pinnedChain, "pin { avoid generated.map for any  avoid generated.plain for any }",
                  ReasonCode::PinAvoids);
    QVERIFY(none.contains(QStringLiteral("first: generated.map at mine.fw:1, computed by its "
                                         "reference")));
    for (const QString& one : none)
        QVERIFY2(one.endsWith(QStringLiteral(", computed by its reference")), qPrintable(one));
}

void TestPins::rulesAboutOneOperatorAreTold() {
    const auto told = [](const std::string& text) {
        return noticesOf(pinnedChain, text, ReasonCode::FuseRuleRefused);
    };
    QCOMPARE(told("fuse one { match y = relu(x) }"),
             QStringList(QStringLiteral("one: one at mine.fw:1, what it matches is one operator, "
                                        "which is a group by itself")));
    QCOMPARE(told("fuse any { match y = kind elementwise(x) as stacked }").size(), 1);
    QCOMPARE(told("fuse two { match y = relu(x) >> tanh(^)? }"), QStringList());
    QCOMPARE(told("fuse other { match y = exp(x) }"), QStringList());
}

void TestPins::areFollowedOrTold_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("books");
    QTest::newRow("residual") << "residual" << 60;
    QTest::newRow("attention") << "attention" << 60;
    QTest::newRow("inception") << "inception" << 30;
    QTest::newRow("mobilenet") << "mobilenet" << 30;
}

void TestPins::areFollowedOrTold() {
    QFETCH(QString, model);
    QFETCH(int, books);
    const GraphPtr graph =
        importModel(FW_SOURCE_DIR "/samples/" + model.toStdString() + "/model.onnx",
                    standardOperators())
            .value()
            .inlined;
    const Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -libs=onednn -threads=2").value();
    const Catalog catalog = catalogOf({std::make_shared<Lent>()}, standardStrategy());
    LoweringMemo memo;
    for (int seed = 0; seed < books; ++seed) {
        const std::string text = RandomPins(*graph, catalog, static_cast<unsigned>(seed)).book();
        const FileTree tree = parseFile(text, "pins.fw");
        QVERIFY2(tree.errors.empty(), text.c_str());
        FusionBook book = standardFusion();
        book.add(tree.declarations, "pins.fw");
        PlanOptions options;
        options.catalog = &catalog;
        options.book = &book;
        options.memo = &memo;
        const Result<FusionPlan> plan = planFusion(*graph, target, options);
        QVERIFY2(plan.ok(), text.c_str());
        const std::string wrong = silent(*graph, *plan, book);
        QVERIFY2(wrong.empty(), (wrong + "\nseed " + std::to_string(seed) + "\n" + text).c_str());
    }
}

FW_TEST(TestPins, QCoreApplication)
#include "test_pins.moc"
