/* Classifies a batch of images with the exported sample free_batch.
 *
 *     batch COUNT [FILE]
 *
 * FILE holds COUNT images of 2 x 7 x 7 raw floats; without it a pattern is made up. Prints the ten probabilities of
 * each image on a line. The batch dimension is free: one compiled model serves every COUNT, and takes it from the
 * shape of its input.
 */
#include "free_batch.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 2, SIDE = 7, PIXELS = CHANNELS * SIDE * SIDE, CLASSES = 10 };

static int failed(const fw_model* model, const char* what) {
    fprintf(stderr, "batch: %s: %s\n", what, fw_last_error(model));
    return 2;
}

static int fill(float* images, size_t count, const char* path) {
    if (!path) {
        for (size_t i = 0; i < count; ++i)
            images[i] = (float)(i % 13) / 13.0f;
        return 0;
    }
    FILE* file = fopen(path, "rb");
    const size_t got = file ? fread(images, sizeof(float), count, file) : 0;
    if (file)
        fclose(file);
    if (got != count)
        fprintf(stderr, "batch: %s: %lu of %lu floats\n", path, (unsigned long)got, (unsigned long)count);
    return got == count ? 0 : 2;
}

static int classify(fw_model* model, float* images, int64_t batch) {
    int64_t shape[] = {batch, CHANNELS, SIDE, SIDE};
    fw_tensor input = {.data = images,
                       .device = {.device_type = 1},
                       .ndim = 4,
                       .dtype = {.code = FW_FLOAT, .bits = 32, .lanes = 1},
                       .shape = shape};
    fw_tensor output;
    if (fw_set_input(model, FREE_BATCH_INPUT_IMAGES, &input) != FW_OK)
        return failed(model, "input");
    if (fw_run(model) != FW_OK)
        return failed(model, "run");
    if (fw_output_view(model, FREE_BATCH_OUTPUT_PROBABILITIES, &output) != FW_OK)
        return failed(model, "output");
    const float* rows = (const float*)((const char*)output.data + output.byte_offset);
    for (int64_t i = 0; i < batch; ++i)
        for (int c = 0; c < CLASSES; ++c)
            printf("%.9g%c", (double)rows[i * CLASSES + c], c + 1 < CLASSES ? ' ' : '\n');
    return 0;
}

int main(int count, char** words) {
    const long batch = count > 1 ? strtol(words[1], NULL, 10) : -1;
    if (batch < 0 || batch > 1000000 || count > 3) {
        fprintf(stderr, "usage: batch COUNT [FILE]\n");
        return 2;
    }
    const size_t floats = (size_t)batch * PIXELS;
    float* images = malloc((floats + 1) * sizeof(float));
    fw_model* model = NULL;
    int result = 2;
    if (!images || fill(images, floats, count > 2 ? words[2] : NULL))
        result = 2;
    else if (fw_open(NULL, NULL, &model) != FW_OK)
        result = failed(NULL, "open");
    else
        result = classify(model, images, batch);
    fw_close(model);
    free(images);
    return result;
}
