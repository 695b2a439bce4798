// A shaped call as oneDNN's descriptors, and layouts of weights as text.
#pragma once

#include "libraries/onednn/call/onednn_table.h"

namespace fw::runtime {

// "Acdb16a": axes from outermost to innermost, capital if blocked, then the blocks. Winograd's own
// format is "wino:" and its numbers. Empty if this text could not stand for the descriptor.
std::string layoutText(const dnnl_memory_desc_t& description);

// The descriptor of a layout without "wino:"; false for text that is none for these extents.
bool describeLayout(const std::vector<std::int64_t>& dims, const std::string& layout,
                    dnnl_memory_desc_t& description);

Status describeMemory(const ShapedArgument& argument, dnnl_memory_desc_t& description);

// Whether the call adds to what its output held (Sum).
bool addsToOutput(const ShapedCall& call);

// Where an element lies, in elements; not for Winograd's format.
std::int64_t elementOffset(const dnnl_memory_desc_t& description, const std::int64_t* index);

// The primitive descriptor of a call: oneDNN's decision how to compute it. Movable, owns.
class OneDnnPlan {
public:
    OneDnnPlan() = default;
    ~OneDnnPlan();
    OneDnnPlan(const OneDnnPlan&) = delete;
    OneDnnPlan& operator=(const OneDnnPlan&) = delete;

    // FW_LIBRARY_FAILED with the library's word.
    Status make(const ShapedCall& call);

    dnnl_primitive_desc_t get() const { return m_plan; }
    std::string kernel() const;
    bool slow() const;                                          // a reference kernel
    const dnnl_memory_desc_t& memory(dnnl_query_t which) const; // weights, scratchpad
    // As given to the library, in the order of the call's arguments.
    const std::vector<dnnl_memory_desc_t>& arguments() const { return m_arguments; }

private:
    Status attributes(const ShapedCall& call);
    Status operation(const ShapedCall& call);

    std::vector<dnnl_memory_desc_t> m_arguments;
    dnnl_primitive_attr_t m_attributes = nullptr;
    dnnl_primitive_desc_t m_plan = nullptr;
};

} // namespace fw::runtime
