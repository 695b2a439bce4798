// A model written as text: a `.fw` file with one graph, and operators of its own if it declares
// some.
#pragma once

#include "onnx/read/import.h"

namespace fw {

bool isGraphFile(const std::string& path); // by its name: "net.fw"

// Whether a model's file says more than what the model is: rules, blocks, pins, includes. It is a
// book then, too. False of a file that cannot be read.
bool isBookOfItsOwn(const std::string& path);

// As importModel does: unknown operators open and are named as what stops `run`. Constants that are
// written by name and hash only are read from a file beside the text (tensorFile) and refused
// (UnknownName) without one.
Result<Imported> readGraphFile(const std::string& path,
                               std::shared_ptr<const OperatorSet> operators,
                               const std::map<std::string, std::int64_t>& dims,
                               const std::map<std::string, std::string>& types = {});
// The same from text; `path` is for messages.
Result<Imported> parseGraphFile(std::string_view text, const std::string& path,
                                std::shared_ptr<const OperatorSet> operators,
                                const std::map<std::string, std::int64_t>& dims,
                                const std::map<std::string, std::string>& types = {});

// FOLDER/NAME.npy, or NAME.pb of an element type that NumPy has not; what may not be part of a
// file's name becomes _.
std::string tensorFile(const std::string& folder, const std::string& name, DType dtype);

} // namespace fw
