#!/bin/sh
# Rebuilds the zebins of this folder with Intel's offline compiler.
#
# Needs ocloc 22.43 (Debian 12: intel-opencl-icd); another version gives other bytes.
# usage: tests/kernels/build.sh [OUTPUT_FOLDER [NAME...]]
#
# A source whose first line is `// options: ...` is compiled with those options too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here}
mkdir -p "$to"
to=$(cd "$to" && pwd)
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.cl | sed 's|^\./||; s|\.cl$||')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# platform, ocloc's name for it
while read -r platform device; do
    mkdir -p "$to/$platform"
    for name; do
        cp "$here/$name.cl" "$work/"
        options=$(sed -n '1s|^// options: ||p' "$here/$name.cl")
        (cd "$work" && ocloc compile -q -file "$name.cl" -device "$device" -exclude_ir \
            -options "-cl-std=CL2.0 -cl-kernel-arg-info $options" \
            -internal_options "-cl-intel-allow-zebin" \
            -output "$name" -output_no_suffix)
        cp "$work/$name" "$to/$platform/$name.zebin"
    done
done <<PLATFORMS
tgl tgllp
PLATFORMS
