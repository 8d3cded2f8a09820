//! Send messages as values: messages that can be built have descriptors that mean the same, and
//! descriptors that mean a message are rebuilt from it.
#![cfg(test)]

mod common;

use std::collections::HashMap;

use arbitrary::Unstructured;
use common::messages::message;
use devinfo::{Family, span};
use isa_encoder::Sfid;
use isa_encoder::message::{DescriptorError, Descriptors, Lsc, Message};
use oracles::Random;

/// The name of a message's kind, for counting.
fn kind(message: &Message) -> String {
    let text = format!("{message:?}");
    let end = text.find([' ', '{']).unwrap_or(text.len());
    text[..end].to_owned()
}

#[test]
fn what_can_be_built_means_the_same() {
    let mut random = Random::new(1);
    let mut built: HashMap<(String, Family), usize> = HashMap::new();
    for _ in 0..60_000 {
        let bytes = random.bytes(96);
        let value = message(&mut Unstructured::new(&bytes)).unwrap();
        for family in Family::ALL {
            match value.encode(family) {
                Ok((function, mut descriptors)) => {
                    assert_eq!(value.validate(family), Ok(()));
                    if let Message::Lsc(
                        Lsc::Atomic { returns: true, .. }
                        | Lsc::AppendCounter { returns: true, .. },
                    ) = value
                    {
                        // The response length says whether an atomic returns.
                        descriptors.descriptor |= 1 << 20;
                    }
                    let again = Message::decode(family, function, descriptors);
                    assert_eq!(again, Ok(value), "{family} {descriptors:x?}");
                    *built.entry((kind(&value), family)).or_default() += 1;
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    for family in Family::ALL {
        let has = |kind: &str| {
            built
                .keys()
                .any(|(k, f)| k.starts_with(kind) && *f == family)
        };
        assert!(has("Sampler") && has("Gateway"), "{family}: {built:?}");
        assert_eq!(has("Hdc"), span!(..=XeHpc).contains(family), "{family}");
        assert_eq!(has("Lsc"), span!(XeHpg..).contains(family), "{family}");
        assert!(has("RenderTarget"), "{family}");
        assert_eq!(has("Urb"), span!(..=XeHpc).contains(family), "{family}");
        assert_eq!(
            has("RayTracing"),
            span!(XeHpg..).contains(family),
            "{family}"
        );
        assert_eq!(
            has("EndOfThread"),
            span!(..=Gen12Lp).contains(family),
            "{family}"
        );
    }
}

/// Each descriptor that means something and breaks no rule is rebuilt from its meaning.
#[test]
fn descriptors_survive_decode_and_encode() {
    let mut random = Random::new(2);
    let functions = [
        Sfid::DataPort0,
        Sfid::DataPort1,
        Sfid::DataPort2,
        Sfid::ConstantCache,
        Sfid::Sampler,
        Sfid::Gateway,
        Sfid::Ugm,
        Sfid::Ugml,
        Sfid::Tgm,
        Sfid::Slm,
        Sfid::Urb,
        Sfid::ThreadSpawner,
        Sfid::RenderCache,
        Sfid::RayTracing,
        Sfid::BindlessThreadDispatch,
    ];
    let mut count = 0;
    for _ in 0..40_000 {
        let descriptor = random.bits() as u32;
        let extended = random.bits() as u32 & 0xffff_f000;
        for family in Family::ALL {
            for function in functions {
                if function.id(family).is_err() {
                    continue;
                }
                let descriptors = Descriptors {
                    descriptor,
                    extended,
                    ..Descriptors::default()
                };
                let Ok(value) = Message::decode(family, function, descriptors) else {
                    continue;
                };
                match value.encode(family) {
                    Ok((again, mut sent)) => {
                        assert_eq!(again, function, "{family} {value:?}");
                        // The response length says whether an atomic returns.
                        sent.descriptor |= descriptor & 0x1f0_0000;
                        let meaning = Message::decode(family, function, sent);
                        assert_eq!(meaning, Ok(value), "{family} {descriptors:x?}");
                        count += 1;
                    }
                    Err(DescriptorError::Rule { .. }) => {}
                    Err(error) => {
                        panic!(
                            "{family} {function} {descriptor:#x} {extended:#x}: {value:?}: {error}"
                        )
                    }
                }
            }
        }
    }
    assert!(count > 10_000, "{count}");
}
