// The nodes of a function that is being written: names, constants (each once), nodes.
#pragma once

#include "ir/attributes.h"
#include "onnx/model/proto.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fw {

// Without operands, results and nodes.
proto::FunctionProto emptyFunction(const std::string& domain, const std::string& type,
                                   std::int64_t opset);

class FunctionNodes {
public:
    // The nodes follow the form of `opset` of the standard domain. Operands and results of `out`
    // have their names already.
    FunctionNodes(proto::FunctionProto& out, std::int64_t opset);

    std::int64_t opset() const { return m_opset; }
    // A node with one result; its name is returned.
    std::string add(const std::string& type, const std::vector<std::string>& inputs);
    std::string add(const std::string& type, const std::vector<std::string>& inputs,
                    const std::string& attribute, const AttrValue& value);
    // x is the result of that name. Nodes that are added later may say x all the same.
    void nameResult(const std::string& x, const std::string& result);

    std::string integer(std::int64_t value);      // i64[]
    std::string integers(const Integers& values); // i64[n]
    std::string real(double value);               // f64[]
    std::string truth(bool value);                // bool[]
    std::string casted(const std::string& x, DType to);
    // What a call gives an attribute: `kind` is one of AttributeProto's FLOAT, INT, FLOATS, INTS.
    std::string given(const std::string& attribute, proto::AttributeProto::AttributeType kind);
    // A cast to the element type that an attribute of the call says.
    std::string castedAsGiven(const std::string& x, const std::string& attribute);
    // Over `axes`, which do not stay. `reducer`: ReduceSum, ReduceProd, ReduceMax, ReduceMin.
    std::string reduced(const std::string& reducer, const std::string& x, const Integers& axes);

private:
    std::string fresh(const std::string& wish);
    proto::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                           const std::string& output);
    std::string constant(const TensorData& data, const std::string& key);

    proto::FunctionProto& m_out;
    std::int64_t m_opset;
    std::set<std::string> m_taken;
    std::map<std::string, std::string> m_known;   // constants and attributes, by what they say
    std::map<std::string, std::string> m_renamed; // to names of results
};

} // namespace fw
