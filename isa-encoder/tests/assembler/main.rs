//! The assembler on whole files: directives, labels, diagnostics.
#![cfg(test)]

mod prolog;

use devinfo::Family;
use isa_encoder::asm::{ArgumentKind, BlockUse, DIRECTIVES, IdLayout, Scalar, Severity};
use isa_encoder::{AsmOptions, Diagnostic, Disassembler, Validation, assemble};

const BLOCK_COPY: &str = "\
//.platform tgl
//.kernel copy
//.simd 16
//.ids x
//.arg in buf:0
//.arg out buf:1
//.arg n u32 @32
//.arg scale f32x4
//.block in read
//.slm 1024
//.local 16,1,1
(W)     mov (8|M0)      r12.0<1>:ud  r0.0<1;1,0>:ud
(f0.0)  if (16|M0)      L1  L1
        add (16|M0)     r14.0<1>:d   r14.0<8;8,1>:d  1:w {@1}
L1:
        endif (16|M0)   L2
L2:
(W)     send.ts (8|M0)  null  r12  null  0x0  0x02000010 {EOT,@1}
";

fn assembled(text: &str) -> isa_encoder::Assembly {
    assemble(text, &AsmOptions::default()).unwrap()
}

fn errors(text: &str) -> Vec<Diagnostic> {
    assemble(text, &AsmOptions::default()).expect_err("this has errors")
}

/// The only error of a text.
fn error(text: &str) -> Diagnostic {
    let errors = errors(text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.into_iter().next().unwrap()
}

#[test]
fn directives_describe_the_kernel() {
    let assembly = assembled(BLOCK_COPY);
    assert_eq!(assembly.family, Family::Gen12Lp);
    assert_eq!(assembly.target.unwrap().platform, "tgl");
    let [kernel] = assembly.kernels.as_slice() else {
        panic!("one kernel");
    };
    let directives = &kernel.directives;
    assert_eq!(directives.name, "copy");
    assert_eq!(directives.simd, Some(16));
    assert_eq!(directives.ids, IdLayout::X);
    assert_eq!(directives.slm, 1024);
    assert_eq!(directives.local, Some([16, 1, 1]));
    assert_eq!(directives.args[0].kind, ArgumentKind::Buffer { bti: 0 });
    assert_eq!(directives.args[0].blocks, [BlockUse::Read]);
    assert_eq!(directives.args[2].offset, Some(32));
    let vector = ArgumentKind::Value {
        scalar: Scalar::F32,
        count: 4,
    };
    assert_eq!(directives.args[3].kind, vector);
    assert_eq!(directives.args[3].offset, Some(36));
    assert_eq!(directives.payload_bytes(), 52);
    assert_eq!(kernel.lines.len(), 5);
}

#[test]
fn labels_become_distances_in_bytes() {
    let assembly = assembled(BLOCK_COPY);
    // if: JIP and UIP over one instruction.
    assert_eq!(assembly.code[16 + 8..16 + 12], [32, 0, 0, 0]);
    assert_eq!(assembly.code[16 + 12..16 + 16], [32, 0, 0, 0]);
}

#[test]
fn compaction_moves_labels() {
    let options = AsmOptions {
        auto_compact: true,
        ..AsmOptions::default()
    };
    let assembly = assemble(BLOCK_COPY, &options).unwrap();
    let plain = assembled(BLOCK_COPY);
    assert!(assembly.code.len() < plain.code.len());
    let branch = assembly.kernels[0].lines[1].offset();
    let endif = assembly.kernels[0].lines[3].offset();
    let jip = &assembly.code[branch + 12..branch + 16];
    assert_eq!(jip, ((endif - branch) as u32).to_le_bytes());
}

#[test]
fn kernels_are_aligned_to_64_bytes() {
    let text = "//.platform tgl\n//.kernel a\nnop\n//.kernel b\nnop\n";
    let assembly = assembled(text);
    let offsets: Vec<usize> = assembly.kernels.iter().map(|k| k.code.start).collect();
    assert_eq!(offsets, [0, 64]);
    assert_eq!(assembly.code.len(), 80);
}

#[test]
fn every_line_with_an_error_is_reported_with_its_place() {
    let text = "//.platform tgl
frob (8|M0) r1.0<1>:d r2.0<8;8,1>:d
add (7|M0) r1.0<1>:d r2.0<8;8,1>:d 1:w
add (8|M0) r1.0<3>:d r2.0<8;8,1>:d 1:w
add (8|M0) r1.0<1>:d r2.9<8;8,1>:q 1:w
jmpi (1|M0) nowhere
mov (8|M0) r1.0<1>:f 3:f
add (8|M0) r1.0<1>:d r2.0<8;8,1>:d 1:w {@8}
//.simd 12
";
    let errors = errors(text);
    let lines: Vec<usize> = errors.iter().map(|e| e.span.line_column(text).0).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(errors.iter().all(|e| e.severity == Severity::Error));
    assert!(errors[0].message.contains("`frob`"), "{:?}", errors[0]);
    assert!(errors[4].message.contains("`nowhere`"), "{:?}", errors[4]);
}

#[test]
fn a_file_without_platform_says_what_to_write() {
    let errors = errors("nop\n");
    assert_eq!(errors.len(), 1);
    assert!(errors[0].help.as_deref().unwrap().contains("//.platform"));
}

#[test]
fn a_payload_offset_that_overlaps_is_refused() {
    let text = "//.platform tgl\n//.arg a ptr @32\n//.arg b i32 @36\nnop\n";
    assert!(errors(text)[0].message.contains("belong to `a`"));
}

#[test]
fn an_option_of_another_family_is_refused() {
    let text = "//.platform tgl\nadd (8|M0) r1.0<1>:d r2.0<8;8,1>:d 1:w {F@1}\n";
    assert!(errors(text)[0].message.contains("SWSB"));
}

#[test]
fn data_stands_where_it_is_written() {
    let text = "//.platform tgl\n\
                jmpi End\n\
                /* [00000010] */ //.data 0123456789abcdef // not an instruction\n\
                End:\n\
                nop\n";
    let assembly = assembled(text);
    assert_eq!(assembly.code.len(), 16 + 8 + 16);
    assert_eq!(
        assembly.code[16..24],
        [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]
    );
    let errors = errors("//.platform tgl\n//.data 123\n");
    assert!(errors[0].message.contains("two for each"), "{errors:?}");
}

const HAZARD: &str = "\
//.platform tgl
//.swsb check
        math.inv (8|M0)  r10.0<1>:f  r1.0<8;8,1>:f  {$1}
        mov (8|M0)       r11.0<1>:f  r10.0<8;8,1>:f
";

#[test]
fn swsb_check_reports_both_places() {
    let error = error(HAZARD);
    assert_eq!(error.span.line_column(HAZARD), (4, 9));
    assert_eq!(error.message, "read after write of r10 without a wait");
    let help = error.help.as_deref().unwrap();
    assert!(help.starts_with("line 3 may not be done"), "{help}");
}

#[test]
fn a_nan_says_whether_it_is_quiet() {
    let made = |number: &str| {
        let text = format!("//.platform skl\nmov (1|M0) r10.0<1>:df {number}:df\n");
        assemble(&text, &AsmOptions::default())
    };
    assert!(made("qnan").unwrap().code.ends_with(&[0xf8, 0x7f]));
    assert!(made("snan").unwrap().code.ends_with(&[0xf0, 0x7f]));
    let errors = made("nan").unwrap_err();
    assert_eq!(errors[0].message, "nan does not say which: qnan or snan");
}

#[test]
fn swsb_keep_says_nothing() {
    let kept = HAZARD.replace("swsb check", "swsb keep");
    assert_eq!(assembled(&kept).warnings, []);
}

#[test]
fn swsb_auto_writes_the_waits() {
    let text = "\
//.platform tgl
//.swsb auto
L:
        sync.nop null {$3.dst}
        math.inv (8|M0)  r10.0<1>:f  r1.0<8;8,1>:f {@7}
        mov (8|M0)       r11.0<1>:f  r10.0<8;8,1>:f
        mov (8|M0)       r1.0<1>:f   r11.0<8;8,1>:f
(f0.0)  while (16|M0)    L
";
    let assembly = assembled(text);
    let disassembler = Disassembler::new(assembly.family, Default::default());
    let lines: Vec<String> = disassembler
        .print(&assembly.code)
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines,
        [
            "L0:",
            "math.inv (8|M0) r10.0<1>:f r1.0<8;8,1>:f {@2,$0}",
            "mov (8|M0) r11.0<1>:f r10.0<8;8,1>:f {$0.dst}",
            "mov (8|M0) r1.0<1>:f r11.0<8;8,1>:f {@1}",
            "(f0.0) while (16|M0) L0",
        ]
    );
    // A line for each instruction that came from the text.
    assert_eq!(assembly.kernels[0].lines.len(), 4);
}

#[test]
fn swsb_auto_needs_labels() {
    let text = "//.platform tgl\n//.swsb auto\n(W) jmpi (1|M0) 16\nnop\n";
    assert!(errors(text)[0].message.contains("distance in bytes"));
}

/// The errors of a text under [`Validation::Deny`].
fn denied(text: &str) -> Vec<String> {
    let options = AsmOptions {
        validation: Validation::Deny,
        ..AsmOptions::default()
    };
    match assemble(text, &options) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.into_iter().map(|d| d.message).collect(),
    }
}

/// A thread with 128 registers has neither more registers nor, on XeHPC and Xe2, more than 16
/// tokens; text that is not a kernel may name all that exist.
#[test]
fn kernels_keep_to_their_registers_and_tokens() {
    let far = "mov (8|M0) r200.0<1>:d r10.0<1;1,0>:d\n";
    let message = "send.slm (8|M0) r120 r10 null:0 0x0 0x02A01500 {$1}\n";
    let token = "sync.nop null {$20.dst}\n";
    let head = |platform: &str, grf: &str| format!("//.platform {platform}\n//.kernel k\n{grf}");
    for (platform, text, wanted) in [
        ("dg2", far, "the kernel has 128"),
        ("dg2", message, "the kernel has 128"),
        ("pvc", token, "there is no token $20"),
        ("bmg", token, "there is no token $20"),
    ] {
        for grf in ["", "//.grf 128\n"] {
            let messages = denied(&format!("{}{text}", head(platform, grf)));
            assert!(
                messages.len() == 1 && messages[0].contains(wanted),
                "{platform} {grf} {text}: {messages:?}"
            );
        }
        let more = format!("{}{text}", head(platform, "//.grf 256\n"));
        assert_eq!(denied(&more), [""; 0], "{more}");
        let plain = format!("//.platform {platform}\n{text}");
        assert_eq!(denied(&plain), [""; 0], "{plain}");
    }
}

/// `//.swsb auto` hands out the tokens that the thread has.
#[test]
fn automatic_tokens_fit_the_thread() {
    for (platform, grf, tokens) in [("pvc", 128, 16), ("pvc", 256, 32), ("bmg", 128, 16)] {
        let mut text = format!("//.platform {platform}\n//.kernel k\n//.grf {grf}\n//.swsb auto\n");
        for register in 0..40 {
            let register = 20 + 2 * register;
            text += &format!("send.slm (16|M0) r{register} r10 null:0 0x0 0x02101500\n");
        }
        let assembly = assembled(&text);
        let program = isa_encoder::swsb::Program::decode(assembly.family, &assembly.code);
        let items = program.instructions().iter();
        let highest = items.filter_map(|placed| placed.instruction.swsb.token);
        let highest = highest.map(|token| token.id).max();
        assert_eq!(highest, Some(tokens - 1), "{platform} {grf}");
    }
}

#[test]
fn directives_are_held_against_the_platform() {
    for (platform, directive, message, help) in [
        (
            "pvc",
            "//.simd 8",
            "pvc has no kernels of SIMD width 8",
            "possible are 16, 32",
        ),
        (
            "skl",
            "//.grf 256",
            "skl has no kernels of a register count of 256",
            "possible are 128",
        ),
    ] {
        let text = format!("//.platform {platform}\n//.kernel k\n{directive}\nnop\n");
        let found = error(&text);
        assert_eq!(found.message, message);
        assert_eq!(found.help.as_deref(), Some(help));
        assert_eq!(&text[found.span.start..found.span.end], directive);
    }
    let lane = "//.platform pvc\n//.kernel k\n//.simd 1\nnop\n";
    assert!(assemble(lane, &AsmOptions::default()).is_ok());
}

#[test]
fn system_values_end_within_the_payload() {
    let text = |at: u32| format!("//.platform tgl\n//.kernel k\n//.sys local_size @{at}\nnop\n");
    assert!(assemble(&text(2036), &AsmOptions::default()).is_ok());
    let found = error(&text(2040));
    assert!(found.message.contains("2040 to 2052"), "{}", found.message);
}

/// Errors about values without an encoding show them as written, with the possible ones.
#[test]
fn encoding_errors_name_types_and_numbers() {
    for (text, expected) in [
        (
            "//.platform tgl\nmov (8|M0) r10.0<1>:bf r12.0<8;8,1>:f\n",
            "mov: Dst cannot be :bf on Gen12LP, only :ub :uw :ud :uq :b :w :d :q :hf :f :df",
        ),
        (
            "//.platform dg2\ndpas.8x9 (8|M0) r10:f r20:f r30:hf r40:hf {$0}\n",
            "dpas: the repeat count cannot be 9 on XeHPG, only 1 to 8",
        ),
        (
            "//.platform dg2\ndpas.8x0 (8|M0) r10:f r20:f r30:hf r40:hf {$0}\n",
            "dpas: the repeat count cannot be 0 on XeHPG, only 1 to 8",
        ),
    ] {
        assert_eq!(errors(text)[0].message, expected);
    }
}

/// iga64 accepts `(sat)` on each and drops it where the family has none.
#[test]
fn saturation_is_refused_where_the_family_has_none() {
    let mach = "mach (8|M0) (sat)r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d";
    for (platform, taken) in [("icl", true), ("tgl", false), ("bmg", false)] {
        let messages = denied(&format!("//.platform {platform}\n{mach}\n"));
        let refused = messages.iter().any(|message| message.contains("Saturate"));
        assert_eq!(refused, !taken, "{platform}: {messages:?}");
    }
}

/// An operand with blanks is not read in one go; the result is the same.
#[test]
fn operands_in_one_go_are_those_in_parts() {
    let options = AsmOptions::default();
    let mut seen = 0;
    for (platform, last) in [("skl", 127), ("tgl", 127), ("bmg", 255)] {
        for ty in ["ub", "b", "uw", "w", "ud", "d", "f", "hf", "q"] {
            for region in ["0;1,0", "8;8,1", "16;8,2", "4;4,1", "1;1,0", "32;16,2"] {
                for (number, sub) in [(0, 0), (9, 1), (99, 3), (last, 7), (last, 31), (256, 0)] {
                    let head = format!("//.platform {platform}\nmov (8|M0)");
                    let dst = format!("r{number}.{sub}<2>:{ty}");
                    let src = format!("r{number}.{sub}<{region}>:{ty}");
                    let apart = |text: &str| text.replace('<', " < ").replace(':', " : ");
                    let whole = assemble(&format!("{head} {dst} {src}\nnop\nnop\n"), &options);
                    let parts = format!("{head} {} {}\nnop\nnop\n", apart(&dst), apart(&src));
                    let parts = assemble(&parts, &options);
                    let message = |found: &[Diagnostic]| found[0].message.clone();
                    assert_eq!(
                        whole.as_ref().map(|a| &a.code).map_err(|e| message(e)),
                        parts.as_ref().map(|a| &a.code).map_err(|e| message(e)),
                        "{platform} {dst} {src}"
                    );
                    seen += usize::from(whole.is_ok());
                }
            }
        }
    }
    assert!(seen > 300, "{seen} are instructions");
}

/// If an operand has no encoding, the error points at it.
#[test]
fn encoding_errors_point_at_the_operand() {
    for (platform, text, part) in [
        (
            "tgl",
            "mov (8|M0) r10.0<1>:bf r12.0<8;8,1>:f",
            "r10.0<1>:bf",
        ),
        (
            "tgl",
            "add (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:bf",
            "r14.0<8;8,1>:bf",
        ),
        (
            "skl",
            "mad (8|M0) r10.0<1>:f r12.0<2;1>:f r14.0<8;2>:f r16.0<1>:f",
            "r14.0<8;2>:f",
        ),
        (
            "tgl",
            "mad (8|M0) r10.0<1>:f r12.0<8;1>:f r14.0<8;1>:f r[a0.0]<1>:f",
            "r[a0.0]<1>:f",
        ),
        (
            "dg2",
            "dpas.8x8 (8|M0) r10:d r20:d r40:b r60.0:df",
            "r60.0:df",
        ),
    ] {
        let line = format!("//.platform {platform}\n{text}\n");
        let error = error(&line);
        assert_eq!(
            &line[error.span.start..error.span.end],
            part,
            "{}",
            error.message
        );
    }
}

#[test]
fn semicolons_end_instructions() {
    let of = |text: &str| {
        let text = format!("//.platform dg2\n{text}");
        assemble(&text, &AsmOptions::default()).map(|assembly| assembly.code)
    };
    let lines = "mov (8|M0) r1.0<1>:d r2.0<8;8,1>:d\nnop\nL1:\nnop\njmpi L1\n";
    let divided = ";mov (8|M0) r1.0<1>:d r2.0<8;8,1>:d; nop;;\n L1:; nop; jmpi L1;";
    assert_eq!(of(divided).unwrap(), of(lines).unwrap());
    let errors = of("nop; nop nop; nop\nnop;;bad").unwrap_err();
    let places: Vec<usize> = errors.iter().map(|error| error.span.start).collect();
    assert_eq!(places, [25, 39]);
}

#[test]
fn branches_go_to_instructions_of_the_kernel() {
    let cases = [
        ("brd (8|M0) -4000", "leaves the kernel"),
        ("jmpi 32", "leaves the kernel"),
        ("goto (8|M0) 16 40\nnop\nnop", "middle of an instruction"),
    ];
    for (text, why) in cases {
        let options = |validation| AsmOptions::for_family(Family::XeHpg).validated(validation);
        let text = format!("{text}\n");
        let denied = assemble(&text, &options(Validation::Deny)).unwrap_err();
        assert!(
            denied.iter().any(|error| error.message.contains(why)),
            "{text}"
        );
        let warned = assemble(&text, &options(Validation::Warn)).unwrap();
        assert!(
            warned
                .warnings
                .iter()
                .any(|warning| warning.message.contains(why))
        );
    }
    // The kernel ends where the padding begins; data may be instructions.
    for text in [
        "jmpi 16",
        "goto (8|M0) 16 32\nnop",
        "jmpi 24\n//.data 0000000000000000",
    ] {
        let text = format!("//.platform dg2\n{text}\n");
        let assembly = assembled(&text);
        let strays = assembly
            .warnings
            .iter()
            .filter(|w| w.message.contains("branch"));
        assert_eq!(strays.count(), 0, "{text}");
    }
}

#[test]
fn errors_found_at_the_end_are_limited_as_the_others() {
    let labels = "//.platform tgl\n".to_owned() + &"L:\n".repeat(5_000);
    assert_eq!(errors(&labels).len(), 101);
    let branches = "//.platform tgl\n".to_owned() + &"goto (8|M0) A B\n".repeat(5_000);
    assert_eq!(errors(&branches).len(), 101);
    let lines = "//.platform tgl\n".to_owned() + &"bad\n".repeat(5_000);
    assert_eq!(errors(&lines).len(), 101);
}

#[test]
fn decimal_quotients_are_no_bits_of_fractions() {
    let of = |value: &str| {
        let text = format!("//.platform dg2\nmov (8|M0) r1.0<1>:hf {value}:hf\n");
        assemble(&text, &AsmOptions::default()).map(|assembly| assembly.code[12..16].to_vec())
    };
    assert!(
        of("7/2").unwrap_err()[0]
            .help
            .as_ref()
            .unwrap()
            .contains("7.0/2")
    );
    assert_eq!(of("7.0/2").unwrap(), of("3.5").unwrap());
    assert_eq!(of("0x7+1").unwrap(), [8, 0, 8, 0]);
}

/// Bits that an instruction's text does not show are printed beside it and read back.
#[test]
fn odd_bits_stand_beside_the_text() {
    let cases: &[(Family, &str, &str)] = &[
        // A Gen8 send whose payload has a modifier.
        (
            Family::Gen8,
            "3110600c003a002080458d067f810606",
            "send (8|M8)              null:ud  r44<8;8,1>:f  0xC  0x0606817F //.bits 78=1",
        ),
        // As Mesa writes it: no destination stride.
        (
            Family::XeHpg,
            "011b0080000000000000000000000000",
            "(W)     sync.nop                 null {I@3} //.bits 48=0",
        ),
        (
            Family::Gen11,
            "7e000000000000200000000000000000",
            "nop //.bits 61=1",
        ),
        // `jmpi` without (W); it always ignores the mask.
        (
            Family::Gen12Lp,
            "20000000004000000000000010000000",
            "(W)     jmpi (1|M0)              L16 //.bits 31=0",
        ),
        // A call whose unused source has other regions than Intel's compiler writes.
        (
            Family::Gen9,
            "2c0080002800802f0000650e10000000",
            "call (16|M0)             r124.0<1>:d  L16 //.bits 83:82=0x1 85=1",
        ),
        // `while` with the immediate in the other source: the target is still a label.
        (
            Family::Gen8,
            "27008000200e00200000000800000000",
            "while (16|M0)            L0 //.bits 37=1 43:41=0x7 90:89=0x0",
        ),
    ];
    for (family, hex, expected) in cases {
        let bytes = u128::from_str_radix(hex, 16).unwrap().to_be_bytes();
        let printed = Disassembler::new(*family, Default::default()).print(&bytes);
        assert!(printed.contains(expected), "{family}: {printed}");
        let options = AsmOptions::for_family(*family);
        let code = assemble(&printed, &options).unwrap().code;
        assert_eq!(code, bytes, "{printed}");
    }
}

/// A `//.bits` that adds nothing is refused.
#[test]
fn odd_bits_are_checked() {
    let message = |line: &str| {
        let text = format!("//.platform tgl\n{line}\n");
        let errors = errors(&text);
        errors.first().unwrap().message.clone()
    };
    for bits in ["48", "48=2", "128=0", "40:48=0", "a=1", "48=0 48=1"] {
        let found = message(&format!("nop //.bits {bits}"));
        assert!(found.contains("gives no bits"), "{bits}: {found}");
    }
    assert!(message("nop //.bits").contains("needs bits"));
    assert!(message("//.bits 48=0").contains("behind an instruction"));
}

/// Instructions are checked against the platform given beside the text, not against its family.
#[test]
fn a_platform_given_beside_the_text_is_what_instructions_are_checked_for() {
    let rule = |platform: &str, line: &str| {
        let platform = devinfo::by_name(platform).unwrap();
        let options = AsmOptions::for_platform(platform);
        let assembly = assemble(line, &options).unwrap();
        let help = assembly.warnings.first()?.help.clone()?;
        Some(help.split('`').nth(1)?.to_owned())
    };
    let dpas = "dpas.8x8 (8|M0) r10:f r20:f r30:hf r40:hf {$0}";
    let double = "add (8|M0) r10.0<1>:df r12.0<1;1,0>:df r14.0<1;1,0>:df";
    let qword = "add (8|M0) r10.0<1>:q r12.0<1;1,0>:q r14.0<1;1,0>:q";
    let narrow = "mov (4|M0) r10.0<2>:q r12.0<4;4,1>:q";
    for (platform, line, expected) in [
        ("mtl", dpas, Some("no-systolic")),
        ("dg2", dpas, None),
        ("dg2", double, Some("no-double")),
        ("mtl", double, None),
        ("dg2", qword, Some("no-qword")),
        ("mtl", qword, Some("no-qword")),
        ("arl", qword, Some("no-qword")),
        ("pvc", qword, None),
        ("apl", narrow, Some("small-core-regions")),
        ("skl", narrow, None),
    ] {
        assert_eq!(
            rule(platform, line).as_deref(),
            expected,
            "{platform}: {line}"
        );
    }
}

/// Math macro registers have the names that Intel's assembler gives them. Recipe: iga64 -d -p 8, 11
/// and 12p1.
#[test]
fn math_macro_registers_are_named_as_intels_assembler_does() {
    for (family, hex, text) in [
        (
            Family::Gen8,
            "01006000e03a402420008d0000000000",
            "mme0.0<1>:f   r1.0<8;8,1>:f",
        ),
        (
            Family::Gen9,
            "01006000e03a602420008d0000000000",
            "mme1.0<1>:f   r1.0<8;8,1>:f",
        ),
        (
            Family::Gen11,
            "010060002849202020058d0000000000",
            "r1.0<1>:f     mme7.0<8;8,1>:f",
        ),
        (
            Family::Gen12Lp,
            "61000300a00a01220501460000000000",
            "acc2.0<1>:f   r1.0<8;8,1>:f",
        ),
        (
            Family::Gen12Lp,
            "61000300a00a01290501460000000000",
            "mme1.0<1>:f   r1.0<8;8,1>:f",
        ),
        (
            Family::XeHpc,
            "61000c00a00a01290501460000000000",
            "acc9.0<1>:f   r1.0<8;8,1>:f",
        ),
    ] {
        let number = u128::from_str_radix(hex, 16).unwrap();
        let bytes = number.to_be_bytes();
        let printed = Disassembler::new(family, Default::default()).print(&bytes);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words(&printed).contains(&words(text)),
            "{family}: {printed}"
        );
        let options = AsmOptions::for_family(family);
        let code = assemble(&printed, &options).unwrap().code;
        assert_eq!(code, bytes, "{printed}");
    }
}

/// Everything that the help text calls a directive is one; none is valid without arguments.
#[test]
fn directives_are_those_of_the_help() {
    for directive in DIRECTIVES {
        let text = format!("//.platform tgl\n//.{}\nnop\n", directive.name);
        let found = errors(&text);
        let message = &found[0].message;
        assert!(!message.contains("no directive"), "{message}");
    }
    let found = errors("//.platform tgl\n//.nonsense\n");
    assert_eq!(found[0].message, "`nonsense` is no directive");
}
