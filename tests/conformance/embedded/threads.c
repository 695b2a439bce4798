/* Numbers of threads that nobody can mean, and threads that the system refuses: a status or a run,
 * never the end of the process, and nothing is printed. */
#include "embedded.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { CAP = 256 };

static inputs in;

static uint64_t run_with(int threads) {
    model = open_model(threads);
    set_inputs(&in);
    OK(api->run(model));
    const uint64_t first = outputs_digest();
    OK(api->run(model));
    CHECK(outputs_digest() == first, "another run computes something else");
    return first;
}

static void* run_again(void* wanted) {
    OK(api->run(model));
    OK(api->run(model));
    CHECK(outputs_digest() == *(uint64_t*)wanted, "other numbers on another thread");
    return NULL;
}

/* New threads want stacks of so many bytes. */
static void want_stacks_of(size_t bytes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, bytes) == 0, "no stack size");
    CHECK(pthread_setattr_default_np(&attributes) == 0, "no default stack size");
    pthread_attr_destroy(&attributes);
}

static void one_by_one(void* data, int32_t count, void (*share)(void*, int32_t), void* argument) {
    (void)data;
    for (int32_t i = 0; i < count; ++i)
        share(argument, i);
}

static int cpus(void) {
    cpu_set_t allowed;
    CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0, "no affinity");
    return CPU_COUNT(&allowed);
}

static double cpu_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Threads that wait sleep soon, and take no time of the machine. */
static void waiting_takes_no_time(void) {
    struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    const double before = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
    pause.tv_nsec = 300000000;
    nanosleep(&pause, NULL);
    const double ms = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - before;
    CHECK(ms < 30, "%g ms of 300 are spent waiting", ms);
}

int main(int count, char** words) {
    CHECK(count == 4, "give a module, the libraries that it calls, and what to do: a number, "
                      "\"alone\", \"none\", \"stacks\", \"pool\", \"some\" or \"later\"");
    const int is_own = !*words[2];
    load(words[1]);
    words += 1;
    model = open_model(1);
    make_inputs(&in);
    api->close(model);
    uint64_t alone = run_with(1);
    api->close(model);
    const size_t usual = (size_t)8 << 20;
    if (!strcmp(words[2], "alone")) {
        run_with(1);
        CHECK(threads_alive() == 1, "%d threads", threads_alive());
    } else if (!strcmp(words[2], "none")) {
        want_stacks_of((size_t)1 << 47);
        CHECK(run_with(8) == alone, "other numbers than on one thread");
        CHECK(threads_alive() == 1, "%d threads", threads_alive());
    } else if (!strcmp(words[2], "stacks")) {
        /* OMP_STACKSIZE asks for more than there is. */
        CHECK(run_with(8) == alone, "other numbers than on one thread");
        CHECK(threads_alive() == 1, "%d threads", threads_alive());
    } else if (!strcmp(words[2], "pool")) {
        /* Calls of libraries compute on this thread, too. */
        const fw_thread_pool pool = {sizeof pool, 2, one_by_one, NULL};
        model = open_model(8);
        OK(api->set_thread_pool(model, &pool));
        set_inputs(&in);
        const double all = cpu_ms(CLOCK_PROCESS_CPUTIME_ID), own = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
        for (int run = 0; run < 300; ++run)
            OK(api->run(model));
        CHECK(outputs_digest() == alone, "other numbers than on one thread");
        const double here = cpu_ms(CLOCK_THREAD_CPUTIME_ID) - own;
        const double others = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - all - here;
        CHECK(others < here / 10, "others computed for %g ms, this thread for %g", others, here);
    } else if (!strcmp(words[2], "some")) {
        want_stacks_of((size_t)1 << 45);
        run_with(8);
        CHECK(threads_alive() < 8, "%d threads", threads_alive());
    } else if (!strcmp(words[2], "later")) {
        run_with(2);
        want_stacks_of((size_t)1 << 47);
        pthread_attr_t small;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, usual);
        pthread_t other;
        CHECK(pthread_create(&other, &small, run_again, &alone) == 0, "no thread");
        pthread_join(other, NULL);
        want_stacks_of(usual);
        OK(api->run(model));
    } else {
        const int asked = atoi(words[2]), cap = is_own ? CAP : 4 * cpus();
        run_with(asked);
        CHECK(threads_alive() <= cap, "%d threads", threads_alive());
        if (asked == 0)
            CHECK(threads_alive() <= cpus(), "%d threads", threads_alive());
        if (asked == 2) {
            /* Own loops and those of libraries on the same ones. */
            CHECK(threads_alive() <= 2, "%d threads", threads_alive());
            waiting_takes_no_time();
        }
    }
    api->close(model);
    if (is_own)
        CHECK(threads_alive() == 1, "%d threads outlive the model", threads_alive());
    return 0;
}
