#include "runtime/native_step.h"

#include "runtime/select.h"

#include <cstring>

namespace fw::runtime {

namespace {

struct Operand {
    Access access = Access::Read;
    DataType type = DataType::I64;
    bool any = false; // type
};

constexpr std::size_t largestOperands = 7;

struct Row {
    const char* name;
    std::size_t numbers;
    std::size_t count;
    Operand operands[largestOperands];
};

constexpr Operand in(DataType type) {
    return {Access::Read, type, false};
}
constexpr Operand anything = {Access::Read, DataType::F32, true};
constexpr Operand made = {Access::Write, DataType::I64, false};

// By NativeOp.
constexpr Row rows[] = {
    {"compact", 1, 3, {in(DataType::Bool), made, made}},
    {"unique", 3, 5, {anything, made, made, made, made}},
    {"non_max_suppression",
     5,
     7,
     {in(DataType::F32), in(DataType::F32), in(DataType::I64), in(DataType::F32), in(DataType::F32),
      made, made}},
};
constexpr std::size_t rowCount = sizeof rows / sizeof rows[0];

bool product(std::initializer_list<std::int64_t> factors, std::int64_t& out) {
    out = 1;
    for (const std::int64_t factor : factors)
        if (factor < 0 || __builtin_mul_overflow(out, factor, &out))
            return false;
    return true;
}

template <class T>
const T* read(void* const* buffers, std::size_t i) {
    return static_cast<const T*>(buffers[i]);
}

std::int64_t* written(void* const* buffers, std::size_t i) {
    return static_cast<std::int64_t*>(buffers[i]);
}

} // namespace

const char* nativeText(std::uint32_t op) {
    return op < rowCount ? rows[op].name : "?";
}

bool nativeNamed(const char* name, NativeOp& op) {
    for (std::size_t i = 0; i < rowCount; ++i)
        if (std::strcmp(rows[i].name, name) == 0) {
            op = static_cast<NativeOp>(i);
            return true;
        }
    return false;
}

Status checkNative(const Step& step, const Program& program) {
    if (step.call >= rowCount)
        return fail(FW_BAD_PROGRAM, "step %s is none that the runtime has", step.name.c_str());
    const Row& row = rows[step.call];
    bool fits = step.buffers.size() == row.count && step.symbols.size() == row.numbers;
    for (std::size_t i = 0; fits && i < row.count; ++i) {
        const BufferUse& use = step.buffers[i];
        fits = use.access == row.operands[i].access &&
               (row.operands[i].any || program.tensors[use.tensor].type == row.operands[i].type);
    }
    return fits ? Status{}
                : fail(FW_BAD_PROGRAM, "step %s: its operands are not those of %s",
                       step.name.c_str(), row.name);
}

Status fitNative(const Step& step, const Program& program, const std::int64_t* numbers,
                 const std::vector<std::int64_t>& bytes) {
    constexpr std::int64_t i64 = 8, f32 = 4;
    std::vector<std::int64_t> needed(step.buffers.size(), 0);
    bool fits = true;
    const auto need = [&](std::size_t i, std::initializer_list<std::int64_t> factors) {
        fits = fits && product(factors, needed[i]);
    };
    switch (static_cast<NativeOp>(step.call)) {
    case NativeOp::Compact:
        need(0, {numbers[0]});
        need(1, {numbers[0], i64});
        need(2, {i64});
        break;
    case NativeOp::Unique:
        need(0,
             {numbers[0], numbers[1], elementBytes(program.tensors[step.buffers[0].tensor].type)});
        for (const std::size_t i : {1u, 2u, 3u})
            need(i, {numbers[0], i64});
        need(4, {i64});
        break;
    case NativeOp::NonMaxSuppression:
        need(0, {numbers[0], numbers[1], 4, f32});
        need(1, {numbers[0], numbers[2], numbers[1], f32});
        need(2, {i64});
        need(3, {f32});
        need(4, {f32});
        need(5, {numbers[3], 3, i64});
        need(6, {i64});
        break;
    }
    for (std::size_t i = 0; i < needed.size(); ++i)
        fits = fits && bytes[step.buffers[i].tensor] >= needed[i];
    return fits ? Status{}
                : fail(FW_BAD_PROGRAM, "step %s: its operands do not fit its sizes",
                       step.name.c_str());
}

void runNative(const Step& step, const Program& program, void* const* buffers,
               const std::int64_t* numbers) {
    switch (static_cast<NativeOp>(step.call)) {
    case NativeOp::Compact:
        compact(read<std::uint8_t>(buffers, 0), numbers[0], written(buffers, 1),
                written(buffers, 2));
        break;
    case NativeOp::Unique:
        uniqueRows(
            {buffers[0], program.tensors[step.buffers[0].tensor].type, numbers[0], numbers[1]},
            numbers[2] != 0,
            {written(buffers, 1), written(buffers, 2), written(buffers, 3), written(buffers, 4)});
        break;
    case NativeOp::NonMaxSuppression:
        suppress(
            {read<float>(buffers, 0), read<float>(buffers, 1), numbers[0], numbers[1], numbers[2],
             numbers[4] != 0},
            {*read<std::int64_t>(buffers, 2), *read<float>(buffers, 3), *read<float>(buffers, 4)},
            {written(buffers, 5), numbers[3], written(buffers, 6)});
        break;
    }
}

} // namespace fw::runtime
