#!/bin/sh
# Rebuilds the zebins of this folder with Intel's offline compiler.
#
# Needs ocloc 22.43 (Debian 12: intel-opencl-icd); another version gives other bytes.
# usage: examples/build.sh [OUTPUT_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "${1:-$here}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$here"/*.cl; do
    name=$(basename "$source" .cl)
    # Compiled in a folder of its own: ocloc writes a .spv beside what it is asked for.
    cp "$source" "$work/"
    (cd "$work" && ocloc compile -q -file "$name.cl" -device tgllp \
        -options "-cl-std=CL2.0 -cl-kernel-arg-info" \
        -internal_options "-cl-intel-allow-zebin" \
        -output "$name" -output_no_suffix)
    cp "$work/$name" "$to/$name.zebin"
done
