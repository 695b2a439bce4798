// The operators of a group joined: names of one never meet names of another, whatever an operator
// calls its variables, and the joined body computes what the operators compute one after another.
#include "common/test.h"
#include "fusion/lower_groups.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "tensor/evaluate_graph.h"
#include "tensor/reference.h"
#include "tensor/verify_computation.h"

using namespace fw;

namespace {

GraphPtr graphOf(const char* text) {
    Diags errors;
    const auto operators = withOperators(*standardOperators(), text, "t.fw", errors);
    if (!errors.empty())
        throw InternalError(errors.front().text());
    return parseGraph(text, operators).value();
}

// All operators in one group, whatever the plan would say.
Group whole(const Graph& graph) {
    Group out;
    out.name = "whole";
    for (const NodePtr& node : graph.nodes())
        if (!node->isInput() && !node->isConstant())
            out.nodes.push_back(node->id);
    for (const NodePtr& node : graph.nodes())
        for (const ValueRef& operand : node->inputs)
            if (operand.valid() && graph.node(operand.node).isLeaf() &&
                std::find(out.inputs.begin(), out.inputs.end(), operand) == out.inputs.end())
                out.inputs.push_back(operand);
    for (const NamedValue& result : graph.results())
        out.outputs.push_back(result.value);
    return out;
}

Result<GroupBody> bodyOf(const Graph& graph) {
    const FusionPlan nothing;
    const Group group = whole(graph);
    return groupBody(siteOf(graph, nothing, group));
}

// What is wrong with the joined body of all operators; empty if nothing is.
QString problemOf(const char* text) {
    const GraphPtr graph = graphOf(text);
    const Result<GroupBody> body = bodyOf(*graph);
    if (!body.ok())
        return QString::fromStdString(body.diag().text());
    Bindings dims;
    std::vector<TensorData> inputs;
    for (const NodeId id : graph->inputs()) {
        Exprs extents = graph->type({id, 0}).shape;
        std::vector<std::int64_t> fixed;
        for (const Expr& extent : extents) {
            if (extent.isVar())
                dims.emplace(extent->symbol, 5);
            fixed.push_back(extent.asInt().value_or(5));
        }
        inputs.push_back(randomData(DType::F32, fixed, 7 + inputs.size()));
    }
    const auto wanted = evaluateGraph(*graph, inputs);
    if (!wanted.ok())
        return QString::fromStdString(wanted.diag().text());
    std::vector<const TensorData*> operands;
    const Group group = whole(*graph);
    for (const std::size_t operand : body->operands) {
        const ValueRef input = group.inputs[operand];
        if (const TensorData* constant = graph->constant(input)) {
            operands.push_back(constant);
            continue;
        }
        const auto at = std::find(graph->inputs().begin(), graph->inputs().end(), input.node);
        operands.push_back(&inputs[static_cast<std::size_t>(at - graph->inputs().begin())]);
    }
    const auto got = evaluate(body->inst, operands, dims);
    if (!got.ok())
        return QString::fromStdString(got.diag().text() + "\n" + body->inst.text());
    for (std::size_t i = 0; i < got->size(); ++i)
        for (std::size_t k = 0; k < (*got)[i].count(); ++k)
            if (std::abs((*got)[i].at(k) - (*wanted)[i].at(k)) > 1e-5)
                return QString::fromStdString("other values\n" + body->inst.text());
    return {};
}

} // namespace

class TestGroupBody : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesStayApart_data();
    void namesStayApart();
    void anErrorNamesTheGroup();
};

void TestGroupBody::namesStayApart_data() {
    QTest::addColumn<QByteArray>("text");
    // Four variables d, d_1, d_2, d_3 at position 0, and `d` at position 2.
    QTest::newRow("softmax, batch norm")
        << QByteArray("graph g(x: f32[2, 3, 4, 5], s: f32[3], b: f32[3]) -> y {\n"
                      "  a = softmax(x) {axis = 3}\n  c = scale(a, s)\n  y = bias(c, b) }");
    QTest::newRow("two softmaxes")
        << QByteArray("graph g(x: f32[3, 4], s: f32[4]) -> y {\n"
                      "  a = softmax(x)\n  b = log_softmax(a)\n  c = softmax(b)\n"
                      "  y = scale(c, s) }");
    QTest::newRow("layernorm, softmax")
        << QByteArray("graph g(x: f32[3, 4], s: f32[4], b: f32[4]) -> y, m {\n"
                      "  (a, m, r) = layernorm(x, s, b)\n  y = softmax(a)\n }");
    // Names that the suffixes of other positions make.
    QTest::newRow("suffixes in the text")
        << QByteArray("op first(x: T[A, B]) -> y: T[A, B] {\n"
                      "  let t[i, i_1] = x[i, i_1] * 2\n"
                      "  y[i_1_2, i_2] = t[i_1_2, i_2] + sum(i_1_3 in B : x[i_1_2, i_1_3]) }\n"
                      "op second(x: T[A, B]) -> y: T[A, B] { y[i, i_1] = x[i, i_1] + 1 }\n"
                      "graph g(x: f32[3, 4]) -> y {\n"
                      "  a = first(x)\n  b = second(a)\n  c = second(b)\n  y = first(c) }");
    QTest::newRow("a variable is called like a tensor of the group")
        << QByteArray("op odd(x: T[A]) -> y: T[A] { y[in0] = x[in0] * 2 + sum(out0 in A : "
                      "x[out0]) }\n"
                      "graph g(x: f32[5]) -> y { a = odd(x)\n  b = relu(a)\n  y = odd(b) }");
    QTest::newRow("a variable is called like a free dimension")
        << QByteArray("op odd(x: T[A]) -> y: T[A] { y[N_1] = x[N_1] + sum(N in A : x[N]) }\n"
                      "graph g(x: f32[N], z: f32[N_1]) -> y, u {\n"
                      "  a = relu(x)\n  y = odd(a)\n  u = odd(z) }");
    QTest::newRow("native axes and free dimensions of their names")
        << QByteArray("graph g(x: f32[i0, i1]) -> y, z {\n"
                      "  y = reduce_mean(x) {axes = [1]}\n"
                      "  z = reshape(x) {shape = [i1, i0]} }");
}

void TestGroupBody::namesStayApart() {
    QFETCH(QByteArray, text);
    const QString problem = problemOf(text.constData());
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
}

// An operator whose computation breaks a rule ends in an internal error that says where.
void TestGroupBody::anErrorNamesTheGroup() {
    class Broken final : public Operator {
    public:
        explicit Broken(const Operator& like) : m_like(like) {}
        const std::string& name() const override { return m_like.name(); }
        const std::string& doc() const override { return m_like.doc(); }
        std::string signature() const override { return m_like.signature(); }
        std::string body() const override { return m_like.body(); }
        std::vector<std::string> inputNames() const override { return m_like.inputNames(); }
        std::vector<std::string> outputNames() const override { return m_like.outputNames(); }
        Arity arity() const override { return m_like.arity(); }
        std::optional<AttrType> attrType(std::string_view attr) const override {
            return m_like.attrType(attr);
        }
        std::vector<std::string> attrNames() const override { return m_like.attrNames(); }
        bool isNative() const override { return true; }
        Result<Inferred> infer(const OpCall& call) const override { return m_like.infer(call); }
        Result<OpInst> instantiate(const OpCall& call) const override {
            FW_TRY(OpInst inst, m_like.instantiate(call));
            inst.stages[0].body = loadExpr("nowhere", {}, DType::F32);
            return inst;
        }
        Result<Facts> facts(const OpCall& call) const override { return m_like.facts(call); }
        Result<std::vector<TensorData>>
        reference(const OpCall& call, const std::vector<const TensorData*>& in) const override {
            return m_like.reference(call, in);
        }

    private:
        const Operator& m_like;
    };
    auto operators = std::make_shared<OperatorSet>(*standardOperators());
    QVERIFY(operators->add(std::make_shared<Broken>(*standardOperators()->find("tanh"))).ok());
    const GraphPtr graph = parseGraph("graph g(x: f32[4]) -> y { a = relu(x) @node(\"first\")\n"
                                      "  y = tanh(a) @node(\"second\") }",
                                      operators)
                               .value();
    const auto body = bodyOf(*graph);
    QVERIFY(!body.ok());
    QCOMPARE(body.diag().code, DiagCode::Internal);
    QCOMPARE(body.diag().message,
             std::string("the computation of whole (first, second): the stage of out0 reads a "
                         "tensor that is not declared: nowhere[]"));
    QCOMPARE(body.diag().where.node, std::string("whole"));
}

FW_TEST(TestGroupBody, QCoreApplication)
#include "test_group_body.moc"
