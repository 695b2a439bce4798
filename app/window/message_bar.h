// One line above the graphs: what went wrong last, until it is dismissed or the next model is open.
// The text is never read as markup.
#pragma once

#include "views/common/document_parts.h"

#include <QFrame>

#include <functional>
#include <optional>

class QLabel;
class QPushButton;

namespace fw::ui {

class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    void tell(const QString& text);
    // What went wrong in parts of the document; it goes when none of them is wrong any more.
    void tell(const Diag& diag, const DocumentParts& document);
    void follow(const DocumentParts& document);
    // With a button that does it; the bar goes when it was done.
    void offer(const QString& text, const QString& action, std::function<void()> act,
               std::function<void()> dismissed = {});
    void clear();
    QString text() const; // empty when nothing is told
    QPushButton* action() const { return m_action; }

private:
    QLabel* m_label;
    QPushButton* m_action;
    std::function<void()> m_act, m_dismissed;
    std::vector<Part> m_failed; // that are told of
    std::optional<Diag> m_told;
    int m_more = 0; // of its kind
};

} // namespace fw::ui
