// A compiled model without its machine code: which kernels run on which memory, for which shapes.
//
// One plain structure serves the JIT (handed over in memory) and exported modules (stored as a
// blob, which is treated as hostile: readProgram checks every count and index, checkProgram
// everything else, before anything is used). All sizes are expressions over the free dimensions, so
// one program serves every shape.
#pragma once

#include "runtime/data_type.h"
#include "runtime/library_call.h"

#include <optional>
#include <string>
#include <vector>

namespace fw::runtime {

using TensorId = std::uint32_t; // into Program::tensors

constexpr std::uint32_t programVersion = 8;
constexpr std::uint64_t memoryAlignment = 64;

struct Symbol {
    std::string name;
    std::int64_t minimum = 0;
    std::int64_t maximum = 0; // inclusive
};

enum class Storage : std::uint8_t {
    Input = 0,    // the caller's memory or a copy of it; row-major, never written
    Output = 1,   // the caller's memory or ours; row-major
    Constant = 2, // in the weights, at `offset`
    Arena = 3,    // planned memory, alive from firstStep to lastStep (inclusive)
    View = 4,     // the memory of `base` from `viewOffset` bytes on
};

struct Tensor {
    std::string name;
    DataType type = DataType::F32;
    std::vector<ExpressionId> dims;
    ExpressionId bytes = 0; // physical size
    Storage storage = Storage::Arena;
    std::uint32_t index = 0;     // Input, Output: position in the signature
    std::uint64_t offset = 0;    // Constant: multiple of memoryAlignment
    std::uint32_t firstStep = 0; // Arena
    std::uint32_t lastStep = 0;  // Arena
    TensorId base = 0;           // View: a tensor with a smaller id
    ExpressionId viewOffset = 0; // View
};

enum class Access : std::uint8_t { Read = 0, Write = 1, ReadWrite = 2 };

struct BufferUse {
    TensorId tensor = 0;
    Access access = Access::Read;
};

// Elements `first`, `first` + `stride`, ... of a tensor in row-major order, by which a step picks
// along an axis: counted from its beginning, negative ones from its end. What lies outside stands
// for the nearest element, or ends the run (Indices).
struct IndexUse {
    TensorId tensor = 0;
    ExpressionId extent = 0; // of the axis
    std::uint32_t first = 0;
    std::uint32_t stride = 1;
    std::string node;                                   // of the imported graph
    std::optional<std::int64_t> ignored = std::nullopt; // an element that picks nothing
};

// A step without machine code: copies its second buffer to its first.
constexpr std::uint32_t copyKernel = 0xffffffffu;
// A step that calls a library: see Step::call.
constexpr std::uint32_t libraryKernel = 0xfffffffeu;

// A step that only the process that compiled the program can do, by ExecutorOptions::host.
constexpr std::uint32_t hostKernel = 0xfffffffdu;

// A step without machine code that reads sizes: element i of its only buffer, of i64, is the value
// of the free dimension Step::binds[i]. What uses one comes behind.
constexpr std::uint32_t bindKernel = 0xfffffffcu;

// A step that the runtime does itself: NativeOp (native_step.h) in Step::call, its numbers in
// Step::symbols.
constexpr std::uint32_t nativeKernel = 0xfffffffbu;

// A step that belongs to no group of the plan: the copy of a result.
constexpr std::uint32_t noGroup = 0xffffffffu;

// A step that always runs.
constexpr std::uint32_t noChoice = 0xffffffffu;

struct Step {
    std::string name;
    std::uint32_t group = noGroup; // of the plan that was compiled: its number
    std::uint32_t part = 0;   // of that group, in order of execution: a call with its reorders, the
                              // kernels before and behind it
    std::uint32_t kernel = 0; // into the kernel table, or one of the special ones above
    std::uint32_t choice = noChoice; // into Program::choices
    std::uint32_t branch = 0;        // of that choice
    std::uint32_t call = 0; // libraryKernel: into Program::calls; hostKernel: HostSteps::run;
                            // nativeKernel: NativeOp
    std::vector<BufferUse> buffers;    // in the order of fw_kernel_context::buffers
    std::vector<ExpressionId> symbols; // in the order of fw_kernel_context::symbols
    std::vector<std::uint32_t> binds;  // bindKernel: into Program::symbols
    std::vector<std::string> nodes;    // of the imported graph
    std::vector<IndexUse> indices;     // that lie in memory before it runs
    ExpressionId flops = 0;            // estimates; a negative value means unknown
    ExpressionId bytes = 0;
};

// Several ways to compute the same: steps that follow each other, branch after branch. For the
// sizes of a run the first branch is taken whose condition is not zero, the last one if none is.
struct Choice {
    std::vector<ExpressionId> conditions; // of every branch but the last
};

// What compilation took for granted about the shapes: not zero means that it holds.
struct Assumption {
    ExpressionId condition = 0;
    std::string sentence; // "sequence of a equals sequence of b"
};

struct Program {
    std::string name;
    std::string target;
    std::string engine;                 // version that compiled it
    std::string metadata;               // JSON
    std::uint64_t requiredFeatures = 0; // CpuFeature bits
    std::uint32_t kernelCount = 0;
    std::uint64_t weightsBytes = 0;
    std::uint64_t weightsHash = 0; // hashWeights; 0 when the weights are handed over in memory
    std::vector<Symbol> symbols;
    std::vector<Expression> expressions;
    std::vector<Tensor> tensors;
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    std::vector<Step> steps;
    std::vector<Choice> choices;
    std::vector<LibraryCall> calls;
    std::vector<Assumption> assumptions;

    // Returns the id of an equal expression if there is one.
    ExpressionId add(const Expression& expression);
    ExpressionId addConstant(std::int64_t value) { return add(constant(value)); }
};

// The tensor whose memory `tensor` names in the end: itself unless it is a view.
TensorId rootOf(const Program& program, TensorId tensor);

// The steps of a program run in phases: one ends behind steps of bindKernel, and what they bind is
// known in the next. What lies in memory of a size that is known later is planned later.
struct Phases {
    std::uint32_t count = 1;
    std::vector<std::uint32_t> ofSymbol; // the first in which it is known
    std::vector<std::uint32_t> ofStep;
    std::vector<std::uint32_t> ofTensor; // in which its memory is planned

    std::uint32_t of(const Expression& expression) const; // the first in which it has a value
};

// Every id of the program exists.
Phases phasesOf(const Program& program);

// Sets firstStep and lastStep of every arena tensor from the steps that use it or a view of it.
// Unused: both 0.
void deriveLifetimes(Program& program);

// Everything that can be known without shapes: ids in range, no cycles among views, tensors used
// within their lifetime and written before they are read, constants inside the weights.
Status checkProgram(const Program& program);

std::vector<std::uint8_t> writeProgram(const Program& program);

// Reads and checks. On failure `program` is left in an unspecified state.
Status readProgram(const std::uint8_t* data, std::size_t size, Program& program);

// FNV-1a over the blob behind its header; guards against damage, not against intent.
std::uint64_t blobChecksum(const std::uint8_t* data, std::size_t size);

} // namespace fw::runtime
