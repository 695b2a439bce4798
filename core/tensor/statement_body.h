// The right side of a statement of an operator as an expression: reads of tensors proved in range
// or guarded (else UnsafeAccess), nested reductions hoisted into stages of their own.
#pragma once

#include "tensor/inst_builder.h"

namespace fw {

class StatementBody final : public TreeEvaluator {
public:
    StatementBody(InstBuilder& builder, const Statement& in);

    Names& locals() { return m_locals; }
    void setAxes(const std::vector<Axis>& axes) { m_axes = axes; }

    Result<Reducer> reducerOf(const Tree& tree) const;
    // The variables of a reduction become axes, locals of what follows.
    Result<std::vector<Axis>> enter(const Tree& tree);
    // What `tree` reduces over the axes that were entered.
    Result<Expr> reducedBody(const Tree& tree, Reducer reducer);

protected:
    const NameValue* find(const std::string& name) const override;
    Result<bool> present(const std::string& parameter, const Where& where) const override;
    std::optional<Result<Expr>> perElement(const std::string& function,
                                           const std::string& dim) override;
    std::optional<DiagCode> refusesZero(const Tree& divisor) const override;
    bool isTensor(const std::string& name) const override;
    Result<Expr> load(const Tree& tree) override { return read(tree, Guarded::No); }
    Result<Expr> pad(const Tree& tree) override;
    Result<Expr> reduce(const Tree& tree) override;

private:
    // Whether what is outside the tensor is asked for.
    enum class Guarded : std::uint8_t { No, Yes };
    struct Access {
        Exprs indices;
        bool nothing = false; // an index was brought into the range of no element
    };

    Result<Expr> read(const Tree& tree, Guarded guarded);
    Result<Access> placeOf(const Tree& tree, const Readable& tensor, Guarded guarded,
                           const Ranges& known);
    Result<std::vector<bool>> broughtIntoRange(const std::vector<Tree>& written);
    Result<Expr> loopExtent(const std::string& name, const Tree& tree, Expr extent,
                            const std::vector<Axis>& entered) const;
    Expr hoist(Stage stage, const std::vector<Axis>& space, const Expr& body);

    InstBuilder& m_builder;
    const Statement m_in;
    Names m_locals;
    std::vector<Axis> m_axes;
};

} // namespace fw
