// Static checks of guards: everything that can be known without a call.
#include "strategy/guard.h"

#include <set>

namespace fw {

namespace {

const std::set<std::string, std::less<>> functions = {"size", "rank", "dtype", "const",
                                                      "dim",  "min",  "max",   "has"};

class GuardCheck {
public:
    GuardCheck(const ImplementationsTree& block, const Operator* op, const std::string& file)
        : m_file(file) {
        m_names.insert("result");
        if (op != nullptr)
            for (const std::string& name : op->attrNames())
                m_names.insert(name);
        std::optional<SignatureTree> signature;
        if (block.ownSignature)
            signature = SignatureTree{block.params, {}};
        else if (op != nullptr)
            signature = parseSignature(op->signature());
        if (signature) {
            for (const ParamTree& param : signature->params)
                add(param.name, param.type);
            for (const OutTree& out : signature->outs)
                add(out.name, out.type);
        } else if (op != nullptr) {
            for (const std::string& name : op->inputNames())
                m_names.insert(name);
        }
    }

    void let(const NamedTree& named) {
        tree(named.value);
        m_names.insert(named.name);
    }

    void tree(const Tree& tree) {
        if (tree.isCall("has"))
            return;
        if (tree.isName() || tree.kind == TreeKind::Index) {
            if (!m_names.contains(tree.text) && !parseDtype(tree.text))
                refuse(DiagCode::TextName,
                       tree.text + " is no dim, attribute or operand of the signature", tree.span,
                       "names: " + known());
        } else if (tree.kind == TreeKind::Call) {
            if (!functions.contains(tree.text))
                refuse(DiagCode::TextName, "there is no function " + tree.text + " in guards",
                       tree.span, "size, rank, dtype, const, dim, min, max, libs has, target has");
        } else if (tree.kind == TreeKind::Reduce || tree.kind == TreeKind::Pack) {
            refuse(DiagCode::RuleIllegal, "this cannot stand in a guard", tree.span);
        }
        for (const Tree& part : tree.args)
            this->tree(part);
    }

    void condition(const Tree& tree) {
        if (tree.kind == TreeKind::Unary && tree.text == "!")
            return condition(tree.args[0]);
        if (tree.kind == TreeKind::Binary && (tree.text == "&&" || tree.text == "||")) {
            condition(tree.args[0]);
            return condition(tree.args[1]);
        }
        static const std::set<std::string> signs = {"==", "!=", "<", "<=", ">", ">="};
        const bool compares = tree.kind == TreeKind::Binary && signs.contains(tree.text);
        if (!compares && !tree.isCall("has") && !tree.isCall("const"))
            refuse(DiagCode::RuleIllegal,
                   "a guard is made of comparisons, libs has, target has "
                   "and const(x), joined by && and ||",
                   tree.span);
        this->tree(tree);
    }

    Diags take() { return std::move(m_out); }

private:
    void add(const std::string& name, const TypeTree& type) {
        m_names.insert(name);
        for (const DimTree& dim : type.dims)
            addDim(dim.value);
    }
    void addDim(const Tree& tree) {
        if (tree.isName())
            m_names.insert(tree.text);
        for (const Tree& part : tree.args)
            addDim(part);
    }
    std::string known() const {
        std::string out;
        for (const std::string& name : m_names)
            out += (out.empty() ? "" : ", ") + name;
        return out;
    }
    void refuse(DiagCode code, std::string message, const Span& span, std::string hint = {}) {
        m_out.push_back(makeDiag(code, std::move(message), {m_file, {}, span.line, span.column},
                                 std::move(hint)));
    }

    const std::string& m_file;
    std::set<std::string> m_names;
    Diags m_out;
};

} // namespace

Diags checkGuards(const ImplementationsTree& block, const Operator* op, const std::string& file) {
    GuardCheck check(block, op, file);
    for (const NamedTree& named : block.let)
        check.let(named);
    for (const EntryTree& entry : block.entries)
        if (entry.guard)
            check.condition(*entry.guard);
    return check.take();
}

} // namespace fw
