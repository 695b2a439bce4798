// SceneIndex: where things are in a picture, without widgets. A tree over the bounding boxes of all
// items, and of the pieces of paths, serves culling and hit tests; links serve walking by keys.
// Making one for a large picture takes long: the GUI thread is given it ready.
#pragma once

#include "picture/picture.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fw::ui {

enum class Direction : std::uint8_t { Up, Down, Left, Right };
enum class Detail : std::uint8_t { All, Shapes }; // Shapes: no texts

// Rectangles that are found by what they overlap: sixteen to a node, packed from the leaves up in
// an order that keeps neighbours together (a Z-order curve through the centres).
class RectTree {
public:
    // Rounded outwards to half the bytes: what is found is looked at once more.
    struct Bounds {
        float left = 0, top = 0, right = 0, bottom = 0;
    };
    struct Entry {
        Bounds bounds;
        std::uint32_t item = 0;
    };
    static Bounds boundsOf(const picture::Rect& rect);

    RectTree() = default;
    explicit RectTree(std::vector<Entry> entries);
    // Appends the items of the entries that overlap `rect`, in no order.
    void find(const picture::Rect& rect, std::vector<std::uint32_t>& items) const;

private:
    std::vector<Entry> m_entries;
    std::vector<std::vector<Bounds>> m_levels; // the first one over the entries
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
    std::vector<std::int64_t> members(std::int64_t container) const;    // at any depth
    std::vector<std::int64_t> boxesIn(const picture::Rect& rect) const; // wholly or partly

    // The topmost box, else edge or name of its end within `reach` of the point, else container.
    picture::Owner hit(picture::Point point, double reach) const;

    std::vector<std::int64_t> producers(std::int64_t id) const;
    std::vector<std::int64_t> consumers(std::int64_t id) const;
    // Up to a producer, down to a consumer, sideways to the next box of the same row. `cameFrom`
    // wins when it is among the candidates, so that going back undoes a step. -1: nowhere to go.
    std::int64_t walk(std::int64_t from, Direction direction, std::int64_t cameFrom = -1) const;

private:
    using Numbers = std::vector<std::pair<std::int64_t, std::uint32_t>>; // of ids, sorted

    std::vector<std::int64_t> neighbours(const Numbers& links, std::int64_t id,
                                         std::int64_t picture::Link::*end) const;

    std::shared_ptr<const picture::Picture> m_picture;
    Numbers m_boxes, m_containers;    // in Picture::boxes and containers
    Numbers m_consuming, m_producing; // links, by where they begin and by where they end
    RectTree m_shapes, m_texts;
};

picture::Rect boundsOf(const picture::Item& item);

} // namespace fw::ui
