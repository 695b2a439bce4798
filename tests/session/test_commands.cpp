// Every command of the worker on the samples, in this process: its document and its refusals.

#include "base/files.h"
#include "common/test.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include <fmt/format.h>

#include <set>
#include <unistd.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestCommands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void infoCountsWhatTheModelSays();
    void graphsOfAllStagesShareProvenance();
    void graphsBehindApplications();
    void regionsSayTheirCalls();
    void plansAreDeterministic();
    void planWithoutDecisions();
    void explainShowsGates();
    void explainUnconnected();
    void waysOutAreNamed();
    void stagesHaveText_data();
    void stagesHaveText();
    void samplesGiveTheirExpectedOutputs_data();
    void samplesGiveTheirExpectedOutputs();
    void demandsOnFreeDimensions();
    void freeDimensionsRunAtOddSizes();
    void profileKeepsSumAndEndToEndApart();
    void theMachineIsMeasured();
    void graphFilesAreModels();
    void wrongInputsAreRefused();
    void unknownThingsAreNamed();
    void cancelledWorkSaysSo();
    void brokenFilesAreRefused_data();
    void brokenFilesAreRefused();
    void runSaysWhatTheImportFound();
    void checkTellsEntriesWithoutCode();
};

void TestCommands::infoCountsWhatTheModelSays() {
    Asked a;
    const InfoDocument info = a.get<InfoDocument>("info", on("lenet"));
    QVERIFY(info.runnable);
    QCOMPARE(info.ops.at("Conv"), 2);
    QVERIFY(info.flops && *info.flops > 1000);
    QVERIFY(!a.get<InfoDocument>("info", on("free_batch")).flops);
}

void TestCommands::graphsOfAllStagesShareProvenance() {
    Asked a;
    Arguments arguments = on("residual");
    const GraphDocument imported = a.get<GraphDocument>("graph", arguments);
    std::set<NodeId> ids;
    for (const NodeRecord& node : imported.nodes)
        ids.insert(node.id);
    arguments.stage = "fused";
    const GraphDocument fused = a.get<GraphDocument>("graph", arguments);
    QVERIFY(fused.nodes.size() < imported.nodes.size());
    QVERIFY(!fused.groups.empty());
    std::map<NodeId, std::vector<NodeId>> kept;
    std::set<NodeId> covered;
    for (const NodeRecord& node : fused.nodes) {
        if (node.constant || node.op == "input")
            continue;
        QVERIFY(node.group >= 0);
        QVERIFY(!node.origins.empty());
        for (const NodeId origin : node.origins)
            QVERIFY(ids.contains(origin));
        kept[node.id] = node.origins;
        covered.insert(node.origins.begin(), node.origins.end());
    }
    for (const NodeRecord& node : imported.nodes) {
        if (node.constant || node.op == "input")
            continue;
        QVERIFY2(covered.contains(node.id), node.name.c_str());
        // What no rule touched is itself, also where one ONNX node became several operators.
        if (kept.contains(node.id))
            QCOMPARE(kept.at(node.id), std::vector<NodeId>{node.id});
    }
    QVERIFY(kept.size() > 6);
}

void TestCommands::graphsBehindApplications() {
    Asked a;
    Arguments arguments = on("residual");
    const GraphDocument imported = a.get<GraphDocument>("graph", arguments);
    const auto applications = a.get<RewriteDocument>("rewrite", arguments).applications;
    QVERIFY(applications.size() > 2);
    arguments.stage = "rewritten";
    const GraphDocument last = a.get<GraphDocument>("graph", arguments);
    QVERIFY(!imported.imported.empty());
    QCOMPARE(last.imported, imported.imported); // origins are ids of the same nodes
    QVERIFY(a.get<GraphDocument>("graph", on("lenet")).imported != imported.imported);
    const auto namesBehind = [&](std::size_t count) {
        arguments.application = static_cast<std::int64_t>(count);
        std::multiset<std::pair<std::string, std::string>> out;
        for (const NodeRecord& node : a.get<GraphDocument>("graph", arguments).nodes)
            out.emplace(node.name, node.op);
        return out;
    };
    std::multiset<std::pair<std::string, std::string>> names = namesBehind(0);
    for (std::size_t k = 0; k < applications.size(); ++k) {
        for (const RewrittenNode& node : applications[k].erased)
            names.erase(names.find({node.name, node.op}));
        for (const RewrittenNode& node : applications[k].created)
            names.emplace(node.name, node.op);
        QVERIFY(namesBehind(k + 1) == names);
    }
    arguments.application.reset();
    QCOMPARE(names.size(), last.nodes.size());
    arguments.application = static_cast<std::int64_t>(applications.size()) + 1;
    const auto refused = a.ask("graph", arguments);
    QVERIFY(!refused && refused.diag().code == DiagCode::Usage);
    QVERIFY(refused.diag().text().find("there is no application") != std::string::npos);
}

void TestCommands::regionsSayTheirCalls() {
    Asked a;
    Arguments arguments = on("onednn-partition/chains.fw");
    arguments.target = "x86-64 -libs=onednn";
    arguments.stage = "partitioned";
    const GraphDocument graph = a.get<GraphDocument>("graph", arguments);
    QCOMPARE(graph.regions.size(), graph.groups.size());
    std::size_t relu = 0;
    for (const RegionRecord& region : graph.regions) {
        QCOMPARE(region.name, graph.groups[static_cast<std::size_t>(region.id)].name);
        QVERIFY(!region.inputs.empty() && !region.outputs.empty());
        for (const BorderRecord& value : region.inputs)
            QVERIFY(value.bytes > 0 && !value.type.empty());
        if (region.owner != "onednn")
            continue;
        QCOMPARE(region.calls.size(), std::size_t(1));
        QCOMPARE(region.calls[0].by, std::string("onednn.conv"));
        relu += region.calls[0].postOps == std::vector<std::string>{"bias", "relu"};
        // Code of ours could compute it; another library is not named.
        QCOMPARE(region.choices.size(), std::size_t(1));
        QVERIFY(region.choices[0].owner.empty());
        QCOMPARE(region.choices[0].uses.size(), std::size_t(1));
        QVERIFY(region.choices[0].uses[0].implementation.starts_with("generated."));
    }
    QCOMPARE(relu, std::size_t(1));
    QVERIFY(graph.bytesCrossing.has_value());
    arguments.target = "x86-64 -libs=";
    for (const RegionRecord& region : a.get<GraphDocument>("graph", arguments).regions)
        QVERIFY(region.owner.empty() && region.choices.empty());
}

void TestCommands::plansAreDeterministic() {
    Asked a, b;
    QCOMPARE(a.ask("fuse", on("attention")).value(), b.ask("fuse", on("attention")).value());
}

void TestCommands::planWithoutDecisions() {
    Asked a;
    FuseDocument whole = a.get<FuseDocument>("fuse", on("attention"));
    QVERIFY(!whole.decisions.empty() && !whole.notices.empty());
    Arguments arguments = on("attention");
    arguments.decisions = false;
    const FuseDocument groups = a.get<FuseDocument>("fuse", arguments);
    whole.decisions.clear();
    whole.notices.clear();
    whole.made = groups.made; // it was known the second time
    QVERIFY(groups == whole);
}

void TestCommands::explainShowsGates() {
    Asked a;
    const FuseDocument plan = a.get<FuseDocument>("fuse", on("lenet"));
    const DecisionRecord* refused = nullptr;
    for (const DecisionRecord& decision : plan.decisions)
        if (decision.verdict == "no" && refused == nullptr)
            refused = &decision;
    QVERIFY(refused != nullptr);
    Arguments arguments = on("lenet");
    arguments.nodes = {refused->from, refused->to};
    const ExplainDocument pair = a.get<ExplainDocument>("explain", arguments);
    QCOMPARE(pair.verdict, std::string("no"));
    QCOMPARE(pair.code, refused->code);
    QVERIFY(!pair.gates.empty() && !pair.gates.back().pass);
    arguments.nodes = {refused->from};
    const ExplainDocument single = a.get<ExplainDocument>("explain", arguments);
    QVERIFY(single.group.has_value());
    QVERIFY(single.gates.size() > 1); // the candidates
}

void TestCommands::explainUnconnected() {
    Asked a;
    Arguments arguments = on("residual");
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(plan.groups.size() > 2);
    arguments.nodes = {plan.groups.front().nodes.front(), plan.groups.back().nodes.back()};
    const auto said = a.get<ExplainDocument>("explain", arguments);
    QCOMPARE(said.verdict, std::string("no"));
    QCOMPARE(said.code, std::string("CON01"));
    QVERIFY(said.sentence.find("no value leads") != std::string::npos);
}

void TestCommands::waysOutAreNamed() {
    QTemporaryDir folder;
    const std::string model = folder.filePath(QStringLiteral("ways.fw")).toStdString();
    QVERIFY(writeFile(model, "graph ways(x: f32[4, 32]) -> y, z {\n"
                             "  w = const random(1) : f32[32, 32]\n"
                             "  d = dense(x, w)\n"
                             "  r = relu(d)\n"
                             "  s = softmax(d) {axis = 1}\n"
                             "  y = add(r, s)\n"
                             "  v = const random(2) : f32[32, 32]\n"
                             "  e = dense(x, v)\n"
                             "  t = softmax(e) {axis = 1}\n"
                             "  z = add(e, t)\n"
                             "}\n")
                .ok());
    Asked a;
    Arguments arguments = on("");
    arguments.model = model;
    const auto way = [&](const char* from, const char* to) {
        arguments.nodes = {from, to};
        std::vector<std::string> out;
        for (const WayRecord& node : a.get<ExplainDocument>("explain", arguments).way)
            out.push_back(node.name);
        return out;
    };
    QCOMPARE(way("dense", "relu"), (std::vector<std::string>{"dense", "softmax"})); // out
    QCOMPARE(way("dense_1", "add_1"),
             (std::vector<std::string>{"dense_1", "softmax_1", "add_1"})); // and back
    QVERIFY(way("softmax", "add").empty()); // another reason, or none
}

void TestCommands::stagesHaveText_data() {
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("word");
    QTest::newRow("graph") << "graph"
                           << "graph";
    QTest::newRow("rewritten") << "rewritten"
                               << "conv2d";
    QTest::newRow("fused") << "fused"
                           << "generated.tiled";
    QTest::newRow("tensor") << "tensor"
                            << "sum(";
    QTest::newRow("schedule") << "schedule"
                              << "vectorize";
    QTest::newRow("loops") << "loops"
                           << "parallel";
    QTest::newRow("llvm") << "llvm"
                          << "define";
    QTest::newRow("asm") << "asm"
                         << "ret";
}

void TestCommands::stagesHaveText() {
    QFETCH(QString, stage);
    QFETCH(QString, word);
    Asked a;
    Arguments arguments = on("lenet");
    arguments.stage = stage.toStdString();
    if (stage != "graph" && stage != "rewritten" && stage != "fused")
        arguments.group = 0;
    const StagesDocument document = a.get<StagesDocument>("stages", arguments);
    QVERIFY2(QString::fromStdString(document.text).contains(word), document.text.c_str());
    if (stage == "loops")
        QVERIFY(!document.spans.empty());
}

void TestCommands::samplesGiveTheirExpectedOutputs_data() {
    QTest::addColumn<QString>("sample");
    for (const char* name : {"mlp", "lenet", "residual", "free_batch", "conv_zoo", "attention",
                             "inception", "encoder", "mobilenet", "recommender", "unet"})
        QTest::newRow(name) << name;
}

void TestCommands::samplesGiveTheirExpectedOutputs() {
    QFETCH(QString, sample);
    Asked a;
    const RunDocument run = a.get<RunDocument>("run", on(sample.toStdString()));
    QVERIFY(!run.sets.empty());
    for (const ComparisonRecord& set : run.sets)
        QVERIFY2(set.pass, set.worst.c_str());
    for (const char* stage : {"import", "rewrite", "fuse", "compile", "run"})
        QVERIFY2(std::count(a.stages.begin(), a.stages.end(), stage) > 0, stage);
}

// What is asked of free dimensions is listed, and broken sizes are told before anything runs.
void TestCommands::demandsOnFreeDimensions() {
    QTemporaryDir folder;
    Arguments arguments;
    arguments.target = "x86-64 -libs=";
    arguments.model = folder.filePath(QStringLiteral("demands.fw")).toStdString();
    QVERIFY(writeFile(arguments.model, "graph g(x: f32[N, 8], w: f32[4, K], z: f32[M, 1]) -> y {\n"
                                       "  d = dense(x, w)  y = add(d, z)\n}\n")
                .ok());
    Asked a;
    const FuseDocument plan = a.get<FuseDocument>("fuse", arguments);
    QCOMPARE(plan.assumptions.size(), std::size_t(2));
    QCOMPARE(plan.assumptions[0].from, std::string("dense"));
    QCOMPARE(plan.assumptions[0].code, std::string("DIM01"));
    QVERIFY2(
        QString::fromStdString(plan.assumptions[0].sentence).contains(QStringLiteral("8 == K")),
        plan.assumptions[0].sentence.c_str());
    QCOMPARE(plan.assumptions[1].from, std::string("add"));
    // Sizes that are made up are those that fit.
    const RunDocument run = a.get<RunDocument>("run", arguments);
    QCOMPARE(run.outputs.at(0).shape, (std::vector<std::int64_t>{1, 4}));
    arguments.dims = {{"N", 3}, {"M", 5}};
    const auto refused = a.ask("run", arguments);
    QVERIFY(!refused.ok());
    QCOMPARE(exitCode(refused.diag().code), 2);
    QVERIFY2(refused.diag().message.find("dimension 0 of a is 3 and dimension 0 of b is 5") !=
                 std::string::npos,
             refused.diag().message.c_str());
    arguments.dims = {{"M", 5}};
    QCOMPARE(a.get<RunDocument>("run", arguments).outputs.at(0).shape,
             (std::vector<std::int64_t>{5, 4}));
}

void TestCommands::freeDimensionsRunAtOddSizes() {
    Asked a;
    // The sizes that are told are those of the outputs, not of the data set compared last.
    const RunDocument free = a.get<RunDocument>("run", on("free_batch"));
    QCOMPARE(free.sets.size(), std::size_t(3));
    QCOMPARE(free.notices, std::vector<std::string>{fmt::format("free dimensions: N = {}",
                                                                free.outputs.at(0).shape.at(0))});
    const InfoDocument info = a.get<InfoDocument>("info", on("free_batch"));
    QCOMPARE(info.inputs.size(), std::size_t(1));
    for (const std::int64_t size : {0, 1, 5, 7}) {
        Arguments arguments = on("free_batch/model.onnx");
        arguments.dims = {{"N", size}};
        const RunDocument run = a.get<RunDocument>("run", arguments);
        QVERIFY(run.randomInputs);
        QCOMPARE(run.outputs.at(0).shape.at(0), size);
        // Of the folder's data sets those of this size count.
        arguments.model = samples + "free_batch";
        const RunDocument folder = a.get<RunDocument>("run", arguments);
        QCOMPARE(folder.outputs.at(0).shape.at(0), size);
        QCOMPARE(folder.randomInputs, folder.sets.empty());
        QCOMPARE(folder.sets.size(), std::size_t(size == 1 || size == 7 ? 1 : 0));
        for (const ComparisonRecord& set : folder.sets)
            QVERIFY(set.pass);
        arguments = on("recommender/model.onnx");
        arguments.dims = {{"N", size}};
        QCOMPARE(a.get<RunDocument>("run", arguments).outputs.at(0).shape.at(0), size);
        arguments = on("encoder/model.onnx");
        arguments.dims = {{"S", size}};
        QCOMPARE(a.get<RunDocument>("run", arguments).outputs.at(0).shape.at(1), size);
    }
}

void TestCommands::profileKeepsSumAndEndToEndApart() {
    Asked a;
    Arguments arguments = on("lenet");
    arguments.seconds = 0.05;
    QTemporaryDir folder;
    arguments.trace = folder.filePath("trace.json").toStdString();
    const ProfileDocument profile = a.get<ProfileDocument>("profile", arguments);
    QVERIFY(profile.rows.size() >= 5);
    QFile trace(QString::fromStdString(arguments.trace));
    QVERIFY(trace.open(QIODevice::ReadOnly));
    QCOMPARE(QJsonDocument::fromJson(trace.readAll())["traceEvents"].toArray().size(),
             qsizetype(profile.rows.size()));
    QVERIFY(profile.endToEndMs > 0 && profile.sumMs > 0);
    double share = 0;
    bool estimated = false;
    for (const ProfileRow& row : profile.rows) {
        share += row.share;
        for (const ShareRecord& node : row.nodes)
            estimated = estimated || (node.estimated && row.nodes.size() > 1);
    }
    QVERIFY(std::abs(share - 1) < 1e-6);
    QVERIFY(estimated);
    const auto plan = a.get<FuseDocument>("fuse", on("lenet"));
    for (const ProfileRow& row : profile.rows)
        for (const GroupRecord& group : plan.groups)
            if (group.id == row.groupId && row.estUs)
                QCOMPARE(row.estUs, group.estUs);
    QVERIFY(std::any_of(profile.rows.begin(), profile.rows.end(),
                        [](const ProfileRow& row) { return row.estUs.has_value(); }));
}

void TestCommands::theMachineIsMeasured() {
    QTemporaryDir folder;
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
    qunsetenv("FUSEWRIGHT_MACHINE");
    Asked a;
    Arguments arguments;
    arguments.target = "x86-64 -threads=2";
    arguments.measure = true;
    const auto measured = a.get<DoctorDocument>("doctor", arguments);
    std::size_t ours = 0;
    for (const CeilingRecord& one : measured.ceilings) {
        const bool library =
            one.name.find('.') != std::string::npos && !one.name.starts_with("own.");
        QVERIFY2(library || (one.value && *one.value > 0), one.name.c_str());
        ours += library ? 0 : 1;
    }
    QCOMPARE(ours, std::size_t(12));
    // Behind it what other work disturbed.
    QVERIFY2(measured.ceilingsFrom.starts_with("measured on this machine"),
             measured.ceilingsFrom.c_str());
    QCOMPARE(std::count(a.stages.begin(), a.stages.end(), "machine"), 13);
    arguments.measure.reset();
    const auto kept = a.get<DoctorDocument>("doctor", arguments);
    QCOMPARE(kept.ceilings, measured.ceilings);
    arguments.target = "x86-64 -mcpu=haswell";
    QCOMPARE(a.get<DoctorDocument>("doctor", arguments).ceilingsFrom,
             std::string("a table for haswell"));
}

// A model can be text, with operators of its own.
void TestCommands::graphFilesAreModels() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("net.fw"));
    const auto write = [&](const char* text) {
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
        out.write(text);
    };
    write("op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + x[i...] }\n"
          "graph net(x: f32[N, 8]) -> y {\n  w = const random(7) : f32[4, 8]\n  d = dense(x, w)  t "
          "= twice(d)  i = identity(t)  y = relu(i)\n}\n");
    Asked a;
    Arguments arguments;
    arguments.model = file.toStdString();
    arguments.target = "x86-64 -libs=";
    const InfoDocument info = a.get<InfoDocument>("info", arguments);
    QCOMPARE(info.format, std::string("fw"));
    QCOMPARE(info.name, std::string("net"));
    QVERIFY(info.runnable);
    QCOMPARE(info.ops.at("twice"), 1);
    arguments.dims = {{"N", 3}};
    QVERIFY(a.get<InfoDocument>("info", arguments).flops.has_value());
    const Result<std::string> run = a.ask("run", arguments);
    QVERIFY2(run.ok(), run.ok() ? "" : run.diag().text().c_str());
    arguments.dims = {{"M", 3}};
    QCOMPARE(a.ask("info", arguments).diag().code, DiagCode::UnknownName);
    // A book may declare operators that its rules emit.
    const QString book = folder.filePath(QStringLiteral("book.fw"));
    QFile rules(book);
    QVERIFY(rules.open(QIODevice::WriteOnly));
    rules.write("op thrice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] * 3 }\nrule r {\n match y "
                "= relu(x)\n emit y = thrice(x)\n}\n");
    rules.close();
    arguments.dims.clear();
    arguments.rules = {book.toStdString()};
    arguments.stage = "rewritten";
    const GraphDocument rewritten = a.get<GraphDocument>("graph", arguments);
    QVERIFY(std::any_of(rewritten.nodes.begin(), rewritten.nodes.end(),
                        [](const NodeRecord& node) { return node.op == "thrice"; }));
    arguments.rules.clear();
    // Weights that are only named are not there.
    arguments.dims.clear();
    write("graph named(x: f32[N, 80]) -> y {\n  w = const @\"w\" hash \"00\" : f32[4, 80]\n  y = "
          "dense(x, w)\n}\n");
    const Diag refused = a.ask("info", arguments).diag();
    QCOMPARE(refused.code, DiagCode::UnknownName);
    QCOMPARE(refused.where.file, arguments.model);
    QCOMPARE(refused.where.line, 2);
    write("rule r { match y = relu(x) emit y = x }\n");
    QCOMPARE(a.ask("info", arguments).diag().code, DiagCode::Syntax);
}

void TestCommands::wrongInputsAreRefused() {
    Asked a;
    Arguments arguments = on("mlp");
    arguments.inputs = {{"nobody", samples + "mlp/test_data_set_0/input_0.pb"}};
    QCOMPARE(a.ask("run", arguments).diag().code, DiagCode::InputMismatch);
    const std::string name = a.get<InfoDocument>("info", on("mlp")).inputs[0].name;
    arguments.inputs = {{name, samples + "lenet/test_data_set_0/input_0.pb"}};
    QCOMPARE(a.ask("run", arguments).diag().code, DiagCode::InputMismatch);
    arguments.inputs = {{name, samples + "missing.pb"}};
    QCOMPARE(a.ask("run", arguments).diag().code, DiagCode::FileMissing);
}

void TestCommands::unknownThingsAreNamed() {
    Asked a;
    Arguments arguments = on("lenet");
    arguments.nodes = {"nobody"};
    QCOMPARE(a.ask("explain", arguments).diag().code, DiagCode::UnknownName);
    arguments.stage = "dream";
    QCOMPARE(a.ask("stages", arguments).diag().code, DiagCode::Usage);
    arguments.stage = "loops";
    arguments.group = 99;
    QCOMPARE(a.ask("stages", arguments).diag().code, DiagCode::UnknownName);
    arguments.target = "arm64";
    QCOMPARE(a.ask("fuse", arguments).diag().code, DiagCode::UnknownTarget);
    QCOMPARE(a.ask("dance", on("lenet")).diag().code, DiagCode::Usage);
    QCOMPARE(a.ask("info", on("nothing_here")).diag().code, DiagCode::FileMissing);
    const QTemporaryDir folder;
    const std::string loop = folder.filePath("a.onnx").toStdString();
    QCOMPARE(::symlink("a.onnx", loop.c_str()), 0);
    arguments = on("");
    arguments.model = loop;
    const Diag linked = a.ask("info", arguments).diag();
    QVERIFY2(linked.message.find("symbolic links") != std::string::npos, linked.message.c_str());
    // A window shows bytes that are no text as this character.
    arguments.model = "m\xEF\xBF\xBD.onnx";
    const Diag noText = a.ask("info", arguments).diag();
    QVERIFY2(noText.message.find("no text in UTF-8") != std::string::npos, noText.message.c_str());
}

void TestCommands::cancelledWorkSaysSo() {
    Asked a;
    a.context.cancel.cancel();
    QCOMPARE(a.ask("profile", on("lenet")).diag().code, DiagCode::Cancelled);
    a.context.cancel = CancelToken();
    QVERIFY(a.ask("fuse", on("lenet")).ok()); // nothing was kept of the cancelled one
}

void TestCommands::brokenFilesAreRefused_data() {
    QTest::addColumn<QString>("file");
    for (const QString& name :
         QDir(QString::fromStdString(samples + "broken")).entryList({"*.onnx"}))
        QTest::newRow(qPrintable(name)) << name;
}

void TestCommands::brokenFilesAreRefused() {
    QFETCH(QString, file);
    Asked a;
    const Arguments arguments = on("broken/" + file.toStdString());
    const Result<std::string> run = a.ask("run", arguments);
    QVERIFY(!run.ok());
    QCOMPARE(exitCode(run.diag().code), 2);
    QVERIFY(!run.diag().message.empty());
    QVERIFY2(run.diag().where.file.ends_with(file.toStdString()), run.diag().text().c_str());
    if (file == "unknown_op.onnx")
        QVERIFY(!a.get<InfoDocument>("info", arguments).runnable);
}

// A known operator in a form that is not supported is not an unknown operator.
void TestCommands::runSaysWhatTheImportFound() {
    ModelBuilder model;
    model.input("x", {"1", "2", "4"}).weights("k", {2});
    ModelBuilder::set(model.node("BatchNormalization", "x k k k k", "y"), "training_mode", 1);
    model.output("y");
    QTemporaryDir folder;
    Asked a;
    Arguments arguments = on("");
    arguments.model = folder.filePath("training.onnx").toStdString();
    QVERIFY(writeFile(arguments.model, model.bytes()).ok());
    const Diag why = a.ask("run", arguments).diag();
    QCOMPARE(why.code, DiagCode::UnsupportedAttribute);
    QVERIFY2(why.message.find("training_mode") != std::string::npos, why.text().c_str());
    QVERIFY2(why.where.file.ends_with("training.onnx"), why.text().c_str());
}

void TestCommands::checkTellsEntriesWithoutCode() {
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("book.fw")).toStdString();
    QVERIFY(writeFile(path, "implementations dense(...) on any {\n"
                            "  mine by generated.plain priority 3\n"
                            "  generated.* priority 4\n"
                            "  onednn.matmul priority 2\n"
                            "  nonsense.impl priority 9\n}\n")
                .ok());
    Asked a;
    Arguments arguments;
    arguments.rules = {path};
    const CheckDocument check = a.get<CheckDocument>("check", arguments);
    QCOMPARE(check.diagnostics.size(), std::size_t(2)); // line 4 changes a shipped entry
    QCOMPARE(check.diagnostics[1].where.line, 5);
    QVERIFY(check.diagnostics[1].message.find("nonsense.impl") != std::string::npos);
    QVERIFY(check.diagnostics[1].hint.find("generated.tiled") != std::string::npos);
    QCOMPARE(check.diagnostics[1].severity, Severity::Warning);
}

FW_TEST(TestCommands, QCoreApplication)
#include "test_commands.moc"
