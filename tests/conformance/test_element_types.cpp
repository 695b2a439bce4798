// Every operator of the library with every element type that its signature lets through: it is
// inferred, planned and compiled by own code, and what that computes is what the reference
// computes. Where an operator has no meaning for a type, the call is refused by name when its type
// is inferred, which is when a model is read.
#include "common/test.h"
#include "conformance/element_calls.h"
#include "expr/scalar.h"
#include "fuzz/engine.h"
#include "session/judgement.h"
#include "tensor/evaluate_graph.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

using namespace fw;
using namespace fw::test;

namespace {

std::string text(DType dtype) {
    return std::string(dtypeText(dtype));
}

// Of exact functions and operations only: then every right implementation in f32 gives the same.
bool isStrict(const Expr& e) {
    if (e.op() == ExprOp::Call) {
        constexpr MathFn exact[] = {MathFn::Abs,   MathFn::Floor, MathFn::Ceil,
                                    MathFn::Round, MathFn::Sign,  MathFn::Sqrt};
        if (std::find(std::begin(exact), std::end(exact), e->fn) == std::end(exact))
            return false;
    }
    return std::all_of(e.args().begin(), e.args().end(), isStrict);
}

bool isStrict(const OpInst& inst) {
    return std::all_of(inst.stages.begin(), inst.stages.end(),
                       [](const Stage& stage) { return stage.isMap() && isStrict(stage.body); });
}

std::uint64_t spread(std::uint64_t at) {
    return at * 2654435761U >> 7;
}

// Halves around 0 with their ties, or numbers between 0 and 1; both ends of the integers.
TensorData valuesFor(const TensorType& type, bool places, int kind, std::uint64_t seed) {
    std::vector<std::int64_t> extents;
    std::size_t count = 1;
    for (const Dim& dim : type.shape) {
        extents.push_back(*dim.asInt());
        count *= static_cast<std::size_t>(*dim.asInt());
    }
    if (isFloat(type.dtype)) {
        std::vector<double> out;
        for (std::size_t i = 0; i < count; ++i) {
            const auto drawn = static_cast<double>(spread(seed + i) % 17);
            out.push_back(kind == 0 ? (drawn - 8) / 2 : (drawn + 1) / 19);
        }
        return dataFromDoubles(type.dtype, extents, out);
    }
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < count; ++i) {
        const auto drawn = static_cast<std::int64_t>(spread(seed + i));
        if (places || type.dtype == DType::Bool)
            out.push_back(drawn % 2);
        else if (kind == 1 && i % 5 == 3)
            out.push_back(drawn % 2 == 0 ? leastOf(type.dtype) : mostOf(type.dtype));
        else
            out.push_back(drawn % 9 - (leastOf(type.dtype) < 0 ? 4 : 0));
    }
    return dataFromIntegers(type.dtype, extents, out);
}

} // namespace

class TestElementTypes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void computedOrRefused_data();
    void computedOrRefused();

private:
    fuzz::Engine m_engine;
};

void TestElementTypes::computedOrRefused_data() {
    QTest::addColumn<QString>("name");
    for (const Operator* op : m_engine.operators()->all())
        if (!withoutExpression.contains(op->name()) && !op->bindsDims())
            QTest::newRow(op->name().c_str()) << QString::fromStdString(op->name());
}

void TestElementTypes::computedOrRefused() {
    QFETCH(QString, name);
    const Operator& op = *m_engine.operators()->find(name.toStdString());
    GraphEditor editor(m_engine.operators(), "types");
    std::vector<std::pair<TensorType, bool>> inputs;
    std::vector<std::string> taken; // for each result the call that gives it
    std::vector<bool> strict;       // and whether its bits are known
    std::vector<std::string> types; // and its element types
    QStringList wrong;
    std::set<std::string> known;
    for (const test::Instance& instance : instances()) {
        if (instance.op != op.name())
            continue;
        for (const Drawn& one : callsOf(op, instance)) {
            if (!known.insert(one.what).second)
                continue;
            const Result<Inferred> inferred = op.infer(one.call);
            if (!inferred) {
                const std::string& message = inferred.diag().message;
                bool named = false; // the type that is refused
                for (const auto& input : one.call.inputs)
                    named = named || message.find(text(input->dtype)) != std::string::npos;
                for (const auto& [attr, value] : one.call.attrs)
                    if (const auto* dtype = std::get_if<DType>(&value))
                        named = named || message.find(text(*dtype)) != std::string::npos;
                if (!named || !message.starts_with(op.name()) || inferred.diag().where.line > 0)
                    wrong << QString::fromStdString(one.what + ": " + inferred.diag().text());
                continue;
            }
            if (const auto refusal = op.refusal(one.call)) {
                wrong << QString::fromStdString(one.what + ": " + refusal->text());
                continue;
            }
            std::vector<ValueRef> operands;
            for (std::size_t i = 0; i < one.call.inputs.size(); ++i) {
                inputs.emplace_back(*one.call.inputs[i], one.places[i]);
                operands.push_back(
                    editor.addInput("x" + std::to_string(inputs.size()), *one.call.inputs[i]));
            }
            const auto made = editor.add({op.name(), operands, one.call.attrs, {}, {}, {}, {}, {}});
            QVERIFY2(made.ok(), made.ok() ? "" : made.diag().text().c_str());
            for (const ValueRef value : *made) {
                editor.addResult("y" + std::to_string(taken.size()), value);
                taken.push_back(one.what);
                const Result<OpInst> inst = op.instantiate(one.call);
                strict.push_back(inst.ok() && isStrict(*inst));
                types.push_back(fmt::format("{}", fmt::join(choicesOf(op, one.call), ", ")));
            }
        }
    }
    QVERIFY2(!taken.empty(), "no call of it is taken");
    const Result<GraphPtr> graph = editor.finish();
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.diag().text().c_str());
    const Result<fuzz::Built> built = m_engine.build(*graph, {"-libs=", {}, {}, false});
    QVERIFY2(built.ok(), built.ok() ? "" : built.diag().text().c_str());
    for (const Group& group : built->plan.groups)
        if (group.isHost())
            wrong << QString::fromStdString(group.name + " is left to the reference");
    std::map<std::string, bool> judged; // by element types
    for (const int kind : {0, 1}) {
        std::vector<TensorData> values;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            values.push_back(valuesFor(inputs[i].first, inputs[i].second, kind, 1000 + 97 * i));
        const auto wanted = evaluateGraphBounded(**graph, values);
        QVERIFY2(wanted.ok(), wanted.ok() ? "" : wanted.diag().text().c_str());
        const auto reference = evaluateGraph(**graph, values);
        QVERIFY2(reference.ok(), reference.ok() ? "" : reference.diag().text().c_str());
        const auto steps = evaluateGraph(**graph, values, {}, Precision::Steps);
        QVERIFY2(steps.ok(), steps.ok() ? "" : steps.diag().text().c_str());
        const auto own = built->loaded->run(values);
        QVERIFY2(own.ok(), own.ok() ? "" : own.diag().text().c_str());
        for (std::size_t i = 0; i < taken.size(); ++i) {
            const BoundedValues& want = (*wanted)[i];
            bool& seen = judged[types[i]];
            for (std::size_t element = 0; element < want.values.data.size(); ++element)
                seen = seen || std::isfinite(want.error(element));
            const DType dtype = (*own)[i].dtype();
            if (strict[i] && dtype != DType::F16 && dtype != DType::BF16)
                for (std::size_t element = 0; element < (*own)[i].count(); ++element)
                    if (const double a = (*own)[i].at(element), b = (*steps)[i].at(element);
                        a != b && !(std::isnan(a) && std::isnan(b))) {
                        wrong << QString::fromStdString(
                            fmt::format("{} by own code: element {} is {}, step by step it is {}",
                                        taken[i], element, a, b));
                        break;
                    }
            for (const auto& [by, results] :
                 {std::pair("own code", &*own), {"the reference", &*reference}})
                if (const Judgement said = judgeTensor("y", want, (*results)[i]); said.differs)
                    wrong << QString::fromStdString(taken[i] + " by " + by + ": " + said.worst);
        }
    }
    for (const auto& [choice, seen] : judged)
        if (!seen)
            wrong << QString::fromStdString(choice + ": nothing can be said of any element");
    QVERIFY2(wrong.isEmpty(), qPrintable(u'\n' + wrong.join(u'\n')));
}

FW_TEST(TestElementTypes, QCoreApplication)
#include "test_element_types.moc"
