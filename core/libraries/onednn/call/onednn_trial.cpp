#include "libraries/onednn/call/onednn_trial.h"

#include "libraries/onednn/call/onednn_describe.h"
#include "libraries/onednn/call/onednn_trial_call.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <pthread.h>

namespace fw::runtime {

namespace {

constexpr std::int64_t mostWork = 200000; // products; of larger instances some elements are judged
std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

std::string list(const std::vector<std::int64_t>& values) {
    std::string out;
    for (const std::int64_t value : values)
        out += (out.empty() ? "[" : ", ") + std::to_string(value);
    return out + "]";
}

std::string tailText(const ShapedCall& call) {
    std::string out = kindText(call.kind);
    for (const PostOp& op : call.postOps)
        out += std::string(", ") + postOpText(op.kind);
    return out;
}

std::string keyOf(const ShapedCall& small, const std::string& kernel, int threads) {
    std::string out = kernel + " " + std::to_string(threads) + " " + tailText(small);
    for (const ShapedArgument& argument : small.arguments)
        out += " " + std::to_string(static_cast<int>(argument.role)) + list(argument.dims) +
               list(argument.strides) + argument.layout + "+" + std::to_string(argument.offset);
    out += list(small.attributes);
    for (const PostOp& op : small.postOps)
        out += " " + number(static_cast<double>(op.alpha)) + "," +
               number(static_cast<double>(op.beta)) + "," + std::to_string(op.argument);
    return out;
}

enum class Among : std::uint8_t { First, Middle, Last }; // the values of an operand

class Trial {
public:
    Trial(const ShapedCall& call, int threads) : m_threads(threads), m_made(call, threads) {}

    // False if it says nothing about `kernel`: oneDNN takes another one for this instance, or
    // refuses it, or it is too large to be tried.
    bool run(const std::string& kernel) {
        std::string chosen;
        return m_made.place(kernel) && prepareUntried(m_call, m_threads, m_prepared, chosen).ok() &&
               chosen == kernel && execute();
    }

    // Once more, with a NaN or an infinity in the operands that may have one, all of them or one
    // alone.
    bool runWith(float special, Among at, std::size_t alone) {
        m_special = special;
        for (const auto& [argument, element, value] : m_replaced)
            m_made.set(argument, element, value);
        m_replaced.clear();
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            if (m_values[i].empty() || !mayBeSpecial(m_call.arguments[i].role) ||
                (alone != all && alone != i))
                continue;
            const std::size_t element = at == Among::First    ? 0
                                        : at == Among::Middle ? m_values[i].size() / 2
                                                              : m_values[i].size() - 1;
            m_replaced.push_back({i, element, m_values[i][element]});
            m_made.set(i, element, special);
        }
        return execute();
    }
    // One operand after another for a NaN, since one that meets every element hides what is made
    // of the others; infinities together, which differ there.
    std::vector<std::size_t> placesOf(float special) const {
        if (!std::isnan(special))
            return {all};
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < m_call.arguments.size(); ++i)
            if (mayBeSpecial(m_call.arguments[i].role))
                out.push_back(i);
        return out;
    }
    bool raisedInvalid() const { return m_made.raisedInvalid(); }

    // Empty if the output is what plain loops make of the operands.
    std::string judge() {
        if (worksOnRows(m_call.kind))
            plainRows(m_call, m_values, m_rows);
        const std::size_t at = m_made.output();
        const std::vector<std::int64_t>& dims = m_call.arguments[at].dims;
        const std::int64_t elements = m_call.arguments[at].elements();
        const std::int64_t work = plainWork(m_call) * elements / mostWork;
        const std::int64_t step = work < 1 ? 1 : 2 * work + 1;
        std::int64_t index[DNNL_MAX_NDIMS] = {}, judged = 0;
        for (std::int64_t element = 0; element < elements; element += step) {
            double want = 0;
            placeOf(element, dims, index);
            if (!wanted(at, index, want))
                continue;
            ++judged;
            const double found = static_cast<double>(m_made.result(index));
            if (std::isnan(found) && (std::isnan(want) || spreadsNan()))
                continue;
            if (std::isinf(m_special) && !std::isnan(found))
                continue; // how large a number may become is not promised
            if (!(std::fabs(found - want) <= allowed(want)))
                return number(found) + " instead of " + number(want) + " at " +
                       list({index, index + dims.size()});
        }
        return judged > 0 ? std::string() : "no number that could be judged";
    }

private:
    bool execute() { return m_made.run(*m_prepared); }

    // How far from `want` a result may be. Rows: about what the running error analysis of
    // tensor/bounded.h allows; sums of many terms: enough to tell a wrong place from a right one.
    double allowed(double want) const {
        constexpr double u = 0x1p-24;
        const double size = std::fabs(want);
        switch (m_call.kind) {
        case CallKind::Winograd:
            return 1e-2 * (1 + size);
        case CallKind::Softmax:
            return u * (24 + rowLength()) * size + 1e-30;
        case CallKind::LogSoftmax:
            return u * (16 + rowLength() + 4 * size);
        default:
            return 1e-4 * (1 + size);
        }
    }
    double rowLength() const {
        return static_cast<double>(
            m_call.find(Role::Output)->dims[static_cast<std::size_t>(m_call.attributes[0])]);
    }

    // What the output held counts where it is added to.
    bool mayBeSpecial(Role role) const {
        return role == Role::Input || role == Role::Operand ||
               (role == Role::Output && addsToOutput(m_call));
    }

    // Winograd's transforms spread one over its tile by design.
    bool spreadsNan() const {
        return !std::isfinite(m_special) && m_call.kind == CallKind::Winograd;
    }

    // What belongs at `index`; false where no number can be asked for: outside of what a function
    // takes, or next to a step of it.
    bool wanted(std::size_t output, const std::int64_t* index, double& out) const {
        out = worksOnRows(m_call.kind) ? m_rows[plainPlace(m_call.arguments[output], index)]
                                       : plainElement(m_call, m_values, index);
        for (const PostOp& op : m_call.postOps) {
            const std::size_t from = op.kind == PostOpKind::Sum ? output : op.argument;
            const bool reads = op.kind == PostOpKind::Sum || takesOperand(op.kind);
            const double operand =
                reads
                    ? static_cast<double>(m_values[from][plainPlace(m_call.arguments[from], index)])
                    : 0;
            const bool edge = op.kind == PostOpKind::Sqrt || op.kind == PostOpKind::Log;
            const double off = std::fabs(out - std::floor(out) - 0.5); // of two numbers' middle
            if ((op.kind == PostOpKind::Round && off > 0 && off < 1e-2) ||
                (edge && std::fabs(out) < 1e-2))
                return false;
            out = postOpValue(op, out, operand);
            const bool special =
                std::isinf(m_special) || (std::isnan(m_special) && std::isnan(out));
            if (!(std::fabs(out) < 1e30) && !special)
                return false;
        }
        return true;
    }

    int m_threads;
    TrialCall m_made;
    std::unique_ptr<PreparedCall> m_prepared;
    const ShapedCall& m_call = m_made.call();
    const PlainValues& m_values = m_made.values();
    struct Replaced {
        std::size_t argument, element;
        float value; // that stood there
    };
    float m_special = 0; // NaN or infinite: what stands at one place of each operand
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    std::vector<Replaced> m_replaced;
    std::vector<double> m_rows;
};

// What a kernel that is right about numbers does with a NaN and with infinities, of which it may
// make a NaN (as 0 * inf does in a relu), at several places: rows end in code of their own.
Finding triedWithSpecials(Trial& trial, const ShapedCall& call, const std::string& kernel) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    Finding out;
    for (const float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity})
        for (const Among at : {Among::First, Among::Middle, Among::Last})
            for (const std::size_t operand : trial.placesOf(special)) {
                if (!trial.runWith(special, at, operand))
                    return {kernel + " could not be tried with NaN", false};
                const std::string found = trial.judge();
                if (found.empty())
                    continue;
                if (!trial.raisedInvalid())
                    return {kernel + " computes " + tailText(call) + " wrongly where there is " +
                                (std::isnan(special) ? "a NaN: " : "an infinity: ") + found,
                            false};
                out.watched = true;
            }
    return out;
}

// The smallest instance that oneDNN gives to the same kernel decides.
Finding tried(const ShapedCall& call, const ShapedCall& small, const std::string& kernel,
              int threads) {
    // Images so many times as wide and high as the smallest; 0: the call itself. oneDNN takes
    // Winograd's kernels for large images alone.
    constexpr std::int64_t images[] = {1, 1, 4, 16, 24, 32, 48, 64, 0};
    ShapedCall instance = small;
    for (std::size_t size = 0; size < std::size(images); ++size) {
        if (size > 0 && images[size] > 0 && !smallInstance(call, true, instance, images[size]))
            continue;
        if (images[size] == 0) {
            instance = call;
            for (std::size_t i = 0; i < instance.arguments.size(); ++i)
                instance.arguments[i].buffer = static_cast<std::uint32_t>(i);
        }
        Trial trial(instance, threads);
        if (!trial.run(kernel))
            continue;
        const std::string found = trial.judge();
        if (found.empty())
            return triedWithSpecials(trial, call, kernel);
        return {kernel + " computes " + tailText(call) + " wrongly: " + found +
                    (images[size] == 0 ? "" : " of a small instance"),
                false};
    }
    return {kernel + " could not be tried with " + tailText(call), false};
}

struct Tried {
    std::string key;
    Finding finding;
};

// The kernel of oneDNN 2.6.3 that makes a convolution a product of matrices reads the operand of a
// post-op at places of its own: beyond it, or some that are right by chance, so that a trial may
// find nothing.
const PostOp* misread(const ShapedCall& call, const std::string& kernel) {
    if (call.kind != CallKind::Convolution || kernel.find("gemm:jit") == std::string::npos)
        return nullptr;
    for (const PostOp& op : call.postOps)
        if (takesOperand(op.kind))
            return &op;
    return nullptr;
}

// SSE kernels add what the output held as operands that must lie at multiples of 16 bytes: a fault,
// not a wrong number, so it is not tried.
bool mayFault(const ShapedCall& call) {
    const std::string& core = oneDnn().info.core;
    if (!addsToOutput(call) || (core != "sse41" && core != "avx"))
        return false;
    const ShapedArgument& output = *call.find(Role::Output);
    bool odd = output.offset % 4 != 0;
    for (std::size_t d = 0; d < output.strides.size(); ++d)
        odd = odd || (output.dims[d] > 1 && output.strides[d] != 1 && output.strides[d] % 4 != 0);
    return odd;
}

} // namespace

Finding findingOf(const ShapedCall& call, const std::string& kernel, int threads) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static std::vector<Tried>* known = nullptr;
    if (!hasPlainLoops(call.kind))
        return {call.postOps.empty() ? std::string()
                                     : std::string(kindText(call.kind)) + " is not tried with " +
                                           postOpText(call.postOps.front().kind),
                false};
    if (mayFault(call))
        return {kernel + " adds rows that do not begin at multiples of 16 bytes", false};
    if (const PostOp* op = misread(call, kernel))
        return {kernel + " reads the operand of " + postOpText(op->kind) + " at other places",
                false};
    ShapedCall small;
    if (!smallInstance(call, false, small))
        small = call;
    const std::string key = keyOf(small, kernel, threads);
    pthread_mutex_lock(&lock);
    if (!known)
        known = new std::vector<Tried>;
    const Tried* found = nullptr;
    for (const Tried& one : *known)
        if (one.key == key)
            found = &one;
    if (!found) {
        known->push_back({key, tried(call, small, kernel, threads)});
        found = &known->back();
    }
    const Finding out = found->finding;
    pthread_mutex_unlock(&lock);
    return out;
}

} // namespace fw::runtime
