#include "loop/interpret.h"

#include "expr/evaluate.h"
#include "expr/scalar.h"
#include "loop/print.h"

#include <fmt/format.h>

#include <limits>

namespace fw {

namespace {

// A broken access inside an expression; caught in interpret().
struct Fault {
    std::string what;
};
struct OutOfSteps {};

struct TensorMemory {
    DType dtype = DType::F32;
    DType kept = DType::F32; // as which a store rounds
    std::vector<double>* real = nullptr;
    std::vector<std::int64_t>* integer = nullptr;
    std::size_t size = 0;
    std::vector<std::uint64_t>* writer = nullptr; // parallel run and iteration of the last write
};

class Machine : public Evaluate<Machine, Value> {
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
            if (isTrue(s->condition))
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
            const std::optional<TensorMemory> before =
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
    std::int64_t index(const Expr& e) { return of(e).integer; }
    bool isTrue(const Expr& e) { return of(e).integer != 0; }

    void step() {
        if (m_steps == nullptr)
            return;
        if (*m_steps == 0)
            throw OutOfSteps{};
        --*m_steps;
    }

    TensorMemory& place(Symbol name) {
        step();
        const auto found = m_places.find(name);
        if (found == m_places.end())
            throw Fault{"no buffer " + name.text()};
        return found->second;
    }

    std::size_t checked(const TensorMemory& where, std::int64_t at, Symbol name) const {
        if (at < 0 || static_cast<std::size_t>(at) >= where.size)
            throw Fault{
                fmt::format("{}[{}] is outside its {} elements", name.text(), at, where.size)};
        return static_cast<std::size_t>(at);
    }

    bool isForeign(const TensorMemory& where, std::size_t at) const {
        if (where.writer == nullptr || m_owner == 0)
            return false;
        const std::uint64_t writer = (*where.writer)[at];
        return (writer >> 32) == (m_owner >> 32) && writer != m_owner;
    }

    void store(const Stmt& s) {
        TensorMemory& target = place(s->buffer);
        const std::size_t at = checked(target, index(s->index), s->buffer);
        const Value value = of(s->value);
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

public:
    Value integer(const Expr& e) const { return literalValue(e); }
    Value real(const Expr& e) const { return literalValue(e); }
    Value variable(const Expr& e) const {
        const auto found = m_vars.find(e->symbol);
        if (found == m_vars.end())
            throw Fault{"no variable " + e->symbol.text()};
        return intValue(found->second);
    }
    Value load(const Expr& e) {
        const TensorMemory& source = place(e->symbol);
        const std::size_t at = checked(source, index(e.arg(0)), e->symbol);
        if (isForeign(source, at))
            throw Fault{fmt::format("a parallel iteration reads {}[{}], which another one writes",
                                    e->symbol.text(), at)};
        return isFloat(source.dtype) ? realValue((*source.real)[at])
                                     : intValue((*source.integer)[at]);
    }
    Value pad(const Expr&) const { throw Fault{"pad() has no meaning in a loop nest"}; }
    Value select(const Expr& e) { return of(e.arg(isTrue(e.arg(0)) ? 1 : 2)); }
    Value both(const Expr& e) { return isTrue(e.arg(0)) ? of(e.arg(1)) : intValue(0); }
    Value either(const Expr& e) { return isTrue(e.arg(0)) ? intValue(1) : of(e.arg(1)); }
    Value other(ExprOp, const Expr& e) {
        Value operands[3] = {};
        for (std::size_t i = 0; i < e.args().size(); ++i)
            operands[i] = of(e.arg(i));
        return applyOperation(operationOf(e), operands[0], operands[1], operands[2]);
    }

private:
    StoreRounding m_rounding;
    std::uint64_t* m_steps; // left; null: as many as it takes
    std::unordered_map<Symbol, std::int64_t> m_vars;
    std::unordered_map<Symbol, TensorMemory> m_places;
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
