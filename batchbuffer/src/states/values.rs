//! Values that several layouts share.

named_values! {
    /// `3D_Prim_Topo_Type`.
    N3dPrimTopoType {
        POINTLIST = 1,
        LINELIST = 2,
        LINESTRIP = 3,
        TRILIST = 4,
        TRISTRIP = 5,
        TRIFAN = 6,
        QUADLIST = 7,
        QUADSTRIP = 8,
        LINELIST_ADJ = 9,
        LINESTRIP_ADJ = 10,
        TRILIST_ADJ = 11,
        TRISTRIP_ADJ = 12,
        TRISTRIP_REVERSE = 13,
        POLYGON = 14,
        RECTLIST = 15,
        LINELOOP = 16,
        POINTLIST_BF "POINTLIST _BF" = 17,
        LINESTRIP_CONT = 18,
        LINESTRIP_BF = 19,
        LINESTRIP_CONT_BF = 20,
        TRIFAN_NOSTIPPLE = 22,
        PATCHLIST_1 = 32,
        PATCHLIST_2 = 33,
        PATCHLIST_3 = 34,
        PATCHLIST_4 = 35,
        PATCHLIST_5 = 36,
        PATCHLIST_6 = 37,
        PATCHLIST_7 = 38,
        PATCHLIST_8 = 39,
        PATCHLIST_9 = 40,
        PATCHLIST_10 = 41,
        PATCHLIST_11 = 42,
        PATCHLIST_12 = 43,
        PATCHLIST_13 = 44,
        PATCHLIST_14 = 45,
        PATCHLIST_15 = 46,
        PATCHLIST_16 = 47,
        PATCHLIST_17 = 48,
        PATCHLIST_18 = 49,
        PATCHLIST_19 = 50,
        PATCHLIST_20 = 51,
        PATCHLIST_21 = 52,
        PATCHLIST_22 = 53,
        PATCHLIST_23 = 54,
        PATCHLIST_24 = 55,
        PATCHLIST_25 = 56,
        PATCHLIST_26 = 57,
        PATCHLIST_27 = 58,
        PATCHLIST_28 = 59,
        PATCHLIST_29 = 60,
        PATCHLIST_30 = 61,
        PATCHLIST_31 = 62,
        PATCHLIST_32 = 63,
    }
}

named_values! {
    /// `Atomic_OPCODE`.
    AtomicOpcode {
        AND = 1,
        OR = 2,
        XOR = 3,
        MOVE = 4,
        INC = 5,
        DEC = 6,
        ADD = 7,
        SUB = 8,
        RSUB = 9,
        IMAX = 10,
        IMIN = 11,
        UMAX = 12,
        UMIN = 13,
        CMP_WR = 14,
        PREDEC = 15,
        AND8B = 33,
        OR8B = 34,
        XOR8B = 35,
        MOVE8B = 36,
        INC8B = 37,
        DEC8B = 38,
        ADD8B = 39,
        SUB8B = 40,
        RSUB8B = 41,
        IMAX8B = 42,
        IMIN8B = 43,
        UMAX8B = 44,
        UMIN8B = 45,
        CMP_WR8B = 46,
        PREDEC8B = 47,
        CMP_WR16B = 78,
    }
}

named_values! {
    /// `Clear Color`.
    ClearColor {
        CC_ZERO = 0,
        CC_ONE = 1,
    }
}

named_values! {
    /// `L1_CACHE_CONTROL`.
    L1CacheControl {
        WBP = 0,
        UC = 1,
        WB = 2,
        WT = 3,
        WS = 4,
    }
}

named_values! {
    /// `PREF_SLM_ALLOCATION_SIZE`.
    PrefSlmAllocationSize {
        SLM_ENCODES_0K = 0,
        SLM_ENCODES_16K = 1,
        SLM_ENCODES_32K = 2,
        SLM_ENCODES_64K = 3,
        SLM_ENCODES_96K = 4,
        SLM_ENCODES_128K = 5,
        SLM_ENCODES_160K = 6,
        SLM_ENCODES_192K = 7,
        SLM_ENCODES_224K = 8,
        SLM_ENCODES_256K = 9,
        SLM_ENCODES_384K = 10,
    }
}

named_values! {
    /// `RESOURCE_BARRIER_STAGE`.
    ResourceBarrierStage {
        NONE "None" = 0,
        TOP = 1,
        COLOR "Color" = 2,
        GPGPU "Gpgpu" = 4,
        COLOR_AND_COMPUTE "Color and Compute" = 6,
        GEOM "Geom" = 16,
        GEOMETRY_AND_COMPUTE "Geometry and Compute" = 20,
        RASTER "Raster" = 32,
        DEPTH "Depth" = 64,
        PIXEL "Pixel" = 128,
    }
}

named_values! {
    /// `RESOURCE_BARRIER_TYPE`.
    ResourceBarrierType {
        IMMEDIATE "Immediate" = 0,
        SIGNAL "Signal" = 1,
        WAIT "Wait" = 2,
        UAV = 3,
    }
}

named_values! {
    /// `STATE_SURFACE_TYPE`.
    StateSurfaceType {
        SURFTYPE_1D = 0,
        SURFTYPE_2D = 1,
        SURFTYPE_3D = 2,
        SURFTYPE_CUBE = 3,
        SURFTYPE_BUFFER = 4,
        SURFTYPE_RES5 = 5,
        SURFTYPE_SCRATCH = 6,
        SURFTYPE_NULL = 7,
    }
}

named_values! {
    /// `Shader Channel Select`.
    ShaderChannelSelect {
        ZERO = 0,
        ONE = 1,
        RED = 4,
        GREEN = 5,
        BLUE = 6,
        ALPHA = 7,
    }
}

named_values! {
    /// `Texture Coordinate Mode`.
    TextureCoordinateMode {
        WRAP = 0,
        MIRROR = 1,
        CLAMP = 2,
        CUBE = 3,
        CLAMP_BORDER = 4,
        MIRROR_ONCE = 5,
        HALF_BORDER = 6,
        MIRROR_101 = 7,
    }
}

named_values! {
    /// `UNIFIED_COMPRESSION_FORMAT`.
    UnifiedCompressionFormat {
        CMF_R8 = 0,
        CMF_R8_G8 = 1,
        CMF_R8_G8_B8_A8 = 2,
        CMF_R10_G10_B10_A2 = 3,
        CMF_R11_G11_B10 = 4,
        CMF_R16 = 5,
        CMF_R16_G16 = 6,
        CMF_R16_G16_B16_A16 = 7,
        CMF_R32 = 8,
        CMF_R32_G32 = 9,
        CMF_R32_G32_B32_A32 = 10,
        CMF_Y16_U16_Y16_V16 = 11,
        CMF_ML8 = 15,
    }
}
