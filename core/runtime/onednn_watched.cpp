// Kernels of oneDNN that lose a NaN, watched by the flag that they raise then.
#include "runtime/invalid_operations.h"
#include "runtime/memory.h"
#include "runtime/onednn_table.h"
#include "runtime/onednn_trial.h"
#include "runtime/plain_loops.h"

namespace fw::runtime {

namespace {

class WatchedCall final : public PreparedCall {
public:
    WatchedCall(std::unique_ptr<PreparedCall> fast, const ShapedCall& call, int threads)
        : m_fast(std::move(fast)), m_call(call), m_threads(threads) {
        m_openMp = m_fast->openMp();
        m_scratchBytes = m_fast->scratchBytes();
        m_note = m_fast->note();
    }

    Status run(void* const* buffers, void* scratch) override {
        {
            const InvalidOperations flags(oneDnn().openMp, m_threads);
            if (Status s = m_fast->run(buffers, scratch); !s.ok() || !flags.raised())
                return s;
        }
        if (!m_careful)
            if (Status s = prepareCareful(); !s.ok())
                return s;
        return m_careful->run(buffers, m_scratch.data());
    }

private:
    Status prepareCareful() {
        if (m_call.postOps.empty())
            return wholeByLoops(m_call, m_threads, m_careful);
        ShapedCall anchor = m_call;
        anchor.postOps.clear();
        std::unique_ptr<PreparedCall> prepared;
        std::string kernel;
        if (Status s = prepareUntried(anchor, m_threads, prepared, kernel); !s.ok())
            return s;
        if (Status s = m_scratch.reserve(prepared->scratchBytes()); !s.ok())
            return s;
        return finishByLoops(std::move(prepared), m_call, 0, m_threads, m_careful);
    }

    std::unique_ptr<PreparedCall> m_fast, m_careful; // careful: from the first NaN on
    ShapedCall m_call;
    int m_threads;
    AlignedMemory m_scratch;
};

} // namespace

std::unique_ptr<PreparedCall> watched(std::unique_ptr<PreparedCall> fast, const ShapedCall& call,
                                      int threads) {
    return std::unique_ptr<PreparedCall>(new WatchedCall(std::move(fast), call, threads));
}

} // namespace fw::runtime
