// Places that people come back to: nine bookmarks, and where they were. A place is an operator, or
// a line of a book.
#pragma once

#include "snapshot/kept_view.h"
#include "views/common/choice.h"
#include "views/common/document_parts.h"
#include "views/common/selection.h"

#include <array>
#include <functional>

namespace fw::ui {

class Bookmarks : public QObject {
    Q_OBJECT

public:
    struct Place {
        QString node; // its name; empty: a place in a book
        QString book = {};
        int line = 0, column = 0;

        bool isNone() const { return node.isEmpty() && book.isEmpty(); }
        QString text() const; // "Conv_3", "mine.fw:12"
        bool operator==(const Place&) const = default;
    };
    static constexpr int count = 9;

    // Document and selection live longer. `inBooks`: whether the keys go to the text of a book.
    Bookmarks(const DocumentParts& document, const Selection& selection,
              std::function<bool()> inBooks, QObject* parent = nullptr);

    // Goes to the bookmark, or, if there is none of that number, puts it where people are.
    void use(int number);
    const Place& at(int number) const { return m_marks[std::size_t(number - 1)]; } // from 1
    // As the document keeps them, and of another model.
    void keep(snapshot::KeptView& kept) const;
    void show(const snapshot::KeptView& kept);
    // The bookmarks, then places that were left, the last one first, each once.
    std::vector<Choice> choices();

Q_SIGNALS:
    void wanted(const fw::ui::Bookmarks::Place& place); // to go to
    void said(const QString& text);
    void changed(); // a bookmark is another one

private:
    Place here() const;
    void follow(); // people may be somewhere else
    void left(const Place& place);
    void mark(int number, const Place& place);
    bool isGone(const Place& place) const; // its operator is in neither graph

    const DocumentParts& m_document;
    const Selection& m_selection;
    const std::function<bool()> m_inBooks;
    Place m_now;
    std::array<Place, count> m_marks;
    std::vector<Place> m_left; // last first
};

} // namespace fw::ui
