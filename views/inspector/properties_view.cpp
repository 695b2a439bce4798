#include "views/inspector/properties_view.h"

#include "snapshot/insides.h"
#include "snapshot/reorders.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

snapshot::Arguments aboutOf(const TensorChoice& choice) {
    snapshot::Arguments out;
    out.stage = choice.stage;
    out.nodes = {"#" + std::to_string(choice.node) + ":" + std::to_string(choice.output)};
    return out;
}

} // namespace

PropertiesModel::PropertiesModel(QObject* parent) : QAbstractTableModel(parent) {}

void PropertiesModel::setProperties(Properties properties) {
    beginResetModel();
    m_properties = std::move(properties);
    endResetModel();
}

int PropertiesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_properties.size());
}

int PropertiesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 2;
}

QVariant PropertiesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Property& property = m_properties[size_t(index.row())];
    const QString& text = index.column() == 0 ? property.name : property.value;
    if (role == Qt::DisplayRole)
        return text;
    if (role == Qt::ToolTipRole)
        return toolTipOf(property.name + u": "_s + property.value);
    return {};
}

PropertiesView::PropertiesView(QWidget* parent)
    : View(parent), m_values(new ValuePanel(this)), m_table(new QTableView(this)) {
    setOverlay(new StateOverlay(m_table));
    m_table->setObjectName(u"properties"_s);
    m_table->setAccessibleName(u"Properties"_s);
    m_table->setModel(&m_model);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setWordWrap(true);
    m_table->horizontalHeader()->hide();
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->resizeSection(0, 120);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copy = new QAction(u"Copy value"_s, m_table);
    m_table->addAction(copy);
    connect(copy, &QAction::triggered, this, [this] {
        const QModelIndex current = m_table->currentIndex();
        if (current.isValid())
            QApplication::clipboard()->setText(current.siblingAtColumn(1).data().toString());
    });
    auto* go = new QAction(u"Go to what it names"_s, m_table);
    m_table->addAction(go);
    connect(go, &QAction::triggered, this, [this] { goThere(); });
    connect(m_table, &QTableView::activated, this, [this] { goThere(); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { light(); });
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(u"propertiesSplitter"_s);
    splitter->addWidget(m_table);
    splitter->addWidget(m_values);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({150, 150});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    setProperties({});
    connect(m_values, &ValuePanel::requested, this, [this](const TensorChoice& choice) {
        selection().pickValue(PickedValue{choice.stage, choice.node, choice.output});
        Q_EMIT asked(WantPart{Part::Value, aboutOf(choice)});
    });
    const auto save = [this](const TensorChoice& choice) {
        Q_EMIT asked(SaveTensor{aboutOf(choice), choice.label.section(u"  "_s, 0, 0)});
    };
    connect(m_values, &ValuePanel::saveAsked, this, save);
    addCommand(MenuPlace::Copy, u"Save &tensor …"_s, u"Ctrl+Alt+Shift+V"_s, [this, save] {
        if (const TensorChoice* choice = m_values->current())
            save(*choice);
        else
            Q_EMIT asked(Say{u"no tensor is chosen: select an operator"_s});
    });
    addCommand(
        MenuPlace::Copy, u"Copy &values"_s, u"Ctrl+Shift+V"_s,
        [this] { QApplication::clipboard()->setText(m_values->asText()); }, Needs::Nothing);
}

void PropertiesView::documentChanged(Parts parts) {
    if (parts.hasAny(
            {Part::Info, Part::Imported, Part::Fused, Part::Plan, Part::Ops, Part::Doctor}))
        selectionChanged(nullptr);
    if (parts.has(Part::Value))
        showValue();
}

// Of a group, of one node, or of the model. An imported node is shown as such only where it was
// pointed at or where nothing stands for it any more.
void PropertiesView::selectionChanged(const QObject*) {
    const Picked& picked = selection().picked();
    const auto& plan = document().plan();
    const auto& imported = document().imported();
    Properties properties;
    std::vector<TensorChoice> tensors;
    QString title;
    if (const auto result = resultOf(document(), picked.result)) {
        properties = propertiesOf(*result);
        title = result->name;
    }
    if (plan && properties.empty())
        if (const auto reorder = snapshot::reorderOf(*plan, picked.reorder); reorder.record) {
            const bool isTimed = document().state(Part::Profile) == State::Ready;
            properties =
                propertiesOf(reorder, isTimed ? document().profileResult().get() : nullptr);
            title = text(reorder.record->name);
        }
    if (properties.empty() && picked.group >= 0 && plan)
        for (const auto& record : plan->groups)
            if (record.id == picked.group) {
                properties = propertiesOf(record);
                title = QString::fromStdString(record.name);
            }
    if (properties.empty() && !picked.empty()) {
        const bool asImported = selection().side() == GraphSide::Imported || picked.fused.empty();
        const auto* graph = asImported ? imported.get() : document().fused().get();
        const snapshot::NodeSet& ids = asImported ? picked.imported : picked.fused;
        const snapshot::NodeId subject = asImported ? picked.importedSubject : picked.fusedSubject;
        if (const auto* node = ids.empty() ? nullptr : nodeOf(graph, subject)) {
            properties =
                propertiesOf(*node, graph, asImported ? nullptr : imported.get(), plan.get());
            if (node->op != "input" && !node->constant) {
                const Properties meaning = meaningOf(node->op, document().ops().get());
                properties.insert(properties.begin() + 1, meaning.begin(), meaning.end());
                wantOperators();
            }
            if (document().info())
                for (Property& row : readingsOf(*document().info(),
                                                asImported ? std::vector{node->id} : node->origins))
                    properties.push_back(std::move(row));
            title = QString::fromStdString(node->name.empty() ? node->op : node->name) +
                    selection().ofSeveral();
            if (const auto around = snapshot::bodiesAround(*graph, subject); around.empty())
                tensors = tensorsOf(*node, graph);
            else // the engine keeps no values of it
                properties.push_back({u"lies inside"_s, text(around.back()->path)});
        }
    }
    if (properties.empty() && document().info()) {
        properties = propertiesOf(*document().info(), imported.get());
        if (document().doctor())
            for (Property& row : propertiesOf(*document().doctor()))
                properties.push_back(std::move(row));
        title = document().fileName();
    }
    setProperties(std::move(properties));
    if (document().state(Part::Info) == State::Busy)
        overlay()->setBusy(u"Opening …"_s);
    else if (document().state(Part::Info) == State::Error && !document().isOpen())
        overlay()->setError(u"The model could not be read"_s,
                            QString::fromStdString(document().error(Part::Info).text()));
    m_values->setChoices(std::move(tensors));
    setDetail(title);
}

// Once for a plan: operators of books may have changed.
void PropertiesView::wantOperators() {
    const State known = document().state(Part::Ops);
    if (isVisible() && document().state(Part::Plan) == State::Ready &&
        (known == State::Empty || known == State::Stale))
        Q_EMIT asked(WantPart{Part::Ops, {}});
}

void PropertiesView::light() {
    const int row = m_table->currentIndex().row();
    const bool isThere = row >= 0 && size_t(row) < m_model.properties().size();
    if (!isThere || m_model.properties()[size_t(row)].nodes.empty()) {
        if (m_lights)
            selection().setLit(std::nullopt);
        m_lights = false;
        return;
    }
    const Property& property = m_model.properties()[size_t(row)];
    Picked lit = selection().of(property.side, property.nodes);
    lit.imported.insert(selection().picked().imported.begin(), selection().picked().imported.end());
    lit.fused.insert(selection().picked().fused.begin(), selection().picked().fused.end());
    m_lights = true;
    selection().setLit(lit);
}

void PropertiesView::goThere() {
    const int row = m_table->currentIndex().row();
    if (row < 0 || size_t(row) >= m_model.properties().size())
        return;
    const Property property = m_model.properties()[size_t(row)];
    if (property.nodes.empty())
        return;
    selection().setLit(std::nullopt);
    m_lights = false;
    selection().pick(selection().of(property.side, property.nodes), this, property.side);
    selectionChanged(nullptr);
    selection().reveal(property.side, *property.nodes.begin());
}

void PropertiesView::showValue() {
    const State state = document().state(Part::Value);
    switch (state) {
    case State::Empty:
    case State::Ready:
    case State::Stale:
        m_values->setValue(state == State::Ready ? document().value() : nullptr);
        m_values->overlay()->setReady();
        break;
    case State::Busy:
        m_values->overlay()->setBusy(u"Reading …"_s);
        break;
    case State::Error:
        m_values->setValue(nullptr);
        m_values->overlay()->setError(u"No values"_s,
                                      QString::fromStdString(document().error(Part::Value).text()));
        break;
    }
}

void PropertiesView::setProperties(Properties properties) {
    if (properties.empty())
        overlay()->setEmpty(u"Nothing to show"_s, u"Open a model, or select something."_s);
    else
        overlay()->setReady();
    m_model.setProperties(std::move(properties));
}

} // namespace fw::ui
