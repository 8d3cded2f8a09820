#!/bin/sh
# Rebuilds the zebins of this folder; needs ocloc 22.43 (Debian 12, intel-opencl-icd).
set -e
cd "$(dirname "$0")"
for source in *.cl; do
    name=${source%.cl}
    ocloc compile -file "$source" -device tgllp -options "-cl-std=CL2.0" \
        -internal_options "-cl-intel-allow-zebin" -output "$name" -out_dir out
    mv out/"$name"_*.bin "$name.tgllp.zebin"
done
rm -r out
