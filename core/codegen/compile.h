// compileKernel: a loop nest to the bytes of one relocatable object with one kernel
// (runtime/kernel_abi.h).
//
// The same bytes serve the JIT, the cache and export: position independent, no reference to
// anything outside. Everything of LLVM is made for the call, so calls may run on any number of
// threads.
#pragma once

#include "base/hash.h"
#include "loop/loop.h"
#include "target/target.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fw {

enum class KeepText : std::uint8_t { No, Yes };

// Wanted: the object carries a line table, and the kernel says which graph nodes a line stands for.
// The code is the same.
enum class Origins : std::uint8_t { Unknown, Wanted };

struct CompileOptions {
    // Parameters that may be the same memory, element for element (an operator in place).
    std::vector<std::pair<std::size_t, std::size_t>> sharedBuffers;
    KeepText keepLlvm = KeepText::No;
    Origins origins = Origins::Unknown;
    bool operator==(const CompileOptions&) const = default;
};

// Counted in the optimised LLVM code, not executed: what stands in the text of the kernel.
struct KernelCounters {
    std::int64_t fmas = 0; // instructions, scalar or vector
    std::int64_t loads = 0;
    std::int64_t stores = 0;
    std::int64_t gathers = 0; // and scatters
    std::int64_t calls = 0;   // through pointers: parallel_for
    std::int64_t textBytes = 0;
    bool operator==(const KernelCounters&) const = default;
};

struct CompiledKernel {
    std::string symbol; // of the fw_kernel in `object`
    Hash key;
    std::vector<std::byte> object; // ELF, relocatable
    std::string llvmBefore;        // with KeepText::Yes
    std::string llvmAfter;
    std::vector<std::vector<std::int64_t>>
        lineNodes; // graph nodes of line i + 1, with Origins::Wanted
    KernelCounters counters;
    double milliseconds = 0;
};

// Names content, code target and version of the code generator; equal keys have equal bytes.
Hash kernelKey(const LoopNest& nest, const Target& target, const CompileOptions& options = {});
std::string kernelSymbol(const LoopNest& nest, const Hash& key); // "fw_NAME_0123456789abcdef"

// CodegenFailed names what has no code (f16 arithmetic, a pad() left, ...).
Result<CompiledKernel> compileKernel(const LoopNest& nest, const Target& target,
                                     const CompileOptions& options = {});

// An object with only data, as runtime/module/contents.h declares it: `fw_kernel_table` with the
// addresses of the kernels in order and a null after them, `fw_kernel_table_size`, and every blob
// under its name, with NAME_size (u64). All hidden; it is linked beside the objects of the kernels,
// which it names.
struct DataBlob {
    std::string name;
    std::vector<std::byte> bytes;
};
Result<std::vector<std::byte>> dataObject(const std::vector<std::string>& kernels,
                                          const std::vector<DataBlob>& blobs, const Target& target);

} // namespace fw
