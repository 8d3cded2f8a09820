#!/bin/sh
# Rebuilds the zebins of this folder with Intel's offline compilers, and the SPIR-V modules that
# this project's compiler compiles.
#
# usage: tests/kernels/build.sh [OUTPUT_FOLDER [SET | SET/SOURCE]...]
#
# Needs ocloc 22.43 (Debian 12: intel-opencl-icd); another version gives other bytes. The sets
# `*-newer` need ocloc 26.27: NEWER_OCLOC is the command that runs it. Without it they are left out.
#
# A source whose first line is `// options: ...` is compiled with those options too, one with
# `// options for PLATFORM: ...` in the first three lines with those in the platform's sets; one whose
# second line is `// not for: ...` is left out of the sets named there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here}
mkdir -p "$to"
to=$(cd "$to" && pwd)
[ $# -gt 0 ] && shift
wanted=" $* "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# set, compiler, device, sources, further arguments
while read -r set compiler device sources arguments; do
    case $wanted in
    "  " | *" $set "* | *" $set/"*) ;;
    *) continue ;;
    esac
    product="-exclude_ir"
    kind=zebin
    case $compiler in
    old) ocloc=ocloc ;;
    spirv)
        ocloc=ocloc
        product="-spv_only"
        kind=spv
        ;;
    newer)
        ocloc=${NEWER_OCLOC:-}
        [ -n "$ocloc" ] || continue
        ;;
    esac
    # The widths that the platform has, and what the compiler does not know of it.
    case $set in
    pvc-spirv) defines="-DNO_SIMD8 -DNO_RECURSION" ;;
    *-spirv) defines="-DNO_RECURSION" ;;
    pvc) defines="-DNO_SIMD8 -DNO_TF32" ;;
    pvc* | lnl* | bmg* | ptl*) defines=-DNO_SIMD8 ;;
    *) defines= ;;
    esac
    mkdir -p "$to/$set"
    for source in "$here"/*.cl; do
        name=$(basename "$source" .cl)
        case $sources in
        all | *"$name"*) ;;
        *) continue ;;
        esac
        case $wanted in
        "  " | *" $set "* | *" $set/$name "*) ;;
        *) continue ;;
        esac
        sed -n '1,2s|^// not for:\(.*\)|\1 |p' "$source" | grep -q " $set " && continue
        options=$(sed -n -e '1s|^// options: ||p' -e "1,3s|^// options for ${set%%-*}: ||p" "$source")
        cp "$source" "$work/"
        # Words are meant to split.
        # shellcheck disable=SC2086
        (cd "$work" && $ocloc compile -q -file "$name.cl" -device "$device" $arguments $product \
            -options "-cl-std=CL2.0 -cl-kernel-arg-info $defines $options" \
            -internal_options "-cl-intel-allow-zebin" \
            -output "$name" -output_no_suffix)
        # The newer compiler adds an extension all the same; modules always have theirs.
        case $kind in
        spv) made=$work/$name.spv ;;
        *) made=$work/$name.bin ;;
        esac
        [ -f "$made" ] && mv "$made" "$work/$name"
        gzip -9n <"$work/$name" >"$to/$set/$name.$kind.gz"
    done
done <<SETS
bdw         old    bdw      all
skl         old    skl      all
icl         old    icllp    all
tgl         old    tgllp    all
tgl-newer   newer  tgllp    all
dg2-0       old    dg2      all  -revision_id 0
dg2-8       old    dg2      all  -revision_id 8
mtl-newer   newer  mtl-h    all
pvc         old    pvc      all
pvc-newer   newer  pvc      all
lnl-newer   newer  lnl-m    all
bmg-newer   newer  bmg-g21  all
ptl-newer   newer  ptl-h    all
skl-spirv   spirv  skl      all
tgl-spirv   spirv  tgllp    all
pvc-spirv   spirv  pvc      all
kbl         old    kbl      vadd,slm
cfl         old    cfl      vadd,slm
apl         old    apl      vadd,slm
glk         old    glk      vadd,slm
ehl         old    ehl      vadd,slm
rkl         old    rkl      vadd,slm
adls        old    adl-s    vadd,slm
adlp        old    adl-p    vadd,slm
adln        old    adl-n    vadd,slm
dg1         old    dg1      vadd,slm
arl-newer   newer  arl-h    vadd,slm
SETS
