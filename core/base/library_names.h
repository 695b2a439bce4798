// What libraries are called elsewhere: dnnl and mkldnn are onednn, cblas is openblas.
#pragma once

#include <string>
#include <string_view>

namespace fw {

// The name that is shown for one that users write, which is that name itself if it is no other
// spelling. Of a call it stands in front of the point: "dnnl.matmul" is "onednn.matmul".
std::string libraryMeant(std::string_view written);

} // namespace fw
