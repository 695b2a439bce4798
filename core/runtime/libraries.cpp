#include "runtime/libraries.h"

#include "runtime/memory.h"
#include "runtime/user_kernel.h"

namespace fw::runtime {

const LibraryInfo& libraryInfo(LibraryId library) {
    return codeOf(library).info();
}

Status whyNotUsed(const LibraryInfo& info, const char* name) {
    if (info.presence == LibraryPresence::Ready) {
        if (KeptRoom(roomOfLibraries).isThere())
            return {};
        return fail(FW_OUT_OF_MEMORY, "%s needs more: %zu bytes of memory are not available", name,
                    roomOfLibraries);
    }
    // Words of glibc's loader, and of the C library for ENOMEM.
    for (const char* words : {"failed to map segment", "annot allocate memory", "cannot map"})
        if (info.reason.find(words) != std::string::npos)
            return fail(FW_OUT_OF_MEMORY, "%s cannot be opened: %s", name, info.reason.c_str());
    return fail(FW_LIBRARY_MISSING, "%s cannot be used (%s): install the package %s", name,
                info.reason.c_str(), info.package.c_str());
}

namespace {

// Nothing to compute: the output is empty.
class NoCall final : public PreparedCall {
public:
    Status run(void* const*, void*) override { return {}; }
};

// Of a user's library: every output is empty.
bool computesNothing(const ShapedCall& call) {
    if (call.library != LibraryId::User)
        return false;
    for (std::size_t i = 0; i < call.userDims.size(); ++i) {
        bool empty = call.user.tensors[i].role != UserRole::Output;
        for (const std::int64_t extent : call.userDims[i])
            empty = empty || extent == 0;
        if (!empty)
            return false;
    }
    return true;
}

} // namespace

Status prepareCall(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared) {
    const ShapedArgument* output = call.find(Role::Output);
    if ((output && output->elements() == 0) || computesNothing(call)) {
        prepared.reset(new NoCall);
        return {};
    }
    if (call.library == LibraryId::User)
        return prepareUserCall(call, threads, prepared);
    return codeOf(call.library).prepare(call, threads, prepared);
}

} // namespace fw::runtime
