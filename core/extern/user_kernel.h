// A kernel of a user's library as an implementation: of groups that a composite matched.
#pragma once

#include "extern/call.h"
#include "runtime/user_library.h"
#include "strategy/library.h"

#include <span>

namespace fw {

class UserKernel final : public Implementation {
public:
    UserKernel(std::shared_ptr<const Library> library, const runtime::UserLibrary& opened,
               std::string kernel);

    const std::string& name() const override { return m_name; }
    std::string identity() const override;
    const Library* library() const override { return m_library.get(); }
    Acceptance accepts(const Workload& anchor, const Target& target) const override;
    Acceptance acceptsAll(const Graph& graph, std::span<const NodeId> nodes,
                          const Target& target) const override;
    Acceptance absorbsEpilogue(const Growing& group, const Workload& next) const override;
    Acceptance absorbsPrologue(const Workload& before, const Workload& anchor) const override;
    LayoutWish wants(const Graph& graph, const Node& node, const Target& target) const override;
    double estimate(const Facts& work, const Workload& anchor, const Target& target) const override;
    Result<Lowering> lower(const GroupSite& group, const Target& target) const override;

private:
    Result<ExternStep> step(const Graph& graph, std::span<const NodeId> nodes) const;

    std::shared_ptr<const Library> m_library;
    const runtime::UserLibrary& m_opened;
    std::string m_kernel;
    std::string m_name;
};

} // namespace fw
