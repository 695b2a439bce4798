#include "runtime/weights.h"

#include <cstring>

namespace fw::runtime {

namespace {

constexpr char magic[8] = {'F', 'W', 'W', 'G', 'H', 'T', '\r', '\n'};

std::uint64_t load(const std::byte* data, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
        value |= std::uint64_t{std::to_integer<std::uint8_t>(data[i])} << (8 * i);
    return value;
}

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
    state = (state ^ word) * 0x9fb21c651e98df25ULL;
    return state ^ (state >> 32);
}

} // namespace

std::uint64_t hashWeights(const std::byte* data, std::size_t size) {
    // Four independent lanes keep the multiplier busy: about the speed of memory.
    std::uint64_t lanes[4] = {1, 2, 3, 4};
    std::size_t i = 0;
    for (; i + 32 <= size; i += 32) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            std::uint64_t word = 0;
            std::memcpy(&word, data + i + 8 * lane, 8);
            lanes[lane] = mix(lanes[lane], word);
        }
    }
    std::uint64_t hash = mix(size, 0);
    for (; i < size; ++i)
        hash = mix(hash, std::to_integer<std::uint64_t>(data[i]));
    for (std::uint64_t lane : lanes)
        hash = mix(hash, lane);
    return hash;
}

std::vector<std::uint8_t> weightsHeader(std::uint64_t size, std::uint64_t hash) {
    std::vector<std::uint8_t> header(weightsHeaderSize, 0);
    std::memcpy(header.data(), magic, sizeof magic);
    header[8] = weightsVersion;
    for (std::size_t i = 0; i < 8; ++i) {
        header[16 + i] = static_cast<std::uint8_t>(size >> (8 * i));
        header[24 + i] = static_cast<std::uint8_t>(hash >> (8 * i));
    }
    return header;
}

Status openWeights(const char* path, const Program& program, Verify verify, FileMapping& mapping,
                   Weights& weights) {
    if (Status status = mapping.open(path); !status.ok())
        return status;
    return takeWeights(mapping.data(), mapping.size(), path, program, verify, weights);
}

Status takeWeights(const std::byte* data, std::uint64_t bytes, const char* path,
                   const Program& program, Verify verify, Weights& weights) {
    if (bytes < weightsHeaderSize || std::memcmp(data, magic, sizeof magic) != 0)
        return fail(FW_BAD_WEIGHTS, "%s is not a weights file", path);
    if (load(data + 8, 4) != weightsVersion)
        return fail(FW_BAD_WEIGHTS, "%s has an unknown version", path);
    const std::uint64_t size = load(data + 16, 8);
    const std::uint64_t hash = load(data + 24, 8);
    if (size != bytes - weightsHeaderSize)
        return fail(FW_BAD_WEIGHTS, "%s is truncated or too long", path);
    if (size != program.weightsBytes || hash != program.weightsHash)
        return fail(FW_BAD_WEIGHTS, "%s belongs to another model than %s", path,
                    program.name.c_str());
    weights.payload = data + weightsHeaderSize;
    weights.pieces.clear();
    if (verify == Verify::Contents && hashWeights(weights.payload, size) != hash)
        return fail(FW_BAD_WEIGHTS, "%s is damaged: its hash is wrong", path);
    return {};
}

} // namespace fw::runtime
