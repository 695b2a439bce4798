#include "book/default_stage.h"

#include "syntax/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fw {

namespace {

using Names = std::set<std::string>;

template <class Visit>
void eachCall(const PatternTree& p, const Visit& visit) {
    if (p.kind == PatternKind::Call && !p.ofKind)
        visit(p);
    for (const PatternTree& part : p.args)
        eachCall(part, visit);
}

template <class Visit>
void eachCall(const Tree& tree, const Visit& visit) {
    if (tree.kind == TreeKind::Call)
        visit(tree);
    for (const Tree& part : tree.args)
        eachCall(part, visit);
}

bool isConstant(const PatternTree& p) {
    return p.kind == PatternKind::Const || p.demandsConst();
}

bool reads(const Tree& tree, const std::string& name) {
    return tree.isName(name) || std::any_of(tree.args.begin(), tree.args.end(),
                                            [&](const Tree& one) { return reads(one, name); });
}

// Weights: an operand that has several axes of its own.
bool hasWeights(const Operator& op, std::size_t operand) {
    const auto signature = parseSignature(op.signature());
    if (!signature || operand >= signature->params.size())
        return false;
    const auto& dims = signature->params[operand].type.dims;
    return std::count_if(dims.begin(), dims.end(),
                         [](const DimTree& dim) { return dim.value.kind != TreeKind::Pack; }) >= 2;
}

std::vector<PatternTree> wholePatterns(const RuleTree& rule, const PatternTable& patterns) {
    std::vector<PatternTree> out;
    for (const NamedPattern& named : rule.match)
        out.push_back(withDeclared(named.pattern, patterns));
    return out;
}

// The calls of the right side.
std::vector<Tree> made(const RuleTree& rule) {
    std::vector<Tree> out;
    for (const auto* all : {&rule.let, &rule.emit})
        for (const NamedTree& named : *all)
            eachCall(named.value, [&](const Tree& call) { out.push_back(call); });
    return out;
}

void addConstants(const PatternTree& p, Names& out) {
    if (p.kind == PatternKind::Capture && isConstant(p))
        out.insert(p.name);
    for (const PatternTree& part : p.args)
        addConstants(part, out);
}

void addFolding(const RuleTree& rule, const PatternTable& patterns, const OperatorSet& operators,
                Folding& out) {
    const std::vector<Tree> calls = made(rule);
    Names into, folded, constants;
    for (const PatternTree& whole : wholePatterns(rule, patterns))
        addConstants(whole, constants);
    for (const PatternTree& whole : wholePatterns(rule, patterns))
        eachCall(whole, [&](const PatternTree& p) {
            const Operator* op = operators.find(p.name);
            bool isMade = false;
            for (const Tree& call : calls)
                for (std::size_t i = 0; call.text == p.name && i < p.args.size(); ++i) {
                    // What is applied to the weights themselves is none of the results.
                    isMade = isMade || call.args.empty() || !constants.contains(call.args[0].text);
                    const PatternTree& operand = p.args[i];
                    if (op != nullptr && i < call.args.size() && isConstant(operand) &&
                        call.args[i].kind == TreeKind::Call && reads(call.args[i], operand.name) &&
                        hasWeights(*op, i))
                        into.insert(p.name);
                }
            const bool hasConstant = std::any_of(p.args.begin(), p.args.end(), isConstant);
            if (!isMade && hasConstant)
                folded.insert(p.name);
        });
    if (into.empty() || folded.empty())
        return;
    out.into.merge(into);
    out.folded.merge(folded);
}

} // namespace

Folding foldingOf(const std::vector<ReadBook>& books, std::size_t shipped,
                  const PatternTable& patterns, const OperatorSet& operators) {
    Folding out;
    for (std::size_t i = 0; i < shipped; ++i)
        for (const auto& rule : each<RuleTree>(books[i].declarations))
            if (rule->stage == rewriteStages().front())
                addFolding(*rule, patterns, operators, out);
    return out;
}

bool standsBeforeFolding(const RuleTree& rule, const Folding& folding,
                         const PatternTable& patterns) {
    bool into = false, folded = false;
    for (const PatternTree& whole : wholePatterns(rule, patterns))
        eachCall(whole, [&](const PatternTree& p) {
            into = into || folding.into.contains(p.name);
            const bool mayBeConstant =
                std::any_of(p.args.begin(), p.args.end(), [](const PatternTree& operand) {
                    return operand.kind == PatternKind::Capture ||
                           operand.kind == PatternKind::Any || operand.kind == PatternKind::Const ||
                           operand.kind == PatternKind::Rest;
                });
            folded = folded || (folding.folded.contains(p.name) && mayBeConstant);
        });
    return into && !folded;
}

namespace {

// What it costs to act in front of the folding, if the right side gives fewer of those operators.
std::optional<Diag> costOf(const RuleTree& rule, const Folding& folding,
                           const PatternTable& patterns, const std::string& file) {
    std::map<std::string, int> lost;
    for (const PatternTree& whole : wholePatterns(rule, patterns))
        eachCall(whole,
                 [&](const PatternTree& p) { lost[p.name] += folding.into.contains(p.name); });
    for (const Tree& call : made(rule))
        lost[call.text] -= 1;
    const auto one =
        std::find_if(lost.begin(), lost.end(), [](const auto& count) { return count.second > 0; });
    if (one == lost.end())
        return std::nullopt;
    return Diag{DiagCode::RuleOrder,
                fmt::format("{} takes {} before the rules of the library fold batch norms and "
                            "factors into its weights: those stay as operators of their own",
                            rule.name, one->first),
                {file, {}, rule.stageSpan.line, rule.stageSpan.column},
                "without a stage, or with `stage before fusion`, it acts behind them",
                Severity::Note};
}

} // namespace

void placeRules(std::vector<ReadBook>& books, std::size_t shipped,
                const std::vector<bool>& asShipped, const PatternTable& patterns,
                const OperatorSet& operators) {
    Folding folding;
    for (std::size_t i = shipped; i < books.size(); ++i)
        for (const auto& [item, rule] : books[i].each<RuleTree>()) {
            // Edits are made of the model as it was read.
            const bool edits = rule->changes || !rule->names.empty();
            if (asShipped[i] || edits || rule->stage != rewriteStages().front())
                continue;
            if (folding.into.empty())
                folding = foldingOf(books, shipped, patterns, operators);
            if (!standsBeforeFolding(*rule, folding, patterns))
                continue;
            if (rule->stageSpan.line > 0) {
                if (auto cost = costOf(*rule, folding, patterns, books[i].file))
                    books[i].remarks.push_back(std::move(*cost));
                continue;
            }
            auto placed = std::make_shared<RuleTree>(*rule);
            placed->stage = rewriteStages().back();
            std::replace(books[i].declarations.begin(), books[i].declarations.end(),
                         DeclarationPtr(rule), DeclarationPtr(placed));
            books[i].written[item] = std::move(placed);
        }
}

} // namespace fw
