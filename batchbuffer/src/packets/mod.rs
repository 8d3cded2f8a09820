//! Command-stream packets.
//!
//! Names and positions are those of genxml, Mesa's form of the manuals; a test compares them field
//! by field. Packets, fields and families that genxml lacks are listed there with their sources.

mod base;
mod blit;
mod compute;
mod media;
mod mi;
mod pipe;

pub use base::*;
pub use blit::*;
pub use compute::*;
pub use media::*;
pub use mi::*;
pub use pipe::*;

/// Names every packet and ties it to its declaration.
macro_rules! registry {
    ($($id:ident $module:ident,)*) => {
        /// A packet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum PacketId {
            $(#[doc = concat!("[`", stringify!($module), "`].")] $id,)*
        }

        impl PacketId {
            /// Every packet that is declared.
            pub const ALL: &[PacketId] = &[$(PacketId::$id),*];

            /// The packet's declaration.
            pub fn layout(self) -> &'static crate::Layout {
                match self {
                    $(PacketId::$id => &$module::LAYOUT,)*
                }
            }
        }
    };
}

registry! {
    MiNoop mi_noop,
    MiArbCheck mi_arb_check,
    MiArbOnOff mi_arb_on_off,
    MiAtomic mi_atomic,
    MiBatchBufferEnd mi_batch_buffer_end,
    MiBatchBufferStart mi_batch_buffer_start,
    MiClflush mi_clflush,
    MiConditionalBatchBufferEnd mi_conditional_batch_buffer_end,
    MiCopyMemMem mi_copy_mem_mem,
    MiDisplayFlip mi_display_flip,
    MiFlushDw mi_flush_dw,
    MiForceWakeup mi_force_wakeup,
    MiLoadRegisterImm mi_load_register_imm,
    MiLoadRegisterMem mi_load_register_mem,
    MiLoadRegisterReg mi_load_register_reg,
    MiLoadScanLinesExcl mi_load_scan_lines_excl,
    MiLoadScanLinesIncl mi_load_scan_lines_incl,
    MiLoadUrbMem mi_load_urb_mem,
    MiMath mi_math,
    MiMemFence mi_mem_fence,
    MiPredicate mi_predicate,
    MiReportHead mi_report_head,
    MiReportPerfCount mi_report_perf_count,
    MiRsContext mi_rs_context,
    MiRsControl mi_rs_control,
    MiRsStoreDataImm mi_rs_store_data_imm,
    MiSemaphoreSignal mi_semaphore_signal,
    MiSemaphoreWait mi_semaphore_wait,
    MiSetAppid mi_set_appid,
    MiSetContext mi_set_context,
    MiSetPredicate mi_set_predicate,
    MiStoreDataImm mi_store_data_imm,
    MiStoreDataIndex mi_store_data_index,
    MiStoreRegisterMem mi_store_register_mem,
    MiStoreUrbMem mi_store_urb_mem,
    MiSuspendFlush mi_suspend_flush,
    MiTopologyFilter mi_topology_filter,
    MiUrbAtomicAlloc mi_urb_atomic_alloc,
    MiUrbClear mi_urb_clear,
    MiUserInterrupt mi_user_interrupt,
    MiWaitForEvent mi_wait_for_event,
    MiWaitForEvent2 mi_wait_for_event_2,
    PipeControl pipe_control,
    PipelineSelect pipeline_select,
    ResourceBarrier resource_barrier,
    StateBaseAddress state_base_address,
    StateSip state_sip,
    StateComputeMode state_compute_mode,
    StatePrefetch state_prefetch,
    StateByteStride state_byte_stride,
    GpgpuCsrBaseAddress gpgpu_csr_base_address,
    BindingTablePoolAlloc binding_table_pool_alloc,
    Btd btd,
    StateSystemMemFenceAddress state_system_mem_fence_address,
    StateContextDataBaseAddress state_context_data_base_address,
    MediaVfeState media_vfe_state,
    MediaCurbeLoad media_curbe_load,
    MediaInterfaceDescriptorLoad media_interface_descriptor_load,
    MediaStateFlush media_state_flush,
    GpgpuWalker gpgpu_walker,
    CfeState cfe_state,
    ComputeWalker compute_walker,
    ExecuteIndirectDispatch execute_indirect_dispatch,
    XyBlockCopyBlt xy_block_copy_blt,
    XyFastColorBlt xy_fast_color_blt,
    XyFastCopyBlt xy_fast_copy_blt,
    XySrcCopyBlt xy_src_copy_blt,
    XyColorBlt xy_color_blt,
    MemCopy mem_copy,
    MemSet mem_set,
}
