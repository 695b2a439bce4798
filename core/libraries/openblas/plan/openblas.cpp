// OpenBLAS: single-precision matrix products. It absorbs nothing.
#include "extern/adapter.h"
#include "extern/shapes.h"

namespace fw {

namespace {

// Measured on an EPYC 9004 by tests/bench/calls.cpp.
constexpr Efficiency efficiencyTable[] = {
    {WorkClass::Product, 0.8, 0.4},
    {WorkClass::FewRows, 0.3, 0.2},
};

Result<ExternCall> dense(const CallSite& site) {
    return buildDense(site, runtime::LibraryId::OpenBlas);
}
Result<ExternCall> matmul(const CallSite& site) {
    return buildMatmul(site, runtime::LibraryId::OpenBlas);
}

class Gemm final : public ExternImplementation {
public:
    using ExternImplementation::ExternImplementation;

    Answer absorbsEpilogue(const Growing&, const Workload&) const override {
        return {Verdict::No, ReasonCode::AbsorbsNothing, name()};
    }

    Result<ExternCall> call(const CallSite& site, const Target& target) const override {
        if (!site.epilogue.empty())
            return makeDiag(DiagCode::LibraryFailed, "it absorbs nothing");
        FW_TRY(ExternCall call, build(site));
        if (const Answer answer = ask(call, target); !answer.yes())
            return makeDiag(DiagCode::LibraryFailed, answer.evidence);
        call.kernel = "cblas_sgemm:" + runtime::libraryInfo(runtime::LibraryId::OpenBlas).core;
        return call;
    }

protected:
    Answer ask(const ExternCall& call, const Target& target) const override {
        std::unique_ptr<runtime::PreparedCall> ignored;
        const runtime::Status status = runtime::prepareCall(
            shaped(call.steps.front(), typicalExtent), target.threads, ignored);
        if (!status.ok())
            return {Verdict::No, ReasonCode::LibraryRefused, status.message};
        return {Verdict::Yes, ReasonCode::LibraryTakes, "cblas_sgemm"};
    }
};

class OpenBlas final : public Library {
public:
    const std::string& name() const override { return m_name; }
    const LibraryStatus& status() const override {
        static const LibraryStatus status = statusOf(runtime::LibraryId::OpenBlas);
        return status;
    }
    std::span<const Efficiency> efficiencies() const override { return efficiencyTable; }
    std::vector<std::shared_ptr<const Implementation>> implementations() const override {
        using Row = ExternImplementation::Row;
        using Order = ExternImplementation::Order;
        return {std::make_shared<Gemm>(
            *this,
            Row{"openblas.sgemm", 12, {{"dense", dense}, {"batch_matmul", matmul}}, Order::Rows})};
    }

private:
    std::string m_name = "openblas";
};

} // namespace

std::shared_ptr<const Library> makeOpenBlas() {
    return std::make_shared<OpenBlas>();
}

} // namespace fw
