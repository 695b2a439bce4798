// Runs one nest through the interpreter and through compiled code on the same memory, and compares.
//
// Buffers lie against guard pages: the end of a buffer is the end of a page, the page behind cannot
// be read, so a vector that reaches past a tail ends the test at the spot.
#pragma once

#include "codegen/compile.h"
#include "codegen/jit.h"
#include "expr/scalar.h"
#include "loop/interpret.h"
#include "loop/print.h"

#include <sys/mman.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

// In a test function: shows what differs.
#define FW_SAME(run)                                                                               \
    do {                                                                                           \
        const std::string difference = run;                                                        \
        QVERIFY2(difference.empty(), difference.c_str());                                          \
    } while (false)

namespace fw::test {

class GuardedBuffer {
public:
    explicit GuardedBuffer(std::size_t bytes) {
        constexpr std::size_t page = 4096;
        m_mapped = (bytes + page - 1) / page * page + 2 * page;
        m_base = static_cast<std::byte*>(
            mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        m_data = m_base + m_mapped - page - bytes;
        mprotect(m_base, page, PROT_NONE);
        mprotect(m_base + m_mapped - page, page, PROT_NONE);
        // What lies before the data in its page must not change.
        for (std::byte* at = m_base + page; at < m_data; ++at)
            *at = canary;
    }
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;
    GuardedBuffer(GuardedBuffer&& other) noexcept
        : m_base(std::exchange(other.m_base, nullptr)), m_data(other.m_data),
          m_mapped(other.m_mapped) {}
    ~GuardedBuffer() {
        if (m_base)
            munmap(m_base, m_mapped);
    }
    std::byte* data() const { return m_data; }
    bool isIntact() const {
        for (const std::byte* at = m_base + 4096; at < m_data; ++at)
            if (*at != canary)
                return false;
        return true;
    }

private:
    static constexpr std::byte canary{0xa5};
    std::byte* m_base = nullptr;
    std::byte* m_data = nullptr;
    std::size_t m_mapped = 0;
};

template <class T>
void storeAs(std::byte* at, auto value) {
    const T narrow = static_cast<T>(value);
    std::memcpy(at, &narrow, sizeof narrow);
}

inline void writeElement(std::byte* at, DType dtype, const LoopValues& from, std::size_t i) {
    switch (dtypeBytes(dtype)) {
    case 1:
        return storeAs<std::int8_t>(at, from.integer[i]);
    case 2:
        return isFloat(dtype) ? storeAs<std::uint16_t>(at, narrowBits(dtype, from.real[i]))
                              : storeAs<std::int16_t>(at, from.integer[i]);
    case 4:
        return dtype == DType::F32 ? storeAs<float>(at, from.real[i])
                                   : storeAs<std::int32_t>(at, from.integer[i]);
    default:
        return dtype == DType::F64 ? storeAs<double>(at, from.real[i])
                                   : storeAs<std::int64_t>(at, from.integer[i]);
    }
}

// Small integers, which every dtype holds and every sum keeps exactly; bool gets 0 and 1.
inline LoopValues randomValues(DType dtype, std::size_t count, std::mt19937& random) {
    LoopValues values = loopValues(dtype, count);
    const bool isUnsigned =
        dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t whole = static_cast<std::int64_t>(random() % 17) - (isUnsigned ? 0 : 8);
        if (isFloat(dtype))
            values.real[i] = static_cast<double>(whole) / 2;
        else
            values.integer[i] = dtype == DType::Bool ? (whole & 1) : whole;
    }
    return values;
}

extern "C" inline void runSerially(const fw_kernel_context* context,
                                   void (*body)(const fw_kernel_context*, std::int64_t,
                                                std::int64_t),
                                   std::int64_t count, std::int64_t) {
    // In uneven parts, so that a body that ignores its range shows.
    for (std::int64_t begin = 0; begin < count;) {
        const std::int64_t end = std::min(count, begin + 1 + begin % 3);
        body(context, begin, end);
        begin = end;
    }
}

inline Target testTarget(const char* cpu = "native") {
    return parseTarget(std::string("x86-64 -libs= -threads=1 -mcpu=") + cpu).take();
}

inline const Jit& jit() {
    static const Jit shared = Jit::create().take();
    return shared;
}

// Empty if both agree bit for bit (a NaN equals any NaN), else what differs first.
inline std::string compareRuns(const LoopNest& nest, const Bindings& symbols,
                               std::vector<LoopValues> values, const Target& target,
                               double tolerance = 0, const CompileOptions& options = {}) {
    Result<CompiledKernel> kernel = compileKernel(nest, target, options);
    if (!kernel.ok())
        return kernel.diag().text();
    const std::vector<std::vector<std::byte>> objects = {kernel->object};
    Result<JitModule> module = jit().load(objects);
    if (!module.ok())
        return module.diag().text();
    Result<LoadedKernel> code = module->kernel(kernel->symbol);
    if (!code.ok())
        return code.diag().text();

    std::vector<GuardedBuffer> memory;
    std::vector<void*> pointers;
    for (const LoopValues& v : values) {
        const std::size_t size = dtypeBytes(v.dtype);
        memory.emplace_back(v.size() * size);
        for (std::size_t i = 0; i < v.size(); ++i)
            writeElement(memory.back().data() + i * size, v.dtype, v, i);
        pointers.push_back(memory.back().data());
    }
    std::vector<std::int64_t> numbers;
    for (Symbol symbol : nest.symbols)
        numbers.push_back(symbols.at(symbol));
    const fw_kernel_context context{pointers.data(), numbers.data(), runSerially, nullptr};
    code->run(&context);
    if (const Status status = interpret(nest, values, symbols); !status.ok())
        return status.diag().text();

    for (std::size_t p = 0; p < values.size(); ++p) {
        const LoopValues& want = values[p];
        if (!memory[p].isIntact())
            return "memory before " + nest.parameters[p].name.text() + " was written";
        const std::size_t size = dtypeBytes(want.dtype);
        for (std::size_t i = 0; i < want.size(); ++i) {
            std::byte expected[8];
            writeElement(expected, want.dtype, want, i);
            const std::byte* got = memory[p].data() + i * size;
            if (std::memcmp(expected, got, size) == 0)
                continue;
            double shown = 0;
            if (want.dtype == DType::F32) {
                float narrow = 0;
                std::memcpy(&narrow, got, 4);
                shown = double(narrow);
            } else if (want.dtype == DType::F64) {
                std::memcpy(&shown, got, 8);
            } else if (isFloat(want.dtype)) {
                std::uint16_t narrow = 0;
                std::memcpy(&narrow, got, 2);
                shown = narrowValue(want.dtype, narrow);
            } else {
                std::int64_t whole = 0;
                std::memcpy(&whole, got, size);
                return nest.parameters[p].name.text() + "[" + std::to_string(i) + "] is " +
                       std::to_string(whole) + ", not " + std::to_string(want.integer[i]);
            }
            const double wanted = want.real[i];
            if ((std::isnan(shown) && std::isnan(wanted)) ||
                std::fabs(shown - wanted) <= tolerance * std::max(1.0, std::fabs(wanted)))
                continue;
            return nest.parameters[p].name.text() + "[" + std::to_string(i) + "] is " +
                   std::to_string(shown) + ", not " + std::to_string(wanted);
        }
    }
    return {};
}

inline std::string compareOnRandom(const LoopNest& nest, const Bindings& symbols,
                                   const Target& target, double tolerance = 0,
                                   const CompileOptions& options = {}) {
    std::mt19937 random(7);
    std::vector<LoopValues> values;
    for (const Buffer& buffer : nest.parameters)
        values.push_back(randomValues(
            buffer.dtype, static_cast<std::size_t>(evalIndex(buffer.size, symbols).value()),
            random));
    return compareRuns(nest, symbols, std::move(values), target, tolerance, options);
}

} // namespace fw::test
