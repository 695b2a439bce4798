// Groups are convex and partition the operators; every edge has a reason; the implementation is
// asked.
#include "common/test.h"
#include "fusion/computable.h"
#include "fusion/lower_groups.h"
#include "fusion/own_code_target.h"
#include "fusion/plan.h"
#include "graph/builder.h"
#include "library/library.h"

#include <set>

using namespace fw;
using namespace fw::test;

namespace {

TensorType f32(std::vector<std::int64_t> extents) {
    return {DType::F32, fixedShape(extents)};
}

NodeId idOf(const Graph& graph, const std::string& name) {
    return graph.findByName(name)->id;
}

std::string codeBetween(const Graph& graph, const FusionPlan& plan, const std::string& from,
                        const std::string& to) {
    const EdgeDecision* edge = plan.edge(idOf(graph, from), idOf(graph, to));
    return edge ? std::string(codeText(edge->decision.code)) : std::string("none");
}

void verifyPlan(const Graph& graph, const FusionPlan& plan) {
    std::set<NodeId> seen, done;
    for (const Group& group : plan.groups) {
        for (const ValueRef& input : group.inputs)
            if (const Node& producer = graph.node(input.node);
                !producer.isInput() && !producer.isConstant())
                QVERIFY2(done.contains(producer.id), "a group runs before what it reads");
        for (const NodeId id : group.nodes)
            QVERIFY2(seen.insert(id).second, "an operator is in two groups");
        done.insert(group.nodes.begin(), group.nodes.end());
    }
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput() || node->isConstant())
            continue;
        QVERIFY(seen.contains(node->id));
        for (const ValueRef& operand : node->inputs)
            if (const Node& producer = graph.node(operand.node);
                !producer.isInput() && !producer.isConstant()) {
                const EdgeDecision* edge = plan.edge(producer.id, node->id);
                QVERIFY2(edge != nullptr && !edge->gates.empty(), "an edge without gates");
                const bool together = plan.groupOf.at(producer.id) == plan.groupOf.at(node->id);
                QCOMPARE(edge->decision.verdict == Verdict::Yes, together);
            }
    }
}

} // namespace

class TestPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutionTakesItsTail();
    void residualIsTakenOnce();
    void oneAnchorPerGroup();
    void valuesUsedTwiceEndAGroup();
    void waysThatMeetAgainJoin();
    void resultsEndAGroup();
    void rowwiseTakesMapsBeforeIt();
    void viewsCostNothing();
    void differentSpacesStayApart();
    void groupsHaveALimit();
    void unknownOperatorsAreOpaque();
    void imagesLieChannelsLast();
    void priorityChoosesAmongCandidates();
    void equalGroupsHaveEqualBodies();
    void concatsAreComputedInPlace();
    void concatsThatMustCopySayWhy();
    void shufflesKeepImagesChannelsLast();
    void plansNameWhatRuns();
    void equalGroupsAreLoweredOnce();
};

void TestPlan::convolutionTakesItsTail() {
    Builder b;
    const ValueRef conv =
        b.op("conv2d", {b.input("x", {1, 8, 6, 6}), b.weight("w", {16, 8, 1, 1})}, "conv");
    const ValueRef bias = b.op("bias", {conv, b.weight("b", {16})}, "bias");
    const GraphPtr graph = b.finish(b.op("relu", {bias}, "relu"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(plan.groups.size(), std::size_t(1));
    QCOMPARE(plan.groups[0].name, std::string("conv2d_bias_relu_0"));
    QCOMPARE(plan.groups[0].implementation, std::string("generated.tiled"));
    QCOMPARE(codeBetween(*graph, plan, "conv", "bias"), std::string("FUS02"));
}

void TestPlan::residualIsTakenOnce() {
    Builder b;
    const ValueRef x = b.input("x", {1, 8, 6, 6});
    const ValueRef left = b.op("conv2d", {x, b.weight("w", {8, 8, 1, 1})}, "left");
    const ValueRef right = b.op("conv2d", {x, b.weight("v", {8, 8, 1, 1})}, "right");
    const GraphPtr graph = b.finish(b.op("add", {left, right}, "sum"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(plan.groups.size(), std::size_t(2));
    QCOMPARE(codeBetween(*graph, plan, "left", "sum"), std::string("FUS02"));
    QCOMPARE(codeBetween(*graph, plan, "right", "sum"), std::string("CLM01"));
    QCOMPARE(plan.groups[0].nodes,
             std::vector<NodeId>{idOf(*graph, "right")}); // it is read by the other
}

void TestPlan::oneAnchorPerGroup() {
    Builder b;
    const ValueRef x = b.input("x", {2, 8});
    const ValueRef first = b.op("dense", {x, b.weight("w", {8, 8})}, "first");
    const GraphPtr graph = b.finish(b.op("dense", {first, b.weight("v", {8, 8})}, "second"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(plan.groups.size(), std::size_t(2));
    QCOMPARE(codeBetween(*graph, plan, "first", "second"), std::string("IMP03"));
}

void TestPlan::valuesUsedTwiceEndAGroup() {
    Builder b;
    const ValueRef conv =
        b.op("conv2d", {b.input("x", {1, 8, 6, 6}), b.weight("w", {8, 8, 1, 1})}, "conv");
    b.editor.addResult("z", b.op("tanh", {conv}, "tanh"));
    const GraphPtr graph = b.finish(b.op("relu", {conv}, "relu"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(codeBetween(*graph, plan, "conv", "relu"), std::string("ESC01"));
    QCOMPARE(codeBetween(*graph, plan, "conv", "tanh"), std::string("ESC01"));
}

void TestPlan::waysThatMeetAgainJoin() {
    Builder b;
    const ValueRef conv =
        b.op("conv2d", {b.input("x", {1, 8, 6, 6}), b.weight("w", {8, 8, 1, 1})}, "conv");
    const GraphPtr graph =
        b.finish(b.op("add", {b.op("relu", {conv}, "relu"), b.op("tanh", {conv}, "tanh")}, "sum"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(plan.groups.size(), std::size_t(1));
    QCOMPARE(codeBetween(*graph, plan, "conv", "tanh"), std::string("FUS02"));
}

void TestPlan::resultsEndAGroup() {
    Builder b;
    const ValueRef conv =
        b.op("conv2d", {b.input("x", {1, 8, 6, 6}), b.weight("w", {8, 8, 1, 1})}, "conv");
    b.editor.addResult("inner", conv);
    const GraphPtr graph = b.finish(b.op("relu", {conv}, "relu"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(codeBetween(*graph, plan, "conv", "relu"), std::string("ESC02"));
}

void TestPlan::rowwiseTakesMapsBeforeIt() {
    Builder b;
    const ValueRef x = b.input("x", {4, 32});
    const ValueRef scaled = b.op("mul", {x, b.weight("k", {32})}, "scaled");
    const GraphPtr graph = b.finish(b.op("softmax", {scaled}, "softmax"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(plan.groups.size(), std::size_t(1));
    QCOMPARE(codeBetween(*graph, plan, "scaled", "softmax"), std::string("FUS03"));
    QCOMPARE(plan.groups[0].anchor, idOf(*graph, "softmax"));
    QCOMPARE(plan.groups[0].implementation, std::string("generated.rowwise"));
}

void TestPlan::viewsCostNothing() {
    Builder b;
    Attrs attrs;
    attrs.set("shape", Integers{1, 128});
    const ValueRef relu = b.op("relu", {b.input("x", {1, 8, 4, 4})}, "relu");
    const GraphPtr graph = b.finish(b.op("tanh", {b.op("reshape", {relu}, "flat", attrs)}, "tanh"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QVERIFY(plan.groupAt(idOf(*graph, "flat")).isView());
    QCOMPARE(codeBetween(*graph, plan, "relu", "flat"), std::string("OPQ01"));
    QCOMPARE(codeBetween(*graph, plan, "flat", "tanh"), std::string("MEM01"));
}

void TestPlan::differentSpacesStayApart() {
    Builder b;
    const ValueRef row = b.op("relu", {b.input("x", {1, 32})}, "row");
    const GraphPtr graph = b.finish(b.op("add", {row, b.input("z", {4, 32})}, "grown"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QCOMPARE(codeBetween(*graph, plan, "row", "grown"), std::string("SHP11"));
}

void TestPlan::groupsHaveALimit() {
    Builder b;
    ValueRef value = b.input("x", {16});
    for (int i = 0; i < 6; ++i)
        value = b.op("relu", {value}, "relu" + std::to_string(i));
    const GraphPtr graph = b.finish(value);
    FusionBook book = standardFusion();
    book.add(parseFile("grow elementwise -> elementwise forward limit 4", "small.fw").declarations,
             "small.fw");
    PlanOptions options;
    options.book = &book;
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget(), options).value();
    verifyPlan(*graph, plan);
    QCOMPARE(plan.groups.size(), std::size_t(2));
    QCOMPARE(codeBetween(*graph, plan, "relu3", "relu4"), std::string("LIM11"));
}

void TestPlan::unknownOperatorsAreOpaque() {
    Builder b;
    GraphEditor::NewNode node;
    node.op = "unknown";
    node.name = "odd";
    node.inputs = {b.input("x", {4})};
    node.attrs.set("op_type", std::string("Odd"));
    node.declaredTypes = {f32({4})};
    const ValueRef odd = b.editor.add(std::move(node)).value().at(0);
    const GraphPtr graph = b.finish(b.op("relu", {odd}, "relu"));
    const Diags problems = obstacles(*graph);
    QCOMPARE(problems.size(), std::size_t(1));
    QCOMPARE(problems[0].code, DiagCode::UnknownOperator);
    QCOMPARE(problems[0].where.node, std::string("odd"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    const Group& group = plan.groupAt(odd.node);
    QVERIFY(group.isOpaque() && !group.hasCode());
    QCOMPARE(group.computedBy(), std::string("opaque"));
    QCOMPARE(codeBetween(*graph, plan, "odd", "relu"), std::string("OPQ01"));
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const Decision& notice) {
        return notice.subject == "odd" && notice.code == ReasonCode::OpaqueGroup;
    }));
}

void TestPlan::imagesLieChannelsLast() {
    Builder b;
    const ValueRef x = b.input("x", {1, 3, 8, 8});
    const ValueRef first = b.op("conv2d", {x, b.weight("w", {16, 3, 1, 1})}, "first");
    const ValueRef relu = b.op("relu", {first}, "relu");
    const GraphPtr graph = b.finish(b.op("conv2d", {relu, b.weight("v", {4, 16, 1, 1})}, "second"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    QVERIFY(plan.layout(x).isRowMajor());
    QCOMPARE(plan.layout(relu), channelsLast(4));
    QVERIFY(plan.layout(graph->results()[0].value).isRowMajor());
    std::set<std::string> codes;
    for (const Decision& notice : plan.notices)
        codes.insert(std::string(codeText(notice.code)));
    QVERIFY(codes.contains("LAY01") && codes.contains("LAY02"));
}

void TestPlan::priorityChoosesAmongCandidates() {
    Builder b;
    const GraphPtr graph = b.finish(b.op("relu", {b.input("x", {4})}, "relu"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    const Group& group = plan.groups[0];
    QCOMPARE(group.source, std::string("priority"));
    std::set<std::string> codes;
    int chosen = 0;
    for (const Candidate& candidate : group.candidates) {
        codes.insert(std::string(codeText(candidate.code)));
        chosen += candidate.chosen;
    }
    QCOMPARE(chosen, 1);
    // chosen by priority; the plain one ready with a lower one; those of other kinds take no part
    QCOMPARE(codes, (std::set<std::string>{"CHO02", "SCH13"}));
    const Node& relu = graph->node(group.anchor);
    const Workload anchor{graph.get(), &relu,
                          graph->operators().find("relu")->facts(callOf(*graph, relu)).value()};
    const Selection plain =
        generatedCatalog().select(anchor, test::ownCodeTarget(), {"generated.plain", {}, {}});
    QCOMPARE(plain.source, std::string("pin"));
    QCOMPARE(generatedCatalog().absorbsEpilogue(plain, {}, {}).code, ReasonCode::AbsorbsNothing);
}

void TestPlan::equalGroupsHaveEqualBodies() {
    Builder b;
    const ValueRef first = b.op(
        "relu", {b.op("conv2d", {b.input("x", {1, 8, 6, 6}), b.weight("w", {8, 8, 1, 1})}, "c1")},
        "r1");
    const ValueRef kept = b.op("max_pool2d", {first}, "pool", [] {
        Attrs attrs;
        attrs.set("kernel_shape", Integers{1, 1});
        return attrs;
    }());
    const GraphPtr graph =
        b.finish(b.op("relu", {b.op("conv2d", {kept, b.weight("v", {8, 8, 1, 1})}, "c2")}, "r2"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    GroupBody one = groupBody(siteOf(*graph, plan, plan.groupAt(idOf(*graph, "c1")))).value();
    GroupBody two = groupBody(siteOf(*graph, plan, plan.groupAt(idOf(*graph, "c2")))).value();
    QCOMPARE(one.inst.text(), two.inst.text());
    QCOMPARE(one.inst.stages.size(), std::size_t(2));
}

void TestPlan::concatsAreComputedInPlace() {
    Builder b;
    const ValueRef x = b.input("x", {1, 8, 6, 6});
    Attrs channels;
    channels.set("axis", std::int64_t(1));
    const ValueRef a = b.op("conv2d", {x, b.weight("v", {16, 8, 1, 1})}, "a");
    const ValueRef c = b.op("conv2d", {a, b.weight("w", {24, 16, 1, 1})}, "c");
    const ValueRef inner = b.op("concat", {a, c}, "inner", channels);
    const ValueRef d = b.op("conv2d", {inner, b.weight("u", {8, 40, 1, 1})}, "d");
    const ValueRef outer = b.op("concat", {d, inner}, "outer", channels);
    const GraphPtr graph = b.finish(b.op("conv2d", {outer, b.weight("t", {8, 48, 1, 1})}, "last"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    QVERIFY(plan.groupAt(inner.node).isView());
    QVERIFY(plan.groupAt(outer.node).isView());
    QCOMPARE(plan.layout(a).text(4), std::string("d0 d2 d3 d1, d1 from 0 of 40, d1 from 8 of 48"));
    QCOMPARE(plan.layout(c).text(4), std::string("d0 d2 d3 d1, d1 from 16 of 40, d1 from 8 of 48"));
    QCOMPARE(plan.layout(outer).text(4), std::string("d0 d2 d3 d1"));
    QCOMPARE(plan.homes.at(inner), outer);
    int said = 0;
    for (const Decision& notice : plan.notices)
        said += notice.code == ReasonCode::LayoutInPlace;
    QCOMPARE(said, 2);
}

void TestPlan::concatsThatMustCopySayWhy() {
    const auto evidence = [](bool input, bool twice) {
        Builder b;
        const ValueRef x = b.input("x", {2, 8});
        const ValueRef y = b.op("softmax", {x}, "y");
        Attrs columns;
        columns.set("axis", std::int64_t(-1));
        const GraphPtr graph = b.finish(b.op("concat",
                                             {y, input   ? x
                                                 : twice ? y
                                                         : b.op("softmax", {y}, "z")},
                                             "both", columns));
        const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
        for (const Decision& notice : plan.notices)
            if (notice.code == ReasonCode::LayoutCopied)
                return notice.evidence;
        return std::string(plan.groupAt(graph->results()[0].value.node).isView() ? "none" : "?");
    };
    QCOMPARE(evidence(true, false), std::string("x is computed by no kernel"));
    QVERIFY(evidence(false, true).ends_with("is there more than once"));
    QCOMPARE(evidence(false, false), std::string("none"));
}

// What a shuffle reads is joined in place, what it writes is parted where it lies.
void TestPlan::shufflesKeepImagesChannelsLast() {
    Builder b;
    const ValueRef x = b.input("x", {1, 8, 6, 6});
    Attrs channels, groups;
    channels.set("axis", std::int64_t(1));
    groups.set("groups", std::int64_t(2));
    const ValueRef left = b.op("conv2d", {x, b.weight("v", {16, 8, 1, 1})}, "left");
    const ValueRef right = b.op("conv2d", {x, b.weight("w", {16, 8, 1, 1})}, "right");
    const ValueRef both = b.op("concat", {left, right}, "both", channels);
    const ValueRef shuffled = b.op("channel_shuffle", {both}, "shuffled", groups);
    const GraphPtr graph =
        b.finish(b.op("conv2d", {shuffled, b.weight("u", {8, 32, 1, 1})}, "last"));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    verifyPlan(*graph, plan);
    QVERIFY(plan.groupAt(both.node).isView());
    QCOMPARE(codeBetween(*graph, plan, "both", "shuffled"), std::string("IMP02"));
    QCOMPARE(plan.layout(left).text(4), std::string("d0 d2 d3 d1, d1 from 0 of 32"));
    QCOMPARE(plan.layout(shuffled).text(4), std::string("d0 d2 d3 d1"));
}

// What an implementation has no code for goes to the next one, and the plan says so.
void TestPlan::plansNameWhatRuns() {
    Builder b;
    Attrs axes;
    axes.set("axes", Integers{1});
    axes.set("keepdims", std::int64_t(0));
    const GraphPtr graph = b.finish(b.op("reduce_sum", {b.input("x", {4, 2})}, "sum", axes));
    const FusionPlan plan = planFusion(*graph, test::ownCodeTarget()).value();
    const Group& group = plan.groups.at(0);
    QCOMPARE(group.implementation, std::string("generated.window"));
    QCOMPARE(group.by->name(), group.implementation);
    QCOMPARE(group.lowering.kernel->choice.main(), std::string("window"));
    const auto refused =
        std::find_if(group.candidates.begin(), group.candidates.end(), [](const Candidate& one) {
            return one.implementation == "generated.rowwise";
        });
    QCOMPARE(refused->verdict, Verdict::No);
    QCOMPARE(refused->code, ReasonCode::LoweringRefused);
    QCOMPARE(refused->evidence, std::string("the reduced axis is short"));
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const Decision& notice) {
        return notice.code == ReasonCode::LoweringRefused;
    }));
}

// By what they are, in one plan and in the next one.
void TestPlan::equalGroupsAreLoweredOnce() {
    Builder b;
    ValueRef v = b.input("x", {16, 16});
    for (int i = 0; i < 3; ++i)
        v = b.op("dense", {v, b.weight("w" + std::to_string(i), {16, 16})},
                 "d" + std::to_string(i));
    const GraphPtr graph = b.finish(b.op("dense", {v, b.weight("u", {8, 16})}, "last"));
    LoweringMemo memo;
    PlanOptions options;
    options.memo = &memo;
    const FusionPlan first = planFusion(*graph, test::ownCodeTarget(), options).value();
    const auto code = [](const FusionPlan& plan, std::size_t group) {
        return plan.groups.at(group).lowering.kernel.get();
    };
    QCOMPARE(code(first, 0), code(first, 2));
    QVERIFY(code(first, 0) != code(first, 3));
    QCOMPARE(code(planFusion(*graph, test::ownCodeTarget(), options).value(), 1), code(first, 0));
    Target narrow = test::ownCodeTarget();
    narrow.threads += 1;
    QVERIFY(code(planFusion(*graph, narrow, options).value(), 0) != code(first, 0));
}

FW_TEST(TestPlan, QCoreApplication)
#include "test_plan.moc"
