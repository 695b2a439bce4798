#include "app/window/clause_fields.h"

#include "views/common/flow_layout.h"

#include <QLineEdit>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

ClauseFields::ClauseFields(QWidget* parent) : QWidget(parent) {
    auto* row = new FlowLayout(4);
    row->setContentsMargins(6, 4, 6, 4);
    setLayout(row);
    hide();
}

// The fields stay while there are as many, so that the keys stay where they are.
void ClauseFields::show(const std::vector<snapshot::Fix>& clauses) {
    m_clauses = clauses;
    while (m_fields.size() > clauses.size()) {
        m_fields.back()->deleteLater();
        layout()->removeWidget(m_fields.back());
        m_fields.pop_back();
    }
    while (m_fields.size() < clauses.size()) {
        auto* field = new QLineEdit(this);
        field->setToolTip(u"Enter writes it into the text"_s);
        connect(field, &QLineEdit::returnPressed, this, [this, at = m_fields.size()] { tell(at); });
        layout()->addWidget(field);
        field->setVisible(true);
        m_fields.push_back(field);
    }
    for (std::size_t i = 0; i < clauses.size(); ++i) {
        const QString text = QString::fromStdString(clauses[i].text);
        m_fields[i]->setText(text);
        m_fields[i]->setAccessibleName(u"Clause "_s + text);
        m_fields[i]->setFixedWidth(
            std::clamp(m_fields[i]->fontMetrics().horizontalAdvance(text) + 32, 90, 320));
    }
    setVisible(!clauses.empty());
    updateGeometry();
}

void ClauseFields::tell(std::size_t at) {
    snapshot::Fix clause = m_clauses[at];
    const std::string text = m_fields[at]->text().trimmed().toStdString();
    if (text == clause.text || text.empty())
        return m_fields[at]->setText(QString::fromStdString(clause.text));
    clause.text = text;
    Q_EMIT changed(clause);
}

} // namespace fw::ui
