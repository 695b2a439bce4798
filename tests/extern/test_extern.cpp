// Groups that libraries compute against the reference, what joins them, and what they refuse.
#include "common/test.h"
#include "extern/judge.h"
#include "fusion/plan.h"
#include "graph/builder.h"
#include "ir/graph_text.h"
#include "library/library.h"

using namespace fw;
using namespace fw::test;

namespace {

// A library before all code of ours, but for the plain loops behind it.
StrategyBook plainLoops() {
    StrategyBook out;
    out.add(parseFile("schedule plain { each.parallel(outermost) }\n"
                      "implementations kind any on any {\n"
                      "  generated.plain by schedule plain priority 5 }\n",
                      "plain.fw")
                .declarations,
            "plain.fw");
    return out;
}

} // namespace

class TestExtern : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // What a book defines anew is no longer what the library computes under that name.
    void replacedOperatorsStayOurs() {
        Diags errors;
        const auto operators = withOperators(*standardOperators(),
                                             "op relu \"twice\" (x: T[S...]) -> y: T[S...] {\n"
                                             "  y[i...] = 2 * max(x[i...], 0) }\n"
                                             "op softmax \"halves\" (x: T[S...]) -> y: T[S...] {\n"
                                             "  y[i...] = x[i...] / 2 }\n",
                                             "own.fw", errors);
        QVERIFY(errors.empty());
        QVERIFY(operators->isReplaced("relu") && !operators->isReplaced("conv2d"));
        QVERIFY(!standardOperators()->isReplaced("relu"));
        const GraphPtr graph = parseGraph("graph g(x: f32[1, 8, 6, 6]) -> y {\n"
                                          "  w = const random(1) : f32[8, 8, 3, 3]\n"
                                          "  c = conv2d(x, w)   r = relu(c)   y = softmax(r)\n"
                                          "}\n",
                                          operators)
                                   .value();
        if (!present("onednn"))
            QSKIP("the library is not installed");
        const Outcome outcome = judge(graph, "onednn");
        QVERIFY2(outcome.worst < tolerance, qPrintable(QString::number(outcome.worst)));
        QVERIFY(outcome.implementations.starts_with("onednn.conv(conv2d) generated."));
        QVERIFY(outcome.implementations.find("onednn.softmax") == std::string::npos);
    }

    // F29, J3, J4: what joins a product depends on the library.
    void productAndTail() {
        Builder b;
        const ValueRef x = b.input("x", {4, 32});
        const ValueRef d = b.op("dense", {x, b.weight("w", {48, 32})});
        const ValueRef s =
            b.op("bias", {d, b.weight("b", {48})}, attrs({{"axis", AttrValue(std::int64_t(1))}}));
        const GraphPtr graph = b.finish(b.op("relu", {s}));
        if (present("onednn")) {
            const Outcome out = judge(graph, "onednn");
            QCOMPARE(out.implementations, std::string("onednn.matmul(dense_bias_relu)"));
            QVERIFY2(out.worst < tolerance, out.calls.c_str());
            QVERIFY(out.calls.find("then bias, relu") != std::string::npos);
            QVERIFY(out.calls.find("packed") != std::string::npos);
            QVERIFY(out.codes.contains(ReasonCode::WeightsPacked));
        }
        if (present("openblas")) {
            const Outcome out = judge(graph, "openblas");
            QCOMPARE(out.implementations,
                     std::string("openblas.sgemm(dense) generated.map(bias_relu)"));
            QVERIFY(out.worst < tolerance);
        }
    }

    // J5: a full-shape add is never a bias.
    void residualIsNoBias() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        Builder b;
        const ValueRef x = b.input("x", {48, 48}), r = b.input("r", {48, 48});
        const GraphPtr graph =
            b.finish(b.op("add", {b.op("dense", {x, b.weight("w", {48, 48})}), r}));
        const Outcome out = judge(graph, "onednn");
        QCOMPARE(out.implementations, std::string("onednn.matmul(dense_add)"));
        QVERIFY(out.calls.find("bias") == std::string::npos);
        QVERIFY(out.worst < tolerance);
    }

    void products_data() {
        QTest::addColumn<QString>("library");
        QTest::addColumn<int>("form");
        for (const char* library : {"onednn", "openblas"})
            for (int form = 0; form < 6; ++form)
                QTest::addRow("%s %d", library, form) << library << form;
    }
    void products() {
        QFETCH(QString, library);
        QFETCH(int, form);
        if (!present(library.toStdString()))
            QSKIP("the library is not installed");
        Builder b;
        ValueRef y;
        switch (form) {
        case 0: // leading axes are rows
            y = b.op("dense", {b.input("x", {2, 3, 16}), b.weight("w", {24, 16})});
            break;
        case 1: // weights that are an input
            y = b.op("dense", {b.input("x", {5, 16}), b.input("w", {24, 16})});
            break;
        case 2:
            y = b.op("batch_matmul", {b.input("p", {2, 3, 8, 16}), b.input("q", {2, 3, 16, 5})});
            break;
        case 3: // one side broadcasts
            y = b.op("batch_matmul", {b.input("p", {4, 8, 16}), b.weight("q", {16, 5})});
            break;
        case 4:
            y = b.op("batch_matmul", {b.input("p", {2, 1, 8, 16}), b.input("q", {3, 16, 5})});
            break;
        case 5: // one row
            y = b.op("dense", {b.input("x", {1, 64}), b.weight("w", {10, 64})});
            break;
        }
        const Outcome out = judge(b.finish(y), library.toStdString());
        QVERIFY2(out.implementations.starts_with(library.toStdString()),
                 out.implementations.c_str());
        QVERIFY2(out.moved.empty(), out.moved.empty() ? "" : out.moved[0].c_str());
        QVERIFY2(out.worst < tolerance, out.calls.c_str());
    }

    // What lies channels-last for a window operator beside it is no matrix: the plan keeps it
    // row-major.
    void productsOfImages_data() {
        QTest::addColumn<QString>("library");
        QTest::addColumn<bool>("right");
        for (const char* library : {"onednn", "openblas"})
            for (const bool right : {false, true})
                QTest::addRow("%s %d", library, right) << library << right;
    }
    void productsOfImages() {
        QFETCH(QString, library);
        QFETCH(bool, right);
        if (!present(library.toStdString()))
            QSKIP("the library is not installed");
        Builder b;
        const ValueRef image =
            right ? b.op("conv2d", {b.input("x", {1, 3, 4, 6}), b.weight("w", {5, 3, 1, 1})})
                  : b.op("lrn", {b.input("x", {1, 5, 18, 4})},
                         attrs({{"size", std::int64_t(3)}, {"alpha", 0.1}}));
        const ValueRef other = b.input("z", {1, 5, right ? 18 : 4, right ? 4 : 6});
        const Outcome out = judge(b.finish(right ? b.op("batch_matmul", {other, image})
                                                 : b.op("batch_matmul", {image, other})),
                                  library.toStdString());
        QVERIFY2(out.implementations.find(library.toStdString() +
                                          (library == "onednn" ? ".matmul" : ".sgemm")) !=
                     std::string::npos,
                 out.implementations.c_str());
        QVERIFY2(out.moved.empty(), out.moved.empty() ? "" : out.moved[0].c_str());
        QVERIFY2(out.worst < tolerance, out.calls.c_str());
    }

    // A layout that OpenBLAS cannot read is refused while compiling, never when a program is
    // opened.
    void unreadableLayouts() {
        if (!present("openblas"))
            QSKIP("OpenBLAS is not installed");
        Builder b;
        const ValueRef x = b.input("x", {1, 3, 18, 4});
        const GraphPtr graph = b.finish(b.op("batch_matmul", {x, b.input("z", {1, 3, 4, 6})}));
        const NodeId nodes[] = {graph->results()[0].value.node};
        GroupSite site;
        site.graph = graph.get();
        site.nodes = nodes;
        site.anchor = nodes[0];
        site.layout = [&](ValueRef value) { return value == x ? channelsLast(4) : StorageMap{}; };
        const Result<Lowering> call = catalogOf(externLibraries(), {})
                                          .find("openblas.sgemm")
                                          ->lower(site, target("openblas"));
        QCOMPARE(call.diag().code, DiagCode::LibraryFailed);
        QVERIFY2(call.diag().message.find("layout") != std::string::npos,
                 call.diag().message.c_str());
    }

    // J2: every attribute of a convolution.
    void convolutions_data() {
        QTest::addColumn<QList<int>>("a"); // N C H O K stride pads(4) dilation groups
        QTest::newRow("first") << QList<int>{1, 3, 20, 16, 7, 2, 3, 3, 3, 3, 1, 1};
        QTest::newRow("3x3") << QList<int>{1, 16, 12, 32, 3, 1, 1, 1, 1, 1, 1, 1};
        QTest::newRow("1x1") << QList<int>{1, 32, 9, 48, 1, 1, 0, 0, 0, 0, 1, 1};
        QTest::newRow("strided 1x1") << QList<int>{1, 32, 9, 48, 1, 2, 0, 0, 0, 0, 1, 1};
        QTest::newRow("asymmetric") << QList<int>{2, 16, 11, 16, 3, 2, 0, 1, 2, 1, 1, 1};
        QTest::newRow("dilated") << QList<int>{1, 16, 14, 16, 3, 1, 2, 2, 2, 2, 2, 1};
        QTest::newRow("grouped") << QList<int>{1, 32, 10, 64, 3, 1, 1, 1, 1, 1, 1, 4};
        QTest::newRow("depthwise") << QList<int>{1, 24, 13, 24, 3, 2, 1, 1, 1, 1, 1, 24};
        QTest::newRow("odd") << QList<int>{1, 20, 8, 30, 3, 1, 1, 1, 1, 1, 1, 1};
    }
    void convolutions() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        QFETCH(QList<int>, a);
        Builder b;
        const ValueRef x = b.input("x", {a[0], a[1], a[2], a[2]});
        const ValueRef w = b.weight("w", {a[3], a[1] / a[11], a[4], a[4]});
        const ValueRef c = b.op("conv2d", {x, w},
                                attrs({{"strides", Integers{a[5], a[5]}},
                                       {"pads", Integers{a[6], a[7], a[8], a[9]}},
                                       {"dilations", Integers{a[10], a[10]}},
                                       {"groups", std::int64_t(a[11])}}));
        const ValueRef s = b.op("bias", {c, b.weight("b", {a[3]})});
        const Outcome out =
            judge(b.finish(b.op("clip", {s}, attrs({{"min", 0.0}, {"max", 6.0}}))), "onednn");
        QCOMPARE(out.implementations, std::string("onednn.conv(conv2d_bias_clip)"));
        // The model's own images are row-major.
        QVERIFY(out.codes.contains(ReasonCode::ReorderAdded));
        QVERIFY2(out.moved.empty(), out.moved.empty() ? "" : out.moved[0].c_str());
        QVERIFY2(out.worst < tolerance, out.calls.c_str());
    }

    // The residual's memory becomes the output's where nobody reads it any more.
    void residualBlock() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        Builder b;
        const auto conv = [&](ValueRef x) {
            const ValueRef c =
                b.op("conv2d", {x, b.weight("w" + std::to_string(b.seed), {16, 16, 3, 3})},
                     attrs({{"pads", Integers{1, 1, 1, 1}}}));
            return b.op("bias", {c, b.weight("b" + std::to_string(b.seed), {16})});
        };
        const ValueRef first = b.op("relu", {conv(b.input("x", {1, 16, 10, 10}))});
        const ValueRef second = conv(b.op("relu", {conv(first)}));
        const ValueRef sum = b.op("relu", {b.op("add", {second, first})});
        const GraphPtr graph = b.finish(b.op("global_average_pool", {sum}));
        const Outcome out = judge(graph, "onednn");
        QVERIFY2(out.implementations.find("onednn.conv(conv2d_bias_add_relu)") != std::string::npos,
                 out.implementations.c_str());
        QVERIFY2(out.calls.find("then bias, sum, relu") != std::string::npos, out.calls.c_str());
        QVERIFY2(out.moved.empty(), out.moved.empty() ? "" : out.moved[0].c_str());
        QVERIFY2(out.worst < tolerance, out.calls.c_str());
    }

    void tails_data() {
        QTest::addColumn<QString>("op");
        for (const char* op :
             {"relu", "leaky_relu", "elu", "clip", "gelu", "sigmoid", "tanh", "hard_swish", "mish",
              "abs", "exp", "round", "add", "mul", "sub", "max", "min"})
            QTest::addRow("%s", op) << op;
    }
    void tails() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        QFETCH(QString, op);
        const std::string name = op.toStdString();
        Builder b;
        const ValueRef c =
            b.op("conv2d", {b.input("x", {1, 16, 8, 8}), b.weight("w", {16, 16, 1, 1})});
        const bool binary = std::set<std::string>{"add", "mul", "sub", "max", "min"}.contains(name);
        const GraphPtr graph = b.finish(
            binary ? b.op(name, {c, b.op("sqrt", {b.op("abs", {b.input("r", {1, 16, 8, 8})})})})
                   : b.op(name, {c}));
        const Outcome out = judge(graph, "onednn");
        QVERIFY2(out.implementations.find("onednn.conv(conv2d_" + name + ")") != std::string::npos,
                 out.implementations.c_str());
        // round may differ by one where the value lies between two numbers
        QVERIFY2(out.worst < (name == "round" ? 1.0 : 1e-4), out.calls.c_str());
    }

    void otherFamilies_data() {
        QTest::addColumn<QString>("what");
        for (const char* what :
             {"max_pool2d", "avg_pool2d", "counted", "global_average_pool", "global_max_pool",
              "softmax", "log_softmax", "layernorm", "transposed", "transposed groups"})
            QTest::addRow("%s", what) << what;
    }
    void otherFamilies() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        QFETCH(QString, what);
        const std::string name = what.toStdString();
        Builder b;
        const auto image = [&] { return b.input("x", {2, 16, 11, 11}); };
        const Attrs window = attrs({{"kernel_shape", Integers{3, 2}},
                                    {"strides", Integers{2, 1}},
                                    {"pads", Integers{1, 0, 1, 1}}});
        ValueRef y;
        std::string wanted = "onednn.pool";
        if (name == "max_pool2d" || name == "avg_pool2d") {
            y = b.op(name, {image()}, window);
        } else if (name == "counted") {
            Attrs all = window;
            all.set("counted", Integers{1, 0, 1, 1});
            y = b.op("avg_pool2d", {image()}, all);
        } else if (name.starts_with("global")) {
            y = b.op(name, {image()});
        } else if (name.ends_with("softmax")) {
            y = b.op(name, {b.input("x", {6, 37})});
            wanted = "onednn.softmax";
        } else if (name == "layernorm") {
            y = b.op(name, {b.input("x", {6, 40}), b.weight("g", {40}), b.weight("b", {40})});
            wanted = "onednn.layernorm";
        } else {
            const std::int64_t groups = name == "transposed" ? 1 : 2;
            y = b.op("conv_transpose2d", {image(), b.weight("w", {16, 8, 3, 3})},
                     attrs({{"strides", Integers{2, 2}},
                            {"pads", Integers{1, 1, 1, 1}},
                            {"output_padding", Integers{1, 1}},
                            {"groups", groups}}));
            wanted = "onednn.deconv";
        }
        const Outcome out = judge(b.finish(y), "onednn");
        QVERIFY2(out.implementations.starts_with(wanted), out.implementations.c_str());
        QVERIFY2(out.moved.empty(), out.moved.empty() ? "" : out.moved[0].c_str());
        QVERIFY2(out.worst < tolerance, out.calls.c_str());
    }

    // Nobody chooses it by priority; by name it computes the same, less exactly, on blocked images.
    void winograd() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        Builder b;
        const ValueRef c =
            b.op("conv2d", {b.input("x", {1, 20, 12, 12}), b.weight("w", {24, 20, 3, 3})},
                 attrs({{"pads", Integers{1, 1, 1, 1}}}));
        const GraphPtr graph = b.finish(b.op("relu", {b.op("bias", {c, b.weight("b", {24})})}));
        FusionPlan plan = planWith(*graph, "onednn", plainLoops());
        QCOMPARE(plan.groups.size(), std::size_t(1));
        bool possible = false;
        for (const Candidate& candidate : plan.groups[0].candidates)
            possible = possible || (candidate.implementation == "onednn.winograd" &&
                                    candidate.verdict == Verdict::Yes);
        if (!possible)
            QSKIP("oneDNN has no Winograd kernel for this CPU");
        plan.groups[0].implementation = "onednn.winograd";
        auto module =
            std::make_shared<CompiledModule>(compileModule(*graph, plan, target("onednn")).value());
        QCOMPARE(module->program.steps.size(), std::size_t(3)); // with both reorders
        auto loaded = loadModule(module, target("onednn")).take();
        const auto inputs = loaded->randomInputs(5, {}).value();
        const TensorData got = loaded->run(inputs).value().at(0);
        const TensorData wanted = evaluateGraph(*graph, inputs).value().at(0);
        for (std::size_t k = 0; k < wanted.count(); ++k)
            QVERIFY2(std::abs(got.at(k) - wanted.at(k)) < 1e-3,
                     module->reports[0].libraryCall.c_str());
    }

    // Its weights lie in an order that another batch size would not find.
    void winogradOfOpenSizes() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        Builder b;
        const ValueRef x = b.editor.addInput(
            "x", {DType::F32, {varExpr(Symbol("N")), Expr(16), Expr(12), Expr(12)}});
        const GraphPtr graph = b.finish(b.op("conv2d", {x, b.weight("w", {16, 16, 3, 3})},
                                             attrs({{"pads", Integers{1, 1, 1, 1}}})));
        const FusionPlan plan = planWith(*graph, "onednn", plainLoops());
        bool told = false;
        for (const Candidate& candidate : plan.groups[0].candidates)
            if (candidate.implementation == "onednn.winograd") {
                QCOMPARE(candidate.code, ReasonCode::LibraryRefused);
                QVERIFY2(candidate.evidence.find("depends on N") != std::string::npos,
                         candidate.evidence.c_str());
                told = true;
            }
        QVERIFY(told);
    }

    void freeDimensions() {
        for (const char* library : {"onednn", "openblas"}) {
            if (!present(library))
                continue;
            Builder b;
            const ValueRef x =
                b.editor.addInput("x", {DType::F32, {varExpr(Symbol("N")), Expr(24)}});
            const ValueRef d = b.op("dense", {x, b.weight("w", {40, 24})});
            const GraphPtr graph = b.finish(b.op("relu", {d}));
            for (const std::int64_t n : {0, 1, 7, 130}) {
                const Outcome out = judge(graph, library, {{"N", n}});
                QVERIFY2(out.worst < tolerance, out.calls.c_str());
            }
        }
    }

    void refusals() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        Builder b;
        const ValueRef x = b.editor.addInput("x", {DType::F64, fixedShape({4, 8})});
        const ValueRef w = b.editor.addConstant("w", randomData(DType::F64, {8, 8}, 3));
        const GraphPtr graph = b.finish(b.op("dense", {x, w}));
        const FusionPlan plan = planWith(*graph, "onednn", plainLoops());
        QVERIFY(plan.groups[0].kind == GroupKind::Kernel);
        bool told = false;
        for (const Candidate& candidate : plan.groups[0].candidates)
            told = told || (candidate.implementation == "onednn.matmul" &&
                            candidate.code == ReasonCode::LibraryRefused);
        QVERIFY(told);
    }

    // A refusal while compiling moves the group, with a decision; the numbers stay right.
    void groupMovesToGeneratedCode() {
        if (!present("openblas"))
            QSKIP("OpenBLAS is not installed");
        Builder b;
        const ValueRef x = b.input("x", {4, 8});
        const GraphPtr graph = b.finish(b.op("relu", {b.op("dense", {x, b.weight("w", {6, 8})})}));
        FusionPlan plan = planFusion(*graph, target("")).value();
        QCOMPARE(plan.groups.size(), std::size_t(1));
        Group& group = plan.groups[0];
        group.implementation = "openblas.sgemm"; // which takes no relu
        group.by = catalogOf(externLibraries(), {}).find("openblas.sgemm");
        group.kind = GroupKind::Call;
        group.lowering = {};
        const CompiledModule module = compileModule(*graph, plan, target("openblas")).value();
        QCOMPARE(module.reports[0].decisions.at(0).code, ReasonCode::MovedFromLibrary);
        QCOMPARE(module.reports[0].implementation, std::string("generated.tiled"));
        QCOMPARE(module.program.calls.size(), std::size_t(0));
    }

    // The first question is about the operator as such, the second about this call.
    void acceptance() {
        if (!present("onednn"))
            QSKIP("oneDNN is not installed");
        Builder b;
        const GraphPtr graph =
            b.finish(b.op("dense", {b.input("x", {4, 8}), b.weight("w", {6, 8})}));
        const Node& node = graph->node(graph->results()[0].value.node);
        for (const auto& implementation : externLibrary("onednn")->implementations()) {
            const bool product = implementation->name() == "onednn.matmul";
            for (const Graph* known : {static_cast<const Graph*>(nullptr), graph.get()}) {
                const Acceptance answer =
                    implementation->accepts({known, &node, {}}, target("onednn"));
                QCOMPARE(answer.yes(), product);
                QCOMPARE(answer.code, product ? ReasonCode::LibraryTakes : ReasonCode::GuardFalse);
            }
        }
    }

    void operatorsKnowTheirLibraries() {
        QVERIFY(externLibrary("onednn") != nullptr && externLibrary("openblas") != nullptr);
        QVERIFY(externLibrary("mkl") == nullptr);
        Decisions notices;
        QVERIFY(checkLibraries(target(""), notices).ok() && notices.empty());
    }
};

FW_TEST(TestExtern, QCoreApplication)
#include "test_extern.moc"
