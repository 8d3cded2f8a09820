#!/bin/sh
# Rebuilds the zebins of this folder; needs ocloc 22.43 (Debian 12, intel-opencl-icd).
# usage: intel-gpu-run/tests/kernels/build.sh [OUTPUT_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "${1:-$here}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.cl "$work/"
cd "$work"
for source in *.cl; do
    name=${source%.cl}
    ocloc compile -q -file "$source" -device tgllp -exclude_ir \
        -options "-cl-std=CL2.0 -cl-kernel-arg-info" \
        -internal_options "-cl-intel-allow-zebin" -output "$name" -output_no_suffix
    mv "$name" "$to/$name.tgllp.zebin"
done
