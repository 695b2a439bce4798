/* Little memory (RLIMIT_AS), in steps from none to plenty: a model with library calls is opened and
 * run, or a status says that memory is missing. A child each, whose end is looked at. */
#include "embedded.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP = 8 << 20, STEPS = 50 };

static size_t pages_mapped(void) {
    FILE* file = fopen("/proc/self/statm", "r");
    size_t pages = 0;
    CHECK(file && fscanf(file, "%zu", &pages) == 1, "no statm");
    fclose(file);
    return pages;
}

/* 0: it ran; 1: memory is missing. */
static int with_bytes_more(size_t more, int threads) {
    const rlim_t bytes = pages_mapped() * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    const struct rlimit limit = {bytes, bytes};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "no limit");
    fw_options options = {sizeof options, 0, 0, 0, 0};
    options.threads = threads;
    fw_status status = api->open(NULL, &options, &model);
    if (status == FW_OK) {
        inputs in;
        make_inputs(&in);
        set_inputs(&in);
        status = api->run(model);
    }
    CHECK(status == FW_OK || status == FW_OUT_OF_MEMORY, "status %d: %s", (int)status,
          api->last_error(model));
    return status == FW_OK ? 0 : 1;
}

int main(int count, char** words) {
    CHECK(count == 3, "usage: limited LIBRARY THREADS");
    load(words[1]);
    int ran = 0;
    for (int step = 0; step < STEPS; ++step) {
        const pid_t born = fork();
        CHECK(born >= 0, "no fork");
        if (born == 0)
            _exit(with_bytes_more((size_t)step * STEP, atoi(words[2])));
        int end = 0;
        CHECK(waitpid(born, &end, 0) == born, "lost");
        CHECK(WIFEXITED(end), "%d MB more on %s threads: signal %d", step * (STEP >> 20), words[2],
              WTERMSIG(end));
        ran += WEXITSTATUS(end) == 0;
    }
    CHECK(ran > 0, "it never ran");
    return 0;
}
