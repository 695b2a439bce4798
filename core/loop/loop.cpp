#include "loop/loop.h"

#include <algorithm>

namespace fw {

namespace {

Stmt make(StmtNode node) {
    return Stmt(std::make_shared<const StmtNode>(std::move(node)));
}

} // namespace

Stmt::Stmt() {
    static const auto empty = std::make_shared<const StmtNode>();
    m_node = empty;
}

StmtOp Stmt::op() const {
    return m_node->op;
}

bool Stmt::isEmpty() const {
    return m_node->op == StmtOp::Block && m_node->body.empty();
}

bool Stmt::operator==(const Stmt& other) const {
    if (m_node == other.m_node)
        return true;
    const StmtNode &a = *m_node, &b = *other.m_node;
    return a.op == b.op && a.var == b.var && a.kind == b.kind && a.grain == b.grain &&
           a.buffer == b.buffer && a.nodes == b.nodes && a.alloc == b.alloc && a.min == b.min &&
           a.extent == b.extent && a.condition == b.condition && a.index == b.index &&
           a.value == b.value && a.body == b.body;
}

Stmt blockStmt(std::vector<Stmt> statements, std::vector<std::int64_t> nodes) {
    StmtNode node;
    for (Stmt& statement : statements) {
        if (statement.op() == StmtOp::Block && statement->nodes.empty())
            node.body.insert(node.body.end(), statement->body.begin(), statement->body.end());
        else
            node.body.push_back(std::move(statement));
    }
    if (nodes.empty() && node.body.size() == 1)
        return node.body.front();
    node.nodes = std::move(nodes);
    return make(std::move(node));
}

Stmt forStmt(Symbol var, Expr min, Expr extent, LoopKind kind, Stmt body,
             std::vector<std::int64_t> nodes) {
    StmtNode node;
    node.op = StmtOp::For;
    node.var = var;
    node.min = std::move(min);
    node.extent = std::move(extent);
    node.kind = kind;
    node.body.push_back(std::move(body));
    node.nodes = std::move(nodes);
    return make(std::move(node));
}

Stmt parallelStmt(Symbol var, Expr extent, std::int64_t grain, Stmt body,
                  std::vector<std::int64_t> nodes) {
    StmtNode node;
    node.op = StmtOp::For;
    node.var = var;
    node.extent = std::move(extent);
    node.kind = LoopKind::Parallel;
    node.grain = std::max<std::int64_t>(grain, 1);
    node.body.push_back(std::move(body));
    node.nodes = std::move(nodes);
    return make(std::move(node));
}

Stmt ifStmt(Expr condition, Stmt then) {
    StmtNode node;
    node.op = StmtOp::If;
    node.condition = std::move(condition);
    node.body.push_back(std::move(then));
    return make(std::move(node));
}

Stmt ifElseStmt(Expr condition, Stmt then, Stmt otherwise) {
    if (otherwise.isEmpty())
        return ifStmt(std::move(condition), std::move(then));
    StmtNode node;
    node.op = StmtOp::If;
    node.condition = std::move(condition);
    node.body.push_back(std::move(then));
    node.body.push_back(std::move(otherwise));
    return make(std::move(node));
}

Stmt storeStmt(Symbol buffer, Expr index, Expr value) {
    StmtNode node;
    node.op = StmtOp::Store;
    node.buffer = buffer;
    node.index = std::move(index);
    node.value = std::move(value);
    return make(std::move(node));
}

Stmt allocStmt(Buffer buffer, Stmt body) {
    StmtNode node;
    node.op = StmtOp::Alloc;
    node.alloc = std::move(buffer);
    node.body.push_back(std::move(body));
    return make(std::move(node));
}

} // namespace fw
