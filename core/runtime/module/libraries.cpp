// The one door to the library calls: nothing else in a module refers to them.
#include "runtime/module/contents.h"
#include "runtime/own_place.h"
#include "runtime/user_library.h"

#include <cstdlib>

namespace fw::runtime {

namespace {

// A user's library lies beside the module, or where a variable says.
Status prepareCallInModule(const ShapedCall& call, int threads,
                           std::unique_ptr<PreparedCall>& prepared) {
    if (call.library != LibraryId::User || openedUserLibrary(call.user.library))
        return prepareCall(call, threads, prepared);
    const std::string variable = userLibraryVariable(call.user.library);
    const char* set = std::getenv(variable.c_str());
    if (set && *set == '\0')
        return fail(FW_LIBRARY_MISSING, "the library %s is switched off by %s",
                    call.user.library.c_str(), variable.c_str());
    const std::string path = set ? std::string(set) : besideOwnFile(call.user.file);
    const UserLibrary& library = openUserLibrary(call.user.library, path, {});
    if (library.info.presence != LibraryPresence::Ready)
        return fail(FW_LIBRARY_MISSING,
                    "the library %s cannot be used (%s): put %s beside this module, or let %s name "
                    "it",
                    call.user.library.c_str(), library.info.reason.c_str(), call.user.file.c_str(),
                    variable.c_str());
    return prepareCall(call, threads, prepared);
}

} // namespace

} // namespace fw::runtime

extern "C" {
const fw::runtime::PrepareCall fw_prepare_call = fw::runtime::prepareCallInModule;
}
