#!/bin/sh
# Compiles the library to SPIR-V with clang-14 and llvm-spirv-14 of Debian 12. The results are
# committed, so that a build of the compiler needs neither.
set -e
cd "$(dirname "$0")"
for source in *.cl; do
    name=${source%.cl}
    clang-14 -cl-std=CL3.0 -target spir64 -O2 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize \
        -Xclang -finclude-default-header -emit-llvm -c "$source" -o /tmp/"$name".bc
    llvm-spirv-14 --spirv-max-version=1.2 /tmp/"$name".bc -o "$name".spv
    rm /tmp/"$name".bc
done
