/* A model that is opened or run inside an OpenMP region runs on one thread, whoever loaded the
 * OpenMP runtime, before or after the module, and whether or not others see its names. */
#include "embedded.h"

static inputs in;
static uint64_t wanted;
static int before;

static void run_inside(void) {
    before = threads_alive();
    for (int i = 0; i < 2; ++i) {
        OK(api->run(model));
        CHECK(outputs_digest() == wanted, "other numbers inside a region");
        CHECK(threads_alive() == before, "%d threads, %d before", threads_alive(), before);
    }
}

static void open_inside(void) {
    before = threads_alive();
    model = open_model(2);
    set_inputs(&in);
    run_inside();
}

int main(int count, char** words) {
    CHECK(count == 4, "give a module, a plugin, and \"first\" or \"last\"");
    const int plugin_first = !strcmp(words[3], "first");
    void* plugin = NULL;
    if (plugin_first)
        plugin = dlopen(words[2], RTLD_NOW | RTLD_LOCAL);
    load(words[1]);
    model = open_model(1);
    make_inputs(&in);
    set_inputs(&in);
    OK(api->run(model));
    wanted = outputs_digest();
    api->close(model);
    if (!plugin_first)
        plugin = dlopen(words[2], RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin, "%s", dlerror());
    void (*in_a_region)(void (*)(void)) = NULL;
    *(void**)&in_a_region = dlsym(plugin, "in_a_region");
    CHECK(in_a_region, "%s", dlerror());

    model = open_model(2); /* it has not run, so it has no threads yet */
    set_inputs(&in);
    in_a_region(run_inside);
    api->close(model);
    in_a_region(open_inside);
    OK(api->run(model)); /* outside: on several */
    in_a_region(run_inside);
    api->close(model);
    return 0;
}
