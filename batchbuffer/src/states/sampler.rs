//! Samplers.

state! {
    /// How an image is sampled. 16 bytes.
    ///
    /// Source: TGL PRM vol 2d, SAMPLER_STATE.
    sampler_state "SAMPLER_STATE" [Gen8..]
    length { 4 }
    "Anisotropic Algorithm" ANISOTROPIC_ALGORITHM { 0:0:0 values(AnisotropicAlgorithm) }
    "Texture LOD Bias" TEXTURE_LOD_BIAS { 0:13:1 sfixed(8) }
    "Min Mode Filter" MIN_MODE_FILTER { 0:16:14 values(MinModeFilter) }
    "Mag Mode Filter" MAG_MODE_FILTER { 0:19:17 values(MagModeFilter) }
    "Mip Mode Filter" MIP_MODE_FILTER { 0:21:20 values(MipModeFilter) }
    "Base Mip Level" BASE_MIP_LEVEL { [Gen8] 0:26:22 ufixed(1) }
    "Coarse LOD Quality Mode" COARSE_LOD_QUALITY_MODE { [Gen9..] 0:26:22 uint }
    "LOD PreClamp Mode" LOD_PRECLAMP_MODE { 0:28:27 values(LodPreClampMode) }
    "Texture Border Color Mode" TEXTURE_BORDER_COLOR_MODE { 0:29:29 values(TextureBorderColorMode) }
    "CPS LOD Compensation Enable" CPS_LOD_COMPENSATION_ENABLE { [Gen11..] 0:30:30 bool }
    "Sampler Disable" SAMPLER_DISABLE { 0:31:31 bool }
    "Cube Surface Control Mode" CUBE_SURFACE_CONTROL_MODE { 1:0:0 values(CubeSurfaceControlMode) }
    "Shadow Function" SHADOW_FUNCTION { 1:3:1 values(ShadowFunction) }
    "ChromaKey Mode" CHROMAKEY_MODE { 1:4:4 values(ChromaKeyMode) }
    "ChromaKey Index" CHROMAKEY_INDEX { 1:6:5 uint }
    "ChromaKey Enable" CHROMAKEY_ENABLE { 1:7:7 bool }
    "Max LOD" MAX_LOD { 1:19:8 ufixed(8) }
    "Min LOD" MIN_LOD { 1:31:20 ufixed(8) }
    "LOD Clamp Magnification Mode" LOD_CLAMP_MAGNIFICATION_MODE { 2:0:0 values(LodClampMagnificationMode) }
    "SRGB DECODE" SRGB_DECODE { [Gen11..] 2:1:1 values(SrgbDecode) }
    "Return Filter Weight for Null Texels" RETURN_FILTER_WEIGHT_FOR_NULL_TEXELS { [Gen11..] 2:2:2 uint }
    "Return Filter Weight for Border Texels" RETURN_FILTER_WEIGHT_FOR_BORDER_TEXELS { [Gen11..] 2:3:3 uint }
    "Force gather4 Behavior" FORCE_GATHER4_BEHAVIOR { [Gen11..] 2:5:5 bool }
    "Border Color Pointer" BORDER_COLOR_POINTER { [Gen8..=Gen11] 2:23:6 offset, [Gen12Lp..] 2:31:6 offset }
    "TCZ Address Control Mode" TCZ_ADDRESS_CONTROL_MODE { 3:2:0 values(values::TextureCoordinateMode) }
    "TCY Address Control Mode" TCY_ADDRESS_CONTROL_MODE { 3:5:3 values(values::TextureCoordinateMode) }
    "TCX Address Control Mode" TCX_ADDRESS_CONTROL_MODE { 3:8:6 values(values::TextureCoordinateMode) }
    "Reduction Type Enable" REDUCTION_TYPE_ENABLE { [Gen9..] 3:9:9 bool }
    "Non-normalized Coordinate Enable" NON_NORMALIZED_COORDINATE_ENABLE { 3:10:10 bool }
    "Trilinear Filter Quality" TRILINEAR_FILTER_QUALITY { 3:12:11 values(TrilinearFilterQuality) }
    "R Address Min Filter Rounding Enable" R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE { 3:13:13 bool }
    "R Address Mag Filter Rounding Enable" R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE { 3:14:14 bool }
    "V Address Min Filter Rounding Enable" V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE { 3:15:15 bool }
    "V Address Mag Filter Rounding Enable" V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE { 3:16:16 bool }
    "U Address Min Filter Rounding Enable" U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE { 3:17:17 bool }
    "U Address Mag Filter Rounding Enable" U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE { 3:18:18 bool }
    "Maximum Anisotropy" MAXIMUM_ANISOTROPY { 3:21:19 values(MaximumAnisotropy) }
    "Reduction Type" REDUCTION_TYPE { [Gen9..] 3:23:22 values(ReductionType) }
    "Allow Low Quality LOD Calculation" ALLOW_LOW_QUALITY_LOD_CALCULATION { [Gen11..] 3:24:24 bool }
    "Low Quality Filter" LOW_QUALITY_FILTER { [Gen12Lp..] 3:26:26 bool }
    values AnisotropicAlgorithm { LEGACY = 0, EWA_APPROXIMATION "EWA Approximation" = 1 }
    values MinModeFilter { NEAREST = 0, LINEAR = 1, ANISOTROPIC = 2, MONO = 6 }
    values MagModeFilter { NEAREST = 0, LINEAR = 1, ANISOTROPIC = 2, MONO = 6 }
    values MipModeFilter { NONE = 0, NEAREST = 1, LINEAR = 3 }
    values LodPreClampMode { NONE = 0, OGL = 2 }
    values TextureBorderColorMode { DX10_OGL "DX10/OGL" = 0, DX9 = 1 }
    values CubeSurfaceControlMode { PROGRAMMED = 0, OVERRIDE = 1 }
    values ShadowFunction {
        ALWAYS = 0, NEVER = 1, LESS = 2, EQUAL = 3, LEQUAL = 4, GREATER = 5, NOTEQUAL = 6,
        GEQUAL = 7,
    }
    values ChromaKeyMode { KEYFILTER_KILL_ON_ANY_MATCH = 0, KEYFILTER_REPLACE_BLACK = 1 }
    values LodClampMagnificationMode { MIPNONE = 0, MIPFILTER = 1 }
    values TrilinearFilterQuality { FULL = 0, HIGH = 1, MED = 2, LOW = 3 }
    values MaximumAnisotropy {
        RATIO_2_1 "RATIO 2:1" = 0, RATIO_4_1 "RATIO 4:1" = 1, RATIO_6_1 "RATIO 6:1" = 2,
        RATIO_8_1 "RATIO 8:1" = 3, RATIO_10_1 "RATIO 10:1" = 4, RATIO_12_1 "RATIO 12:1" = 5,
        RATIO_14_1 "RATIO 14:1" = 6, RATIO_16_1 "RATIO 16:1" = 7,
    }
    values ReductionType { STD_FILTER = 0, COMPARISON = 1, MINIMUM = 2, MAXIMUM = 3 }
    values SrgbDecode { DECODE_EXT = 0, SKIP_DECODE_EXT = 1 }
}

state! {
    /// The colour beyond an image's edges.
    sampler_border_color_state "SAMPLER_BORDER_COLOR_STATE" [Gen8..]
    length { 4 }
    "Border Color Float Red" BORDER_COLOR_FLOAT_RED { 0:31:0 float }
    "Border Color 32bit Red" BORDER_COLOR_32BIT_RED { 0:31:0 uint }
    "Border Color Float Green" BORDER_COLOR_FLOAT_GREEN { 1:31:0 float }
    "Border Color 32bit Green" BORDER_COLOR_32BIT_GREEN { 1:31:0 uint }
    "Border Color Float Blue" BORDER_COLOR_FLOAT_BLUE { 2:31:0 float }
    "Border Color 32bit Blue" BORDER_COLOR_32BIT_BLUE { 2:31:0 uint }
    "Border Color Float Alpha" BORDER_COLOR_FLOAT_ALPHA { 3:31:0 float }
    "Border Color 32bit Alpha" BORDER_COLOR_32BIT_ALPHA { 3:31:0 uint }
}

state! {
    /// The colour beyond an image's edges.
    sampler_indirect_state_border_color "SAMPLER_INDIRECT_STATE_BORDER_COLOR" [Gen11..]
    length { 4 }
    "Border Color Red As S31" BORDER_COLOR_RED_AS_S31 { 0:31:0 int }
    "Border Color Red As U32" BORDER_COLOR_RED_AS_U32 { 0:31:0 uint }
    "Border Color Red As Float" BORDER_COLOR_RED_AS_FLOAT { 0:31:0 float }
    "Border Color Red As U8" BORDER_COLOR_RED_AS_U8 { 0:7:0 uint }
    "Border Color Green As U8" BORDER_COLOR_GREEN_AS_U8 { 0:15:8 uint }
    "Border Color Blue As U8" BORDER_COLOR_BLUE_AS_U8 { 0:23:16 uint }
    "Border Color Alpha As U8" BORDER_COLOR_ALPHA_AS_U8 { 0:31:24 uint }
    "Border Color Green As S31" BORDER_COLOR_GREEN_AS_S31 { 1:31:0 int }
    "Border Color Green As U32" BORDER_COLOR_GREEN_AS_U32 { 1:31:0 uint }
    "Border Color Green As Float" BORDER_COLOR_GREEN_AS_FLOAT { 1:31:0 float }
    "Border Color Blue As S31" BORDER_COLOR_BLUE_AS_S31 { 2:31:0 int }
    "Border Color Blue As U32" BORDER_COLOR_BLUE_AS_U32 { 2:31:0 uint }
    "Border Color Blue As Float" BORDER_COLOR_BLUE_AS_FLOAT { 2:31:0 float }
    "Border Color Alpha As S31" BORDER_COLOR_ALPHA_AS_S31 { 3:31:0 int }
    "Border Color Alpha As U32" BORDER_COLOR_ALPHA_AS_U32 { 3:31:0 uint }
    "Border Color Alpha As Float" BORDER_COLOR_ALPHA_AS_FLOAT { 3:31:0 float }
}
