// Kernels of oneDNN that lose a NaN, watched by the flag that they raise then.
#include "libraries/onednn/call/onednn_describe.h"
#include "libraries/onednn/call/onednn_table.h"
#include "libraries/onednn/call/onednn_trial.h"
#include "runtime/invalid_operations.h"
#include "runtime/memory.h"
#include "runtime/plain_loops.h"

#include <cstring>

namespace fw::runtime {

namespace {

class WatchedCall final : public PreparedCall {
public:
    WatchedCall(std::unique_ptr<PreparedCall> fast, const ShapedCall& call,
                const std::string& kernel, int threads)
        : m_fast(std::move(fast)), m_call(call),
          m_why("there is a NaN, which " + kernel + " loses"), m_threads(threads),
          m_adds(addsToOutput(call)) {
        m_openMp = m_fast->openMp();
        m_scratchBytes = m_fast->scratchBytes();
        m_notes = m_fast->notes();
    }

    Status run(void* const* buffers, void* scratch) override {
        bool raised = false;
        if (Status s = runFast(buffers, scratch, raised); !s.ok() || !raised)
            return s;
        m_lost = m_adds;
        return m_adds ? fail(FW_LIBRARY_FAILED, "%s, and what the call adds to is overwritten",
                             m_why.c_str())
                      : runCareful(buffers);
    }

    bool lostNan() const override { return m_lost; }

    Status runAgain(void* const* buffers, void* scratch) override {
        if (!m_adds)
            return run(buffers, scratch);
        const ShapedArgument& output = *m_call.find(Role::Output);
        const auto bytes = static_cast<std::size_t>(output.bytes);
        if (Status s = m_kept.reserve(bytes); !s.ok())
            return s;
        std::memcpy(m_kept.data(), buffers[output.buffer], bytes);
        bool raised = false;
        if (Status s = runFast(buffers, scratch, raised); !s.ok() || !raised)
            return s;
        std::memcpy(buffers[output.buffer], m_kept.data(), bytes);
        return runCareful(buffers);
    }

private:
    Status runFast(void* const* buffers, void* scratch, bool& raised) {
        m_lost = false;
        InvalidOperations flags(oneDnn().openMp, m_threads);
        const Status out = m_fast->run(buffers, scratch);
        raised = flags.raised();
        m_notes = m_fast->notes();
        return out;
    }

    Status runCareful(void* const* buffers) {
        if (!m_careful)
            if (Status s = prepareCareful(); !s.ok())
                return s;
        const Status out = m_careful->run(buffers, m_scratch.data());
        m_notes = m_careful->notes();
        return out;
    }

    Status prepareCareful() {
        if (m_call.postOps.empty())
            return wholeByLoops(m_call, m_why, m_threads, m_careful);
        ShapedCall anchor = m_call;
        anchor.postOps.clear();
        std::unique_ptr<PreparedCall> prepared;
        std::string kernel;
        if (Status s = prepareUntried(anchor, m_threads, prepared, kernel); !s.ok())
            return s;
        if (Status s = m_scratch.reserve(prepared->scratchBytes()); !s.ok())
            return s;
        return finishByLoops(std::move(prepared), m_call, 0, m_why, m_threads, m_careful);
    }

    std::unique_ptr<PreparedCall> m_fast, m_careful; // careful: from the first NaN on
    ShapedCall m_call;
    std::string m_why;
    int m_threads;
    bool m_adds;
    bool m_lost = false;
    AlignedMemory m_scratch; // of m_careful
    AlignedMemory m_kept;    // what runAgain() adds to
};

} // namespace

std::unique_ptr<PreparedCall> watched(std::unique_ptr<PreparedCall> fast, const ShapedCall& call,
                                      const std::string& kernel, int threads) {
    return std::unique_ptr<PreparedCall>(new WatchedCall(std::move(fast), call, kernel, threads));
}

} // namespace fw::runtime
