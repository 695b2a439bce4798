// Small random calls of an operator. Operands that are not given, and attributes, are drawn until
// its type inference takes them, so that nothing is known of any operator here.
#pragma once

#include "ir/operator.h"
#include "tensor/draw_values.h"
#include "verdict/known_calls.h"

namespace fw {

// Of a list of integers: what is known of it, and what is drawn with the call.
struct WantedItem {
    std::optional<std::int64_t> value;
    std::string name; // items of one name are one number
};

struct WantedCall {
    const Operator* op = nullptr;
    std::vector<std::optional<TensorType>> operands; // nullopt: to be drawn
    std::vector<std::optional<DType>> dtypes;        // of those that are; nullopt, or none: any
    Attrs attrs;                                     // the others are drawn
    std::map<std::string, std::vector<WantedItem>> lists; // attributes, too
    DType real = DType::F32;                              // the type of most operands
    // Calls that fit (fitting_calls.h): where nothing else fits soon they are followed.
    const std::vector<OpCall>* alike = nullptr;
    int attempts = 400;              // after which there is none
    std::optional<std::size_t> rank; // of the first result, mostly: what reads it takes no other
};

class CallDrawer {
public:
    CallDrawer(Random& random, const Literals& literals, KnownCalls& known)
        : m_random(random), m_literals(literals), m_known(known) {}

    // A call that fits, small enough to be computed at once; nullopt if none was met.
    std::optional<OpCall> draw(const WantedCall& wanted);
    TensorType type(DType dtype);
    std::int64_t extent();
    std::int64_t near(std::int64_t written); // a small number, mostly not below that one
    // A place on an axis of the operand, from either end, or just outside; a step or a count.
    std::int64_t place(const Shape& operand);
    // How often inference was asked.
    std::size_t asked() const { return m_asked; }

private:
    TensorType operand(const std::vector<std::optional<TensorType>>& known, DType real);
    AttrValue integers(const Shape& operand, std::size_t count, const Integers* written);
    // What fits in the place of one that fits, as far as the given operands have its ranks.
    std::optional<OpCall> analogy(const WantedCall& wanted, const OpCall& fitting);
    void likeThose(const WantedCall& wanted, const OpCall& fitting,
                   const std::map<std::int64_t, std::int64_t>& meant, OpCall& out);
    std::optional<AttrValue> attribute(const Operator& op, const std::string& name,
                                       const Shape& operand, std::size_t length);

    Random& m_random;
    const Literals& m_literals;
    KnownCalls& m_known;
    std::vector<std::int64_t> m_extents; // drawn before
    Integers list(const Operator& op, const std::string& name, const std::vector<WantedItem>& items,
                  const Shape& operand, const OpCall* like,
                  std::map<std::string, std::int64_t>& named);
    void drawLists(const WantedCall& wanted, const OpCall* like, OpCall& out);
    // Of the operands that are drawn some hold integers of another type than the others.
    void mixTypes(const WantedCall& wanted, DType real, OpCall& out);
    static std::optional<DType> dtypeOf(const WantedCall& wanted, std::size_t operand);
    DType mostlyDrawn(const WantedCall& wanted);
    void drawOperands(const WantedCall& wanted, const OpCall* sibling, OpCall& out);
    void drawAttributes(const WantedCall& wanted, const OpCall* sibling, OpCall& out);
    // Whether inference takes it, and it is small enough.
    bool fits(const WantedCall& wanted, const OpCall& call);

    // Of the last call of an operator: rules put siblings together.
    std::map<std::string, OpCall> m_last;
    std::size_t m_asked = 0;
};

} // namespace fw
