// One instruction set per run: FW_LEVEL is a target whose CPU says which. Operator cases and
// samples against their stored outputs; fused tails and layouts against the reference. A level that
// this CPU cannot play, or whose library is missing, is skipped with the reason (exit code 77).
#include "book/book.h"
#include "common/source_root.h"
#include "common/test.h"
#include "extern/extern.h"
#include "fusion/plan.h"
#include "levels/cases.h"
#include "module/load.h"
#include "runtime/library_level.h"
#include "session/commands.h"
#include "snapshot/documents.h"
#include "tensor/evaluate_graph.h"

#include <QDir>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace fw;
using namespace fw::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int skipped = 77; // SKIP_RETURN_CODE
constexpr double tolerance = 2e-5;
const Target& target() {
    static const Target known = parseTarget(qgetenv("FW_LEVEL").toStdString()).take();
    return known;
}

// What keeps this process from playing the level; empty: nothing.
std::string whyNot() {
    if (!target().isHost)
        return "this CPU has no " + target().cpu;
    if (const Status held = holdLibraries(target()); !held)
        return held.diag().text();
    for (const std::string& name : target().libs) {
        const LibraryStatus& status = externLibrary(name)->status();
        if (status.state != LibraryState::Ready)
            return name + " is not here: " + status.reason;
        const auto id =
            name == "onednn" ? runtime::LibraryId::OneDnn : runtime::LibraryId::OpenBlas;
        for (const runtime::LibraryLevel& level : runtime::libraryLevels(id))
            if (target().libraryLevel(name) == level.name && !runtime::playsHere(level))
                return "this CPU has no " + name + " at " + level.name;
    }
    return {};
}

QStringList foldersIn(const QString& parent) {
    QStringList out;
    for (const QString& name :
         QDir(parent).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
        if (QFileInfo::exists(parent + u'/' + name + u"/model.onnx"_s))
            out << parent + u'/' + name;
    return out;
}

snapshot::Arguments arguments() {
    snapshot::Arguments out;
    out.target = target().text;
    out.rules = {(fw::test::sourceRoot + u"/tests/levels/prefer.fw"_s).toStdString()};
    return out;
}

template <class Document>
Document ask(const std::string& command, snapshot::Arguments given) {
    static Commands commands;
    snapshot::Request request{1, command, std::move(given)};
    const Result<std::string> answer = commands.run(request, Context());
    if (!answer) {
        qWarning("%s", answer.diag().text().c_str());
        return {};
    }
    return snapshot::fromJson<Document>(*answer).value();
}

// Whether a library could take part.
bool concernsLibraries(const QString& folder) {
    static const char* const operators[] = {
        "Conv",        "ConvTranspose",     "Gemm",    "MatMul",    "MaxPool", "GlobalMaxPool",
        "AveragePool", "GlobalAveragePool", "Softmax", "LogSoftmax"};
    snapshot::Arguments one;
    one.model = folder.toStdString();
    const auto info = ask<snapshot::InfoDocument>("info", one);
    return std::any_of(std::begin(operators), std::end(operators),
                       [&](const char* op) { return info.ops.contains(op); });
}

QSet<QString> expectedUnsupported() {
    QSet<QString> out;
    QFile file(fw::test::sourceRoot + u"/tests/conformance/expected_unsupported.txt"_s);
    if (file.open(QIODevice::ReadOnly))
        for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n'))
            if (!line.startsWith(u'#'))
                out.insert(line.section(u' ', 0, 0));
    return out;
}

// One line per folder whose verdict is not the expected one.
QStringList surprises(const QStringList& folders, snapshot::Arguments given) {
    for (const QString& folder : folders)
        given.folders.push_back(folder.toStdString());
    const auto answer = ask<snapshot::TestDocument>("test", std::move(given));
    const QSet<QString> refused = expectedUnsupported();
    QStringList out;
    for (const auto& row : answer.cases) {
        const QString name = QFileInfo(QString::fromStdString(row.name)).fileName();
        if (row.verdict.text() != (refused.contains(name) ? "unsupported" : "passed"))
            out << name + u": "_s + QString::fromStdString(row.verdict.str() + " " + row.reason);
    }
    if (answer.total != folders.size())
        out << u"%1 of %2 folders have a verdict"_s.arg(answer.total).arg(folders.size());
    return out;
}

struct Outcome {
    std::string calls; // of libraries
    std::string wrong;
    int byLibraries = 0; // groups
};

// The group to another of its candidates, as it is.
void give(Group& group, const Candidate& candidate) {
    group.implementation = candidate.implementation;
    group.by = candidate.by;
    group.kind = candidate.by->library() != nullptr ? GroupKind::Call : GroupKind::Kernel;
    group.lowering = {};
}

// Compiled for the level and run, beside the reference; free dimensions at 0, 1 and an odd size.
Outcome judge(const LevelCase& one, int threads) {
    Outcome out;
    Target on = target();
    on.threads = threads;
    const GraphPtr graph = one.make();
    const Books books = loadBooks(arguments().rules).value();
    const Catalog catalog = catalogOf(externLibraries(), books.strategy);
    PlanOptions options;
    options.catalog = &catalog;
    options.book = &books.fusion;
    FusionPlan plan = planFusion(*graph, on, options).value();
    for (Group& group : plan.groups)
        for (const Candidate& candidate : group.candidates)
            if (one.winograd && candidate.implementation == "onednn.winograd" &&
                candidate.verdict == Verdict::Yes)
                give(group, candidate);
    auto module = std::make_shared<CompiledModule>(compileModule(*graph, plan, on).value());
    for (const KernelReport& report : module->reports) {
        out.calls += report.libraryCall;
        out.byLibraries += !report.libraryCall.empty();
    }
    const auto loaded = loadModule(module, on).take();
    std::vector<std::map<std::string, std::int64_t>> sizes = {{}};
    if (!graph->freeDims().empty())
        sizes = {{{"N", 0}}, {{"N", 1}}, {{"N", 19}}};
    for (const auto& dims : sizes) {
        const auto inputs = loaded->randomInputs(5, dims).value();
        const auto got = loaded->run(inputs).value(), again = loaded->run(inputs).value();
        const auto wanted = evaluateGraph(*graph, inputs).value();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            double largest = 1e-3, worst = 0;
            for (std::size_t k = 0; k < wanted[i].count(); ++k)
                largest = std::max(largest, std::abs(wanted[i].at(k)));
            bool same = true;
            for (std::size_t k = 0; k < wanted[i].count(); ++k) {
                const double difference = std::abs(got[i].at(k) - wanted[i].at(k)) / largest;
                worst = std::max(worst, std::isnan(difference) ? 1e9 : difference);
                same = same && got[i].at(k) == again[i].at(k);
            }
            if (worst > (one.winograd ? 1e-3 : tolerance) || !same)
                out.wrong += one.name + ": " +
                             (same ? "off by " + std::to_string(worst)
                                   : std::string("the second run differs")) +
                             " of the largest, " + out.calls + "\n";
        }
    }
    return out;
}

} // namespace

class TestLevel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void librariesPlayTheLevel() {
        for (const std::string& name : target().libs) {
            const std::string core = externLibrary(name)->status().core;
            // "avx2_vnni" has nothing for f32 that "avx2" has not.
            QVERIFY2(core.starts_with(target().libraryLevel(name)), core.c_str());
        }
    }

    void operatorsAreExact() { operators(u"ops"_s, 0, 0); }
    void operatorsAreClose() { operators(u"close"_s, 1e-3, 1e-5); }

    void samples() {
        const QStringList folders = foldersIn(fw::test::sourceRoot + u"/samples"_s) +
                                    foldersIn(fw::test::sourceRoot + u"/samples/odd"_s);
        QVERIFY(folders.size() >= 24);
        const QStringList wrong = surprises(folders, arguments());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void tails_data() { threads(); }
    void tails() { all(tailCases()); }
    void layouts_data() { threads(); }
    void layouts() { all(layoutCases()); }

private:
    static void operators(const QString& folder, double rtol, double atol) {
        QStringList folders;
        for (const QString& one :
             foldersIn(fw::test::sourceRoot + u"/tests/conformance/"_s + folder))
            if (target().libs.empty() || concernsLibraries(one))
                folders << one;
        QVERIFY(!folders.isEmpty());
        snapshot::Arguments given = arguments();
        given.rtol = rtol;
        given.atol = atol;
        const QStringList wrong = surprises(folders, given);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    static void threads() {
        QTest::addColumn<int>("threads");
        const bool oneDnn = target().text.find("onednn") != std::string::npos;
        for (int count = 1; count <= (oneDnn ? 2 : 1); ++count) // its kernels depend on it
            QTest::addRow("threads %d", count) << count;
    }

    static void all(const std::vector<LevelCase>& cases) {
        QFETCH(int, threads);
        std::string wrong;
        int byLibraries = 0;
        for (const LevelCase& one : cases) {
            const Outcome outcome = judge(one, threads);
            if (!outcome.wrong.empty()) {
                qWarning("%s", outcome.wrong.c_str());
                wrong += (wrong.empty() ? "" : "; ") + one.name;
            }
            byLibraries += outcome.byLibraries;
        }
        qInfo("%d graphs, %d groups by libraries", int(cases.size()), byLibraries);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(byLibraries > 0, !target().libs.empty());
    }
};

FW_TEST_BY([](int count, char** given) {
    for (const char* bound : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "OPENBLAS_CORETYPE"})
        qunsetenv(bound);
    if (const std::string why = whyNot(); !why.empty()) {
        std::printf("skipped, %s: %s\n", target().text.c_str(), why.c_str());
        return skipped;
    }
    std::printf("%s\n", target().text.c_str());
    return fw::test::runAs<TestLevel, QCoreApplication>(count, given);
})

#include "test_level.moc"
