// The static checks of a program. Programs come from our compiler or from a file that anyone may
// have written; both pass here before the executor trusts an index.
#include "runtime/native_step.h"

namespace fw::runtime {

namespace {

// Follows the branches of choices: behind a choice is written what every branch writes.
class Branches {
public:
    explicit Branches(const Program& program)
        : m_program(program), m_seen(program.choices.size(), false) {}

    // Before a step is looked at.
    Status enter(const Step& step, std::vector<bool>& written) {
        if (step.choice != m_choice) {
            if (Status status = leave(written); !status.ok())
                return status;
            if (step.choice == noChoice)
                return {};
            if (step.choice >= m_program.choices.size() || m_seen[step.choice])
                return fail(FW_BAD_PROGRAM, "step %s is in a choice that does not exist or is over",
                            step.name.c_str());
            m_seen[step.choice] = true;
            m_choice = step.choice;
            m_before = written;
            m_branch = 0;
            m_always.clear();
        }
        if (step.choice == noChoice || step.branch == m_branch)
            return {};
        if (step.branch != m_branch + 1 || step.branch > last())
            return fail(FW_BAD_PROGRAM, "step %s is in no branch that comes next",
                        step.name.c_str());
        endBranch(written);
        written = m_before;
        m_branch = step.branch;
        return {};
    }

    Status leave(std::vector<bool>& written) {
        if (m_choice == noChoice)
            return {};
        if (m_branch != last())
            return fail(FW_BAD_PROGRAM, "a choice has fewer branches than conditions");
        endBranch(written);
        written = m_always;
        m_choice = noChoice;
        return {};
    }

private:
    std::size_t last() const { return m_program.choices[m_choice].conditions.size(); }

    void endBranch(const std::vector<bool>& written) {
        if (m_always.empty())
            m_always = written;
        for (std::size_t i = 0; i < written.size(); ++i)
            m_always[i] = m_always[i] && written[i];
    }

    const Program& m_program;
    std::vector<bool> m_seen;
    std::uint32_t m_choice = noChoice;
    std::size_t m_branch = 0;
    std::vector<bool> m_before; // the choice
    std::vector<bool> m_always; // by every branch so far
};

class Checker {
public:
    explicit Checker(const Program& program) : m_program(program) {}

    Status check() {
        if (Status status = expressions(); !status.ok())
            return status;
        if (Status status = tensors(); !status.ok())
            return status;
        if (Status status = signature(); !status.ok())
            return status;
        if (Status status = steps(); !status.ok())
            return status;
        return sizesInTime();
    }

private:
    bool expressionExists(ExpressionId id) const { return id < m_program.expressions.size(); }
    const char* nameOf(TensorId id) const { return m_program.tensors[id].name.c_str(); }

    Status expressions() const {
        for (std::size_t i = 0; i < m_program.symbols.size(); ++i) {
            const Symbol& symbol = m_program.symbols[i];
            if (symbol.minimum < 0 || symbol.maximum < symbol.minimum)
                return fail(FW_BAD_PROGRAM, "symbol %s has an empty or negative range",
                            symbol.name.c_str());
        }
        for (std::size_t i = 0; i < m_program.expressions.size(); ++i)
            if (!wellFormed(m_program.expressions[i], m_program.symbols.size()))
                return fail(FW_BAD_PROGRAM, "expression %zu is malformed", i);
        for (const Choice& choice : m_program.choices)
            for (const ExpressionId id : choice.conditions)
                if (!expressionExists(id))
                    return fail(FW_BAD_PROGRAM, "a choice names an expression that does not exist");
        for (const Assumption& assumption : m_program.assumptions)
            if (!expressionExists(assumption.condition))
                return fail(FW_BAD_PROGRAM,
                            "an assumption names an expression that does not exist");
        return {};
    }

    Status tensors() const {
        for (std::size_t i = 0; i < m_program.tensors.size(); ++i) {
            const Tensor& tensor = m_program.tensors[i];
            bool known = expressionExists(tensor.bytes);
            for (ExpressionId dim : tensor.dims)
                known = known && expressionExists(dim);
            if (tensor.storage == Storage::View)
                known = known && expressionExists(tensor.viewOffset);
            if (!known)
                return fail(FW_BAD_PROGRAM, "tensor %s names an expression that does not exist",
                            tensor.name.c_str());
            if (Status status = storage(tensor, i); !status.ok())
                return status;
        }
        return {};
    }

    Status storage(const Tensor& tensor, std::size_t id) const {
        switch (tensor.storage) {
        case Storage::Input:
        case Storage::Output: {
            const auto& list =
                tensor.storage == Storage::Input ? m_program.inputs : m_program.outputs;
            if (tensor.index >= list.size() || list[tensor.index] != id)
                return fail(FW_BAD_PROGRAM, "tensor %s is not where the signature says",
                            tensor.name.c_str());
            return {};
        }
        case Storage::Constant:
            return constantInside(tensor);
        case Storage::Arena:
            if (tensor.firstStep > tensor.lastStep ||
                (tensor.lastStep >= m_program.steps.size() && tensor.lastStep != 0))
                return fail(FW_BAD_PROGRAM, "tensor %s has an impossible lifetime",
                            tensor.name.c_str());
            return {};
        case Storage::View:
            if (tensor.base >= id)
                return fail(FW_BAD_PROGRAM, "tensor %s is a view of a later tensor",
                            tensor.name.c_str());
            return {};
        }
        return fail(FW_BAD_PROGRAM, "tensor %s has an unknown storage", tensor.name.c_str());
    }

    Status constantInside(const Tensor& tensor) const {
        const Expression& size = m_program.expressions[tensor.bytes];
        std::int64_t bytes = 0;
        if (usesSymbols(size) || evaluate(size, nullptr, bytes) != Evaluation::Ok || bytes < 0)
            return fail(FW_BAD_PROGRAM, "constant %s has no fixed size", tensor.name.c_str());
        const auto length = static_cast<std::uint64_t>(bytes);
        if (tensor.offset % memoryAlignment != 0 || tensor.offset > m_program.weightsBytes ||
            length > m_program.weightsBytes - tensor.offset)
            return fail(FW_BAD_PROGRAM, "constant %s lies outside the weights",
                        tensor.name.c_str());
        return {};
    }

    Status signature() const {
        for (int side = 0; side < 2; ++side) {
            const auto& list = side == 0 ? m_program.inputs : m_program.outputs;
            const Storage wanted = side == 0 ? Storage::Input : Storage::Output;
            for (std::size_t i = 0; i < list.size(); ++i)
                if (list[i] >= m_program.tensors.size() ||
                    m_program.tensors[list[i]].storage != wanted ||
                    m_program.tensors[list[i]].index != i)
                    return fail(FW_BAD_PROGRAM, "entry %zu of the signature is wrong", i);
        }
        return {};
    }

    Status steps() const {
        std::vector<bool> written(m_program.tensors.size(), false);
        for (std::size_t i = 0; i < m_program.tensors.size(); ++i) {
            const Storage storage = m_program.tensors[i].storage;
            written[i] = storage == Storage::Input || storage == Storage::Constant;
        }
        Branches branches(m_program);
        for (std::size_t s = 0; s < m_program.steps.size(); ++s) {
            const Step& step = m_program.steps[s];
            if (Status status = branches.enter(step, written); !status.ok())
                return status;
            bool known = expressionExists(step.flops) && expressionExists(step.bytes);
            for (ExpressionId value : step.symbols)
                known = known && expressionExists(value);
            for (const BufferUse& use : step.buffers)
                known = known && use.tensor < m_program.tensors.size();
            for (const IndexUse& use : step.indices)
                known =
                    known && use.tensor < m_program.tensors.size() && expressionExists(use.extent);
            if (!known)
                return fail(FW_BAD_PROGRAM, "step %s names something that does not exist",
                            step.name.c_str());
            if (Status status = kernel(step); !status.ok())
                return status;
            if (Status status = uses(step, s, written); !status.ok())
                return status;
        }
        if (Status status = branches.leave(written); !status.ok())
            return status;
        for (TensorId output : m_program.outputs)
            if (!written[output])
                return fail(FW_BAD_PROGRAM, "output %s is never written", nameOf(output));
        return {};
    }

    Status kernel(const Step& step) const {
        if (step.kernel == copyKernel) {
            if (step.buffers.size() != 2 || step.buffers[0].access != Access::Write ||
                step.buffers[1].access != Access::Read)
                return fail(FW_BAD_PROGRAM, "copy step %s wants one output and one input",
                            step.name.c_str());
            return {};
        }
        if (step.kernel == libraryKernel) {
            if (step.call >= m_program.calls.size())
                return fail(FW_BAD_PROGRAM, "step %s names a call that does not exist",
                            step.name.c_str());
            return libraryCall(step, m_program.calls[step.call]);
        }
        if (step.kernel == hostKernel)
            return {};
        if (step.kernel == bindKernel && step.choice != noChoice)
            return fail(FW_BAD_PROGRAM, "step %s binds sizes in a branch", step.name.c_str());
        if (step.kernel == bindKernel)
            return binding(step);
        if (step.kernel == nativeKernel)
            return checkNative(step, m_program);
        if (step.kernel >= m_program.kernelCount)
            return fail(FW_BAD_PROGRAM, "step %s names a kernel that does not exist",
                        step.name.c_str());
        return {};
    }

    Status binding(const Step& step) const {
        if (step.buffers.size() != 1 || step.buffers[0].access != Access::Read ||
            m_program.tensors[step.buffers[0].tensor].type != DataType::I64 || step.binds.empty())
            return fail(FW_BAD_PROGRAM, "step %s wants one buffer of sizes", step.name.c_str());
        for (const std::uint32_t symbol : step.binds)
            if (symbol >= m_program.symbols.size())
                return fail(FW_BAD_PROGRAM, "step %s binds a symbol that does not exist",
                            step.name.c_str());
        return {};
    }

    // Nothing asks for a size before it is known.
    Status sizesInTime() const {
        std::vector<bool> bound(m_program.symbols.size(), false);
        for (const Step& step : m_program.steps)
            for (const std::uint32_t symbol : step.binds) {
                if (bound[symbol])
                    return fail(FW_BAD_PROGRAM, "step %s binds %s again", step.name.c_str(),
                                m_program.symbols[symbol].name.c_str());
                bound[symbol] = true;
            }
        const Phases phases = phasesOf(m_program);
        if (phases.count == 1)
            return {};
        for (const TensorId input : m_program.inputs)
            if (phases.ofTensor[input] > 0)
                return fail(FW_BAD_PROGRAM, "input %s has a size that is computed", nameOf(input));
        for (std::size_t s = 0; s < m_program.steps.size(); ++s) {
            const Step& step = m_program.steps[s];
            const std::uint32_t now = phases.ofStep[s];
            bool known = true;
            const auto ask = [&](ExpressionId id) {
                known = known && phases.of(m_program.expressions[id]) <= now;
            };
            for (const BufferUse& use : step.buffers)
                known = known && phases.ofTensor[use.tensor] <= now;
            for (const ExpressionId id : step.symbols)
                ask(id);
            for (const IndexUse& use : step.indices) {
                known = known && phases.ofTensor[use.tensor] <= now;
                ask(use.extent);
            }
            if (step.choice != noChoice)
                for (const ExpressionId id : m_program.choices[step.choice].conditions)
                    ask(id);
            if (step.kernel == libraryKernel)
                forEachExpression(m_program.calls[step.call], ask);
            if (!known)
                return fail(FW_BAD_PROGRAM, "step %s uses a size before it is known",
                            step.name.c_str());
        }
        return {};
    }

    Status libraryCall(const Step& step, const LibraryCall& call) const {
        if (Status status =
                checkCall(call, step.buffers.size(), m_program.expressions.size(), step.name);
            !status.ok())
            return status;
        for (const UserTensor& tensor : call.user.tensors) {
            if (tensor.role == UserRole::Inner)
                continue;
            const BufferUse& use = step.buffers[tensor.buffer];
            if (m_program.tensors[use.tensor].type != tensor.type ||
                (tensor.role == UserRole::Output) == (use.access == Access::Read))
                return fail(FW_BAD_PROGRAM, "step %s: a buffer does not fit its tensor",
                            step.name.c_str());
        }
        for (const CallArgument& argument : call.arguments) {
            const BufferUse& use = step.buffers[argument.buffer];
            if (m_program.tensors[use.tensor].type != DataType::F32 ||
                (argument.role == Role::Output) == (use.access == Access::Read))
                return fail(FW_BAD_PROGRAM, "step %s: a buffer does not fit its argument",
                            step.name.c_str());
            if (!argument.layout.empty() && argument.role == Role::Weights &&
                m_program.tensors[use.tensor].storage != Storage::Constant)
                return fail(FW_BAD_PROGRAM, "step %s: packed weights are no constant",
                            step.name.c_str());
        }
        return {};
    }

    // Reads are judged before the writes of the same step: a kernel that needs its own output says
    // ReadWrite after an earlier step wrote it.
    Status uses(const Step& step, std::size_t index, std::vector<bool>& written) const {
        std::vector<BufferUse> all = step.buffers;
        for (const IndexUse& use : step.indices) {
            const DataType type = m_program.tensors[use.tensor].type;
            if (type < DataType::I8 || type > DataType::U64 || use.stride == 0)
                return fail(FW_BAD_PROGRAM, "step %s: %s holds no places", step.name.c_str(),
                            nameOf(use.tensor));
            all.push_back({use.tensor, Access::Read});
        }
        for (const BufferUse& use : all) {
            const TensorId root = rootOf(m_program, use.tensor);
            const Tensor& tensor = m_program.tensors[root];
            if (tensor.storage == Storage::Arena &&
                (index < tensor.firstStep || index > tensor.lastStep))
                return fail(FW_BAD_PROGRAM, "step %s uses %s outside its lifetime",
                            step.name.c_str(), tensor.name.c_str());
            if (use.access != Access::Write && !written[root])
                return fail(FW_BAD_PROGRAM, "step %s reads %s before it is written",
                            step.name.c_str(), tensor.name.c_str());
            if (use.access != Access::Read &&
                (tensor.storage == Storage::Input || tensor.storage == Storage::Constant))
                return fail(FW_BAD_PROGRAM, "step %s writes %s, which is read-only",
                            step.name.c_str(), tensor.name.c_str());
        }
        for (const BufferUse& use : step.buffers)
            if (use.access != Access::Read)
                written[rootOf(m_program, use.tensor)] = true;
        return {};
    }

    const Program& m_program;
};

} // namespace

Status checkProgram(const Program& program) {
    return Checker(program).check();
}

} // namespace fw::runtime
