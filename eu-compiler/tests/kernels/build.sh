#!/bin/sh
# Compiles the kernels of this folder to SPIR-V with ocloc 22.43 of Debian 12, or, where the cases
# below say so, with clang-14 and llvm-spirv-14, or spirv-as. The results are committed, so that the tests need none of them.
set -e
cd "$(dirname "$0")"
for source in ${*:-*.cl}; do
    name=${source%.cl}
    case $name in
    basic* | irreducible | recursion | tables | truths | unions | variables)
        # Optimized, the state of a loop becomes an integer of two bits, which SPIR-V has not, and
        # recursion becomes a loop; and variables disappear.
        case $name in
        irreducible | basic_ids | unions | variables) level=-O0 ;;
        recursion) level="-O0 -gline-tables-only -fdebug-compilation-dir=." ;;
        *) level=-O1 ;;
        esac
        # Words are meant to split.
        # shellcheck disable=SC2086
        clang-14 -cl-std=CL2.0 -target spir64 $level -Xclang -finclude-default-header \
            -emit-llvm -c "$source" -o /tmp/"$name".bc
        llvm-spirv-14 --spirv-max-version=1.2 /tmp/"$name".bc -o "$name".spv
        rm /tmp/"$name".bc
        ;;
    local_blocks)
        ocloc compile -q -file "$source" -device tgllp -spv_only -options "-cl-std=CL2.0" \
            -output_no_suffix -output "$name"
        spirv-dis --raw-id "$name".spv | python3 -c '
import re, sys
text = sys.stdin.read()
reads = re.findall(r"OpName (%\d+) \"block_read", text)
writes = re.findall(r"OpName (%\d+) \"block_write", text)
text = re.sub(r"OpFunctionCall (%\d+) (%\d+) (%\d+)\n",
              lambda m: f"OpSubgroupBlockReadINTEL {m[1]} {m[3]}\n" if m[2] in reads else m[0], text)
text = re.sub(r"%\d+ = OpFunctionCall %\d+ (%\d+) (%\d+) (%\d+)\n",
              lambda m: f"OpSubgroupBlockWriteINTEL {m[2]} {m[3]}\n" if m[1] in writes else m[0], text)
sys.stdout.write("OpCapability SubgroupBufferBlockIOINTEL\n" + text)' |
            spirv-as --preserve-numeric-ids --target-env spv1.2 - -o "$name".spv
        ;;
    float_atomics | half_atomics)
        extensions="+cl_ext_float_atomics"
        for atomics in global_atomic_add local_atomic_add global_atomic_min_max local_atomic_min_max; do
            extensions="$extensions,+__opencl_c_ext_fp32_$atomics"
            macros="$macros -D__opencl_c_ext_fp32_$atomics"
        done
        # shellcheck disable=SC2086
        clang-14 -cl-std=CL3.0 -target spir64 -O1 -Xclang -finclude-default-header \
            -Xclang -cl-ext=$extensions $macros -emit-llvm -c "$source" -o /tmp/"$name".bc
        llvm-spirv-14 /tmp/"$name".bc -o "$name".spv \
            --spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max
        rm /tmp/"$name".bc
        if [ "$name" = half_atomics ]; then
            spirv-dis --raw-id "$name".spv |
                sed 's/OpTypeFloat 32/OpTypeFloat 16/; s/Aligned 4/Aligned 2/; s/AtomicFloat32/AtomicFloat16/
                     s/^\( *\)OpCapability Addresses/\1OpCapability Float16\n&/' |
                spirv-as --preserve-numeric-ids --target-env spv1.4 - -o "$name".spv
        fi
        ;;
    integers)
        clang-14 -cl-std=CL3.0 -target spir64 -O1 -Xclang -cl-ext=+all -Xclang -finclude-default-header \
            -emit-llvm -c "$source" -o /tmp/"$name".bc
        llvm-spirv-14 --spirv-ext=+all /tmp/"$name".bc -o "$name".spv
        spirv-dis --raw-id "$name".spv | python3 -c '
import re, sys
text = sys.stdin.read()
names = dict(re.findall(r"OpName (%\d+) \"(\w+)\"", text))
def instruction(m):
    name = names.get(m[3], "")
    found = re.match(r"(udot|sdot|sudot)(_sat)?(_packed|_wide)?$", name)
    if not found:
        return m[0]
    op = "Op" + {"udot": "UDot", "sdot": "SDot", "sudot": "SUDot"}[found[1]] + ("AccSat" if found[2] else "") + "KHR"
    packed = " PackedVectorFormat4x8BitKHR" if found[3] == "_packed" else ""
    return f"{m[1]} = {op} {m[2]} {m[4]}{packed}\n"
text = re.sub(r"(%\d+) = OpFunctionCall (%\d+) (%\d+) (.*)\n", instruction, text)
extra = "OpCapability DotProductKHR\nOpCapability DotProductInput4x8BitKHR\nOpCapability DotProductInput4x8BitPackedKHR\n"
text = re.sub(r"( *OpCapability)", lambda m: extra + m[1], text, count=1)
text = re.sub(r"( *OpExtension)", lambda m: "OpExtension \"SPV_KHR_integer_dot_product\"\n" + m[1], text, count=1)
sys.stdout.write(text)' |
            spirv-as --preserve-numeric-ids --target-env spv1.4 - -o "$name".spv
        rm /tmp/"$name".bc
        ;;
    program)
        # For a device without doubles, so that the module does not ask for them.
        ocloc compile -q -file "$source" -device tgllp -spv_only -options "-cl-std=CL2.0" \
            -output_no_suffix -output "$name"
        ;;
    *)
        ocloc compile -q -file "$source" -device skl -spv_only -options "-cl-std=CL2.0" \
            -output_no_suffix -output "$name"
        ;;
    esac
done
for source in *.spvasm; do
    case $source in
    aligned_apart*) version=spv1.4 ;;
    widths*) version=spv1.5 ;;
    *) version=spv1.2 ;;
    esac
    spirv-as --target-env $version "$source" -o "${source%asm}"
done
