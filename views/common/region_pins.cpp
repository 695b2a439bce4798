#include "views/common/region_pins.h"

#include "views/common/view.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

QString ownerText(const std::string& owner) {
    return owner.empty() ? u"code of ours"_s : QString::fromStdString(owner);
}

const snapshot::RegionRecord* regionOf(const DocumentParts& document, int region) {
    if (document.state(Part::Regions) != State::Ready || !document.regions())
        return nullptr;
    const auto& all = document.regions()->regions;
    return region >= 0 && std::size_t(region) < all.size() ? &all[std::size_t(region)] : nullptr;
}

std::vector<RegionPin> regionChoices(const DocumentParts& document, int number) {
    std::vector<RegionPin> out;
    const snapshot::RegionRecord* region = regionOf(document, number);
    if (!region)
        return out;
    const auto groups = std::size_t(std::count_if(
        region->calls.begin(), region->calls.end(),
        [](const snapshot::RegionCall& call) { return call.by != "view" && call.by != "opaque"; }));
    for (const snapshot::RegionChoice& choice : region->choices) {
        RegionPin& one = out.emplace_back();
        one.text = ownerText(choice.owner);
        if (choice.uses.size() < groups)
            one.detail = u"%1 of %2 groups"_s.arg(choice.uses.size()).arg(groups);
        one.pins.what = "region " + region->name + " to " + one.text.toStdString();
        for (const snapshot::AnchorUse& use : choice.uses)
            one.pins.pins.push_back(
                {snapshot::PinKind::Use, pinNames(document, {use.anchor}), use.implementation});
    }
    return out;
}

} // namespace fw::ui
