//! What text proves wrong of kernels: nothing of the corpus, and each fault that is put in.

#![cfg(test)]

use stack_tests::corpus::{OWN, ROWS, SETS};
use umd::Binary;

/// IGC 22.43 emits an instruction for it that Gen8 does not have.
const FAULTY: (&str, &str) = ("bdw", "recursion");

#[test]
fn nothing_is_wrong_with_the_corpus() {
    let mut kernels = 0;
    for set in SETS.iter().chain(ROWS) {
        let files = std::fs::read_dir(set.folder()).expect("a folder of the corpus");
        for file in files {
            let path = file.expect("a file").path();
            let binary = Binary::parse(&stack_tests::corpus::unpacked(&path)).expect("a zebin");
            for kernel in binary.kernels() {
                let found = binary.audit(&kernel.name).expect("the kernel is there");
                if FAULTY == (set.name, kernel.name.as_str()) {
                    let rules: Vec<_> = found.iter().map(|finding| finding.rule).collect();
                    assert_eq!(rules, ["no instruction"]);
                    continue;
                }
                assert!(
                    found.is_empty(),
                    "{}: {}: {found:?}",
                    path.display(),
                    kernel.name
                );
                kernels += 1;
            }
        }
    }
    assert!(kernels > 2000, "{kernels} kernels");
}

#[test]
fn nothing_is_wrong_with_what_our_compiler_makes_of_the_corpus() {
    let mut kernels = 0;
    let mut wrong = Vec::new();
    for set in OWN {
        for file in set.files() {
            let binary = Binary::parse(&set.compiled(&file).bytes).expect("a zebin");
            for kernel in binary.kernels() {
                let found = binary.audit(&kernel.name).expect("the kernel is there");
                if !found.is_empty() {
                    wrong.push(format!("{}: {file}: {}: {found:?}", set.name, kernel.name));
                }
                kernels += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(kernels > 2000, "{kernels} kernels");
}

/// A kernel for Tiger Lake that is right.
const KERNEL: &str = "\
//.platform tgl
//.kernel k
//.simd 16
//.ids none
//.barriers 1
//.arg numbers buf:0
//.local 16,1,1
(W)     mov (8|M0)    r10.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.dc0 (16|M0)  r12  r10  null  0x0  0x02284300  {@1,$0}
        add (16|M0)   r12.0<1>:d  r12.0<8;8,1>:d  r12.0<8;8,1>:d  {$0.dst}
(W)     send.dc0 (8|M0)   r20  r10  null  0x0  0x0219E0FE  {$1}
(W)     and (8|M0)    r21.0<1>:ud  r0.2<0;1,0>:ud  0x7F000000:ud
(W)     mov (8|M0)    null<1>:ud  r20.0<8;8,1>:ud  {$1.dst}
(W)     send.gtwy (1|M0)  null  r21  null  0x0  0x02000004  {@2,$2}
(W)     sync.bar      null
(W)     send.dc0 (16|M0)  null  r10  r12  0x80  0x020A0300  {@1,$3}
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {EOT,@1}
";

fn rules(text: &str) -> Vec<&'static str> {
    let binary = Binary::assemble(text, None).expect("it assembles");
    let found = binary.audit("k").expect("the kernel is there");
    let mut rules: Vec<_> = found.iter().map(|finding| finding.rule).collect();
    rules.dedup();
    rules
}

/// The rules that the kernel breaks once `from` is `to`.
#[track_caller]
fn broken(from: &str, to: &str, rule: &str) {
    assert_eq!(KERNEL.matches(from).count(), 1, "{from}");
    let found = rules(&KERNEL.replace(from, to));
    assert!(found.contains(&rule), "{from} -> {to}: {found:?}");
}

#[test]
fn each_fault_has_its_rule() {
    assert_eq!(rules(KERNEL), [""; 0]);
    broken("{EOT,@1}", "{@1}", "no end of thread");
    broken("//.barriers 1", "", "undeclared barrier");
    broken("0x020A0300", "0x020A0305", "undeclared binding");
    broken("0x02284300", "0x02484300", "response length");
    broken("0x80  0x020A0300", "0xC0  0x020A0300", "payload length");
    broken(
        "r12.0<8;8,1>:d  {$0.dst}",
        "r60.0<8;8,1>:d  {$0.dst}",
        "uninitialised register",
    );
    broken(
        "r20.0<8;8,1>:ud  {$1.dst}",
        "r20.0<8;8,1>:ud",
        "fence not waited for",
    );
    broken("(W)     sync.bar      null\n", "", "barrier order");
    broken(
        "(W)     send.gtwy (1|M0)  null  r21  null  0x0  0x02000004  {@2,$2}\n",
        "",
        "barrier order",
    );
    let first = "(W)     mov (8|M0)    r10.0<1>";
    let none = "//.data 0a9d91cf2ae6d64c8529c81e43a07f78\n";
    broken(first, &format!("{none}{first}"), "no instruction");
    let alone = format!("//.platform tgl\n//.kernel k\n{none}");
    assert_eq!(rules(&alone), ["no instruction"]);
    let from_r90 = KERNEL.replace("r127", "r90");
    assert_eq!(rules(&from_r90), ["end-registers"]);
}

#[test]
fn two_arguments_need_two_bindings() {
    let text = KERNEL.replace("//.local", "//.arg more buf:0\n//.local");
    let error = Binary::assemble(&text, None).expect_err("one entry for two arguments");
    assert!(
        error.to_string().contains("binding table entry 0"),
        "{error}"
    );
}
