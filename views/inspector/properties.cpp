// What the rows of the properties table say.
#include "views/inspector/properties_view.h"

#include "views/common/chosen_text.h"
#include "views/common/numbers.h"
#include "views/common/readers.h"
#include "views/common/text.h"

#include <algorithm>
#include <map>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::GraphDocument;
using snapshot::NodeRecord;

namespace {

const NodeRecord* find(const GraphDocument* graph, snapshot::NodeId id) {
    if (!graph)
        return nullptr;
    const auto found = std::find_if(graph->nodes.begin(), graph->nodes.end(),
                                    [&](const NodeRecord& node) { return node.id == id; });
    return found == graph->nodes.end() ? nullptr : &*found;
}

QString namesOf(const std::vector<snapshot::TensorRecord>& tensors) {
    QStringList out;
    for (const snapshot::TensorRecord& tensor : tensors)
        out << text(tensor.name);
    return u'(' + out.join(u", "_s) + u')';
}

QString nameOf(const NodeRecord& node) {
    return node.name.empty() ? text(node.op) : text(node.name);
}

} // namespace

QString countText(double count) {
    if (count < 1e3)
        return QString::number(count, 'f', 0);
    if (count < 1e6)
        return QString::number(count / 1e3, 'f', 1) + u" k"_s;
    if (count < 1e9)
        return QString::number(count / 1e6, 'f', 1) + u" M"_s;
    return QString::number(count / 1e9, 'f', 2) + u" G"_s;
}

std::vector<TensorChoice> tensorsOf(const NodeRecord& node, const GraphDocument* graph) {
    std::vector<TensorChoice> out;
    if (!graph)
        return out;
    const auto add = [&](const NodeRecord& of, std::size_t output, TensorKind kind) {
        const auto& tensor = of.outputs[output];
        const QString name = tensor.name.empty() ? nameOf(of) : text(tensor.name);
        const TensorChoice choice{name + u"  "_s + text(tensor.type), graph->stage, of.id,
                                  int(output), kind};
        if (std::find(out.begin(), out.end(), choice) == out.end())
            out.push_back(choice);
    };
    for (const auto& input : node.inputs) {
        const NodeRecord* from = find(graph, input.node);
        if (from && from->constant && input.output >= 0 &&
            std::size_t(input.output) < from->outputs.size())
            add(*from, std::size_t(input.output), TensorKind::Constant);
    }
    for (std::size_t i = 0; i < node.outputs.size() && node.op != "input"; ++i)
        add(node, i, TensorKind::Computed);
    return out;
}

namespace {

void addBodies(const NodeRecord& node, Properties& out) {
    for (const snapshot::BodyRecord& body : node.bodies) {
        QString value = u"%1 → %2, %3 operator%4"_s.arg(namesOf(body.inputs), namesOf(body.outputs),
                                                        QString::number(body.nodes),
                                                        body.nodes == 1 ? QString() : u"s"_s);
        if (!body.captured.empty())
            value += u", reads %1 from outside"_s.arg(namesOf(body.captured));
        out.push_back({u"body "_s + text(body.name), value});
    }
}

void addInputs(const NodeRecord& node, const GraphDocument* graph, GraphSide side,
               Properties& out) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const auto& input = node.inputs[i];
        QString value = text(input.name);
        snapshot::NodeSet makers;
        if (const NodeRecord* from = find(graph, input.node)) {
            if (input.output >= 0 && std::size_t(input.output) < from->outputs.size()) {
                const auto& output = from->outputs[std::size_t(input.output)];
                value = (output.name.empty() ? nameOf(*from) : text(output.name)) + u" : "_s +
                        text(output.type);
            }
            if (!from->constant && from->op != "input")
                value += u", from "_s + nameOf(*from);
            if (!from->constant)
                makers = {from->id};
        }
        out.push_back(
            {node.inputs.size() == 1 ? u"input"_s : u"input %1"_s.arg(i), value, makers, side});
    }
}

void addOrigins(const NodeRecord& node, const GraphDocument* imported, Properties& out) {
    QStringList origins;
    snapshot::NodeSet read;
    for (const snapshot::NodeId id : node.origins) {
        read.insert(id);
        if (const NodeRecord* origin = find(imported, id))
            origins << text(origin->op) + u' ' + text(origin->name);
        else
            origins << u"#%1"_s.arg(id);
    }
    if (!origins.isEmpty())
        out.push_back({u"from"_s, origins.join(u", "_s), read, GraphSide::Imported});
}

} // namespace

Properties propertiesOf(const NodeRecord& node, const GraphDocument* graph,
                        const GraphDocument* imported, const snapshot::FuseDocument* plan) {
    Properties out;
    if (node.op == "input")
        out.push_back({u"model input"_s, nameOf(node)});
    else
        out.push_back({u"operator"_s, text(node.op)});
    if (!node.name.empty() && node.op != "input")
        out.push_back({u"name"_s, text(node.name)});
    if (node.unsupported)
        out.push_back({u"problem"_s, node.bodies.empty()
                                         ? u"this operator is not known; it stops compiling"_s
                                         : u"it runs graphs of its own, which cannot be done yet; "
                                           "it stops compiling"_s});
    addBodies(node, out);
    for (const auto& [name, value] : node.attributes)
        out.push_back({text(name), text(value)});
    const GraphSide side = graph != nullptr && graph->stage == snapshot::GraphStage("imported")
                               ? GraphSide::Imported
                               : GraphSide::Fused;
    addInputs(node, graph, side, out);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        out.push_back({node.outputs.size() == 1 ? u"output"_s : u"output %1"_s.arg(i),
                       text(node.outputs[i].name) + u" : "_s + text(node.outputs[i].type)});
    if (graph)
        if (const QString readers = readersText(*graph, node.id); !readers.isEmpty())
            out.push_back({u"read by"_s, readers, readersOf(*graph, node.id), side});
    addOrigins(node, imported, out);
    if (!node.source.empty())
        out.push_back({u"source"_s, text(node.source)});
    if (node.line > 0)
        out.push_back({u"line"_s, QString::number(node.line)});
    if (plan) {
        for (const auto& group : plan->groups) {
            if (group.id == node.group)
                out.push_back(
                    {u"group"_s, text(group.name) + u" → "_s + text(group.implementation)});
        }
    }
    return out;
}

Properties meaningOf(const std::string& op, const snapshot::OpsDocument* ops) {
    if (ops == nullptr)
        return {};
    const auto found = std::find_if(ops->ops.begin(), ops->ops.end(),
                                    [&](const snapshot::OpRecord& one) { return one.name == op; });
    if (found == ops->ops.end())
        return {};
    Properties out;
    if (!found->doc.empty())
        out.push_back({u"means"_s, text(found->doc)});
    if (!found->expression.empty() && found->expression != "native") // which nobody can read
        out.push_back({u"computes"_s, text(found->expression)});
    return out;
}

Properties propertiesOf(const ModelResult& result) {
    Properties out{{u"model output"_s, result.name + u" : "_s + result.type},
                   {u"made by"_s, result.maker}};
    if (!result.readers.isEmpty())
        out.push_back({u"read by"_s, result.readers});
    return out;
}

Properties propertiesOf(const snapshot::Reorder& reorder, const snapshot::ProfileDocument* times) {
    const snapshot::ReorderRecord& record = *reorder.record;
    Properties out{{u"reorder"_s, text(record.name)},
                   {u"brings"_s, text(record.value)},
                   {u"order of the library"_s, text(record.layout)},
                   {u"for the group"_s,
                    text(reorder.group->name) + u" → "_s + text(reorder.group->implementation)}};
    if (record.bytes)
        out.push_back({u"reads and writes"_s, bytesText(*record.bytes)});
    if (const std::string time = snapshot::reorderTime(record, times); !time.empty())
        out.push_back({u"time"_s, text(time)});
    return out;
}

Properties propertiesOf(const snapshot::GroupRecord& group) {
    Properties out;
    out.push_back({u"group"_s, text(group.name)});
    out.push_back({u"implementation"_s, text(group.implementation)});
    if (!group.source.empty())
        out.push_back({u"chosen by"_s, chosenText(group)});
    if (!group.anchor.empty())
        out.push_back({u"anchor"_s, text(group.anchor)});
    QStringList nodes;
    for (const std::string& name : group.nodes)
        nodes << text(name);
    out.push_back({u"nodes"_s, nodes.join(u", "_s)});
    for (const auto& input : group.inputs)
        out.push_back({u"input"_s, text(input.name) + u" : "_s + text(input.type)});
    for (const auto& output : group.outputs)
        out.push_back({u"output"_s, text(output.name) + u" : "_s + text(output.type)});
    if (group.flops)
        out.push_back({u"work"_s, flopText(*group.flops)});
    if (group.bytes)
        out.push_back({u"traffic"_s, bytesText(*group.bytes) + u" read and written"_s});
    if (group.estUs)
        out.push_back({u"estimated"_s, timeText(*group.estUs)});
    for (const std::string& warning : group.warnings)
        out.push_back({u"warning"_s, text(warning)});
    return out;
}

Properties readingsOf(const snapshot::InfoDocument& info,
                      const std::vector<snapshot::NodeId>& ids) {
    Properties out;
    for (const snapshot::DecisionRecord& reading : info.readings)
        if (std::find(ids.begin(), ids.end(), reading.fromId) != ids.end())
            out.push_back({u"read"_s, text(reading.sentence) + u"  "_s + text(reading.code)});
    return out;
}

Properties propertiesOf(const snapshot::InfoDocument& info, const GraphDocument* graph) {
    Properties out;
    out.push_back({u"model"_s, text(info.name.empty() ? info.model : info.name)});
    if (!info.producer.empty())
        out.push_back({u"made by"_s, text(info.producer)});
    if (info.opset > 0)
        out.push_back({u"opset"_s, QString::number(info.opset)});
    std::map<std::string, std::string> types; // of the values that the signature names
    if (graph != nullptr)
        for (const NodeRecord& node : graph->nodes) {
            if (node.op == "input" && !node.outputs.empty())
                types[node.outputs[0].name] = node.outputs[0].type;
            for (const auto& result : graph->results)
                if (result.node == node.id && result.output < int(node.outputs.size()))
                    types[result.name] = node.outputs[std::size_t(result.output)].type;
        }
    const auto signature = [&](const QString& role, const snapshot::TensorRecord& tensor) {
        const auto known = types.find(tensor.name);
        out.push_back({role, text(tensor.name) + u" : "_s +
                                 text(known == types.end() ? tensor.type : known->second)});
    };
    for (const auto& input : info.inputs)
        signature(u"input"_s, input);
    for (const auto& output : info.outputs)
        signature(u"output"_s, output);
    out.push_back({u"operators"_s, QString::number(info.nodes)});
    if (info.parameters > 0)
        out.push_back({u"parameters"_s, countText(double(info.parameters))});
    if (info.flops)
        out.push_back({u"work"_s, flopText(*info.flops)});
    std::vector<std::pair<std::int64_t, QString>> counts;
    for (const auto& [op, count] : info.ops)
        counts.emplace_back(-count, text(op));
    std::sort(counts.begin(), counts.end());
    for (const auto& [count, op] : counts)
        out.push_back({op, u"× %1"_s.arg(-count)});
    constexpr std::size_t mostReadings = 100; // each is a row of several lines
    for (std::size_t i = 0; i < std::min(info.readings.size(), mostReadings); ++i) {
        const snapshot::DecisionRecord& reading = info.readings[i];
        out.push_back({u"read "_s + text(reading.from),
                       text(reading.sentence) + u"  "_s + text(reading.code)});
    }
    if (info.readings.size() > mostReadings)
        out.push_back({u"read"_s, u"%1 more, each beside its operator"_s.arg(info.readings.size() -
                                                                             mostReadings)});
    return out;
}

Properties propertiesOf(const snapshot::DoctorDocument& machine) {
    Properties out;
    out.push_back({u"machine"_s, text(machine.cpu.name)});
    for (const snapshot::CeilingRecord& ceiling : machine.ceilings)
        if (ceiling.value)
            out.push_back({text(ceiling.name),
                           u"%1 %2 %3"_s.arg(QString::number(*ceiling.value, 'g', 3),
                                             text(ceiling.unit), text(ceiling.sentence))});
    return out;
}

} // namespace fw::ui
