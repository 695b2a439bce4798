#include "runtime/library_call.h"

namespace fw::runtime {

namespace {

constexpr std::size_t largestRank = 12;    // of oneDNN
constexpr std::size_t largestPostOps = 32; // of oneDNN
constexpr std::size_t largestLayout = 200; // characters
constexpr std::size_t largestUserRank = 64;
constexpr std::int64_t largestExtent = 1LL << 40;

// Of a library that is built in: the column of its row.
enum class Calls : std::uint8_t { All, Products };

Calls callsOf(LibraryId library) {
    switch (library) {
#define FW_LIBRARY(id, number, name, title, chip, other, calls, ...)                               \
    case LibraryId::id:                                                                            \
        return Calls::calls;
#include "libraries/rows.def"
    case LibraryId::User:
        break;
    }
    return Calls::Products;
}

struct CallRow {
    const char* text;
    CallFamily family;
    std::size_t lists, numbers; // of attributes
};

const CallRow& rowOf(CallKind kind) {
    static constexpr CallRow rows[] = {
#define FW_CALL(id, number, text, family, lists, numbers)                                          \
    {text, CallFamily::family, lists, numbers},
#include "runtime/call_kinds.def"
    };
    return rows[static_cast<std::size_t>(kind)];
}

std::size_t wantedAttributes(CallKind kind, std::size_t rank) {
    const CallRow& row = rowOf(kind);
    return row.lists * (rank < 2 ? 0 : rank - 2) + row.numbers;
}

bool hasWeights(CallKind kind) {
    return familyOf(kind) == CallFamily::Product || familyOf(kind) == CallFamily::Convolution;
}

bool wants(CallKind kind, Role role) {
    switch (role) {
    case Role::Output:
    case Role::Input:
        return true;
    case Role::Weights:
        return hasWeights(kind);
    case Role::Scale:
    case Role::Shift:
        return familyOf(kind) == CallFamily::Scaled;
    case Role::Bias:
    case Role::Operand:
        return false;
    }
    return false;
}

std::size_t leastRank(CallKind kind) {
    return rowOf(kind).lists > 0 ? 3 : familyOf(kind) == CallFamily::Product ? 2 : 1;
}

bool mayHave(CallKind kind, Role role) {
    if (role == Role::Bias)
        return hasWeights(kind);
    return role == Role::Operand || wants(kind, role);
}

// The ranks that each kind's arguments must have, given the output's.
bool rankFits(const LibraryCall& call, const CallArgument& argument, std::size_t rank) {
    const std::size_t own = argument.dims.size();
    switch (argument.role) {
    case Role::Output:
    case Role::Input:
    case Role::Operand:
        return own == rank;
    case Role::Weights:
        return own == rank || (familyOf(call.kind) == CallFamily::Convolution && own == rank + 1);
    case Role::Bias:
        return own == (familyOf(call.kind) == CallFamily::Product ? rank : 1);
    case Role::Scale:
    case Role::Shift:
        return own == 1;
    }
    return false;
}

// Of a call that names its parts by number, from a program that anyone may have written.
Status checkUserCall(const UserCall& call, std::size_t bufferCount, std::size_t expressionCount,
                     const char* step) {
    if (call.library.empty() || call.kernel.empty() || call.file.empty() ||
        call.file.find('/') != std::string::npos)
        return fail(FW_BAD_PROGRAM, "step %s: the call of a library has no name", step);
    bool fits = !call.steps.empty() && call.tensors.size() < 0x7fffffff;
    for (const UserTensor& tensor : call.tensors) {
        fits = fits && tensor.dims.size() <= largestUserRank;
        fits = fits && (tensor.role == UserRole::Inner || tensor.buffer < bufferCount);
        for (const ExpressionId id : tensor.dims)
            fits = fits && id < expressionCount;
    }
    const auto count = static_cast<std::int32_t>(fits ? call.tensors.size() : 0);
    for (const UserStep& one : call.steps) {
        for (const std::int32_t operand : one.operands)
            fits = fits && operand >= -1 && operand < count;
        for (const std::int32_t result : one.results)
            fits = fits && result >= 0 && result < count;
    }
    if (!fits)
        return fail(FW_BAD_PROGRAM, "step %s: the call of %s does not fit", step,
                    call.library.c_str());
    return {};
}

// One of each role that the kind wants, none that it may not have; operands of post-ops as they
// come.
bool rolesFit(const LibraryCall& call) {
    constexpr std::size_t roles = 7;
    std::size_t counts[roles] = {};
    for (const CallArgument& argument : call.arguments)
        ++counts[static_cast<std::size_t>(argument.role)];
    for (std::size_t i = 0; i < roles; ++i) {
        const auto role = static_cast<Role>(i);
        const bool one = counts[i] == 1 || role == Role::Operand;
        if ((counts[i] == 0 && wants(call.kind, role)) ||
            (counts[i] != 0 && (!one || !mayHave(call.kind, role))))
            return false;
    }
    return true;
}

bool hasRole(const LibraryCall& call, Role role) {
    for (const CallArgument& argument : call.arguments)
        if (argument.role == role)
            return true;
    return false;
}

// The ranks that the output of a kind may have.
bool rankFits(CallKind kind, std::size_t rank) {
    return rank >= leastRank(kind) && rank <= largestRank - 1;
}

bool argumentFits(const LibraryCall& call, const CallArgument& argument, std::size_t rank,
                  std::size_t bufferCount, std::size_t expressionCount) {
    bool fits = argument.buffer < bufferCount && argument.offset < expressionCount &&
                rankFits(call, argument, rank);
    for (const ExpressionId id : argument.dims)
        fits = fits && id < expressionCount;
    for (const ExpressionId id : argument.strides)
        fits = fits && id < expressionCount;
    const bool packed = !argument.layout.empty();
    fits = fits && argument.strides.size() == (packed ? 0 : argument.dims.size());
    const bool mayBePacked = callsOf(call.library) == Calls::All &&
                             (argument.role == Role::Weights || argument.role == Role::Input ||
                              argument.role == Role::Output);
    return fits && (!packed || (mayBePacked && argument.layout != "any" &&
                                argument.layout.size() <= largestLayout));
}

} // namespace

CallFamily familyOf(CallKind kind) {
    return rowOf(kind).family;
}

bool takesOperand(PostOpKind kind) {
    return kind >= PostOpKind::Add && kind <= PostOpKind::Min;
}

std::int64_t ShapedArgument::elements() const {
    std::int64_t count = 1;
    for (const std::int64_t dim : dims)
        if (__builtin_mul_overflow(count, dim, &count))
            return largestExtent;
    return count;
}

const ShapedArgument* ShapedCall::find(Role role) const {
    for (const ShapedArgument& argument : arguments)
        if (argument.role == role)
            return &argument;
    return nullptr;
}

Status checkCall(const LibraryCall& call, std::size_t bufferCount, std::size_t expressionCount,
                 const std::string& step) {
    const char* name = step.c_str();
    if ((call.library == LibraryId::User) != (call.kind == CallKind::Kernel))
        return fail(FW_BAD_PROGRAM, "step %s: %s is not computed so", name, kindText(call.kind));
    if (call.library == LibraryId::User)
        return call.arguments.empty() && call.attributes.empty() && call.postOps.empty()
                   ? checkUserCall(call.user, bufferCount, expressionCount, name)
                   : fail(FW_BAD_PROGRAM, "step %s: the arguments of a call are wrong", name);
    if (!rolesFit(call))
        return fail(FW_BAD_PROGRAM, "step %s: the arguments of %s are wrong", name,
                    kindText(call.kind));
    std::size_t rank = 0;
    for (const CallArgument& argument : call.arguments)
        if (argument.role == Role::Output)
            rank = argument.dims.size();
    if (!rankFits(call.kind, rank))
        return fail(FW_BAD_PROGRAM, "step %s: %s of rank %zu", name, kindText(call.kind), rank);
    for (const CallArgument& argument : call.arguments)
        if (!argumentFits(call, argument, rank, bufferCount, expressionCount))
            return fail(FW_BAD_PROGRAM, "step %s: an argument of %s does not fit", name,
                        kindText(call.kind));
    for (const ExpressionId id : call.attributes)
        if (id >= expressionCount)
            return fail(FW_BAD_PROGRAM, "step %s names an expression that does not exist", name);
    if (call.attributes.size() != wantedAttributes(call.kind, rank))
        return fail(FW_BAD_PROGRAM, "step %s: %s with %zu attributes", name, kindText(call.kind),
                    call.attributes.size());
    if (call.postOps.size() > largestPostOps)
        return fail(FW_BAD_PROGRAM, "step %s: too many post-ops", name);
    for (const PostOp& op : call.postOps)
        if (takesOperand(op.kind) && (op.argument >= call.arguments.size() ||
                                      call.arguments[op.argument].role != Role::Operand))
            return fail(FW_BAD_PROGRAM, "step %s: a post-op has no operand", name);
    if (callsOf(call.library) == Calls::Products &&
        (call.kind != CallKind::Matmul || !call.postOps.empty() || hasRole(call, Role::Bias)))
        return fail(FW_BAD_PROGRAM, "step %s: %s has matrix products only", name,
                    libraryText(call.library));
    return {};
}

namespace {

Status numbers(const std::vector<ExpressionId>& ids, const std::vector<Expression>& expressions,
               const std::int64_t* symbols, const std::string& step,
               std::vector<std::int64_t>& out) {
    for (const ExpressionId id : ids) {
        std::int64_t value = 0;
        if (evaluate(expressions[id], symbols, value) != Evaluation::Ok)
            return fail(FW_OVERFLOW, "step %s: a size cannot be computed for these shapes",
                        step.c_str());
        out.push_back(value);
    }
    return {};
}

// Bytes from the start of the buffer to the end of the last element; -1 if there is no such number.
std::int64_t reach(const ShapedArgument& argument) {
    std::int64_t last = argument.offset;
    if (last < 0 || last > largestExtent)
        return -1;
    for (std::size_t d = 0; d < argument.dims.size(); ++d) {
        const std::int64_t extent = argument.dims[d], stride = argument.strides[d];
        if (extent < 0 || extent > largestExtent || stride < 0 || stride > largestExtent)
            return -1;
        std::int64_t step = 0;
        if (extent > 0 && (__builtin_mul_overflow(extent - 1, stride, &step) ||
                           __builtin_add_overflow(last, step, &last)))
            return -1;
    }
    for (const std::int64_t extent : argument.dims)
        if (extent == 0)
            return 0;
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(last + 1, 4, &bytes) ? -1 : bytes;
}

// Its extents, with every tensor inside its memory.
Status shapeUserCall(const UserCall& call, const std::vector<Expression>& expressions,
                     const std::int64_t* symbols, const std::vector<std::int64_t>& bufferBytes,
                     const std::string& step, ShapedCall& shaped) {
    shaped.user = call;
    shaped.userDims.resize(call.tensors.size());
    for (std::size_t i = 0; i < call.tensors.size(); ++i) {
        const UserTensor& tensor = call.tensors[i];
        std::vector<std::int64_t>& dims = shaped.userDims[i];
        if (Status s = numbers(tensor.dims, expressions, symbols, step, dims); !s.ok())
            return s;
        std::int64_t bytes = elementBytes(tensor.type);
        for (const std::int64_t extent : dims)
            if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes))
                return fail(FW_BAD_PROGRAM, "step %s: a tensor has no size", step.c_str());
        if (tensor.role != UserRole::Inner && bytes > bufferBytes[tensor.buffer])
            return fail(FW_BAD_PROGRAM, "step %s: a tensor leaves its memory", step.c_str());
    }
    return {};
}

} // namespace

Status shapeCall(const LibraryCall& call, const std::vector<Expression>& expressions,
                 const std::int64_t* symbols, const std::vector<std::int64_t>& bufferBytes,
                 const std::string& step, ShapedCall& shaped) {
    shaped = ShapedCall{};
    shaped.library = call.library;
    shaped.kind = call.kind;
    shaped.postOps = call.postOps;
    shaped.alpha = call.alpha;
    shaped.beta = call.beta;
    shaped.epsilon = call.epsilon;
    if (call.library == LibraryId::User)
        return shapeUserCall(call.user, expressions, symbols, bufferBytes, step, shaped);
    for (const CallArgument& argument : call.arguments) {
        ShapedArgument out;
        out.role = argument.role;
        out.buffer = argument.buffer;
        out.layout = argument.layout;
        std::vector<std::int64_t> offset;
        if (Status s = numbers({argument.offset}, expressions, symbols, step, offset); !s.ok())
            return s;
        out.offset = offset[0];
        if (Status s = numbers(argument.dims, expressions, symbols, step, out.dims); !s.ok())
            return s;
        if (Status s = numbers(argument.strides, expressions, symbols, step, out.strides); !s.ok())
            return s;
        // Packed weights are measured by the library when its memory is described.
        ShapedArgument judged = out;
        if (!out.layout.empty() && out.offset != 0)
            return fail(FW_BAD_PROGRAM, "step %s: packed weights begin at an offset", step.c_str());
        if (!out.layout.empty())
            judged.strides.assign(judged.dims.size(), 0);
        out.bytes = bufferBytes[argument.buffer];
        const std::int64_t bytes = reach(judged);
        if (bytes < 0 || bytes > out.bytes)
            return fail(FW_BAD_PROGRAM, "step %s: an argument leaves its memory", step.c_str());
        shaped.arguments.push_back(std::move(out));
    }
    return numbers(call.attributes, expressions, symbols, step, shaped.attributes);
}

const char* libraryText(LibraryId library) {
    switch (library) {
#define FW_LIBRARY(id, number, name, ...)                                                          \
    case LibraryId::id:                                                                            \
        return name;
#include "libraries/rows.def"
    case LibraryId::User:
        break;
    }
    return "?";
}

const char* libraryText(const LibraryCall& call) {
    return call.library == LibraryId::User ? call.user.library.c_str() : libraryText(call.library);
}

const char* kindText(CallKind kind) {
    return rowOf(kind).text;
}

const char* kindText(const LibraryCall& call) {
    return call.library == LibraryId::User ? call.user.kernel.c_str() : kindText(call.kind);
}

const char* postOpText(PostOpKind kind) {
    switch (kind) {
#define FW_MAP(id, number, text, ...)                                                              \
    case PostOpKind::id:                                                                           \
        return text;
#define FW_JOIN FW_MAP
#include "libraries/onednn/post_ops.def"
    }
    return "?";
}

} // namespace fw::runtime
