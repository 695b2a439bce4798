#include "runtime/libraries.h"

#include "runtime/onednn_table.h"
#include "runtime/openblas_table.h"

namespace fw::runtime {

const LibraryInfo& libraryInfo(LibraryId library) {
    switch (library) {
    case LibraryId::OneDnn:
        return oneDnn().info;
    case LibraryId::OpenBlas:
        break;
    }
    return openBlas().info;
}

namespace {

// Nothing to compute: the output is empty.
class NoCall final : public PreparedCall {
public:
    Status run(void* const*, void*) override { return {}; }
};

} // namespace

Status prepareCall(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared) {
    const ShapedArgument* output = call.find(Role::Output);
    if (output && output->elements() == 0) {
        prepared.reset(new NoCall);
        return {};
    }
    switch (call.library) {
    case LibraryId::OneDnn:
        return prepareOneDnn(call, threads, prepared);
    case LibraryId::OpenBlas:
        break;
    }
    return prepareOpenBlas(call, threads, prepared);
}

} // namespace fw::runtime
