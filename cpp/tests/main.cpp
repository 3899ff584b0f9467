// Runs every test, or those whose names hold the first argument.
#include <cstdio>

#include "check.hpp"

int main(int argc, char** argv) {
    int passed = 0, failed = 0;
    for (const auto& test : check::tests()) {
        if (argc > 1 && test.name.find(argv[1]) == std::string::npos) continue;
        try {
            test.run();
            ++passed;
        } catch (const check::Failure& failure) {
            ++failed;
            std::printf("FAILED %s: %s\n", test.name.c_str(), failure.what.c_str());
        } catch (const std::exception& error) {
            ++failed;
            std::printf("FAILED %s: %s\n", test.name.c_str(), error.what());
        }
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
