#include "session/makers.h"

#include "base/library_names.h"

namespace fw {

using snapshot::Maker;
using snapshot::MakerRecord;

namespace {

// Plans have many of a few.
MakerRecord ofLibrary(const std::string& name) {
    static const std::vector<SharedText> builtIn = [] {
        std::vector<SharedText> out;
        for (const LibraryNames& library : builtInLibraries())
            out.emplace_back(library.name);
        return out;
    }();
    const auto row = builtInLibrary(name);
    return {Maker::Library, row ? builtIn[*row] : SharedText(name)};
}

MakerRecord makerOf(const ImplementationPtr& implementation) {
    if (!implementation)
        return {};
    const Library* library = implementation->library();
    return library ? ofLibrary(library->name()) : MakerRecord{Maker::Generated, {}};
}

} // namespace

MakerRecord makerOf(const Group& group) {
    if (group.isHost())
        return {group.runtimeKernel.empty() ? Maker::Reference : Maker::Runtime, {}};
    return makerOf(group.by);
}

MakerRecord makerOf(const Candidate& candidate) {
    if (!candidate.by) // there is no code of this name here
        if (const std::string library = libraryOfCall(candidate.implementation); !library.empty())
            return ofLibrary(library);
    return makerOf(candidate.by);
}

MakerRecord makerOf(const runtime::Program& program, const runtime::Step& step) {
    switch (step.kernel) {
    case runtime::libraryKernel:
        return ofLibrary(runtime::libraryText(program.calls[step.call]));
    case runtime::copyKernel:
    case runtime::bindKernel:
        return {};
    case runtime::hostKernel:
        return {Maker::Reference, {}};
    case runtime::nativeKernel:
        return {Maker::Runtime, {}};
    default:
        return {Maker::Generated, {}};
    }
}

} // namespace fw
