// Implementation: one way to compute an operator on a target, and what else it can compute on the
// way.
//
// Whether an operator fuses with its neighbour is a property of the pair (operator,
// implementation). So fusion asks here, while a group is formed: may you compute this node, may you
// take that one before or after it? Every answer carries its reason.
#pragma once

#include "base/decision.h"
#include "ir/graph.h"
#include "target/target.h"

#include <memory>
#include <string>
#include <vector>

namespace fw {

// A node with what is derived from it; valid as long as the graph.
struct Workload {
    const Graph* graph = nullptr;
    const Node* node = nullptr;
    Facts facts;
};

struct Answer {
    Verdict verdict = Verdict::No;
    ReasonCode code = ReasonCode::CannotAbsorb;
    std::string evidence;

    bool yes() const { return verdict == Verdict::Yes; }
};

// A group while it grows: what it computes already.
struct Growing {
    Workload anchor;
    std::vector<NodeId> epilogue; // absorbed after the anchor, in order
};

class Library;

class Implementation {
public:
    virtual ~Implementation() = default;
    virtual const std::string& name() const = 0; // "generated.tiled"
    // Whose call it is; nullptr: we generate the code.
    virtual const Library* library() const { return nullptr; }
    virtual int priority() const = 0;
    // May it compute this node, alone?
    virtual Answer accepts(const Workload& anchor, const Target& target) const = 0;
    // May `next`, which reads the group's value element by element, be computed where it is
    // produced?
    virtual Answer absorbsEpilogue(const Growing& group, const Workload& next) const = 0;
    // May `before`, whose only reader is the anchor, be computed where it is read?
    virtual Answer absorbsPrologue(const Workload& before, const Workload& anchor) const = 0;
    // Microseconds on this target, by a roofline over flops and bytes.
    virtual double estimate(const Facts& work, const Target& target) const = 0;
};

struct Candidate {
    std::string implementation;
    Verdict verdict = Verdict::No; // Yes: it could compute the group
    bool chosen = false;
    ReasonCode code = ReasonCode::GuardFalse;
    std::string evidence;
    int priority = 0;
    double estimateUs = 0;
};

struct Selection {
    const Implementation* implementation = nullptr; // nullptr: nothing accepts the node
    std::string source;                             // "priority", "only", "order"
    std::vector<Candidate> candidates;              // in the order of the book
};

// The implementations that may be chosen, in the order of the books: priority decides, order among
// equals.
class Catalog {
public:
    explicit Catalog(std::vector<std::shared_ptr<const Implementation>> all)
        : m_all(std::move(all)) {}

    const std::vector<std::shared_ptr<const Implementation>>& all() const { return m_all; }
    const Implementation* find(std::string_view name) const; // nullptr if there is none
    Selection select(const Workload& anchor, const Target& target) const;

private:
    std::vector<std::shared_ptr<const Implementation>> m_all;
};

const Catalog& generatedCatalog();

} // namespace fw
