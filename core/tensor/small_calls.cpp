#include "tensor/small_calls.h"

#include "tensor/tree_evaluator.h"

#include <algorithm>

namespace fw {

namespace {

constexpr int maxCalls = 400; // of one choice of element types

// One way to fill in what the signature leaves open.
struct SmallCall {
    std::map<std::string, DType> types;       // of type variables
    std::map<std::string, std::size_t> ranks; // of packs
    int extents = 0;                          // which row of extentOf
    int attributes = 0;                       // which row of anyAttribute
    bool optional = true;                     // optional operands are there
    bool asked = false;                       // names have values that the operator asks for
};

constexpr int extentRows = 6, attributeRows = 4;

std::int64_t extentOf(int row, std::size_t dim) {
    switch (row) {
    case 0:
        return static_cast<std::int64_t>(dim % 5) + 2; // different ones
    case 1:
        return 4;
    case 2:
        return 1;
    case 3:
        return 0;
    default: // some of them
        return dim % 2 == static_cast<std::size_t>(row % 2) ? 0 : 3;
    }
}

// A value for an attribute that has no default.
AttrValue anyAttribute(const AttrParamTree& attr, int row) {
    if (!attr.list)
        switch (attr.kind) {
        case AttrKind::Int:
        case AttrKind::Bool:
            return std::int64_t(row % 2 == 0);
        case AttrKind::Float:
            return 0.5;
        case AttrKind::Text:
            return std::string();
        case AttrKind::DType:
            return DType::F32;
        }
    const auto count = static_cast<std::size_t>(attr.count.value_or(row));
    if (attr.kind == AttrKind::Float)
        return Reals(count, 0.5);
    if (attr.kind == AttrKind::Text)
        return Texts(count);
    Integers out(count, row % 2 == 0 ? 1 : 2);
    if (!attr.count)
        for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<std::int64_t>(i); // axes, an order
    return out;
}

const Tree& inner(const DimTree& dim) {
    return dim.value.kind == TreeKind::Pack ? dim.value.args[0] : dim.value;
}

// Operands and attributes for a trial; nullopt where an expression among the dims has no value.
class Operands {
public:
    Operands(const OpTree& op, const std::string& file, const AskedValues& asked,
             const SmallCall& trial)
        : m_op(op), m_asked(asked), m_trial(trial), m_values(m_names, file) {}

    std::optional<OpCall> make() {
        OpCall out;
        for (const AttrParamTree& attr : m_op.attrs) {
            const TermValue* asked = askedFor(attr.name);
            const auto wanted = asked != nullptr ? attributeOf(*asked) : std::nullopt;
            if (wanted)
                out.attrs.set(attr.name, *wanted);
            else if (!attr.fallback)
                out.attrs.set(attr.name, anyAttribute(attr, m_trial.attributes));
            bindAttribute(attr, out);
        }
        for (const ParamTree& param : m_op.params) {
            if (param.optional && !m_trial.optional) {
                out.inputs.emplace_back();
                continue;
            }
            TensorType type;
            const auto variable = m_trial.types.find(param.type.dtype);
            if (const auto known = parseDtype(param.type.dtype))
                type.dtype = *known;
            else if (variable != m_trial.types.end())
                type.dtype = variable->second;
            for (const DimTree& dim : param.type.dims)
                if (!append(dim, type.shape))
                    return std::nullopt;
            for (int element = 0; element < (param.variadic ? 2 : 1); ++element)
                out.inputs.emplace_back(type);
        }
        return out;
    }

private:
    const TermValue* askedFor(const std::string& name) const {
        const auto found = m_trial.asked ? m_asked.find(name) : m_asked.end();
        return found == m_asked.end() ? nullptr
                                      : &found->second[static_cast<std::size_t>(m_trial.extents) %
                                                       found->second.size()];
    }

    void bindAttribute(const AttrParamTree& attr, const OpCall& call) {
        const AttrValue* given = call.attrs.find(attr.name);
        if (given == nullptr && attr.list) {
            if (auto list = m_values.list(*attr.fallback))
                m_names[attr.name] = list.take();
        } else if (given == nullptr) {
            if (auto value = m_values.scalar(*attr.fallback))
                m_names[attr.name] = value.take();
        } else if (const auto* integer = std::get_if<std::int64_t>(given)) {
            m_names[attr.name] = Expr(*integer);
        } else if (const auto* integers = std::get_if<Integers>(given)) {
            m_names[attr.name] = Exprs(integers->begin(), integers->end());
        }
    }

    bool append(const DimTree& dim, Shape& shape) {
        const bool pack = dim.value.kind == TreeKind::Pack;
        const Tree& tree = inner(dim);
        if (tree.isName() && !m_names.contains(tree.text)) {
            const auto next = [&] { return Expr(extentOf(m_trial.extents, m_dims++)); };
            if (!pack) {
                const TermValue* asked = askedFor(tree.text);
                const Expr* extent = asked == nullptr ? nullptr : std::get_if<Expr>(asked);
                m_names[tree.text] = extent != nullptr ? *extent : next();
            } else {
                Exprs extents;
                for (std::size_t i = 0; i < m_trial.ranks.at(tree.text); ++i)
                    extents.push_back(next());
                m_names[tree.text] = std::move(extents);
            }
        }
        const Result<Exprs> extents = m_values.expanded({dim.value});
        if (!extents.ok())
            return false;
        for (const Expr& extent : *extents) {
            if (!extent.isInt() || extent->integer < 0)
                return false;
            shape.push_back(extent);
        }
        return true;
    }

    const OpTree& m_op;
    const AskedValues& m_asked;
    const SmallCall& m_trial;
    Names m_names;
    TreeEvaluator m_values;
    std::size_t m_dims = 0;
};

// Those that a body of calls decides by.
void addConditions(const Tree& tree, std::vector<const Tree*>& conditions) {
    if (tree.isCall("select") && !tree.args.empty())
        conditions.push_back(&tree.args[0]);
    for (const Tree& arg : tree.args)
        addConditions(arg, conditions);
}

// Every way to fill it in.
class Enumeration {
public:
    Enumeration(const std::set<std::string>& packs, bool optional, bool openAttributes,
                const std::function<void(const SmallCall&)>& visit)
        : m_packs(packs), m_optional(optional), m_openAttributes(openAttributes), m_visit(visit) {}

    void everyRank(SmallCall& trial) {
        constexpr std::size_t small = 3;
        std::size_t count = 1;
        for (std::size_t i = 0; i < std::min<std::size_t>(m_packs.size(), 3); ++i)
            count *= small;
        for (std::size_t at = 0; at < count; ++at) {
            std::size_t rest = at;
            for (const std::string& pack : m_packs) {
                trial.ranks[pack] = rest % small;
                rest /= small;
            }
            everyExtent(trial);
        }
        for (const std::size_t rank : {3, 4}) {
            for (const std::string& pack : m_packs)
                trial.ranks[pack] = rank;
            if (!m_packs.empty())
                everyExtent(trial);
        }
    }

private:
    void everyExtent(SmallCall& trial) {
        for (trial.extents = 0; trial.extents < extentRows; ++trial.extents)
            for (trial.attributes = 0; trial.attributes < (m_openAttributes ? attributeRows : 1);
                 ++trial.attributes)
                for (const bool optional : {true, false}) {
                    trial.optional = optional;
                    if (optional || m_optional)
                        m_visit(trial);
                }
    }

    const std::set<std::string>& m_packs;
    bool m_optional, m_openAttributes;
    const std::function<void(const SmallCall&)>& m_visit;
};

} // namespace

SmallCalls::SmallCalls(const OpTree& op, const std::string& file) : m_op(op), m_file(file) {
    for (const ParamTree& param : op.params) {
        if (!parseDtype(param.type.dtype))
            m_types.insert(param.type.dtype);
        for (const DimTree& dim : param.type.dims)
            if (dim.value.kind == TreeKind::Pack && inner(dim).isName())
                m_packs.insert(inner(dim).text);
        m_optional = m_optional || param.optional;
    }
    m_openAttributes = std::any_of(op.attrs.begin(), op.attrs.end(), [](const AttrParamTree& attr) {
        return !attr.fallback.has_value();
    });
    std::vector<const Tree*> conditions;
    for (const ConditionTree& requirement : op.requirements)
        conditions.push_back(&requirement.tree);
    for (const CallStmtTree& statement : op.calls)
        addConditions(statement.value, conditions);
    m_asked = askedValues(conditions);
}

void SmallCalls::each(const std::map<std::string, DType>& types,
                      const std::function<void(const OpCall&)>& attempt) const {
    for (const bool asked : {false, true}) {
        if (asked && m_asked.empty())
            return;
        int calls = 0;
        SmallCall trial;
        trial.types = types;
        trial.asked = asked;
        const std::function<void(const SmallCall&)> visit = [&](const SmallCall& one) {
            if (calls == maxCalls)
                return;
            if (const auto call = Operands(m_op, m_file, m_asked, one).make()) {
                ++calls;
                attempt(*call);
            }
        };
        Enumeration(m_packs, m_optional, m_openAttributes, visit).everyRank(trial);
    }
}

} // namespace fw
