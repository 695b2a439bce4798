// Reads the binary form. The blob may be damaged or hostile: counts are compared with the bytes
// that are left before anything is allocated, so memory stays within a small multiple of the blob.
#include "runtime/program.h"

#include <cstring>

namespace fw::runtime {

namespace {

class Reader {
public:
    Reader(const std::uint8_t* data, std::size_t size) : m_data(data), m_left(size) {}

    bool failed() const { return m_failed; }
    bool finished() const { return m_left == 0; }

    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::int64_t i64() { return static_cast<std::int64_t>(number(8)); }

    float f32() {
        const std::uint32_t bits = u32();
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

    std::uint8_t enumeration(std::uint8_t last) {
        const std::uint8_t value = u8();
        if (value > last)
            m_failed = true;
        return m_failed ? std::uint8_t{0} : value;
    }

    // A list of elements that take at least `least` bytes each.
    std::size_t count(std::size_t least) {
        const std::size_t value = u32();
        if (value > m_left / least)
            m_failed = true;
        return m_failed ? 0 : value;
    }

    std::string text() {
        const std::size_t length = count(1);
        std::string value(reinterpret_cast<const char*>(m_data), length);
        m_data += length;
        m_left -= length;
        return value;
    }

    std::vector<std::uint32_t> ids() {
        std::vector<std::uint32_t> values(count(4));
        for (std::uint32_t& value : values)
            value = u32();
        return values;
    }

private:
    std::uint64_t number(std::size_t width) {
        if (m_left < width)
            m_failed = true;
        if (m_failed)
            return 0;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width; ++i)
            value |= std::uint64_t{m_data[i]} << (8 * i);
        m_data += width;
        m_left -= width;
        return value;
    }

    const std::uint8_t* m_data;
    std::size_t m_left;
    bool m_failed = false;
};

Expression readExpression(Reader& in) {
    Expression expression;
    expression.code.resize(in.count(1));
    for (Instruction& instruction : expression.code) {
        instruction.op = static_cast<Op>(in.enumeration(lastOp));
        if (instruction.op == Op::Constant || instruction.op == Op::Symbol)
            instruction.value = in.i64();
    }
    return expression;
}

Tensor readTensor(Reader& in) {
    Tensor tensor;
    tensor.name = in.text();
    tensor.type = static_cast<DataType>(in.enumeration(static_cast<std::uint8_t>(DataType::Bool)));
    tensor.dims = in.ids();
    tensor.bytes = in.u32();
    tensor.storage = static_cast<Storage>(in.enumeration(static_cast<std::uint8_t>(Storage::View)));
    switch (tensor.storage) {
    case Storage::Input:
    case Storage::Output:
        tensor.index = in.u32();
        break;
    case Storage::Constant:
        tensor.offset = in.u64();
        break;
    case Storage::Arena:
        tensor.firstStep = in.u32();
        tensor.lastStep = in.u32();
        break;
    case Storage::View:
        tensor.base = in.u32();
        tensor.viewOffset = in.u32();
        break;
    }
    return tensor;
}

Step readStep(Reader& in) {
    Step step;
    step.name = in.text();
    step.group = in.u32();
    step.part = in.u32();
    step.kernel = in.u32();
    step.choice = in.u32();
    if (step.choice != noChoice)
        step.branch = in.u32();
    if (step.kernel == libraryKernel || step.kernel == nativeKernel)
        step.call = in.u32();
    if (step.kernel == bindKernel)
        step.binds = in.ids();
    step.buffers.resize(in.count(5));
    for (BufferUse& use : step.buffers) {
        use.tensor = in.u32();
        use.access =
            static_cast<Access>(in.enumeration(static_cast<std::uint8_t>(Access::ReadWrite)));
    }
    step.symbols = in.ids();
    step.nodes.resize(in.count(4));
    for (std::string& node : step.nodes)
        node = in.text();
    step.indices.resize(in.count(24));
    for (IndexUse& use : step.indices) {
        use.tensor = in.u32();
        use.extent = in.u32();
        use.first = in.u32();
        use.stride = in.u32();
        use.node = in.text();
        if (in.u32() != 0)
            use.ignored = in.i64();
    }
    step.flops = in.u32();
    step.bytes = in.u32();
    return step;
}

UserAttribute readAttribute(Reader& in) {
    UserAttribute out;
    out.name = in.text();
    out.kind = static_cast<UserKind>(in.enumeration(static_cast<std::uint8_t>(UserKind::Text)));
    out.integers.resize(in.count(8));
    for (std::int64_t& value : out.integers)
        value = in.i64();
    out.numbers.resize(in.count(8));
    for (double& value : out.numbers) {
        const std::uint64_t bits = in.u64();
        std::memcpy(&value, &bits, sizeof value);
    }
    out.text = in.text();
    return out;
}

std::vector<std::int32_t> readPositions(Reader& in) {
    std::vector<std::int32_t> out(in.count(4));
    for (std::int32_t& value : out)
        value = static_cast<std::int32_t>(in.u32());
    return out;
}

UserCall readUserCall(Reader& in) {
    UserCall call;
    call.library = in.text();
    call.file = in.text();
    call.content = in.text();
    call.kernel = in.text();
    call.tensors.resize(in.count(10));
    for (UserTensor& tensor : call.tensors) {
        tensor.type =
            static_cast<DataType>(in.enumeration(static_cast<std::uint8_t>(DataType::Bool)));
        tensor.role =
            static_cast<UserRole>(in.enumeration(static_cast<std::uint8_t>(UserRole::Output)));
        tensor.buffer = in.u32();
        tensor.dims = in.ids();
    }
    call.steps.resize(in.count(16));
    for (UserStep& step : call.steps) {
        step.op = in.text();
        step.operands = readPositions(in);
        step.results = readPositions(in);
        step.attributes.resize(in.count(17));
        for (UserAttribute& attribute : step.attributes)
            attribute = readAttribute(in);
    }
    return call;
}

LibraryCall readCall(Reader& in) {
    LibraryCall call;
    call.library = static_cast<LibraryId>(in.enumeration(lastLibraryId));
    call.kind = static_cast<CallKind>(in.enumeration(lastCallKind));
    call.arguments.resize(in.count(21));
    for (CallArgument& argument : call.arguments) {
        argument.role = static_cast<Role>(in.enumeration(static_cast<std::uint8_t>(Role::Operand)));
        argument.buffer = in.u32();
        argument.offset = in.u32();
        argument.dims = in.ids();
        argument.strides = in.ids();
        argument.layout = in.text();
    }
    call.attributes = in.ids();
    call.postOps.resize(in.count(13));
    for (PostOp& op : call.postOps) {
        op.kind = static_cast<PostOpKind>(in.enumeration(lastPostOpKind));
        op.alpha = in.f32();
        op.beta = in.f32();
        op.argument = in.u32();
    }
    call.alpha = in.f32();
    call.beta = in.f32();
    call.epsilon = in.f32();
    if (call.library == LibraryId::User)
        call.user = readUserCall(in);
    return call;
}

void readBody(Reader& in, Program& program) {
    program.name = in.text();
    program.target = in.text();
    program.engine = in.text();
    program.metadata = in.text();
    program.requiredFeatures = in.u64();
    program.kernelCount = in.u32();
    program.weightsBytes = in.u64();
    program.weightsHash = in.u64();
    program.symbols.resize(in.count(20));
    for (Symbol& symbol : program.symbols) {
        symbol.name = in.text();
        symbol.minimum = in.i64();
        symbol.maximum = in.i64();
    }
    program.expressions.resize(in.count(4));
    for (Expression& expression : program.expressions)
        expression = readExpression(in);
    program.tensors.resize(in.count(18));
    for (Tensor& tensor : program.tensors)
        tensor = readTensor(in);
    program.inputs = in.ids();
    program.outputs = in.ids();
    program.steps.resize(in.count(44));
    for (Step& step : program.steps)
        step = readStep(in);
    program.choices.resize(in.count(4));
    for (Choice& choice : program.choices)
        choice.conditions = in.ids();
    program.calls.resize(in.count(26));
    for (LibraryCall& call : program.calls)
        call = readCall(in);
    program.assumptions.resize(in.count(8));
    for (Assumption& assumption : program.assumptions) {
        assumption.condition = in.u32();
        assumption.sentence = in.text();
    }
}

} // namespace

Status readProgram(const std::uint8_t* data, std::size_t size, Program& program) {
    constexpr std::size_t headerSize = 32;
    if (size < headerSize || std::memcmp(data, "FWPROG\r\n", 8) != 0)
        return fail(FW_BAD_PROGRAM, "this is not a compiled program");
    Reader header(data + 8, headerSize - 8);
    const std::uint32_t version = header.u32();
    const std::uint32_t zero = header.u32();
    const std::uint64_t length = header.u64();
    const std::uint64_t checksum = header.u64();
    if (version != programVersion)
        return fail(FW_BAD_PROGRAM, "the program has version %u, this runtime reads version %u",
                    version, programVersion);
    if (zero != 0 || length != size - headerSize)
        return fail(FW_BAD_PROGRAM, "the program is truncated or too long");
    if (blobChecksum(data + headerSize, size - headerSize) != checksum)
        return fail(FW_BAD_PROGRAM, "the program is damaged: its checksum is wrong");

    program = Program{};
    Reader body(data + headerSize, size - headerSize);
    readBody(body, program);
    if (body.failed() || !body.finished())
        return fail(FW_BAD_PROGRAM, "the program is malformed");
    return checkProgram(program);
}

} // namespace fw::runtime
