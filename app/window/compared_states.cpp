#include "app/window/compared_states.h"

#include "app/window/questions.h"

#include <algorithm>

namespace fw::ui {

using snapshot::Arguments;

Arguments ComparedStates::askedOf(const GraphState& state) const {
    snapshot::Inputs other = m_parts.inputs();
    if (state.model) { // under the target and the books of the document
        other.model = *state.model;
        other.leftOut.clear();
        other.pins.clear();
        other.dims.clear();
        other.types.clear();
        other.log.clear();
    }
    if (state.target) {
        other.libraries.reset();
        other = snapshot::applied(std::move(other), snapshot::SetTarget{*state.target});
    }
    if (state.without) {
        std::erase_if(other.books,
                      [&](const snapshot::Book& book) { return book.path == *state.without; });
        if (state.without->find('/') == std::string::npos)
            other = snapshot::applied(
                std::move(other), snapshot::SwitchShipped{*state.without, snapshot::Enabled::No});
    }
    Arguments out = m_books.argumentsFor(other);
    out.stage = state.stageText();
    if (state.stage == GraphState::Stage::Behind)
        out.application = state.application;
    return out;
}

void ComparedStates::want(const GraphState& state) {
    if (!m_parts.isOpen())
        return;
    std::erase(m_wanted, state);
    m_wanted.push_front(state);
    while (m_wanted.size() > most) {
        m_questions.cancel(m_parts.kept().stateGraphs[m_wanted.back()].request);
        m_parts.kept().stateGraphs.erase(m_wanted.back());
        m_wanted.pop_back();
    }
    StateGraph& mine = m_parts.kept().stateGraphs[state];
    m_questions.sendLatest<snapshot::GraphDocument>(
        mine.request, askedOf(state),
        m_parts.ofThisPlan<snapshot::GraphDocument>(
            [this, state](Answer<snapshot::GraphDocument> answer) {
                StateGraph& now = m_parts.kept().stateGraphs[state];
                now.error = {};
                if (answer) {
                    now.graph = answer.take();
                    now.state = State::Ready;
                    if (!state.isOwn() && state.stage != GraphState::Stage::Imported)
                        askRewriteOf(state);
                } else {
                    now.error = answer.diag();
                    now.state = now.error.code != DiagCode::Cancelled ? State::Error
                                : now.graph                           ? State::Stale
                                                                      : State::Empty;
                }
                m_parts.tell(Part::States);
            }),
        state.isOwn() ? WorkerClient::By::First : WorkerClient::By::Second);
    mine.state = State::Busy;
    m_parts.tell(Part::States);
}

// Which application took out or put in what the document's own rewriting did not.
void ComparedStates::askRewriteOf(const GraphState& state) {
    m_questions.send<snapshot::RewriteDocument>(
        askedOf(state),
        m_parts.ofThisPlan<snapshot::RewriteDocument>(
            [=, this](Answer<snapshot::RewriteDocument> answer) {
                const auto found = m_parts.kept().stateGraphs.find(state);
                if (found == m_parts.kept().stateGraphs.end() || !answer)
                    return; // without it nothing but that sentence is missing
                found->second.rewrite = answer.take();
                m_parts.tell(Part::States);
            }),
        WorkerClient::By::Second);
}

void ComparedStates::makeOld() {
    for (auto& [state, graph] : m_parts.kept().stateGraphs) {
        m_questions.cancel(graph.request);
        graph.state = graph.graph ? State::Stale : State::Empty;
    }
}

} // namespace fw::ui
