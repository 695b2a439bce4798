#include "runtime/size_text.h"

#include <algorithm>

namespace fw::runtime {

namespace {

constexpr std::int64_t unbound = -1;

const std::string& nodeOf(const Step& step) {
    return step.nodes.empty() ? step.name : step.nodes.front();
}

// A tensor that was put beside a node to hold its sizes has the name of the node and a suffix,
// which nobody wrote.
bool isOfNode(const std::string& tensor, const std::string& node) {
    return tensor.compare(0, node.size() + 1, node + ".") == 0;
}

std::string elementText(std::size_t element) {
    return "element " + std::to_string(element) + " of ";
}

// "N", "N (element 0 of shape)", "element 0 of the sizes that find computes": what the model says
// of the dimension.
std::string dimensionText(const Program& program, std::uint32_t symbol) {
    const std::string& name = program.symbols[symbol].name;
    for (const Step& step : program.steps) {
        const auto at = std::find(step.binds.begin(), step.binds.end(), symbol);
        if (at == step.binds.end())
            continue;
        const std::string& tensor = program.tensors[step.buffers[0].tensor].name;
        const std::string element = elementText(static_cast<std::size_t>(at - step.binds.begin()));
        if (isOfNode(tensor, nodeOf(step)))
            return element + "the sizes that " + nodeOf(step) + " computes";
        return name + " (" + element + tensor + ")";
    }
    return name;
}

} // namespace

std::string boundSizeText(const Program& program, const Step& step, std::size_t element,
                          std::int64_t size) {
    const std::string& tensor = program.tensors[step.buffers[0].tensor].name;
    if (!isOfNode(tensor, nodeOf(step)))
        return elementText(element) + tensor;
    return elementText(element) + "the sizes that it computes" +
           (size == -1 ? ", as where an axis is named that is not there" : "");
}

std::string sizesText(const Program& program, const Expression& expression,
                      const std::vector<std::int64_t>& values) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (const Instruction& instruction : expression.code)
            if (instruction.op == Op::Symbol && instruction.value == static_cast<std::int64_t>(i) &&
                values[i] != unbound) {
                out += (out.empty() ? "; here " : ", ") +
                       dimensionText(program, static_cast<std::uint32_t>(i)) + " is " +
                       std::to_string(values[i]);
                break;
            }
    return out;
}

} // namespace fw::runtime
