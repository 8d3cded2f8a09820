//! The 3D pipeline's packets, by header and length alone.
//!
//! A driver of graphics sets the pipeline up at the start of its first batch, whatever it runs
//! later. Nothing here draws, so the fields are not declared: the packets are known so that the
//! commands behind them are found. Source: genxml, which has the manuals' names; for Xe3 that of Mesa
//! 26.2, and `xe_gfxpipe_commands.h` of the xe kernel driver.

use super::PacketId;

macro_rules! pipeline {
    ($list:ident: $($module:ident $name:literal $header:literal $span:tt { $($length:tt)* })*) => {
        /// Their names.
        const $list: &[&str] = &[$($name),*];

        $(
            packet! {
                #[doc = concat!("`", $name, "`.")]
                $module $name $header on RENDER $span
                length { $($length)* }
            }
        )*
    };
}

impl PacketId {
    /// Whether the packet sets up the 3D pipeline, and does nothing else.
    pub fn is_pipeline_state(self) -> bool {
        STATES.contains(&self.layout().name)
    }

    /// Whether the packet has the 3D pipeline draw.
    pub fn draws(self) -> bool {
        DRAWS.contains(&self.layout().name)
    }
}

#[rustfmt::skip]
pipeline! { DRAWS:
    draw_primitive "3DPRIMITIVE" 0x7b00_0000 [Gen8..] { 7 in 7:0 }
    draw_mesh_1d "3DMESH_1D" 0x7b01_0000 [XeHpg..] { 3 in 7:0 }
    draw_mesh_3d "3DMESH_3D" 0x7b02_0000 [XeHpg..] { 4 in 7:0 }
    execute_indirect_draw "EXECUTE_INDIRECT_DRAW" 0x7c00_0000 [XeHpg..] { 6 in 7:0 }
}

#[rustfmt::skip]
pipeline! { STATES:
    swtess_base_address "SWTESS_BASE_ADDRESS" 0x6103_0000 [Gen8] { 2 in 7:0 }
    state_vf_statistics "3DSTATE_VF_STATISTICS" 0x680b_0000 [Gen8..] { 1 }
    state_drawing_rectangle_fast "3DSTATE_DRAWING_RECTANGLE_FAST" 0x7800_0000 [Xe2..] { 4 in 7:0 }
    state_clear_params "3DSTATE_CLEAR_PARAMS" 0x7804_0000 [Gen8..=XeHpc] { 3 in 7:0 }
    state_depth_buffer "3DSTATE_DEPTH_BUFFER" 0x7805_0000 [Gen8..] { [Gen8..=Gen12Lp] 8 in 7:0, [XeHpg..=XeHpc] 10 in 7:0, [Xe2..] 8 in 7:0 }
    state_stencil_buffer "3DSTATE_STENCIL_BUFFER" 0x7806_0000 [Gen8..] { [Gen8..=Gen11] 5 in 7:0, [Gen12Lp..] 8 in 7:0 }
    state_hier_depth_buffer "3DSTATE_HIER_DEPTH_BUFFER" 0x7807_0000 [Gen8..] { 5 in 7:0 }
    state_vertex_buffers "3DSTATE_VERTEX_BUFFERS" 0x7808_0000 [Gen8..] { 2 or more in 7:0 }
    state_vertex_elements "3DSTATE_VERTEX_ELEMENTS" 0x7809_0000 [Gen8..] { 2 or more in 7:0 }
    state_index_buffer "3DSTATE_INDEX_BUFFER" 0x780a_0000 [Gen8..] { 5 in 7:0 }
    state_vf "3DSTATE_VF" 0x780c_0000 [Gen8..] { 2 in 7:0 }
    state_multisample "3DSTATE_MULTISAMPLE" 0x780d_0000 [Gen8..] { 2 in 7:0 }
    state_cc_state_pointers "3DSTATE_CC_STATE_POINTERS" 0x780e_0000 [Gen8..] { 2 in 7:0 }
    state_scissor_state_pointers "3DSTATE_SCISSOR_STATE_POINTERS" 0x780f_0000 [Gen8..] { 2 in 7:0 }
    state_vs "3DSTATE_VS" 0x7810_0000 [Gen8..] { 9 in 7:0 }
    state_gs "3DSTATE_GS" 0x7811_0000 [Gen8..] { 10 in 7:0 }
    state_clip "3DSTATE_CLIP" 0x7812_0000 [Gen8..] { 4 in 7:0 }
    state_sf "3DSTATE_SF" 0x7813_0000 [Gen8..] { 4 in 7:0 }
    state_wm "3DSTATE_WM" 0x7814_0000 [Gen8..] { 2 in 7:0 }
    state_constant_vs "3DSTATE_CONSTANT_VS" 0x7815_0000 [Gen8..] { 11 in 7:0 }
    state_constant_gs "3DSTATE_CONSTANT_GS" 0x7816_0000 [Gen8..] { 11 in 7:0 }
    state_constant_ps "3DSTATE_CONSTANT_PS" 0x7817_0000 [Gen8..] { 11 in 7:0 }
    state_sample_mask "3DSTATE_SAMPLE_MASK" 0x7818_0000 [Gen8..] { 2 in 7:0 }
    state_constant_hs "3DSTATE_CONSTANT_HS" 0x7819_0000 [Gen8..] { 11 in 7:0 }
    state_constant_ds "3DSTATE_CONSTANT_DS" 0x781a_0000 [Gen8..] { 11 in 7:0 }
    state_hs "3DSTATE_HS" 0x781b_0000 [Gen8..] { [Gen8..=XeHpc] 9 in 7:0, [Xe2..] 8 in 7:0 }
    state_te "3DSTATE_TE" 0x781c_0000 [Gen8..] { [Gen8..=Gen11] 4 in 7:0, [Gen12Lp..=XeHpc] 4 or more in 7:0, [Xe2..] 5 in 7:0 }
    state_ds "3DSTATE_DS" 0x781d_0000 [Gen8..] { [Gen8] 9 in 7:0, [Gen9..] 11 in 7:0 }
    state_streamout "3DSTATE_STREAMOUT" 0x781e_0000 [Gen8..] { 5 in 7:0 }
    state_sbe "3DSTATE_SBE" 0x781f_0000 [Gen8..] { [Gen8] 4 in 7:0, [Gen9..] 6 in 7:0 }
    state_ps "3DSTATE_PS" 0x7820_0000 [Gen8..] { 12 in 7:0 }
    state_viewport_state_pointers_sf_clip "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP" 0x7821_0000 [Gen8..] { 2 in 7:0 }
    state_cps "3DSTATE_CPS" 0x7822_0000 [Gen11] { 9 in 7:0 }
    state_cps_pointers "3DSTATE_CPS_POINTERS" 0x7822_0000 [Gen12Lp..=Xe2] { 2 in 15:0 }
    state_viewport_state_pointers_cc "3DSTATE_VIEWPORT_STATE_POINTERS_CC" 0x7823_0000 [Gen8..] { 2 in 7:0 }
    state_blend_state_pointers "3DSTATE_BLEND_STATE_POINTERS" 0x7824_0000 [Gen8..] { 2 in 7:0 }
    state_binding_table_pointers_vs "3DSTATE_BINDING_TABLE_POINTERS_VS" 0x7826_0000 [Gen8..] { 2 in 7:0 }
    state_binding_table_pointers_hs "3DSTATE_BINDING_TABLE_POINTERS_HS" 0x7827_0000 [Gen8..] { 2 in 7:0 }
    state_binding_table_pointers_ds "3DSTATE_BINDING_TABLE_POINTERS_DS" 0x7828_0000 [Gen8..] { 2 in 7:0 }
    state_binding_table_pointers_gs "3DSTATE_BINDING_TABLE_POINTERS_GS" 0x7829_0000 [Gen8..] { 2 in 7:0 }
    state_binding_table_pointers_ps "3DSTATE_BINDING_TABLE_POINTERS_PS" 0x782a_0000 [Gen8..] { 2 in 7:0 }
    state_sampler_state_pointers_vs "3DSTATE_SAMPLER_STATE_POINTERS_VS" 0x782b_0000 [Gen8..] { 2 in 7:0 }
    state_sampler_state_pointers_hs "3DSTATE_SAMPLER_STATE_POINTERS_HS" 0x782c_0000 [Gen8..] { 2 in 7:0 }
    state_sampler_state_pointers_ds "3DSTATE_SAMPLER_STATE_POINTERS_DS" 0x782d_0000 [Gen8..] { 2 in 7:0 }
    state_sampler_state_pointers_gs "3DSTATE_SAMPLER_STATE_POINTERS_GS" 0x782e_0000 [Gen8..] { 2 in 7:0 }
    state_sampler_state_pointers_ps "3DSTATE_SAMPLER_STATE_POINTERS_PS" 0x782f_0000 [Gen8..] { 2 in 7:0 }
    state_urb_vs "3DSTATE_URB_VS" 0x7830_0000 [Gen8..] { 2 in 7:0 }
    state_urb_hs "3DSTATE_URB_HS" 0x7831_0000 [Gen8..] { 2 in 7:0 }
    state_urb_ds "3DSTATE_URB_DS" 0x7832_0000 [Gen8..] { 2 in 7:0 }
    state_urb_gs "3DSTATE_URB_GS" 0x7833_0000 [Gen8..] { 2 in 7:0 }
    state_gather_constant_vs "3DSTATE_GATHER_CONSTANT_VS" 0x7834_0000 [Gen8..] { 2 or more in 7:0 }
    state_gather_constant_gs "3DSTATE_GATHER_CONSTANT_GS" 0x7835_0000 [Gen8..] { 2 or more in 7:0 }
    state_gather_constant_hs "3DSTATE_GATHER_CONSTANT_HS" 0x7836_0000 [Gen8..] { 2 or more in 7:0 }
    state_gather_constant_ds "3DSTATE_GATHER_CONSTANT_DS" 0x7837_0000 [Gen8..] { 2 or more in 7:0 }
    state_gather_constant_ps "3DSTATE_GATHER_CONSTANT_PS" 0x7838_0000 [Gen8..] { 2 or more in 7:0 }
    state_binding_table_edit_vs "3DSTATE_BINDING_TABLE_EDIT_VS" 0x7843_0000 [Gen8..] { 2 or more in 8:0 }
    state_binding_table_edit_gs "3DSTATE_BINDING_TABLE_EDIT_GS" 0x7844_0000 [Gen8..] { 2 or more in 8:0 }
    state_binding_table_edit_hs "3DSTATE_BINDING_TABLE_EDIT_HS" 0x7845_0000 [Gen8..] { 2 or more in 8:0 }
    state_binding_table_edit_ds "3DSTATE_BINDING_TABLE_EDIT_DS" 0x7846_0000 [Gen8..] { 2 or more in 8:0 }
    state_binding_table_edit_ps "3DSTATE_BINDING_TABLE_EDIT_PS" 0x7847_0000 [Gen8..] { 2 or more in 8:0 }
    state_vf_instancing "3DSTATE_VF_INSTANCING" 0x7849_0000 [Gen8..] { 3 in 7:0 }
    state_vf_sgvs "3DSTATE_VF_SGVS" 0x784a_0000 [Gen8..] { 2 in 7:0 }
    state_vf_topology "3DSTATE_VF_TOPOLOGY" 0x784b_0000 [Gen8..] { 2 in 7:0 }
    state_wm_chromakey "3DSTATE_WM_CHROMAKEY" 0x784c_0000 [Gen8..] { 2 in 7:0 }
    state_ps_blend "3DSTATE_PS_BLEND" 0x784d_0000 [Gen8..] { 2 in 7:0 }
    state_wm_depth_stencil "3DSTATE_WM_DEPTH_STENCIL" 0x784e_0000 [Gen8..] { [Gen8] 3 in 7:0, [Gen9..] 4 in 7:0 }
    state_ps_extra "3DSTATE_PS_EXTRA" 0x784f_0000 [Gen8..] { 2 in 7:0 }
    state_raster "3DSTATE_RASTER" 0x7850_0000 [Gen8..] { 5 in 7:0 }
    state_sbe_swiz "3DSTATE_SBE_SWIZ" 0x7851_0000 [Gen8..] { 11 in 7:0 }
    state_wm_hz_op "3DSTATE_WM_HZ_OP" 0x7852_0000 [Gen8..] { [Gen8..=Gen12Lp] 5 in 7:0, [XeHpg..] 6 in 7:0 }
    state_rs_constant_pointer "3DSTATE_RS_CONSTANT_POINTER" 0x7854_0000 [Gen9..] { 4 in 7:0 }
    state_vf_component_packing "3DSTATE_VF_COMPONENT_PACKING" 0x7855_0000 [Gen9..] { 5 in 7:0 }
    state_vf_sgvs_2 "3DSTATE_VF_SGVS_2" 0x7856_0000 [Gen11..] { 3 in 7:0 }
    state_vfg "3DSTATE_VFG" 0x7857_0000 [XeHpg..] { 4 in 7:0 }
    state_urb_alloc_vs "3DSTATE_URB_ALLOC_VS" 0x7858_0000 [Gen12Lp..] { 3 in 7:0 }
    state_urb_alloc_hs "3DSTATE_URB_ALLOC_HS" 0x7859_0000 [Gen12Lp..] { 3 in 7:0 }
    state_urb_alloc_ds "3DSTATE_URB_ALLOC_DS" 0x785a_0000 [Gen12Lp..] { 3 in 7:0 }
    state_urb_alloc_gs "3DSTATE_URB_ALLOC_GS" 0x785b_0000 [Gen12Lp..] { 3 in 7:0 }
    state_so_buffer_index_0 "3DSTATE_SO_BUFFER_INDEX_0" 0x7860_0000 [Gen12Lp..] { 8 in 7:0 }
    state_so_buffer_index_1 "3DSTATE_SO_BUFFER_INDEX_1" 0x7861_0000 [Gen12Lp..] { 8 in 7:0 }
    state_so_buffer_index_2 "3DSTATE_SO_BUFFER_INDEX_2" 0x7862_0000 [Gen12Lp..] { 8 in 7:0 }
    state_so_buffer_index_3 "3DSTATE_SO_BUFFER_INDEX_3" 0x7863_0000 [Gen12Lp..] { 8 in 7:0 }
    state_primitive_replication "3DSTATE_PRIMITIVE_REPLICATION" 0x786c_0000 [Gen12Lp..] { 6 in 7:0 }
    state_constant_all "3DSTATE_CONSTANT_ALL" 0x786d_0000 [Gen12Lp..] { 2 in 7:0 }
    state_tbimr_tile_pass_info "3DSTATE_TBIMR_TILE_PASS_INFO" 0x786e_0000 [XeHpg..] { 4 in 7:0 }
    state_depth_bounds "3DSTATE_DEPTH_BOUNDS" 0x7871_0000 [Gen12Lp..] { 4 }
    state_mesh_control "3DSTATE_MESH_CONTROL" 0x7877_0000 [XeHpg..] { 3 in 7:0 }
    state_mesh_distrib "3DSTATE_MESH_DISTRIB" 0x7878_0000 [XeHpg..] { 2 in 7:0 }
    state_task_redistrib "3DSTATE_TASK_REDISTRIB" 0x7879_0000 [XeHpg..] { 2 in 7:0 }
    state_mesh_shader "3DSTATE_MESH_SHADER" 0x787a_0000 [XeHpg..] { 8 in 7:0 }
    state_mesh_shader_data "3DSTATE_MESH_SHADER_DATA" 0x787b_0000 [XeHpg..] { 10 in 7:0 }
    state_task_control "3DSTATE_TASK_CONTROL" 0x787c_0000 [XeHpg..] { 3 in 7:0 }
    state_task_shader "3DSTATE_TASK_SHADER" 0x787d_0000 [XeHpg..] { 7 in 7:0 }
    state_task_shader_data "3DSTATE_TASK_SHADER_DATA" 0x787e_0000 [XeHpg..] { 10 in 7:0 }
    state_urb_alloc_mesh "3DSTATE_URB_ALLOC_MESH" 0x787f_0000 [XeHpg..] { 3 in 7:0 }
    state_urb_alloc_task "3DSTATE_URB_ALLOC_TASK" 0x7880_0000 [XeHpg..] { 3 in 7:0 }
    state_clip_mesh "3DSTATE_CLIP_MESH" 0x7881_0000 [XeHpg..] { 2 in 7:0 }
    state_sbe_mesh "3DSTATE_SBE_MESH" 0x7882_0000 [XeHpg..] { 2 in 7:0 }
    state_cpsize_control_buffer "3DSTATE_CPSIZE_CONTROL_BUFFER" 0x7883_0000 [XeHpg..] { 8 in 7:0 }
    state_coarse_pixel "3DSTATE_COARSE_PIXEL" 0x7889_0000 [Xe3..] { 2 in 7:0 }
    state_drawing_rectangle "3DSTATE_DRAWING_RECTANGLE" 0x7900_0000 [Gen8..] { 4 in 7:0 }
    state_sampler_palette_load0 "3DSTATE_SAMPLER_PALETTE_LOAD0" 0x7902_0000 [Gen8..] { 2 or more in 7:0 }
    state_chroma_key "3DSTATE_CHROMA_KEY" 0x7904_0000 [Gen8..] { 4 in 7:0 }
    state_poly_stipple_offset "3DSTATE_POLY_STIPPLE_OFFSET" 0x7906_0000 [Gen8..] { 2 in 7:0 }
    state_poly_stipple_pattern "3DSTATE_POLY_STIPPLE_PATTERN" 0x7907_0000 [Gen8..] { 33 in 7:0 }
    state_line_stipple "3DSTATE_LINE_STIPPLE" 0x7908_0000 [Gen8..] { 3 in 7:0 }
    state_aa_line_parameters "3DSTATE_AA_LINE_PARAMETERS" 0x790a_0000 [Gen8..] { 3 in 7:0 }
    state_sampler_palette_load1 "3DSTATE_SAMPLER_PALETTE_LOAD1" 0x790c_0000 [Gen8..] { 2 or more in 7:0 }
    state_monofilter_size "3DSTATE_MONOFILTER_SIZE" 0x7911_0000 [Gen8..] { 2 in 7:0 }
    state_push_constant_alloc_vs "3DSTATE_PUSH_CONSTANT_ALLOC_VS" 0x7912_0000 [Gen8..] { 2 in 7:0 }
    state_push_constant_alloc_hs "3DSTATE_PUSH_CONSTANT_ALLOC_HS" 0x7913_0000 [Gen8..] { 2 in 7:0 }
    state_push_constant_alloc_ds "3DSTATE_PUSH_CONSTANT_ALLOC_DS" 0x7914_0000 [Gen8..] { 2 in 7:0 }
    state_push_constant_alloc_gs "3DSTATE_PUSH_CONSTANT_ALLOC_GS" 0x7915_0000 [Gen8..] { 2 in 7:0 }
    state_push_constant_alloc_ps "3DSTATE_PUSH_CONSTANT_ALLOC_PS" 0x7916_0000 [Gen8..] { 2 in 7:0 }
    state_so_decl_list "3DSTATE_SO_DECL_LIST" 0x7917_0000 [Gen8..] { 2 or more in 8:0 }
    state_so_buffer "3DSTATE_SO_BUFFER" 0x7918_0000 [Gen8..] { 8 in 7:0 }
    state_gather_pool_alloc "3DSTATE_GATHER_POOL_ALLOC" 0x791a_0000 [Gen8..] { 4 in 7:0 }
    state_sample_pattern "3DSTATE_SAMPLE_PATTERN" 0x791c_0000 [Gen8..] { 9 in 7:0 }
    state_urb_clear "3DSTATE_URB_CLEAR" 0x791d_0000 [Gen9..] { 2 in 7:0 }
    state_of_3d_mode "3DSTATE_3D_MODE" 0x791e_0000 [Gen11..] { [Gen11..=Gen12Lp] 2 in 7:0, [XeHpg..] 5 in 7:0 }
    state_subslice_hash_table "3DSTATE_SUBSLICE_HASH_TABLE" 0x791f_0000 [Gen12Lp..] { 14 in 7:0 }
    state_slice_table_state_pointers "3DSTATE_SLICE_TABLE_STATE_POINTERS" 0x7920_0000 [Gen11..] { 2 in 7:0 }
}
