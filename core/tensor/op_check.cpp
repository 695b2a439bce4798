#include "tensor/op_check.h"

#include "tensor/binding.h"
#include "tensor/falsify.h"
#include "tensor/instantiate.h"
#include "tensor/op_def.h"
#include "tensor/small_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

namespace fw {

namespace {

constexpr int maxErrors = 16;     // of one operator
constexpr int mostFactTrials = 6; // of one operator
constexpr double mostPoints = 40000;
constexpr DType triedTypes[] = {DType::F32, DType::I64, DType::Bool, DType::U8};

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

// Reads of operands around a place are safe, whatever their indices are: what stands there is not
// what is meant.
bool guardReads(Tree& tree, const Where& where, const OpTree& op) {
    bool inside = tree.span.line == where.line && tree.span.column == where.column;
    for (Tree& part : tree.args)
        inside = guardReads(part, where, op) || inside;
    const bool operand =
        std::any_of(op.params.begin(), op.params.end(),
                    [&](const ParamTree& param) { return param.name == tree.text; });
    const bool starts = tree.span.line == where.line && tree.span.column == where.column;
    if (inside && !starts && operand && tree.kind == TreeKind::Index) {
        Tree pad;
        pad.kind = TreeKind::Call;
        pad.text = "pad";
        pad.span = tree.span;
        pad.args = {tree, literal(tree.span)};
        tree = std::move(pad);
    } else if (tree.kind == TreeKind::Call && tree.text == "pad" && !tree.args.empty() &&
               tree.args[0].kind == TreeKind::Call && tree.args[0].text == "pad") {
        const Tree guarded = tree.args[0]; // was guarded as it stood
        tree.args[0] = guarded.args[0];
    }
    return inside;
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
            Where place = diag.where;
            place.line = operand.span.line;
            place.column = operand.span.column;
            *call = std::move(operand);
            guardReads(stmt.value, place, op);
            return true;
        }
        if (Tree* reduction = findTree(stmt.value, diag.where, kindIs(TreeKind::Reduce));
            reduction != nullptr && reduction->text != "max") {
            reduction->text = "max"; // which takes every type
            return true;
        }
        if (Tree* name = findTree(stmt.value, diag.where, kindIs(TreeKind::Name))) {
            *name = literal(name->span);
            guardReads(stmt.value, diag.where, op);
            return true;
        }
    }
    return false;
}

bool textIsToBlame(const Diag& diag) {
    return diag.code == DiagCode::TextName || diag.code == DiagCode::TextType ||
           diag.code == DiagCode::UnsafeAccess ||
           diag.code == DiagCode::LimitReached; // of small sizes, too
}

double pointsOf(const OpInst& inst) {
    double out = 0;
    for (const Stage& stage : inst.stages) {
        double points = 1;
        for (const auto* axes : {&stage.space, &stage.reduce})
            for (const Axis& axis : *axes)
                points *= static_cast<double>(axis.extent.asInt().value_or(0));
        out += points;
    }
    return out;
}

class Check {
public:
    Check(const OpTree& op, const std::string& file)
        : m_op(op), m_file(file), m_calls(op, file),
          m_defined(operatorOf(std::shared_ptr<const OpTree>(std::shared_ptr<void>(), &op), file)) {
    }

    Diags run() {
        const std::set<std::string>& variables = m_calls.typeVariables();
        std::optional<Diags> best; // of the element types that fit best
        std::size_t choices = 1;
        for (std::size_t i = 0; i < std::min<std::size_t>(variables.size(), 2); ++i)
            choices *= std::size(triedTypes);
        for (std::size_t choice = 0; choice < choices; ++choice) {
            std::map<std::string, DType> types;
            std::size_t rest = choice;
            for (const std::string& type : variables) {
                types[type] = triedTypes[rest % std::size(triedTypes)];
                rest /= std::size(triedTypes);
            }
            m_errors.clear();
            m_bound = false;
            m_calls.each(types, [&](const OpCall& call) { attempt(call); });
            if (m_wrongFacts)
                return {*m_wrongFacts};
            if (!m_bound)
                continue; // of no such types, or refused for its defaults
            if (m_errors.empty() && (m_worked || !m_refused))
                return {};
            if (m_errors.empty())
                continue;
            if (!best || weight(m_errors) < weight(*best))
                best = m_errors;
        }
        if (m_refused && !m_worked)
            return {*m_refused};
        return best.value_or(Diags());
    }

    OperatorTrials trials() const { return m_trials; }

private:
    // Errors of type come from element types that the operator is not for.
    static std::pair<std::size_t, std::size_t> weight(const Diags& errors) {
        const auto types = std::count_if(errors.begin(), errors.end(), [](const Diag& diag) {
            return diag.code == DiagCode::TextType;
        });
        return {static_cast<std::size_t>(types), errors.size()};
    }

    // Whether a refusal is about a default that no operand decides: a[5] of [1, 2], N / a of 0.
    bool isOfDefaults(const Diag& diag) {
        const auto isDefault = [&](const std::string& name) {
            return std::any_of(m_op.attrs.begin(), m_op.attrs.end(), [&](const auto& attr) {
                return attr.name == name && attr.fallback.has_value();
            });
        };
        const std::function<bool(const Tree&)> decided = [&](const Tree& tree) {
            const bool named = tree.isName() || tree.kind == TreeKind::Index;
            return (named ? isDefault(tree.text)
                          : tree.kind == TreeKind::Int || tree.kind == TreeKind::Unary ||
                                tree.kind == TreeKind::Binary) &&
                   std::all_of(tree.args.begin(), tree.args.end(), decided);
        };
        const auto divides = [](const Tree& tree) {
            return tree.args.size() == 2 && (tree.text == "/" || tree.text == "%" ||
                                             tree.isCall("div") || tree.isCall("ceil_div"));
        };
        const auto found = [&](const Tree& written) {
            Tree tree = written;
            return findTree(tree, diag.where, [&](const Tree& one) {
                       return (one.kind == TreeKind::Index && decided(one)) ||
                              (divides(one) && decided(one.args[1]));
                   }) != nullptr;
        };
        if (diag.code != DiagCode::UnsupportedAttribute || diag.where.line == 0)
            return false;
        for (const StmtTree& stmt : m_op.stmts)
            if (found(stmt.value) || std::any_of(stmt.indices.begin(), stmt.indices.end(), found))
                return true;
        for (const WhereTree& where : m_op.where)
            if (found(where.value))
                return true;
        for (const OutTree& out : m_op.outs)
            for (const DimTree& dim : out.type.dims)
                if (found(dim.value))
                    return true;
        return false;
    }

    // Of a call that leaves out every attribute that has a default.
    void noteRefusal(const Diag& diag) {
        if (m_refused || !isOfDefaults(diag))
            return;
        m_refused = diag;
        m_refused->message =
            m_op.name + ": " + diag.message + ": every call with the default is refused";
        m_refused->hint = "another default, or none";
    }

    void attempt(const OpCall& call) {
        OpTree tree = m_op;
        bool counted = false;
        while (m_errors.size() < maxErrors) {
            const Result<Binding> binding = bindCall(tree, m_file, call);
            if (!binding.ok() &&
                !(textIsToBlame(binding.diag()) && binding.diag().where.line > 0)) {
                noteRefusal(binding.diag());
                return; // these operands do not fit
            }
            m_bound = true;
            const bool first = !std::exchange(counted, true);
            m_trials.fitting += first;
            if (!binding.ok())
                return add(binding.diag());
            const Result<OpInst> inst = instantiateOp(tree, m_file, *binding);
            m_worked = m_worked || inst.ok();
            if (!inst.ok())
                noteRefusal(inst.diag());
            // Where there is no result nothing can be wrong but a read on the way.
            const bool nothing = std::all_of(
                binding->outputs.begin(), binding->outputs.end(),
                [](const BoundOutput& out) { return elementCount(out.type.shape).isInt(0); });
            if (inst.ok() && first && !nothing)
                tryFacts(call, *inst);
            if (inst.ok() || !textIsToBlame(inst.diag()) ||
                (nothing && inst.diag().code != DiagCode::UnsafeAccess))
                return;
            add(inst.diag());
            if (!mend(tree, inst.diag()))
                return;
        }
    }

    void tryFacts(const OpCall& call, const OpInst& inst) {
        const double points = pointsOf(inst) * evaluationsOf(inst);
        if (m_wrongFacts || m_trials.facts == mostFactTrials || m_points + points > mostPoints)
            return;
        m_points += points;
        if (const Status survived =
                factsHold(*m_defined, call, {m_file, {}, m_op.span.line, m_op.span.column});
            !survived)
            m_wrongFacts = survived.diag();
        ++m_trials.facts;
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
    SmallCalls m_calls;
    std::shared_ptr<const Operator> m_defined;
    Diags m_errors;
    bool m_bound = false;  // some operands fitted
    bool m_worked = false; // a call, of whatever types
    std::optional<Diag> m_refused;
    OperatorTrials m_trials;
    std::optional<Diag> m_wrongFacts;
    double m_points = 0; // that the trials of facts have computed
};

// Texts of operators that were tried and found sound. What a trial finds depends on the text alone,
// and while a book is typed its other operators stay as they are.
class SoundTexts {
public:
    // How it was tried; nothing if it was not, or is not sound.
    std::optional<OperatorTrials> find(const std::string& text) {
        std::lock_guard lock(m_mutex);
        const auto found = m_texts.find(text);
        return found == m_texts.end() ? std::nullopt : std::optional(found->second);
    }
    void add(const std::string& text, OperatorTrials trials) {
        std::lock_guard lock(m_mutex);
        if (m_texts.size() >= most)
            m_texts.clear();
        m_texts[text] = trials;
    }

private:
    static constexpr std::size_t most = 4096;
    std::mutex m_mutex;
    std::map<std::string, OperatorTrials> m_texts;
};

SoundTexts& soundTexts() {
    static SoundTexts texts;
    return texts;
}

} // namespace

Diags checkOperator(const OpTree& op, const std::string& file, OperatorTrials* trials) {
    Diags errors = checkDefinition(op, file);
    if (!errors.empty() || op.standsForCalls())
        return errors;
    const bool parsed = !op.source.empty();
    if (const auto known = parsed ? soundTexts().find(op.source) : std::nullopt) {
        if (trials != nullptr)
            *trials = *known;
        return {};
    }
    Check check(op, file);
    errors = check.run();
    if (trials != nullptr)
        *trials = check.trials();
    std::stable_sort(errors.begin(), errors.end(), [](const Diag& a, const Diag& b) {
        return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
    if (parsed && errors.empty())
        soundTexts().add(op.source, check.trials());
    return errors;
}

} // namespace fw
