#include "tensor/op_check.h"

#include "tensor/binding.h"
#include "tensor/instantiate.h"
#include "tensor/op_def.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

namespace fw {

namespace {

constexpr int maxErrors = 16;  // of one operator
constexpr int maxTrials = 400; // of one choice of element types
constexpr DType triedTypes[] = {DType::F32, DType::I64, DType::Bool};

// One way to fill in what the signature leaves open.
struct Trial {
    std::map<std::string, DType> types;       // of type variables
    std::map<std::string, std::size_t> ranks; // of packs
    int extents = 0;                          // which row of extentOf
    int attributes = 0;                       // which row of attributeOf
    bool optional = true;                     // optional operands are there
};

constexpr int extentRows = 4, attributeRows = 4;

std::int64_t extentOf(int row, std::size_t dim) {
    switch (row) {
    case 0:
        return static_cast<std::int64_t>(dim % 5) + 2; // different ones
    case 1:
        return 4;
    case 2:
        return 1;
    default:
        return 0;
    }
}

// A value for an attribute that has no default.
AttrValue attributeOf(const AttrParamTree& attr, int row) {
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
    Operands(const OpTree& op, const std::string& file, const Trial& trial)
        : m_op(op), m_trial(trial), m_values(m_names, file) {}

    std::optional<OpCall> make() {
        OpCall out;
        for (const AttrParamTree& attr : m_op.attrs) {
            if (!attr.fallback)
                out.attrs.set(attr.name, attributeOf(attr, m_trial.attributes));
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
                m_names[tree.text] = next();
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
    const Trial& m_trial;
    Names m_names;
    TreeEvaluator m_values;
    std::size_t m_dims = 0;
};

// The node that an error points at.
Tree* findTree(Tree& tree, const Where& where, const std::function<bool(const Tree&)>& fits) {
    if (tree.span.line == where.line && tree.span.column == where.column && fits(tree))
        return &tree;
    for (Tree& part : tree.args)
        if (Tree* found = findTree(part, where, fits))
            return found;
    return nullptr;
}

Tree literal(const Span& span) {
    Tree out;
    out.span = span;
    return out;
}

// Replaces what an error points at by something that is right there. False if that is not known.
bool mend(OpTree& op, const Diag& diag) {
    const auto kindIs = [](TreeKind kind) {
        return [kind](const Tree& tree) { return tree.kind == kind; };
    };
    for (StmtTree& stmt : op.stmts) {
        if (diag.code == DiagCode::UnsafeAccess) {
            if (Tree* read = findTree(stmt.value, diag.where, kindIs(TreeKind::Index))) {
                Tree pad;
                pad.kind = TreeKind::Call;
                pad.text = "pad";
                pad.span = read->span;
                pad.args = {*read, literal(read->span)};
                *read = std::move(pad);
                return true;
            }
            continue;
        }
        if (diag.code != DiagCode::TextName)
            continue;
        if (Tree* call = findTree(stmt.value, diag.where, kindIs(TreeKind::Call))) {
            Tree operand = call->args.empty() ? literal(call->span) : call->args[0];
            *call = std::move(operand);
            return true;
        }
        if (Tree* reduction = findTree(stmt.value, diag.where, kindIs(TreeKind::Reduce));
            reduction != nullptr && reduction->text != "max") {
            reduction->text = "max"; // which takes every type
            return true;
        }
        if (Tree* name = findTree(stmt.value, diag.where, kindIs(TreeKind::Name))) {
            *name = literal(name->span);
            return true;
        }
    }
    return false;
}

bool textIsToBlame(const Diag& diag) {
    return diag.code == DiagCode::TextName || diag.code == DiagCode::TextType ||
           diag.code == DiagCode::UnsafeAccess;
}

class Check {
public:
    Check(const OpTree& op, const std::string& file) : m_op(op), m_file(file) {
        for (const ParamTree& param : op.params) {
            if (!parseDtype(param.type.dtype))
                m_types.insert(param.type.dtype);
            for (const DimTree& dim : param.type.dims)
                if (dim.value.kind == TreeKind::Pack && inner(dim).isName())
                    m_packs.insert(inner(dim).text);
            m_optional = m_optional || param.optional;
        }
        m_openAttributes =
            std::any_of(op.attrs.begin(), op.attrs.end(),
                        [](const AttrParamTree& attr) { return !attr.fallback.has_value(); });
    }

    Diags run() {
        std::optional<Diags> best; // of the element types that fit best
        std::size_t choices = 1;
        for (std::size_t i = 0; i < std::min<std::size_t>(m_types.size(), 2); ++i)
            choices *= std::size(triedTypes);
        for (std::size_t choice = 0; choice < choices; ++choice) {
            Trial trial;
            std::size_t rest = choice;
            for (const std::string& type : m_types) {
                trial.types[type] = triedTypes[rest % std::size(triedTypes)];
                rest /= std::size(triedTypes);
            }
            m_errors.clear();
            m_bound = false;
            m_trials = 0;
            everyRank(trial);
            if (!m_bound)
                continue;
            if (m_errors.empty())
                return {};
            if (!best || weight(m_errors) < weight(*best))
                best = m_errors;
        }
        return best.value_or(Diags());
    }

    int fitting() const { return m_fitting; }

private:
    // Errors of type come from element types that the operator is not for.
    static std::pair<std::size_t, std::size_t> weight(const Diags& errors) {
        const auto types = std::count_if(errors.begin(), errors.end(), [](const Diag& diag) {
            return diag.code == DiagCode::TextType;
        });
        return {static_cast<std::size_t>(types), errors.size()};
    }

    void everyRank(Trial& trial) {
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

    void everyExtent(Trial& trial) {
        for (trial.extents = 0; trial.extents < extentRows; ++trial.extents)
            for (trial.attributes = 0; trial.attributes < (m_openAttributes ? attributeRows : 1);
                 ++trial.attributes)
                for (const bool optional : {true, false}) {
                    trial.optional = optional;
                    if ((optional || m_optional) && m_trials < maxTrials)
                        attempt(trial);
                }
    }

    void attempt(const Trial& trial) {
        const std::optional<OpCall> call = Operands(m_op, m_file, trial).make();
        if (!call)
            return;
        ++m_trials;
        OpTree tree = m_op;
        bool counted = false;
        while (m_errors.size() < maxErrors) {
            const Result<Binding> binding = bindCall(tree, m_file, *call);
            if (!binding.ok() && !(textIsToBlame(binding.diag()) && binding.diag().where.line > 0))
                return; // these operands do not fit
            m_bound = true;
            m_fitting += !std::exchange(counted, true);
            if (!binding.ok())
                return add(binding.diag());
            // Where nothing is computed nothing can be wrong.
            if (std::all_of(
                    binding->outputs.begin(), binding->outputs.end(),
                    [](const BoundOutput& out) { return elementCount(out.type.shape).isInt(0); }))
                return;
            const Result<OpInst> inst = instantiateOp(tree, m_file, *binding);
            if (inst.ok() || !textIsToBlame(inst.diag()))
                return;
            add(inst.diag());
            if (!mend(tree, inst.diag()))
                return;
        }
    }

    void add(Diag diag) {
        if (diag.where.line == 0)
            diag.where = {m_file, {}, m_op.span.line, m_op.span.column};
        for (const Diag& known : m_errors)
            if (known.code == diag.code && known.where.line == diag.where.line &&
                known.where.column == diag.where.column)
                return;
        diag.message = m_op.name + ": " + diag.message;
        m_errors.push_back(std::move(diag));
    }

    const OpTree& m_op;
    const std::string& m_file;
    std::set<std::string> m_types, m_packs;
    bool m_optional = false, m_openAttributes = false;
    Diags m_errors;
    bool m_bound = false; // some operands fitted
    int m_trials = 0;
    int m_fitting = 0;
};

} // namespace

namespace {

// Texts of operators that were tried and found sound. What a trial finds depends on the text alone,
// and while a book is typed its other operators stay as they are.
class SoundTexts {
public:
    // On how many operands it was tried; nothing if it was not, or is not sound.
    std::optional<int> find(const std::string& text) {
        std::lock_guard lock(m_mutex);
        const auto found = m_texts.find(text);
        return found == m_texts.end() ? std::nullopt : std::optional(found->second);
    }
    void add(const std::string& text, int fitting) {
        std::lock_guard lock(m_mutex);
        if (m_texts.size() >= most)
            m_texts.clear();
        m_texts[text] = fitting;
    }

private:
    static constexpr std::size_t most = 4096;
    std::mutex m_mutex;
    std::map<std::string, int> m_texts;
};

SoundTexts& soundTexts() {
    static SoundTexts texts;
    return texts;
}

} // namespace

Diags checkOperator(const OpTree& op, const std::string& file, int* fitting) {
    Diags errors = checkDefinition(op, file);
    if (!errors.empty())
        return errors;
    const bool parsed = !op.source.empty();
    if (const auto known = parsed ? soundTexts().find(op.source) : std::nullopt) {
        if (fitting != nullptr)
            *fitting = *known;
        return {};
    }
    Check check(op, file);
    errors = check.run();
    if (fitting != nullptr)
        *fitting = check.fitting();
    std::stable_sort(errors.begin(), errors.end(), [](const Diag& a, const Diag& b) {
        return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
    if (parsed && errors.empty())
        soundTexts().add(op.source, check.fitting());
    return errors;
}

} // namespace fw
