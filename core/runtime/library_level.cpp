#include "runtime/library_level.h"

#include "runtime/cpu.h"

#include <pthread.h>

namespace fw::runtime {

namespace {

struct Hold {
    std::string wanted;
    std::string level; // once opened
    bool opened = false;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Hold* holds[16] = {}; // by LibraryId; never freed: threads may still ask at exit

class Lock {
public:
    Lock() { pthread_mutex_lock(&mutex); }
    ~Lock() { pthread_mutex_unlock(&mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    Hold& of(LibraryId library) {
        Hold*& hold = holds[static_cast<std::size_t>(library)];
        if (!hold)
            hold = new Hold;
        return *hold;
    }
};

// What the CPU plays at best; nullptr if no row fits.
const LibraryLevel* bestHere(LibraryId library) {
    const LibraryLevel* best = nullptr;
    for (const LibraryLevel& level : libraryLevels(library))
        if (playsHere(level))
            best = &level;
    return best;
}

} // namespace

LibraryLevels libraryLevels(LibraryId library) {
    return codeOf(library).levels;
}

bool playsHere(const LibraryLevel& level) {
    return (level.features & ~cpuInfo().features) == 0;
}

bool isBelow(LibraryId library, const std::string& level, const std::string& wanted) {
    const LibraryLevel *has = libraryLevels(library).find(level),
                       *asked = libraryLevels(library).find(wanted);
    return has && asked && has->rank < asked->rank;
}

std::string levelOn(LibraryId library, std::uint64_t features, const std::string& vendor) {
    std::string out;
    for (const LibraryLevel& level : libraryLevels(library))
        if ((level.features & ~features) == 0 && !level.onlyWhereAsked &&
            (level.vendor == nullptr || vendor == level.vendor))
            out = level.name;
    return out;
}

std::string ownLevel(LibraryId library) {
    return codeOf(library).knowsCpus ? std::string()
                                     : levelOn(library, cpuInfo().features, cpuInfo().vendor);
}

std::string levelFor(LibraryId library, const std::string& wanted) {
    const LibraryLevel* best = bestHere(library);
    const std::string own = ownLevel(library);
    std::string level = own;
    int rank = best ? best->rank : 0;
    for (const std::string& name : {wanted, codeOf(library).environmentLevel()}) {
        if (name.empty())
            continue;
        const LibraryLevel* row = libraryLevels(library).find(name);
        if (row && (!playsHere(*row) || row->rank > rank))
            continue;
        level = row ? row->name : name;
        rank = row ? row->rank : 0;
    }
    // oneDNN takes the best that there is by itself.
    const bool unheld = level == own || (own.empty() && best && level == best->name);
    return unheld ? std::string() : level;
}

Status holdLibrary(LibraryId library, const std::string& wanted) {
    Lock lock;
    Hold& hold = lock.of(library);
    const std::string level = levelFor(library, wanted);
    if (!hold.opened) {
        hold.wanted = wanted;
        return {};
    }
    if (hold.level == level)
        return {};
    const char* const own = "its own choice";
    return fail(FW_LIBRARY_FAILED, "%s was opened at %s in this process, not at %s",
                libraryText(library), hold.level.empty() ? own : hold.level.c_str(),
                level.empty() ? own : level.c_str());
}

FixedLevel fixLevel(LibraryId library) {
    Lock lock;
    Hold& hold = lock.of(library);
    hold.level = levelFor(library, hold.wanted);
    hold.opened = true;
    return {hold.level, !hold.wanted.empty()};
}

} // namespace fw::runtime
