// SceneIndex: where things are in a picture, without widgets. A tree over the bounding boxes of all
// items, and of the pieces of paths, serves culling and hit tests; links serve walking by keys.
// Making one for a large picture takes long: the GUI thread is given it ready.
#pragma once

#include "picture/picture.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fw::ui {

enum class Direction : std::uint8_t { Up, Down, Left, Right };
enum class Detail : std::uint8_t { All, Shapes }; // Shapes: no texts

// Rectangles that are found by what they overlap: sixteen to a node, packed from the leaves up in
// an order that keeps neighbours together (a Z-order curve through the centres).
class RectTree {
public:
    struct Entry {
        picture::Rect rect;
        std::uint32_t item = 0;
    };

    RectTree() = default;
    explicit RectTree(std::vector<Entry> entries);
    // Appends the items of the entries that overlap `rect`, in no order.
    void find(const picture::Rect& rect, std::vector<std::uint32_t>& items) const;

private:
    std::vector<Entry> m_entries;
    std::vector<std::vector<picture::Rect>> m_levels; // the first one over the entries
};

class SceneIndex {
public:
    SceneIndex() = default;
    explicit SceneIndex(std::shared_ptr<const picture::Picture> picture);

    const picture::Picture* picture() const { return m_picture.get(); }
    const std::shared_ptr<const picture::Picture>& shared() const { return m_picture; }
    // Indices into Picture::items of what may touch `rect`, in painting order.
    std::vector<std::uint32_t> itemsIn(const picture::Rect& rect,
                                       Detail detail = Detail::All) const;

    const picture::PlacedBox* box(std::int64_t id) const;
    const picture::PlacedContainer* container(std::int64_t id) const;
    std::vector<std::int64_t> members(std::int64_t container) const;
    std::vector<std::int64_t> boxesIn(const picture::Rect& rect) const; // wholly or partly

    // The topmost box, else container, else edge within `reach` of the point.
    picture::Owner hit(picture::Point point, double reach) const;

    const std::vector<std::int64_t>& producers(std::int64_t id) const;
    const std::vector<std::int64_t>& consumers(std::int64_t id) const;
    // Up to a producer, down to a consumer, sideways to the next box of the same row. `cameFrom`
    // wins when it is among the candidates, so that going back undoes a step. -1: nowhere to go.
    std::int64_t walk(std::int64_t from, Direction direction, std::int64_t cameFrom = -1) const;

private:
    struct Neighbours {
        std::vector<std::int64_t> producers, consumers;
    };

    std::shared_ptr<const picture::Picture> m_picture;
    std::unordered_map<std::int64_t, std::uint32_t> m_boxes, m_containers;
    std::unordered_map<std::int64_t, Neighbours> m_links;
    RectTree m_shapes, m_texts;
};

picture::Rect boundsOf(const picture::Item& item);

} // namespace fw::ui
