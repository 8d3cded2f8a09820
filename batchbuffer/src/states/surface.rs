//! Surfaces.

state! {
    /// A buffer or image as the data port and the sampler see it. 64 bytes, aligned
    /// to 64 bytes.
    ///
    /// Source: TGL PRM vol 2d, RENDER_SURFACE_STATE.
    render_surface_state "RENDER_SURFACE_STATE" [Gen8..]
    length { 16 }
    "Cube Face Enable - Positive Z" CUBE_FACE_ENABLE_POSITIVE_Z { 0:0:0 bool }
    "Cube Face Enable - Negative Z" CUBE_FACE_ENABLE_NEGATIVE_Z { 0:1:1 bool }
    "Cube Face Enable - Positive Y" CUBE_FACE_ENABLE_POSITIVE_Y { 0:2:2 bool }
    "Cube Face Enable - Negative Y" CUBE_FACE_ENABLE_NEGATIVE_Y { 0:3:3 bool }
    "Cube Face Enable - Positive X" CUBE_FACE_ENABLE_POSITIVE_X { 0:4:4 bool }
    "Cube Face Enable - Negative X" CUBE_FACE_ENABLE_NEGATIVE_X { 0:5:5 bool }
    "Media Boundary Pixel Mode" MEDIA_BOUNDARY_PIXEL_MODE { 0:7:6 values(MediaBoundaryPixelMode) }
    "Render Cache Read Write Mode" RENDER_CACHE_READ_WRITE_MODE { 0:8:8 values(RenderCacheReadWriteMode) }
    "Sampler L2 Bypass Mode Disable" SAMPLER_L2_BYPASS_MODE_DISABLE { [Gen8..=XeHpc] 0:9:9 bool }
    "Enable Sampler Route to LSC" ENABLE_SAMPLER_ROUTE_TO_LSC { [Xe2..] 0:9:9 bool }
    "Vertical Line Stride Offset" VERTICAL_LINE_STRIDE_OFFSET { 0:10:10 uint }
    "Vertical Line Stride" VERTICAL_LINE_STRIDE { 0:11:11 uint }
    "Tile Mode" TILE_MODE { [Gen8..=Gen12Lp] 0:13:12 values(TileModeGen8), [XeHpg..] 0:13:12 values(TileModeXeHpg) }
    "Surface Horizontal Alignment" SURFACE_HORIZONTAL_ALIGNMENT { [Gen8..=Gen12Lp] 0:15:14 values(SurfaceHorizontalAlignmentGen8), [XeHpg..] 0:15:14 values(SurfaceHorizontalAlignmentXeHpg) }
    "Surface Vertical Alignment" SURFACE_VERTICAL_ALIGNMENT { 0:17:16 values(SurfaceVerticalAlignment) }
    "Surface Format" SURFACE_FORMAT { [Gen8] 0:26:18 values(SurfaceFormat), [Gen9..=Gen12Lp] 0:27:18 values(SurfaceFormat), [XeHpg..] 0:26:18 values(SurfaceFormat) }
    "Surface Array" SURFACE_ARRAY { 0:28:28 bool }
    "Surface Type" SURFACE_TYPE { [Gen8..=Gen12Lp] 0:31:29 values(SurfaceType), [XeHpg..] 0:31:29 values(values::StateSurfaceType) }
    "Surface QPitch" SURFACE_QPITCH { 1:14:0 uint }
    "Sample Tap Discard Disable" SAMPLE_TAP_DISCARD_DISABLE { [Gen12Lp..=Xe2] 1:15:15 bool }
    "Double Fetch Disable" DOUBLE_FETCH_DISABLE { [Gen12Lp..=XeHpc] 1:17:17 bool }
    "Corner Texel Mode" CORNER_TEXEL_MODE { [Gen12Lp..=XeHpc] 1:18:18 uint, [Xe2] 1:18:18 bool }
    "Base Mip Level" BASE_MIP_LEVEL { [Gen8..=XeHpc] 1:23:19 ufixed(1), [Xe2..] 1:23:19 uint }
    "MOCS" MOCS { 1:30:24 uint }
    "Enable Unorm Path In Color Pipe" ENABLE_UNORM_PATH_IN_COLOR_PIPE { [Gen11..=Gen12Lp] 1:31:31 bool }
    "Width" WIDTH { 2:13:0 uint }
    "Height" HEIGHT { 2:29:16 uint }
    "Depth Stencil Resource" DEPTH_STENCIL_RESOURCE { [Gen12Lp..] 2:31:31 bool }
    "Surface Pitch" SURFACE_PITCH { 3:17:0 uint }
    "Null Probing Enable" NULL_PROBING_ENABLE { [Gen12Lp..=XeHpc] 3:18:18 uint }
    "Standard Tiling Mode Extensions" STANDARD_TILING_MODE_EXTENSIONS { [Gen12Lp] 3:19:19 uint }
    "Tile Address Mapping Mode" TILE_ADDRESS_MAPPING_MODE { [Gen11..=Gen12Lp] 3:20:20 values(TileAddressMappingMode) }
    "Depth" DEPTH { 3:31:21 uint }
    "Multisample Position Palette Index" MULTISAMPLE_POSITION_PALETTE_INDEX { 4:2:0 uint }
    "Number of Multisamples" NUMBER_OF_MULTISAMPLES { 4:5:3 values(NumberOfMultisamples) }
    "Multisampled Surface Storage Format" MULTISAMPLED_SURFACE_STORAGE_FORMAT { 4:6:6 values(MultisampledSurfaceStorageFormat) }
    "Render Target View Extent" RENDER_TARGET_VIEW_EXTENT { 4:17:7 uint }
    "Minimum Array Element" MINIMUM_ARRAY_ELEMENT { 4:28:18 uint }
    "Render Target And Sample Unorm Rotation" RENDER_TARGET_AND_SAMPLE_UNORM_ROTATION { 4:30:29 values(RenderTargetAndSampleUnormRotation) }
    "Decompress In L3" DECOMPRESS_IN_L3 { [Gen12Lp..=XeHpc] 4:31:31 bool }
    "MIP Count / LOD" MIP_COUNT_LOD { 5:3:0 uint }
    "Surface Min LOD" SURFACE_MIN_LOD { 5:7:4 uint }
    "Mip Tail Start LOD" MIP_TAIL_START_LOD { [Gen9..] 5:11:8 uint }
    "Coherency Type" COHERENCY_TYPE { [Gen8..=Gen12Lp] 5:14:14 values(CoherencyType), [XeHpg..=XeHpc] 5:15:14 values(CoherencyType) }
    "L1 Cache Control" L1_CACHE_CONTROL { [XeHpg..] 5:18:16 values(values::L1CacheControl) }
    "Tiled Resource Mode" TILED_RESOURCE_MODE { [Gen9..=Gen12Lp] 5:19:18 values(TiledResourceMode) }
    "EWA Disable For Cube" EWA_DISABLE_FOR_CUBE { 5:20:20 bool }
    "Y Offset" Y_OFFSET { 5:23:21 uint }
    "X Offset" X_OFFSET { 5:31:25 uint }
    "Auxiliary Surface Mode" AUXILIARY_SURFACE_MODE { [Gen8] 6:2:0 values(AuxiliarySurfaceModeGen8), [Gen9..=XeHpc] 6:2:0 values(AuxiliarySurfaceModeGen9), [Xe2..] 6:2:0 values(AuxiliarySurfaceModeXe2) }
    "Y Offset for U or UV Plane" Y_OFFSET_FOR_U_OR_UV_PLANE { 6:13:0 uint }
    "Auxiliary Surface Pitch" AUXILIARY_SURFACE_PITCH { [Gen8..=Gen12Lp] 6:11:3 uint, [XeHpg..] 6:12:3 uint }
    "YUV Interpolation Enable" YUV_INTERPOLATION_ENABLE { [Gen12Lp..] 6:15:15 bool }
    "Auxiliary Surface QPitch" AUXILIARY_SURFACE_QPITCH { 6:30:16 uint }
    "X Offset for U or UV Plane" X_OFFSET_FOR_U_OR_UV_PLANE { 6:29:16 uint }
    "Half Pitch for Chroma" HALF_PITCH_FOR_CHROMA { [Gen12Lp..=XeHpc] 6:30:30 uint }
    "Separate UV Plane Enable" SEPARATE_UV_PLANE_ENABLE { [Gen8..=XeHpc] 6:31:31 bool }
    "Resource Min LOD" RESOURCE_MIN_LOD { 7:11:0 ufixed(8) }
    "Shader Channel Select Alpha" SHADER_CHANNEL_SELECT_ALPHA { 7:18:16 values(values::ShaderChannelSelect) }
    "Shader Channel Select Blue" SHADER_CHANNEL_SELECT_BLUE { 7:21:19 values(values::ShaderChannelSelect) }
    "Shader Channel Select Green" SHADER_CHANNEL_SELECT_GREEN { 7:24:22 values(values::ShaderChannelSelect) }
    "Shader Channel Select Red" SHADER_CHANNEL_SELECT_RED { 7:27:25 values(values::ShaderChannelSelect) }
    "Alpha Clear Color" ALPHA_CLEAR_COLOR { [Gen8] 7:28:28 values(values::ClearColor), [Gen9..=Gen11] 15:31:0 int }
    "Blue Clear Color" BLUE_CLEAR_COLOR { [Gen8] 7:29:29 values(values::ClearColor), [Gen9..=Gen11] 14:31:0 int }
    "Green Clear Color" GREEN_CLEAR_COLOR { [Gen8] 7:30:30 values(values::ClearColor), [Gen9..=Gen11] 13:31:0 int }
    "Memory Compression Enable" MEMORY_COMPRESSION_ENABLE { [Gen9..=XeHpc] 7:30:30 bool }
    "Red Clear Color" RED_CLEAR_COLOR { [Gen8] 7:31:31 values(values::ClearColor), [Gen9..=Gen11] 12:31:0 int }
    "Memory Compression Mode" MEMORY_COMPRESSION_MODE { [Gen9..=Gen12Lp] 7:31:31 values(MemoryCompressionModeGen9), [XeHpg..=XeHpc] 7:31:31 values(MemoryCompressionModeXeHpg) }
    "Surface Base Address" SURFACE_BASE_ADDRESS { 8:63:0 address }
    "Quilt Width" QUILT_WIDTH { [Gen9..=Gen11] 10:4:0 uint }
    "Mip Region Width In Log2" MIP_REGION_WIDTH_IN_LOG2 { [Xe2..] 10:3:0 uint }
    "Append Counter Address" APPEND_COUNTER_ADDRESS { [Xe2..] 10:63:2 address }
    "Mip Region Height In Log2" MIP_REGION_HEIGHT_IN_LOG2 { [Xe2..] 10:7:4 uint }
    "Quilt Height" QUILT_HEIGHT { [Gen9..=Gen11] 10:9:5 uint }
    "Clear Value Address Enable" CLEAR_VALUE_ADDRESS_ENABLE { [Gen11..=XeHpc] 10:10:10 bool }
    "Caching Expanded Formats" CACHING_EXPANDED_FORMATS { [Gen12Lp..=XeHpc] 10:11:11 uint }
    "Procedural Texture" PROCEDURAL_TEXTURE { [Xe2..] 10:11:11 bool }
    "Auxiliary Surface Base Address" AUXILIARY_SURFACE_BASE_ADDRESS { 10:63:12 address }
    "Auxiliary Table Index for Media Compressed Surface" AUXILIARY_TABLE_INDEX_FOR_MEDIA_COMPRESSED_SURFACE { [Gen8..=Gen11] 10:31:21 uint }
    "Y Offset for V Plane" Y_OFFSET_FOR_V_PLANE { [Gen8..=Gen11] 11:13:0 uint, [Xe2..] 11:13:0 uint }
    "X Offset for V Plane" X_OFFSET_FOR_V_PLANE { [Gen8..=Gen11] 11:29:16 uint, [Xe2..] 11:29:16 uint }
    "Hierarchical Depth Clear Value" HIERARCHICAL_DEPTH_CLEAR_VALUE { [Gen9] 12:31:0 float }
    "Compression Format" COMPRESSION_FORMAT { [XeHpg..=XeHpc] 12:4:0 uint, [Xe2..] 12:3:0 values(values::UnifiedCompressionFormat) }
    "Mip Region Depth In Log2" MIP_REGION_DEPTH_IN_LOG2 { [Xe2..] 12:7:4 uint }
    "Clear Color Conversion Enable" CLEAR_COLOR_CONVERSION_ENABLE { [Gen11] 12:5:5 uint }
    "Clear Value Address" CLEAR_VALUE_ADDRESS { [Gen11..=XeHpc] 12:47:6 address }
    "Disable Sampler Backing By LSC" DISABLE_SAMPLER_BACKING_BY_LSC { [Xe3..] 13:30:30 bool }
    "Disallowlowqualityfiltering" DISALLOWLOWQUALITYFILTERING { [Xe2..] 13:31:31 bool }
    values MediaBoundaryPixelMode { NORMAL_MODE = 0, PROGRESSIVE_FRAME = 2, INTERLACED_FRAME = 3 }
    values RenderCacheReadWriteMode {
        WRITE_ONLY_CACHE "Write-Only Cache" = 0, READ_WRITE_CACHE "Read-Write Cache" = 1,
    }
    values TileModeGen8 { LINEAR = 0, WMAJOR = 1, XMAJOR = 2, YMAJOR = 3 }
    values TileModeXeHpg { LINEAR = 0, TILE64 = 1, XMAJOR = 2, TILE4 = 3 }
    values SurfaceHorizontalAlignmentGen8 { HALIGN_4 = 1, HALIGN_8 = 2, HALIGN_16 = 3 }
    values SurfaceHorizontalAlignmentXeHpg {
        HALIGN_16 = 0, HALIGN_32 = 1, HALIGN_64 = 2, HALIGN_128 = 3,
    }
    values SurfaceVerticalAlignment { VALIGN_4 = 1, VALIGN_8 = 2, VALIGN_16 = 3 }
    values SurfaceType {
        SURFTYPE_1D = 0, SURFTYPE_2D = 1, SURFTYPE_3D = 2, SURFTYPE_CUBE = 3, SURFTYPE_BUFFER = 4,
        SURFTYPE_STRBUF = 5, SURFTYPE_NULL = 7,
    }
    values NumberOfMultisamples {
        MULTISAMPLECOUNT_1 = 0, MULTISAMPLECOUNT_2 = 1, MULTISAMPLECOUNT_4 = 2,
        MULTISAMPLECOUNT_8 = 3, MULTISAMPLECOUNT_16 = 4,
    }
    values MultisampledSurfaceStorageFormat { MSFMT_MSS = 0, MSFMT_DEPTH_STENCIL = 1 }
    values RenderTargetAndSampleUnormRotation {
        _0DEG "0DEG" = 0, _90DEG "90DEG" = 1, _180DEG "180DEG" = 2, _270DEG "270DEG" = 3,
    }
    values CoherencyType { GPU_COHERENT "GPU coherent" = 0, IA_COHERENT "IA coherent" = 1 }
    values AuxiliarySurfaceModeGen8 { AUX_NONE = 0, AUX_MCS = 1, AUX_APPEND = 2, AUX_HIZ = 3 }
    values AuxiliarySurfaceModeGen9 {
        AUX_NONE = 0, AUX_CCS_D = 1, AUX_APPEND = 2, AUX_HIZ = 3, AUX_MCS_LCE = 4, AUX_CCS_E = 5,
    }
    values AuxiliarySurfaceModeXe2 { AUX_NONE = 0, AUX_APPEND = 1, AUX_MCS = 2 }
    values TiledResourceMode { NONE = 0, _4KB "4KB" = 1, _64KB "64KB" = 2 }
    values MemoryCompressionModeGen9 { HORIZONTAL "Horizontal" = 0, VERTICAL "Vertical" = 1 }
    values MemoryCompressionModeXeHpg {
        MEDIA_COMPRESSION "Media Compression" = 0, _3D_COMPRESSION "3D Compression" = 1,
    }
    values TileAddressMappingMode { GFX9 "Gfx9" = 0, GFX10 "Gfx10+" = 1 }
}

state! {
    /// One entry of a binding table: where the surface state is.
    binding_table_state "BINDING_TABLE_STATE" [Gen8..]
    length { 1 }
    "Surface State Pointer" SURFACE_STATE_POINTER { 0:31:6 offset }
}
