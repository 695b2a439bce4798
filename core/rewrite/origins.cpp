#include "rewrite/origins.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace fw {

namespace {

// In the order of the applications, each a union of what the ones before it came from. What nothing
// reads any more is forgotten, so what is held is that of the nodes of one moment.
class Origins {
public:
    Origins(const GraphEditor& editor, std::span<const Application> applications,
            const GraphPtr& body) {
        const auto isHere = [&](const Application& application) {
            return application.body == body && application.firstAdded >= 0;
        };
        for (const Application& application : applications)
            if (isHere(application))
                for (const NodePtr& matched : application.matched)
                    expect(*matched);
        for (NodeId id = 0; id < editor.nextId(); ++id)
            if (const Node* node = editor.find(id))
                expect(*node);
        for (const Application& application : applications) {
            if (!isHere(application))
                continue;
            std::vector<NodeId> all;
            for (const NodePtr& matched : application.matched)
                add(all, take(*matched));
            // One that added nothing is followed by another with the same id.
            m_added.insert_or_assign(originOfAdded(application.firstAdded), std::move(all));
        }
    }

    std::vector<NodeId> take(const Node& node) {
        std::vector<NodeId> out;
        for (const NodeId id : node.origins) {
            if (id >= 0) {
                add(out, {id});
                continue;
            }
            const auto added = m_added.find(id);
            if (--m_readers.at(id) > 0) {
                add(out, added->second);
                continue;
            }
            add(out, std::move(added->second));
            m_added.erase(added);
        }
        return out;
    }

private:
    static constexpr std::size_t mostInserted = 8; // one by one

    void expect(const Node& node) {
        for (const NodeId id : node.origins)
            if (id < 0)
                ++m_readers[id];
    }

    // An operator that is moved along a chain comes from more and more, each time by one.
    static void add(std::vector<NodeId>& to, std::vector<NodeId> more) {
        if (to.size() < more.size())
            std::swap(to, more);
        if (more.size() <= mostInserted) {
            for (const NodeId id : more)
                if (const auto place = std::lower_bound(to.begin(), to.end(), id);
                    place == to.end() || *place != id)
                    to.insert(place, id);
            return;
        }
        std::vector<NodeId> both;
        both.reserve(to.size() + more.size());
        std::set_union(to.begin(), to.end(), more.begin(), more.end(), std::back_inserter(both));
        to = std::move(both);
    }

    std::unordered_map<NodeId, std::vector<NodeId>> m_added; // by the origin of what they added
    std::unordered_map<NodeId, std::size_t> m_readers;       // that are still to come
};

} // namespace

void giveOrigins(GraphEditor& editor, std::span<const Application> applications,
                 const GraphPtr& body) {
    Origins origins(editor, applications, body);
    for (NodeId id = 0; id < editor.nextId(); ++id)
        if (const Node* node = editor.find(id);
            node != nullptr && !node->origins.empty() && node->origins.front() < 0)
            editor.setOrigins(id, origins.take(*node));
}

} // namespace fw
