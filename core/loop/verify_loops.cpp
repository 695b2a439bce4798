#include "loop/verify_loops.h"

#include "expr/simplify.h"
#include "loop/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fw {

namespace {

class Verifier {
public:
    explicit Verifier(LoopFindings findings) : m_tell(findings == LoopFindings::Tell) {}

    LoopReport report;

    void nest(const LoopNest& nest) {
        for (const Symbol symbol : nest.symbols)
            if (!m_vars.emplace(symbol, LoopKind::Serial).second)
                error("the symbol " + symbol.text() + " is listed twice");
        for (const Buffer& buffer : nest.parameters) {
            if (buffer.scope != BufferScope::Parameter)
                error("the parameter " + buffer.name.text() + " has another scope");
            index(buffer.size, "the size of " + buffer.name.text());
            if (!m_buffers.emplace(buffer.name, buffer).second)
                error("the parameter " + buffer.name.text() + " is listed twice");
        }
        statement(nest.body);
    }

private:
    void error(std::string what) {
        report.errors.push_back(makeDiag(DiagCode::LoopInvalid, std::move(what)));
    }

    void statement(const Stmt& s) {
        switch (s.op()) {
        case StmtOp::Block:
            for (const Stmt& part : s->body)
                statement(part);
            return;
        case StmtOp::For:
            return loop(s);
        case StmtOp::If: {
            value(s->condition);
            const std::size_t facts = m_ranges.factCount();
            m_ranges.assume(s->condition);
            statement(s->body[0]);
            m_ranges.dropFacts(facts);
            if (s->body.size() > 1) {
                m_ranges.assume(notExpr(s->condition));
                statement(s->body[1]);
                m_ranges.dropFacts(facts);
            }
            return;
        }
        case StmtOp::Store:
            value(s->value);
            access(s->buffer, s->index, true, &s->value);
            return;
        case StmtOp::Alloc:
            alloc(s);
            return;
        }
    }

    void alloc(const Stmt& s) {
        const Buffer& buffer = s->alloc;
        if (buffer.scope == BufferScope::Parameter)
            error("a parameter cannot be allocated: " + buffer.name.text());
        if (!buffer.size.isInt())
            error("the size of a local buffer must be constant: " + buffer.name.text());
        if (m_vectorDepth > 0)
            error("a buffer inside a vector loop: " + buffer.name.text());
        if (!m_buffers.emplace(buffer.name, buffer).second)
            return error("the buffer " + buffer.name.text() + " is declared twice");
        statement(s->body[0]);
        m_buffers.erase(buffer.name);
    }

    void loop(const Stmt& s) {
        index(s->min, "the start of the loop over " + s->var.text());
        index(s->extent, "the extent of the loop over " + s->var.text());
        if (!m_vars.emplace(s->var, s->kind).second)
            return error("the variable " + s->var.text() + " is declared twice");
        if (s->kind == LoopKind::Parallel && m_depth > 0)
            error("a parallel loop below another one: " + s->var.text());
        const bool fixed = s->kind == LoopKind::Vector || s->kind == LoopKind::Unroll;
        if (fixed && !s->extent.isInt())
            error(fmt::format("the {} loop over {} has no constant extent", loopKindText(s->kind),
                              s->var.text()));
        if (m_vectorDepth > 0 && s->kind != LoopKind::Unroll)
            error("a loop inside a vector loop: " + s->var.text());
        if (!m_lanes.empty() && (usesVar(s->min, m_lanes) || usesVar(s->extent, m_lanes)))
            error(fmt::format("the bounds of the loop over {} differ between the lanes of {}",
                              s->var.text(), m_lanes.text()));
        const std::size_t facts = m_ranges.factCount();
        m_ranges.assume(leExpr(Expr(1), s->extent));
        m_ranges.push(s->var, s->min, simplify(s->min + s->extent - Expr(1), m_ranges));
        m_vectorDepth += s->kind == LoopKind::Vector;
        ++m_depth;
        if (s->kind == LoopKind::Parallel)
            m_parallel = s->var;
        if (s->kind == LoopKind::Vector)
            m_lanes = s->var;
        statement(s->body[0]);
        --m_depth;
        if (s->kind == LoopKind::Vector)
            m_lanes = Symbol();
        if (s->kind == LoopKind::Parallel)
            m_parallel = Symbol();
        m_vectorDepth -= s->kind == LoopKind::Vector;
        m_ranges.pop();
        m_ranges.dropFacts(facts);
        m_vars.erase(s->var);
    }

    void index(const Expr& e, const std::string& what) {
        for (const Symbol var : freeVars(e))
            if (!m_vars.contains(var))
                error(fmt::format("{} uses {}, which is not in scope", what, var.text()));
        if (hasLoad(e))
            error(what + " reads a buffer");
    }

    void value(const Expr& e) {
        if (e.isVar()) {
            if (!m_vars.contains(e->symbol))
                error(e->symbol.text() + " is not in scope");
            return;
        }
        if (e.op() == ExprOp::Pad)
            error("pad() has no meaning in a loop nest");
        if (e.op() == ExprOp::Select) {
            value(e.arg(0));
            const std::size_t facts = m_ranges.factCount();
            m_ranges.assume(e.arg(0));
            value(e.arg(1));
            m_ranges.dropFacts(facts);
            m_ranges.assume(notExpr(e.arg(0)));
            value(e.arg(2));
            m_ranges.dropFacts(facts);
            return;
        }
        for (const Expr& arg : e.args())
            value(arg);
        if (e.op() != ExprOp::Load)
            return;
        if (e.args().size() != 1)
            return error("a load takes one flat offset: " + e.text());
        access(e->symbol, e.arg(0), false, nullptr);
    }

    void access(Symbol name, const Expr& at, bool isStore, const Expr* stored) {
        const auto found = m_buffers.find(name);
        if (found == m_buffers.end())
            return error("no buffer " + name.text() + " in scope");
        const Buffer& buffer = found->second;
        if (isStore) {
            value(at);
            if (stored->dtype() != buffer.dtype)
                error(fmt::format("{} holds {}, not {}", name.text(), dtypeText(buffer.dtype),
                                  dtypeText(stored->dtype())));
        }
        const bool local = buffer.scope != BufferScope::Parameter;
        if (!local && buffer.access == (isStore ? BufferAccess::Read : BufferAccess::Write) &&
            isStore)
            error(name.text() + " may only be read");
        if (buffer.scope == BufferScope::Register)
            for (const Symbol var : freeVars(at)) {
                const auto known = m_vars.find(var);
                if (known != m_vars.end() && known->second != LoopKind::Unroll &&
                    known->second != LoopKind::Vector)
                    error(fmt::format("{}[{}]: a register is chosen by {} while running",
                                      name.text(), at.text(), var.text()));
            }
        const std::string text = fmt::format("{}[{}]", name.text(), at.text());
        const Expr plain = simplify(at, m_ranges);
        if (m_tell || m_ranges.factCount() == 0) {
            if (!proveNonNegative(plain, m_ranges))
                outOfRange(text, -plain - Expr(1), "below 0");
            if (!proveNonNegative(buffer.size - plain - Expr(1), m_ranges))
                outOfRange(text, plain - buffer.size, "beyond " + buffer.size.text());
        }
        if (isStore && !local && !m_parallel.empty())
            apart(text, plain);
        if (isStore && !m_lanes.empty() && !usesVar(plain, m_lanes) && usesVar(*stored, m_lanes) &&
            usesVar(simplify(*stored, m_ranges), m_lanes))
            error(fmt::format("the lanes of {} write different values to one element, {}",
                              m_lanes.text(), text));
    }

    // The opposite proved for every iteration is an error where the place is sure to be reached.
    void outOfRange(const std::string& text, const Expr& opposite, const std::string& how) {
        if (m_ranges.factCount() == 0 && proveNonNegative(opposite, m_ranges))
            error(text + " is " + how);
        else
            finding(fmt::format("V2 {} may be {}", text, how));
    }

    // Iterations of the parallel loop write apart if the offset moves by more than the inner loops
    // span.
    void apart(const std::string& text, const Expr& at) {
        if (!usesVar(at, m_parallel))
            return error(text + " is written by every iteration of the parallel loop over " +
                         m_parallel.text());
        if (!m_tell)
            return;
        const Expr step =
            simplify(substitute(at, {{m_parallel, varExpr(m_parallel) + Expr(1)}}) - at);
        if (usesVar(step, m_parallel))
            return finding(fmt::format("V5 {} is not linear in {}", text, m_parallel.text()));
        // span = greatest - least offset within one iteration, over loops inside
        Expr low = at, high = at;
        const auto& all = m_ranges.all();
        for (auto range = all.rbegin(); range != all.rend() && range->var != m_parallel; ++range)
            for (Expr* bound : {&low, &high}) {
                if (!usesVar(*bound, range->var))
                    continue;
                const auto linear = linearIn(*bound, range->var);
                if (!linear)
                    return finding(
                        fmt::format("V5 {} is not linear in {}", text, range->var.text()));
                const bool wantMax = (bound == &high) == (linear->coefficient > 0);
                *bound = simplify(linear->rest +
                                  Expr(linear->coefficient) * (wantMax ? range->max : range->min));
            }
        if (!proveNonNegative(step - (high - low) - Expr(1), m_ranges))
            finding(fmt::format("V5 {} may be written by two iterations of {}", text,
                                m_parallel.text()));
    }

    void finding(std::string what) {
        if (std::find(report.findings.begin(), report.findings.end(), what) ==
            report.findings.end())
            report.findings.push_back(std::move(what));
    }

    std::map<Symbol, Buffer> m_buffers;
    std::map<Symbol, LoopKind> m_vars;
    Ranges m_ranges;
    Symbol m_parallel;
    Symbol m_lanes; // of the vector loop around
    bool m_tell;
    int m_depth = 0;
    int m_vectorDepth = 0;
};

} // namespace

LoopReport verifyLoops(const LoopNest& nest, LoopFindings findings) {
    Verifier verifier(findings);
    verifier.nest(nest);
    return std::move(verifier.report);
}

} // namespace fw
