#!/bin/sh
# Rebuilds the zebins of this folder. Needs ocloc 22.43 (Debian 12, intel-opencl-icd) and, for Xe2,
# the command of a newer one (26.x) in NEWER_OCLOC; without it that one is left as it is.
set -e
cd "$(dirname "$0")"

# build FAMILY OCLOC OPTIONS...
build() {
    family=$1
    ocloc=$2
    defines=$3
    shift 3
    $ocloc compile -q -file transfer.cl -output "$family" -out_dir out -exclude_ir "$@" \
        -options "-cl-std=CL2.0 -cl-intel-greater-than-4GB-buffer-required $defines"
    mv out/"$family"_*.bin "$family.zebin"
}

zebin="-cl-intel-allow-zebin"
build gen8 ocloc "" -device bdw -internal_options $zebin
build gen9 ocloc "" -device skl -internal_options $zebin
build gen11 ocloc "" -device icllp -internal_options $zebin
build gen12lp ocloc "" -device tgllp -internal_options $zebin
build xe_hpg ocloc "" -device dg2 -revision_id 8 -internal_options $zebin
build xe_hpc ocloc "-DNO_IMAGES" -device pvc -internal_options $zebin
if [ -n "$NEWER_OCLOC" ]; then
    build xe2 "$NEWER_OCLOC" "" -device bmg-g21
fi
rm -r out
