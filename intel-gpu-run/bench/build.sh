#!/bin/sh
# Rebuilds kernels.zebin with Intel's offline compiler.
#
# Needs ocloc 22.43 (Debian 12: intel-opencl-icd); another version gives other bytes.
# usage: intel-gpu-run/bench/build.sh [OUTPUT_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "${1:-$here}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/kernels.cl" "$work/"
cd "$work"
ocloc compile -q -file kernels.cl -device tgllp -exclude_ir \
    -options "-cl-std=CL2.0 -cl-kernel-arg-info" \
    -internal_options "-cl-intel-allow-zebin" \
    -output kernels -output_no_suffix
cp kernels "$to/kernels.zebin"
