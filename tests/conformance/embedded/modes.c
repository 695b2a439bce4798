/* Floating-point modes: whatever the program and its OpenMP threads have set when a model is opened
 * and run, the numbers are the same, and every thread has its mode afterwards. */
#include "embedded.h"

#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { THREADS = 2 };

static int rounding_wanted, traps_wanted;
static unsigned denormals_wanted;

static void set_mode(const char* name) {
    if (!strcmp(name, "upward"))
        fesetround(FE_UPWARD);
    else if (!strcmp(name, "downward"))
        fesetround(FE_DOWNWARD);
    else if (!strcmp(name, "towardzero"))
        fesetround(FE_TOWARDZERO);
    else if (!strcmp(name, "traps"))
        feenableexcept(FE_ALL_EXCEPT);
    else if (!strcmp(name, "flush"))
        _mm_setcsr(_mm_getcsr() | 0x8040);
    else
        CHECK(!strcmp(name, "usual"), "%s is no mode", name);
}

static void check_mode(const char* where) {
    const int rounding = fegetround(), traps = fegetexcept();
    const unsigned denormals = _mm_getcsr() & 0x8040;
    fedisableexcept(FE_ALL_EXCEPT);
    CHECK(rounding == rounding_wanted, "%s: rounding %x instead of %x", where, (unsigned)rounding,
          (unsigned)rounding_wanted);
    CHECK(traps == traps_wanted, "%s: traps %x instead of %x", where, (unsigned)traps,
          (unsigned)traps_wanted);
    CHECK(denormals == denormals_wanted, "%s: denormals %x instead of %x", where, denormals,
          denormals_wanted);
    feenableexcept(traps);
}

static void check_team(const char* where) {
#pragma omp parallel num_threads(THREADS)
    check_mode(where);
}

static uint64_t run_all(inputs* in) {
    const int traps = fegetexcept(); /* what is made here may raise flags */
    set_inputs(in);
    OK(api->run(model));
    fedisableexcept(FE_ALL_EXCEPT);
    const uint64_t hash = outputs_digest();
    feenableexcept(traps);
    return hash;
}

int main(int count, char** words) {
    CHECK(count == 5, "give a module, a mode, threads, and \"first\" or \"last\"");
    load(words[1]);
    const int threads = atoi(words[3]);
    const int last = !strcmp(words[4], "last");
    int ends[2];
    CHECK(pipe(ends) == 0, "no pipe");
    uint64_t wanted = 0;
    const pid_t usual = fork();
    if (usual == 0) {
        inputs in;
        model = open_model(threads);
        make_inputs(&in);
        wanted = run_all(&in);
        _exit(write(ends[1], &wanted, sizeof wanted) != (ssize_t)sizeof wanted);
    }
    CHECK(read(ends[0], &wanted, sizeof wanted) == (ssize_t)sizeof wanted, "the usual mode fails");
    waitpid(usual, NULL, 0);

    set_mode(words[2]);
    rounding_wanted = fegetround();
    traps_wanted = fegetexcept();
    denormals_wanted = _mm_getcsr() & 0x8040;
    if (!last)
        check_team("before the model"); /* starts the team in this mode */
    model = open_model(threads);
    check_mode("after fw_open");
    inputs in;
    fedisableexcept(FE_ALL_EXCEPT);
    make_inputs(&in);
    feenableexcept(traps_wanted);
    CHECK(run_all(&in) == wanted, "%s: other numbers", words[2]);
    check_mode("after fw_run");
    check_team("after fw_run, in a region");

    /* The team keeps its mode while this thread has the usual one. */
    fesetround(FE_TONEAREST);
    fedisableexcept(FE_ALL_EXCEPT);
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
    CHECK(run_all(&in) == wanted, "%s on the others alone: other numbers", words[2]);
    int others_wrong = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : others_wrong)
    others_wrong += fegetround() != rounding_wanted || fegetexcept() != traps_wanted ||
                    (_mm_getcsr() & 0x8040) != denormals_wanted;
    CHECK(others_wrong == (strcmp(words[2], "usual") ? 1 : 0), "%d threads with another mode",
          others_wrong);
    api->close(model);
    return 0;
}
