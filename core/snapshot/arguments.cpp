#include "snapshot/arguments.h"

namespace fw::snapshot {

Arguments withSaid(Arguments base, const Arguments& said) {
    std::vector<const void*> members; // of `said`, in the order of both
    const auto note = [&](const char*, const auto& member) { members.push_back(&member); };
    fields(note, said);
    auto next = members.begin();
    const auto take = [&]<class T>(const char*, T& member) {
        if (const T& given = *static_cast<const T*>(*next++); given != T())
            member = given;
    };
    fields(take, base);
    return base;
}

} // namespace fw::snapshot
