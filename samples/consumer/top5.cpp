// The five largest elements of a model's first output: `top5 [FILE]`.
//
// FILE holds the raw f32 elements of the first input; without it, the input is all ones. Free
// dimensions are 1. Shows how little a C++ program needs: open, set, run, look.
#include MODULE_HEADER

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace {

struct Close {
    void operator()(fw_model* model) const { fw_close(model); }
};

int failed(const fw_model* model) {
    std::fprintf(stderr, "%s\n", fw_last_error(model));
    return 2;
}

std::int64_t product(const std::int64_t* extents, int count) {
    return std::accumulate(extents, extents + count, std::int64_t{1}, std::multiplies<>());
}

} // namespace

int main(int count, char** words) {
    fw_model* opened = nullptr;
    if (fw_open(nullptr, nullptr, &opened) != FW_OK)
        return failed(nullptr);
    const std::unique_ptr<fw_model, Close> model(opened);

    for (int i = 0; i < fw_symbol_count(opened); ++i)
        if (fw_set_symbol(opened, fw_symbol(opened, i)->name, 1) != FW_OK)
            return failed(opened);

    const fw_tensor_info* info = fw_input(opened, 0);
    if (!info || info->dtype.code != FW_FLOAT || info->dtype.bits != 32 ||
        fw_input_count(opened) != 1) {
        std::fprintf(stderr, "this program wants a model with one f32 input\n");
        return 2;
    }
    std::vector<std::int64_t> shape(static_cast<std::size_t>(info->rank) + 1);
    if (fw_input_shape(opened, 0, shape.data()) != FW_OK)
        return failed(opened);
    std::vector<float> elements(static_cast<std::size_t>(product(shape.data(), info->rank)), 1.0f);
    if (count > 1) {
        std::ifstream file(words[1], std::ios::binary);
        const auto bytes = static_cast<std::streamsize>(elements.size() * sizeof(float));
        if (!file.read(reinterpret_cast<char*>(elements.data()), bytes)) {
            std::fprintf(stderr, "%s does not hold %zu numbers\n", words[1], elements.size());
            return 2;
        }
    }
    fw_tensor input = {elements.data(), {1, 0}, info->rank, info->dtype, shape.data(), nullptr, 0};
    fw_tensor output = {};
    if (fw_set_input(opened, 0, &input) != FW_OK || fw_run(opened) != FW_OK ||
        fw_output_view(opened, 0, &output) != FW_OK)
        return failed(opened);
    if (output.dtype.code != FW_FLOAT || output.dtype.bits != 32) {
        std::fprintf(stderr, "this program wants a model whose first output is f32\n");
        return 2;
    }

    const auto* values = static_cast<const float*>(output.data);
    std::vector<std::int64_t> order(static_cast<std::size_t>(product(output.shape, output.ndim)));
    std::iota(order.begin(), order.end(), 0);
    const auto shown = std::min<std::ptrdiff_t>(5, static_cast<std::ptrdiff_t>(order.size()));
    std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                      [&](std::int64_t a, std::int64_t b) { return values[a] > values[b]; });
    for (std::ptrdiff_t i = 0; i < shown; ++i)
        std::printf("%lld: %g\n", static_cast<long long>(order[static_cast<std::size_t>(i)]),
                    static_cast<double>(values[order[static_cast<std::size_t>(i)]]));
    return 0;
}
