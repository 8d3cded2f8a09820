#!/bin/sh
# Compiles the programs of this folder to SPIR-V with ocloc 22.43 of Debian 12, for a device without
# doubles, so that the modules do not ask for them. The results are committed.
set -e
cd "$(dirname "$0")"
for source in ${*:-*.cl}; do
    name=${source%.cl}
    device=tgllp
    [ "$name" = doubles ] && device=skl
    ocloc compile -q -file "$source" -device $device -spv_only -options "-cl-std=CL2.0" \
        -output_no_suffix -output "$name"
done
