//! `run --check` on one kernel in the assembly of each generation: it is clean, and each fault that is put
//! into it is found.

#![cfg(test)]

mod common;

use std::fs;

use common::{talk, tool};

/// Two threads of a group exchange a dword of each channel through shared local memory. What a line is for
/// stands behind it.
struct Kernel {
    platform: &'static str,
    text: &'static str,
}

const KERNELS: &[Kernel] = &[
    Kernel {
        platform: "skl",
        text: "\
        mov (16|M0)    r2.0<1>:ud  r1.0<1;1,0>:uw
(W)     mov (8|M0)     r12.0<1>:ud  0x0:uw
        shl (16|M0)    r8.0<1>:ud  r2.0<1;1,0>:ud  0x2:uw // offset
        mul (16|M0)    r6.0<1>:d  r2.0<1;1,0>:d  0x3:uw // value
(W)     and (1|M0)     r12.2<1>:ud  r0.2<0;1,0>:ud  0x8F000000:ud // name
        sends (16|M0)  null:ud  r8  r6  0x8A  0x040309FE // local store
(W)     send (1|M0)    null:ud  r12  0x3  0x02000004 // signal
(W)     wait (1|M0)    n0.0<0;1,0>:ud // wait
        xor (16|M0)    r14.0<1>:ud  r2.0<1;1,0>:ud  0x10:uw
        shl (16|M0)    r16.0<1>:ud  r14.0<1;1,0>:ud  0x2:uw
        send (16|M0)   r20:ud  r16  0xA  0x042109FE // local load
        sends (16|M0)  null:ud  r8  r20  0x8A  0x04030900 // store
(W)     mov (8|M0)     r127.0<1>:ud  r0.0<1;1,0>:ud // last
(W)     send (8|M0)    null:ud  r127  0x27  0x02000010 {EOT} // end
",
    },
    Kernel {
        platform: "tgl",
        text: "\
        mov (16|M0)    r2.0<1>:ud  r1.0<1;1,0>:uw
        shl (16|M0)    r8.0<1>:ud  r2.0<1;1,0>:ud  0x2:uw {@1} // offset
        mul (16|M0)    r6.0<1>:d  r2.0<1;1,0>:d  0x3:uw // value
        send.dc0 (16|M0)  null  r8  r6  0x80  0x040309FE {@1,$4} // local store
(W)     send.dc0 (8|M0)   r12  r0  null  0x0  0x0219E0FE {$3} // fence
(W)     mov (1|M0)     null<1>:ud  r12.0<0;1,0>:ud {$3.dst} // fenced
(W)     mov (8|M0)     r13.0<1>:ud  0x0:uw
(W)     and (1|M0)     r13.2<1>:ud  r0.2<0;1,0>:ud  0x7F000000:ud // name
(W)     send.gtwy (1|M0)  null  r13  null  0x0  0x02000004 {@1,$2} // signal
(W)     sync.bar       null // wait
        xor (16|M0)    r14.0<1>:ud  r2.0<1;1,0>:ud  0x10:uw
        shl (16|M0)    r16.0<1>:ud  r14.0<1;1,0>:ud  0x2:uw {@1}
        send.dc0 (16|M0)  r20  r16  null  0x0  0x042109FE {@1,$1} // local load
(W)     sync.nop       null {$1.dst} // loaded
        send.dc0 (16|M0)  null  r8  r20  0x80  0x04030900 {$0} // store
(W)     mov (8|M0)     r127.0<1>:ud  r0.0<1;1,0>:ud // last
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010 {EOT,@1} // end
",
    },
    Kernel {
        platform: "dg2",
        text: "\
        mov (16|M0)    r2.0<1>:ud  r1.0<1;1,0>:uw
        shl (16|M0)    r8.0<1>:ud  r2.0<1;1,0>:ud  0x2:uw {I@1} // offset
        mul (16|M0)    r6.0<1>:d  r2.0<1;1,0>:d  0x3:uw // value
        send.slm (16|M0)  null  r8  r6:2  0x0  0x04000504 {A@1,$4} // local store
(W)     send.slm (1|M0)   r12  r0  null:0  0x0  0x0210001F {$3} // fence
(W)     mov (1|M0)     null<1>:ud  r12.0<0;1,0>:ud {$3.dst} // fenced
(W)     mov (8|M0)     r13.0<1>:ud  0x0:uw
(W)     mov (1|M0)     r13.10<1>:ub  r0.11<0;1,0>:ub
(W)     mov (1|M0)     r13.11<1>:ub  r0.11<0;1,0>:ub // name
(W)     send.gtwy (1|M0)  null  r13  null:0  0x0  0x02000004 {A@1,$2} // signal
(W)     sync.bar       null // wait
        xor (16|M0)    r14.0<1>:ud  r2.0<1;1,0>:ud  0x10:uw
        shl (16|M0)    r16.0<1>:ud  r14.0<1;1,0>:ud  0x2:uw {I@1}
        send.slm (16|M0)  r20  r16  null:0  0x0  0x04200500 {A@1,$1} // local load
(W)     sync.nop       null {$1.dst} // loaded
        send.ugm (16|M0)  null  r8  r20:2  0x0  0x64000504 {$0} // store
(W)     mov (8|M0)     r127.0<1>:ud  r0.0<1;1,0>:ud // last
(W)     send.gtwy (8|M0)  null  r127  null:0  0x0  0x02000010 {EOT,I@1} // end
",
    },
    // From XeHPC on, registers have 64 bytes.
    Kernel {
        platform: "pvc",
        text: WIDE,
    },
    Kernel {
        platform: "bmg",
        text: WIDE,
    },
    Kernel {
        platform: "ptl",
        text: WIDE,
    },
];

const WIDE: &str = "\
        mov (16|M0)    r2.0<1>:ud  r1.0<1;1,0>:uw
        shl (16|M0)    r8.0<1>:ud  r2.0<1;1,0>:ud  0x2:uw {I@1} // offset
        mul (16|M0)    r6.0<1>:d  r2.0<1;1,0>:d  0x3:uw // value
        send.slm (16|M0)  null  r8  r6:1  0x0  0x02000504 {I@1,$4} // local store
(W)     send.slm (1|M0)   r9  r0  null:0  0x0  0x0210001F {$3} // fence
(W)     mov (1|M0)     null<1>:ud  r9.0<0;1,0>:ud {$3.dst} // fenced
(W)     mov (16|M0)    r10.0<1>:ud  0x0:uw
(W)     mov (1|M0)     r10.10<1>:ub  r0.11<0;1,0>:ub {I@1}
(W)     mov (1|M0)     r10.11<1>:ub  r0.11<0;1,0>:ub {I@1} // name
(W)     send.gtwy (1|M0)  null  r10  null:0  0x0  0x02000004 {I@1,$2} // signal
(W)     sync.bar       null // wait
        xor (16|M0)    r14.0<1>:ud  r2.0<1;1,0>:ud  0x10:uw
        shl (16|M0)    r16.0<1>:ud  r14.0<1;1,0>:ud  0x2:uw {I@1}
        send.slm (16|M0)  r20  r16  null:0  0x0  0x02100500 {I@1,$1} // local load
(W)     sync.nop       null {$1.dst} // loaded
        send.ugm (16|M0)  null  r8  r20:1  0x0  0x62000504 {$0} // store
(W)     mov (16|M0)    r127.0<1>:ud  r0.0<1;1,0>:ud // last
(W)     send.gtwy (8|M0)  null  r127  null:0  0x0  0x02000010 {EOT,I@1} // end
";

/// What happens to a line.
enum Edit {
    /// It goes.
    Drop,
    /// One of these becomes the other; the first that it has.
    Replace(&'static [(&'static str, &'static str)]),
}

use Edit::{Drop, Replace};

/// Changes of lines that are for something, and the rule that they break.
type Fault = (&'static [(&'static str, Edit)], &'static str);

const FAULTS: &[Fault] = &[
    (
        &[(
            "end",
            Replace(&[
                ("{EOT,", "{"),
                ("0x27  0x02000010 {EOT}", "0x7  0x02000010"),
            ]),
        )],
        "no end of thread",
    ),
    (&[("end", Drop)], "no end of thread"),
    (
        &[
            ("end", Replace(&[("r127", "r90")])),
            ("last", Replace(&[("r127", "r90")])),
        ],
        "end-registers",
    ),
    (&[("wait", Drop)], "barrier order"),
    (&[("signal", Drop)], "barrier order"),
    (&[("signal", Drop), ("wait", Drop)], "data race"),
    (&[("fence", Drop), ("fenced", Drop)], "missing fence"),
    (&[("fenced", Drop)], "fence not waited for"),
    // Dwords that overlap.
    (&[("offset", Replace(&[("0x2:uw", "0x0:uw")]))], "data race"),
    (
        &[("offset", Replace(&[("0x2:uw", "0x6:uw")]))],
        "local memory bounds",
    ),
    (
        &[("value", Replace(&[("r2.0", "r60.0")]))],
        "uninitialised register",
    ),
    (&[("value", Drop)], "uninitialised register"),
    (
        &[("value", Replace(&[("r2.0<1;1,0>", "r2.0<8;2,4>")]))],
        "span",
    ),
    (
        &[("value", Replace(&[("0x3:uw", "3.0:f")]))],
        "source-kinds",
    ),
    (
        &[(
            "local load",
            Replace(&[
                ("0x042109FE", "0x044109FE"),
                ("0x04200500", "0x04400500"),
                ("0x02100500", "0x02200500"),
            ]),
        )],
        "response length",
    ),
    (
        &[(
            "local load",
            Replace(&[
                ("0x042109FE", "0x062109FE"),
                ("0x04200500", "0x06200500"),
                ("0x02100500", "0x04100500"),
            ]),
        )],
        "payload length",
    ),
    (
        &[(
            "store",
            Replace(&[
                ("0x04030900", "0x04030905"),
                ("r20:2  0x0 ", "r20:2  0x5000000 "),
                ("r20:1  0x0 ", "r20:1  0x5000000 "),
            ]),
        )],
        "undeclared binding",
    ),
    (
        &[(
            "name",
            Replace(&[("  r0.2<", "  r50.2<"), ("  r0.11<", "  r50.11<")]),
        )],
        "uninitialised value",
    ),
    // From Gen12LP on.
    (&[("loaded", Drop)], "scoreboard hazard"),
    (
        &[("offset", Replace(&[(" {@1}", ""), (" {I@1}", "")]))],
        "scoreboard hazard",
    ),
];

fn written(kernel: &Kernel, declared: &str, edits: &[(&str, Edit)]) -> Option<String> {
    let mut text = format!(
        "//.platform {}\n//.kernel exchange\n//.simd 16\n//.ids x\n//.arg out buf:0\n//.local 32,1,1\n{declared}",
        kernel.platform
    );
    let mut left = edits.len();
    for line in kernel.text.lines() {
        let purpose = line.split_once("// ").map_or("", |(_, purpose)| purpose);
        let edit = edits.iter().find(|(of, _)| *of == purpose);
        let line = match edit {
            None => line.to_owned(),
            Some((_, Drop)) => String::new(),
            Some((_, Replace(pairs))) => {
                let (from, to) = pairs.iter().find(|(from, _)| line.contains(from))?;
                line.replacen(from, to, 1)
            }
        };
        left -= usize::from(edit.is_some());
        text.push_str(&line);
        text.push('\n');
    }
    (left == 0).then_some(text)
}

#[test]
fn faults_in_the_assembly_of_each_generation_are_found() {
    const DECLARED: &str = "//.barriers 1\n//.slm 128\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exchange.asm");
    let run = |text: &str, platform: &str, bytes: u32| {
        fs::write(&file, text).unwrap();
        let (device, file) = (format!("soft:{platform}"), file.display().to_string());
        let out = format!("fill=0:{bytes}");
        let run = tool(&[
            "run", "--check", "--device", &device, "--global", "32", "--arg", &out, "--print",
            "0:i32:31", &file,
        ]);
        (
            run.status.code(),
            talk(&run),
            String::from_utf8(run.stdout).unwrap(),
        )
    };
    let mut wrong = Vec::new();
    for kernel in KERNELS {
        let platform = kernel.platform;
        let right = written(kernel, DECLARED, &[]).unwrap();
        let (code, text, out) = run(&right, platform, 128);
        assert_eq!(code, Some(0), "{platform}: {text}");
        let wanted: Vec<String> = (0..31).map(|id| ((id ^ 16) * 3).to_string()).collect();
        let found: Vec<&str> = out.split_whitespace().skip(1).collect();
        assert_eq!(found, wanted, "{platform}");
        let mut tried = 0;
        let mut assert_found = |text: &str, bytes, rule: &str| {
            let (code, said, _) = run(text, platform, bytes);
            let found = matches!(code, Some(3..=5)) && said.contains(rule);
            if !found {
                wrong.push(format!("{platform}: {rule}: {code:?} {said}"));
            }
            tried += 1;
        };
        // Threads of Xe3 end with any registers.
        let broken = |rule: &str| platform != "ptl" || rule != "end-registers";
        for (edits, rule) in FAULTS.iter().filter(|(_, rule)| broken(rule)) {
            if let Some(text) = written(kernel, DECLARED, edits) {
                assert_found(&text, 128, rule);
            }
        }
        let undeclared = written(kernel, "//.slm 128\n", &[]).unwrap();
        assert_found(&undeclared, 128, "undeclared barrier");
        let small = written(kernel, "//.barriers 1\n//.slm 64\n", &[]).unwrap();
        assert_found(&small, 128, "local memory bounds");
        assert_found(&right, 124, "bounds");
        let two = right.replace("//.local", "//.arg more buf:0\n//.local");
        assert_found(&two, 128, "binding table entry 0");
        // All but those of fences and of the scoreboard.
        assert!(tried >= 18, "{platform}: {tried} faults");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
