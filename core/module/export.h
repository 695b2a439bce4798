// Export: a compiled model as files that build and run where nothing of ours is installed.
//
//     libNAME.so      kernels, program and runtime; needs the C library and libm only
//     NAME.h          fusewright.h and the names and shapes of this model
//     NAME.weights    constants, mapped at run time, unless the library holds them
//     NAMEConfig.cmake, NAMEConfigVersion.cmake, CMakeLists.txt, example_main.c, manifest.json
//
// The library is linked by the system's `cc -shared`, or is libNAME.a by `cc -r`, objcopy and ar.
// The same request gives the same bytes on the same toolchain: no paths, times or unordered
// containers get in.
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "runtime/weights.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace fw::module {

struct ObjectCode {
    std::span<const std::byte> bytes; // one relocatable ELF file, position-independent
};

struct ExportRequest {
    std::string name; // C identifier; moduleName makes one
    std::vector<ObjectCode> objects;
    std::vector<std::string> kernels; // symbols in `objects`, in the order of the kernel table
    runtime::Program program;         // metadata included; weightsHash is filled in here
    runtime::Weights weights;
    std::string compiler = "cc";
    // Shared libraries of the user that steps call, which are copied beside the module.
    std::vector<std::string> userLibraries = {};
    bool embedsWeights = false; // in the library instead of NAME.weights
    bool isStatic = false;      // libNAME.a instead of libNAME.so

    std::string library() const { return "lib" + name + (isStatic ? ".a" : ".so"); }
    std::string weightsFile() const { return name + ".weights"; }
};

struct ExportReport {
    std::string directory;
    std::vector<std::string> files; // relative, sorted
    std::string abi;
    std::string target;
    std::vector<std::string> libraries;        // that libNAME.so opens, such as onednn
    std::map<std::string, std::string> sha256; // of every file but the manifest
};

// "ResNet 18.onnx" -> "resnet_18_onnx": lower case, other characters become '_', never empty. Names
// of what a program links or includes anyway get "model_" before them.
std::string moduleName(std::string_view text);

// Writes into `directory`, which is made if it does not exist; files of other names stay. Nothing
// is changed there unless everything could be built. FileUnwritable, ExportFailed, Cancelled.
Result<ExportReport> exportModule(const ExportRequest& request, const std::string& directory,
                                  const CancelToken& cancel = {});

} // namespace fw::module
