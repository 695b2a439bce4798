// Implementation: one way to compute an operator on a target, and what else it can compute on the
// way.
//
// Whether an operator fuses with its neighbour is a property of the pair (operator,
// implementation). So fusion asks here, while a group is formed: may you compute this node, may you
// take that one before or after it? Every answer carries its reason. When an implementation takes
// part, with which priority and what it may absorb is said by the books (book.h).
#pragma once

#include "base/decision.h"
#include "ir/graph.h"
#include "strategy/layout_wish.h"
#include "strategy/lowering.h"
#include "syntax/schedule.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fw {

// A node with what is derived from it; valid as long as the graph.
struct Workload {
    const Graph* graph = nullptr;
    const Node* node = nullptr;
    Facts facts;
};

struct Acceptance {
    Verdict verdict = Verdict::No;
    ReasonCode code = ReasonCode::CannotAbsorb;
    std::string evidence;
    bool open = false; // with what follows only: its chain does not end here

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
    // All that its code depends on beside the group and the target.
    virtual std::string identity() const { return name(); }
    // Whose call it is; nullptr: we generate the code.
    virtual const Library* library() const { return nullptr; }
    // Of an implementation that no book names; the books' entries say it for the others.
    virtual int priority() const { return 10; }
    // May it compute this node, alone?
    virtual Acceptance accepts(const Workload& anchor, const Target& target) const = 0;
    // May it compute exactly these nodes, in topological order, as one? Asked of what a composite
    // names.
    virtual Acceptance acceptsAll(const Graph&, std::span<const NodeId>, const Target&) const {
        return {Verdict::No, ReasonCode::CannotAbsorb, "it computes no match as a whole"};
    }
    // May `next`, which reads the group's value element by element, be computed where it is
    // produced?
    virtual Acceptance absorbsEpilogue(const Growing& group, const Workload& next) const = 0;
    // May `before`, whose only reader is the anchor, be computed where it is read?
    virtual Acceptance absorbsPrologue(const Workload& before, const Workload& anchor) const = 0;
    // How it would have the tensors lie when it computes this node.
    virtual LayoutWish wants(const Graph&, const Node&, const Target&) const { return {}; }
    // Values of knobs that are worth a try beside those that it has.
    virtual std::vector<KnobSettings> settings() const { return {}; }
    // It with other values; null: it has no such knob or value.
    virtual std::shared_ptr<const Implementation> at(const KnobSettings&) const { return nullptr; }
    // Microseconds on this target, by a roofline over flops and bytes. `work` is that of a group
    // that formed around the anchor, by the expressions of its operators.
    virtual double estimate(const Facts& work, const Workload& anchor,
                            const Target& target) const = 0;
    // Its code for a group that formed around its anchor. A refusal says why in a sentence, and the
    // next candidate is asked.
    virtual Result<Lowering> lower(const GroupSite& site, const Target& target) const = 0;
};

using ImplementationPtr = std::shared_ptr<const Implementation>;

} // namespace fw
