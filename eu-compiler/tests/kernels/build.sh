#!/bin/sh
# Compiles the kernels of this folder to SPIR-V with ocloc 22.43 of Debian 12, or, for basic.cl,
# with clang-14 and llvm-spirv-14. The results are committed, so that the tests need none of them.
set -e
cd "$(dirname "$0")"
for source in ${*:-*.cl}; do
    name=${source%.cl}
    case $name in
    basic*)
        clang-14 -cl-std=CL2.0 -target spir64 -O1 -Xclang -finclude-default-header \
            -emit-llvm -c "$source" -o /tmp/"$name".bc
        llvm-spirv-14 --spirv-max-version=1.2 /tmp/"$name".bc -o "$name".spv
        rm /tmp/"$name".bc
        ;;
    *)
        ocloc compile -q -file "$source" -device tgllp -spv_only -options "-cl-std=CL2.0" \
            -output_no_suffix -output "$name"
        ;;
    esac
done
