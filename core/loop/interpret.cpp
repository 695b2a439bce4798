#include "loop/interpret.h"

#include "expr/scalar.h"
#include "loop/print.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace fw {

namespace {

// A broken access inside an expression; caught in interpret().
struct Fault {
    std::string what;
};
struct OutOfSteps {};

struct Value {
    double real = 0;
    std::int64_t integer = 0;
};

struct Place {
    DType dtype = DType::F32;
    DType kept = DType::F32; // as which a store rounds
    std::vector<double>* real = nullptr;
    std::vector<std::int64_t>* integer = nullptr;
    std::size_t size = 0;
    std::vector<std::uint64_t>* writer = nullptr; // parallel run and iteration of the last write
};

class Machine {
public:
    Machine(const LoopNest& nest, std::span<LoopValues> parameters, StoreRounding rounding,
            std::uint64_t* steps)
        : m_rounding(rounding), m_steps(steps) {
        m_writers.resize(nest.parameters.size());
        for (std::size_t i = 0; i < nest.parameters.size(); ++i) {
            LoopValues& values = parameters[i];
            m_writers[i].assign(values.size(), 0);
            m_places[nest.parameters[i].name] = {values.dtype,    values.dtype,  &values.real,
                                                 &values.integer, values.size(), &m_writers[i]};
        }
    }

    void bind(Symbol name, std::int64_t value) { m_vars[name] = value; }

    void run(const Stmt& s) {
        switch (s.op()) {
        case StmtOp::Block:
            for (const Stmt& part : s->body)
                run(part);
            return;
        case StmtOp::For: {
            const std::int64_t min = index(s->min), extent = index(s->extent);
            const bool parallel = s->kind == LoopKind::Parallel;
            const auto outer = m_owner;
            if (parallel)
                ++m_runs;
            for (std::int64_t i = 0; i < extent; ++i) {
                step();
                if (parallel)
                    m_owner = (m_runs << 32) + static_cast<std::uint64_t>(i) + 1;
                m_vars[s->var] = min + i;
                run(s->body[0]);
            }
            m_owner = outer;
            return;
        }
        case StmtOp::If:
            if (evaluate(s->condition).integer != 0)
                run(s->body[0]);
            else if (s->body.size() > 1)
                run(s->body[1]);
            return;
        case StmtOp::Store:
            try {
                store(s);
            } catch (Fault& fault) {
                fault.what += "\nin " + text(s);
                throw;
            }
            return;
        case StmtOp::Alloc: {
            const Buffer& buffer = s->alloc;
            const auto size = static_cast<std::size_t>(index(buffer.size));
            std::vector<double> real;
            std::vector<std::int64_t> integer;
            if (isFloat(buffer.dtype))
                real.assign(size, std::numeric_limits<double>::quiet_NaN());
            else
                integer.assign(size, 0x5a5a5a5a);
            const auto shadowed = m_places.find(buffer.name);
            const std::optional<Place> before =
                shadowed == m_places.end() ? std::nullopt : std::optional(shadowed->second);
            const bool isNarrow = buffer.dtype == DType::F16 || buffer.dtype == DType::BF16;
            m_places[buffer.name] = {
                buffer.dtype, isNarrow ? DType::F32 : buffer.dtype, &real, &integer, size, nullptr};
            run(s->body[0]);
            if (before)
                m_places[buffer.name] = *before;
            else
                m_places.erase(buffer.name);
            return;
        }
        }
    }

private:
    std::int64_t index(const Expr& e) { return evaluate(e).integer; }

    void step() {
        if (m_steps == nullptr)
            return;
        if (*m_steps == 0)
            throw OutOfSteps{};
        --*m_steps;
    }

    Place& place(Symbol name) {
        step();
        const auto found = m_places.find(name);
        if (found == m_places.end())
            throw Fault{"no buffer " + name.text()};
        return found->second;
    }

    std::size_t checked(const Place& where, std::int64_t at, Symbol name) const {
        if (at < 0 || static_cast<std::size_t>(at) >= where.size)
            throw Fault{
                fmt::format("{}[{}] is outside its {} elements", name.text(), at, where.size)};
        return static_cast<std::size_t>(at);
    }

    bool isForeign(const Place& where, std::size_t at) const {
        if (where.writer == nullptr || m_owner == 0)
            return false;
        const std::uint64_t writer = (*where.writer)[at];
        return (writer >> 32) == (m_owner >> 32) && writer != m_owner;
    }

    void store(const Stmt& s) {
        Place& target = place(s->buffer);
        const std::size_t at = checked(target, index(s->index), s->buffer);
        const Value value = evaluate(s->value);
        if (isForeign(target, at))
            throw Fault{fmt::format("two parallel iterations write {}[{}]", s->buffer.text(), at)};
        if (target.writer != nullptr && m_owner != 0)
            (*target.writer)[at] = m_owner;
        if (isFloat(target.dtype))
            (*target.real)[at] = m_rounding == StoreRounding::ToDtype
                                     ? roundReal(target.kept, value.real)
                                     : value.real;
        else
            (*target.integer)[at] = wrapTo(target.dtype, value.integer);
    }

    static Value compare(const Expr& e, const Value& a, const Value& b) {
        const DType dtype = e.arg(0).dtype();
        if (!isFloat(dtype))
            return {0, applyIntegers(e.op(), dtype, a.integer, b.integer)};
        bool truth = false;
        if (e.op() == ExprOp::Eq)
            truth = a.real == b.real;
        else if (e.op() == ExprOp::Ne)
            truth = a.real != b.real;
        else if (e.op() == ExprOp::Lt)
            truth = a.real < b.real;
        else
            truth = a.real <= b.real;
        return {0, truth ? 1 : 0};
    }

    Value evaluate(const Expr& e) {
        const bool real = isFloat(e.dtype());
        switch (e.op()) {
        case ExprOp::Int:
            return {0, e->integer};
        case ExprOp::Float:
            return {e->real, 0};
        case ExprOp::Var: {
            const auto found = m_vars.find(e->symbol);
            if (found == m_vars.end())
                throw Fault{"no variable " + e->symbol.text()};
            return {0, found->second};
        }
        case ExprOp::Load: {
            const Place& source = place(e->symbol);
            const std::size_t at = checked(source, index(e.arg(0)), e->symbol);
            if (isForeign(source, at))
                throw Fault{
                    fmt::format("a parallel iteration reads {}[{}], which another one writes",
                                e->symbol.text(), at)};
            return isFloat(source.dtype) ? Value{(*source.real)[at], 0}
                                         : Value{0, (*source.integer)[at]};
        }
        case ExprOp::Select:
            return evaluate(e.arg(evaluate(e.arg(0)).integer != 0 ? 1 : 2));
        case ExprOp::And:
            return evaluate(e.arg(0)).integer != 0 ? evaluate(e.arg(1)) : Value{0, 0};
        case ExprOp::Or:
            return evaluate(e.arg(0)).integer != 0 ? Value{0, 1} : evaluate(e.arg(1));
        case ExprOp::Not:
            return {0, evaluate(e.arg(0)).integer == 0 ? 1 : 0};
        case ExprOp::Cast: {
            const Value value = evaluate(e.arg(0));
            const bool fromReal = isFloat(e.arg(0).dtype());
            if (e.dtype() == DType::Bool)
                return {0, (fromReal ? value.real != 0 : value.integer != 0) ? 1 : 0};
            if (real)
                return {fromReal ? roundReal(e.dtype(), value.real)
                                 : realOf(e.arg(0).dtype(), value.integer, e.dtype()),
                        0};
            return {0, fromReal ? saturateTo(e.dtype(), value.real)
                                : wrapTo(e.dtype(), value.integer)};
        }
        case ExprOp::Pad:
            throw Fault{"pad() has no meaning in a loop nest"};
        case ExprOp::Fma: {
            const Value a = evaluate(e.arg(0)), b = evaluate(e.arg(1)), c = evaluate(e.arg(2));
            if (real)
                return {std::fma(a.real, b.real, c.real), 0};
            const std::int64_t product =
                applyIntegers(ExprOp::Mul, e.dtype(), a.integer, b.integer);
            return {0, applyIntegers(ExprOp::Add, e.dtype(), product, c.integer)};
        }
        case ExprOp::Call: {
            const Value a = evaluate(e.arg(0));
            if (!real)
                return {0, applyIntegerFunction(e->fn, e.dtype(), a.integer)};
            return {evalMath(e->fn, a.real, e.args().size() > 1 ? evaluate(e.arg(1)).real : 0), 0};
        }
        case ExprOp::Neg: {
            const Value a = evaluate(e.arg(0));
            return {-a.real, applyIntegers(ExprOp::Sub, e.dtype(), 0, a.integer)};
        }
        case ExprOp::Eq:
        case ExprOp::Ne:
        case ExprOp::Lt:
        case ExprOp::Le:
            return compare(e, evaluate(e.arg(0)), evaluate(e.arg(1)));
        case ExprOp::Add:
        case ExprOp::Sub:
        case ExprOp::Mul:
        case ExprOp::Div:
        case ExprOp::FloorDiv:
        case ExprOp::Mod:
        case ExprOp::Min:
        case ExprOp::Max:
            return arithmetic(e, evaluate(e.arg(0)), evaluate(e.arg(1)));
        }
        throw Fault{"an expression of no kind"};
    }

    // Max and min keep a NaN, as ONNX and the reference do.
    static double pick(double a, double b, bool wantMin) {
        if (std::isnan(a) || std::isnan(b))
            return std::numeric_limits<double>::quiet_NaN();
        return wantMin ? std::min(a, b) : std::max(a, b);
    }

    Value arithmetic(const Expr& e, const Value& a, const Value& b) const {
        const ExprOp op = e.op();
        if (isFloat(e.dtype())) {
            const double x = a.real, y = b.real;
            if (op == ExprOp::Add)
                return {x + y, 0};
            if (op == ExprOp::Sub)
                return {x - y, 0};
            if (op == ExprOp::Mul)
                return {x * y, 0};
            if (op == ExprOp::Div)
                return {x / y, 0};
            if (op == ExprOp::Min || op == ExprOp::Max)
                return {pick(x, y, op == ExprOp::Min), 0};
            if (op == ExprOp::FloorDiv)
                return {std::floor(x / y), 0};
            return {x - y * std::floor(x / y), 0};
        }
        return {0, applyIntegers(op, e.dtype(), a.integer, b.integer)};
    }

    StoreRounding m_rounding;
    std::uint64_t* m_steps; // left; null: as many as it takes
    std::unordered_map<Symbol, std::int64_t> m_vars;
    std::unordered_map<Symbol, Place> m_places;
    std::vector<std::vector<std::uint64_t>> m_writers;
    std::uint64_t m_owner = 0; // 0 outside parallel loops
    std::uint64_t m_runs = 0;
};

} // namespace

LoopValues loopValues(DType dtype, std::size_t count) {
    LoopValues out;
    out.dtype = dtype;
    if (isFloat(dtype))
        out.real.assign(count, 0);
    else
        out.integer.assign(count, 0);
    return out;
}

Status interpret(const LoopNest& nest, std::span<LoopValues> parameters, const Bindings& symbols,
                 StoreRounding rounding, std::uint64_t* steps) {
    if (parameters.size() != nest.parameters.size())
        return makeDiag(DiagCode::LoopInvalid, nest.name + ": wrong number of buffers");
    Machine machine(nest, parameters, rounding, steps);
    for (const Symbol symbol : nest.symbols) {
        const auto found = symbols.find(symbol);
        if (found == symbols.end())
            return makeDiag(DiagCode::LoopInvalid, nest.name + ": no value for " + symbol.text());
        machine.bind(symbol, found->second);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto size = evalIndex(nest.parameters[i].size, symbols);
        if (!size || static_cast<std::size_t>(*size) > parameters[i].size() ||
            nest.parameters[i].dtype != parameters[i].dtype)
            return makeDiag(DiagCode::LoopInvalid,
                            fmt::format("{}: buffer {} has {} elements, not {}", nest.name,
                                        nest.parameters[i].name.text(), parameters[i].size(),
                                        nest.parameters[i].size.text()));
    }
    try {
        machine.run(nest.body);
    } catch (const Fault& fault) {
        return makeDiag(DiagCode::LoopInvalid, nest.name + ": " + fault.what);
    } catch (const OutOfSteps&) {
        return makeDiag(DiagCode::LimitReached, nest.name + ": it takes too many steps");
    }
    return {};
}

} // namespace fw
