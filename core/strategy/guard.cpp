#include "strategy/guard.h"

#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

Expr productOf(const Exprs& factors) {
    Expr out(1);
    for (const Expr& factor : factors)
        out = simplify(out * factor);
    return out;
}

std::optional<GuardValue> valueOf(const AttrValue& attr) {
    if (const auto* integer = std::get_if<std::int64_t>(&attr))
        return Expr(*integer);
    if (const auto* real = std::get_if<double>(&attr))
        return *real;
    if (const auto* text = std::get_if<std::string>(&attr))
        return *text;
    if (const auto* dtype = std::get_if<DType>(&attr))
        return std::string(dtypeText(*dtype));
    if (const auto* list = std::get_if<Integers>(&attr))
        return Exprs(list->begin(), list->end());
    if (const auto* shape = std::get_if<Exprs>(&attr))
        return *shape;
    return std::nullopt;
}

std::string textOf(const GuardValue& value) {
    if (const auto* expr = std::get_if<Expr>(&value))
        return expr->text();
    if (const auto* list = std::get_if<Exprs>(&value))
        return shapeText(*list);
    if (const auto* real = std::get_if<double>(&value))
        return fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    return std::get<Operand>(value).type.text();
}

// Gives the dims of one written type their names. False if a written number or a name that is bound
// already differs.
class DimBinding {
public:
    DimBinding(std::map<std::string, GuardValue>& names, const Attrs& attrs)
        : m_names(names), m_attrs(attrs) {}

    // Packs of an operand that is broadcast are left to the result, which has all axes.
    bool bind(const TypeTree& written, const TensorType& type, bool bcast, std::string& why) {
        const std::vector<DimTree>& dims = written.dims;
        const std::size_t packs = static_cast<std::size_t>(
            std::count_if(dims.begin(), dims.end(),
                          [](const DimTree& dim) { return dim.value.kind == TreeKind::Pack; }));
        const std::size_t single = dims.size() - packs;
        if (packs == 0 ? type.rank() != single : type.rank() < single) {
            why = fmt::format("it has {} axes", type.rank());
            return false;
        }
        // The first pack takes what the axes behind it leave, or what stands before D@axis.
        std::size_t at = 0;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const DimTree& dim = dims[i];
            if (dim.value.kind != TreeKind::Pack) {
                if (!bindOne(dim, type.shape.at(at++), why))
                    return false;
                continue;
            }
            std::size_t count = packLength(dims, i, type.rank(), at);
            if (at + count > type.rank())
                return true; // written for people: nothing more is bound
            Exprs taken(type.shape.begin() + static_cast<std::ptrdiff_t>(at),
                        type.shape.begin() + static_cast<std::ptrdiff_t>(at + count));
            at += count;
            if (dim.value.args[0].isName() && !bcast)
                m_names.emplace(dim.value.args[0].text, std::move(taken));
        }
        return true;
    }

private:
    std::size_t packLength(const std::vector<DimTree>& dims, std::size_t pack, std::size_t rank,
                           std::size_t at) const {
        if (pack + 1 < dims.size() && !dims[pack + 1].axis.empty()) {
            std::int64_t axis = m_attrs.integer(dims[pack + 1].axis, 0);
            if (const auto known = m_names.find(dims[pack + 1].axis); known != m_names.end())
                if (const auto* expr = std::get_if<Expr>(&known->second))
                    axis = expr->asInt().value_or(axis);
            if (axis < 0)
                axis += static_cast<std::int64_t>(rank);
            return axis < static_cast<std::int64_t>(at) ? rank
                                                        : static_cast<std::size_t>(axis) - at;
        }
        std::size_t behind = 0;
        for (std::size_t i = pack + 1; i < dims.size(); ++i)
            behind += dims[i].value.kind == TreeKind::Pack ? 0 : 1;
        return rank < at + behind ? rank : rank - at - behind;
    }

    bool bindOne(const DimTree& dim, const Expr& extent, std::string& why) {
        if (dim.value.kind == TreeKind::Int) {
            why = fmt::format("{} instead of {}", extent.text(), dim.value.integer);
            return proveEqual(extent, Expr(dim.value.integer));
        }
        if (!dim.value.isName())
            return true;
        const auto [place, isNew] = m_names.emplace(dim.value.text, extent);
        const auto* known = std::get_if<Expr>(&place->second);
        if (isNew || known == nullptr)
            return true;
        why = fmt::format("{} is {} and {}", dim.value.text, known->text(), extent.text());
        return !proveDifferent(*known, extent);
    }

    std::map<std::string, GuardValue>& m_names;
    const Attrs& m_attrs;
};

} // namespace

std::vector<std::string> targetKeys(const Target& target) {
    std::vector<std::string> out;
    for (int level = static_cast<int>(target.level); level >= 2; --level)
        out.push_back(fmt::format("x86-64-v{}", level));
    if (target.cpu != "native" && target.cpu != out.front())
        out.insert(out.begin(), target.cpu);
    out.insert(out.end(), {"x86-64", "cpu", "any"});
    return out;
}

// Evaluates one guard and notes what the names in it stand for.
class GuardEvaluation {
public:
    GuardEvaluation(const GuardScope& scope, const GuardTarget& target)
        : m_scope(scope), m_target(target) {}

    Truth truth(const Tree& tree) {
        if (tree.kind == TreeKind::Unary && tree.text == "!") {
            const Truth inner = truth(tree.args[0]);
            return inner == Truth::Unknown ? inner : inner == Truth::Yes ? Truth::No : Truth::Yes;
        }
        if (tree.kind == TreeKind::Binary && (tree.text == "&&" || tree.text == "||")) {
            const Truth decisive = tree.text == "&&" ? Truth::No : Truth::Yes;
            const Truth a = truth(tree.args[0]), b = truth(tree.args[1]);
            if (a == decisive || b == decisive)
                return decisive;
            return a == Truth::Unknown || b == Truth::Unknown ? Truth::Unknown : a;
        }
        if (tree.kind == TreeKind::Binary)
            return comparison(tree);
        if (tree.isCall("has") && tree.args.size() == 2)
            return has(tree.args[0].text, tree.args[1].text);
        if (tree.isCall("const") && tree.args.size() == 1)
            if (const auto operand = value(tree.args[0]))
                if (const auto* given = std::get_if<Operand>(&*operand)) {
                    note(fmt::format("{} is {}constant", tree.args[0].text,
                                     given->constant ? "" : "not "));
                    return given->constant ? Truth::Yes : Truth::No;
                }
        return Truth::Unknown;
    }

    std::optional<GuardValue> value(const Tree& tree) {
        switch (tree.kind) {
        case TreeKind::Int:
            return Expr(tree.integer);
        case TreeKind::Float:
            return tree.real;
        case TreeKind::Text:
            return tree.text;
        case TreeKind::Name:
            return named(tree.text);
        case TreeKind::Unary:
            return negated(tree);
        case TreeKind::Binary:
            return infix(tree);
        case TreeKind::Index: {
            const auto list = named(tree.text);
            const auto at = tree.args.size() == 1 ? value(tree.args[0]) : std::nullopt;
            if (!list || !at || !std::holds_alternative<Exprs>(*list) ||
                !std::holds_alternative<Expr>(*at))
                return std::nullopt;
            const auto& items = std::get<Exprs>(*list);
            const auto index = std::get<Expr>(*at).asInt();
            if (!index || *index < 0 || static_cast<std::size_t>(*index) >= items.size())
                return std::nullopt;
            return items[static_cast<std::size_t>(*index)];
        }
        case TreeKind::List: {
            Exprs out;
            for (const Tree& part : tree.args) {
                const auto item = value(part);
                if (!item || !std::holds_alternative<Expr>(*item))
                    return std::nullopt;
                out.push_back(std::get<Expr>(*item));
            }
            return out;
        }
        case TreeKind::Call:
            return call(tree);
        case TreeKind::Pack:
        case TreeKind::Reduce:
            return std::nullopt;
        }
        return std::nullopt;
    }

    const std::string& notes() const { return m_notes; }

private:
    void note(const std::string& what) {
        if (m_noted.insert(what).second)
            m_notes += (m_notes.empty() ? "" : ", ") + what;
    }

    std::optional<GuardValue> named(const std::string& name) {
        const auto found = m_scope.m_names.find(name);
        if (found == m_scope.m_names.end())
            return parseDtype(name) ? std::optional<GuardValue>(name) : std::nullopt;
        if (!std::holds_alternative<Operand>(found->second))
            note(name + " = " + textOf(found->second));
        return found->second;
    }

    std::optional<GuardValue> negated(const Tree& tree) {
        const auto inner = value(tree.args[0]);
        if (!inner || tree.text != "-")
            return std::nullopt;
        if (const auto* expr = std::get_if<Expr>(&*inner))
            return simplify(Expr(0) - *expr);
        if (const auto* real = std::get_if<double>(&*inner))
            return -*real;
        return std::nullopt;
    }

    std::optional<GuardValue> infix(const Tree& tree) {
        const auto a = value(tree.args[0]), b = value(tree.args[1]);
        if (!a || !b || !std::holds_alternative<Expr>(*a) || !std::holds_alternative<Expr>(*b))
            return std::nullopt;
        const Expr &x = std::get<Expr>(*a), &y = std::get<Expr>(*b);
        if (tree.text == "+")
            return simplify(x + y);
        if (tree.text == "-")
            return simplify(x - y);
        if (tree.text == "*")
            return simplify(x * y);
        if (y.isInt(0))
            return std::nullopt;
        if (tree.text == "/")
            return simplify(floorDivExpr(x, y));
        if (tree.text == "%")
            return simplify(modExpr(x, y));
        return std::nullopt;
    }

    std::optional<GuardValue> call(const Tree& tree) {
        std::vector<GuardValue> args;
        for (const Tree& part : tree.args) {
            auto arg = value(part);
            if (!arg)
                return std::nullopt;
            args.push_back(std::move(*arg));
        }
        if (args.empty())
            return std::nullopt;
        const auto* operand = std::get_if<Operand>(&args[0]);
        if (tree.text == "size") {
            const auto* list = std::get_if<Exprs>(&args[0]);
            if (operand == nullptr && list == nullptr)
                return std::nullopt;
            return productOf(operand ? operand->type.shape : *list);
        }
        if (tree.text == "rank" && operand)
            return noted(tree.args[0], "rank",
                         Expr(static_cast<std::int64_t>(operand->type.rank())));
        if (tree.text == "dtype" && operand) {
            const std::string dtype(dtypeText(operand->type.dtype));
            note(fmt::format("{} is {}", tree.args[0].text, dtype));
            return dtype;
        }
        if (tree.text == "dim" && operand && args.size() == 2)
            if (const auto* index = std::get_if<Expr>(&args[1])) {
                const auto at = index->asInt();
                if (at && *at >= 0 && static_cast<std::size_t>(*at) < operand->type.rank())
                    return noted(tree.args[0], "dim",
                                 operand->type.shape[static_cast<std::size_t>(*at)]);
            }
        if ((tree.text == "min" || tree.text == "max") && args.size() == 2)
            if (const auto* a = std::get_if<Expr>(&args[0]), *b = std::get_if<Expr>(&args[1]);
                a && b)
                return simplify(tree.text == "min" ? minExpr(*a, *b) : maxExpr(*a, *b));
        return std::nullopt;
    }

    std::optional<GuardValue> noted(const Tree& of, const std::string& what, Expr value) {
        note(fmt::format("{} of {} = {}", what, of.text, value.text()));
        return value;
    }

    Truth has(const std::string& set, const std::string& member) {
        const auto& list = set == "libs" ? m_target.libraries : m_target.keys;
        const bool there = std::find(list.begin(), list.end(), member) != list.end();
        note(fmt::format("{} is {}{}", member, there ? "" : "not ",
                         set == "libs" ? "in the target's libraries" : "a key of the target"));
        return there ? Truth::Yes : Truth::No;
    }

    static Truth known(bool truth) { return truth ? Truth::Yes : Truth::No; }

    static Truth compare(const std::string& sign, const Expr& a, const Expr& b) {
        const Expr condition = sign == "=="   ? eqExpr(a, b)
                               : sign == "!=" ? neExpr(a, b)
                               : sign == "<"  ? ltExpr(a, b)
                               : sign == "<=" ? leExpr(a, b)
                               : sign == ">"  ? ltExpr(b, a)
                                              : leExpr(b, a);
        const std::optional<bool> decided = fw::decide(condition);
        return decided ? known(*decided) : Truth::Unknown;
    }

    static Truth compare(const std::string& sign, double a, double b) {
        return known(sign == "=="   ? a == b
                     : sign == "!=" ? a != b
                     : sign == "<"  ? a < b
                     : sign == "<=" ? a <= b
                     : sign == ">"  ? a > b
                                    : a >= b);
    }

    static Truth compareLists(const Exprs& a, const Exprs& b) {
        if (a.size() != b.size())
            return Truth::No;
        Truth out = Truth::Yes;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const Truth one = compare("==", a[i], b[i]);
            if (one == Truth::No)
                return one;
            if (one == Truth::Unknown)
                out = one;
        }
        return out;
    }

    static std::optional<double> number(const GuardValue& value) {
        if (const auto* real = std::get_if<double>(&value))
            return *real;
        if (const auto* expr = std::get_if<Expr>(&value))
            if (const auto integer = expr->asInt())
                return static_cast<double>(*integer);
        return std::nullopt;
    }

    Truth comparison(const Tree& tree) {
        const auto a = value(tree.args[0]), b = value(tree.args[1]);
        if (!a || !b)
            return Truth::Unknown;
        const bool equality = tree.text == "==" || tree.text == "!=";
        if (const auto* x = std::get_if<Expr>(&*a), *y = std::get_if<Expr>(&*b); x && y)
            return compare(tree.text, *x, *y);
        if (const auto* x = std::get_if<Exprs>(&*a), *y = std::get_if<Exprs>(&*b);
            x && y && equality) {
            const Truth same = compareLists(*x, *y);
            return same == Truth::Unknown || tree.text == "==" ? same
                   : same == Truth::Yes                        ? Truth::No
                                                               : Truth::Yes;
        }
        if (const auto* x = std::get_if<std::string>(&*a), *y = std::get_if<std::string>(&*b);
            x && y && equality)
            return known((*x == *y) == (tree.text == "=="));
        const auto x = number(*a), y = number(*b);
        return x && y ? compare(tree.text, *x, *y) : Truth::Unknown;
    }

    const GuardScope& m_scope;
    const GuardTarget& m_target;
    std::string m_notes;
    std::set<std::string> m_noted;
};

Result<GuardScope> GuardScope::bind(const ImplementationsTree& block, const Workload& workload) {
    GuardScope out;
    const Graph& graph = *workload.graph;
    const Node& node = *workload.node;
    const Operator* op = graph.operators().find(node.op);
    if (op != nullptr)
        for (const std::string& name : op->attrNames()) {
            const AttrValue* written = node.attrs.find(name);
            const std::optional<AttrValue> fallback =
                written ? std::nullopt : op->attrDefault(name);
            if (written || fallback)
                if (auto value = valueOf(written ? *written : *fallback))
                    out.m_names.emplace(name, std::move(*value));
        }
    out.m_names.emplace("result", Operand{node.outputs.at(0).type, false});
    std::optional<SignatureTree> signature;
    if (block.ownSignature)
        signature = SignatureTree{block.params, {}};
    else if (op != nullptr && block.subjectKind == SubjectKind::Operator)
        signature = parseSignature(op->signature());
    DimBinding dims(out.m_names, node.attrs);
    for (std::size_t i = 0; signature && i < signature->params.size(); ++i) {
        const ParamTree& param = signature->params[i];
        if (i >= node.inputs.size() || !node.inputs[i].valid()) {
            if (block.ownSignature)
                return makeDiag(DiagCode::RuleIllegal, param.name + " is not given");
            continue;
        }
        const TensorType& type = graph.type(node.inputs[i]);
        out.m_names.insert_or_assign(param.name,
                                     Operand{type, graph.constant(node.inputs[i]) != nullptr});
        if (param.variadic)
            continue;
        const auto dtype = parseDtype(param.type.dtype);
        if (block.ownSignature && dtype && *dtype != type.dtype)
            return makeDiag(DiagCode::RuleIllegal, fmt::format("{} is {}, not {}", param.name,
                                                               type.text(), dtypeText(*dtype)));
        std::string why;
        if (!dims.bind(param.type, type, param.bcast, why) && block.ownSignature)
            return makeDiag(DiagCode::RuleIllegal, fmt::format("{}: {}", param.name, why));
    }
    for (std::size_t i = 0; signature && i < signature->outs.size() && i < node.outputs.size();
         ++i) {
        std::string ignored;
        dims.bind(signature->outs[i].type, node.outputs[i].type, false, ignored);
        out.m_names.emplace(signature->outs[i].name, Operand{node.outputs[i].type, false});
    }
    const GuardTarget nothing;
    for (const NamedTree& let : block.let)
        if (auto value = GuardEvaluation(out, nothing).value(let.value))
            out.m_names.insert_or_assign(let.name, std::move(*value));
    return out;
}

Verdicts GuardScope::decide(const Tree& guard, const std::string& text,
                            const GuardTarget& target) const {
    GuardEvaluation evaluation(*this, target);
    Verdicts out;
    out.truth = evaluation.truth(guard);
    out.evidence =
        evaluation.notes().empty() ? text : fmt::format("{}: {}", text, evaluation.notes());
    return out;
}

} // namespace fw
