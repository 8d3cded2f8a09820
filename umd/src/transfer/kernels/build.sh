#!/bin/sh
# Rebuilds the zebins of this folder. Needs ocloc 22.43 (Debian 12, intel-opencl-icd) and, for Xe2
# and Xe3, the command of a newer one (26.x) in NEWER_OCLOC; without it those are left out.
# usage: umd/src/transfer/kernels/build.sh [OUTPUT_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "${1:-$here}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/transfer.cl" "$work/"
cd "$work"

# build FAMILY OCLOC DEFINES OPTIONS...
build() {
    family=$1
    ocloc=$2
    defines=$3
    shift 3
    # The compiler's words are meant to split.
    # shellcheck disable=SC2086
    $ocloc compile -q -file transfer.cl -output "$family" -out_dir out -exclude_ir "$@" \
        -options "-cl-std=CL2.0 -cl-intel-greater-than-4GB-buffer-required $defines"
    mv out/"$family"_*.bin "$to/$family.zebin"
}

zebin="-cl-intel-allow-zebin"
build gen8 ocloc "" -device bdw -internal_options $zebin
build gen9 ocloc "" -device skl -internal_options $zebin
build gen11 ocloc "" -device icllp -internal_options $zebin
build gen12lp ocloc "" -device tgllp -internal_options $zebin
build xe_hpg ocloc "" -device dg2 -revision_id 8 -internal_options $zebin
build xe_hpc ocloc "-DNO_IMAGES" -device pvc -internal_options $zebin
if [ -n "${NEWER_OCLOC:-}" ]; then
    build xe2 "$NEWER_OCLOC" "" -device bmg-g21
    build xe3 "$NEWER_OCLOC" "" -device ptl-h
fi
