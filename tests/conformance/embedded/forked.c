/* Children of fork: they run models of the parent and their own, with as many threads, whoever else
 * was at work when they were born. */
#include "embedded.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t wanted;
static int threads_wanted;
static volatile int ended;

static void fork_and_wait(int generations);

/* Dies of an alarm if it hangs. */
static void child(int generations) {
    alarm(20);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "the parent's model computes something else");
    CHECK(threads_alive() == threads_wanted, "%d threads, the parent had %d", threads_alive(),
          threads_wanted);
    api->close(model);
    model = open_model(2);
    inputs in;
    make_inputs(&in);
    set_inputs(&in);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "an own model computes something else");
    if (generations > 1)
        fork_and_wait(generations - 1);
}

static void fork_and_wait(int generations) {
    const pid_t born = fork();
    CHECK(born >= 0, "no fork");
    if (born == 0) {
        child(generations);
        _exit(0);
    }
    int status = 0;
    waitpid(born, &status, 0);
    CHECK(status == 0, "a child ended with status %x", (unsigned)status);
}

/* Opens and runs models until told to end. */
static void* busy(void* unused) {
    (void)unused;
    while (!ended) {
        fw_model* own = open_model(2);
        inputs in;
        make_inputs(&in);
        for (int i = 0; i < api->input_count(own); ++i) {
            fw_tensor tensor = tensor_of(in.data[i], api->input(own, i), in.dims[i]);
            CHECK(api->set_input(own, i, &tensor) == FW_OK, "%s", api->last_error(own));
        }
        for (int run = 0; run < 5; ++run)
            CHECK(api->run(own) == FW_OK, "%s", api->last_error(own));
        api->close(own);
        for (int i = 0; i < api->input_count(model); ++i)
            free(in.data[i]);
    }
    return NULL;
}

int main(int count, char** words) {
    CHECK(count == 2, "give a module");
    load(words[1]);
    model = open_model(2);
    inputs in;
    make_inputs(&in);
    set_inputs(&in);
    OK(api->run(model));
    wanted = outputs_digest();
    threads_wanted = threads_alive();
    for (int i = 0; i < 3; ++i) {
        fork_and_wait(2);
        OK(api->run(model));
        CHECK(outputs_digest() == wanted, "the parent computes something else");
    }
    pthread_t other;
    CHECK(pthread_create(&other, NULL, busy, NULL) == 0, "no thread");
    for (int i = 0; i < 30; ++i)
        fork_and_wait(1);
    ended = 1;
    pthread_join(other, NULL);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "the parent computes something else");
    api->close(model);
    return 0;
}
