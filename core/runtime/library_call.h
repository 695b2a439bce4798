// A call of a library (oneDNN, OpenBLAS, one of the user's) as data: what is computed on which
// memory, never a handle.
//
// The description is stored with the program and says everything: kind, shapes and strides as
// expressions over the free dimensions, attributes, what follows on each element (post-ops) and the
// name of the layout that weights were packed in. The library's own objects are made from it when
// shapes are known. It may come from a file that anyone wrote: checkCall and checkShaped judge it
// before a library sees it.
#pragma once

#include "runtime/expression.h"
#include "runtime/status.h"
#include "runtime/user_call.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fw::runtime {

// Values of these enumerations are part of the program format: append only.
enum class LibraryId : std::uint8_t {
#define FW_LIBRARY(id, number, ...) id = number,
#include "libraries/rows.def"
    User = 2, // of a book
};
constexpr std::uint8_t lastLibraryId = std::max({
#define FW_LIBRARY(id, number, ...) std::uint8_t{number},
#include "libraries/rows.def"
    std::uint8_t{2}, // User
});
inline constexpr LibraryId builtInLibraryIds[] = {
#define FW_LIBRARY(id, ...) LibraryId::id,
#include "libraries/rows.def"
};

enum class CallKind : std::uint8_t {
#define FW_CALL(id, number, ...) id = number,
#include "runtime/call_kinds.def"
};
constexpr std::uint8_t lastCallKind = std::max({
#define FW_CALL(id, number, ...) std::uint8_t{number},
#include "runtime/call_kinds.def"
});

// Beside input and output: nothing (of a Product weights and bias as matrices, of a Convolution
// filters and bias, of Scaled scale and shift). Rows are computed along an axis.
enum class CallFamily : std::uint8_t { Plain, Product, Convolution, Pool, Rows, Scaled };
CallFamily familyOf(CallKind kind);

enum class Role : std::uint8_t {
    Output = 0,
    Input = 1,
    Weights = 2,
    Bias = 3,
    Scale = 4,
    Shift = 5,
    Operand = 6, // of a post-op
};

// What happens to each element before it is stored, in order.
enum class PostOpKind : std::uint8_t {
#define FW_MAP(id, number, ...) id = number,  // of one value, with alpha and beta
#define FW_JOIN(id, number, ...) id = number, // of an operand that broadcasts; Sum: of the output
#include "libraries/onednn/post_ops.def"
};
constexpr std::uint8_t lastPostOpKind = std::max({
#define FW_MAP(id, number, ...) std::uint8_t{number},
#define FW_JOIN FW_MAP
#include "libraries/onednn/post_ops.def"
});

bool takesOperand(PostOpKind kind);

struct PostOp {
    PostOpKind kind = PostOpKind::Relu;
    float alpha = 0;
    float beta = 0;
    std::uint32_t argument = 0; // into LibraryCall::arguments if the kind takes an operand
};

// Memory as the library sees it; f32 everywhere.
struct CallArgument {
    Role role = Role::Input;
    std::uint32_t buffer = 0; // into Step::buffers
    ExpressionId offset = 0;  // of the first element, in elements
    std::vector<ExpressionId> dims;
    std::vector<ExpressionId> strides; // in elements; empty if a layout is named
    std::string layout; // oneDNN's name, of packed weights or blocked images: "Acdb32a"
};

struct LibraryCall {
    LibraryId library = LibraryId::OneDnn;
    CallKind kind = CallKind::Matmul;
    std::vector<CallArgument> arguments;
    std::vector<ExpressionId> attributes;
    std::vector<PostOp> postOps;
    float alpha = 1; // OpenBLAS: alpha * product + beta * what the output held
    float beta = 0;
    float epsilon = 0; // LayerNorm
    UserCall user;     // Kernel; arguments, attributes and post-ops are empty then
};

// Calls `visit` with every expression that the call has.
template <class Visit>
void forEachExpression(const LibraryCall& call, const Visit& visit) {
    const auto all = [&](const std::vector<ExpressionId>& ids) {
        for (const ExpressionId id : ids)
            visit(id);
    };
    for (const CallArgument& argument : call.arguments) {
        visit(argument.offset);
        all(argument.dims);
        all(argument.strides);
    }
    all(call.attributes);
    for (const UserTensor& tensor : call.user.tensors)
        all(tensor.dims);
}

// The same with numbers.
struct ShapedArgument {
    Role role = Role::Input;
    std::uint32_t buffer = 0;
    std::int64_t offset = 0;
    std::vector<std::int64_t> dims;
    std::vector<std::int64_t> strides;
    std::string layout;     // "any": the library's choice, for questions only
    std::int64_t bytes = 0; // of its buffer

    std::int64_t elements() const; // 0 if an extent is; extents were checked
};

struct ShapedCall {
    LibraryId library = LibraryId::OneDnn;
    CallKind kind = CallKind::Matmul;
    std::vector<ShapedArgument> arguments;
    std::vector<std::int64_t> attributes;
    std::vector<PostOp> postOps;
    float alpha = 1;
    float beta = 0;
    float epsilon = 0;
    UserCall user;
    std::vector<std::vector<std::int64_t>> userDims; // of UserCall::tensors

    const ShapedArgument* find(Role role) const; // the first one; nullptr if there is none
};

// Numbers of arguments, ranks, attributes, post-ops and their operands; `step` names it in errors.
Status checkCall(const LibraryCall& call, std::size_t bufferCount, std::size_t expressionCount,
                 const std::string& step);

// FW_OVERFLOW if an expression cannot be computed, FW_BAD_PROGRAM for negative extents or strides
// and for arguments that leave their buffer of `bufferBytes[buffer]` bytes.
Status shapeCall(const LibraryCall& call, const std::vector<Expression>& expressions,
                 const std::int64_t* symbols, const std::vector<std::int64_t>& bufferBytes,
                 const std::string& step, ShapedCall& shaped);

const char* libraryText(LibraryId library);       // "onednn"
const char* libraryText(const LibraryCall& call); // of a user's its own name
const char* kindText(CallKind kind);              // "convolution"
const char* kindText(const LibraryCall& call);    // of a user's library the kernel
const char* postOpText(PostOpKind kind);          // "relu"

} // namespace fw::runtime
