#!/bin/sh
# Assembles the modules of this folder with spirv-as, each as the version of its name. The results
# are committed.
set -e
cd "$(dirname "$0")"
for source in ${*:-*.spvasm}; do
    name=${source%.spvasm}
    version=1.1
    case $name in 1_*) version=1.${name#1_} ;; esac
    spirv-as --target-env "spv$version" "$source" -o "$name.spv"
    spirv-val --target-env "spv$version" "$name.spv"
done
