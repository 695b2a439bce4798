#include "tensor/contradiction.h"

#include "condition/condition.h"
#include "expr/simplify.h"
#include "tensor/attribute_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr DType allTypes[] = {DType::Bool, DType::I8,  DType::U8,  DType::I16, DType::U16,
                              DType::I32,  DType::U32, DType::I64, DType::U64, DType::F16,
                              DType::BF16, DType::F32, DType::F64};
constexpr std::size_t mostTypeVariables = 2;

// A part of a requirement: all of them are joined by &&.
struct Conjunct {
    ConditionTree condition;
    const ConditionTree* whole = nullptr;
};

void addParts(const Tree& tree, const ConditionTree& whole, std::vector<Conjunct>& out) {
    if (tree.kind == TreeKind::Binary && tree.text == "&&")
        for (const Tree& part : tree.args)
            addParts(part, whole, out);
    else
        out.push_back({{tree, whole.text}, &whole});
}

bool mentions(const Tree& tree, const std::string& name) {
    return tree.isName(name) || (tree.kind == TreeKind::Index && tree.text == name) ||
           std::any_of(tree.args.begin(), tree.args.end(),
                       [&](const Tree& part) { return mentions(part, name); });
}

// Any integer is the difference of two that are not negative, which is what names of dimensions
// stand for.
Expr anyInteger(const std::string& name) {
    return varExpr(Symbol(name + "+")) - varExpr(Symbol(name + "-"));
}

class Contradictions {
public:
    Contradictions(const OpTree& op, const std::string& file) : m_op(op), m_file(file) {
        for (const ConditionTree& requirement : op.requirements)
            addParts(requirement.tree, requirement, m_parts);
        Vocabulary dims;
        for (const ParamTree& param : op.params) {
            if (param.optional || param.variadic) // may be absent, or stands for several
                continue;
            addDims(param.type, dims);
            if (!parseDtype(param.type.dtype) && isAsked(param.type.dtype))
                m_types.insert(param.type.dtype);
        }
        for (const auto& [name, kind] : dims.names)
            if (kind == TermKind::Integer)
                m_anything.names.emplace(name, varExpr(Symbol(name)));
        for (const AttrParamTree& attr : op.attrs)
            if (attr.kind == AttrKind::Int && !attr.list)
                m_anything.names.insert_or_assign(attr.name, anyInteger(attr.name));
    }

    Diags run() const {
        Diags out;
        if (const Conjunct* never = excluded(m_anything)) {
            add(out, never->whole->tree.span,
                fmt::format("no call meets requires {}", texts(never->whole->text)),
                "an extent is never below 0; leave out what the others exclude");
            return out;
        }
        for (const AttrParamTree& attr : m_op.attrs) {
            if (!attr.fallback || !isAsked(attr.name))
                continue;
            const auto value = defaultOf(attr);
            const auto term = value ? valueOf(*value) : std::nullopt;
            if (!term)
                continue;
            Scope scope = m_anything;
            scope.names.insert_or_assign(attr.name, *term);
            if (const Conjunct* never = excluded(scope))
                add(out, attr.span,
                    fmt::format("the default of {} does not meet requires {}", attr.name,
                                never->whole->text),
                    "a call that leaves it out is always refused: another default, or none");
        }
        return out;
    }

private:
    bool isAsked(const std::string& name) const {
        return std::any_of(m_parts.begin(), m_parts.end(), [&](const Conjunct& part) {
            return mentions(part.condition.tree, name);
        });
    }

    // The requirement at which it shows is said first.
    std::string texts(const std::string& first) const {
        std::string out = first;
        for (const ConditionTree& other : m_op.requirements)
            if (other.text != first)
                out += ", " + other.text;
        return out;
    }

    // A part that does not hold beside the others, of every choice of element types the same or
    // another; nullptr if that is not proved.
    const Conjunct* excluded(Scope scope) const {
        const std::vector<std::string> variables(m_types.begin(), m_types.end());
        if (variables.size() > mostTypeVariables)
            return excludedOfTypes(scope);
        std::size_t choices = 1;
        for (std::size_t i = 0; i < variables.size(); ++i)
            choices *= std::size(allTypes);
        const Conjunct* out = nullptr;
        for (std::size_t choice = 0; choice < choices; ++choice) {
            std::size_t rest = choice;
            for (const std::string& variable : variables) {
                scope.names.insert_or_assign(variable, allTypes[rest % std::size(allTypes)]);
                rest /= std::size(allTypes);
            }
            const Conjunct* here = excludedOfTypes(scope);
            if (here == nullptr)
                return nullptr;
            out = here;
        }
        return out;
    }

    const Conjunct* excludedOfTypes(const Scope& scope) const {
        std::vector<std::pair<const Conjunct*, Expr>> open;
        for (const Conjunct& part : m_parts) {
            const ConditionResult found = decide(part.condition, scope);
            if (found.truth == Truth::No)
                return &part;
            if (found.truth == Truth::Unknown && found.open)
                open.emplace_back(&part, *found.open);
        }
        for (std::size_t i = open.size(); i-- > 0;) {
            Ranges others;
            for (const auto& [part, condition] : open)
                for (const Symbol name : freeVars(condition))
                    others.assume(leExpr(Expr(0), varExpr(name)));
            for (std::size_t k = 0; k < open.size(); ++k)
                if (k != i)
                    others.assume(open[k].second);
            if (decide(simplify(open[i].second, others), others) == std::optional(false))
                return open[i].first;
        }
        return nullptr;
    }

    void add(Diags& out, const Span& span, std::string message, std::string hint) const {
        out.push_back(makeDiag(DiagCode::RuleIllegal, m_op.name + ": " + std::move(message),
                               {m_file, {}, span.line, span.column}, std::move(hint)));
    }

    const OpTree& m_op;
    const std::string& m_file;
    std::vector<Conjunct> m_parts;
    std::set<std::string> m_types;
    Scope m_anything;
};

} // namespace

Diags checkContradictions(const OpTree& op, const std::string& file) {
    return op.requirements.empty() ? Diags() : Contradictions(op, file).run();
}

} // namespace fw
