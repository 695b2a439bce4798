/* A backtrace taken at any moment of a run, in kernels and in the runtime, leads back to main, as
 * debuggers, profilers and crash reporters need it. */
#include "embedded.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>
#include <unwind.h>

enum { FRAMES = 64, ENOUGH = 100, MOST_RUNS = 10000000 };

static const char* module_path;
static volatile sig_atomic_t inside, complete;

int main(int count, char** words);

static int is_of_module(void* address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname && !strcmp(info.dli_fname, module_path);
}

static void sample(int number) {
    (void)number;
    void* frames[FRAMES];
    const int found = backtrace(frames, FRAMES);
    int first = 0;
    while (first < found && !is_of_module(frames[first]))
        ++first;
    if (first == found)
        return; /* between two runs */
    ++inside;
    for (int i = first; i < found; ++i)
        if (_Unwind_FindEnclosingFunction(frames[i]) == (void*)(size_t)main) {
            ++complete;
            return;
        }
}

int main(int count, char** words) {
    CHECK(count == 2, "give a module");
    module_path = words[1];
    load(module_path);
    model = open_model(1);
    inputs in;
    make_inputs(&in);
    set_inputs(&in);
    void* frames[FRAMES];
    backtrace(frames, FRAMES); /* loads what it needs outside the handler */
    signal(SIGPROF, sample);
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &often, NULL);
    for (int run = 0; run < MOST_RUNS && inside < ENOUGH; ++run)
        OK(api->run(model));
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, NULL);
    CHECK(inside >= ENOUGH, "only %d samples lie in a run", (int)inside);
    CHECK(complete == inside, "%d of %d backtraces lead to main", (int)complete, (int)inside);
    return 0;
}
