#include "rewrite/origins.h"

#include <algorithm>

namespace fw {

namespace {

class Origins {
public:
    Origins(std::span<const Application> applications, const GraphPtr& body) {
        // One that added nothing is followed by another with the same id.
        for (const Application& application : applications)
            if (application.body == body && application.firstAdded >= 0)
                m_added.insert_or_assign(originOfAdded(application.firstAdded), &application);
    }

    std::vector<NodeId> of(const Node& node) const {
        std::vector<NodeId> out;
        std::unordered_set<NodeId> seen;
        std::vector<const Node*> open{&node};
        while (!open.empty()) {
            const Node& next = *open.back();
            open.pop_back();
            for (const NodeId id : next.origins) {
                if (!seen.insert(id).second)
                    continue;
                if (id >= 0)
                    out.push_back(id);
                else
                    for (const NodePtr& matched : m_added.at(id)->matched)
                        open.push_back(matched.get());
            }
        }
        return out;
    }

private:
    std::unordered_map<NodeId, const Application*> m_added; // by the origin of what they added
};

} // namespace

void giveOrigins(GraphEditor& editor, std::span<const Application> applications,
                 const GraphPtr& body) {
    const Origins origins(applications, body);
    for (NodeId id = 0; id < editor.nextId(); ++id)
        if (const Node* node = editor.find(id);
            node != nullptr && !node->origins.empty() && node->origins.front() < 0)
            editor.setOrigins(id, origins.of(*node));
}

} // namespace fw
