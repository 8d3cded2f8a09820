//! Single texts beyond the forms: what is easily dropped, and what iga64 refuses or takes.

use devinfo::Family;
use devinfo::Family::{Gen8, Gen9, Gen11, Gen12Lp, Xe2, XeHpc, XeHpg};

const TO_GEN11: &[Family] = &[Gen8, Gen9, Gen11];
const FROM_GEN12LP: &[Family] = &[Gen12Lp, XeHpg, XeHpc, Xe2];
const FROM_XEHPG: &[Family] = &[XeHpg, XeHpc, Xe2];
const ALL: &[Family] = &Family::ALL;

#[rustfmt::skip]
const TEXTS: &[(&[Family], &str)] = &[
    (TO_GEN11, "send (8|M0) r10:hf r12:f 0x0A a0.0"),
    (TO_GEN11, "brd (8|M0) r1.0<0;1,0>:d"),
    (FROM_GEN12LP, "jmpi (1|M0) r1.0<0;1,0>:d"),
    (ALL, "jmpi (1|M16) r1.0<0;1,0>:d"),
    (FROM_GEN12LP, "sync.allwr 0x5:w"),
    (FROM_GEN12LP, "sync.allrd 0x5:uw"),
    (FROM_GEN12LP, "sync.allrd 5:d"),
    (TO_GEN11, "send (8|M0) r10:f r12:hf 0x0A a0.0"),
    (&[Gen9, Gen11], "sends (8|M0) r10:hf r12 r14 a0.2 a0.0"),
    (&[Gen9, Gen11], "sends (8|M0) r10:hf r12 r14 0x8A a0.0"),
    (&[Gen11], "mov (1|M0) r48.1<1>:nf r12.1<0;1,0>:nf"),
    (&[Gen8, Gen9], "madm (1|M0) r10.mme1:f r12.mme2:f r14.mme3:f r16.mme4:f"),
    (&[Gen8, Gen9], "(W) madm (1|M0) r10.nomme:df r12.mme2:df -r14.mme3:df r16.nomme:df"),
    (FROM_XEHPG, "bfn.0xCA (16|M0) r10.0<1>:d -r12.0<1;0>:d r14.0<1;0>:d r16.0<1>:d"),
    (FROM_XEHPG, "bfn.0xCA (16|M0) r10.0<1>:d r12.0<1;0>:d ~r14.0<1;0>:d r16.0<1>:d"),
    (TO_GEN11, "send (8|M0) r10:w r12:f a0.2 0x02180000"),
    (TO_GEN11, "send (8|M0) r10:w r12:f 0x0A a0.0"),
    (&[Gen9, Gen11], "sends (8|M0) r10:w r12 r14 0x8A 0x02180000 {NoSrcDepSet}"),
    (&[Gen9, Gen11], "sends (8|M0) r10:w r12 r14 a0.2 a0.0 {NoSrcDepSet}"),
    (TO_GEN11, "send (8|M0) r10:w r12:f 0x0A 0x02180000 {NoSrcDepSet}"),
    (TO_GEN11, "send (8|M0) r10:w r12:f 0x0A 0x02180000 {AccWrEn}"),
    (TO_GEN11, "add (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d {NoSrcDepSet}"),
    (TO_GEN11, "wait (1|M0) n0.0<0;1,0>:ud {AccWrEn}"),
    (FROM_GEN12LP, "send.slm (16|M0) r10 r12 null a0.2 0x02180000 {CPS}"),
    (&[Gen12Lp, XeHpg], "send.dc1 (16|M0) r10 r12 null 0x0 0x02106E00 {Serialize}"),
    (&[Gen12Lp, XeHpg, XeHpc], "send.dc1 (16|M0) r10 r12 null 0x0 0x02106E00 {AccWrEn}"),
    (&[Gen12Lp, XeHpg, XeHpc], "send.dc1 (16|M0) r10 r12 null 0x0 0x02106E00 {Atomic}"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null:0 a0.2 0x02180000 {ExBSO}"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null:0 a0.2 0x02180000 {ExBSO,CPS}"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null:0 a0.2 0x02180000 {CPS}"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null:0 0x0 0x02180000 {ExBSO}"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null:0 0x0 0x02180000 {CPS}"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null:0 0x7000:a0.2 0x02180000"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null:0 0x8000:a0.2 0x02180000"),
    (FROM_XEHPG, "send.slm (16|M0) r10 r12 null 0x1000:a0.2 0x02180000"),
    (FROM_XEHPG, "send.ugm (16|M0) r10 r12 null:0 0xFFF8F000:a0.2 0x02180000"),
    (FROM_GEN12LP, "add (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d {Fwd}"),
    (FROM_GEN12LP, "sync.nop null {AccWrEn}"),
    (FROM_GEN12LP, "nop {Breakpoint}"),
    (FROM_GEN12LP, "nop {Atomic}"),
    (FROM_GEN12LP, "sync.bar 0x1:ud"),
    (FROM_GEN12LP, "sync.host 0x1:ud"),
    (&[XeHpc, Xe2], "sync.bar f0.0<0;1,0>:ud"),
    (&[XeHpc, Xe2], "sync.allrd f0.0<0;1,0>:ud"),
    (FROM_XEHPG, "dpas.8x8 (8|M0) r10:f r20:f r30:hf r40:hf {AccWrEn,$0}"),
    (FROM_XEHPG, "dpas.8x8 (8|M0) r10:f r20:f r30:hf r40:hf {Atomic,$0}"),
    (FROM_XEHPG, "dpas.8x9 (8|M0) r10:f r20:f r30:hf r40:hf {$0}"),
    (&[Gen11], "mad (8|M0) r10.0<1>:f acc0.0<8;1>:nf r11.0<8;1>:f r12.0<1>:f"),
    (&[Gen11], "mad (8|M0) acc0.0<1>:nf -acc1.2<8;1>:nf r11.0<8;1>:f r12.0<1>:f"),
    (&[Gen11], "mad (8|M0) r10.0<1>:f r10.0<8;1>:nf acc0.0<8;1>:nf r12.0<1>:f"),
    (&[Gen11], "mad (8|M0) r10.0<1>:f r10.0<8;1>:f r11.0<8;1>:f acc0.0<1>:nf"),
    (&[Gen11], "mad (8|M0) r10.0<1>:f null<8;1>:nf r11.0<8;1>:f r12.0<1>:f"),
    (&[Gen11], "mad (8|M0) r10.0<1>:f f0.0<8;1>:nf r11.0<8;1>:f r12.0<1>:f"),
    (&[Gen11], "madm (8|M0) r10.mme0:f acc0.mme1:nf r11.mme2:f r12.mme3:f"),
    (&[Gen12Lp], "mad (1|M0) r103.1<1>:f r21.0<0;0>:f r50.0<0;0>:f r3.0<0>:f"),
    (&[Gen12Lp, XeHpg], "mad (1|M0) r103.2<1>:f r21.0<0;0>:f r50.0<0;0>:f r3.0<0>:f"),
    (ALL, "(W) mov (1|M0) r11.1<1>:f r9.1<0;1,0>:f {Compacted}"),
    (ALL, "(W) mov (1|M0) r11.2<1>:ud r9.7<0;1,0>:ud {Compacted}"),
    (ALL, "(W) mov (1|M0) r11.16<1>:ub r9.3<0;1,0>:ub {Compacted}"),
    (TO_GEN11, "math.inv (8|M0) r28.0<1>:f r30.0<8;8,1>:f {Compacted}"),
    (FROM_GEN12LP, "math.inv (16|M0) r28.0<1>:f r48.0<1;1,0>:f {Compacted}"),
    (ALL, "mov (1|M0) r10.0<1>:ud fc0.1<0;1,0>:ud"),
    (ALL, "mov (1|M0) r10.0<1>:d fc1.5<0;1,0>:d"),
    (ALL, "mov (1|M0) r10.0<1>:ud ce.5<0;1,0>:d"),
    (ALL, "mov (1|M0) r10.0<1>:hf msg0.8<0;1,0>:hf"),
    (ALL, "mov (1|M0) r10.0<1>:ud ip.1<0;1,0>:ud"),
    (ALL, "mov (1|M0) r10.0<1>:ud tm0.1<0;1,0>:ud"),
    (ALL, "mov (1|M0) r10.0<1>:uw tm0.2<0;1,0>:uw"),
    (ALL, "mov (1|M0) r10.0<1>:ud null.1<0;1,0>:ud"),
    (ALL, "math.tanh (8|M0) r10.0<1>:f r12.0<1;1,0>:f"),
    (ALL, "mov (1|M0) f2.0<1>:uw r12.0<0;1,0>:uw"),
    (&[Gen11, Gen12Lp, XeHpg, XeHpc, Xe2], "mov (8|M0) acc7.0<1>:f r12.0<8;8,1>:f"),
    (ALL, "mov (1|M0) msg7.0<1>:ud r12.0<0;1,0>:ud"),
    (ALL, "mov (1|M0) fc4.0<1>:ud r12.0<0;1,0>:ud"),
    (ALL, "mov (1|M0) n1.0<1>:ud r12.0<0;1,0>:ud"),
    (ALL, "mov (1|M0) tm1.0<1>:ud r12.0<0;1,0>:ud"),
    (ALL, "mov (1|M0) r10.0<1>:df 0x1.4p-1075:df"),
    (ALL, "mov (1|M0) r10.0<1>:df 0x1p-1075:df"),
    (ALL, "mov (1|M0) r10.0<1>:df 0x1.8p-1074:df"),
    (ALL, "mov (1|M0) r10.0<1>:df 0x1.00000000000008p0:df"),
    (ALL, "mov (1|M0) r10.0<1>:df 0x1.000000000000080001p0:df"),
];

/// The texts of a family.
pub fn of(family: Family) -> impl Iterator<Item = String> {
    let rows = TEXTS.iter();
    rows.filter(move |(families, _)| families.contains(&family))
        .map(|(_, text)| String::from(*text))
}
