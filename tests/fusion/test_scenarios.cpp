// Scenarios of fusion and of selection as text: graph and book in, groups and codes out.
//
// Every file of tests/golden/fusion is a `.fw` text with one graph and, if it wants, declarations
// of a rule book. `# target: ...` lines say what it is planned for; the plan of each is kept behind
// `# expect`. FW_UPDATE_GOLDEN=1 writes the plans that are made now, for a reader to judge. Groups
// that only generated code computes are also compiled and run, and judged by the reference.
//
// `# libraries: a b` puts libraries in place of the real ones: they compute what the book gives
// them and absorb whatever it lets them, so a plan does not depend on what is installed.
#include "base/files.h"
#include "common/test.h"
#include "fusion/partition.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/load.h"
#include "session/compare.h"
#include "strategy/targets.h"
#include "syntax/declarations.h"
#include "tensor/evaluate_graph.h"

#include <filesystem>
#include <fmt/format.h>
#include <regex>

using namespace fw;

namespace {

const char* const folder = FW_SOURCE_DIR "/tests/golden/fusion";

class StandIn final : public Implementation {
public:
    StandIn(std::string name, const Library* library)
        : m_name(std::move(name)), m_library(library) {}
    const std::string& name() const override { return m_name; }
    const Library* library() const override { return m_library; }
    Acceptance accepts(const Workload&, const Target&) const override {
        return {Verdict::Yes, ReasonCode::ScheduleDefault, m_name};
    }
    Acceptance absorbsEpilogue(const Growing&, const Workload& next) const override {
        return {Verdict::Yes, ReasonCode::FusedEpilogue, next.node->op + " in " + m_name};
    }
    Acceptance absorbsPrologue(const Workload&, const Workload&) const override {
        return {Verdict::No, ReasonCode::CannotAbsorb, "a call reads memory"};
    }
    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        return lowerByTemplate(ScheduleTemplate::Plain, site, target);
    }
    double estimate(const Facts&, const Workload&, const Target&) const override { return 1; }

private:
    std::string m_name;
    const Library* m_library;
};

class StandInLibrary final : public Library {
public:
    StandInLibrary(std::string name, const StrategyBook& book) : m_name(std::move(name)) {
        m_status.state = LibraryState::Ready;
        std::set<std::string> names;
        for (const StrategyBlock& block : book.blocks())
            for (const EntryTree& entry : block.tree->entries) {
                const std::string& code = entry.code.empty() ? entry.name : entry.code;
                if (code.starts_with(m_name + ".") && !code.ends_with("*"))
                    names.insert(code);
            }
        for (const std::string& code : names)
            m_all.push_back(std::make_shared<StandIn>(code, this));
    }
    const std::string& name() const override { return m_name; }
    const LibraryStatus& status() const override { return m_status; }
    std::vector<std::shared_ptr<const Implementation>> implementations() const override {
        return m_all;
    }

private:
    std::string m_name;
    LibraryStatus m_status;
    std::vector<std::shared_ptr<const Implementation>> m_all;
};

struct Scenario {
    std::string input; // up to the first "# expect"
    std::string expected;
    std::vector<std::string> targets;
    std::vector<std::string> libraries;
    std::vector<QStringList> log; // node, implementation, microseconds
    bool run = true;
    bool regions = false;
};

Scenario read(const std::string& file) {
    Scenario out;
    const std::string text(mapFile(file, 1 << 20).value().text());
    const std::size_t cut = std::min(text.find("\n# expect"), text.size() - 1) + 1;
    out.input = text.substr(0, cut);
    out.expected = text.substr(cut);
    for (const QString& line : QString::fromStdString(out.input).split(u'\n')) {
        if (line.startsWith(u"# target: "))
            out.targets.push_back(line.mid(10).toStdString());
        if (line.startsWith(u"# libraries: "))
            for (const QString& name : line.mid(13).split(u' '))
                out.libraries.push_back(name.toStdString());
        if (line.startsWith(u"# log: "))
            out.log.push_back(line.mid(7).split(u' '));
        if (line.startsWith(u"# regions"))
            out.regions = true;
        if (line.startsWith(u"# not run"))
            out.run = false;
    }
    if (out.targets.empty())
        out.targets = {"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"};
    return out;
}

enum class Absent { Hide, Show }; // candidates of libraries that are not there

std::string planText(const Graph& graph, const FusionPlan& plan, const std::string& target,
                     Absent absent) {
    std::string out = fmt::format("# expect {}\n", target);
    const auto names = [&](const std::vector<NodeId>& ids) {
        std::string list;
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (i < 6 || i + 1 == ids.size())
                list += (list.empty() ? "" : ", ") + graph.node(ids[i]).name;
            else if (i == 6)
                list += ", ...";
        return ids.size() > 7 ? fmt::format("{} of [{}]", ids.size(), list) : "[" + list + "]";
    };
    for (const Group& group : plan.groups) {
        out += fmt::format("#   {} {} by {}", group.name, names(group.nodes), group.computedBy());
        if (!group.isView())
            out += ", " + group.source + (group.untuned ? ", untuned" : "");
        for (const Decision& warning : group.warnings)
            out += fmt::format(", {}", codeText(warning.code));
        out += "\n";
        for (const Candidate& candidate : group.candidates)
            if (!candidate.chosen &&
                ((candidate.code == ReasonCode::LibraryAbsent && absent == Absent::Show) ||
                 !candidate.guard.empty()))
                out += fmt::format("#     {} {} {}: {}\n", candidate.implementation,
                                   verdictText(candidate.verdict), codeText(candidate.code),
                                   candidate.evidence);
    }
    std::size_t listed = 0;
    for (const EdgeDecision& edge : plan.edges)
        if (edge.decision.verdict != Verdict::Yes && ++listed <= 12)
            out += fmt::format("#   {} {}: {}\n", edge.decision.subject,
                               codeText(edge.decision.code), edge.decision.evidence);
    for (const Decision& notice : plan.notices)
        if (notice.code != ReasonCode::LayoutChosen && notice.code != ReasonCode::LayoutKept)
            out += fmt::format("#   {} {}\n", codeText(notice.code), notice.sentence());
    // A line more in a shipped book changes no plan.
    static const std::regex shipped("(strategy|fusion)\\.fw:[0-9]+");
    static const std::regex machine("( on x86-64[^ ]*) [^\n]* cpu=[^\n]*");
    static const std::regex estimate("[0-9][0-9.e+-]* us");
    out = std::regex_replace(out, shipped, "$1.fw");
    return std::regex_replace(std::regex_replace(out, machine, "$1 ..."), estimate, "... us");
}

std::string partitionText(const Graph& graph, const FusionPlan& plan) {
    std::string out;
    const auto names = [&](const std::vector<ValueRef>& values) {
        std::string list;
        for (const ValueRef& value : values)
            list += (list.empty() ? "" : ", ") + graph.output(value).name;
        return list;
    };
    for (const Region& region : partitionOf(graph, plan).regions) {
        std::string nodes;
        for (const int id : region.groups)
            for (const NodeId node : plan.groups[static_cast<std::size_t>(id)].nodes)
                nodes += (nodes.empty() ? "" : ", ") + graph.node(node).name;
        out += fmt::format("#   {} [{}]: {} -> {}\n", region.name, nodes, names(region.inputs),
                           names(region.outputs));
    }
    return out;
}

std::optional<Measurements> measured(const Scenario& scenario, const Graph& graph,
                                     const Target& target) {
    if (scenario.log.empty())
        return std::nullopt;
    Measurements out;
    for (const QStringList& line : scenario.log)
        out.add(workloadText(graph, *graph.findByName(line.at(0).toStdString()), target),
                line.at(1).toStdString(), line.at(2).toDouble());
    return out;
}

} // namespace

class TestScenarios : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scenario_data();
    void scenario();
};

void TestScenarios::scenario_data() {
    QTest::addColumn<QString>("file");
    QStringList files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".fw")
            files << QString::fromStdString(entry.path().string());
    files.sort();
    for (const QString& file : files)
        QTest::addRow("%s", qPrintable(file.section(u'/', -1))) << file;
}

void TestScenarios::scenario() {
    QFETCH(QString, file);
    const Scenario scenario = read(file.toStdString());
    const std::string name = file.section(u'/', -1).toStdString();
    const FileTree tree = parseFile(scenario.input, name);
    for (const Diag& error : tree.errors)
        QFAIL(error.text().c_str());
    StrategyBook strategy = standardStrategy();
    strategy.add(tree.declarations, name);
    FusionBook fusion = standardFusion();
    fusion.add(tree.declarations, name);
    std::vector<std::shared_ptr<const Library>> libraries;
    for (const std::string& library : scenario.libraries)
        libraries.push_back(std::make_shared<StandInLibrary>(library, strategy));
    const Result<GraphPtr> parsed = parseGraph(scenario.input, standardOperators());
    QVERIFY2(parsed.ok(), parsed.ok() ? "" : parsed.diag().text().c_str());
    const GraphPtr graph = *parsed;
    const Hash before = graph->hash();
    PlanOptions options;
    options.book = &fusion;
    std::string got;
    DeclaredTargets declared;
    for (const DeclarationPtr& declaration : tree.declarations)
        if (const auto target = declarationAs<TargetTree>(declaration))
            declared.emplace(target->name, declaredTarget(*target));
    for (const std::string& text : scenario.targets) {
        const Target target = parseTarget(text, declared).value();
        const Catalog catalog = catalogOf(libraries, strategy, measured(scenario, *graph, target));
        options.catalog = &catalog;
        const FusionPlan plan = planFusion(*graph, target, options).value();
        const Absent absent = libraries.empty() ? Absent::Hide : Absent::Show;
        got += scenario.regions ? fmt::format("# expect {}\n", text) + partitionText(*graph, plan)
                                : planText(*graph, plan, text, absent);
        // Twice the same, and the graph is left as it was.
        QCOMPARE(planText(*graph, planFusion(*graph, target, options).value(), text, absent),
                 planText(*graph, plan, text, absent));
        QCOMPARE(graph->hash(), before);
        std::size_t nodes = 0;
        bool ours = scenario.run && target.isHost;
        for (const Group& group : plan.groups) {
            nodes += group.nodes.size();
            const auto isOurs = [](const Group& one) { return one.kind == GroupKind::Kernel; };
            ours = ours && (group.isView() || isOurs(group) ||
                            (group.kind == GroupKind::Choice &&
                             std::all_of(group.parts.begin(), group.parts.end(), isOurs)));
        }
        QCOMPARE(nodes, plan.groupOf.size());
        if (!ours)
            continue;
        Result<CompiledModule> module = compileModule(*graph, plan, target);
        QVERIFY2(module.ok(), module.ok() ? "" : module.diag().text().c_str());
        Result<std::unique_ptr<LoadedModule>> opened =
            loadModule(std::make_shared<const CompiledModule>(module.take()), target);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.diag().text().c_str());
        LoadedModule& loaded = **opened;
        const bool bySize =
            std::any_of(plan.groups.begin(), plan.groups.end(),
                        [](const Group& one) { return one.kind == GroupKind::Choice; });
        for (const std::int64_t first : {3, 17, 40}) {
            std::map<std::string, std::int64_t> dims;
            for (const Symbol dim : graph->freeDims())
                dims[dim.text()] = first + static_cast<std::int64_t>(dims.size());
            const std::vector<TensorData> inputs = loaded.randomInputs(5, dims).value();
            const std::vector<TensorData> found = loaded.run(inputs).value();
            const std::vector<TensorData> wanted = evaluateGraph(*graph, inputs).value();
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const Comparison comparison =
                    compareTensors("result", found.at(i), wanted[i], {1e-3, 1e-4});
                QVERIFY2(comparison.pass, comparison.worst.c_str());
            }
            if (!bySize) // one size is as good as another
                break;
        }
    }
    if (qEnvironmentVariableIsSet("FW_UPDATE_GOLDEN"))
        QVERIFY(writeFile(file.toStdString(), scenario.input + got).ok());
    else
        QCOMPARE(QString::fromStdString(got), QString::fromStdString(scenario.expected));
}

FW_TEST(TestScenarios, QCoreApplication)
#include "test_scenarios.moc"
