#include "runtime/user_library.h"

#include "runtime/breadcrumb.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

namespace fw::runtime {

namespace {

constexpr std::int32_t mostKernels = 10000;
constexpr std::size_t longestName = 200;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::vector<UserLibrary*>* opened = nullptr; // never freed: threads may still ask at exit

class Lock {
public:
    Lock() { pthread_mutex_lock(&mutex); }
    ~Lock() { pthread_mutex_unlock(&mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

UserLibrary* known(const std::string& name) {
    if (!opened)
        return nullptr;
    for (UserLibrary* library : *opened)
        if (library->name == name)
            return library;
    return nullptr;
}

bool isName(const char* text) {
    const std::size_t length = strnlen(text, longestName);
    for (std::size_t i = 0; i < length; ++i) {
        const char c = text[i];
        if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
              (c >= 'A' && c <= 'Z')))
            return false;
    }
    return length > 0 && length < longestName;
}

std::string whyNotKernels(const fwl_library& descriptor) {
    if (descriptor.kernel_count < 1 || descriptor.kernel_count > mostKernels || !descriptor.kernels)
        return "its descriptor has no kernels (kernel_count is " +
               std::to_string(descriptor.kernel_count) + ")";
    for (std::int32_t i = 0; i < descriptor.kernel_count; ++i) {
        const fwl_kernel& kernel = descriptor.kernels[i];
        if (!kernel.name || !isName(kernel.name))
            return "its kernel number " + std::to_string(i) +
                   " has no name of letters, digits and _";
        if (!kernel.check || !kernel.run)
            return std::string("its kernel ") + kernel.name + " has no function " +
                   (kernel.check ? "run" : "check");
        for (std::int32_t j = 0; j < i; ++j)
            if (std::strcmp(descriptor.kernels[j].name, kernel.name) == 0)
                return std::string("it has two kernels called ") + kernel.name;
    }
    return {};
}

std::string whyNot(const std::string& name, const fwl_library* descriptor) {
    if (!descriptor)
        return "fusewright_library() returned no descriptor";
    if (descriptor->abi_version != FWL_ABI_VERSION)
        return "it was compiled for version " + std::to_string(descriptor->abi_version) +
               " of fusewright_library.h, this is version " + std::to_string(FWL_ABI_VERSION);
    if (descriptor->struct_size < sizeof(fwl_library))
        return "its descriptor has a struct_size of " + std::to_string(descriptor->struct_size) +
               ", not sizeof(fwl_library)";
    if (!descriptor->name || !isName(descriptor->name))
        return "its descriptor has no name of letters, digits and _";
    if (name != descriptor->name)
        return std::string("it calls itself ") + descriptor->name + ", not " + name;
    return whyNotKernels(*descriptor);
}

void open(UserLibrary& library) {
    const Crumb crumb{"opening " + library.name + " (" + library.info.path + ")", library.name, {}};
    const Breadcrumb at(crumb);
    void* handle = dlopen(library.info.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    library.info.presence = LibraryPresence::Unusable;
    if (!handle) {
        const char* error = dlerror();
        library.info.reason = error ? error : "it cannot be opened";
        return;
    }
    using Entry = const fwl_library* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(handle, "fusewright_library"));
    if (!entry) {
        library.info.reason = "it has no function fusewright_library, or does not export it";
        return;
    }
    library.descriptor = entry();
    library.info.reason = whyNot(library.name, library.descriptor);
    if (!library.info.reason.empty())
        return;
    library.info.presence = LibraryPresence::Ready;
    if (library.descriptor->version)
        library.info.version.assign(library.descriptor->version,
                                    strnlen(library.descriptor->version, longestName));
}

} // namespace

const fwl_kernel* UserLibrary::find(const std::string& kernel) const {
    if (info.presence == LibraryPresence::Ready)
        for (std::int32_t i = 0; i < descriptor->kernel_count; ++i)
            if (kernel == descriptor->kernels[i].name)
                return &descriptor->kernels[i];
    return nullptr;
}

std::string UserLibrary::kernels() const {
    std::string out;
    if (info.presence == LibraryPresence::Ready)
        for (std::int32_t i = 0; i < descriptor->kernel_count; ++i)
            out += (out.empty() ? "" : ", ") + std::string(descriptor->kernels[i].name);
    return out;
}

const UserLibrary& openUserLibrary(const std::string& name, const std::string& path,
                                   const std::string& content) {
    const Lock lock;
    if (UserLibrary* library = known(name))
        return *library;
    auto* library = new UserLibrary;
    library->name = name;
    library->content = content;
    library->info.path = path;
    open(*library);
    if (!opened)
        opened = new std::vector<UserLibrary*>;
    opened->push_back(library);
    return *library;
}

const UserLibrary* openedUserLibrary(const std::string& name) {
    const Lock lock;
    return known(name);
}

std::string userLibraryVariable(const std::string& name) {
    std::string out = "FUSEWRIGHT_";
    for (const char c : name)
        out += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return out;
}

} // namespace fw::runtime
