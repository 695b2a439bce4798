// A call of oneDNN with operands of its own, made up for a trial: layouts, values and memory.
#pragma once

#include "libraries/onednn/call/onednn_table.h"
#include "runtime/memory.h"
#include "runtime/plain_loops.h"

namespace fw::runtime {

class TrialCall {
public:
    TrialCall(const ShapedCall& call, int threads) : m_call(call), m_threads(threads) {}

    // False if oneDNN takes another kernel for this instance, or refuses it, or it is too large to
    // be tried.
    bool place(const std::string& kernel);
    bool run(PreparedCall& prepared);

    const ShapedCall& call() const { return m_call; } // with names of layouts once it is placed
    const PlainValues& values() const { return m_values; }
    void set(std::size_t argument, std::size_t element, float value); // counted row by row
    std::size_t output() const;                                       // among the arguments
    // Of the last run, at this place of the output.
    float result(const std::int64_t* index) const;
    bool raisedInvalid() const { return m_raised; }

private:
    bool fits() const;
    bool nameLayouts(const std::string& kernel);
    bool makeOperands();
    bool pack(ShapedArgument& argument, std::size_t i);

    ShapedCall m_call;
    int m_threads;
    bool m_raised = false;
    std::vector<AlignedMemory> m_memory;
    AlignedMemory m_result; // the output of the last run; m_memory has what it began with
    std::vector<dnnl_memory_desc_t> m_descriptions;
    PlainValues m_values;
};

// Where an element that is counted row by row stands.
void placeOf(std::int64_t element, const std::vector<std::int64_t>& dims, std::int64_t* index);

} // namespace fw::runtime
