/* Several threads on one model at once: each call runs or is refused, nothing is half done; one
 * after the other, models of their own, and children of fork beside them. tests/sanitize runs this
 * under helgrind, too. */
#include "embedded.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLERS = 3, ROUNDS = 40 };

static uint64_t wanted;
static int threads;
static int ran[CALLERS], refused[CALLERS];

static void* on_one_model(void* place) {
    const int self = (int)((int*)place - ran);
    for (int i = 0; i < ROUNDS; ++i) {
        const fw_status status = i % 10 == 9 ? api->trim(model) : api->run(model);
        if (status == FW_OK) {
            ++ran[self];
            continue;
        }
        CHECK(status == FW_BAD_ARGUMENT, "status %d", (int)status);
        CHECK(strstr(api->last_error(model), "in use"), "%s", api->last_error(model));
        ++refused[self];
    }
    return NULL;
}

static void* on_an_own_model(void* unused) {
    (void)unused;
    fw_model* own = open_model(threads);
    inputs in;
    make_inputs(&in);
    for (int i = 0; i < api->input_count(own); ++i) {
        fw_tensor tensor = tensor_of(in.data[i], api->input(own, i), in.dims[i]);
        CHECK(api->set_input(own, i, &tensor) == FW_OK, "%s", api->last_error(own));
    }
    for (int i = 0; i < 5; ++i)
        CHECK(api->run(own) == FW_OK, "%s", api->last_error(own));
    api->close(own);
    for (int i = 0; i < api->input_count(model); ++i)
        free(in.data[i]);
    return NULL;
}

static void* once(void* unused) {
    OK(api->run(model));
    return unused;
}

static void start(pthread_t* thread, void* (*work)(void*), void* data) {
    CHECK(pthread_create(thread, NULL, work, data) == 0, "no thread");
}

static void child_runs(void) {
    const pid_t born = fork();
    CHECK(born >= 0, "no fork");
    if (born == 0) {
        alarm(60);
        on_an_own_model(NULL);
        _exit(0);
    }
    int status = 0;
    waitpid(born, &status, 0);
    CHECK(status == 0, "a child ended with status %x", (unsigned)status);
}

int main(int count, char** words) {
    pthread_t callers[CALLERS];
    CHECK(count == 3, "give a module and threads");
    load(words[1]);
    threads = atoi(words[2]);
    model = open_model(threads);
    inputs in;
    make_inputs(&in);
    set_inputs(&in);
    OK(api->run(model));
    wanted = outputs_digest();

    for (int i = 0; i < CALLERS; ++i)
        start(&callers[i], on_one_model, &ran[i]);
    for (int i = 0; i < CALLERS; ++i)
        pthread_join(callers[i], NULL);
    int sum = 0, all = 0;
    for (int i = 0; i < CALLERS; ++i) {
        sum += ran[i];
        all += ran[i] + refused[i];
    }
    CHECK(sum > 0 && all == CALLERS * ROUNDS, "%d ran of %d", sum, all);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers");

    for (int i = 0; i < 3; ++i) {
        start(&callers[0], once, NULL);
        pthread_join(callers[0], NULL);
        CHECK(outputs_digest() == wanted, "other numbers by another thread");
    }

    for (int i = 0; i < CALLERS; ++i)
        start(&callers[i], on_an_own_model, NULL);
    for (int i = 0; i < 3; ++i)
        child_runs();
    for (int i = 0; i < CALLERS; ++i)
        pthread_join(callers[i], NULL);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers behind the children");
    api->close(model);
    return 0;
}
