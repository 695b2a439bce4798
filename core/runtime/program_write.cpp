// The binary form of a program: little-endian, without padding. Header of 32 bytes: magic, version,
// zero, length of the body, checksum of the body. The body is the fields of Program in order; lists
// and strings start with a u32 count.
#include "runtime/program.h"

#include <cstring>

namespace fw::runtime {

namespace {

class Writer {
public:
    std::vector<std::uint8_t> bytes;

    void u8(std::uint8_t value) { bytes.push_back(value); }
    void u32(std::uint32_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    void i64(std::int64_t value) { number(static_cast<std::uint64_t>(value), 8); }
    void f64(double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        u64(bits);
    }
    void f32(float value) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        u32(bits);
    }
    void count(std::size_t value) { u32(static_cast<std::uint32_t>(value)); }
    void text(const std::string& value) {
        count(value.size());
        bytes.insert(bytes.end(), value.begin(), value.end());
    }
    void ids(const std::vector<std::uint32_t>& values) {
        count(values.size());
        for (std::uint32_t value : values)
            u32(value);
    }

private:
    void number(std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i)
            bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
};

void write(Writer& out, const Expression& expression) {
    out.count(expression.code.size());
    for (const Instruction& instruction : expression.code) {
        out.u8(static_cast<std::uint8_t>(instruction.op));
        if (instruction.op == Op::Constant || instruction.op == Op::Symbol)
            out.i64(instruction.value);
    }
}

void write(Writer& out, const Tensor& tensor) {
    out.text(tensor.name);
    out.u8(static_cast<std::uint8_t>(tensor.type));
    out.ids(tensor.dims);
    out.u32(tensor.bytes);
    out.u8(static_cast<std::uint8_t>(tensor.storage));
    switch (tensor.storage) {
    case Storage::Input:
    case Storage::Output:
        out.u32(tensor.index);
        break;
    case Storage::Constant:
        out.u64(tensor.offset);
        break;
    case Storage::Arena:
        out.u32(tensor.firstStep);
        out.u32(tensor.lastStep);
        break;
    case Storage::View:
        out.u32(tensor.base);
        out.u32(tensor.viewOffset);
        break;
    }
}

void write(Writer& out, const Step& step) {
    out.text(step.name);
    out.u32(step.group);
    out.u32(step.part);
    out.u32(step.kernel);
    out.u32(step.choice);
    if (step.choice != noChoice)
        out.u32(step.branch);
    if (step.kernel == libraryKernel || step.kernel == nativeKernel)
        out.u32(step.call);
    if (step.kernel == bindKernel)
        out.ids(step.binds);
    out.count(step.buffers.size());
    for (const BufferUse& use : step.buffers) {
        out.u32(use.tensor);
        out.u8(static_cast<std::uint8_t>(use.access));
    }
    out.ids(step.symbols);
    out.count(step.nodes.size());
    for (const std::string& node : step.nodes)
        out.text(node);
    out.count(step.indices.size());
    for (const IndexUse& use : step.indices) {
        out.u32(use.tensor);
        out.u32(use.extent);
        out.u32(use.first);
        out.u32(use.stride);
        out.text(use.node);
        out.u32(use.ignored ? 1 : 0);
        if (use.ignored)
            out.i64(*use.ignored);
    }
    out.u32(step.flops);
    out.u32(step.bytes);
}

void write(Writer& out, const UserAttribute& attribute) {
    out.text(attribute.name);
    out.u8(static_cast<std::uint8_t>(attribute.kind));
    out.count(attribute.integers.size());
    for (const std::int64_t value : attribute.integers)
        out.i64(value);
    out.count(attribute.numbers.size());
    for (const double value : attribute.numbers)
        out.f64(value);
    out.text(attribute.text);
}

void writePositions(Writer& out, const std::vector<std::int32_t>& positions) {
    out.count(positions.size());
    for (const std::int32_t position : positions)
        out.u32(static_cast<std::uint32_t>(position));
}

void write(Writer& out, const UserCall& call) {
    out.text(call.library);
    out.text(call.file);
    out.text(call.content);
    out.text(call.kernel);
    out.count(call.tensors.size());
    for (const UserTensor& tensor : call.tensors) {
        out.u8(static_cast<std::uint8_t>(tensor.type));
        out.u8(static_cast<std::uint8_t>(tensor.role));
        out.u32(tensor.buffer);
        out.ids(tensor.dims);
    }
    out.count(call.steps.size());
    for (const UserStep& step : call.steps) {
        out.text(step.op);
        writePositions(out, step.operands);
        writePositions(out, step.results);
        out.count(step.attributes.size());
        for (const UserAttribute& attribute : step.attributes)
            write(out, attribute);
    }
}

void write(Writer& out, const LibraryCall& call) {
    out.u8(static_cast<std::uint8_t>(call.library));
    out.u8(static_cast<std::uint8_t>(call.kind));
    out.count(call.arguments.size());
    for (const CallArgument& argument : call.arguments) {
        out.u8(static_cast<std::uint8_t>(argument.role));
        out.u32(argument.buffer);
        out.u32(argument.offset);
        out.ids(argument.dims);
        out.ids(argument.strides);
        out.text(argument.layout);
    }
    out.ids(call.attributes);
    out.count(call.postOps.size());
    for (const PostOp& op : call.postOps) {
        out.u8(static_cast<std::uint8_t>(op.kind));
        out.f32(op.alpha);
        out.f32(op.beta);
        out.u32(op.argument);
    }
    out.f32(call.alpha);
    out.f32(call.beta);
    out.f32(call.epsilon);
    if (call.library == LibraryId::User)
        write(out, call.user);
}

} // namespace

std::uint64_t blobChecksum(const std::uint8_t* data, std::size_t size) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i < size; ++i)
        hash = (hash ^ data[i]) * 0x100000001b3ULL;
    return hash;
}

std::vector<std::uint8_t> writeProgram(const Program& program) {
    Writer body;
    body.text(program.name);
    body.text(program.target);
    body.text(program.engine);
    body.text(program.metadata);
    body.u64(program.requiredFeatures);
    body.u32(program.kernelCount);
    body.u64(program.weightsBytes);
    body.u64(program.weightsHash);
    body.count(program.symbols.size());
    for (const Symbol& symbol : program.symbols) {
        body.text(symbol.name);
        body.i64(symbol.minimum);
        body.i64(symbol.maximum);
    }
    body.count(program.expressions.size());
    for (const Expression& expression : program.expressions)
        write(body, expression);
    body.count(program.tensors.size());
    for (const Tensor& tensor : program.tensors)
        write(body, tensor);
    body.ids(program.inputs);
    body.ids(program.outputs);
    body.count(program.steps.size());
    for (const Step& step : program.steps)
        write(body, step);
    body.count(program.choices.size());
    for (const Choice& choice : program.choices)
        body.ids(choice.conditions);
    body.count(program.calls.size());
    for (const LibraryCall& call : program.calls)
        write(body, call);
    body.count(program.assumptions.size());
    for (const Assumption& assumption : program.assumptions) {
        body.u32(assumption.condition);
        body.text(assumption.sentence);
    }

    Writer out;
    for (char c : {'F', 'W', 'P', 'R', 'O', 'G', '\r', '\n'})
        out.u8(static_cast<std::uint8_t>(c));
    out.u32(programVersion);
    out.u32(0);
    out.u64(body.bytes.size());
    out.u64(blobChecksum(body.bytes.data(), body.bytes.size()));
    out.bytes.insert(out.bytes.end(), body.bytes.begin(), body.bytes.end());
    return out.bytes;
}

} // namespace fw::runtime
