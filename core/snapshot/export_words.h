// What the options of an export do, in the words of the command line and of the window alike.
#pragma once

namespace fw::snapshot {

inline constexpr const char* embedWords = "weights inside the library, no file beside it";
inline constexpr const char* staticWords = "libNAME.a, which a program links, not a .so";

} // namespace fw::snapshot
