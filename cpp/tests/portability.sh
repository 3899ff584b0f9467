#!/bin/sh
# The core and its tests with other compilers, libraries and processors: all must pass and print the same digest of a
# thousand searches. Warnings are errors. What is not installed is skipped, and named at the end. Run by `make portability`.
set -u
cd "$(dirname "$0")/../.."
python=${1:-python3}
mkdir -p build
export WINEDEBUG=-all WINEPREFIX="$PWD/build/wine"
missing="" failed=""

# check NAME "PROGRAMS NEEDED" RUNNER CMAKE_OPTIONS...
check() {
    name=$1 needed=$2 runner=$3
    shift 3
    for program in $needed; do
        command -v "$program" > /dev/null || { missing="$missing$name needs $program. "; return; }
    done
    echo "== $name"
    cmake -S . -B "build/$name" -DDUGRAPH_CORE_TESTS=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "$@" > "build/$name.log" 2>&1 &&
        cmake --build "build/$name" --parallel 2 >> "build/$name.log" 2>&1 || { tail -n 30 "build/$name.log"; failed="$failed $name"; return; }
    tests=$(ls "build/$name/core_tests" "build/$name/core_tests.exe" 2> /dev/null)
    # Files, not pipes: wine's server would keep a pipe open after the program has ended.
    $runner "$tests" > "build/$name.tests" 2>&1 < /dev/null || failed="$failed $name"
    tail -n 1 "build/$name.tests"
    $runner "$tests" --digest > "build/$name.digest" 2> /dev/null < /dev/null
    cat "build/$name.digest"
    tr -d '\r' < "build/$name.digest" | cmp -s - build/gcc.digest || failed="$failed $name(digest)"
}

check gcc g++ ""
check clang-libc++ clang++ "" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-stdlib=libc++
check mingw-wine "x86_64-w64-mingw32-g++-posix wine" wine -DCMAKE_SYSTEM_NAME=Windows \
    -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix -DCMAKE_EXE_LINKER_FLAGS=-static
check aarch64-qemu "aarch64-linux-gnu-g++ qemu-aarch64" "qemu-aarch64 -L /usr/aarch64-linux-gnu" -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++

# macOS cannot be run here, so the core and its tests are only compiled and linked for it.
for target in aarch64-macos x86_64-macos; do
    "$python" -c "import ziglang" 2> /dev/null || { missing="$missing$target needs the package ziglang. "; continue; }
    echo "== $target (compiled and linked, not run)"
    "$python" -m ziglang c++ -target $target -std=c++20 -O2 -ffp-contract=off -fno-math-errno -Wall -Wextra -Werror -Icpp \
        $(find cpp -name '*.cpp' ! -name memory_test.cpp) -o "build/$target" || failed="$failed $target"
done

[ -z "$missing" ] || echo "NOT CHECKED: $missing" >&2
[ -z "$failed" ] || { echo "FAILED:$failed" >&2; exit 1; }
