//! A message of any shared function.

use core::fmt;

use devinfo::{Family, span};

use super::descriptors::Descriptors;
use super::error::DescriptorError;
use super::gateway::{self, Gateway, ThreadSpawner};
use super::hdc::{self, Hdc};
use super::layout::{Field, Words};
use super::lsc::{self, Lsc};
use super::pipeline::{self, RenderTarget, Urb};
use super::raytracing::{self, RayTracing};
use super::sampler::{self, Sampler};
use crate::Sfid;

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Data cache messages of the classic data port.
    Hdc(Hdc),
    /// Load/store messages of XeHPG and later.
    Lsc(Lsc),
    /// Sampler messages.
    Sampler(Sampler),
    /// Gateway messages.
    Gateway(Gateway),
    /// Render target messages.
    RenderTarget(RenderTarget),
    /// Messages to the unified return buffer, before Xe2.
    Urb(Urb),
    /// Messages of ray tracing.
    RayTracing(RayTracing),
    /// End of thread at the thread spawner (before XeHPG).
    EndOfThread,
}

impl Message {
    /// The message that `descriptors` mean to `function`.
    ///
    /// # Errors
    /// [`DescriptorError::Field`] names the field that the family does not define, or the
    /// function when none of its messages are known.
    pub fn decode(
        family: Family,
        function: Sfid,
        descriptors: Descriptors,
    ) -> Result<Self, DescriptorError> {
        let words = Words::new(family, function, descriptors);
        let undefined = |field: Field| words.undefined(field.name, field.code(&words));
        macro_rules! of {
            ($message:ident, $kind:expr) => {
                $message::decode(&words)
                    .map(Self::$message)
                    .map_err(|miss| miss.unwrap_or_else(|| undefined($kind)))
            };
        }
        match function {
            Sfid::DataPort0 | Sfid::DataPort1 | Sfid::DataPort2 | Sfid::ConstantCache => {
                hdc::decode(&words).map(Self::Hdc)
            }
            Sfid::Ugm | Sfid::Ugml | Sfid::Tgm | Sfid::Slm => of!(Lsc, lsc::OPCODE),
            Sfid::Urb if is_load_store(family, function) => of!(Lsc, lsc::OPCODE),
            Sfid::Urb => of!(Urb, pipeline::URB_OPCODE),
            Sfid::RenderCache => of!(RenderTarget, pipeline::TYPE),
            Sfid::RayTracing | Sfid::BindlessThreadDispatch => of!(RayTracing, raytracing::TYPE),
            Sfid::Sampler => of!(Sampler, sampler::TYPE),
            Sfid::Gateway => of!(Gateway, gateway::OPCODE),
            Sfid::ThreadSpawner => ThreadSpawner::decode(&words)
                .map(|_| Self::EndOfThread)
                .map_err(|miss| miss.unwrap_or_else(|| undefined(gateway::TS_OPCODE))),
            Sfid::Null
            | Sfid::VideoMotionEstimation
            | Sfid::PixelInterpolator
            | Sfid::CheckRefinement => Err(undefined(Field::new("message", 18, 0))),
        }
    }

    /// The shared function and the descriptors (lengths zero: see [`Lengths::encode`](super::Lengths::encode)) that
    /// express this message.
    ///
    /// # Errors
    /// [`DescriptorError::Rule`] and [`DescriptorError::Unsupported`] when the family does not have
    /// the message, [`DescriptorError::Value`] and [`DescriptorError::Range`] when a value does not
    /// fit its field.
    pub fn encode(self, family: Family) -> Result<(Sfid, Descriptors), DescriptorError> {
        self.check_rules(family)?;
        let words = match self {
            Self::Hdc(message) => message.encode(family),
            Self::Lsc(message) => message.encode(family),
            Self::Sampler(message) => message.encode(family),
            Self::Gateway(message) => message.encode(family),
            Self::RenderTarget(message) => message.encode(family),
            Self::Urb(message) => message.encode(family),
            Self::RayTracing(message) => message.encode(family),
            Self::EndOfThread => ThreadSpawner::EndOfThread.encode(family),
        }?;
        Ok((words.function, words.descriptors))
    }

    /// Whether it is an atomic operation.
    pub const fn is_atomic(&self) -> bool {
        match self {
            Self::Hdc(message) => matches!(
                message,
                Hdc::Atomic { .. } | Hdc::TypedAtomic { .. } | Hdc::CounterAtomic { .. }
            ),
            Self::Lsc(message) => message.is_atomic(),
            _ => false,
        }
    }

    /// Whether `family` has this message.
    ///
    /// # Errors
    /// As [`Message::encode`].
    pub fn validate(&self, family: Family) -> Result<(), DescriptorError> {
        self.encode(family).map(|_| ())
    }
}

/// Whether the messages to `function` are load/store ones, which have no header.
pub(crate) const fn is_load_store(family: Family, function: Sfid) -> bool {
    match function {
        Sfid::Ugm | Sfid::Ugml | Sfid::Tgm | Sfid::Slm => true,
        Sfid::Urb => span!(Xe2..).contains(family),
        _ => false,
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hdc(message) => message.fmt(f),
            Self::Lsc(message) => message.fmt(f),
            Self::Sampler(message) => message.fmt(f),
            Self::Gateway(message) => message.fmt(f),
            Self::RenderTarget(message) => message.fmt(f),
            Self::Urb(message) => message.fmt(f),
            Self::RayTracing(message) => message.fmt(f),
            Self::EndOfThread => f.write_str("end of thread"),
        }
    }
}
