//! Combinations of message fields that have an encoding but do not exist.
//!
//! The decoder accepts them, so that a program with them can be shown; [`Message::encode`] refuses
//! them. Combinations without a layout need no rule.

use devinfo::{Family, Span, span};

use super::{
    AddressSize, CachePolicy, DataSize, DescriptorError, Direction, Hdc, HdcAddress, HdcSurface,
    Lsc, LscAddress, LscPort, Message, RenderMode, RenderTarget, Sampler,
};

/// A restriction on messages.
#[derive(Clone, Copy, Debug)]
pub struct MessageRule {
    /// A short name, unique among the rules of messages.
    pub name: &'static str,
    /// The families that have the restriction.
    pub families: Span,
    /// The restriction in a sentence.
    pub text: &'static str,
    /// Where it is documented.
    pub source: &'static str,
    is_broken: fn(&Message) -> bool,
}

const VISA: &str = "IGC documentation/visa/instructions/LSC_UNTYPED.md";
const VISA_TYPED: &str = "IGC documentation/visa/instructions/LSC_TYPED.md";
const IGA_LSC: &str = "IGA MessageDecoderLSC.cpp";
const DATA_PORT: &str = "SKL and TGL PRM vol 2d, data port message descriptors";

/// `name (families) kind: text, source, |message| is broken;`
macro_rules! rules {
    ($($name:literal ($($span:tt)*) $kind:ident: $text:literal, $source:expr,
        |$message:ident| $broken:expr;)*) => {
        /// The restrictions on messages.
        pub static MESSAGE_RULES: &[MessageRule] = &[$(MessageRule {
            name: $name,
            families: span!($($span)*),
            text: $text,
            source: $source,
            is_broken: |message| matches!(message, Message::$kind($message) if $broken),
        },)*];
    };
}

rules! {
    "typed-vector" (..) Lsc:
        "typed memory is accessed by quads, blocks and atomics, not by vectors", VISA_TYPED,
        |message| message.port() == LscPort::Tgm
            && matches!(message, Lsc::Vector { .. } | Lsc::StoreUncompressed { .. });
    "typed-surface" (..) Lsc:
        "typed memory is accessed through a surface", VISA_TYPED,
        |message| message.port() == LscPort::Tgm && message.is_flat();
    "slm-flat" (..) Lsc:
        "shared local memory has no surfaces", IGA_LSC,
        |message| message.port() == LscPort::Slm && has_surface(message);
    "slm-address-size" (..) Lsc:
        "addresses of shared local memory have 16 or 32 bits", VISA,
        |message| message.port() == LscPort::Slm
            && message.address_size() == Some(AddressSize::A64);
    "surface-address-size" (..) Lsc:
        "offsets into a surface have 16 or 32 bits", VISA,
        |message| has_surface(message) && message.address_size() == Some(AddressSize::A64);
    "flat-address-size" (..) Lsc:
        "flat addresses of global memory have 32 or 64 bits", VISA,
        |message| message.port() != LscPort::Slm
            && message.is_flat()
            && message.address_size() == Some(AddressSize::A16);
    "atomic-cache" (..) Lsc:
        "atomics bypass the first cache level", IGA_LSC,
        |message| message.is_atomic()
            && message.cache().is_some_and(|cache| {
                !matches!(cache.l1, CachePolicy::State | CachePolicy::Uncached)
            });
    "state-surface" (..) Lsc:
        "only surfaces have a state to read and a counter", IGA_LSC,
        |message| message.is_flat()
            && matches!(message, Lsc::ReadState { .. } | Lsc::AppendCounter { .. });
    "compression-page" (..) Lsc:
        "pages are named by flat addresses of 64 bits", IGA_LSC,
        |message| matches!(message, Lsc::Compression { op, address_size, .. }
            if op.is_page() && (!message.is_flat() || *address_size != AddressSize::A64));
    "urb-family" (..=XeHpc) Lsc:
        "the unified return buffer takes load/store messages from Xe2 on",
        "Mesa brw_disasm.c; IGA MessageDecoder.cpp",
        |message| message.port() == LscPort::Urb;
    "urb-flat" (..) Lsc:
        "load/store messages to the unified return buffer are flat, and no blocks",
        "Mesa brw_disasm.c; IGA MessageDecoder.cpp",
        |message| message.port() == LscPort::Urb
            && (has_surface(message) || matches!(message, Lsc::Block2d { .. }));
    "packed-data" (..) Lsc:
        "elements of 8 and 16 bits are packed in registers only by two-dimensional blocks",
        IGA_LSC,
        |message| matches!(message.part(), Some(DataSize::D8 | DataSize::D16))
            && !matches!(message, Lsc::Block2d { .. } | Lsc::LoadStatus { .. });
    "long-vector" (..) Lsc:
        "vectors of more than 8 elements are transposed", VISA,
        |message| matches!(
            message,
            Lsc::Vector { elements: 9.., transpose: false, .. }
                | Lsc::StoreUncompressed { elements: 9.., transpose: false, .. }
                | Lsc::LoadStatus { elements: 9.., .. }
        );
    "transposed-data" (..) Lsc:
        "transposed vectors have elements of 32 or 64 bits", VISA,
        |message| matches!(
            message,
            Lsc::Vector { transpose: true, data, .. }
                | Lsc::StoreUncompressed { transpose: true, data, .. }
                if !matches!(data, DataSize::D32 | DataSize::D64)
        );
    "atomic-data" (..) Lsc:
        "atomic operands have 16 bits (in 32), 32 or 64", VISA,
        |message| message.is_atomic()
            && !matches!(message.part(), Some(DataSize::D64 | DataSize::D32 | DataSize::D16U32));
    "atomic-double" (..=XeHpg) Lsc:
        "64-bit floats are added, subtracted and compared from XeHPC on", VISA,
        |message| matches!(message, Lsc::Atomic { op, data: DataSize::D64, .. } if op.is_float());
    "block2d-family" (..=XeHpg) Lsc:
        "two-dimensional blocks exist from XeHPC on",
        "Mesa brw_eu_defines.h, lsc_opcode; IGC documentation/visa/instructions",
        |message| matches!(message, Lsc::Block2d { .. });
    "block2d-typed" (..=XeHpc) Lsc:
        "two-dimensional blocks of typed memory exist from Xe2 on",
        "Mesa brw_eu_defines.h, lsc_opcode; IGC documentation/visa/instructions",
        |message| matches!(message, Lsc::Block2d { port: LscPort::Tgm, .. });
    "block2d-address" (..) Lsc:
        "two-dimensional blocks of untyped memory are flat, those of typed memory in a binding \
         table or the bindless heap",
        "IGC documentation/visa/instructions/LSC_UNTYPED.md; IGA MessageDecoderLSC.cpp",
        |message| matches!(message, Lsc::Block2d { port, address, .. } if match port {
            LscPort::Tgm => matches!(address, LscAddress::Ss { .. }),
            LscPort::Slm => true,
            LscPort::Ugm | LscPort::Ugml | LscPort::Urb => has_surface(message),
        });
    "block2d-data" (..) Lsc:
        "elements of two-dimensional blocks have 8, 16, 32 or 64 bits, typed ones 32", VISA,
        |message| matches!(message, Lsc::Block2d { port, data, .. } if match port {
            LscPort::Tgm => *data != DataSize::D32,
            _ => data.memory_bytes() != data.register_bytes(),
        });
    "block2d-layout" (..) Lsc:
        "only untyped block loads are transposed (32 and 64 bits) or packed for dpas (8 and 16 \
         bits)",
        VISA,
        |message| matches!(message, Lsc::Block2d { port, direction, layout, data, .. } if {
            let plain = *direction == Direction::Write || *port == LscPort::Tgm;
            let wide = matches!(data, DataSize::D32 | DataSize::D64);
            plain && (layout.transpose || layout.vnni)
                || layout.transpose && !wide
                || layout.vnni && wide
        });
    "data-port-family" (Xe2..) Hdc:
        "the classic data ports have messages to XeHPC",
        "Mesa brw_eu.h (all of Xe2 goes by lsc_msg_desc)",
        |_message| true;
    "constant-cache" (..) Hdc:
        "the constant cache does not read shared local memory", DATA_PORT,
        |message| matches!(
            message,
            Hdc::OwordBlock { port, address: HdcAddress::A32(HdcSurface::Slm), .. }
                | Hdc::OwordDualBlock { port, address: HdcAddress::A32(HdcSurface::Slm), .. }
                | Hdc::Scattered { port, address: HdcAddress::A32(HdcSurface::Slm), .. }
                if *port == super::BlockPort::Constant
        );
    "bindless-family" (..=Gen8) Hdc:
        "the bindless surface heap exists from Gen9 on",
        "Mesa brw_eu_defines.h (GFX9_BTI_BINDLESS)",
        |message| matches!(message.surface(), Some(HdcSurface::Bindless(_)));
    "render-mode" (Xe2..) RenderTarget:
        "colours for blending go without source 0 alpha",
        "IGA MessageDecoderOther.cpp (tryDecodeRC_XE2)",
        |message| matches!(message, RenderTarget::Write { mode: RenderMode::DualLow, outputs, .. }
            if outputs.source_alpha);
    "sampler-half" (..=Gen9) Sampler:
        "samplers take half parameters from Gen11 on",
        "Mesa brw_eu_defines.h (GFX10_SAMPLER_SIMD_MODE_SIMD8H)",
        |message| matches!(message, Sampler { half_parameters: true, .. });
}

fn has_surface(message: &Lsc) -> bool {
    message.address().is_some() && !message.is_flat()
}

impl Message {
    /// Whether the message breaks none of [`MESSAGE_RULES`] on `family`.
    pub(super) fn check_rules(&self, family: Family) -> Result<(), DescriptorError> {
        let mut rules = MESSAGE_RULES.iter();
        match rules.find(|rule| rule.families.contains(family) && (rule.is_broken)(self)) {
            None => Ok(()),
            Some(rule) => Err(DescriptorError::Rule {
                rule: rule.name,
                text: rule.text,
                family,
            }),
        }
    }
}
