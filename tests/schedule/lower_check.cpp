#include "lower_check.h"

#include "loop/parse.h"
#include "loop/print.h"
#include "loop/verify_loops.h"
#include "schedule/apply.h"
#include "strategy/book.h"
#include "tensor/facts.h"

#include <QStringList>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace fw::test {

namespace {

std::vector<std::int64_t> extentsOf(const Shape& shape, const Bindings& symbols) {
    std::vector<std::int64_t> out;
    for (const Dim& dim : shape)
        out.push_back(evalIndex(dim, symbols).value());
    return out;
}

std::int64_t countOf(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    return count;
}

// Calls f for every point of the axes, with their variables bound.
void everyPoint(const std::vector<Axis>& axes, std::size_t i, Bindings& vars,
                const std::function<void()>& f) {
    if (i == axes.size())
        return f();
    const std::int64_t extent = evalIndex(axes[i].extent, vars).value();
    for (std::int64_t k = 0; k < extent; ++k) {
        vars[axes[i].var] = k;
        everyPoint(axes, i + 1, vars, f);
    }
}

// Of types that C++ has.
std::uint64_t bitsOf(double value, DType dtype) {
    if (dtype == DType::F64)
        return std::bit_cast<std::uint64_t>(value);
    if (dtype == DType::F32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

double fromBits(std::uint64_t bits, DType dtype) {
    switch (dtype) {
    case DType::F64:
        return std::bit_cast<double>(bits);
    case DType::F32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case DType::I64:
        return static_cast<double>(static_cast<std::int64_t>(bits));
    case DType::U64:
        return static_cast<double>(bits);
    case DType::I32:
        return static_cast<std::int32_t>(bits);
    case DType::U32:
        return static_cast<std::uint32_t>(bits);
    case DType::I16:
        return static_cast<std::int16_t>(bits);
    case DType::U16:
        return static_cast<std::uint16_t>(bits);
    case DType::I8:
        return static_cast<std::int8_t>(bits);
    case DType::U8:
        return static_cast<std::uint8_t>(bits);
    default:
        throw std::logic_error("bits of a type that C++ does not have");
    }
}

class Evaluator {
public:
    Evaluator(const OpInst& inst, Tensors tensors, const Bindings& symbols)
        : m_inst(inst), m_tensors(std::move(tensors)), m_vars(symbols) {}

    Tensors run() {
        for (const auto* list : {&m_inst.outputs, &m_inst.temporaries})
            for (const TensorDecl& decl : *list)
                m_tensors[decl.name].assign(
                    static_cast<std::size_t>(countOf(extentsOf(decl.type.shape, m_vars))), -777);
        for (const Stage& stage : m_inst.stages)
            everyPoint(stage.space, 0, m_vars, [&] {
                double result = 0;
                if (stage.isMap()) {
                    result = value(stage.body);
                } else {
                    const Expr identity = reducerIdentity(stage.reducer, stage.body.dtype());
                    result = identity.op() == ExprOp::Float
                                 ? identity->real
                                 : static_cast<double>(identity->integer);
                    everyPoint(stage.reduce, 0, m_vars, [&] {
                        const double next = value(stage.body);
                        if (stage.reducer == Reducer::Sum)
                            result += next;
                        else if (stage.reducer == Reducer::Prod)
                            result *= next;
                        else
                            result = stage.reducer == Reducer::Max ? std::max(result, next)
                                                                   : std::min(result, next);
                    });
                }
                const auto place = find(stage.out, stage.store);
                m_tensors[stage.out][place.value()] = result;
            });
        return std::move(m_tensors);
    }

private:
    std::optional<std::size_t> find(Symbol name, const Exprs& indices) {
        const auto extents = extentsOf(m_inst.find(name)->type.shape, m_vars);
        std::int64_t flat = 0;
        for (std::size_t d = 0; d < extents.size(); ++d) {
            const auto index = static_cast<std::int64_t>(value(indices[d]));
            if (index < 0 || index >= extents[d])
                return std::nullopt;
            flat = flat * extents[d] + index;
        }
        return static_cast<std::size_t>(flat);
    }

    double value(const Expr& e) {
        const auto a = [&](std::size_t i) { return value(e.arg(i)); };
        switch (e.op()) {
        case ExprOp::Int:
            return static_cast<double>(e->integer);
        case ExprOp::Float:
            return e->real;
        case ExprOp::Var:
            return static_cast<double>(m_vars.at(e->symbol));
        case ExprOp::Add:
            return a(0) + a(1);
        case ExprOp::Sub:
            return a(0) - a(1);
        case ExprOp::Mul:
            return a(0) * a(1);
        case ExprOp::Div:
            return isFloat(e.dtype()) ? a(0) / a(1) : std::trunc(a(0) / a(1));
        case ExprOp::FloorDiv:
            return std::floor(a(0) / a(1));
        case ExprOp::Mod:
            return a(0) - a(1) * std::floor(a(0) / a(1));
        case ExprOp::Min:
            return std::min(a(0), a(1));
        case ExprOp::Max:
            return std::max(a(0), a(1));
        case ExprOp::Neg:
            return -a(0);
        case ExprOp::Fma:
            return a(0) * a(1) + a(2);
        case ExprOp::Eq:
            return a(0) == a(1);
        case ExprOp::Ne:
            return a(0) != a(1);
        case ExprOp::Lt:
            return a(0) < a(1);
        case ExprOp::Le:
            return a(0) <= a(1);
        case ExprOp::And:
            return a(0) != 0 && a(1) != 0;
        case ExprOp::Or:
            return a(0) != 0 || a(1) != 0;
        case ExprOp::Not:
            return a(0) == 0;
        case ExprOp::Select:
            return a(0) != 0 ? a(1) : a(2);
        case ExprOp::Cast:
            return e.dtype() == DType::Bool ? static_cast<double>(a(0) != 0)
                   : isFloat(e.dtype())     ? a(0)
                                            : std::trunc(a(0));
        case ExprOp::BitCast:
            return fromBits(bitsOf(a(0), e.arg(0).dtype()), e.dtype());
        case ExprOp::Load:
            return m_tensors.at(e->symbol)[find(e->symbol, e.args()).value()];
        case ExprOp::Pad: {
            const auto place = find(e.arg(0)->symbol, e.arg(0).args());
            return place ? m_tensors.at(e.arg(0)->symbol)[*place] : a(1);
        }
        case ExprOp::Call:
            return evalMath(e->fn, a(0), e.args().size() > 1 ? a(1) : 0);
        }
        return 0;
    }

    const OpInst& m_inst;
    Tensors m_tensors;
    Bindings m_vars;
};

// Row-major values to and from the storage of a map.
void transfer(const TensorDecl& decl, const StorageMap& map, const Bindings& symbols,
              const std::function<void(std::size_t logical, std::size_t stored)>& move) {
    Exprs indices;
    std::vector<Axis> axes;
    for (std::size_t d = 0; d < decl.type.rank(); ++d) {
        axes.push_back({Symbol("$d" + std::to_string(d)), decl.type.shape[d]});
        indices.push_back(varExpr(axes.back().var));
    }
    const Expr flat = storageOffset({}, decl.type.shape, indices),
               stored = storageOffset(map, decl.type.shape, indices);
    Bindings vars = symbols;
    everyPoint(axes, 0, vars, [&] {
        move(static_cast<std::size_t>(evalIndex(flat, vars).value()),
             static_cast<std::size_t>(evalIndex(stored, vars).value()));
    });
}

bool close(double a, double b, double tolerance) {
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return a == b || std::fabs(a - b) <= tolerance * std::max({1.0, std::fabs(a), std::fabs(b)});
}

// The first line that differs, both ways.
QString firstDifference(const std::string& one, const std::string& other) {
    const QStringList a = QString::fromStdString(one).split(u'\n');
    const QStringList b = QString::fromStdString(other).split(u'\n');
    for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i)
        if (a.value(i) != b.value(i))
            return QStringLiteral("- %1\n+ %2\n").arg(a.value(i), b.value(i));
    return QStringLiteral("the same text, another structure\n");
}

} // namespace

Tensors evaluateStages(const OpInst& inst, Tensors inputs, const Bindings& symbols) {
    return Evaluator(inst, std::move(inputs), symbols).run();
}

Tensors randomInputs(const OpInst& inst, const Bindings& symbols, unsigned seed) {
    std::mt19937 random(seed);
    Tensors out;
    for (const TensorDecl& decl : inst.inputs) {
        auto& values = out[decl.name];
        values.resize(static_cast<std::size_t>(countOf(extentsOf(decl.type.shape, symbols))));
        for (double& value : values)
            value = isFloat(decl.type.dtype) ? static_cast<double>(random() % 9) - 4
                                             : static_cast<double>(random() % 3);
        if (decl.type.dtype == DType::Bool)
            for (double& value : values)
                value = value > 0 ? 1 : 0;
    }
    return out;
}

Checked checkLowering(const OpInst& inst, const Schedule& schedule, const StorageMaps& given,
                      const Bindings& symbols, unsigned seed, double tolerance) {
    Checked out;
    const auto lowered = lower(inst, schedule, given, "t");
    if (!lowered.ok()) {
        out.problem =
            QString::fromStdString("refused: " + lowered.diag().message + "\n" + schedule.text());
        return out;
    }
    StorageMaps maps = given;
    for (const ScheduleStep& step : schedule.steps)
        if (step.kind == StepKind::Layout)
            maps[Symbol(step.stage)] = step.layout;
    const LoopNest& nest = lowered->nest;
    out.text = schedule.text() + text(nest);
    if (const auto again = parseLoops(text(nest)); !again.ok())
        out.problem += QString::fromStdString(again.diag().text() + "\n" + out.text);
    else if (!(*again == nest))
        out.problem += "reads back otherwise:\n" + firstDifference(text(nest), text(*again));
    const LoopReport report = verifyLoops(nest);
    out.findings = report.findings;
    for (const Diag& diag : report.errors)
        out.problem += QString::fromStdString(diag.message + "\n");
    const Tensors inputs = randomInputs(inst, symbols, seed);
    const Tensors expected = evaluateStages(inst, inputs, symbols);
    std::vector<LoopValues> buffers;
    for (const Buffer& buffer : nest.parameters) {
        LoopValues values = loopValues(
            buffer.dtype, static_cast<std::size_t>(evalIndex(buffer.size, symbols).value()));
        const TensorDecl& decl = *inst.find(buffer.name);
        if (const auto known = inputs.find(buffer.name); known != inputs.end())
            transfer(
                decl, maps[buffer.name], symbols, [&](std::size_t logical, std::size_t stored) {
                    if (isFloat(buffer.dtype))
                        values.real[stored] = known->second[logical];
                    else
                        values.integer[stored] = static_cast<std::int64_t>(known->second[logical]);
                });
        else
            std::fill(values.real.begin(), values.real.end(),
                      std::numeric_limits<double>::quiet_NaN());
        buffers.push_back(std::move(values));
    }
    const Status status = interpret(nest, buffers, symbols,
                                    tolerance > 0 ? StoreRounding::Exact : StoreRounding::ToDtype);
    if (!status.ok()) {
        out.problem += QString::fromStdString(status.diag().message + "\n" + out.text);
        return out;
    }
    for (const TensorDecl& decl : inst.outputs) {
        std::size_t at = 0;
        while (nest.parameters[at].name != decl.name)
            ++at;
        transfer(decl, maps[decl.name], symbols, [&](std::size_t logical, std::size_t stored) {
            const double got = isFloat(decl.type.dtype)
                                   ? buffers[at].real[stored]
                                   : static_cast<double>(buffers[at].integer[stored]);
            const double want = expected.at(decl.name)[logical];
            if (!close(got, want, tolerance) && out.problem.isEmpty())
                out.problem = QStringLiteral("%1[%2] is %3, not %4\n")
                                  .arg(QString::fromStdString(decl.name.text()))
                                  .arg(logical)
                                  .arg(got)
                                  .arg(want) +
                              QString::fromStdString(inst.text() + out.text);
        });
    }
    return out;
}

Result<ScheduleChoice> plannedSchedule(const OpInst& inst, const ScheduleContext& context) {
    std::vector<MergedEntry> entries =
        standardStrategy().entries({}, deriveFacts(inst).kind, {"any"});
    std::stable_sort(
        entries.begin(), entries.end(),
        [](const MergedEntry& a, const MergedEntry& b) { return a.priority > b.priority; });
    for (const MergedEntry& entry : entries) {
        for (const WrittenSchedule& schedule : standardStrategy().schedules())
            if (entry.code == scheduleCode(schedule.tree->name))
                return scheduleAsWritten(schedule, 0, {}, inst, context);
        for (const ScheduleTemplate which : {ScheduleTemplate::Tiled, ScheduleTemplate::Rowwise,
                                             ScheduleTemplate::Window, ScheduleTemplate::Map})
            if (entry.code == "generated." + std::string(templateText(which))) {
                Result<ScheduleChoice> choice = scheduleBy(which, 0, inst, context);
                if (choice || choice.diag().code != DiagCode::ScheduleIllegal)
                    return choice;
            }
    }
    return makeDiag(DiagCode::ScheduleIllegal, "no implementation has code for it");
}

Checked checkDefault(const OpInst& inst, const ScheduleContext& context, const Bindings& symbols,
                     unsigned seed, double tolerance, std::string* name) {
    const auto choice = plannedSchedule(inst, context);
    if (!choice.ok())
        return {QString::fromStdString(choice.diag().message), {}, {}};
    if (name != nullptr)
        *name = choice->main();
    for (const Decision& decision : choice->decisions)
        if (decision.code != ReasonCode::ScheduleDefault &&
            decision.code != ReasonCode::ScheduleWritten &&
            decision.code != ReasonCode::ScheduleFallback)
            return {QString::fromStdString(decision.sentence()), {}, {}};
    for (const Decision& decision : choice->decisions)
        if (decision.code == ReasonCode::ScheduleFallback &&
            decision.evidence.find(": ") == std::string::npos)
            return {QString::fromStdString(decision.sentence()), {}, {}};
    const auto again = parseSchedule(choice->schedule.text());
    if (!again.ok() || !(*again == choice->schedule))
        return {QStringLiteral("the schedule does not read back:\n") +
                    QString::fromStdString(choice->schedule.text()),
                {},
                {}};
    return checkLowering(inst, choice->schedule, context.maps, symbols, seed, tolerance);
}

Expr v(std::string_view name) {
    return varExpr(name);
}

TensorDecl tensor(std::string_view name, Shape shape, DType dtype) {
    return {name, {dtype, std::move(shape)}};
}

Expr at(const OpInst& inst, std::string_view name, Exprs indices) {
    return loadExpr(name, std::move(indices), inst.find(name)->type.dtype);
}

Stage mapStage(std::string_view out, std::vector<Axis> space, Expr body) {
    return reduceStage(out, std::move(space), Reducer::None, {}, std::move(body));
}

Stage reduceStage(std::string_view out, std::vector<Axis> space, Reducer reducer,
                  std::vector<Axis> reduce, Expr body) {
    Stage stage;
    stage.out = out;
    for (const Axis& axis : space)
        stage.store.push_back(varExpr(axis.var));
    stage.space = std::move(space);
    stage.reducer = reducer;
    stage.reduce = std::move(reduce);
    stage.body = std::move(body);
    return stage;
}

OpInst convolution(const ConvShape& s) {
    const std::int64_t padW = s.padW.value_or(s.pad);
    const std::int64_t oh = (s.h + 2 * s.pad - s.dilation * (s.kh - 1) - 1) / s.stride + 1;
    const std::int64_t ow = (s.w + 2 * padW - s.dilation * (s.kw - 1) - 1) / s.stride + 1;
    const std::int64_t cg = s.c / s.groups, og = s.o / s.groups;
    OpInst inst;
    inst.inputs = {tensor("x", {s.n, s.c, s.h, s.w}), tensor("w", {s.o, cg, s.kh, s.kw})};
    const Shape shape{s.n, s.o, oh, ow};
    const auto axes = [&](const std::string& suffix) {
        return std::vector<Axis>{{Symbol("n" + suffix), s.n},
                                 {Symbol("o" + suffix), s.o},
                                 {Symbol("oh" + suffix), oh},
                                 {Symbol("ow" + suffix), ow}};
    };
    const Expr channel =
        s.groups == 1 ? v("c") : floorDivExpr(v("o"), Expr(og)) * Expr(cg) + v("c");
    const Expr x =
        at(inst, "x",
           {v("n"), channel, v("oh") * Expr(s.stride) + v("kh") * Expr(s.dilation) - Expr(s.pad),
            v("ow") * Expr(s.stride) + v("kw") * Expr(s.dilation) - Expr(padW)});
    const Expr body = padExpr(x, floatExpr(0)) * at(inst, "w", {v("o"), v("c"), v("kh"), v("kw")});
    std::string last = s.bias || s.relu || s.residual ? "conv" : "y";
    inst.stages.push_back(
        reduceStage(last, axes(""), Reducer::Sum, {{"c", cg}, {"kh", s.kh}, {"kw", s.kw}}, body));
    inst.stages.back().nodes = {1};
    const auto extend = [&](const std::string& suffix,
                            const std::function<Expr(Expr, const Exprs&)>& body2, bool isLast) {
        inst.temporaries.push_back(tensor(last, shape));
        Exprs indices;
        for (const Axis& axis : axes(suffix))
            indices.push_back(varExpr(axis.var));
        const std::string out = isLast ? "y" : "t" + suffix;
        inst.stages.push_back(mapStage(out, axes(suffix), body2(at(inst, last, indices), indices)));
        inst.stages.back().nodes = {static_cast<std::int64_t>(inst.stages.size())};
        last = out;
    };
    if (s.bias) {
        inst.inputs.push_back(tensor("b", {s.o}));
        extend(
            "_b", [&](Expr e, const Exprs& i) { return e + at(inst, "b", {i[1]}); },
            !s.relu && !s.residual);
    }
    if (s.residual) {
        inst.inputs.push_back(tensor("r", shape));
        extend(
            "_r", [&](Expr e, const Exprs& i) { return e + at(inst, "r", i); }, !s.relu);
    }
    if (s.relu)
        extend(
            "_a", [&](Expr e, const Exprs&) { return maxExpr(e, floatExpr(0)); }, true);
    inst.outputs = {tensor("y", shape)};
    return inst;
}

OpInst matmul(Expr m, Expr n, Expr k, bool transposed, bool bias) {
    OpInst inst;
    inst.inputs = {tensor("a", {m, k}), tensor("b", transposed ? Shape{n, k} : Shape{k, n})};
    const Expr body = at(inst, "a", {v("i"), v("k")}) *
                      at(inst, "b", transposed ? Exprs{v("j"), v("k")} : Exprs{v("k"), v("j")});
    inst.stages.push_back(
        reduceStage(bias ? "t" : "y", {{"i", m}, {"j", n}}, Reducer::Sum, {{"k", k}}, body));
    if (bias) {
        inst.inputs.push_back(tensor("c", {n}));
        inst.temporaries.push_back(tensor("t", {m, n}));
        inst.stages.push_back(
            mapStage("y", {{"i2", m}, {"j2", n}},
                     at(inst, "t", {v("i2"), v("j2")}) + at(inst, "c", {v("j2")})));
    }
    inst.outputs = {tensor("y", {m, n})};
    return inst;
}

OpInst channelShuffle(std::int64_t channels, std::int64_t groups, std::int64_t size) {
    OpInst inst;
    const Shape shape{1, channels, size, size};
    inst.inputs = {tensor("x", shape)};
    inst.outputs = {tensor("y", shape)};
    const Expr from = modExpr(v("c"), Expr(groups)) * Expr(channels / groups) +
                      floorDivExpr(v("c"), Expr(groups));
    inst.stages = {mapStage(
        "y", {{Symbol("n"), 1}, {Symbol("c"), channels}, {Symbol("h"), size}, {Symbol("w"), size}},
        at(inst, "x", {v("n"), from, v("h"), v("w")}))};
    return inst;
}

OpInst softmax(Expr rows, Expr columns) {
    OpInst inst;
    inst.inputs = {tensor("x", {rows, columns})};
    inst.outputs = {tensor("y", {rows, columns})};
    inst.temporaries = {tensor("m", {rows}), tensor("e", {rows, columns}), tensor("s", {rows})};
    inst.stages = {reduceStage("m", {{"p1", rows}}, Reducer::Max, {{"d1", columns}},
                               at(inst, "x", {v("p1"), v("d1")})),
                   mapStage("e", {{"p2", rows}, {"d2", columns}},
                            callExpr(MathFn::Exp, {at(inst, "x", {v("p2"), v("d2")}) -
                                                   at(inst, "m", {v("p2")})})),
                   reduceStage("s", {{"p3", rows}}, Reducer::Sum, {{"d3", columns}},
                               at(inst, "e", {v("p3"), v("d3")})),
                   mapStage("y", {{"p4", rows}, {"d4", columns}},
                            divExpr(at(inst, "e", {v("p4"), v("d4")}), at(inst, "s", {v("p4")})))};
    return inst;
}

} // namespace fw::test
