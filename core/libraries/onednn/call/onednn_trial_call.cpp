#include "libraries/onednn/call/onednn_trial_call.h"

#include "libraries/onednn/call/onednn_describe.h"
#include "runtime/invalid_operations.h"

#include <cstring>

namespace fw::runtime {

namespace {

constexpr float untouched = 1e30f;                           // what the output holds before
constexpr std::int64_t mostElements = std::int64_t{1} << 25; // of all arguments together

// Numbers whose sums of products are exact: multiples of powers of two.
class Numbers {
public:
    int below(int count) {
        m_state = m_state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<int>((m_state >> 33) % static_cast<unsigned>(count));
    }
    float quarter() { return static_cast<float>(below(9) - 4) * 0.25f; }
    float awayFromZero() {
        const float size = 0.5f + 0.25f * static_cast<float>(below(7));
        return below(2) == 0 ? size : -size;
    }

private:
    unsigned long long m_state = 20;
};

// Results lie around 0, a few units wide.
float fresh(const ShapedCall& call, Role role, Numbers& numbers) {
    if (role == Role::Operand)
        return numbers.awayFromZero();
    if (worksOnRows(call.kind) && role == Role::Input)
        return 8 * numbers.quarter();
    if (role == Role::Weights) {
        float unit = 1;
        for (double work = 0.4 * static_cast<double>(plainWork(call)); work > 2; work /= 4)
            unit *= 0.5f;
        return static_cast<float>(numbers.below(5) - 2) * unit;
    }
    return role == Role::Output && !addsToOutput(call) ? untouched : numbers.quarter();
}

void makeDense(ShapedArgument& argument) {
    argument.strides.assign(argument.dims.size(), 1);
    for (std::size_t d = argument.dims.size() - 1; d-- > 0;)
        argument.strides[d] = argument.strides[d + 1] * argument.dims[d + 1];
}

} // namespace

bool TrialCall::place(const std::string& kernel) {
    return fits() && nameLayouts(kernel) && makeOperands();
}

// Not more than a trial may take, and there is as much: a list that finds no room would end the
// process.
bool TrialCall::fits() const {
    std::int64_t elements = 0;
    for (const ShapedArgument& argument : m_call.arguments) {
        const std::int64_t own = argument.elements();
        if (own > mostElements - elements)
            return false;
        elements += own;
    }
    AlignedMemory room; // values, and what the library reads and writes
    return room.reserve(3 * sizeof(float) * static_cast<std::size_t>(elements)).ok();
}

// "any" becomes the name of what the library chose.
bool TrialCall::nameLayouts(const std::string& kernel) {
    OneDnnPlan plan;
    if (!plan.make(m_call).ok() || plan.kernel() != kernel)
        return false;
    bool unnamed = false;
    for (ShapedArgument& argument : m_call.arguments) {
        if (argument.layout != "any")
            continue;
        argument.layout =
            layoutText(plan.memory(argument.role == Role::Input     ? dnnl_query_src_md
                                   : argument.role == Role::Weights ? dnnl_query_weights_md
                                                                    : dnnl_query_dst_md));
        if (!argument.layout.empty())
            continue;
        unnamed = true;
        makeDense(argument);
    }
    if (!unnamed)
        return true;
    OneDnnPlan again;
    return again.make(m_call).ok() && again.kernel() == kernel;
}

bool TrialCall::makeOperands() {
    Numbers numbers;
    const std::size_t count = m_call.arguments.size();
    m_memory = std::vector<AlignedMemory>(count);
    m_descriptions.resize(count);
    m_values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        ShapedArgument& argument = m_call.arguments[i];
        m_values[i].resize(static_cast<std::size_t>(argument.elements()));
        for (float& value : m_values[i])
            value = fresh(m_call, argument.role, numbers);
        if (argument.layout.compare(0, 5, "wino:") == 0) {
            if (!pack(argument, i))
                return false;
            continue;
        }
        dnnl_memory_desc_t& description = m_descriptions[i];
        if (!describeMemory(argument, description).ok())
            return false;
        argument.bytes =
            static_cast<std::int64_t>(oneDnn().memory_desc_get_size(&description) +
                                      sizeof(float) * static_cast<std::size_t>(argument.offset));
        if (!m_memory[i].reserve(static_cast<std::size_t>(argument.bytes)).ok())
            return false;
        auto* data = reinterpret_cast<float*>(m_memory[i].data()) + argument.offset;
        std::int64_t index[DNNL_MAX_NDIMS] = {};
        for (const float value : m_values[i]) {
            data[elementOffset(description, index)] = value;
            nextIndex(argument.dims, index);
        }
    }
    return true;
}

// Weights in a form that only the library knows.
bool TrialCall::pack(ShapedArgument& argument, std::size_t i) {
    ShapedCall question = m_call;
    question.arguments[i].layout = "any";
    ShapedArgument dense = argument;
    dense.layout.clear();
    makeDense(dense);
    OneDnnPlan plan;
    if (!plan.make(question).ok())
        return false;
    argument.bytes = static_cast<std::int64_t>(
        oneDnn().memory_desc_get_size(&plan.memory(dnnl_query_weights_md)));
    return m_memory[i].reserve(static_cast<std::size_t>(argument.bytes)).ok() &&
           packOneDnn(question, m_threads, dense, m_values[i].data(), m_memory[i].data()).ok();
}

bool TrialCall::run(PreparedCall& prepared) {
    AlignedMemory scratch;
    std::vector<void*> buffers;
    for (AlignedMemory& memory : m_memory)
        buffers.push_back(memory.data());
    const std::size_t at = output();
    const auto bytes = static_cast<std::size_t>(m_call.arguments[at].bytes);
    if (!scratch.reserve(prepared.scratchBytes()).ok() || !m_result.reserve(bytes).ok())
        return false;
    std::memcpy(m_result.data(), m_memory[at].data(), bytes); // what it adds to stays
    buffers[at] = m_result.data();
    InvalidOperations flags(oneDnn().openMp, m_threads);
    const bool done = prepared.run(buffers.data(), scratch.data()).ok();
    m_raised = flags.raised();
    return done;
}

std::size_t TrialCall::output() const {
    std::size_t at = 0;
    while (m_call.arguments[at].role != Role::Output)
        ++at;
    return at;
}

// An element of an operand, counted row by row.
void TrialCall::set(std::size_t i, std::size_t element, float value) {
    std::int64_t index[DNNL_MAX_NDIMS] = {};
    placeOf(static_cast<std::int64_t>(element), m_call.arguments[i].dims, index);
    m_values[i][element] = value;
    auto* data = reinterpret_cast<float*>(m_memory[i].data()) + m_call.arguments[i].offset;
    data[elementOffset(m_descriptions[i], index)] = value;
}

float TrialCall::result(const std::int64_t* index) const {
    const std::size_t at = output();
    const auto* got = reinterpret_cast<const float*>(m_result.data()) + m_call.arguments[at].offset;
    return got[elementOffset(m_descriptions[at], index)];
}

void placeOf(std::int64_t element, const std::vector<std::int64_t>& dims, std::int64_t* index) {
    for (std::size_t d = dims.size(); d-- > 0; element /= dims[d])
        index[d] = element % dims[d];
}

} // namespace fw::runtime
