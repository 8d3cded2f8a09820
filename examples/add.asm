// Adds two vectors of 32-bit integers, 16 a work-group: two OWord block reads, one addition, an
// OWord block write. A work-group is one thread, so no local ids are needed.
//
// iga64 -p=12p1 -a assembles the same file; the directives are comments to it.

//.platform tgl
//.kernel add
//.simd 16
//.ids none
//.arg a buf:0
//.arg b buf:1
//.arg sum buf:2
//.local 16,1,1
//.block a read
//.block b read
//.block sum write

// A block message takes its offset in dword 2 of a header that is else a copy of r0. r0.1 is the
// group's number in X.
(W)     mov (8|M0)    r10.0<1>:ud  r0.0<8;8,1>:ud
(W)     mov (8|M0)    r11.0<1>:ud  r0.0<8;8,1>:ud

// The dword-aligned read (IGA prints it as "oword aligned") counts in bytes: 64 a group. The
// write counts in OWords: 4 a group.
(W)     shl (1|M0)    r10.2<1>:ud  r0.1<0;1,0>:ud  6:w  {@2}
(W)     shl (1|M0)    r11.2<1>:ud  r0.1<0;1,0>:ud  2:w  {@2}

// r12..r13 = 4 OWords of binding table entry 0, r14..r15 = 4 OWords of entry 1
(W)     send.dc0 (16|M0)  r12  r10  null  0x0  0x02284300  {@2,$0}
(W)     send.dc0 (16|M0)  r14  r10  null  0x0  0x02284301  {$1}

(W)     sync.nop      null  {$0.dst}
        add (16|M0)   r16.0<1>:d  r12.0<8;8,1>:d  r14.0<8;8,1>:d  {$1.dst}

// 4 OWords of binding table entry 2 = r16..r17
(W)     send.dc0 (16|M0)  null  r11  r16  0x80  0x020A0302  {@1,$2}

// The end of the thread takes a copy of r0 in one of r112..r127.
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {EOT,@1}
