// Text made of what is selected in a graph: a pattern, a rule, an operator, a fusion rule, a test.
// Its facts (attributes, types, shapes, constants) with what the text asks of each, at how many
// places it matches, what to ask for less, and the text, which is put into a book.
#pragma once

#include "views/common/view.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace fw::ui {

class ComboBox;
class FlowLayout;

class SketchView : public View {
    Q_OBJECT

public:
    enum Column { Fact, Value, Asked, ColumnCount };

    explicit SketchView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;
    std::vector<QWidget*> stops() override;

    void begin(); // with what is selected
    void make();  // puts the text into a book
    ComboBox* kind() const { return m_kind; }
    QLineEdit* name() const { return m_name; }
    QTreeWidget* facts() const { return m_facts; }
    QPlainTextEdit* preview() const { return m_preview; }
    QString count() const;
    std::vector<QPushButton*> advice() const;

private:
    struct Subject {
        std::string stage;
        std::vector<std::string> nodes; // ids, as "#12"
    };
    Subject selected() const;
    bool isOfSelection() const;
    void ask();
    void showAnswer();
    void show(const snapshot::SketchDocument& sketch);
    void showFacts(const snapshot::SketchDocument& sketch);
    void showAdvice(const snapshot::SketchDocument& sketch);
    ComboBox* levelsOf(QTreeWidgetItem* fact) const; // what the text may ask of it
    void orderTabs();
    void setLevels(const std::map<std::string, std::string>& levels);

    Subject m_of; // what the text is made of; no nodes: nothing is made
    std::map<std::string, std::string> m_levels;
    ComboBox* m_kind;
    QLineEdit* m_name;
    QLabel* m_count;
    QPushButton* m_make;
    QTreeWidget* m_facts;
    QPlainTextEdit* m_preview;
    QWidget* m_adviceRow;
    FlowLayout* m_advice;
};

} // namespace fw::ui
