// Every rule of resources/library/simplify.fw is sound: the graph computes the same before and
// after, on random tensors, as the reference says. A rule without a case here fails the test.
#include "common/test.h"
#include "rewrite/rewriting.h"

using namespace fw;
using namespace rewriting;

namespace {

const char* const norms =
    "  g = const random(3) : f32[4]  t = const random(4) : f32[4]  m = const random(5) : f32[4]\n"
    "  v = const [0.5, 1.5, 0.25, 2] : f32[4]\n";

struct Case {
    const char* name;
    std::string graph;
    const char* fired; // rules that must have fired
    const char* left;  // operators that are left
};

std::vector<Case> cases() {
    const std::string n = norms;
    const std::string w = "  w = const random(1) : f32[4, 3, 3, 3]  b = const random(2) : f32[4]\n";
    const std::string head = "graph g(x: f32[N, 3, 6, 5]) -> y {\n";
    return {
        {"identity", "graph g(x: f32[N, 3]) -> y {\n a = identity(x) b = relu(a) y = identity(b) }",
         "remove_identity", "relu"},
        {"a shuffle of channels",
         "graph g(x: f32[N, 6, 2, 3]) -> y {\n r = reshape(x) {shape = [N, 3, 2, 2, 3]}\n"
         " t = transpose(r) {perm = [0, 2, 1, 3, 4]}\n y = reshape(t) {shape = [N, 6, 2, 3]}\n}",
         "shuffle_channels", "channel_shuffle"},
        {"identity of an input", "graph g(x: f32[2]) -> y, z {\n y = identity(x) z = relu(y) }",
         "remove_identity", "relu"},
        {"dropout", "graph g(x: f32[N, 3]) -> y {\n a = relu(x) y = dropout(a) {ratio = 0.25} }",
         "remove_dropout", "relu"},
        {"batch norm after a convolution",
         head + w + n +
             "  c = conv2d(x, w) {pads = [1, 1, 1, 1], strides = [2, 1]}\n  y = batch_norm(c, g, "
             "t, m, v)\n}",
         "fold_batch_norm fold_constants", "conv2d bias"},
        {"batch norm after a biased convolution",
         head + w + n +
             "  c = conv2d(x, w)  d = bias(c, b)\n  y = batch_norm(d, g, t, m, v) {eps = 0.1}\n}",
         "fold_batch_norm fold_constants", "conv2d bias"},
        {"batch norm after a grouped convolution",
         "graph g(x: f32[2, 4, 5, 5]) -> y {\n  w = const random(1) : f32[4, 1, 3, 3]\n" + n +
             "  c = conv2d(x, w) {groups = 4}  y = batch_norm(c, g, t, m, v)\n}",
         "fold_batch_norm", "conv2d bias"},
        {"batch norm after a convolution in f16",
         "graph g(x: f16[N, 1, 4, 4]) -> y {\n  w = const [1, 2] : f16[2, 1, 1, 1]\n"
         "  a = const [2, 1] : f16[2]  b = const [1, 2] : f16[2]  m = const [0.5, 0.25] : f16[2]\n"
         "  v = const [3, 15] : f16[2]\n  c = conv2d(x, w)  y = batch_norm(c, a, b, m, v)\n}",
         "fold_narrow_batch_norm", "cast conv2d bias cast"},
        {"batch norm after a biased convolution that is rounded to bf16",
         "graph g(x: f32[N, 1, 4, 4]) -> y {\n  w = const [1, 2] : f32[2, 1, 1, 1]\n"
         "  d = const [1, 2] : f32[2]  a = const [2, 1] : bf16[2]  b = const [1, 2] : bf16[2]\n"
         "  m = const [0.5, 0.25] : bf16[2]  v = const [3, 15] : bf16[2]\n"
         "  c = conv2d(x, w)  e = bias(c, d)  f = cast(e) {to = bf16}\n"
         "  y = batch_norm(f, a, b, m, v)\n}",
         "fold_narrow_batch_norm_of_bias", "conv2d bias cast"},
        {"batch norm after a convolution over three axes",
         "graph g(x: f32[2, 3, 2, 5, 5]) -> y {\n  w = const random(1) : f32[4, 3, 1, 3, 3]\n" + n +
             "  c = conv(x, w) {strides = [1, 2, 1], before = [0, 1, 1], behind = [0, 1, 0], "
             "dilations = [1, 1, 1]}\n  y = batch_norm(c, g, t, m, v)\n}",
         "fold_batch_norm_of_conv", "conv bias"},
        {"batch norm, the convolution used twice",
         "graph g(x: f32[N, 3, 6, 5]) -> y, r {\n" + w + n +
             "  c = conv2d(x, w)  y = batch_norm(c, g, t, m, v)  r = relu(c)\n}",
         "open_batch_norm", "conv2d scale bias relu"},
        {"batch norm, the convolution a result",
         "graph g(x: f32[N, 3, 6, 5]) -> y, c {\n" + w + n +
             "  c = conv2d(x, w)  y = batch_norm(c, g, t, m, v)\n}",
         "open_batch_norm", "conv2d scale bias"},
        {"batch norm alone",
         "graph g(x: f32[N, 4, 3, 2]) -> y {\n" + n + "  y = batch_norm(x, g, t, m, v)\n}",
         "open_batch_norm", "scale bias"},
        {"batch norm twice",
         head + w + n +
             "  c = conv2d(x, w)  d = batch_norm(c, g, t, m, v)  y = batch_norm(d, t, g, m, v)\n}",
         "fold_batch_norm open_batch_norm", "conv2d bias"},
        {"two biases",
         "graph g(x: f32[N, 4, 2]) -> y {\n" + n + "  a = bias(x, g)  y = bias(a, t)\n}",
         "merge_bias fold_constants", "bias"},
        {"two biases on two axes",
         "graph g(x: f32[N, 4, 4]) -> y {\n" + n + "  a = bias(x, g) {axis = 2}  y = bias(a, t)\n}",
         "", "bias bias"},
        {"three biases",
         "graph g(x: f32[N, 4]) -> y {\n" + n +
             "  a = bias(x, g)  b = bias(a, t)  y = bias(b, m)\n}",
         "merge_bias", "bias"},
        {"a bias used twice",
         "graph g(x: f32[N, 4]) -> y, r {\n" + n +
             "  a = bias(x, g)  y = bias(a, t)  r = relu(a)\n}",
         "", "bias bias relu"},
        {"a gate by itself", "graph g(x: f32[N, 4]) -> y {\n  a = sigmoid(x)  y = mul(a, x)\n}",
         "gate_by_itself", "swish"},
        {"a gate that others read",
         "graph g(x: f32[N, 4]) -> y, r {\n  a = sigmoid(x)  y = mul(x, a)  r = exp(a)\n}", "",
         "sigmoid mul exp"},
        {"a hard gate by itself",
         "graph g(x: f32[N, 4]) -> y {\n  a = hard_sigmoid(x) {alpha = 0.16666667}  y = mul(x, "
         "a)\n}",
         "hard_gate_by_itself", "hard_swish"},
        {"a hard gate of another slope",
         "graph g(x: f32[N, 4]) -> y {\n  a = hard_sigmoid(x)  y = mul(x, a)\n}", "",
         "hard_sigmoid mul"},
        {"constants",
         "graph g(x: f32[4]) -> y {\n" + n + "  a = add(g, t)  b = mul(a, m)  y = add(x, b)\n}",
         "fold_constants", "add"},
        {"only constants", "graph g(x: f32[4]) -> y, x {\n" + n + "  y = exp(g)\n}",
         "fold_constants", ""},
        {"common",
         "graph g(x: f32[4]) -> y {\n  a = exp(x)  b = exp(x)  c = relu(a)  d = relu(b)  y = "
         "add(c, d)\n}",
         "cse", "exp relu add"},
        {"common, other attributes",
         "graph g(x: f32[4]) -> y {\n  a = clip(x) {max = 0.5}  b = clip(x) {max = 0.25}  y = "
         "add(a, b)\n}",
         "", "clip clip add"},
        {"common, both results", "graph g(x: f32[4]) -> a, b {\n  a = exp(x)  b = exp(x)\n}", "cse",
         "exp"},
        {"common constants",
         "graph g(x: f32[2]) -> y {\n  k = const [1, 2] : f32[2]  l = const [1, 2] : f32[2]  a = "
         "mul(x, k)  b = mul(x, l)  y = sub(a, b)\n}",
         "cse", "mul sub"},
        {"not common",
         "graph g(x: f32[2], z: f32[2]) -> y {\n  a = sub(x, z)  b = sub(z, x)  y = mul(a, b)\n}",
         "", "sub sub mul"},
    };
}

// Of simplify.fw; the rules of the other books have tests beside them alone.
RuleBook simplifications() {
    RuleBook out = *standardRules();
    std::erase_if(out.entries, [&](const DeclarationPtr& entry) {
        return out.files.at(entry.get()) != "simplify.fw";
    });
    return out;
}

} // namespace

class TestSimplify : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sound_data();
    void sound();
    void everyRuleHasACase();
    void eachRuleAlone();
};

void TestSimplify::sound_data() {
    QTest::addColumn<int>("index");
    const auto all = cases();
    for (std::size_t i = 0; i < all.size(); ++i)
        QTest::newRow(all[i].name) << static_cast<int>(i);
}

void TestSimplify::sound() {
    QFETCH(int, index);
    const Case one = cases()[static_cast<std::size_t>(index)];
    const GraphPtr before = graphOf(one.graph);
    const Rewritten after = rewritten(before, *standardRules());
    QCOMPARE(operatorsOf(*after.graph), QString::fromLatin1(one.left));
    for (const QString& rule : QString::fromLatin1(one.fired).split(u' ', Qt::SkipEmptyParts))
        QVERIFY2(applications(after.trace, rule.toStdString()) > 0, qPrintable(rule));
    if (*one.fired == '\0')
        QVERIFY(after.trace.applications.empty());
    QCOMPARE(difference(*before, *after.graph), QString());
    QCOMPARE(after.trace.stopReason, std::string("fixpoint"));
    // Provenance: every operator that is left stands for nodes of the first graph.
    for (const NodePtr& node : after.graph->nodes())
        for (const NodeId origin : node->origins)
            QVERIFY(before->find(origin) != nullptr);
}

void TestSimplify::everyRuleHasACase() {
    std::set<std::string> covered;
    for (const Case& one : cases())
        for (const QString& rule : QString::fromLatin1(one.fired).split(u' ', Qt::SkipEmptyParts))
            covered.insert(rule.toStdString());
    const RuleBook all = simplifications();
    for (const auto& entry : all.entries)
        QVERIFY2(covered.contains(entry->name), entry->name.c_str());
}

// A rule must not lean on another one having run.
void TestSimplify::eachRuleAlone() {
    const RuleBook all = simplifications();
    for (const auto& entry : all.entries) {
        RuleBook alone = all;
        alone.entries = {entry};
        std::size_t count = 0;
        for (const Case& one : cases()) {
            const GraphPtr before = graphOf(one.graph);
            const Rewritten after = rewritten(before, alone);
            count += applications(after.trace, entry->name);
            const QString wrong = difference(*before, *after.graph);
            QVERIFY2(
                wrong.isEmpty(),
                qPrintable(QString::fromStdString(entry->name + " on " + one.name + ": ") + wrong));
        }
        QVERIFY2(count > 0, entry->name.c_str());
    }
}

FW_TEST(TestSimplify, QCoreApplication)
#include "test_simplify.moc"
