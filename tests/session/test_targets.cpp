// Targets of books in every command: named, with options behind, refused where a model lacks what
// they require.
#include "common/test.h"
#include "session/asked.h"

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

namespace {

const std::string folder = samples + "own-target/";

Arguments onTarget(const std::string& model, const std::string& target,
                   const std::string& text = {}) {
    Arguments out;
    out.model = folder + model;
    out.target = target;
    out.rules = {folder + "vta.fw"};
    if (!text.empty())
        out.texts = {{folder + "vta.fw", text}};
    return out;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class TestTargets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sequencesAreComputedAsTheTargetSays();
    void everyCommandRefusesWhatIsMissing_data();
    void everyCommandRefusesWhatIsMissing();
    void otherTargetsTakeTheModel();
    void optionsComeBehindTheName();
    void namesThatAreNotKnown();
    void theTextThatIsTypedActs();
    void requirementsGoOnToWhatStandsOnIt();
    void librariesOfTheTarget();
    void placesKnowTheTargets();
};

void TestTargets::sequencesAreComputedAsTheTargetSays() {
    Asked a;
    const FuseDocument plan = a.get<FuseDocument>("fuse", onTarget("sequence.fw", "vta"));
    QCOMPARE(plan.target, std::string("vta -libs= -threads=1"));
    QCOMPARE(plan.groups.size(), std::size_t(1));
    QCOMPARE(plan.groups[0].nodes.size(), std::size_t(3));
    QCOMPARE(plan.groups[0].implementation.str(), std::string("vta.tile"));
    for (const CandidateRecord& candidate : plan.groups[0].candidates)
        if (candidate.verdict == "chosen")
            QCOMPARE(candidate.level.str(), std::string("conv2d on vta"));
    Arguments arguments = onTarget("sequence.fw", "vta");
    const RunDocument run = a.get<RunDocument>("run", arguments);
    QCOMPARE(run.target, std::string("vta -libs= -threads=1"));
}

void TestTargets::everyCommandRefusesWhatIsMissing_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"fuse", "explain", "stages", "run", "profile", "verify"})
        QTest::newRow(command) << command;
}

void TestTargets::everyCommandRefusesWhatIsMissing() {
    QFETCH(QString, command);
    Asked a;
    Arguments arguments = onTarget("lone.fw", "vta");
    arguments.nodes = {"alone"};
    arguments.stage = "loops";
    const Result<std::string> answer = a.ask(command.toStdString(), arguments);
    QVERIFY(!answer.ok());
    const Diag& diag = answer.diag();
    QCOMPARE(diag.code, DiagCode::NotRunnable);
    QCOMPARE(diag.where.node, std::string("alone"));
    QVERIFY(has(diag.message, "the target vta requires conv2d(...) >> clip(^) >> cast(^)"));
    QVERIFY2(has(diag.message, "; alone: at broken, 0 of 2 operators matched: clip(^) expected "
                               "clip, found conv2d; broken: at open, 0 of 2 operators matched: "
                               "clip(^) expected clip, found relu"),
             diag.message.c_str());
    QVERIFY(!has(diag.message, "whole: "));
}

void TestTargets::otherTargetsTakeTheModel() {
    Asked a;
    const FuseDocument plan = a.get<FuseDocument>("fuse", onTarget("lone.fw", "x86-64 -libs="));
    QVERIFY(plan.groups.size() > 2);
    for (const GroupRecord& group : plan.groups)
        QVERIFY(group.implementation != "vta.tile");
    a.get<InfoDocument>("info", onTarget("lone.fw", "vta"));
}

void TestTargets::optionsComeBehindTheName() {
    Asked a;
    QCOMPARE(a.get<FuseDocument>("fuse", onTarget("sequence.fw", "vta -threads=2")).target,
             std::string("vta -libs= -threads=2"));
    QCOMPARE(a.ask("fuse", onTarget("sequence.fw", "vta -mcpu=haswell")).diag().code,
             DiagCode::UnknownTarget);
}

void TestTargets::namesThatAreNotKnown() {
    Asked a;
    const Diag near = a.ask("fuse", onTarget("sequence.fw", "vts")).diag();
    QCOMPARE(near.code, DiagCode::UnknownTarget);
    QVERIFY2(has(near.hint, "vta"), near.hint.c_str());
    Arguments without = onTarget("sequence.fw", "vta");
    without.rules.clear();
    QCOMPARE(a.ask("fuse", without).diag().code, DiagCode::UnknownTarget);
    // A target that was refused is not there, and its error is told.
    const Diag refused =
        a.ask("fuse", onTarget("sequence.fw", "vta", "target vta on x86-64 { threads = 0 }"))
            .diag();
    QCOMPARE(refused.code, DiagCode::UnknownTarget);
}

// The same words stand for something else, and nothing of what they stood for is kept.
void TestTargets::theTextThatIsTypedActs() {
    Asked a;
    const auto lanes = [&](const char* text) {
        Arguments arguments = onTarget("sequence.fw", "vta", text);
        arguments.stage = "schedule";
        return a.get<StagesDocument>("stages", arguments).text;
    };
    const std::string wide = lanes("target vta on x86-64-v3 { libs = [] threads = 1 }");
    const std::string narrow = lanes("target vta on x86-64-v2 { libs = [] threads = 1 }");
    QVERIFY(wide != narrow);
    QCOMPARE(lanes("target vta on x86-64-v3 { libs = [] threads = 1 }"), wide);
    QVERIFY(lanes("target vta on x86-64-v3 { libs = [] threads = 1 vector_bits = 128 }") != wide);
}

void TestTargets::requirementsGoOnToWhatStandsOnIt() {
    Asked a;
    const std::string text =
        "target first on x86-64 { libs = [] requires conv2d(...) >> clip(^) }\n"
        "target vta on first { requires clip(x) >> cast(^) }\n";
    const Diag both = a.ask("fuse", onTarget("lone.fw", "vta", text)).diag();
    QVERIFY2(has(both.message, "requires conv2d(...) >> clip(^);"), both.message.c_str());
    const FuseDocument plan = a.get<FuseDocument>("fuse", onTarget("sequence.fw", "vta", text));
    QCOMPARE(plan.groups.size(), std::size_t(1));
    const Diag own = a.ask("fuse", onTarget("sequence.fw", "vta",
                                            text + "target vta on first { requires clip(x) >> "
                                                   "relu(^) }\n"))
                         .diag();
    QVERIFY2(has(own.message, "requires clip(x) >> relu(^); clip: at cast"), own.message.c_str());
}

// A library that the target lists, one that the options take away, and the candidate that says so.
void TestTargets::librariesOfTheTarget() {
    Asked a;
    const std::string text =
        "target chip on x86-64 { libs = [cblas] threads = 1 }\n"
        "implementations dense(...) on chip {\n"
        "  dense_cblas by openblas.sgemm priority 15 when libs has openblas }\n";
    const auto candidate = [&](const std::string& target) {
        Arguments arguments = onTarget("../library-fusion/dense.fw", target, text);
        const FuseDocument plan = a.get<FuseDocument>("fuse", arguments);
        for (const CandidateRecord& one : plan.groups[0].candidates)
            if (one.name == "dense_cblas")
                return one;
        return CandidateRecord();
    };
    const CandidateRecord without = candidate("chip -libs=");
    QCOMPARE(without.verdict.str(), std::string("refused"));
    QCOMPARE(without.code.str(), std::string("LIB11"));
    QVERIFY2(has(without.sentence, "library openblas is not in the target"),
             without.sentence.str().c_str());
    Arguments arguments = onTarget("../library-fusion/dense.fw", "chip", text);
    if (const auto plan = a.ask("fuse", arguments);
        !plan && plan.diag().code == DiagCode::LibraryMissing)
        QSKIP(plan.diag().text().c_str());
    const CandidateRecord with = candidate("chip");
    QCOMPARE(with.verdict.str(), std::string("chosen"));
    QCOMPARE(with.priority.value_or(0), 15);
}

void TestTargets::placesKnowTheTargets() {
    Asked a;
    const auto completions = [&](const std::string& line) {
        const std::string text =
            "target my-chip \"ours\" on x86-64 { keys = [family] }\n" + line + "\n";
        Arguments arguments = onTarget("sequence.fw", "", text);
        arguments.position = TextPlace{folder + "vta.fw", 2, static_cast<int>(line.size()) + 1};
        const auto got = a.get<AssistDocument>("assist", arguments);
        std::vector<std::string> out;
        for (const CompletionRecord& one : got.completions)
            out.push_back(one.text);
        return out;
    };
    const auto offers = [&](const std::string& line, const std::string& word) {
        const std::vector<std::string> all = completions(line);
        return std::find(all.begin(), all.end(), word) != all.end();
    };
    for (const char* line : {"fuse f on ", "implementations dense(...) on ", "target t on "}) {
        QVERIFY2(offers(line, "my-chip"), line);
        QVERIFY2(offers(line, "family"), line);
        QVERIFY2(offers(line, "x86-64-v3"), line);
    }
    QVERIFY(offers("target t on x86-64 { ", "requires"));
    QVERIFY(offers("target t on x86-64 { libs = [", "onednn"));
    QVERIFY(offers("target t on x86-64 { features = [", "avx512vnni"));
    QVERIFY(offers("target t on x86-64 { threads = 2 ", "vector_bits"));
    QVERIFY(offers("target t on x86-64 { requires ", "conv2d"));
    QVERIFY(offers("target t ", "on"));
    Arguments arguments = onTarget("sequence.fw", "",
                                   "target my-chip \"ours\" on x86-64 { }\n"
                                   "fuse f on my-chip { match relu(tanh(x)) }\n");
    arguments.position = TextPlace{folder + "vta.fw", 2, 14};
    const auto place = a.get<AssistDocument>("assist", arguments);
    QVERIFY(place.hover && place.hover->lines.front() == "ours");
    QVERIFY(place.definition && place.definition->line == 1);
    const auto order = a.get<OrderDocument>("order", onTarget("sequence.fw", "vta"));
    QVERIFY(std::any_of(order.entries.begin(), order.entries.end(), [](const OrderRecord& row) {
        return row.kind == "target" && row.name == "vta" && row.phase == "name";
    }));
}

FW_TEST(TestTargets, QCoreApplication)
#include "test_targets.moc"
