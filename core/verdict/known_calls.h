// What drawers learn of calls while they draw.
#pragma once

#include "ir/operator.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace fw {

inline constexpr std::int64_t mostElements = 600; // of one tensor that is drawn
// The elements of a shape of numbers; nullopt if it has another extent, or too many.
std::optional<std::int64_t> elementsOf(const Shape& shape);

// Element types that inference of an operator refuses, whatever the shapes: most calls that are
// drawn have such. Of operators that are text, where nothing else of a call decides it.
class RefusedTypes {
public:
    bool contains(const Operator& op, const OpCall& call) const;
    void note(const Operator& op, const OpCall& call, const Diag& refusal);

private:
    std::map<const Operator*, std::set<std::string>> m_known;
};

// The work of calls that are maps over one shape without attributes, where it grows with the
// elements alone.
class MapWork {
public:
    // nullopt: it is not known.
    std::optional<double> of(const Operator& op, const OpCall& call,
                             const Inferred& inferred) const;
    void note(const Operator& op, const OpCall& call, const Inferred& inferred, const Facts& facts);

private:
    static std::optional<double> elements(const Operator& op, const OpCall& call,
                                          const Inferred& inferred);
    std::map<const Operator*, std::map<std::string, double>> m_ofOne; // element, by types
};

struct KnownCalls {
    RefusedTypes refused;
    MapWork work;
};

} // namespace fw
