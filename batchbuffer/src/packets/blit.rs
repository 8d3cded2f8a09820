//! Blitter commands.
//!
//! genxml has only the first two; the others are from igt-gpu-tools (fast copy), Intel's
//! compute-runtime (source copy, MEM_COPY, MEM_SET) and the BDW PRM vol 2a (colour).

packet! {
    /// Copies a rectangle between surfaces.
    xy_block_copy_blt "XY_BLOCK_COPY_BLT" 0x5040_0000 on BLITTER [Gen12Lp..]
    length { [Gen12Lp] 12 in 7:0, [XeHpg..] 22 in 7:0 }
    "Number of Multisamples" NUMBER_OF_MULTISAMPLES { [Xe2..] 0:11:9 uint }
    "Special Mode of Operation" SPECIAL_MODE_OF_OPERATION { [XeHpg..] 0:13:12 values(SpecialModeOfOperation) }
    "Color Depth" COLOR_DEPTH { 0:21:19 values(ColorDepth) }
    "Destination Pitch" DESTINATION_PITCH { 1:17:0 uint }
    "Destination Auxiliary Surface Mode" DESTINATION_AUXILIARY_SURFACE_MODE { [XeHpg..=XeHpc] 1:20:18 values(DestinationAuxiliarySurfaceMode) }
    "Destination MOCS" DESTINATION_MOCS { [Gen12Lp..=XeHpc] 1:27:21 uint, [Xe2..] 1:27:24 uint }
    "Destination Encrypt En" DESTINATION_ENCRYPT_EN { [Xe2..] 1:21:21 bool }
    "Destination Control Surface Type" DESTINATION_CONTROL_SURFACE_TYPE { [XeHpg..=XeHpc] 1:28:28 uint }
    "Destination Compression Enable" DESTINATION_COMPRESSION_ENABLE { [XeHpg..=XeHpc] 1:29:29 bool }
    "Destination Tiling" DESTINATION_TILING { [Gen12Lp] 1:31:30 values(DestinationTilingGen12Lp), [XeHpg..] 1:31:30 values(DestinationTilingXeHpg) }
    "Destination X1" DESTINATION_X1 { 2:15:0 int }
    "Destination Y1" DESTINATION_Y1 { 2:31:16 int }
    "Destination X2" DESTINATION_X2 { 3:15:0 int }
    "Destination Y2" DESTINATION_Y2 { 3:31:16 int }
    "Destination Base Address" DESTINATION_BASE_ADDRESS { 4:63:0 address }
    "Destination X Offset" DESTINATION_X_OFFSET { 6:13:0 uint }
    "Destination Y Offset" DESTINATION_Y_OFFSET { 6:29:16 uint }
    "Destination Target Memory" DESTINATION_TARGET_MEMORY { [XeHpg..] 6:31:31 values(DestinationTargetMemory) }
    "Source X1" SOURCE_X1 { 7:15:0 int }
    "Source Y1" SOURCE_Y1 { 7:31:16 int }
    "Source Pitch" SOURCE_PITCH { 8:17:0 uint }
    "Source Auxiliary Surface Mode" SOURCE_AUXILIARY_SURFACE_MODE { [XeHpg..=XeHpc] 8:20:18 values(SourceAuxiliarySurfaceMode) }
    "Source MOCS" SOURCE_MOCS { [Gen12Lp..=XeHpc] 8:27:21 uint, [Xe2..] 8:27:24 uint }
    "Source Encrypt En" SOURCE_ENCRYPT_EN { [Xe2..] 8:21:21 bool }
    "Source Control Surface Type" SOURCE_CONTROL_SURFACE_TYPE { [XeHpg..=XeHpc] 8:28:28 uint }
    "Source Compression Enable" SOURCE_COMPRESSION_ENABLE { [XeHpg..=XeHpc] 8:29:29 bool }
    "Source Tiling" SOURCE_TILING { [Gen12Lp] 8:31:30 values(SourceTilingGen12Lp), [XeHpg..] 8:31:30 values(SourceTilingXeHpg) }
    "Source Base Address" SOURCE_BASE_ADDRESS { 9:63:0 address }
    "Source X Offset" SOURCE_X_OFFSET { 11:13:0 uint }
    "Source Y Offset" SOURCE_Y_OFFSET { 11:29:16 uint }
    "Source Target Memory" SOURCE_TARGET_MEMORY { [XeHpg..] 11:31:31 values(SourceTargetMemory) }
    "Source Compression Format" SOURCE_COMPRESSION_FORMAT { [XeHpg..] 12:4:0 uint }
    "Source Clear Value Enable" SOURCE_CLEAR_VALUE_ENABLE { [XeHpg..] 12:5:5 bool }
    "Source Clear Address" SOURCE_CLEAR_ADDRESS { [XeHpg..] 12:47:6 address }
    "Destination Compression Format" DESTINATION_COMPRESSION_FORMAT { [XeHpg..] 14:4:0 uint }
    "Destination Clear Value Enable" DESTINATION_CLEAR_VALUE_ENABLE { [XeHpg..] 14:5:5 bool }
    "Destination Clear Address" DESTINATION_CLEAR_ADDRESS { [XeHpg..] 14:47:6 address }
    "Destination Surface Height" DESTINATION_SURFACE_HEIGHT { [XeHpg..] 16:13:0 uint }
    "Destination Surface Width" DESTINATION_SURFACE_WIDTH { [XeHpg..] 16:27:14 uint }
    "Destination Surface Type" DESTINATION_SURFACE_TYPE { [XeHpg..] 16:31:29 values(DestinationSurfaceType) }
    "Destination LOD" DESTINATION_LOD { [XeHpg..] 17:3:0 uint }
    "Destination Surface QPitch" DESTINATION_SURFACE_QPITCH { [XeHpg..] 17:18:4 uint }
    "Destination Surface Depth" DESTINATION_SURFACE_DEPTH { [XeHpg..] 17:31:21 uint }
    "Destination Horizontal Align" DESTINATION_HORIZONTAL_ALIGN { [XeHpg..] 18:1:0 values(DestinationHorizontalAlign) }
    "Destination Vertical Align" DESTINATION_VERTICAL_ALIGN { [XeHpg..] 18:4:3 values(DestinationVerticalAlign) }
    "Destination Mip Tail Start LOD" DESTINATION_MIP_TAIL_START_LOD { [XeHpg..] 18:11:8 uint }
    "Destination Depth/Stencil Resource" DESTINATION_DEPTH_STENCIL_RESOURCE { [XeHpg..=XeHpc] 18:18:18 bool }
    "Destination Array Index" DESTINATION_ARRAY_INDEX { [XeHpg..] 18:31:21 uint }
    "Source Surface Height" SOURCE_SURFACE_HEIGHT { [XeHpg..] 19:13:0 uint }
    "Source Surface Width" SOURCE_SURFACE_WIDTH { [XeHpg..] 19:27:14 uint }
    "Source Surface Type" SOURCE_SURFACE_TYPE { [XeHpg..] 19:31:29 values(SourceSurfaceType) }
    "Source LOD" SOURCE_LOD { [XeHpg..] 20:3:0 uint }
    "Source Surface QPitch" SOURCE_SURFACE_QPITCH { [XeHpg..] 20:18:4 uint }
    "Source Surface Depth" SOURCE_SURFACE_DEPTH { [XeHpg..] 20:31:21 uint }
    "Source Horizontal Align" SOURCE_HORIZONTAL_ALIGN { [XeHpg..] 21:1:0 values(SourceHorizontalAlign) }
    "Source Vertical Align" SOURCE_VERTICAL_ALIGN { [XeHpg..] 21:4:3 values(SourceVerticalAlign) }
    "Source Mip Tail Start LOD" SOURCE_MIP_TAIL_START_LOD { [XeHpg..] 21:11:8 uint }
    "Source Depth/Stencil Resource" SOURCE_DEPTH_STENCIL_RESOURCE { [XeHpg..=XeHpc] 21:18:18 bool }
    "Source Array Index" SOURCE_ARRAY_INDEX { [XeHpg..] 21:31:21 uint }
    values ColorDepth {
        _8_BIT "8_BIT" = 0, _16_BIT "16_BIT" = 1, _32_BIT "32_BIT" = 2, _64_BIT "64_BIT" = 3,
        _96_BIT "96_BIT" = 4, _128_BIT "128_BIT" = 5,
    }
    values DestinationTilingGen12Lp { LINEAR = 0, Y = 1 }
    values DestinationTilingXeHpg { LINEAR = 0, X = 1, _4 "4" = 2, _64 "64" = 3 }
    values SourceTilingGen12Lp { LINEAR = 0, Y = 1 }
    values SourceTilingXeHpg { LINEAR = 0, X = 1, _4 "4" = 2, _64 "64" = 3 }
    values SpecialModeOfOperation { NONE = 0, FULL_RESOLVE = 1, PARTIAL_RESOLVE = 2 }
    values DestinationAuxiliarySurfaceMode { NONE = 0, CCS_E = 5 }
    values DestinationTargetMemory { LOCAL = 0, SYSTEM = 1 }
    values SourceAuxiliarySurfaceMode { NONE = 0, CCS_E = 5 }
    values SourceTargetMemory { LOCAL = 0, SYSTEM = 1 }
    values DestinationSurfaceType { _1D "1D" = 0, _2D "2D" = 1, _3D "3D" = 2, CUBE = 3 }
    values DestinationHorizontalAlign {
        HALIGN_16 = 0, HALIGN_32 = 1, HALIGN_64 = 2, HALIGN_128 = 3,
    }
    values DestinationVerticalAlign { VALIGN_4 = 1, VALIGN_8 = 2, VALIGN_16 = 3 }
    values SourceSurfaceType { _1D "1D" = 0, _2D "2D" = 1, _3D "3D" = 2, CUBE = 3 }
    values SourceHorizontalAlign { HALIGN_16 = 0, HALIGN_32 = 1, HALIGN_64 = 2, HALIGN_128 = 3 }
    values SourceVerticalAlign { VALIGN_4 = 1, VALIGN_8 = 2, VALIGN_16 = 3 }
}

packet! {
    /// Fills a rectangle with a colour.
    xy_fast_color_blt "XY_FAST_COLOR_BLT" 0x5100_0000 on BLITTER [Gen12Lp..]
    length { [Gen12Lp] 11 in 7:0, [XeHpg..] 16 in 7:0 }
    "Number of Multisamples" NUMBER_OF_MULTISAMPLES { [Xe2..] 0:11:9 values(NumberOfMultisamples) }
    "Special Mode of Operation" SPECIAL_MODE_OF_OPERATION { [XeHpg..=XeHpc] 0:13:12 values(SpecialModeOfOperationXeHpg), [Xe2..] 0:13:12 values(SpecialModeOfOperationXe2) }
    "Color Depth" COLOR_DEPTH { 0:21:19 values(ColorDepth) }
    "Destination Pitch" DESTINATION_PITCH { 1:17:0 uint }
    "Destination Auxiliary Surface Mode" DESTINATION_AUXILIARY_SURFACE_MODE { [XeHpg..=XeHpc] 1:20:18 values(DestinationAuxiliarySurfaceMode) }
    "Destination MOCS" DESTINATION_MOCS { [Gen12Lp..=XeHpc] 1:27:21 uint, [Xe2..] 1:27:24 uint }
    "Destination Encrypt En" DESTINATION_ENCRYPT_EN { [Xe2..] 1:21:21 bool }
    "Destination Control Surface Type" DESTINATION_CONTROL_SURFACE_TYPE { [XeHpg..=XeHpc] 1:28:28 uint }
    "Destination Compression Enable" DESTINATION_COMPRESSION_ENABLE { [XeHpg..=XeHpc] 1:29:29 bool }
    "Destination Tiling" DESTINATION_TILING { [Gen12Lp] 1:31:30 values(DestinationTilingGen12Lp), [XeHpg..] 1:31:30 values(DestinationTilingXeHpg) }
    "Destination X1" DESTINATION_X1 { 2:15:0 int }
    "Destination Y1" DESTINATION_Y1 { 2:31:16 int }
    "Destination X2" DESTINATION_X2 { 3:15:0 int }
    "Destination Y2" DESTINATION_Y2 { 3:31:16 int }
    "Destination Base Address" DESTINATION_BASE_ADDRESS { 4:63:0 address }
    "Destination X Offset" DESTINATION_X_OFFSET { 6:13:0 uint }
    "Destination Y Offset" DESTINATION_Y_OFFSET { 6:29:16 uint }
    "Destination Target Memory" DESTINATION_TARGET_MEMORY { [XeHpg..=XeHpc] 6:31:31 values(DestinationTargetMemoryXeHpg), [Xe2..] 6:31:31 values(DestinationTargetMemoryXe2) }
    "Fill Color" FILL_COLOR { 7:31:0 uint every 32 x 4 }
    "Destination Compression Format" DESTINATION_COMPRESSION_FORMAT { [XeHpg..=XeHpc] 11:4:0 uint, [Xe2..] 11:3:0 uint }
    "Destination Clear Value Enable" DESTINATION_CLEAR_VALUE_ENABLE { [XeHpg..=XeHpc] 11:5:5 bool }
    "Destination Clear Address" DESTINATION_CLEAR_ADDRESS { [XeHpg..=XeHpc] 11:47:6 address }
    "Surface Format" SURFACE_FORMAT { [Xe2..] 12:8:0 uint }
    "AUX_SPECIAL_OPERATIONS_MODE" AUX_SPECIAL_OPERATIONS_MODE { [Xe2..] 12:31:29 values(AuxSpecialOperationsMode) }
    "Destination Surface Height" DESTINATION_SURFACE_HEIGHT { [XeHpg..] 13:13:0 uint }
    "Destination Surface Width" DESTINATION_SURFACE_WIDTH { [XeHpg..] 13:27:14 uint }
    "Destination Surface Type" DESTINATION_SURFACE_TYPE { [XeHpg..] 13:31:29 values(DestinationSurfaceType) }
    "Destination LOD" DESTINATION_LOD { [XeHpg..] 14:3:0 uint }
    "Destination Surface QPitch" DESTINATION_SURFACE_QPITCH { [XeHpg..] 14:18:4 uint }
    "Destination Surface Depth" DESTINATION_SURFACE_DEPTH { [XeHpg..] 14:31:21 uint }
    "Destination Horizontal Align" DESTINATION_HORIZONTAL_ALIGN { [XeHpg..] 15:1:0 values(DestinationHorizontalAlign) }
    "Destination Vertical Align" DESTINATION_VERTICAL_ALIGN { [XeHpg..] 15:4:3 values(DestinationVerticalAlign) }
    "Destination Mip Tail Start LOD" DESTINATION_MIP_TAIL_START_LOD { [XeHpg..] 15:11:8 uint }
    "Destination Depth/Stencil Resource" DESTINATION_DEPTH_STENCIL_RESOURCE { [XeHpg..] 15:18:18 bool }
    "Destination Array Index" DESTINATION_ARRAY_INDEX { [XeHpg..] 15:31:21 uint }
    values ColorDepth {
        _8_BIT "8_BIT" = 0, _16_BIT "16_BIT" = 1, _32_BIT "32_BIT" = 2, _64_BIT "64_BIT" = 3,
        _96_BIT "96_BIT" = 4, _128_BIT "128_BIT" = 5,
    }
    values DestinationTilingGen12Lp { LINEAR = 0, Y = 1 }
    values DestinationTilingXeHpg { LINEAR = 0, X = 1, _4 "4" = 2, _64 "64" = 3 }
    values SpecialModeOfOperationXeHpg { NONE = 0, FAST_CLEAR_1 = 1, FAST_CLEAR_0 = 2 }
    values SpecialModeOfOperationXe2 { NONE = 0, USE_AUX_SPECIAL_OPERATIONS_MODE = 1 }
    values DestinationAuxiliarySurfaceMode { NONE = 0, CCS_E = 5 }
    values DestinationTargetMemoryXeHpg { LOCAL = 0, SYSTEM = 1 }
    values DestinationTargetMemoryXe2 { LOCAL_MEM = 0, SYSTEM_MEM = 1 }
    values DestinationSurfaceType { _1D "1D" = 0, _2D "2D" = 1, _3D "3D" = 2, CUBE = 3 }
    values DestinationHorizontalAlign {
        HALIGN_16 = 0, HALIGN_32 = 1, HALIGN_64 = 2, HALIGN_128 = 3,
    }
    values DestinationVerticalAlign { VALIGN_4 = 1, VALIGN_8 = 2, VALIGN_16 = 3 }
    values NumberOfMultisamples {
        MULTISAMPLECOUNT_1 = 0, MULTISAMPLECOUNT_2 = 1, MULTISAMPLECOUNT_4 = 2,
        MULTISAMPLECOUNT_8 = 3, MULTISAMPLECOUNT_16 = 4,
    }
    values AuxSpecialOperationsMode {
        FAST_CLEAR_HW_FORMAT_CONVERSION = 0, FAST_CLEAR_BYPASS_HW_FORMAT_CONVERSION = 1,
        FORCE_UNCOMPRESS = 2,
    }
}

packet! {
    /// Copies a rectangle between surfaces of one format, without raster
    /// operation. Pitches count bytes, or dwords for tiled surfaces.
    ///
    /// Source: SKL PRM vol 2a, XY_FAST_COPY_BLT; igt-gpu-tools.
    xy_fast_copy_blt "XY_FAST_COPY_BLT" 0x5080_0000 on BLITTER [Gen9..]
    length { 10 in 7:0 }
    "Destination Tiling Method" DESTINATION_TILING_METHOD { 0:14:13 values(TilingMethod) }
    "Source Tiling Method" SOURCE_TILING_METHOD { 0:21:20 values(TilingMethod) }
    "Destination Pitch" DESTINATION_PITCH { 1:15:0 uint }
    "Destination MOCS" DESTINATION_MOCS { [Xe2..] 1:23:20 uint }
    "Color Depth" COLOR_DEPTH { 1:26:24 values(ColorDepth) }
    "Destination Memory Type" DESTINATION_MEMORY_TYPE { [Gen12Lp..=XeHpc] 1:28:28 uint }
    "Source Memory Type" SOURCE_MEMORY_TYPE { [Gen12Lp..=XeHpc] 1:29:29 uint }
    "Tile Y Type for Destination" TILE_Y_TYPE_FOR_DESTINATION { 1:30:30 uint }
    "Tile Y Type for Source" TILE_Y_TYPE_FOR_SOURCE { 1:31:31 uint }
    "Destination X1" DESTINATION_X1 { 2:15:0 int }
    "Destination Y1" DESTINATION_Y1 { 2:31:16 int }
    "Destination X2" DESTINATION_X2 { 3:15:0 int }
    "Destination Y2" DESTINATION_Y2 { 3:31:16 int }
    "Destination Base Address" DESTINATION_BASE_ADDRESS { 4:63:0 address }
    "Source X1" SOURCE_X1 { 6:15:0 int }
    "Source Y1" SOURCE_Y1 { 6:31:16 int }
    "Source Pitch" SOURCE_PITCH { 7:15:0 uint }
    "Source MOCS" SOURCE_MOCS { [Xe2..] 7:23:20 uint }
    "Source Base Address" SOURCE_BASE_ADDRESS { 8:63:0 address }
    values TilingMethod { LINEAR = 0, TILE_X = 1, TILE_Y = 2, TILE_64KB = 3 }
    values ColorDepth {
        _8_BIT "8_BIT" = 0, _16_BIT "16_BIT" = 1, _32_BIT "32_BIT" = 3, _64_BIT "64_BIT" = 4,
        _128_BIT "128_BIT" = 5,
    }
}

packet! {
    /// Copies a rectangle with a raster operation (CCh copies).
    ///
    /// Source: BDW PRM vol 2a, XY_SRC_COPY_BLT.
    xy_src_copy_blt "XY_SRC_COPY_BLT" 0x54c0_0000 on BLITTER [Gen8..=Gen12Lp]
    length { 10 in 7:0 }
    "Dest Tiling Enable" DEST_TILING_ENABLE { 0:11:11 bool }
    "Src Tiling Enable" SRC_TILING_ENABLE { 0:15:15 bool }
    "32bpp Byte Mask" BYTE_MASK_32BPP { 0:21:20 uint }
    "Destination Pitch" DESTINATION_PITCH { 1:15:0 uint }
    "Raster Operation" RASTER_OPERATION { 1:23:16 uint }
    "Color Depth" COLOR_DEPTH { 1:25:24 values(ColorDepth) }
    "Clipping Enabled" CLIPPING_ENABLED { 1:30:30 bool }
    "Destination X1" DESTINATION_X1 { 2:15:0 int }
    "Destination Y1" DESTINATION_Y1 { 2:31:16 int }
    "Destination X2" DESTINATION_X2 { 3:15:0 int }
    "Destination Y2" DESTINATION_Y2 { 3:31:16 int }
    "Destination Base Address" DESTINATION_BASE_ADDRESS { 4:63:0 address }
    "Source X1" SOURCE_X1 { 6:15:0 int }
    "Source Y1" SOURCE_Y1 { 6:31:16 int }
    "Source Pitch" SOURCE_PITCH { 7:15:0 int }
    "Source Base Address" SOURCE_BASE_ADDRESS { 8:63:0 address }
    values ColorDepth {
        _8_BIT "8_BIT" = 0, _16_BIT_565 "16_BIT_565" = 1, _16_BIT_1555 "16_BIT_1555" = 2,
        _32_BIT "32_BIT" = 3,
    }
}

packet! {
    /// Fills a rectangle with a raster operation (F0h fills).
    ///
    /// Source: BDW PRM vol 2a, XY_COLOR_BLT.
    xy_color_blt "XY_COLOR_BLT" 0x5400_0000 on BLITTER [Gen8..=Gen12Lp]
    length { 7 in 7:0 }
    "Tiling Enable" TILING_ENABLE { 0:11:11 bool }
    "32bpp Byte Mask" BYTE_MASK_32BPP { 0:21:20 uint }
    "Destination Pitch" DESTINATION_PITCH { 1:15:0 int }
    "Raster Operation" RASTER_OPERATION { 1:23:16 uint }
    "Color Depth" COLOR_DEPTH { 1:25:24 values(ColorDepth) }
    "Clipping Enabled" CLIPPING_ENABLED { 1:30:30 bool }
    "Destination X1" DESTINATION_X1 { 2:15:0 int }
    "Destination Y1" DESTINATION_Y1 { 2:31:16 int }
    "Destination X2" DESTINATION_X2 { 3:15:0 int }
    "Destination Y2" DESTINATION_Y2 { 3:31:16 int }
    "Destination Base Address" DESTINATION_BASE_ADDRESS { 4:63:0 address }
    "Solid Pattern Color" SOLID_PATTERN_COLOR { 6:31:0 uint }
    values ColorDepth {
        _8_BIT "8_BIT" = 0, _16_BIT_565 "16_BIT_565" = 1, _16_BIT_1555 "16_BIT_1555" = 2,
        _32_BIT "32_BIT" = 3,
    }
}

packet! {
    /// Copies bytes, in a row or as a matrix. Widths, heights and pitches are given minus one; a
    /// page copy counts 256-byte units.
    ///
    /// Source: Intel's compute-runtime.
    mem_copy "MEM_COPY" 0x5680_0000 on BLITTER [XeHpc..]
    length { 10 in 7:0 }
    "Compression Format" COMPRESSION_FORMAT { [XeHpc] 0:12:8 uint, [Xe2..] 0:12:9 values(values::UnifiedCompressionFormat) }
    "Destination Compression Enable" DESTINATION_COMPRESSION_ENABLE { [XeHpc] 0:13:13 bool }
    "Destination Compressible" DESTINATION_COMPRESSIBLE { [XeHpc] 0:15:15 bool }
    "Source Compressible" SOURCE_COMPRESSIBLE { [XeHpc] 0:16:16 bool }
    "Copy Type" COPY_TYPE { 0:18:17 values(CopyType) }
    "Mode" MODE { [Xe2..] 0:19:19 values(Mode) }
    "Transfer Width" TRANSFER_WIDTH { [XeHpc] 1:17:0 uint, [Xe2..] 1:23:0 uint }
    "Transfer Height" TRANSFER_HEIGHT { 2:17:0 uint }
    "Source Pitch" SOURCE_PITCH { 3:17:0 uint }
    "Destination Pitch" DESTINATION_PITCH { 4:17:0 uint }
    "Source Start Address" SOURCE_START_ADDRESS { 5:63:0 address }
    "Destination Start Address" DESTINATION_START_ADDRESS { 7:63:0 address }
    "Destination Encrypt En" DESTINATION_ENCRYPT_EN { [Xe2..] 9:0:0 bool }
    "Destination MOCS" DESTINATION_MOCS { [XeHpc] 9:6:0 uint, [Xe2..] 9:6:3 uint }
    "Source Encrypt En" SOURCE_ENCRYPT_EN { [Xe2..] 9:25:25 bool }
    "Source MOCS" SOURCE_MOCS { [XeHpc] 9:31:25 uint, [Xe2..] 9:31:28 uint }
    values CopyType { LINEAR_COPY = 0, MATRIX_COPY = 1 }
    values Mode { BYTE_COPY = 0, PAGE_COPY = 1 }
}

packet! {
    /// Fills bytes, in a row or as a matrix. Width, height and pitch are given minus one.
    ///
    /// Source: Intel's compute-runtime.
    mem_set "MEM_SET" 0x56c0_0000 on BLITTER [XeHpc..]
    length { 7 in 7:0 }
    "Compression Format" COMPRESSION_FORMAT { [XeHpc] 0:12:8 uint, [Xe2..] 0:12:9 values(values::UnifiedCompressionFormat) }
    "Destination Compression Enable" DESTINATION_COMPRESSION_ENABLE { [XeHpc] 0:13:13 bool }
    "Destination Compressible" DESTINATION_COMPRESSIBLE { [XeHpc] 0:15:15 bool }
    "Fill Type" FILL_TYPE { 0:18:17 values(FillType) }
    "Mode" MODE { [Xe2..] 0:20:19 values(Mode) }
    "Fill Width" FILL_WIDTH { [XeHpc] 1:17:0 uint, [Xe2..] 1:23:0 uint }
    "Fill Height" FILL_HEIGHT { 2:17:0 uint }
    "Destination Pitch" DESTINATION_PITCH { 3:17:0 uint }
    "Destination Start Address" DESTINATION_START_ADDRESS { 4:63:0 address }
    "Destination Encrypt En" DESTINATION_ENCRYPT_EN { [Xe2..] 6:0:0 bool }
    "Destination MOCS" DESTINATION_MOCS { [XeHpc] 6:6:0 uint, [Xe2..] 6:6:3 uint }
    "Fill Data" FILL_DATA { 6:31:24 uint }
    values FillType {
        LINEAR_FILL = 0, MATRIX_FILL = 1, FAST_CLEAR_LINEAR_FILL = 2, FAST_CLEAR_MATRIX_FILL = 3,
    }
    values Mode { FILL_MODE = 0, EVICT_MODE = 1 }
}
