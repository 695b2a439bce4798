#include "loop/print.h"

#include <fmt/format.h>

namespace fw {

namespace {

class Printer {
public:
    LoopText out;

    void line(const std::string& what) {
        out.text.append(m_depth * 4, ' ');
        out.text += what;
        out.text += '\n';
        out.nodes.push_back(m_nodes.empty() ? std::vector<std::int64_t>{} : m_nodes.back());
    }

    void open(const std::string& what, const std::vector<std::int64_t>& nodes) {
        m_nodes.push_back(nodes.empty() && !m_nodes.empty() ? m_nodes.back() : nodes);
        line(what + " {");
        ++m_depth;
    }

    void close(const std::string& what = "}") {
        --m_depth;
        line(what);
        m_nodes.pop_back();
    }

    void statement(const Stmt& s) {
        switch (s.op()) {
        case StmtOp::Block:
            if (s->nodes.empty())
                return parts(s);
            open("block" + nodesText(s->nodes), s->nodes);
            parts(s);
            close();
            return;
        case StmtOp::For: {
            std::string head =
                fmt::format("{} {} in {}", loopKindText(s->kind), s->var.text(), s->extent.text());
            if (!s->min.isInt(0))
                head += " from " + s->min.text();
            if (s->grain != 1)
                head += fmt::format(" grain {}", s->grain);
            open(head + nodesText(s->nodes), s->nodes);
            statement(s->body[0]);
            close();
            return;
        }
        case StmtOp::If:
            open("if " + s->condition.text(), {});
            statement(s->body[0]);
            if (s->body.size() > 1) {
                --m_depth;
                line("} else {");
                ++m_depth;
                statement(s->body[1]);
            }
            close();
            return;
        case StmtOp::Store:
            line(fmt::format("{}[{}] = {}", s->buffer.text(), s->index.text(), s->value.text()));
            return;
        case StmtOp::Alloc:
            line(fmt::format("alloc {} {}: {}[{}]", scopeText(s->alloc.scope), s->alloc.name.text(),
                             dtypeText(s->alloc.dtype), s->alloc.size.text()));
            statement(s->body[0]);
            return;
        }
    }

private:
    // A buffer beside other statements gets braces of its own, since it would last to the end of
    // theirs.
    void parts(const Stmt& block) {
        for (const Stmt& part : block->body) {
            const bool braces = part.op() == StmtOp::Alloc && block->body.size() > 1;
            if (braces)
                open("block", {});
            statement(part);
            if (braces)
                close();
        }
    }

    static std::string nodesText(const std::vector<std::int64_t>& nodes) {
        std::string text;
        for (const std::int64_t node : nodes)
            text += fmt::format(" @{}", node);
        return text;
    }

    std::size_t m_depth = 0;
    std::vector<std::vector<std::int64_t>> m_nodes;
};

} // namespace

std::string_view loopKindText(LoopKind kind) {
    switch (kind) {
    case LoopKind::Serial:
        return "for";
    case LoopKind::Parallel:
        return "parallel";
    case LoopKind::Vector:
        return "vector";
    case LoopKind::Unroll:
        return "unroll";
    }
    return "";
}

std::string_view scopeText(BufferScope scope) {
    switch (scope) {
    case BufferScope::Parameter:
        return "parameter";
    case BufferScope::Register:
        return "register";
    case BufferScope::Stack:
        return "stack";
    }
    return "";
}

std::string_view accessText(BufferAccess access) {
    switch (access) {
    case BufferAccess::Read:
        return "read";
    case BufferAccess::Write:
        return "write";
    case BufferAccess::ReadWrite:
        return "readwrite";
    }
    return "";
}

LoopText printLoops(const LoopNest& nest) {
    Printer printer;
    std::string head = "kernel " + nest.name + "(";
    for (std::size_t i = 0; i < nest.parameters.size(); ++i) {
        const Buffer& buffer = nest.parameters[i];
        head += fmt::format("{}{}: {} {}[{}]", i > 0 ? ", " : "", buffer.name.text(),
                            accessText(buffer.access), dtypeText(buffer.dtype), buffer.size.text());
    }
    for (std::size_t i = 0; i < nest.symbols.size(); ++i)
        head += (i > 0 ? ", " : "; ") + nest.symbols[i].text();
    printer.open(head + ")", {});
    printer.statement(nest.body);
    printer.close();
    return std::move(printer.out);
}

std::string text(const LoopNest& nest) {
    return printLoops(nest).text;
}

std::string text(const Stmt& statement) {
    Printer printer;
    printer.statement(statement);
    return std::move(printer.out.text);
}

} // namespace fw
