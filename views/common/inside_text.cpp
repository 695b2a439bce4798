#include "views/common/inside_text.h"

#include "snapshot/insides.h"
#include "views/common/text.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

QString insideText(const DocumentParts& document, const Picked& picked) {
    const bool imported = picked.importedSubject != snapshot::noNode;
    const auto* graph = imported ? document.imported().get() : document.fused().get();
    const auto subject = imported ? picked.importedSubject : picked.fusedSubject;
    const auto* node = nodeOf(graph, subject);
    const auto around = node ? snapshot::bodiesAround(*graph, subject)
                             : std::vector<const snapshot::InsideRecord*>();
    const auto* outer = around.empty() ? nullptr : nodeOf(graph, around.front()->node);
    if (outer == nullptr)
        return {};
    const auto nameOf = [](const snapshot::NodeRecord& one) {
        return text(one.name.empty() ? one.op : one.name);
    };
    return u"%1 lies inside %2. What lies inside an operator belongs to it: nothing is decided "
           u"about it "
           "alone. Select %3 for what was decided."_s.arg(nameOf(*node), text(around.back()->path),
                                                          nameOf(*outer));
}

} // namespace fw::ui
