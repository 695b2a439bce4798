// Names from a model are a stranger's bytes. They are kept, except that text which is not UTF-8 is
// repaired; free dimensions need names that the graph language can read back.
#pragma once

#include "ir/tensor_type.h"
#include "onnx/model/proto.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace fw {

std::string cleanText(std::string_view text); // broken UTF-8 and control characters become U+FFFD

// The name of a dimension in the graph: "batch" becomes "Batch", "2*n" becomes "D2_n".
std::string dimName(std::string_view param);

// Dimensions by name. A name begins with an upper-case letter, which is how index arithmetic knows
// that it is never negative.
class DimNames {
public:
    explicit DimNames(const std::map<std::string, std::int64_t>& bound) : m_bound(bound) {}

    Dim named(const std::string& param); // dim_param of the model
    // One that nothing in the model has, called as wished where that is free.
    Dim fresh(const std::string& wish);
    Dim unnamed(const std::string& value, std::size_t axis); // "X_d0"
    Dim known(const std::string& name); // by its name in the graph, or else as named()
    // Shape of a declared type; nullopt if it has none. A negative extent, no name and what stands
    // for none ("?", "-1", "None") are dimensions of their own.
    Result<std::optional<Shape>> shape(const proto::TypeProto::Tensor& type,
                                       const std::string& value);

    std::vector<std::string> unusedBindings() const;

private:
    Dim bindOrVar(const std::string& key, const std::string& name);

    const std::map<std::string, std::int64_t>& m_bound;
    std::map<std::string, std::string> m_names; // dim_param -> name
    std::set<std::string> m_taken;
    std::set<std::string> m_used; // bindings that named a dimension
};

} // namespace fw
