#include "app/window/edit_dialog.h"

#include "snapshot/arguments.h"

#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>

namespace fw::ui {

using namespace Qt::StringLiterals;

const GraphEdit graphEdits[5] = {
    {"delete", "&Delete", ""},
    {"insert", "&Insert behind…",
     "What stands behind %1: an operator, or a call in which ^ is the value of %1."},
    {"rewire", "&Rewire an operand…",
     "What %1 reads in place of an operand: an operator or a value."},
    {"attribute", "Change &attributes…", "Attributes of %1, as the language writes them."},
    {"rename", "Re&name…", "What %1 is called from now on."}};

namespace {

std::string nameOf(const snapshot::GraphDocument& graph, const snapshot::InputRef& input) {
    for (const snapshot::NodeRecord& node : graph.nodes)
        if (node.id == input.node)
            return node.name;
    return "none";
}

QString plainTitle(const char* title) {
    return QString::fromUtf8(title).remove(u'&').remove(u'…');
}

} // namespace

EditDialog::EditDialog(const GraphEdit& edit, const snapshot::NodeRecord& node,
                       const Attributes& attributes, const snapshot::GraphDocument& graph,
                       QWidget* parent)
    : FieldsDialog(plainTitle(edit.title),
                   QString::fromUtf8(edit.what).replace(u"%1"_s, QString::fromStdString(node.name)),
                   parent) {
    const std::string_view word = edit.word;
    if (word == "insert") {
        m_to = addLine("what", u"relu, or mul(^, 0.5)"_s);
    } else if (word == "rename") {
        m_to = addLine("name", {});
        m_to->setText(QString::fromStdString(node.name));
        m_to->selectAll();
    } else if (word == "rewire") {
        m_operand = new QComboBox(this);
        for (const snapshot::InputRef& input : node.inputs)
            m_operand->addItem(u"%1: %2"_s.arg(m_operand->count())
                                   .arg(QString::fromStdString(nameOf(graph, input))));
        addField("operand", m_operand);
        m_to = addLine("reads", u"the name of an operator or a value"_s);
        QStringList names;
        for (const snapshot::NodeRecord& one : graph.nodes)
            names << QString::fromStdString(one.name);
        auto* completer = new QCompleter(names, m_to);
        completer->setFilterMode(Qt::MatchContains);
        m_to->setCompleter(completer);
    } else if (word == "attribute") {
        for (const auto& [name, value] : attributes) {
            QLineEdit* field = addLine(name, {});
            field->setText(QString::fromStdString(value));
            m_attributes.push_back({name, value, field});
        }
        m_other = addLine("another", u"axis = 1"_s);
    }
}

QLineEdit* EditDialog::addLine(const std::string& name, const QString& example) {
    auto* field = new QLineEdit(this);
    field->setPlaceholderText(example);
    field->setMinimumWidth(280);
    addField(name, field);
    return field;
}

void EditDialog::tell(snapshot::Arguments& about) const {
    if (m_to)
        about.to = m_to->text().trimmed().toStdString();
    if (m_operand)
        about.operand = m_operand->currentIndex();
    for (const Attribute& one : m_attributes)
        if (const std::string now = one.field->text().trimmed().toStdString(); now != one.before)
            about.attributes[one.name] = now;
    if (m_other)
        if (const QString text = m_other->text(); !text.trimmed().isEmpty())
            about.attributes[text.section(u'=', 0, 0).trimmed().toStdString()] =
                text.section(u'=', 1).trimmed().toStdString();
}

} // namespace fw::ui
