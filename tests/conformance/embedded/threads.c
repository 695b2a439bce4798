/* Numbers of threads that nobody can mean, and threads that the system refuses: a status or a run,
 * never the end of the process, and nothing is printed. */
#include "embedded.h"

#include <pthread.h>

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

int main(int count, char** words) {
    CHECK(count == 3, "give a module and what to do: a number, \"none\", \"some\" or \"later\"");
    load(words[1]);
    model = open_model(1);
    make_inputs(&in);
    api->close(model);
    uint64_t alone = run_with(1);
    api->close(model);
    const size_t usual = (size_t)8 << 20;
    if (!strcmp(words[2], "none")) {
        want_stacks_of((size_t)1 << 47);
        CHECK(run_with(8) == alone, "other numbers than on one thread");
        CHECK(threads_alive() == 1, "%d threads", threads_alive());
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
        run_with(atoi(words[2]));
        CHECK(threads_alive() <= CAP, "%d threads", threads_alive());
    }
    api->close(model);
    return 0;
}
