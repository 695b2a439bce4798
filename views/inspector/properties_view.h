// Everything known of one node or one group, as a table of name and value. Values can be copied.
#pragma once

#include "snapshot/reorders.h"
#include "views/common/readers.h"
#include "views/common/selection.h"
#include "views/common/view.h"
#include "views/inspector/value_panel.h"

#include <QAbstractTableModel>

#include <vector>

class QTableView;

namespace fw::ui {

struct Property {
    QString name;
    QString value;
    // Operators that the row names: neighbours, origins, members.
    snapshot::NodeSet nodes = {};
    GraphSide side = GraphSide::Fused; // whose ids they are

    bool operator==(const Property&) const = default;
};
using Properties = std::vector<Property>;

// `graph` is the stage of the node. The others may be null.
Properties propertiesOf(const snapshot::NodeRecord& node, const snapshot::GraphDocument* graph,
                        const snapshot::GraphDocument* imported,
                        const snapshot::FuseDocument* plan);
Properties propertiesOf(const ModelResult& result);
// The sentence and the text of an operator. Empty: it is none of those, or `ops` is null.
Properties meaningOf(const std::string& op, const snapshot::OpsDocument* ops);
// Of what brings a tensor into another order; `times` may be null.
Properties propertiesOf(const snapshot::Reorder& reorder, const snapshot::ProfileDocument* times);
Properties propertiesOf(const snapshot::GroupRecord& group);
// The machine with the ceilings that are known.
Properties propertiesOf(const snapshot::DoctorDocument& machine);
// How the imported nodes `ids` were read, where that was not one for one.
Properties readingsOf(const snapshot::InfoDocument& info, const std::vector<snapshot::NodeId>& ids);
// `graph` is the model as it was imported last: its free dimensions may have got sizes since.
Properties propertiesOf(const snapshot::InfoDocument& info,
                        const snapshot::GraphDocument* graph = nullptr);
// The tensors of a node whose elements can be looked at: constants among its operands, results.
std::vector<TensorChoice> tensorsOf(const snapshot::NodeRecord& node,
                                    const snapshot::GraphDocument* graph);

QString countText(double count); // "25.6 M"

class PropertiesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit PropertiesModel(QObject* parent = nullptr);
    void setProperties(Properties properties);
    const Properties& properties() const { return m_properties; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    Properties m_properties;
};

class PropertiesView : public View {
    Q_OBJECT

public:
    explicit PropertiesView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;

    const PropertiesModel& model() const { return m_model; }
    ValuePanel* values() const { return m_values; }

private:
    void setProperties(Properties properties);
    void light(); // what the current row names, beside the node itself
    void goThere();
    void showValue();
    void wantOperators();

    PropertiesModel m_model;
    ValuePanel* m_values;
    QTableView* m_table;
    bool m_lights = false; // what is lit is lit by a row
};

} // namespace fw::ui
