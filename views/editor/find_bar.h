// Find and replace in one BookEditor, as a row below it. Escape closes it.
#pragma once

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace fw::ui {

class BookEditor;

class FindBar : public QWidget {
    Q_OBJECT

public:
    explicit FindBar(BookEditor* editor, QWidget* parent = nullptr);

    enum class Row : std::uint8_t { Find, Replace };
    void open(Row row);  // with what is selected
    bool find(int step); // around the ends; false: nothing found
    int replaceAll();    // one step of undo; how many
    bool replaceOne();   // what is found now, and goes on

    QLineEdit* wanted() const { return m_wanted; }
    QLineEdit* replacement() const { return m_replacement; }
    QString summary() const; // "2 of 17"

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Hit {
        int position = 0;
        int length = 0;
    };
    std::vector<Hit> hits() const; // at most hitLimit
    void showCount();

    BookEditor* m_editor;
    QLineEdit* m_wanted;
    QLineEdit* m_replacement;
    QToolButton* m_case;
    QLabel* m_count;
    QWidget* m_replaceRow;
};

} // namespace fw::ui
