// What the exporter puts beside this code into a module, in an assembler file that it writes: the
// program, the kernel table, the metadata, and the weights or the name of their file. Hidden
// symbols, all read-only.
#pragma once

#include "runtime/kernel_abi.h"
#include "runtime/libraries.h"

#include <cstddef>
#include <cstdint>

extern "C" {
#pragma GCC visibility push(hidden)
extern const std::uint8_t fw_program_blob[];
extern const std::uint64_t fw_program_blob_size;
extern const fw_kernel fw_kernel_table[];
extern const std::uint64_t fw_kernel_table_size;
// &fw_prepare_call if a step calls a library, else null: then the linker drops that code.
extern const fw::runtime::PrepareCall* const fw_module_libraries;
extern const fw::runtime::PrepareCall fw_prepare_call;
extern const char fw_module_metadata[];     // JSON, zero-terminated
extern const char fw_module_weights_name[]; // "resnet18.weights"
// The contents of that file if the module holds them, else null.
extern const std::byte* const fw_module_weights;
extern const std::uint64_t fw_module_weights_size;
#pragma GCC visibility pop
}
