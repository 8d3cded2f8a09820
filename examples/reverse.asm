// Turns the order of the 64 integers of each work-group round: four threads hand their integers
// over in shared local memory and meet at a barrier.
//
// iga64 -p=12p1 -a assembles the same file; the directives are comments to it.

//.platform tgl
//.kernel reverse
//.simd 16
//.ids xyz
//.arg source buf:0
//.arg destination buf:1
//.slm 256
//.barriers 1
//.local 64,1,1

// r1 has the local ids in X as 16-bit lanes, r0.1 is the group's number in X.

// r5..r6 = the byte offset of each work-item's integer
(W)     shl (1|M0)    r4.0<1>:ud   r0.1<0;1,0>:ud  6:w
        add (16|M0)   r5.0<1>:d    r4.0<0;1,0>:d   r1.0<16;16,1>:uw  {@1}
        shl (16|M0)   r5.0<1>:d    r5.0<8;8,1>:d   2:w  {@1}
// r7..r8 = the same in shared local memory, r9..r10 = where the integer comes from
        shl (16|M0)   r7.0<1>:d    r1.0<16;16,1>:uw  2:w
        add (16|M0)   r9.0<1>:d    -r7.0<8;8,1>:d  252:w  {@1}

// Untyped reads and writes: one dword a lane; entry 0xFE of the binding table is shared local
// memory.
        send.dc1 (16|M0)  r12  r5  null  0x0   0x04205E00  {@1,$0}
        send.dc1 (16|M0)  null r7  r12   0x80  0x04025EFE  {$0}

// What was written must be visible before the barrier: a fence, then wait for its answer.
(W)     send.dc0 (8|M0)   r14  r0  null  0x0   0x0219E0FE  {$1}
(W)     mov (8|M0)    null<1>:ud   r14.0<8;8,1>:ud  {$1.dst}

// The barrier's number is in bits 30:24 of r0.2.
(W)     and (8|M0)    r15.0<1>:ud  r0.2<0;1,0>:ud  0x7F000000:ud
(W)     send.gtwy (1|M0)  null  r15  null  0x0  0x02000004  {@1,$2}
(W)     sync.bar      null

        send.dc1 (16|M0)  r16  r9  null  0x0   0x04205EFE  {$3}
        send.dc1 (16|M0)  null r5  r16   0x80  0x04025E01  {$3}

(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {EOT,@1}
