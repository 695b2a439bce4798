#include "verdict/proof.h"

#include "verdict/field.h"
#include "verdict/smt.h"
#include "verdict/symbolic.h"

#include <bit>

namespace fw {

namespace {

constexpr std::size_t mostTermsOfGraph = 60000; // of a graph
constexpr std::size_t mostTermsInAll = 1500000;
constexpr int mostQuestions = 40;             // to the solver
constexpr std::size_t mostQuestionsOfOne = 6; // pairs of terms of one graph
constexpr std::uint64_t fieldSeed = 1;

// A pair of terms with leaves numbered as they are met.
class Signature {
public:
    Signature(const Terms& terms, TermId a, TermId b) : m_terms(terms) {
        out.push_back(place(a));
        out.push_back(place(b));
    }
    std::vector<std::int64_t> out;

private:
    std::int64_t place(TermId id) {
        if (const auto known = m_places.find(id); known != m_places.end())
            return known->second;
        const Term& term = m_terms[id];
        std::vector<std::int64_t> words{
            static_cast<std::int64_t>(term.kind), static_cast<std::int64_t>(term.dtype),
            static_cast<std::int64_t>(term.op), static_cast<std::int64_t>(term.fn)};
        if (term.kind != Term::Kind::Leaf)
            words.push_back(term.integer);
        words.push_back(std::bit_cast<std::int64_t>(term.real));
        for (const TermId arg : term.args)
            words.push_back(place(arg));
        words.push_back(-1);
        out.insert(out.end(), words.begin(), words.end());
        const auto at = static_cast<std::int64_t>(m_places.size());
        m_places.emplace(id, at);
        return at;
    }

    const Terms& m_terms;
    std::map<TermId, std::int64_t> m_places;
};

} // namespace

Proof Prover::equal(const Graph& before, const Graph& after) {
    const Proof any = asked(before, after, Constants::Any);
    if (any == Proof::None)
        m_ofAny = false; // the next ones will hardly be
    return any == Proof::None ? asked(before, after, Constants::AsTheyAre) : any;
}

Proof Prover::asked(const Graph& before, const Graph& after, Constants mode) {
    if (m_terms > mostTermsInAll)
        return Proof::TooLarge;
    Terms terms;
    std::int64_t leaves = 0;
    const auto leavesFor = [&](const TensorType& type) {
        SymbolicTensor out = leavesOf(type, leaves, terms);
        leaves += static_cast<std::int64_t>(out.data.size());
        return out;
    };
    std::vector<SymbolicTensor> inputs;
    for (const NodeId id : before.inputs())
        inputs.push_back(leavesFor(before.type({id, 0})));
    std::map<NodeId, SymbolicTensor> constants;
    if (mode == Constants::Any)
        for (const NodePtr& node : before.nodes())
            if (node->isConstant() && isFloat(node->outputs[0].type.dtype))
                constants[node->id] = leavesFor(node->outputs[0].type);
    if (mode == Constants::Any && constants.empty())
        return Proof::None;
    const auto wanted = evaluateTerms(before, inputs, constants, terms, mostTermsOfGraph);
    const auto got =
        wanted ? evaluateTerms(after, inputs, constants, terms, mostTermsOfGraph) : std::nullopt;
    m_terms += terms.size();
    if (!got)
        return terms.size() >= mostTermsOfGraph ? Proof::TooLarge : Proof::None;
    std::set<std::pair<TermId, TermId>> different;
    for (std::size_t i = 0; i < wanted->size(); ++i) {
        if ((*wanted)[i].extents != (*got)[i].extents)
            return Proof::None;
        for (std::size_t k = 0; k < (*wanted)[i].data.size(); ++k)
            if ((*wanted)[i].data[k] != (*got)[i].data[k])
                different.emplace((*wanted)[i].data[k], (*got)[i].data[k]);
    }
    if (different.empty())
        return Proof::Exact;
    const std::vector<std::uint64_t> values = fieldValues(terms, fieldSeed);
    std::erase_if(different, [&](const auto& pair) {
        return values[static_cast<std::size_t>(pair.first)] ==
               values[static_cast<std::size_t>(pair.second)];
    });
    if (different.empty())
        return Proof::OverReals;
    return mode == Constants::AsTheyAre || m_ofAny ? solved(terms, values, different) : Proof::None;
}

// All pairs, alike ones asked once.
Proof Prover::solved(const Terms& terms, const std::vector<std::uint64_t>& values,
                     const std::set<std::pair<TermId, TermId>>& pairs) {
    std::size_t asked = 0;
    for (const auto& [a, b] : pairs) {
        auto signature = Signature(terms, a, b).out;
        if (m_solved.contains(signature))
            continue;
        if (++asked > mostQuestionsOfOne || ++m_questions > mostQuestions)
            return Proof::TooLarge;
        const std::optional<bool> equal = m_solver.equal(terms, values, a, b);
        if (!equal)
            return Proof::TooLarge;
        if (!*equal)
            return Proof::None;
        m_solved.insert(std::move(signature));
    }
    return Proof::OverReals;
}

} // namespace fw
