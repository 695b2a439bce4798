// A line of plain text that gives way: in a narrow pane it is cut, and the tip has all of it.
#pragma once

#include <QLabel>

namespace fw::ui {

class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    // `more` stands in the tool tip alone.
    void setFullText(const QString& text, const QString& more = {});
    const QString& fullText() const { return m_text; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    QString m_text, m_more;
};

} // namespace fw::ui
