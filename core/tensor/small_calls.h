// Small calls of an operator that its signature allows, one after the other: what an operator is
// tried on.
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"
#include "tensor/condition_values.h"

#include <functional>
#include <map>
#include <set>

namespace fw {

class SmallCalls {
public:
    SmallCalls(const OpTree& op, const std::string& file);

    // Every pack of dimensions with ranks 0 to 4, extents 0, 0 beside others, 1, equal and
    // different ones, and those that it asks for; the defaults of attributes; optional operands
    // there and absent. At most 400 calls are handed to `attempt`.
    void each(const std::map<std::string, DType>& types,
              const std::function<void(const OpCall&)>& attempt) const;

    const std::set<std::string>& typeVariables() const { return m_types; }

private:
    const OpTree& m_op;
    const std::string& m_file;
    std::set<std::string> m_types, m_packs;
    bool m_optional = false, m_openAttributes = false;
    AskedValues m_asked; // by `requires` and `select`
};

} // namespace fw
