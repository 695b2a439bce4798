#include "loop/lane_width.h"

#include <algorithm>
#include <unordered_set>

namespace fw {

namespace {

class Widest {
public:
    explicit Widest(const std::set<Symbol>& vars) : m_vars(vars) {}

    std::int64_t bytes = 0;

    bool moves(const Expr& e) const {
        return std::any_of(m_vars.begin(), m_vars.end(),
                           [&](Symbol var) { return usesVar(e, var); });
    }

    void look(const Expr& e) {
        if (!m_seen.insert(&e.node()).second || !moves(e))
            return;
        const bool isLoad = e.op() == ExprOp::Load;
        const bool follows =
            !isLoad && (e.dtype() == DType::Bool || (e.dtype() == DType::I64 && !hasLoad(e)));
        if (!follows)
            bytes = std::max(bytes, registerBytes(e.dtype()));
        if (!isLoad)
            for (const Expr& arg : e.args())
                look(arg);
    }

    void look(const Stmt& stmt) {
        if (stmt.op() == StmtOp::Store) {
            look(stmt->value);
            if (moves(stmt->index))
                bytes = std::max(bytes, registerBytes(stmt->value.dtype()));
        } else if (stmt.op() == StmtOp::If) {
            look(stmt->condition);
        }
        for (const Stmt& part : stmt->body)
            look(part);
    }

private:
    const std::set<Symbol>& m_vars;
    std::unordered_set<const ExprNode*> m_seen; // what is shared is looked at once
};

} // namespace

std::int64_t registerBytes(DType dtype) {
    return dtype == DType::F16 || dtype == DType::BF16
               ? 4
               : static_cast<std::int64_t>(dtypeBytes(dtype));
}

std::int64_t laneBytes(const Expr& value, const std::set<Symbol>& vars) {
    Widest widest(vars);
    widest.look(value);
    return widest.bytes;
}

std::int64_t laneBytes(const Stmt& stmt, Symbol var) {
    const std::set<Symbol> vars{var};
    Widest widest(vars);
    widest.look(stmt);
    return widest.bytes;
}

} // namespace fw
