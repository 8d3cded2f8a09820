//! The software scoreboard: what the checker reports and what it accepts.
#![cfg(test)]

use devinfo::Family;
use isa_encoder::swsb::{self, Conflict};
use isa_encoder::{AsmOptions, assemble};

fn code(family: Family, text: &str) -> Vec<u8> {
    let options = AsmOptions::for_family(family);
    assemble(text, &options).unwrap().code
}

/// Kind, register, and the numbers of the two instructions.
fn hazards(family: Family, text: &str) -> Vec<(Conflict, String, usize, usize)> {
    let report = swsb::check(family, &code(family, text));
    assert!(report.complete);
    report
        .hazards
        .into_iter()
        .map(|h| (h.kind, h.register, h.earlier.index, h.later.index))
        .collect()
}

fn one(
    kind: Conflict,
    register: &str,
    earlier: usize,
    later: usize,
) -> Vec<(Conflict, String, usize, usize)> {
    vec![(kind, register.to_owned(), earlier, later)]
}

/// The families with a software scoreboard.
const FAMILIES: [Family; 4] = [Family::Gen12Lp, Family::XeHpg, Family::XeHpc, Family::Xe2];

const RAW: Conflict = Conflict::ReadAfterWrite;
const WAW: Conflict = Conflict::WriteAfterWrite;
const WAR: Conflict = Conflict::WriteAfterRead;

#[test]
fn a_distance_orders_a_result_and_its_reader() {
    let text = |wait: &str| {
        format!(
            "mov (8|M0) r10.0<1>:d r1.0<8;8,1>:d
             mov (8|M0) r11.0<1>:d r2.0<8;8,1>:d
             add (8|M0) r12.0<1>:d r10.0<8;8,1>:d 1:w {wait}\n"
        )
    };
    let found = |wait| hazards(Family::Gen12Lp, &text(wait));
    assert_eq!(found(""), one(RAW, "r10", 0, 2));
    assert_eq!(found("{@3}"), one(RAW, "r10", 0, 2));
    assert_eq!(found("{@2}"), []);
    assert_eq!(found("{@1}"), []);
}

/// As Mesa's compiler waits for a result before it puts an address together.
#[test]
fn an_unnamed_distance_beside_an_immediate_alone_is_that_of_its_type() {
    let text = |immediate: &str| {
        format!(
            "xor (16|M0) r22.0<1>:d r5.0<8;8,1>:d 3:d
             mov (16|M0) a0.0<1>:uw {immediate} {{@1}}
             shl (16|M0) a0.0<1>:uw r22.0<16;8,2>:w 2:uw\n"
        )
    };
    for family in [Family::XeHpg, Family::XeHpc, Family::Xe2] {
        assert_eq!(hazards(family, &text("0x480:uw")), [], "{family}");
        let floats = hazards(family, &text("0x3C00:hf"));
        assert_eq!(floats, one(RAW, "r22", 0, 2), "{family}");
    }
}

#[test]
fn a_result_is_there_by_itself_after_ten_more() {
    let text = |between: usize| {
        let mut text = String::from("mov (8|M0) r10.0<1>:d r1.0<8;8,1>:d\n");
        for i in 0..between {
            text += &format!("mov (8|M0) r{}.0<1>:d r1.0<8;8,1>:d\n", 20 + i);
        }
        text + "add (8|M0) r12.0<1>:d r10.0<8;8,1>:d 1:w\n"
    };
    assert_eq!(hazards(Family::Gen12Lp, &text(9)).len(), 1);
    assert_eq!(hazards(Family::Gen12Lp, &text(10)), []);
}

#[test]
fn a_distance_counts_in_one_pipe() {
    let text = |wait: &str| {
        format!(
            "mov (8|M0) r10.0<1>:f r1.0<1;1,0>:f
             mov (8|M0) r11.0<1>:d r2.0<1;1,0>:d
             mov (8|M0) r13.0<1>:d r2.0<1;1,0>:d
             add (8|M0) r12.0<1>:d r10.0<1;1,0>:d 1:w {wait}\n"
        )
    };
    let found = |wait| hazards(Family::XeHpg, &text(wait));
    assert_eq!(found("{F@1}"), []);
    assert_eq!(found("{A@1}"), []);
    assert_eq!(found("{I@1}"), one(RAW, "r10", 0, 3));
    assert_eq!(found("{F@2}"), one(RAW, "r10", 0, 3));
}

#[test]
fn another_pipe_may_overtake_a_read_and_a_write() {
    let text = "mov (8|M0) r10.0<1>:f r11.0<1;1,0>:f
                mov (8|M0) r11.0<1>:d r2.0<1;1,0>:d
                mov (8|M0) r10.0<1>:d r2.0<1;1,0>:d\n";
    assert_eq!(
        hazards(Family::XeHpg, text),
        [(WAR, "r11".into(), 0, 1), (WAW, "r10".into(), 0, 2)]
    );
    assert_eq!(
        hazards(Family::Gen12Lp, &text.replace("<1;1,0>", "<8;8,1>")),
        []
    );
}

#[test]
fn a_token_orders_a_send_by_what_it_did() {
    let text = |read: &str, write: &str| {
        format!(
            "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {{$3}}
             mov (8|M0) r20.0<1>:d r1.0<8;8,1>:d {read}
             add (8|M0) r12.0<1>:d r10.0<8;8,1>:d 1:w {write}\n"
        )
    };
    let found = |read, write| hazards(Family::Gen12Lp, &text(read, write));
    assert_eq!(
        found("", ""),
        [(WAR, "r20".into(), 0, 1), (RAW, "r10".into(), 0, 2)]
    );
    assert_eq!(found("{$3.src}", "{$3.dst}"), []);
    assert_eq!(found("{$3.dst}", ""), []);
    assert_eq!(found("{$3.src}", "{$3.src}"), one(RAW, "r10", 0, 2));
    assert_eq!(found("{$3.src}", "{$4.dst}"), one(RAW, "r10", 0, 2));
}

#[test]
fn taking_a_token_again_and_sync_wait_for_its_owners() {
    let reader = "add (8|M0) r12.0<1>:d r10.0<8;8,1>:d 1:w\n";
    let text = |between: &str| {
        format!("send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {{$3}}\n{between}\n{reader}")
    };
    let found = |between| hazards(Family::Gen12Lp, &text(between));
    assert_eq!(found("nop"), one(RAW, "r10", 0, 2));
    assert_eq!(
        found("send.dc1 (16|M0) r40 r50 null 0x0 0x04205E00 {$3}"),
        []
    );
    assert_eq!(found("sync.nop null {$3.dst}"), []);
    assert_eq!(found("sync.allwr null"), []);
    assert_eq!(found("sync.allwr ($1,$3)"), []);
    assert_eq!(found("sync.allwr ($1)"), one(RAW, "r10", 0, 2));
    assert_eq!(found("sync.allrd null"), one(RAW, "r10", 0, 2));
}

#[test]
fn math_is_out_of_order_until_xehpg() {
    let text = "math.inv (8|M0) r10.0<1>:f r1.0<8;8,1>:f {$1}
                mov (8|M0) r11.0<1>:f r10.0<8;8,1>:f {@1}\n";
    assert_eq!(hazards(Family::Gen12Lp, text), one(RAW, "r10", 0, 1));
    let text = "math.inv (16|M0) r10.0<1>:f r1.0<1;1,0>:f
                mov (16|M0) r11.0<1>:f r10.0<1;1,0>:f {M@1}\n";
    assert_eq!(hazards(Family::XeHpc, text), []);
    assert_eq!(
        hazards(Family::XeHpc, &text.replace("M@1", "F@1")),
        one(RAW, "r10", 0, 1)
    );
}

/// The wait is in one arm, the use after both.
#[test]
fn every_path_must_wait() {
    let text = |other: &str| {
        format!(
            "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {{$3}}
             (f0.0) if (16|M0) ELSE END
             mov (16|M0) r40.0<1>:d r10.0<8;8,1>:d {{$3.dst}}
             else (16|M0) END END
             ELSE:
             mov (16|M0) r42.0<1>:d r30.0<8;8,1>:d {other}
             END:
             endif (16|M0) OUT
             OUT:
             mov (16|M0) r44.0<1>:d r10.0<8;8,1>:d\n"
        )
    };
    assert_eq!(hazards(Family::Gen12Lp, &text("")), one(RAW, "r10", 0, 6));
    assert_eq!(hazards(Family::Gen12Lp, &text("{$3.dst}")), []);
}

/// A product before a branch, and its reader after it with the annotation `wait`.
fn behind_a_branch(family: Family, branch: &str, wait: &str) -> String {
    let region = if family == Family::Gen12Lp {
        "<8;8,1>"
    } else {
        "<1;1,0>"
    };
    format!(
        "START:
         mul (8|M0) r28.0<1>:f r26.0{region}:f r26.0{region}:f
         {branch}
         mad (8|M0) r30.0<1>:f r31.0<1;0>:f r28.0<1;0>:f r32.0<1>:f {wait}
         END:
         nop\n"
    )
}

/// A branch that is not taken is just an instruction of the integer pipe.
#[test]
fn a_result_is_under_way_behind_a_branch() {
    for family in FAMILIES {
        let wait = if family == Family::Gen12Lp {
            "{@2}"
        } else {
            "{F@1}"
        };
        for branch in [
            "(f1.1) goto (8|M0) END END",
            "(f1.1) jmpi (1|M0) END",
            "(f1.1) if (8|M0) END END",
            "(f1.1) break (8|M0) END END",
            "endif (8|M0) END",
            "join (8|M0) END",
            "else (8|M0) END END",
            "(f1.1) while (8|M0) START",
            "(f1.1) goto (8|M0) END START",
            "(f1.1) ret (8|M0) r40.0",
        ] {
            let text = |wait| behind_a_branch(family, branch, wait);
            assert_eq!(
                hazards(family, &text("")),
                one(RAW, "r28", 0, 2),
                "{family} {branch}"
            );
            assert_eq!(hazards(family, &text(wait)), [], "{family} {branch}");
            let auto = code(family, &format!("//.swsb auto\n{}", text("")));
            assert_eq!(swsb::check(family, &auto).hazards, [], "{family} {branch}");
        }
    }
}

/// The compilers count distances in the order of the text, and rely on the jump to complete what
/// came before it. The annotator does not.
#[test]
fn a_jump_orders_for_the_checker_and_not_for_the_annotator() {
    let text = "mul (8|M0) r28.0<1>:f r26.0<1;1,0>:f r26.0<1;1,0>:f
                (f1.1) jmpi (1|M0) END
                mad (8|M0) r30.0<1>:f r31.0<1;0>:f r28.0<1;0>:f r32.0<1>:f {F@1}
                END:
                mad (8|M0) r34.0<1>:f r31.0<1;0>:f r28.0<1;0>:f r32.0<1>:f\n";
    let family = Family::XeHpg;
    assert_eq!(hazards(family, text), []);
    let printed = |text: &str| {
        let format = isa_encoder::disasm::Format::default();
        isa_encoder::Disassembler::new(family, format)
            .print(&code(family, &format!("//.swsb auto\n{text}")))
    };
    let waits = printed(text).matches("@1}").count();
    assert_eq!(waits, 2, "{}", printed(text));
    let back = "BACK:
                mad (8|M0) r30.0<1>:f r31.0<1;0>:f r28.0<1;0>:f r32.0<1>:f
                mul (8|M0) r28.0<1>:f r26.0<1;1,0>:f r26.0<1;1,0>:f
                (f1.1) jmpi (1|M0) BACK\n";
    assert_eq!(hazards(family, back), []);
    assert_eq!(printed(back).matches("@1}").count(), 1, "{}", printed(back));
}

/// What channels of the first arm have under way is still under way in the second arm if not all
/// channels take the same path.
#[test]
fn a_result_of_one_arm_is_under_way_in_the_other() {
    let text = "(f0.0) if (8|M0) ELSE END
                (W) mov (1|M0) r28.0<1>:d r26.0<0;1,0>:d
                else (8|M0) END END
                ELSE:
                mov (8|M0) r30.0<1>:d r28.0<0;1,0>:d
                END:
                endif (8|M0) OUT
                OUT:
                nop\n";
    assert_eq!(hazards(Family::Gen12Lp, text), one(RAW, "r28", 1, 3));
}

/// Accumulators are in order only within a pipe (Mesa, Wa_22012725308).
#[test]
fn accumulators_of_different_pipes_are_not_ordered() {
    for family in [Family::XeHpg, Family::XeHpc, Family::Xe2] {
        let write = "mov (8|M0) acc0.0<1>:d r7.0<1;1,0>:d";
        for (kind, earlier, later) in [
            (WAR, "mov (8|M0) r20.0<1>:f acc0.0<1;1,0>:f", write),
            (
                RAW,
                "mul (8|M0) acc0.0<1>:f r5.0<1;1,0>:f r6.0<1;1,0>:f",
                "mov (8|M0) r9.0<1>:d acc0.0<1;1,0>:d",
            ),
            (
                WAW,
                "mul (8|M0) acc0.0<1>:f r5.0<1;1,0>:f r6.0<1;1,0>:f",
                write,
            ),
        ] {
            let bare = format!("{earlier}\n{later}\n");
            let found = one(kind, "acc0", 0, 1);
            assert_eq!(hazards(family, &bare), found, "{family}");
            assert_eq!(
                hazards(family, &format!("{earlier}\n{later} {{F@1}}\n")),
                []
            );
            let auto = code(family, &format!("//.swsb auto\n{bare}"));
            assert_eq!(swsb::check(family, &auto).hazards, [], "{family}");
        }
        let same = "mul (8|M0) acc0.0<1>:f r5.0<1;1,0>:f r6.0<1;1,0>:f
                    mov (8|M0) r9.0<1>:f acc0.0<1;1,0>:f\n";
        assert_eq!(hazards(family, same), []);
    }
}

/// Accesses without a common byte need no order, whatever lies between.
#[test]
fn strided_operands_meet_in_the_bytes_that_they_have() {
    for family in FAMILIES {
        let packed = match family {
            Family::Gen12Lp => "<8;8,1>",
            _ => "<1;1,0>",
        };
        let text = |subregister: usize, reader: &str| {
            format!(
                "mov (8|M0) r4.{subregister}<2>:d r8.0{packed}:d
                 mov (8|M0) r12.0<1>:d r4.{reader}:d\n"
            )
        };
        let found = |subregister, reader| hazards(family, &text(subregister, reader));
        let hazard = one(RAW, "r4", 0, 1);
        assert_eq!(found(0, "1<2;1,0>"), [], "{family}");
        assert_eq!(found(1, "0<2;1,0>"), [], "{family}");
        assert_eq!(found(0, "2<2;1,0>"), hazard, "{family}");
        assert_eq!(found(1, "1<2;1,0>"), hazard, "{family}");
        assert_eq!(found(0, "1<0;1,0>"), [], "{family}");
        assert_eq!(found(0, "6<0;1,0>"), hazard, "{family}");
        // Two dwords of four.
        assert_eq!(found(0, "1<4;1,0>"), [], "{family}");
        assert_eq!(found(1, "0<4;2,1>"), hazard, "{family}");
    }
    // A write that skips bytes does not replace one of all bytes.
    let text = "mov (8|M0) r4.0<1>:q r8.0<1;1,0>:q
                mov (8|M0) r4.0<2>:d r12.0<1;1,0>:d
                mov (1|M0) r20.0<1>:d r4.1<0;1,0>:d {@1}\n";
    assert_eq!(hazards(Family::XeHpc, text), []);
    assert_eq!(
        hazards(Family::XeHpc, &text.replace(" {@1}", "")),
        one(RAW, "r4", 0, 2)
    );
}

/// A fence is complete only when its response arrives; `mov` to null waits for it.
#[test]
fn a_read_into_null_is_a_read() {
    let text = |wait: &str| {
        format!(
            "(W) send.slm (1|M0) r6 r125 null:0 0x0 0x0210001F {{$12}}
             (W) mov (8|M0) null<1>:ud r6.0<1;1,0>:ud {wait}\n"
        )
    };
    for family in [Family::XeHpg, Family::XeHpc, Family::Xe2] {
        assert_eq!(hazards(family, &text("")), one(RAW, "r6", 0, 1), "{family}");
        assert_eq!(hazards(family, &text("{$12.dst}")), [], "{family}");
    }
    // The instruction that IGC puts after messages on XeHPC is not there to wait.
    let touch = "send.ugm (32|M0) r26 r16 null:0 0x0 0x08280580 {$4}
                 (W) mov (1|M0) null<1>:ud r26.0<0;1,0>:ud\n";
    assert_eq!(hazards(Family::XeHpc, touch), []);
    assert_eq!(hazards(Family::XeHpg, touch), one(RAW, "r26", 0, 1));
}

/// Compilers disagree about rewritten a0 and flags: the annotator waits.
#[test]
fn the_annotator_waits_where_the_compilers_disagree() {
    let family = Family::XeHpg;
    let format = isa_encoder::disasm::Format::default();
    let printer = isa_encoder::Disassembler::new(family, format);
    for (text, wait) in [
        (
            "mov (1|M0) a0.0<1>:ud r6.0<0;1,0>:ud
             send.ugm (16|M0) r10 r12 null:0 a0.0 0x08200580\n",
            "I@1",
        ),
        (
            "mov (1|M0) r8.0<1>:f r[a0.0]<0;1,0>:f
             mov (1|M0) a0.0<1>:uw r6.0<0;1,0>:uw\n",
            "F@1",
        ),
        (
            "(f0.0) mov (8|M0) r8.0<1>:f r10.0<1;1,0>:f
             cmp (8|M0) (eq)f0.0 null<1>:d r12.0<1;1,0>:d 1:w\n",
            "F@1",
        ),
    ] {
        let bare = hazards(family, text);
        assert_eq!(bare, [], "{text}");
        let auto = printer.print(&code(family, &format!("//.swsb auto\n{text}")));
        assert!(auto.contains(wait) || auto.contains("A@1"), "{auto}");
    }
    let result = "cmp (8|M0) (eq)f0.0 null<1>:d r12.0<1;1,0>:d 1:w
                  (f0.0) mov (8|M0) r8.0<1>:f r10.0<1;1,0>:f\n";
    let auto = printer.print(&code(family, &format!("//.swsb auto\n{result}")));
    assert!(!auto.contains('@'), "{auto}");
}

/// From XeHPC on the neighbouring byte is read and written back.
#[test]
fn the_annotator_waits_for_the_word_of_a_byte() {
    let text = "//.swsb auto
                mov (1|M0) r4.1<1>:ub r8.0<0;1,0>:ub
                mov (1|M0) r4.0<1>:ub r9.0<0;1,0>:ub\n";
    let waits = |family| {
        let format = isa_encoder::disasm::Format::default();
        let printer = isa_encoder::Disassembler::new(family, format);
        printer.print(&code(family, text)).contains("@1}")
    };
    assert!(!waits(Family::XeHpg));
    assert!(waits(Family::XeHpc));
    assert!(waits(Family::Xe2));
}

/// The payload of a send in a loop is rewritten while the send of the previous iteration may still
/// read it.
#[test]
fn a_loop_meets_itself() {
    let text = |wait: &str| {
        format!(
            "LOOP:
             mov (16|M0) r20.0<1>:d r1.0<8;8,1>:d {wait}
             send.dc1 (16|M0) null r20 r30 0x80 0x04025E01 {{@1,$2}}
             (f0.0) while (16|M0) LOOP\n"
        )
    };
    assert_eq!(hazards(Family::Gen12Lp, &text("")), one(WAR, "r20", 1, 0));
    assert_eq!(hazards(Family::Gen12Lp, &text("{$2.src}")), []);
}

#[test]
fn a_call_passes_on_what_is_under_way() {
    let text = |wait: &str| {
        format!(
            "call (16|M0) r100.0 F
             mov (16|M0) r40.0<1>:d r10.0<8;8,1>:d {wait}
             (W) send.ts (8|M0) null r127 null 0x0 0x02000010 {{EOT,@1}}
             F:
             send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {{$3}}
             ret (16|M0) r100.0\n"
        )
    };
    assert_eq!(hazards(Family::Gen12Lp, &text("")), one(RAW, "r10", 3, 1));
    assert_eq!(hazards(Family::Gen12Lp, &text("{$3.dst}")), []);
}

/// The instruction after an access to `cr0` and the like waits for all pipes.
#[test]
fn state_is_settled_before_the_next_instruction() {
    let text = |wait: &str| {
        format!(
            "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {{@1}}
             mov (8|M0) r11.0<1>:f r10.0<8;8,1>:f {wait}\n"
        )
    };
    assert_eq!(hazards(Family::Gen12Lp, &text("")), one(RAW, "state", 0, 1));
    assert_eq!(hazards(Family::Gen12Lp, &text("{@1}")), []);
}

#[test]
fn a_hazard_names_both_instructions() {
    let text = "math.inv (8|M0) r10.0<1>:f r1.0<8;8,1>:f {$1}
                mov (8|M0) r11.0<1>:f r10.0<8;8,1>:f\n";
    let report = swsb::check(Family::Gen12Lp, &code(Family::Gen12Lp, text));
    assert_eq!(
        report.hazards[0].to_string(),
        "read after write of r10: 0x0010 `mov (8|M0) r11.0<1>:f r10.0<8;8,1>:f` does not wait for \
         0x0000 `math.inv (8|M0) r10.0<1>:f r1.0<8;8,1>:f {$1}`"
    );
}

/// A shared function reads the payloads of its messages in order.
#[test]
fn the_answer_to_a_later_message_ends_the_reads_of_an_earlier_one() {
    let text = |function: &str| {
        format!(
            "send.dc1 (8|M0) null r20 r30 0x40 0x02026E01 {{$1}}
             {function} (8|M0) r40 r50 null 0x0 0x02106E00 {{$2}}
             mov (8|M0) r41.0<1>:d r40.0<8;8,1>:d {{$2.dst}}
             mov (8|M0) r20.0<1>:d r1.0<8;8,1>:d\n"
        )
    };
    assert_eq!(hazards(Family::Gen12Lp, &text("send.dc1")), []);
    assert_eq!(
        hazards(Family::Gen12Lp, &text("send.dc0")),
        one(WAR, "r20", 0, 3)
    );
}

/// What cannot be moved is an error with its position: nothing vanishes.
#[test]
fn annotating_loses_nothing() {
    let family = Family::Gen12Lp;
    let good = code(family, "sync.nop null\nnop\n");
    assert!(swsb::annotate(family, &good).is_ok());
    let mut bad = good.clone();
    // No opcode has the number 0x7f.
    bad.extend([0x7f; 16]);
    let error = swsb::AnnotateError::NoInstruction { offset: 32 };
    assert_eq!(swsb::annotate(family, &bad), Err(error));
    // Zeros after the code are padding, and stay.
    let mut padded = good.clone();
    padded.extend([0; 12]);
    let annotated = swsb::annotate(family, &padded).unwrap();
    assert!(annotated.ends_with(&[0; 12]));
    assert_eq!(annotated.len() % 16, 12);
    let mut cut = good.clone();
    cut.extend([0x61, 0, 0, 0]);
    let error = swsb::AnnotateError::NoInstruction { offset: 32 };
    assert_eq!(swsb::annotate(family, &cut), Err(error));
    let astray = code(family, "nop\njmpi (1|M0) 8\nnop\nnop\n");
    let error = swsb::AnnotateError::Target {
        offset: 16,
        distance: 8,
    };
    assert_eq!(swsb::annotate(family, &astray), Err(error));
    // To Gen11 there is nothing to annotate.
    assert_eq!(swsb::annotate(Family::Gen9, &bad), Ok(bad));
}
