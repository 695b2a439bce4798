// Where the code that runs here lies: the shared library of a module, or the program that a static
// one is linked into.
#pragma once

#include <string>

namespace fw::runtime {

// The file `name` beside it. The folder is where the file really lies as the system tells it,
// whatever the working directory is now and through whichever link it was opened; where there is
// no such file, it is that of the name by which it was opened.
std::string besideOwnFile(const std::string& name);

} // namespace fw::runtime
