#include "libraries/cblas/plan/products.h"

#include "extern/shapes.h"

#include <mutex>
#include <optional>
#include <utility>

namespace fw {

namespace {

class Gemm final : public ExternImplementation {
public:
    using ExternImplementation::ExternImplementation;

    Acceptance absorbsEpilogue(const Growing&, const Workload&) const override {
        return {Verdict::No, ReasonCode::AbsorbsNothing, name()};
    }

    Result<ExternCall> call(const CallSite& site, const Target& target) const override {
        if (!site.epilogue.empty())
            return makeDiag(DiagCode::LibraryFailed, "it absorbs nothing");
        FW_TRY(ExternCall call, build(site));
        if (const Acceptance answer = ask(call, target); !answer.yes())
            return makeDiag(DiagCode::LibraryFailed, answer.evidence);
        call.kernel = "cblas_sgemm:" + runtime::libraryInfo(site.library).core;
        return call;
    }

protected:
    Acceptance ask(const ExternCall& call, const Target& target) const override {
        std::unique_ptr<runtime::PreparedCall> ignored;
        const runtime::Status status = runtime::prepareCall(
            shaped(call.steps.front(), typicalExtent), target.threads, ignored);
        if (!status.ok())
            return {Verdict::No, ReasonCode::LibraryRefused, status.message};
        return {Verdict::Yes, ReasonCode::LibraryTakes, "cblas_sgemm"};
    }
};

class Products final : public Library {
public:
    Products(runtime::LibraryId library, std::string call, int priority,
             std::span<const Efficiency> reached)
        : m_name(runtime::libraryText(library)), m_id(library), m_call(std::move(call)),
          m_priority(priority), m_reached(reached) {}

    const std::string& name() const override { return m_name; }
    const LibraryStatus& status() const override {
        const std::lock_guard lock(m_mutex);
        if (!m_status)
            m_status = statusOf(m_id);
        return *m_status;
    }
    std::span<const Efficiency> efficiencies() const override { return m_reached; }
    std::vector<std::shared_ptr<const Implementation>> implementations() const override {
        using Row = ExternImplementation::Row;
        using Order = ExternImplementation::Order;
        return {std::make_shared<Gemm>(*this,
                                       Row{m_call,
                                           m_priority,
                                           {{"dense", buildDense}, {"batch_matmul", buildMatmul}},
                                           Order::Rows})};
    }

private:
    std::string m_name;
    runtime::LibraryId m_id;
    std::string m_call;
    int m_priority;
    std::span<const Efficiency> m_reached;
    mutable std::mutex m_mutex;
    mutable std::optional<LibraryStatus> m_status; // once it was asked for
};

} // namespace

std::shared_ptr<const Library> makeProducts(runtime::LibraryId library, std::string call,
                                            int priority, std::span<const Efficiency> reached) {
    return std::make_shared<Products>(library, std::move(call), priority, reached);
}

} // namespace fw
