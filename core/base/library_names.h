// How libraries are called, here and elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

// A library that is built in.
struct LibraryNames {
    std::string_view name;  // "onednn"
    std::string_view title; // "oneDNN"
    std::string_view chip;  // "DN"
    std::string_view other; // "dnnl mkldnn"
};

const std::vector<LibraryNames>& builtInLibraries();
// "onednn (dnnl, mkldnn), openblas (cblas)", for people.
std::string builtInLibrariesText();
// Its place among them; nothing for a library of a book, or none.
std::optional<std::size_t> builtInLibrary(std::string_view name);

// The built-in library whose call has this name: "onednn" of "onednn.matmul"; empty: none.
std::string libraryOfCall(std::string_view name);

// The name that is shown for one that users write, which is that name itself if it is no other
// spelling. Of a call it stands in front of the point: "dnnl.matmul" is "onednn.matmul".
std::string libraryMeant(std::string_view written);

} // namespace fw
