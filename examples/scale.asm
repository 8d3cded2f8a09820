// Multiplies 16 integers a work-group: an OWord block read, one multiplication, an OWord block
// write. No local ids are needed, a work-group is one thread.
//
// iga64 -p=12p1 -a assembles the same file; the directives are comments to it.

//.platform tgl
//.kernel scale
//.simd 16
//.ids none
//.arg source buf:0
//.arg destination buf:1
//.arg factor i16 @0
//.local 16,1,1
//.block source read
//.block destination write

// r0.1 is the group's number in X; r2 is the payload (r1 is empty without local ids), so that
// factor is r2.0:w.

// A block message takes its offset in dword 2 of a header that is else a copy of r0.
(W)     mov (8|M0)    r10.0<1>:ud  r0.0<8;8,1>:ud
(W)     mov (8|M0)    r11.0<1>:ud  r0.0<8;8,1>:ud

// The dword-aligned read (IGA prints it as "oword aligned") counts in bytes: 64 a group. The
// write counts in OWords: 4 a group.
(W)     shl (1|M0)    r10.2<1>:ud  r0.1<0;1,0>:ud  6:w  {@2}
(W)     shl (1|M0)    r11.2<1>:ud  r0.1<0;1,0>:ud  2:w  {@2}

// r12..r13 = 4 OWords of binding table entry 0
(W)     send.dc0 (16|M0)  r12  r10  null  0x0  0x02284300  {@2,$0}

        mul (16|M0)   r14.0<1>:d  r12.0<8;8,1>:d  r2.0<0;1,0>:w  {$0.dst}

// 4 OWords of binding table entry 1 = r14..r15
(W)     send.dc0 (16|M0)  null  r11  r14  0x80  0x020A0301  {@1,$1}

// The end of the thread takes a copy of r0 in one of r112..r127.
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {EOT,@1}
