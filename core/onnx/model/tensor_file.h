// Tensors in files: TensorProto (.pb, as the ONNX backend tests use) and NumPy (.npy), and the
// layout of a backend-test folder: model.onnx beside test_data_set_K/input_J.pb and output_J.pb.
#pragma once

#include "ir/tensor_data.h"
#include "onnx/model/default_inputs.h"

#include <string>
#include <vector>

namespace fw {

struct NamedTensor {
    std::string name; // empty: the file has none (.npy)
    TensorData data;
};

// By the first bytes: NumPy, otherwise TensorProto. Errors name the file.
Result<NamedTensor> readTensorFile(const std::string& path);
// By the ending: .npy, otherwise TensorProto.
Status writeTensorFile(const std::string& path, const NamedTensor& tensor);
std::string tensorProtoBytes(const NamedTensor& tensor); // deterministic

struct TestDataSet {
    std::string folder;
    std::vector<std::string> inputs; // files by index; the numbers must run from 0
    std::vector<std::string> outputs;
};

struct TestFolder {
    std::string model; // path of model.onnx
    std::vector<TestDataSet> sets;
};

bool isTestFolder(const std::string& path); // holds model.onnx
Result<TestFolder> findTestData(const std::string& folder);

struct DeclaredInput {
    std::string name;
    bool isTyped = false; // has an element type and a number of dimensions, or is no tensor
    bool isWeight = false;
    DeclaredTensor type;
};
// What tensors are given to: the inputs of a model's file, as it declares them.
Result<std::vector<DeclaredInput>> declaredInputs(const std::string& path);

// Puts tensors in the order of `names`: by name where the tensors have those names, otherwise by
// position. InputMismatch when one is missing, unknown or given twice.
Result<std::vector<TensorData>> matchTensors(const std::vector<std::string>& names,
                                             std::vector<NamedTensor> tensors);

} // namespace fw
