// Text widths, hostile names, colours, and the files that are written.
#include "common/test.h"
#include "diagrams.h"
#include "picture/writers.h"

#include <QFile>
#include <QXmlStreamReader>

using namespace fw;
using namespace fw::picture;

class TestWriters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void widthsAreThoseOfTheFont();
    void longTextIsShortened();
    void textIsMadePrintable();
    void coloursKeepTheirContrast();
    void svgOfASmallDiagram();
    void numbersAreShort();
    void hostileNamesStayText();
};

void TestWriters::widthsAreThoseOfTheFont() {
    // Units of 2048: n 1298, f 721, space 651.
    QCOMPARE(textWidth("n", 2048, Weight::Regular), 1298.0);
    QCOMPARE(textWidth("f n", 2048, Weight::Regular), 721.0 + 651 + 1298);
    QVERIFY(textWidth("conv2d", 12, Weight::Bold) > textWidth("conv2d", 12, Weight::Regular));
    QVERIFY(textWidth("×", 12, Weight::Regular) < 12);
    QCOMPARE(textWidth("漢", 12, Weight::Regular), 12.0);
}

void TestWriters::longTextIsShortened() {
    const std::string name = "/features/features.17/conv/conv.2/Conv_output_0";
    for (const double width : {0.0, 10.0, 40.0, 150.0}) {
        for (const Elide mode : {Elide::Right, Elide::Middle}) {
            const std::string text = elide(name, width, 12, Weight::Regular, mode);
            QVERIFY(textWidth(text, 12, Weight::Regular) <= std::max(width, 12.1));
            QVERIFY(text.find("…") != std::string::npos);
        }
    }
    QVERIFY(elide(name, 150, 12, Weight::Regular, Elide::Middle).ends_with("output_0"));
    QVERIFY(elide(name, 150, 12, Weight::Regular, Elide::Right).starts_with("/features/"));
    QCOMPARE(elide("relu", 150, 12, Weight::Regular, Elide::Middle), std::string("relu"));
    const std::string endless(3000000, 'x');
    QVERIFY(elide(endless + "END", 100, 12, Weight::Regular, Elide::Middle).ends_with("END"));
}

void TestWriters::textIsMadePrintable() {
    QCOMPARE(printable("a\nb\tc\x01"), std::string("a b c "));
    QCOMPARE(printable("a\xff"
                       "b\xc3"),
             std::string("a\uFFFDb\uFFFD"));
    QCOMPARE(printable("\xc0\xaf"), std::string("\uFFFD\uFFFD"));           // an overlong slash
    QCOMPARE(printable("\xed\xa0\x80"), std::string("\uFFFD\uFFFD\uFFFD")); // half a surrogate pair
    QCOMPARE(printable("evil\u202Etxt"), std::string("evil\uFFFDtxt"));
    QCOMPARE(printable("größe ×"), std::string("größe ×"));
    QCOMPARE(printable("abcdef", 3), std::string("abc"));
}

void TestWriters::coloursKeepTheirContrast() {
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
        const auto on = [&](Colour text, Colour ground) {
            return contrast(rgb(text, theme), rgb(ground, theme));
        };
        for (const Colour text :
             {Colour::Text, Colour::Muted, Colour::Accent, Colour::Match, Colour::NearMiss,
              Colour::Failing, Colour::Created, Colour::Changed, Colour::Generated, Colour::OneDnn,
              Colour::OpenBlas, Colour::Reference, Colour::Edge, Colour::EdgeLabel})
            for (const Colour ground : {Colour::Canvas, Colour::Pane, Colour::BoxFill})
                QVERIFY2(on(text, ground) >= 4.5, colourText(text).data());
        QVERIFY(on(Colour::Generated, Colour::GeneratedFill) >= 4.5);
        QVERIFY(on(Colour::OneDnn, Colour::OneDnnFill) >= 4.5);
        QVERIFY(on(Colour::OpenBlas, Colour::OpenBlasFill) >= 4.5);
        QVERIFY(on(Colour::Reference, Colour::ReferenceFill) >= 4.5);
        QVERIFY(on(Colour::OnAccent, Colour::Accent) >= 4.5);
    }
    QCOMPARE(hexText(rgb(Colour::Accent, ThemeKind::Light)), std::string("#0b57d0"));
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
        QCOMPARE(heat(-3, theme), heat(0, theme));
        const Rgb canvas = rgb(Colour::Canvas, theme);
        QVERIFY(contrast(heat(0, theme), heat(1, theme)) > 7);
        QVERIFY(contrast(heat(0, theme), canvas) < 1.5);
        for (int i = 0; i <= 100; ++i) {
            const Rgb fill = heat(i / 100.0, theme);
            QVERIFY(contrast(fill, textOn(fill)) >= 4.5);
            // The hotter the further from the canvas; in grey, too.
            if (i > 10)
                QVERIFY(contrast(fill, canvas) > contrast(heat(i / 100.0 - 0.1, theme), canvas));
        }
    }
}

void TestWriters::svgOfASmallDiagram() {
    DrawOptions options;
    options.engine = EngineChoice::Layered;
    const auto picture = draw(residualBlock(), options);
    QVERIFY(picture.ok());
    const QByteArray text = QByteArray::fromStdString(svgText(*picture));
    QVERIFY(text != QByteArray::fromStdString(svgText(*picture, ThemeKind::Dark)));
    QFile golden(QStringLiteral(FW_SOURCE_DIR "/tests/golden/picture/residual_block.svg"));
    if (qEnvironmentVariableIsSet("FW_UPDATE_GOLDENS")) {
        QVERIFY(golden.open(QIODevice::WriteOnly));
        golden.write(text);
        return;
    }
    QVERIFY(golden.open(QIODevice::ReadOnly));
    QCOMPARE(text, golden.readAll());
}

void TestWriters::numbersAreShort() {
    Picture picture;
    RectItem rect;
    rect.rect = {-0.25, 1234567.891, 100, 0.1};
    rect.radius = -0.001;
    picture.items.emplace_back(rect);
    PathItem path;
    const std::vector<Point> points{{-1, -7.5}, {-1, 0},      {-1, 5},   {-1, 12.04},
                                    {-1, 20},   {-0.996, 20}, {3, -20.5}};
    path.points = picture.points.keep(points);
    picture.items.emplace_back(path);
    const QByteArray svg = QByteArray::fromStdString(svgText(picture));
    QVERIFY(svg.contains(R"(x="-0.25" y="1234567.89" width="100" height="0.1" rx="0")"));
    QVERIFY(svg.contains(R"(d="M-1 -7.5V12.04C-1 20 -1 20 3 -20.5")"));
}

void TestWriters::hostileNamesStayText() {
    Diagram d;
    d.name = "</title><script>alert(1)</script>";
    const std::vector<std::string> names{"<script>alert(1)</script>",
                                         "\"; rankdir=LR; \"",
                                         "a\\\" -> b [\\",
                                         "line\nbreak]]>",
                                         "&amp;&#x0;\xff\xfe",
                                         std::string("nul\0inside", 10),
                                         std::string(10000, 'W'),
                                         "' onload='x"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto id = static_cast<std::int64_t>(i);
        d.boxes.push_back({id,
                           names[i],
                           names[i],
                           {names[i]},
                           MakerRecord(),
                           i % 2 == 0 ? std::int64_t{50} : std::int64_t{-1},
                           BoxRole::Constant});
        if (i > 0)
            d.edges.push_back({id - 1, 0, id, 0, names[i], EdgeKind::Data});
    }
    d.containers.push_back({50, names[0], names[6], MakerRecord{Maker::Generated, {}}});
    const auto picture = draw(d);
    QVERIFY(picture.ok());
    for (const PlacedBox& box : picture->boxes)
        QVERIFY(box.rect.width <= 260);

    const QByteArray svg = QByteArray::fromStdString(svgText(*picture));
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
        reader.readNext();
        QVERIFY(reader.name() != QLatin1String("script"));
        for (const QXmlStreamAttribute& attribute : reader.attributes())
            QVERIFY(!attribute.name().startsWith(QLatin1String("on")));
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));

    // Graphviz itself must read the text as the same number of nodes and edges.
    const std::string dot = dotText(d);
    for (const char c : dot)
        QVERIFY(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
    QProcess process;
    process.start(QStringLiteral("dot"), {QStringLiteral("-Tplain")});
    if (!process.waitForStarted())
        QSKIP("dot is not installed");
    process.write(QByteArray::fromStdString(dot));
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 0);
    const QByteArray plain = process.readAllStandardOutput();
    QCOMPARE(plain.count("\nnode "), static_cast<qsizetype>(d.boxes.size()));
    QCOMPARE(plain.count("\nedge "), static_cast<qsizetype>(d.edges.size()));
}

FW_TEST(TestWriters, QCoreApplication)
#include "test_writers.moc"
