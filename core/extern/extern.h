// The libraries that we have adapters for, and the call that a group becomes.
#pragma once

#include "base/result.h"
#include "extern/call.h"
#include "strategy/library.h"

namespace fw {

// All of them, present or not, in the order in which the shipped book prefers them.
const std::vector<std::shared_ptr<const Library>>& externLibraries();
const Library* externLibrary(std::string_view name);

// Holds the libraries that `target` may use to its instruction set (runtime/library_level.h).
// LibraryLevel if one of them was opened at another one: a fresh process is needed.
Status holdLibraries(const Target& target);

// Holds them; those that `target` names must be there (LibraryMissing, with the package); of those
// that it does not name, the missing ones are told as notices, and so is one that computes at a
// lower level than the target's, because of this CPU or of the environment.
Status checkLibraries(const Target& target, Decisions& notices);

// What to do about a library that cannot be used, for people.
std::string howToMend(const LibraryStatus& status);

} // namespace fw
