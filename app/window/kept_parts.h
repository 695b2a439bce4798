// The parts of a document where they are written: Document is made of classes that ask for parts
// and keep the answers, and all of them write here. Everybody else reads DocumentParts.
#pragma once

#include "base/result.h"
#include "views/common/document_parts.h"

#include <QObject>

#include <functional>

namespace fw::ui {

template <class T>
using Answer = Result<Shared<T>>;
template <class T>
using Answered = std::function<void(Answer<T>)>;
template <class T>
using Then = std::function<void(Shared<T>)>; // what is done with what was answered

class KeptParts : public QObject, public DocumentParts {
    Q_OBJECT

public:
    using QObject::QObject;

    Kept& kept() { return m_kept; }
    using DocumentParts::forget;
    using DocumentParts::has;
    using DocumentParts::nextGeneration;
    using DocumentParts::setDocumentPath;
    using DocumentParts::stateOf;
    void setPart(Part part, State state, Diag error = {});
    void makeOld(Part part) { setPart(part, has(part) ? State::Stale : State::Empty); }
    void tell(Parts parts) { Q_EMIT changed(parts); }

    // What is answered to an earlier plan is dropped.
    template <class T, class Done>
    auto ofThisPlan(Done done) const {
        return [this, done, asked = generation()](Answer<T> answer) {
            if (asked == generation())
                done(std::move(answer));
        };
    }
    // Why there is no answer is told elsewhere, or not worth a word.
    template <class T>
    auto keptAs(Part part, Shared<T>& slot) {
        return [this, part, &slot](Answer<T> answer) {
            if (!answer)
                return;
            slot = answer.take();
            tell(part);
        };
    }
    template <class T>
    auto orProblem(Then<T> done) {
        return [this, done = std::move(done)](Answer<T> answer) {
            if (answer)
                done(answer.take());
            else
                Q_EMIT problem(answer.diag());
        };
    }

Q_SIGNALS:
    void changed(fw::ui::Parts parts);  // what is kept of them, or their state
    void problem(const fw::Diag& diag); // for people: shown and kept in the list of problems
    void note(const QString& text);     // for the log
};

} // namespace fw::ui
