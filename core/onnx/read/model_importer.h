// The state of one import: what every value name of the model stands for, and the graph being
// built. A weight that became an attribute leaves no constant behind (model_values.h).
#pragma once

#include "ir/call_memo.h"
#include "ir/known_values.h"
#include "ir/missing_type.h"
#include "onnx/model/names.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/read/import.h"
#include "onnx/read/local_functions.h"
#include "onnx/read/model_values.h"

#include <memory_resource>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace fw {

// What the graph of a model, its bodies and functions have in common.
struct ImportRun {
    ImportRun(proto::ModelProto& model, std::shared_ptr<const OperatorSet> operators,
              const ImportOptions& options, const CancelToken& cancel, const std::string& folder);

    proto::ModelProto& model;
    std::shared_ptr<const OperatorSet> operators;
    const ImportOptions& options;
    const CancelToken& cancel;
    LocalFunctions functions;
    ExternalData external;
    DimNames dims;
    int wrongShapes = 0;                  // of what loops carry, that were tried and did not hold
    std::set<const OnnxReading*> noticed; // clauses of which it was told what they displace
    // Models compute shapes in the same few ways over and over.
    CallMemo<std::optional<std::vector<KnownValue>>> results{4096};
    // Nodes whose operators the model carries as text: its function of that name is their body.
    std::set<std::pair<std::string, std::string>> carried; // domain, type
    Imported out;
};

struct IndexOperand;
class NodeImport;

class ModelImporter final : public ModelValues {
public:
    explicit ModelImporter(ImportRun& run); // the graph of the model

    Result<Imported> run(); // once

    // ModelValues
    GraphEditor& editor() override { return m_trial != nullptr ? m_trial->editor : m_editor; }
    std::int64_t opset() const override { return m_opset; }
    const OnnxLimits& limits() const override { return m_run.options.limits; }
    const OperatorSet& operators() const override { return *m_run.operators; }
    Result<ValueRef> use(const std::string& name) override;
    Result<TensorType> typeOf(const std::string& name) const override;
    const TensorData* constant(const std::string& name) const override;
    const TensorData* computed(const std::string& name) override;
    std::optional<SmallTensor> small(const std::string& name) override;
    const std::vector<ValueRef>* partsOf(const std::string& name) const override {
        const Name* known = find(name);
        return known != nullptr && known->value.parts ? &*known->value.parts : nullptr;
    }
    bool isUsed(const std::string& name) const override {
        const Name* known = find(name);
        return known != nullptr && known->used;
    }
    bool isBound(const std::string& name) const override {
        const Name* known = find(name);
        return known != nullptr && known->value.ref.has_value();
    }
    void bind(const std::string& name, ValueRef value) override;
    void bindAlias(const std::string& name, const std::string& of) override;
    void bindConstant(const std::string& name, TensorData data) override;
    void bindSizes(const std::string& name, SmallTensor sizes) override {
        value(name).small = std::move(sizes);
    }
    void bindParts(const std::string& name, std::vector<ValueRef> parts) override {
        value(name).parts = std::move(parts);
        value(name).untyped = true;
    }
    Dim freshDim(const std::string& wish) override;
    void assume(Assumption assumption) override;
    Result<TensorData> takeTensorHere(proto::TensorProto& tensor) override {
        return takeTensor(tensor, m_run.external, limits());
    }
    void note(const std::string& node, const std::string& what) override;
    void warn(const std::string& node, Diag diag) override {
        m_run.out.diagnostics.push_back(diag.at({{}, m_prefix + node}));
    }
    std::string operandsText(const proto::NodeProto& node) const override;
    std::optional<std::string> nameOfOperand(const proto::NodeProto& node,
                                             ValueRef value) const override;

private:
    struct Value {
        std::optional<ValueRef> ref;
        std::optional<TensorData> data;
        std::optional<SmallTensor> small;  // not fixed; a fixed one is `data`
        std::shared_ptr<const Attrs> leaf; // of a foreign type: the node that it becomes when used
        int producer = -1;                 // node to import when the value is needed in the graph
        int depth = 0;                     // of deferred producers
        bool untyped = false;              // no type is known: what reads it cannot be understood
        std::optional<Shape> foreignShape; // of an untyped tensor whose elements are none of ours
        std::optional<std::vector<ValueRef>> parts; // of a sequence
    };

    // One node in a graph of its own, with operands as far as they are known.
    struct Trial {
        explicit Trial(const std::shared_ptr<const OperatorSet>& operators)
            : editor(operators), known(editor, *operators) {}

        GraphEditor editor;
        KnownValues known;
        std::map<std::string, ValueRef> operands;
        bool isCertain = true; // nothing is assumed or bound while the model runs
    };

    // What the model says of a value before anything is imported, and what became of it.
    struct Name {
        int place = 0; // the node that makes it, or one of the two below
        bool used = false;
        const proto::ValueInfoProto* declared = nullptr;
        Value value = {};
    };
    static constexpr int byInitializer = -1, byInput = -2;
    static const TensorType madeUp; // of values of foreign types
    // What reads it is understood all the same: a sequence in its parts.
    bool isInParts(const std::string& name) const {
        const Value& value = this->value(name);
        return value.parts && !value.ref;
    }
    Status asWhole(const std::string& name); // such a value becomes one of the graph

    using Opsets = std::map<std::string, std::int64_t>; // domain -> version
    // An input of a body that is an operand of the node.
    struct Given {
        std::string name; // in the body
        TensorType type;
        Value value; // what is known of it
        int operand = 0;
    };
    struct BodyPlace {
        std::string name;   // of the body
        std::string prefix; // of its nodes in messages: "Loop_3/body/"
        Opsets opsets;
        const ModelImporter* outer = nullptr; // whose values it may read by their names
    };
    struct ReadBody {
        Body body;
        std::vector<Value> results; // what is known of them
        Diags diagnostics;          // of its nodes
    };
    ModelImporter(ImportRun& run, proto::GraphProto& graph, BodyPlace place,
                  std::vector<Given> given);

    const Name* find(const std::string& name) const { // nullptr if it is not defined
        const auto found = m_places.find(name);
        return found == m_places.end() ? nullptr : &m_names[found->second];
    }
    Name* find(const std::string& name) {
        return const_cast<Name*>(std::as_const(*this).find(name));
    }
    const Value& value(const std::string& name) const { return m_names[m_places.at(name)].value; }
    Value& value(const std::string& name) { return m_names[m_places.at(name)].value; }
    Status readHeader();
    Status build();
    Status readInitializers();
    bool isGivenDefault(const std::string& name) const;
    Status readInputs();
    Status readInput(const proto::ValueInfoProto& input, std::int64_t place);
    Status readSparse(proto::SparseTensorProto& tensor, Value& value);
    ValueRef addLeaf(const std::string& name, const Attrs& attrs);
    Status readValue(const proto::ValueInfoProto& input, std::string_view text); // of the user
    Status checkNames();                                                         // value_names.cpp
    Status define(const std::string& name, int place);
    Status defineLeaves();
    Status checkReads(int index);
    Status findOutputs();
    Diag undefined(const std::string& name) const;
    Status sortNodes(); // node_order.cpp
    std::vector<int> producersOf(int index) const;
    Status noteUnread();
    Diag cycle(const std::vector<std::size_t>& waiting) const;
    std::string makerText(int place) const;
    std::optional<Diag> hidesOuter(int index) const;
    Status importNodes();
    Status importNode(int index);
    Status importRefused(int index, Diag diag);
    // The clause that reads such a node; nullptr if none does.
    const OnnxReading* clauseOf(const proto::NodeProto& node);
    std::string readOtherwise(const proto::NodeProto& node, const OnnxReading& reading) const;
    // By a clause of a book. What does not fit it becomes unknown.
    Status importOwn(int index, const OnnxReading& reading);
    Status importCall(int index, const proto::FunctionProto& function);
    Result<bool> importBranch(int index); // of an If whose condition is constant
    // Operands that no body reads are left out.
    Status addCall(int index, std::vector<ReadBody> bodies, std::size_t runs);
    Result<ReadBody> readBody(proto::GraphProto graph, BodyPlace place, std::vector<Given> given);
    std::optional<ReadBody> readAsCarried(int index, const proto::GraphProto& graph,
                                          const BodyPlace& place, std::vector<Given> given);
    // The bodies of a node whose captured values are the operands behind its own, in that order.
    // What cannot be shown is left out with a warning; only what contradicts itself is refused, but
    // not beside a branch that is always taken.
    struct ReadBodies {
        std::vector<ReadBody> bodies;
        Diags warnings;
    };
    Result<ReadBodies> readBodies(int index, const std::vector<std::string>& captured,
                                  const std::string& taken = {});
    std::vector<int> dropUnread();              // operands of the inputs that are left
    Value known(const std::string& name) const; // without its place in this graph
    // The same for a graph inside, with what operators of this one compute of small constants.
    Value knownWithin(const std::string& name);
    static std::optional<TensorType> branchType(const proto::NodeProto& node,
                                                const std::vector<ReadBody>& read,
                                                const std::vector<Body>& bodies, int output);
    // Of an operator that is defined elsewhere and not computed here; what is not known is left
    // out.
    std::vector<std::optional<TensorType>> typesByStandard(int index);
    // Of what an operator of the standard domain, with the attributes of the node as far as it has
    // them, makes of operands of these shapes.
    std::optional<TensorType> typeAs(int index, const std::string& as,
                                     const std::vector<TensorType>& operands);
    // Of a node that reads tensors of elements that are none of ours, or makes such: what does not
    // depend on the elements.
    struct ForeignResult {
        std::optional<TensorType> type;    // of elements of ours
        std::optional<Shape> foreignShape; // of others
    };
    std::vector<ForeignResult> typesOfForeign(int index);
    std::vector<std::optional<TensorType>> typesWith(int index, DType standIn);
    std::optional<Shape> declaredForeignShape(const std::string& name);
    // The types of the results of that one node, if it is understood with such operands.
    std::vector<std::optional<TensorType>> typesOfNode(int index, proto::NodeProto node,
                                                       std::vector<Given> given);
    struct UnknownResult {
        bool untyped = false;
        std::optional<Shape> foreignShape;
    };
    Status importUnknown(int index, const std::string& name, Diag why); // unknown_node.cpp
    Status addOperands(int index, const std::vector<std::string>& captured,
                       GraphEditor::NewNode& wish);
    Status addUnknownResults(int index, const std::vector<ReadBody>& bodies,
                             GraphEditor::NewNode& wish, std::vector<UnknownResult>& out);
    Diag reasonUntyped(int index, const Node& made);
    const TensorData* computed(ValueRef value);
    const KnownValue* knownInGraph(const std::string& name);
    const TensorData* knownIntegers(ValueRef value); // nullptr if they are not, or are none
    // Indices that are known, of all that the node became: refused where they lie outside of their
    // axis, an assumption where that is free.
    Status checkIndices(NodeImport& context);
    Status checkElements(NodeImport& context, const Operator& op, const OpCall& call,
                         const std::vector<ValueRef>& operands);
    Status checkIndices(NodeImport& context, const IndexOperand& index, ValueRef value,
                        const TensorData& data);
    Result<bool> importKnown(int index); // constants and shape arithmetic
    // Whether it reads only what resultsOfNode() may know, or nothing but types.
    bool mayBeKnown(const proto::NodeProto& node);
    // Integers and truths that the node computes of what is known: by the operators that it becomes
    // in a graph of its own. nullopt: not all of them are known.
    std::optional<std::vector<KnownValue>> resultsOfNode(int index);
    std::optional<std::vector<KnownValue>> tryNode(int index);
    std::optional<OpCall> callOfNode(const proto::NodeProto& node) const;
    ValueRef useInTrial(const std::string& name);
    bool importOfForeign(int index); // the same of values of types that are none of ours
    std::optional<bool> holdsElement(const std::string& name) const; // an optional
    static bool has(const proto::NodeProto& node, int operand);
    Status addResults();
    Status checkDeclared(const std::string& name, const TensorType& found, int index);
    Status checkResults(int index); // of a node that was understood
    // What the user says of a value (ImportOptions::types); nullopt: nothing.
    Result<std::optional<TensorType>> givenType(const std::string& name);
    Status checkGivenTypes();
    // What the user or else the model says of a value before it is found.
    Result<std::optional<TensorType>> declaredType(const std::string& name);
    std::optional<DType> declaredElement(const std::string& name) const; // even without a shape
    std::string declaredForeign(const std::string& name); // a type that is none of ours; or empty
    Result<Attrs> unknownAttrs(const proto::NodeProto& node);
    Result<std::optional<TensorData>> constantOf(const proto::NodeProto& node);
    // Of a Constant that holds a value of another kind than constantOf() gives.
    Result<bool> readForeignConstant(const proto::NodeProto& node, Value& value);
    Result<std::optional<TensorData>> filled(const proto::NodeProto& node, const Integers& extents);
    std::string nodeName(int index) const;
    std::string withOperands(const Diag& refusal, const proto::NodeProto& node) const;
    std::set<std::string> freeSizesIn(const std::string& message,
                                      const proto::NodeProto& node) const;
    std::string pathOf(int index) const { return m_prefix + nodeName(index); }
    std::vector<std::string> captures(const proto::NodeProto& node) const;
    std::int64_t opsetOf(const std::string& domain) const;
    Status embedExternal(proto::GraphProto& graph);
    Status embedExternal(proto::AttributeProto& attribute);
    Status embedExternal(proto::TensorProto& tensor);
    Diag inNode(int index, Diag diag) const;
    Diag reasonUnknown(const proto::NodeProto& node);
    // The declaration of an operator that such nodes would become; empty if none can have them.
    std::string clauseHint(const proto::NodeProto& node);

    ImportRun& m_run;
    proto::GraphProto& m_graph;
    std::string m_prefix;         // of names in messages; empty in the graph of the model
    const ModelImporter* m_outer; // of a body; else nullptr
    std::vector<Given> m_given;   // to a body
    Opsets m_opsets;
    std::int64_t m_opset = 1; // of the standard domain
    GraphEditor m_editor;
    KnownValues m_known; // of m_editor
    Trial* m_trial = nullptr;
    std::unordered_map<std::string, bool> m_ofTypes; // by type of node: mayBeKnown()
    std::optional<MissingTypes> m_missing;           // once it is asked

    std::pmr::monotonic_buffer_resource m_nameMemory;
    // Every value of the graph. Names are found far more often than there are any, so the table of
    // them holds nothing else.
    std::pmr::unordered_map<std::string_view, std::uint32_t> m_places{&m_nameMemory};
    std::vector<Name> m_names;
    bool m_inOrder = true; // every node stands behind those that it reads
    std::vector<int> m_order;
    // Bodies of a node that are asked for once more: read again, those inside would be read again
    // and again.
    std::optional<std::pair<int, ReadBodies>> m_bodiesRead;
    std::vector<std::pair<NodeId, Diag>> m_nodeDiags;        // kept if the node is in the result
    std::shared_ptr<const std::vector<std::byte>> m_uniform; // shared by constants of one value
    std::string m_uniformPattern;
};

std::string typeName(const proto::NodeProto& node); // "Conv", "com.example.Odd"
bool isRecurrent(const proto::NodeProto& node);     // LSTM, GRU, RNN: steps over time

} // namespace fw
