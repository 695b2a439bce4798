// One layout of a graph before and behind many rewritings of one kind.
#include "common/test.h"
#include "picture/joint_diagram.h"
#include "picture/layout_memo.h"
#include "picture/picture.h"
#include "snapshot/graphs.h"
#include "snapshot/hierarchy.h"

using namespace fw;
using namespace fw::picture;
using namespace fw::snapshot;

class TestJointLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldsStayBelowOneAnother_data();
    void foldsStayBelowOneAnother();
};

namespace {

enum class Fold : std::uint8_t { Before, Behind };

// Products with a normalisation each, three to a block that goes round them; behind the folds with
// a bias instead, in groups.
GraphDocument residualNet(int blocks, Fold fold) {
    GraphMaker maker;
    NodeId at = maker.input("x");
    std::vector<std::vector<NodeId>> groups;
    for (int block = 0; block < blocks; ++block) {
        const NodeId start = at;
        const std::string name = "b" + std::to_string(block) + "_";
        for (int k = 0; k < 3; ++k) {
            const std::string each = name + std::to_string(k);
            const NodeId conv = maker.add("conv2d", each + "_conv", {at, maker.constant()});
            at = fold == Fold::Before
                     ? maker.add("batch_norm", each + "_bn", {conv, maker.constant()})
                     : maker.add("bias", each + "_bias", {conv, maker.constant()});
            groups.push_back({conv, at});
            if (k == 2)
                groups.back().push_back(at = maker.add("add", name + "add", {at, start}));
            groups.back().push_back(at = maker.add("relu", each + "_relu", {at}));
        }
    }
    if (fold == Fold::Behind)
        for (const std::vector<NodeId>& group : groups)
            maker.group(group);
    return maker.finish(at);
}

} // namespace

void TestJointLayout::foldsStayBelowOneAnother_data() {
    QTest::addColumn<int>("blocks");
    QTest::addColumn<bool>("dot");
    QTest::newRow("a few, by Graphviz") << 4 << true;
    QTest::newRow("a few") << 4 << false;
    QTest::newRow("53 folds, by Graphviz") << 18 << true;
    QTest::newRow("53 folds") << 18 << false;
}

// The way through is straight enough to be looked at as a whole.
void TestJointLayout::foldsStayBelowOneAnother() {
    QFETCH(const int, blocks);
    QFETCH(const bool, dot);
    const GraphDocument before = residualNet(blocks, Fold::Before),
                        behind = residualNet(blocks, Fold::Behind);
    const JointState states[] = {{&before, {}}, {&behind, {}}};
    const JointGraph joint = joined(states);
    DiagramOptions options;
    options.blocks = std::make_shared<const Hierarchy>(hierarchyOf(joint.graph));
    DrawOptions how;
    how.engine = dot ? EngineChoice::Auto : EngineChoice::Layered;
    const auto made = draw(diagramOf(joint, 1, options), how);
    QVERIFY(made.ok());
    double left = 1e9, right = -1e9;
    for (const PlacedBox& box : made->boxes)
        if (box.title == "conv2d") {
            left = std::min(left, box.rect.center().x);
            right = std::max(right, box.rect.center().x);
        }
    QVERIFY2(right - left < 900 && made->width < 1800,
             qPrintable(QString("convolutions from %1 to %2, %3 wide, %4 high, %5")
                            .arg(left)
                            .arg(right)
                            .arg(made->width)
                            .arg(made->height)
                            .arg(QString::fromStdString(made->decisions.front().sentence()))));
}

FW_TEST(TestJointLayout, QCoreApplication)
#include "test_joint_layout.moc"
