// The C interface as a module has it: a call beside another one on the same model is refused and
// changes nothing. What races here the thread sanitizer and helgrind see (tests/sanitize).
#include "common/test.h"
#include "runtime/module/contents.h"
#include "runtime/sample_program.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

// The sample with its constant as a second input, so that there are no weights.
const std::vector<std::uint8_t>& ownProgram() {
    static const std::vector<std::uint8_t> bytes = [] {
        using namespace fw::runtime;
        Program program = sample::program();
        program.weightsBytes = program.weightsHash = 0;
        program.tensors[1].storage = Storage::Input;
        program.tensors[1].index = 1;
        program.inputs.push_back(1);
        return writeProgram(program);
    }();
    return bytes;
}

enum Told : int { Nothing, ToWait, Waiting };
std::atomic<int> told{Nothing};

void scaleOrWait(const fw_kernel_context* context) {
    int wanted = ToWait;
    if (told.compare_exchange_strong(wanted, Waiting))
        while (told == Waiting)
            std::this_thread::yield();
    sample::scaleRows(context);
}

} // namespace

// What is made by the exporter otherwise.
extern "C" {
const fw_kernel fw_kernel_table[] = {scaleOrWait, sample::addRows, sample::sumAll};
const std::uint64_t fw_kernel_table_size = 3;
const fw::runtime::PrepareCall* const fw_module_libraries = nullptr;
const char fw_module_metadata[] = "{}";
const char fw_module_weights_name[] = "none";
const std::byte* const fw_module_weights = nullptr;
const std::uint64_t fw_module_weights_size = 0;
}
#define fw_program_blob ownProgram().data()
#define fw_program_blob_size ownProgram().size()
#include "runtime/module/api.cpp"

namespace {

// A model of its own with its inputs.
struct Opened {
    fw_model* model = nullptr;
    std::vector<std::int64_t> shapes[2] = {{5, 3}, {3}};
    alignas(64) float x[15];
    alignas(64) float w[3] = {1, 2, 3};

    explicit Opened(int threads = 2) {
        fw_options options = {};
        options.struct_size = sizeof options;
        options.threads = threads;
        std::fill(std::begin(x), std::end(x), 1.0f);
        if (fw_open(nullptr, &options, &model) != FW_OK)
            qFatal("%s", fw_last_error(nullptr));
        for (int i = 0; i < 2; ++i) {
            fw_tensor tensor = sample::floats(i == 0 ? x : w, shapes[i]);
            tensor.shape = shapes[i].data();
            if (fw_set_input(model, i, &tensor) != FW_OK)
                qFatal("%s", fw_last_error(model));
        }
    }
    ~Opened() { fw_close(model); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    bool isRight() const {
        fw_tensor view;
        if (fw_output_view(model, 1, &view) != FW_OK)
            return false;
        for (int i = 0; i < 15; ++i)
            if (static_cast<const float*>(view.data)[i] != 3 * w[i % 3])
                return false;
        return true;
    }
};

// Runs a model on another thread, held inside of its first kernel until let go.
class Held {
public:
    explicit Held(fw_model* model) {
        told = ToWait;
        m_thread = std::thread([this, model] {
            m_status = fw_run(model);
            if (m_status != FW_OK)
                m_error = fw_last_error(model);
        });
        while (told != Waiting)
            std::this_thread::yield();
    }
    fw_status letGo() {
        told = Nothing;
        m_thread.join();
        return m_status;
    }
    const std::string& error() const { return m_error; }

private:
    std::thread m_thread;
    fw_status m_status = FW_OK;
    std::string m_error;
};

} // namespace

class TestTwoCallers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSecondIsRefused() {
        Opened own;
        QCOMPARE(fw_run(own.model), FW_OK);
        QVERIFY(fw_arena_bytes(own.model) > 0);
        Held other(own.model);
        std::int64_t dims[2] = {};
        std::int32_t count = 0;
        fw_tensor view;
        fw_tensor tensor = sample::floats(own.x, own.shapes[0]);
        const fw_status answers[] = {fw_run(own.model),
                                     fw_run_profiled(own.model, nullptr, &count),
                                     fw_set_symbol(own.model, "n", 5),
                                     fw_unset_symbol(own.model, "n"),
                                     fw_set_input(own.model, 0, &tensor),
                                     fw_bind_output(own.model, 0, nullptr),
                                     fw_input_shape(own.model, 0, dims),
                                     fw_output_shape(own.model, 0, dims),
                                     fw_output_view(own.model, 0, &view),
                                     fw_set_cancel(own.model, nullptr, nullptr),
                                     fw_set_thread_pool(own.model, nullptr),
                                     fw_trim(own.model)};
        for (const fw_status answer : answers)
            QCOMPARE(answer, FW_BAD_ARGUMENT);
        QCOMPARE(fw_last_error(own.model),
                 "the model is in use: another call on it has not returned");
        QCOMPARE(fw_arena_bytes(own.model), std::int64_t{0});
        // Another one of the same module does not wait.
        {
            Opened beside(1);
            QCOMPARE(fw_run(beside.model), FW_OK);
            QVERIFY(beside.isRight());
        }
        QCOMPARE(other.letGo(), FW_OK);
        QVERIFY(own.isRight());
        QCOMPARE(fw_last_error(own.model), "");
        QCOMPARE(fw_run(own.model), FW_OK);
    }

    void manyAtOnce() {
        Opened own;
        std::atomic<int> ran{0}, refused{0}, otherwise{0};
        std::vector<std::thread> callers;
        for (int i = 0; i < 3; ++i)
            callers.emplace_back([&] {
                for (int k = 0; k < 300; ++k) {
                    const fw_status status = k % 7 == 6 ? fw_trim(own.model) : fw_run(own.model);
                    ++(status == FW_OK ? ran : status == FW_BAD_ARGUMENT ? refused : otherwise);
                    if (status != FW_OK && std::strlen(fw_last_error(own.model)) == 0)
                        ++otherwise;
                }
            });
        for (std::thread& caller : callers)
            caller.join();
        QCOMPARE(otherwise.load(), 0);
        QVERIFY(ran > 0);
        QCOMPARE(ran + refused, 900);
        QCOMPARE(fw_run(own.model), FW_OK);
        QVERIFY(own.isRight());
    }

    // Closing is left to the call, which tells that its model is gone.
    void closedBesideACall() {
        Opened own;
        Held other(own.model);
        fw_close(own.model);
        fw_close(own.model); // of no consequence yet
        QCOMPARE(fw_run(own.model), FW_BAD_ARGUMENT);
        own.model = nullptr;
        QCOMPARE(other.letGo(), FW_CANCELLED);
        QCOMPARE(other.error(), "the model was closed while a call on it ran");
        QCOMPARE(fw_run(Opened().model), FW_OK);
    }

    void closedByItsOwnCallback() {
        Opened own;
        const auto close = [](void* data) -> std::int32_t {
            auto& opened = *static_cast<Opened*>(data);
            fw_close(std::exchange(opened.model, nullptr));
            return 0;
        };
        fw_model* model = own.model;
        QCOMPARE(fw_set_cancel(model, close, &own), FW_OK);
        QCOMPARE(fw_run(model), FW_CANCELLED);
        QCOMPARE(fw_last_error(model), "the model was closed while a call on it ran");
    }

    // Before, within and behind the last steps of a call that another thread makes; in every tenth
    // round the call waits for it, as it would be through before on a machine that is busy.
    void closedAtAnyTime() {
        struct Call {
            std::atomic<bool> isInside{false}, mayGoOn{true};
        };
        int cancelled = 0;
        for (int round = 0; round < 300; ++round) {
            Opened own(1 + round % 2);
            Call call;
            call.mayGoOn = round % 10 != 0;
            const auto tell = [](void* data) -> std::int32_t {
                auto& [isInside, mayGoOn] = *static_cast<Call*>(data);
                isInside.store(true, std::memory_order_relaxed);
                while (!mayGoOn.load(std::memory_order_relaxed))
                    std::this_thread::yield();
                return 0;
            };
            QCOMPARE(fw_set_cancel(own.model, tell, &call), FW_OK);
            fw_status status = FW_OK;
            std::thread caller([&, model = own.model] { status = fw_run(model); });
            while (!call.isInside.load(std::memory_order_relaxed))
                std::this_thread::yield();
            for (int i = 0; i < round % 10 * 100; ++i)
                std::atomic_signal_fence(std::memory_order_seq_cst);
            fw_close(std::exchange(own.model, nullptr));
            call.mayGoOn.store(true, std::memory_order_relaxed);
            caller.join();
            QVERIFY(status == FW_OK || status == FW_CANCELLED);
            cancelled += status == FW_CANCELLED ? 1 : 0;
        }
        QVERIFY(cancelled >= 30);
    }

    // A pool that has threads, and knows by a counter that orders nothing that they are through.
    void poolWithThreads() {
        struct Pool {
            std::vector<std::thread> threads;
            std::atomic<int> through{0};
        } pool;
        Opened own;
        const auto shares = [](void* data, std::int32_t count, void (*share)(void*, std::int32_t),
                               void* argument) {
            auto& [threads, through] = *static_cast<Pool*>(data);
            through.store(0, std::memory_order_relaxed);
            for (std::int32_t i = 1; i < count; ++i)
                threads.emplace_back([share, argument, i, &counter = through] {
                    share(argument, i);
                    counter.fetch_add(1, std::memory_order_relaxed);
                });
            share(argument, 0);
            while (through.load(std::memory_order_relaxed) < count - 1)
                std::this_thread::yield();
        };
        const fw_thread_pool given = {sizeof given, 2, shares, &pool};
        QCOMPARE(fw_set_thread_pool(own.model, &given), FW_OK);
        for (int i = 0; i < 50; ++i) {
            QCOMPARE(fw_run(own.model), FW_OK);
            QVERIFY(own.isRight());
        }
        for (std::thread& thread : pool.threads)
            thread.join();
    }

    // Each share of a loop once, whatever the pool of the caller does.
    void poolsThatMiscount_data() {
        QTest::addColumn<QString>("pool");
        QTest::addColumn<QString>("error");
        QTest::newRow("backwards") << "backwards"
                                   << "";
        QTest::newRow("none") << "none"
                              << "the thread pool left out 2 of the 2 shares of a loop";
        QTest::newRow("first") << "first"
                               << "the thread pool left out 1 of the 2 shares of a loop";
        QTest::newRow("again") << "again"
                               << "the thread pool called one of the 2 shares of a loop twice";
    }

    void poolsThatMiscount() {
        QFETCH(QString, pool);
        QFETCH(QString, error);
        Opened own;
        std::string name = pool.toStdString();
        const auto shares = [](void* data, std::int32_t count, void (*share)(void*, std::int32_t),
                               void* argument) {
            const auto& wanted = *static_cast<const std::string*>(data);
            share(argument, count); // no share of it
            share(argument, -1);
            for (std::int32_t i = count - 1; i >= 0 && wanted != "none"; --i)
                if (i == 0 || wanted != "first")
                    share(argument, i);
            if (wanted == "again")
                share(argument, 0);
        };
        const fw_thread_pool given = {sizeof given, 2, shares, &name};
        QCOMPARE(fw_set_thread_pool(own.model, &given), FW_OK);
        if (error.isEmpty()) {
            QCOMPARE(fw_run(own.model), FW_OK);
            QVERIFY(own.isRight());
            return;
        }
        QCOMPARE(fw_run(own.model), FW_BAD_ARGUMENT);
        QVERIFY2(QString::fromUtf8(fw_last_error(own.model)).endsWith(error),
                 fw_last_error(own.model));
        QCOMPARE(fw_set_thread_pool(own.model, nullptr), FW_OK);
        QCOMPARE(fw_run(own.model), FW_OK);
        QVERIFY(own.isRight());
    }

    // One model after another thread had it needs nothing more than that the call returned.
    void oneAfterTheOther() {
        Opened own;
        for (int i = 0; i < 20; ++i) {
            std::thread([&] { QCOMPARE(fw_run(own.model), FW_OK); }).join();
            QVERIFY(own.isRight());
        }
    }

    // What a thread had that is not there any more stays refused; a model of the child's own runs.
    void childWhileAnotherThreadRuns() {
        Opened own;
        QCOMPARE(fw_run(own.model), FW_OK);
        Held other(own.model);
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            if (fw_run(own.model) != FW_BAD_ARGUMENT)
                _exit(1);
            told = Nothing;
            Opened fresh;
            _exit(fw_run(fresh.model) == FW_OK && fresh.isRight() ? 0 : 2);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 qPrintable(QString::number(status)));
        QCOMPARE(other.letGo(), FW_OK);
        QVERIFY(own.isRight());
    }
};

FW_TEST(TestTwoCallers, QCoreApplication)
#include "test_two_callers.moc"
