//! Gateway and thread spawner messages.

use super::layout::{Field, Written, messages};

pub(super) const OPCODE: Field = Field::new("opcode", 3, 0);
const ACTIVE_ONLY: Field = Field::bit("active threads only", 11);
/// What the thread spawner is asked for: 0 ends the thread. Spawning child threads (1, media of
/// Gen8 and Gen9) stays a number: no source at hand describes its payload.
pub(super) const TS_OPCODE: Field = Field::new("opcode", 2, 0);
/// "Do not dereference the URB handle"; compilers set it in the message that ends a thread.
const NO_DEREFERENCE: Field = Field::bit("dereference", 4);

messages! {
    /// A message to the gateway, which signals between threads.
    ///
    /// Payload: one register ([`Lengths::message`](super::Lengths::message) 1), no header; the
    /// opcode is descriptor bits 3:0 (2:0 to XeHPC). There is no response unless stated.
    ///
    /// Sources: SKL and TGL PRM vol 7 "Message Gateway"; Mesa `brw_eu_defines.h`
    /// (`BRW_MESSAGE_GATEWAY_SFID_*`); IGC `visa/Common_GEN.h` (`MDC_GATEWAY_SUBFUNC`), both with
    /// the codes of Gen8 to Gen11; IGA `MessageDecoderOther.cpp` (`tryDecodeGTWY`, names in quotes
    /// below) with the later ones.
    Gateway;

    /// Opens a thread's gateway to messages from other threads (to Gen11).
    Open ("open gateway")
        => Gateway(..=Gen11) [OPCODE => 0x0] { ; }

    /// Closes it (to Gen11).
    Close ("close gateway")
        => Gateway(..=Gen11) [OPCODE => 0x1] { ; }

    /// Forwards data to another thread's registers (to Gen11).
    Forward ("forward message")
        => Gateway(..=Gen11) [OPCODE => 0x2] { ; }

    /// Reads the time stamp (to Gen11). The response is one register.
    Timestamp ("get time stamp")
        => Gateway(..=Gen11) [OPCODE => 0x3] { ; }

    /// Changes the gateway's state for a thread (to Gen11).
    UpdateState ("update gateway state")
        => Gateway(..=Gen11) [OPCODE => 0x5] { ; }

    /// Reads or writes a memory-mapped register (to Gen11). The response is one register.
    Mmio ("read or write mmio")
        => Gateway(..=Gen11) [OPCODE => 0x6] { ; }

    /// The thread ends ("MSD_EOT", XeHPG and later). Payload: r0 of the thread.
    EndOfThread ("end of thread")
        => Gateway(XeHpg..) [OPCODE => 0x0, Written(NO_DEREFERENCE) => 1] { ; }

    /// Signals an event ("MSD_SIGNAL_EVENT", Gen12LP and later).
    SignalEvent ("signal event")
        => Gateway(Gen12Lp..) [OPCODE => 0x1] { ; }

    /// Monitors an event ("MSD_MONITOR_EVENT", Gen12LP and later).
    MonitorEvent ("monitor event")
        => Gateway(Gen12Lp..) [OPCODE => 0x2] { ; }

    /// Stops monitoring ("MSD_MONITOR_NO_EVENT", Gen12LP and later).
    MonitorNoEvent ("monitor no event")
        => Gateway(Gen12Lp..) [OPCODE => 0x3] { ; }

    /// Signals a barrier of the thread group ("MSD_BARRIER", all families).
    ///
    /// Payload: dword 2 is r0.2, whose bits name the barrier. From XeHPG on they are: the number
    /// of a named barrier in 7:0 (0 is the group's own), its type in 15:14 (0 producer and
    /// consumer, 1 producer, 2 consumer), the threads that signal in 23:16 and those that wait in
    /// 31:24 (IGC `visa/VisaToG4/TranslateSendSync.cpp`). The thread then waits with `wait n0.0`
    /// (to Gen11) or `sync.bar`.
    Barrier ("signal barrier")
        => Gateway(..=Gen11) [OPCODE => 0x4] { ; }
        => Gateway(Gen12Lp..) [OPCODE => 0x4, ACTIVE_ONLY => 0] { ; }

    /// Like [`Gateway::Barrier`], but only among the active threads (bit 11). Gen12LP and later
    /// according to iga64 1.1.0; later IGA sources have it from Xe2 on.
    ActiveBarrier ("signal barrier of active threads")
        => Gateway(Gen12Lp..) [OPCODE => 0x4, ACTIVE_ONLY => 1] { ; }

    /// Waits for an event ("MSD_WAIT_FOR_EVENT", Gen12LP and later). Payload: the timeout.
    WaitForEvent ("wait for event")
        => Gateway(Gen12Lp..) [OPCODE => 0x6] { ; }

    /// Reads the state of the barriers ("MSD_SAVE_BARRIER", Xe2). The response is one register.
    SaveBarriers ("save barriers")
        => Gateway(Xe2..) [OPCODE => 0x8] { ; }

    /// Writes the state of the barriers ("MSD_RESTORE_BARRIER", Xe2).
    RestoreBarriers ("restore barriers")
        => Gateway(Xe2..) [OPCODE => 0x9] { ; }

    /// Reports that a preempted thread is restored ("MSD_END_OF_RESTORE", Xe2).
    EndOfRestore ("end of restore")
        => Gateway(Xe2..) [OPCODE => 0xa] { ; }

    /// Restores a stack of bindless threads ("MSD_RESTORE_BTD_STACK", Xe2).
    RestoreStack ("restore stack")
        => Gateway(Xe2..) [OPCODE => 0xb] { ; }

    /// The barrier of system routines ("MSD_SIP_BARRIER", Xe2). The response is one register.
    SystemBarrier ("system routine barrier")
        => Gateway(Xe2..) [OPCODE => 0xc] { ; }
}

messages! {
    /// A message to the thread spawner.
    ThreadSpawner;

    /// The thread ends.
    EndOfThread ("end of thread")
        => ThreadSpawner(..=Gen12Lp) [TS_OPCODE => 0, Written(NO_DEREFERENCE) => 1] { ; }
}
