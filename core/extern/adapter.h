// What the implementations of all libraries have in common: a function that writes the step, and
// the question to the library before a node is claimed.
#pragma once

#include "extern/extern.h"

namespace fw {

// Extents that stand for free dimensions in questions.
constexpr std::int64_t typicalExtent = 16;

class ExternImplementation : public Implementation {
public:
    using Build = Result<ExternCall> (*)(const CallSite&);
    // How the tensors of a call lie where the plan is free.
    enum class Order : std::uint8_t { Any, Rows, ChannelsLast };
    struct Computed {
        std::string op;
        Build build;
    };
    struct Row {
        std::string name;
        int priority;
        std::vector<Computed> operators;
        Order order;
    };

    ExternImplementation(const Library& library, Row row)
        : m_library(library), m_row(std::move(row)) {}

    const std::string& name() const override { return m_row.name; }
    const Library* library() const override { return &m_library; }
    int priority() const override { return m_row.priority; }
    Acceptance accepts(const Workload& anchor, const Target& target) const override;
    Acceptance absorbsPrologue(const Workload& before, const Workload& anchor) const override;
    double estimate(const Facts& work, const Workload& anchor, const Target& target) const override;
    Result<Lowering> lower(const GroupSite& group, const Target& target) const override;
    LayoutWish wants(const Graph& graph, const Node& node, const Target& target) const override;

    // The finished call for the layouts of the plan.
    virtual Result<ExternCall> call(const CallSite& site, const Target& target) const = 0;

protected:
    // A site as it will probably be, for questions before layouts are known.
    CallSite probe(const Workload& anchor, std::vector<NodeId> epilogue) const;
    // The part of absorbsEpilogue that does not depend on the library: types, then `ask`.
    Acceptance absorbs(const Growing& group, const Workload& next,
                       const std::function<Acceptance(const CallSite&)>& ask) const;
    // Of an anchor that is one of its operators.
    Result<ExternCall> build(const CallSite& site) const;
    bool images() const { return m_row.order == Order::ChannelsLast; }
    // The library's word on a built call.
    virtual Acceptance ask(const ExternCall& call, const Target& target) const = 0;

private:
    const Computed* find(const Node& node) const; // nullptr: none of its operators

    const Library& m_library;
    Row m_row;
};

runtime::LibraryId builtInId(const Library& library); // of one with a row in libraries/rows.def

// Status of a library as the strategy knows it, opened on the first question.
LibraryStatus statusOf(runtime::LibraryId library);

#define FW_LIBRARY(id, ...) std::shared_ptr<const Library> make##id();
#include "libraries/rows.def"

} // namespace fw
