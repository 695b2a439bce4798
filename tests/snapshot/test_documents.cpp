// Documents and protocol lines round-trip, skip what they do not know and never throw.
#include "common/test.h"
#include "snapshot/documents.h"
#include "snapshot/protocol.h"
#include "snapshot/schedule_records.h"

#include <limits>
#include <random>

using namespace fw;
using namespace fw::snapshot;

class TestDocuments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void graphRoundTrips();
    void planRoundTrips();
    void othersRoundTrip();
    void fieldNamesAreTheDocumentedOnes();
    void unknownFieldsAreSkipped();
    void anySpellingIsRead();
    void wrongTypesNameTheField();
    void brokenBytesAreReplaced();
    void numbersThatAreNotFiniteAreNull();
    void protocolRoundTrips();
    void piecesAreTheWhole();
    void randomBytesAreRefused();
};

namespace {

template <class T>
void roundTrip(const T& document) {
    const std::string text = toJson(document);
    QVERIFY(text.find('\n') == std::string::npos);
    const auto again = fromJson<T>(text);
    QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
    QVERIFY(*again == document);
    const auto indented = fromJson<T>(toJson(document, JsonStyle::Indented));
    QVERIFY(indented.ok() && *indented == document);
}

GraphDocument graph() {
    GraphDocument out;
    out.stage = "fused";
    NodeRecord input;
    input.id = 1;
    input.op = "input";
    input.outputs = {{"x", "f32[N,3]"}};
    NodeRecord relu;
    relu.id = (std::int64_t(1) << 53) + 7; // ids pass through as integers, not as doubles
    relu.name = "Relu \"1\"\n<b>";
    relu.op = "relu";
    relu.inputs = {{1, 0, "x"}};
    relu.outputs = {{"y", "f32[N,3]"}};
    relu.attributes = {{"alpha", "0.1"}};
    relu.origins = {4, 5};
    relu.group = 0;
    relu.unsupported = true;
    relu.line = 3;
    out.nodes = {input, relu};
    out.inputs = {1};
    out.results = {{relu.id, 0, "y"}};
    out.groups = {{0, "relu_0", "generated.elementwise", {Maker::Generated, {}}, 1.5}};
    out.diagnostics = {makeWarning(DiagCode::UnknownOperator, "no such operator",
                                   Where{"m.onnx", "n", 1, 2}, "add it to a book")};
    return out;
}

} // namespace

void TestDocuments::graphRoundTrips() {
    roundTrip(graph());
}

void TestDocuments::planRoundTrips() {
    FuseDocument plan;
    plan.target = "x86-64 -mcpu=x86-64-v3 -libs= -threads=2";
    GroupRecord group;
    group.id = 2;
    group.name = "conv2d_bias_relu_2";
    group.nodes = {"Conv_0", "Relu_1"};
    group.nodeIds = {3, 4};
    group.anchor = "Conv_0";
    group.anchorId = 3;
    group.implementation = "generated.conv2d";
    group.source = "only";
    group.maker = {Maker::Library, "toylib"};
    group.candidates = {{"generated.conv2d",
                         {Maker::Generated, {}},
                         "chosen",
                         "CHO01",
                         "the only implementation",
                         10,
                         "M > 16: M = 32",
                         "conv2d on any",
                         "strategy.fw:12",
                         3.25,
                         {}}};
    group.schedule = "parallel oc\nvectorize ow 8";
    group.warnings = {"w"};
    group.inputs = {{"x", "f32[1]"}};
    group.outputs = {{"y", "f32[1]"}};
    group.estUs = 12.5;
    group.flops = 1e9;
    plan.groups = {group};
    plan.decisions = {{"Conv_0", "Relu_1", 3, 4, "yes", "FUS02", "absorbed"}};
    plan.notices = {"n"};
    plan.arenaBytes = 4096;
    roundTrip(plan);

    ExplainDocument explain;
    explain.subject = "Conv_0 and Relu_1";
    explain.nodes = {3, 4};
    explain.group = 2;
    explain.verdict = "yes";
    explain.gates = {{"convex", true, "FUS01", "no path leaves the group"}};
    explain.decisions = plan.decisions;
    explain.counterfactuals = {{"-libs=", "yes", {"a"}}};
    explain.way = {{3, "Conv_0"}, {7, "Add_5"}};
    roundTrip(explain);
}

void TestDocuments::othersRoundTrip() {
    InfoDocument info;
    info.model = "m.onnx";
    info.inputs = {{"x", "f32[1]"}};
    info.ops = {{"conv2d", 3}, {"relu", 2}};
    info.flops = 1.5e9;
    roundTrip(info);
    ProfileDocument profile;
    profile.rows = {{1,
                     "g",
                     {{3, "Conv_0", 0.9, true}},
                     "generated",
                     {Maker::Generated, {}},
                     1,
                     210.5,
                     190.5,
                     true,
                     220.0,
                     0.31,
                     1e6,
                     {},
                     184.0,
                     {}}};
    profile.endToEndMs = 0.71;
    profile.runs = 200;
    roundTrip(profile);
    roundTrip(BenchDocument{"t", {{"m", 1.5, 2, 1, true, 4, 3.5, 30, 100, 5, 80.5, 2, {}}}, {}});
    roundTrip(RunDocument{"m",
                          "t",
                          {{"y", "f32", {1, 10}, "y.npy", "0.1 0.2"}},
                          {{"set", true, 1e-6, {}, 2.0, "", "elements", {}}},
                          true,
                          1,
                          2,
                          {}});
    RunDocument inner;
    inner.values = {{"h", "f32", {2}, "h.npy", "1, 2"}};
    roundTrip(inner);
    ProfileDocument each;
    each.rows.resize(1);
    each.rows[0].aloneUs = 12.5;
    each.rows[0].nodes = {{3, "Conv_0", 0.9, true, 4.5}};
    roundTrip(each);
    FuseDocument measured;
    measured.groups.resize(1);
    measured.groups[0].aloneUs = 3;
    measured.groups[0].splitUs = 5;
    measured.groups[0].forcedUs = 4;
    measured.groups[0].forced = {"a", "b"};
    measured.groups[0].agree = true;
    measured.assumptions = {{"Add_3", "", 3, noNode, "note", "DIM01", "assumed: N is M"}};
    roundTrip(measured);
    MatchDocument found;
    found.model = "m";
    found.stage = "imported";
    RuleMatches rule;
    rule.name = "fold";
    rule.kind = "rule";
    rule.line = 7;
    rule.endLine = 9;
    rule.endColumn = 2;
    rule.captures = {{"x", "value", {{7, 15, 7, 16}, {8, 3, 8, 4}}},
                     {"conv2d", "operator", {{7, 8, 7, 14}}}};
    rule.funnel = {{{7, 8, 7, 17}, "conv2d(x)", 53, false}, {{7, 21, 7, 28}, "relu(^)", 17, true}};
    rule.matches = {
        {"Conv_0", 3, {"Conv_0", "Relu_1"}, {3, 4}, {{"x", "x: f32[2]"}}, {{0, 1, 2}, {1, 3, 0}}}};
    rule.nearMisses = {{"Relu_9",
                        9,
                        1,
                        3,
                        "conv2d(x)",
                        "conv2d",
                        "tanh",
                        {7, 8, 7, 17},
                        Fix{{7, 8, 7, 17}, "x", "take any value for conv2d(x)"}}};
    rule.nearMissCount = 120;
    rule.ms = 1.25;
    rule.stopped = "after 2 s";
    rule.diagnostics = {makeDiag(DiagCode::LimitReached, "too many ways")};
    found.rules = {rule};
    roundTrip(found);
    roundTrip(StagesDocument{"loops", 3, "for i\n  y[i]", {{1, 2, {7}}}});
    roundTrip(ExportDocument{"out", {"a.so"}, "fw1", "t", {}, {{"a.so", "00"}}});
    StepDocument step;
    step.model = "m.onnx";
    step.total = 3;
    step.application.emplace();
    step.application->number = 2;
    step.application->rule = "fold";
    step.stopped = "creates conv2d: d";
    step.graph.stage = "step";
    step.nodes = {{4, "changed", true, {1}, {0, 2}}};
    step.hidden = 5;
    step.runs = {{"fold", "mine.fw", 7, 1, 3}};
    roundTrip(step);
    ScheduleDocument schedule;
    schedule.group = 3;
    schedule.name = "conv2d_0";
    schedule.implementation = "mine";
    schedule.text = "out0.unroll(a)\n";
    schedule.begun = "schedule s {}";
    schedule.notBegun = "why";
    schedule.written = {"my.fw", 7, 1};
    schedule.refused = "no";
    schedule.estUs = 3.5;
    schedule.bytes = 800;
    schedule.held = HeldRecord{64, 128, 256};
    schedule.loops = {{1, "held", "t0", "ring", "f32[8]", 32, {4}, {"c"}},
                      {1, "loop", "n", "for", "N", {}, {4, 5}, {"c", "r"}}};
    schedule.moreLoops = 2;
    schedule.ways = {{"melted", "generated.melted", true, 2.5, {}, 400, HeldRecord{}, "note"}};
    schedule.branches = {{"few", "where M <= 16", "N = 1..16", 1.5}};
    schedule.conflicts.emplace_back().code = "CHO04";
    roundTrip(schedule);
    roundTrip(RewriteDocument{{{"fold", "mine.fw", 3, 0.5}},
                              10,
                              7,
                              "fixpoint",
                              "m.onnx",
                              "",
                              {{1,
                                "fold",
                                "c",
                                "mine.fw",
                                7,
                                "then",
                                {{"c", "conv2d"}},
                                {5, 6},
                                {{"d", "conv2d"}},
                                {{"c", "conv2d"}},
                                {{"c.y", "f32[2]", "d.y", "f32[2]"}},
                                {{"x", {"a", "b"}}},
                                1,
                                2,
                                3,
                                4}},
                              {{{"there", "back"}, "c", "graph a", "graph b", 2}},
                              18,
                              {makeWarning(DiagCode::UnknownOperator, "no operator")},
                              {"EXP11 mine: written"}});
    roundTrip(
        CheckDocument{"b.fw",
                      {{{1, 1, 4, 2},
                        "r",
                        "rule",
                        "proved but for NaN",
                        {},
                        20,
                        12,
                        {{"NaN", "0 for NaN"}},
                        "graph g() -> y {}",
                        "r.fw"}},
                      {},
                      {{{2, 5, 2, 10},
                        makeDiag(DiagCode::UnknownOperator, "no operator", {"b.fw", {}, 2, 5}),
                        {{{2, 5, 2, 10}, "relu", "replace rellu by relu"}}}}});
    roundTrip(AssistDocument{{3, 4, 3, 6},
                             {{"relu", "operator", "relu(x: T[S...])", "max(x, 0)"}},
                             HoverRecord{{3, 4, 3, 6}, {"relu(x: T[S...]) -> y: T[S...]", "x"}},
                             LocationRecord{{9, 1, 9, 5}, "elementwise.fw", true},
                             {{{3, 4, 3, 6}, "b.fw", false}}});
    roundTrip(BookDocument{"fusion.fw", "grow a -> b", {{"fusion.fw", "what may fuse", false}}});
    roundTrip(FormatDocument{"b.fw", "grow a -> b\n", true, {}});
    roundTrip(OpsDocument{{{"relu", "relu(x)", "elementwise", {{"in_place", "yes"}}, "", "", {}}}});
    const ComparisonRecord set{"test_data_set_0",
                               true,
                               1e-5,
                               1e-3,
                               4,
                               "y[0]: 1 instead of 2",
                               "norm",
                               {{"y", 10, 1, 1e-5, 1e-6, 1, true}}};
    roundTrip(
        TestDocument{2, 1, 0, 0, 1, {{"a", "passed", "", {set}}, {"b", "crashed", "signal 11"}}});
    roundTrip(DoctorDocument{"0.1",
                             {"cpu", "v4", {"avx2"}, 2, 512},
                             {{"onednn", "", "", "missing", "not found", "libdnnl2"}},
                             {{"generated", {"x86-64-v3"}, {"x86-64-v4"}}},
                             {"p"},
                             {{"gflops", "GFLOP/s", "sums", 50.5}, {"fork_us", "us", "", {}}},
                             "a table"});
    roundTrip(ValueDocument{"w",
                            "f32[2]",
                            "constant",
                            3,
                            0,
                            2,
                            1,
                            0,
                            0,
                            -1.5,
                            0.0,
                            -0.75,
                            0.75,
                            {1, 1},
                            {"-1.5", "0"}});
    roundTrip(DrawDocument{"a.svg", 100.5, 20, 3, "layered", {}});
}

void TestDocuments::fieldNamesAreTheDocumentedOnes() {
    FuseDocument plan;
    plan.groups.resize(1);
    plan.decisions.resize(1);
    const std::string text = toJson(plan);
    for (const char* name : {"groups", "id", "name", "nodes", "anchor", "implementation", "source",
                             "candidates", "warnings", "est_us", "decisions", "from", "to",
                             "verdict", "code", "sentence", "notices"})
        QVERIFY2(text.find("\"" + std::string(name) + "\":") != std::string::npos, name);
    QCOMPARE(toJson(makeDiag(DiagCode::NotOnnx, "no model", Where{"a", "b", 1, 2}, "h")),
             std::string(R"({"code":"ONX01","message":"no model","severity":"error",)"
                         R"("where":{"file":"a","node":"b","line":1,"column":2},"hint":"h"})"));
}

void TestDocuments::unknownFieldsAreSkipped() {
    const auto info = fromJson<InfoDocument>(R"({"nodes":3,"new":{"deep":[1,{}]},"flops":null})");
    QVERIFY(info.ok());
    QCOMPARE(info->nodes, std::int64_t(3));
    QVERIFY(!info->flops);
}

void TestDocuments::anySpellingIsRead() {
    // Fields in any order, spaces, escapes, a mark of the encoding at the front.
    const auto graph = fromJson<GraphDocument>(
        "\xef\xbb\xbf { \"results\" : [ ] ,\n\"nodes\":[{\"line\":-0,\"na\\u006de\":"
        "\"\\u00e9\\n\\\"\",\"op\":\"\xc3\xa9\",\"attributes\":{\"a\":\"b\"},\"id\":7}],\t\"name\":"
        "\"n\"}  ");
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.diag().text().c_str());
    QCOMPARE(graph->name, std::string("n"));
    QCOMPARE(graph->nodes.at(0).id, std::int64_t(7));
    QCOMPARE(graph->nodes.at(0).name, std::string("\xc3\xa9\n\""));
    QCOMPARE(graph->nodes.at(0).op, std::string("\xc3\xa9"));
    QCOMPARE(graph->nodes.at(0).attributes.at("a"), std::string("b"));
    for (const char* broken :
         {R"({"nodes":[}])", R"({"nodes":[{"id":1},]})", R"({"nodes":[{"id":1}]} x)", R"({"name"})",
          R"({"name":"a)", R"({"new":[1,}})", R"({"new":tru})", R"({"name":"\q"})", R"({,})",
          "{\"name\":\"\xff\"}", "{\"name\":\"a\nb\"}"}) {
        const auto refused = fromJson<GraphDocument>(broken);
        QVERIFY2(!refused.ok(), broken);
        QCOMPARE(refused.diag().message, std::string("the document is not JSON"));
    }
    QVERIFY(!fromJson<GraphDocument>(R"({"nodes":[{"id":01}]})").ok());
    QVERIFY(!fromJson<GraphDocument>(R"({"nodes":[{"id":-}]})").ok());
    const std::string deep = R"({"new":)" + std::string(100000, '[') + std::string(100000, ']');
    QVERIFY(fromJson<GraphDocument>(deep + "}").ok());
}

void TestDocuments::wrongTypesNameTheField() {
    const auto graph =
        fromJson<GraphDocument>(R"({"nodes":[{"id":1},{"id":2,"outputs":[{"name":5}]}]})");
    QVERIFY(!graph.ok());
    QCOMPARE(graph.diag().message, std::string("nodes[1].outputs[0].name is not text"));
    QVERIFY(!fromJson<GraphDocument>(R"({"nodes":{}})").ok());
    QVERIFY(!fromJson<GraphDocument>(R"({"nodes":[7]})").ok());
    QVERIFY(!fromJson<InfoDocument>(R"({"nodes":1.5})").ok());
    QVERIFY(!fromJson<InfoDocument>(R"({"nodes":18446744073709551615})").ok());
    QVERIFY(!fromJson<InfoDocument>("[1]").ok());
    QVERIFY(!fromJson<InfoDocument>("").ok());
    QVERIFY(!fromJson<ProfileDocument>(R"({"threads":99999999999})").ok());
}

void TestDocuments::brokenBytesAreReplaced() {
    InfoDocument info;
    info.name = "a\xff\xfe";
    const auto again = fromJson<InfoDocument>(toJson(info));
    QVERIFY(again.ok());
    QCOMPARE(again->name, std::string("a\xef\xbf\xbd\xef\xbf\xbd"));
}

void TestDocuments::numbersThatAreNotFiniteAreNull() {
    InfoDocument info;
    info.flops = std::numeric_limits<double>::infinity();
    QVERIFY(toJson(info).find("\"flops\":null") != std::string::npos);
}

void TestDocuments::protocolRoundTrips() {
    Request request;
    request.id = 7;
    request.command = "fuse";
    request.arguments.model = "/m.onnx";
    request.arguments.rules = {"a.fw"};
    request.arguments.texts = {{"a.fw", "# \"half\" of a\nrule"}, {"fusion.fw", ""}};
    request.arguments.position = TextPlace{"a.fw", 2, 5};
    request.arguments.limit = 10000;
    request.arguments.dims = {{"N", 8}};
    request.arguments.group = 3;
    const auto command = readCommand(requestLine(request));
    QVERIFY(command.ok() && command->request);
    QVERIFY(*command->request == request);
    const auto cancel = readCommand(cancelLine(9));
    QVERIFY(cancel.ok());
    QCOMPARE(*cancel->cancel, std::int64_t(9));
    QVERIFY(!readCommand("{}").ok());

    const auto progress = readAnswer(progressLine(7, {"compile", "conv_3", 3, 20}));
    QVERIFY(progress.ok() && progress->kind == AnswerKind::Progress);
    QVERIFY((progress->progress == Progress{"compile", "conv_3", 3, 20}));
    const auto result = readAnswer(resultLine(7, toJson(graph())));
    QVERIFY(result.ok() && result->kind == AnswerKind::Result);
    QCOMPARE(result->id, std::int64_t(7));
    QVERIFY(*fromJson<GraphDocument>(result->result) == graph());
    // As the window takes it: whatever pieces it came in.
    const std::string line = resultLine(7, toJson(graph()));
    for (std::size_t cut = 1; cut < line.size(); ++cut) {
        Pieces pieces{line.substr(0, cut), line.substr(cut)};
        if (cut < resultStart(7).size()) {
            QVERIFY(!takeResult(pieces));
            continue;
        }
        QCOMPARE(takeResult(pieces).value_or(0), std::int64_t(7));
        QVERIFY(*fromJson<GraphDocument>(std::move(pieces)) == graph());
    }
    Pieces error7{errorLine(7, Diag())};
    QVERIFY(!takeResult(error7));
    QCOMPARE(error7.front(), errorLine(7, Diag()));
    // Another writer's spelling of the same line.
    const auto spaced = readAnswer("{ \"result\": {\"nodes\": 3}, \"id\": 7 }");
    QVERIFY(spaced.ok() && spaced->kind == AnswerKind::Result && spaced->id == 7);
    QCOMPARE(fromJson<InfoDocument>(spaced->result)->nodes, std::int64_t(3));
    const Diag diag = makeDiag(DiagCode::FileMissing, "gone", Where{"f", "", 0, 0}, "look");
    const auto error = readAnswer(errorLine(7, diag));
    QVERIFY(error.ok() && error->kind == AnswerKind::Error);
    QVERIFY(error->error == diag);
    const auto hello = readAnswer(helloLine({"0.1.0", 12}));
    QVERIFY(hello.ok() && hello->kind == AnswerKind::Hello);
    QCOMPARE(hello->hello.pid, std::int64_t(12));
    QVERIFY(!readAnswer("{\"id\":7}").ok());
    QVERIFY(!readAnswer("{\"id\":\"x\",\"progress\":{}}").ok());
}

// A text that is written or read in pieces says the same, and what is wrong with it as well.
void TestDocuments::piecesAreTheWhole() {
    GraphDocument large = graph();
    for (int i = 0; i < 2000; ++i) {
        large.nodes.push_back(graph().nodes.front());
        large.nodes.back().name = "\"quoted\" and \\ back " + std::string(std::size_t(i % 90), 'x');
    }
    Pieces written;
    writeJson(large, [&](std::string_view piece) { written.emplace_back(piece); });
    QVERIFY(written.size() > 2);
    const std::string whole = toJson(large);
    std::string joined;
    for (const std::string& piece : written)
        joined += piece;
    QVERIFY(joined == whole);
    QVERIFY(*fromJson<GraphDocument>(std::move(written)) == large);

    const std::string text = toJson(graph());
    const auto cutBy = [](const std::string& from, std::size_t size) {
        Pieces out;
        for (std::size_t at = 0; at < from.size(); at += size)
            out.push_back(from.substr(at, size));
        return out;
    };
    std::mt19937 random(11);
    for (const std::size_t size : {1u, 2u, 3u, 7u}) {
        QVERIFY(*fromJson<GraphDocument>(cutBy(text, size)) == graph());
        for (int round = 0; round < 300; ++round) {
            std::string wrong = text;
            wrong[random() % wrong.size()] = "{}[],:\"\\ 1x"[random() % 11];
            if (round % 3 == 0)
                wrong.resize(random() % wrong.size());
            const auto one = fromJson<GraphDocument>(wrong);
            const auto many = fromJson<GraphDocument>(cutBy(wrong, size));
            QCOMPARE(many.ok(), one.ok());
            QVERIFY(!one || *one == *many);
        }
    }
    QVERIFY(!fromJson<GraphDocument>(Pieces()).ok());
    // What a plan says again and again is there once.
    FuseDocument plan;
    plan.groups.resize(2);
    for (GroupRecord& group : plan.groups)
        group.schedule = "fuse(i, j)";
    const auto groups = fromJson<FuseDocument>(toJson(plan)).value().groups;
    QVERIFY(groups == plan.groups);
    QVERIFY(&groups[0].schedule.str() == &groups[1].schedule.str());
    const auto wrong = fromJson<FuseDocument>(Pieces{"{\"groups\": [{\"na", "me\": 3}]}"});
    QVERIFY(!wrong && wrong.diag().message == "groups[0].name is not text");
}

void TestDocuments::randomBytesAreRefused() {
    std::mt19937 random(7);
    const std::string good = resultLine(7, toJson(graph()));
    for (int round = 0; round < 2000; ++round) {
        std::string text = round % 2 ? good : toJson(graph());
        for (int i = 0; i < 3; ++i)
            text[random() % text.size()] = static_cast<char>(random());
        if (round % 5 == 0)
            text.resize(random() % text.size());
        if (const auto answer = readAnswer(text); answer.ok())
            (void)fromJson<GraphDocument>(answer->result);
        (void)fromJson<GraphDocument>(text);
        (void)readCommand(text);
    }
    const std::string deep(200000, '[');
    QVERIFY(!fromJson<GraphDocument>(deep).ok());
}

FW_TEST(TestDocuments, QCoreApplication)
#include "test_documents.moc"
