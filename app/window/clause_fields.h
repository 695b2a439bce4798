// The clauses of a call of a pattern, each in a field that changes it where it is written: "strides
// = [1, 1]".
#pragma once

#include "snapshot/book_records.h"

#include <QWidget>

#include <vector>

class QLineEdit;

namespace fw::ui {

class ClauseFields : public QWidget {
    Q_OBJECT

public:
    explicit ClauseFields(QWidget* parent = nullptr); // hidden while there is none

    void show(const std::vector<snapshot::Fix>& clauses);
    const std::vector<QLineEdit*>& fields() const { return m_fields; }

Q_SIGNALS:
    void changed(const fw::snapshot::Fix& clause); // by Enter; where the old one stands

private:
    void tell(std::size_t at);

    std::vector<snapshot::Fix> m_clauses;
    std::vector<QLineEdit*> m_fields;
};

} // namespace fw::ui
