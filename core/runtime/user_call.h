// A call of a kernel of a user's library as data: the operators of a match, on which tensors.
//
// It becomes the fwl_call of fusewright_library.h when shapes are known.
#pragma once

#include "runtime/data_type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fw::runtime {

using ExpressionId = std::uint32_t; // into Program::expressions

// Values of these enumerations are part of the program format and those of fusewright_library.h.
enum class UserRole : std::uint8_t { Input = 0, Constant = 1, Inner = 2, Output = 3 };
enum class UserKind : std::uint8_t { Integers = 0, Numbers = 1, Text = 2 };

struct UserTensor {
    DataType type = DataType::F32;
    UserRole role = UserRole::Input;
    std::uint32_t buffer = 0; // into Step::buffers; Inner: none
    std::vector<ExpressionId> dims;
};

struct UserAttribute {
    std::string name;
    UserKind kind = UserKind::Integers;
    std::vector<std::int64_t> integers;
    std::vector<double> numbers;
    std::string text;
};

struct UserStep {
    std::string op;
    std::vector<std::int32_t> operands; // into UserCall::tensors; -1: absent
    std::vector<std::int32_t> results;
    std::vector<UserAttribute> attributes;
};

struct UserCall {
    std::string library; // the name under which a book declares it
    std::string file;    // without folders: "libtoylib.so"
    std::string content; // of the file that was asked while planning: its SHA-256
    std::string kernel;
    std::vector<UserTensor> tensors;
    std::vector<UserStep> steps;
};

} // namespace fw::runtime
