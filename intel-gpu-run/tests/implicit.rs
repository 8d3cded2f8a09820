//! `run --check` on what the text of an instruction does not name: accumulators that it adds to, flags of other
//! channels that decide for it, and the place where a branch brings channels back together.

#![cfg(test)]

mod common;

use std::fs;

use common::{talk, tool};

/// A thread stores r16 and r17, which some instructions have written.
fn kernel(instructions: &str) -> String {
    format!(
        "\
//.platform tgl
//.kernel implicit
//.simd 16
//.ids none
//.arg out buf:0
//.local 16,1,1
(W)     mov (8|M0)    r10.0<1>:ud  r0.0<8;8,1>:ud
(W)     mov (1|M0)    r10.2<1>:ud  0x0:ud  {{@1}}
        mov (16|M0)   r12.0<1>:f  1.0:f
        mov (16|M0)   r16.0<1>:f  2.0:f
(W)     sync.nop      null  {{@1}}
{instructions}
(W)     sync.nop      null  {{@1}}
(W)     send.dc0 (16|M0)  null  r10  r16  0x80  0x020A0300  {{$2}}
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {{EOT,@1}}
"
    )
}

const MULTIPLY: &str = "mul (16|M0) acc0.0<1>:f r12.0<8;8,1>:f r12.0<8;8,1>:f\n";
const ACCUMULATE: &str = "mac (16|M0) r16.0<1>:f r12.0<8;8,1>:f r12.0<8;8,1>:f";
const HALF: &str = "mul (8|M0) acc0.0<1>:f r12.0<8;8,1>:f r12.0<8;8,1>:f\n";
const CARRY: &str = "addc (8|M0) r17.0<1>:ud r12.0<8;8,1>:ud r12.0<8;8,1>:ud {AccWrEn}\n";
const CARRIES: &str = "mov (8|M0) r16.0<1>:ud acc0.0<8;8,1>:ud {@1}";
const COMPARE: &str = "cmp (16|M0) (gt)f0.0 null<1>:f r12.0<8;8,1>:f 3.0:f\n";
const COMPARE_HALF: &str = "cmp (8|M0) (gt)f0.0 null<1>:f r12.0<8;8,1>:f 3.0:f\n";
const COMPARE_FOUND: &str = "cmp (8|M0) (lt)f0.0 null<1>:f r12.0<8;8,1>:f 3.0:f\n";
const ANY: &str = "(W&f0.0.any16h) mov (16|M0) r16.0<1>:f 4.0:f {@1}";
const ALL: &str = "(W&f0.0.all16h) mov (16|M0) r16.0<1>:f 4.0:f {@1}";
const GOTO: &str = "(f0.0) goto (16|M0) L1 L1 {@1}\n mov (16|M0) r16.0<1>:f 4.0:f\nL1:\n";
const JOIN: &str = "join (16|M0) L2\nL2:\n";

#[test]
fn what_the_text_does_not_name_is_judged() {
    let rows: [(&[&str], &str); 13] = [
        (&[MULTIPLY, ACCUMULATE], ""),
        (&[ACCUMULATE], "it reads acc0.0, of which no path here"),
        (&[HALF, ACCUMULATE], "uninitialised value"),
        (&[CARRY, CARRIES], ""),
        (&[CARRIES], "uninitialised value"),
        (&[COMPARE, ANY], ""),
        (&[COMPARE, ALL], ""),
        (&[COMPARE_HALF, ANY], "uninitialised value"),
        (&[COMPARE_FOUND, ANY], ""),
        (&[COMPARE_HALF, ALL], ""),
        (&[COMPARE_FOUND, ALL], "uninitialised value"),
        (&[COMPARE, GOTO, JOIN], ""),
        (&[COMPARE, GOTO], "no join"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("implicit.asm");
    let mut wrong = Vec::new();
    for (parts, rule) in rows {
        fs::write(&file, kernel(&parts.concat())).unwrap();
        let path = file.display().to_string();
        let run = tool(&[
            "run",
            "--check",
            "--device",
            "soft:tgl",
            "--global",
            "16",
            "--arg",
            "fill=0:64",
            &path,
        ]);
        let (code, text) = (run.status.code(), talk(&run));
        let found = match rule.is_empty() {
            true => code == Some(0),
            false => code == Some(5) && text.contains(rule),
        };
        if !found {
            wrong.push(format!("{parts:?}: {rule}: {code:?} {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
