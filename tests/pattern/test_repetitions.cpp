// Repetitions of patterns against the regular expressions of the standard library.
#include "common/test.h"
#include "pattern/match_check.h"

#include <fmt/format.h>

#include <random>
#include <regex>
#include <utility>

using namespace fw;
using namespace fw::test;

class TestRepetitions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areThoseOfRegularExpressions();
};

// Steps that may be repeated or absent divide a chain as a regular expression divides a text: from
// the end on, greedy, with the first way that fits. Random ones of both, by the standard library.
void TestRepetitions::areThoseOfRegularExpressions() {
    struct Letter {
        const char* step;
        const char* letters;
    };
    const Letter steps[] = {{"relu(^)", "r"},
                            {"tanh(^)", "t"},
                            {"(relu(^) | tanh(^))", "[rt]"},
                            {"(v = relu(^))", "r"},
                            {"kind elementwise(^, ...)", "[rte]"}};
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return random() % n; };
    int found = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string pattern = below(2) == 0 ? "exp(x)" : "x", expression;
        const std::size_t count = 1 + below(4);
        bool named = false;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t which = below(std::size(steps));
            if (which == 3 && std::exchange(named, true))
                which = 0;
            const std::size_t low = below(3), high = low + below(4);
            std::string often = high == 0 ? "" : fmt::format("{{{},{}}}", low, high);
            if (high == 1 && low == 0 && which != 3) {
                pattern += fmt::format(" >> {}?", steps[which].step);
            } else if (high > 0) {
                pattern += fmt::format(" >> {}* {{{}..{}}}", steps[which].step, low, high);
            } else {
                pattern += fmt::format(" >> {}", steps[which].step);
            }
            expression = steps[which].letters + often + expression; // the text is read backward
        }
        expression += pattern.starts_with("exp") ? "e" : "";
        std::string body = "a0 = abs(i)\n", text;
        const std::size_t length = 1 + below(12);
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t which = below(20);
            const char letter = which < 9 ? 'r' : which < 18 ? 't' : 'e';
            body += fmt::format("a{} = {}(a{})\n", i + 1,
                                letter == 'r'   ? "relu"
                                : letter == 't' ? "tanh"
                                                : "exp",
                                i);
            text.insert(text.begin(), letter);
        }
        const GraphPtr graph = graphOf(body, "i: f32[2, 3]", fmt::format("a{}", length));
        const Outcome outcome = matchAt(*graph, Book(pattern), fmt::format("a{}", length));
        std::smatch expected;
        // abs is elementwise, too, and ends the text.
        text += "a";
        for (std::size_t at = 0; (at = expression.find("[rte]", at)) != std::string::npos; ++at)
            expression.replace(at, 5, "[rtea]");
        const bool fits = std::regex_search(text, expected, std::regex("^" + expression));
        QVERIFY2(outcome.match.has_value() == fits,
                 fmt::format("{} in {}: {}", pattern, text, outcome.error).c_str());
        if (!fits)
            continue;
        ++found;
        QVERIFY2(outcome.match->nodes.size() == static_cast<std::size_t>(expected.length()),
                 fmt::format("{} in {}: {} operators, not {}", pattern, text,
                             outcome.match->nodes.size(), expected.length())
                     .c_str());
    }
    QVERIFY(found > 300 && found < 3700);
}

FW_TEST(TestRepetitions, QCoreApplication)
#include "test_repetitions.moc"
