// Races of implementations with times that are made up: who wins, and what it takes to know.
#include "common/test.h"
#include "session/implementation_race.h"

#include <random>

using namespace fw;

namespace {

constexpr double us = 1e-6;

// Contenders that would take these times, with noise above them as other work makes it.
class Track {
public:
    explicit Track(const std::vector<double>& times, unsigned seed = 1, double noise = 0.02)
        : m_random(seed), m_noise(noise) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            m_true["c" + std::to_string(i)] = times[i];
            contenders.push_back({"c" + std::to_string(i), {}, {}});
        }
    }

    Status run(double seconds, bool halving, const std::string& always = "c0") {
        std::vector<Contender*> all;
        for (Contender& one : contenders)
            all.push_back(&one);
        return race(all, always,
                    {.seconds = seconds,
                     .attempts = 1,
                     .halving = halving,
                     .take = [this](Contender& one,
                                    const MeasureEffort& effort) { return take(one, effort); }},
                    {});
    }

    // Of those that were in the last round.
    const Contender& fastest() const {
        return *std::min_element(contenders.begin(), contenders.end(),
                                 [](const Contender& a, const Contender& b) {
                                     return a.time.median() < b.time.median();
                                 });
    }

    std::vector<Contender> contenders;
    double spent = 0; // seconds
    int left = -1;    // takes, then it is cancelled; -1: it is not

private:
    Result<MeasuredTime> take(Contender& one, const MeasureEffort& effort) {
        if (left == 0)
            return makeDiag(DiagCode::Cancelled, "cancelled");
        left -= left > 0;
        std::exponential_distribution<double> noise(1 / m_noise);
        MeasuredTime out;
        double took = 0;
        while (out.count() < effort.least || took < effort.seconds) {
            const double time = m_true.at(one.implementation) * (1 + noise(m_random));
            out.add(time);
            took += time * us;
        }
        spent += took;
        return out;
    }

    std::map<std::string, double> m_true;
    std::mt19937 m_random;
    double m_noise;
};

} // namespace

class TestRace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClearWinnerEndsIt();
    void theBestOfManyIsFound();
    void whatStaysGetsMoreTime();
    void theOneThatIsComparedStays();
    void aSlowOneIsLookedAtOnce();
    void cancelledKeepsWhatIsComplete();
};

void TestRace::aClearWinnerEndsIt() {
    const std::vector<double> times{100, 90, 130, 60, 140, 95, 110, 120};
    Track full(times), halved(times);
    QVERIFY(full.run(0.5, false).ok());
    QVERIFY(halved.run(0.5, true).ok());
    QCOMPARE(full.fastest().implementation, std::string("c3"));
    QCOMPARE(halved.fastest().implementation, std::string("c3"));
    QVERIFY2(halved.spent < full.spent / 2,
             qPrintable(QStringLiteral("%1 of %2 s").arg(halved.spent).arg(full.spent)));
}

// The second best is three percent slower, and the order is another one each time.
void TestRace::theBestOfManyIsFound() {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::vector<double> times{100};
        for (int i = 0; i < 14; ++i)
            times.push_back(103 + 5 * i);
        std::shuffle(times.begin(), times.end(), std::mt19937(seed));
        const auto best = std::min_element(times.begin(), times.end()) - times.begin();
        Track track(times, seed);
        QVERIFY(track.run(0.5, true).ok());
        QCOMPARE(track.fastest().implementation, "c" + std::to_string(best));
        QVERIFY(track.spent < 0.75);
    }
}

// A full race takes twice as long to look at the best as closely.
void TestRace::whatStaysGetsMoreTime() {
    const std::vector<double> times{100, 101, 120, 121, 122, 123, 124, 125,
                                    126, 127, 128, 129, 130, 131, 132, 133};
    Track full(times), halved(times);
    QVERIFY(full.run(1, false).ok());
    QVERIFY(halved.run(0.5, true).ok());
    QVERIFY(halved.spent < 0.65 * full.spent);
    QVERIFY(halved.contenders[0].time.count() >= full.contenders[0].time.count() * 9 / 10);
    QVERIFY(halved.contenders[1].time.count() >= full.contenders[1].time.count() * 9 / 10);
    QVERIFY(halved.contenders[15].time.count() < full.contenders[15].time.count() / 2);
}

void TestRace::theOneThatIsComparedStays() {
    std::vector<double> times{400};
    for (int i = 0; i < 15; ++i)
        times.push_back(100 + i);
    Track track(times);
    QVERIFY(track.run(0.5, true).ok());
    const Contender& always = track.contenders[0];
    QVERIFY(always.raced);
    // Of the last round as the winner is, each as long as the other.
    QVERIFY(always.time.count() * 5 > track.fastest().time.count());
}

void TestRace::aSlowOneIsLookedAtOnce() {
    Track track({100, 90, 600});
    QVERIFY(track.run(0.1, true).ok());
    QCOMPARE(track.contenders[2].time.count(), std::size_t(1));
    QVERIFY(!track.contenders[2].raced);
    Track kept({100, 90, 600});
    QVERIFY(kept.run(0.1, true, "c2").ok());
    QVERIFY(kept.contenders[2].raced);
}

void TestRace::cancelledKeepsWhatIsComplete() {
    for (const int takes : {0, 3, 15, 16 + 20, 16 + 40, 16 + 45}) {
        Track track({100, 101, 102, 103, 104, 105, 106, 107});
        track.left = takes;
        const Status raced = track.run(0.5, true);
        QVERIFY(!raced.ok());
        QCOMPARE(raced.diag().code, DiagCode::Cancelled);
        const bool complete = takes >= 16 + 5 * 8; // two looks at each, five turns
        for (const Contender& one : track.contenders)
            QCOMPARE(one.raced, complete);
    }
}

FW_TEST(TestRace, QCoreApplication)
#include "test_race.moc"
