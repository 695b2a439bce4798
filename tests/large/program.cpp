// large_model SHAPE NODES FILE: writes one of the large models.
#include "large/shapes.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

int main(int count, char** arguments) {
    using namespace fw::test;
    for (const LargeShapeName& row : largeShapes) {
        if (count != 4 || row.name != arguments[1])
            continue;
        std::ofstream file(arguments[3], std::ios::binary);
        if (!largeModel(row.shape, std::atoi(arguments[2])).SerializeToOstream(&file)) {
            std::fprintf(stderr, "%s cannot be written\n", arguments[3]);
            return 3;
        }
        return 0;
    }
    std::fprintf(stderr, "usage: large_model chain|wide|dense|layers NODES FILE\n");
    return 2;
}
