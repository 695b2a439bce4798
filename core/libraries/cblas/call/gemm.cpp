// Matrix products by cblas_sgemm. Leading dimensions and transposition come from the strides, so a
// dense layer, a matrix product and a batch of them are one call each per matrix.
#include "libraries/cblas/call/gemm.h"
#include "runtime/parallel.h"

#include <cstring>

namespace fw::runtime {

namespace {

constexpr int rowMajor = 101, plain = 111, transposed = 112;
constexpr std::int64_t largestInt = 0x7fffffff;

struct Matrix {
    std::int64_t rows = 0, columns = 0;
    int transpose = plain;
    int leading = 1; // elements from one stored row to the next
};

// The last two axes, stored by rows or by columns.
bool matrixOf(const ShapedArgument& argument, Matrix& out) {
    const std::size_t rank = argument.dims.size();
    out.rows = argument.dims[rank - 2];
    out.columns = argument.dims[rank - 1];
    if (out.rows > largestInt || out.columns > largestInt)
        return false;
    const std::int64_t down = argument.strides[rank - 2], along = argument.strides[rank - 1];
    // With one row or column its stride says nothing.
    const bool byRows = (along == 1 || out.columns == 1) && (down >= out.columns || out.rows == 1);
    const bool byColumns = (down == 1 || out.rows == 1) && (along >= out.rows || out.columns == 1);
    if (!byRows && !byColumns)
        return false;
    out.transpose = byRows ? plain : transposed;
    std::int64_t leading =
        byRows ? (out.rows == 1 ? out.columns : down) : (out.columns == 1 ? out.rows : along);
    if (leading < 1)
        leading = 1;
    if (leading > largestInt)
        return false;
    out.leading = static_cast<int>(leading);
    return true;
}

class Gemm final : public PreparedCall {
public:
    explicit Gemm(const Cblas& library) : m_library(library) {}

    Status prepare(const ShapedCall& call, int threads) {
        m_call = call;
        m_threads = threads;
        m_settings.threads = threads;
        m_openMp = m_library.openMp;
        m_settings.openMp = m_openMp;
        const ShapedArgument* arguments[] = {call.find(Role::Output), call.find(Role::Input),
                                             call.find(Role::Weights)};
        Matrix* matrices[] = {&m_output, &m_input, &m_weights};
        for (int i = 0; i < 3; ++i) {
            if (!arguments[i]->layout.empty() || !matrixOf(*arguments[i], *matrices[i]))
                return fail(FW_LIBRARY_FAILED, "%s cannot read this layout of a matrix",
                            m_library.title);
            m_arguments[i] = arguments[i];
        }
        m_arguments[0] = m_call.find(Role::Output);
        m_arguments[1] = m_call.find(Role::Input);
        m_arguments[2] = m_call.find(Role::Weights);
        if (m_output.transpose != plain)
            return fail(FW_LIBRARY_FAILED, "%s writes by rows only", m_library.title);
        if (m_input.rows != m_output.rows || m_weights.columns != m_output.columns ||
            m_input.columns != m_weights.rows)
            return fail(FW_BAD_PROGRAM, "the extents of a matrix product do not fit");
        m_batches = 1;
        const std::size_t rank = m_call.find(Role::Output)->dims.size();
        for (std::size_t d = 0; d + 2 < rank; ++d) {
            const std::int64_t extent = m_arguments[0]->dims[d];
            for (int i = 1; i < 3; ++i)
                if (m_arguments[i]->dims[d] != extent && m_arguments[i]->dims[d] != 1)
                    return fail(FW_BAD_PROGRAM, "the extents of a batch do not fit");
            m_batches *= extent;
        }
        return {};
    }

    Status run(void* const* buffers, void*) override {
        m_buffers = buffers;
        const int threads = m_library.threads ? m_library.threads(m_threads) : m_threads;
        m_settings.threads = threads;
        // Many matrices: one thread each. Few: the library splits every one of them.
        const fw_kernel_context context = {reinterpret_cast<void* const*>(this), nullptr,
                                           parallelFor, &m_settings};
        if (m_batches > 1 && m_batches >= threads) {
            const ThreadCount alone(*m_library.openMp, 1);
            parallelFor(&context, runRange, m_batches, 1);
        } else {
            const ThreadCount count(*m_library.openMp, threads);
            m_library.setThreads(threads);
            runRange(&context, 0, m_batches);
        }
        return {};
    }

private:
    static void runRange(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
        const auto& self = *reinterpret_cast<const Gemm*>(context->buffers);
        for (std::int64_t i = begin; i < end; ++i)
            self.one(i);
    }

    float* place(int argument, std::int64_t batch) const {
        const ShapedArgument& a = *m_arguments[argument];
        std::int64_t offset = a.offset;
        for (std::size_t d = a.dims.size() - 2; d-- > 0;) {
            const std::int64_t extent = m_arguments[0]->dims[d];
            if (a.dims[d] != 1)
                offset += (batch % extent) * a.strides[d];
            batch /= extent;
        }
        return static_cast<float*>(m_buffers[a.buffer]) + offset;
    }

    void one(std::int64_t batch) const {
        float* c = place(0, batch);
        if (m_input.columns == 0) { // an empty sum never reaches the library
            for (std::int64_t row = 0; row < m_output.rows; ++row)
                for (std::int64_t i = 0; i < m_output.columns; ++i) {
                    float& value = c[row * m_output.leading + i];
                    value = m_call.beta == 0 ? 0 : m_call.beta * value;
                }
            return;
        }
        m_library.sgemm(rowMajor, m_input.transpose, m_weights.transpose,
                        static_cast<int>(m_output.rows), static_cast<int>(m_output.columns),
                        static_cast<int>(m_input.columns), m_call.alpha, place(1, batch),
                        m_input.leading, place(2, batch), m_weights.leading, m_call.beta, c,
                        m_output.leading);
    }

    const Cblas& m_library;
    ShapedCall m_call;
    const ShapedArgument* m_arguments[3] = {};
    Matrix m_output, m_input, m_weights;
    std::int64_t m_batches = 1;
    int m_threads = 1;
    ParallelSettings m_settings;
    void* const* m_buffers = nullptr;
};

} // namespace

Status prepareGemm(const Cblas& library, const ShapedCall& call, int threads,
                   std::unique_ptr<PreparedCall>& prepared) {
    std::unique_ptr<Gemm> gemm(new Gemm(library));
    if (Status status = gemm->prepare(call, threads); !status.ok())
        return status;
    prepared = std::move(gemm);
    return {};
}

} // namespace fw::runtime
