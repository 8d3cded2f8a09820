//! `run --aub`: recording what is submitted.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use softgpu_bus::aub::Recorder;
use umd::{Device, DeviceSpec, OpenOptions};

use super::bind::{Bound, Value};
use crate::exit::Error;
use crate::talk;

/// An AUB file that is being written.
#[derive(Debug)]
pub struct Recording {
    recorder: Arc<Recorder>,
    path: PathBuf,
}

impl Recording {
    /// Opens a device whose work is recorded.
    pub fn begin(
        path: &Path,
        spec: &DeviceSpec,
        options: &OpenOptions,
    ) -> Result<(Device, Self), Error> {
        let usage = |error: &dyn std::fmt::Display| Error::Usage(format!("--aub: {error}"));
        if !matches!(
            spec,
            DeviceSpec::BareMetal { .. } | DeviceSpec::Function(_) | DeviceSpec::Tbx { .. }
        ) {
            return Err(usage(&format_args!(
                "it records work without a kernel driver: use --device baremetal:PLATFORM, not {spec}"
            )));
        }
        let (bus, limits) = Device::bus(spec, options)?;
        let out = File::create(path).map_err(|error| Error::unwritable(path, error))?;
        let recorder = Recorder::new(bus, BufWriter::new(out)).map_err(|error| usage(&error))?;
        let recorder = Arc::new(recorder);
        let device = Device::of_bus((recorder.clone(), limits), &spec.to_string(), options)?;
        talk::say(format_args!(
            "device: {spec}, recorded in {}",
            path.display()
        ));
        let path = path.to_owned();
        Ok((device, Self { recorder, path }))
    }

    /// Ends the file. If the run went well, it expects the buffers to be what they are.
    pub fn finish(&self, bound: &[Bound], went_well: bool) -> Result<(), Error> {
        for (index, one) in bound.iter().enumerate().filter(|_| went_well) {
            if let Value::Buffer(buffer) = &one.value {
                let (address, bytes) = (buffer.address(), buffer.size());
                let text = format!("argument {index}: {bytes} bytes at {address}");
                self.recorder.comment(&text);
                self.recorder.expect(address, bytes);
            }
        }
        let finished = self.recorder.finish();
        finished.map_err(|error| Error::unwritable(&self.path, error))
    }
}
