//! Devices.

use std::collections::VecDeque;
use std::ffi::{CString, c_char};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use umd::{DeviceSpec, OpenOptions};

use crate::event::{Event, UserEvent};
use crate::pointers::{get, handle, put_text, text};
use crate::status::{Failure, Status, call, make};

/// An open device.
#[derive(Debug)]
pub struct Device {
    pub(crate) inner: umd::Device,
    platform: CString,
    title: CString,
    /// Taken from the device, not read yet.
    violations: Mutex<VecDeque<umd::Violation>>,
}

/// How a device is opened. All zeros is the usual way.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceOptions {
    /// Host threads of the software GPU; 0 for as many as there are cores.
    pub threads: u32,
    /// Not 0: the software GPU reports what silicon leaves undefined (`ig_device_next_violation`).
    pub check: u32,
    /// Not 0: accesses to unbound pages reach a scratch page instead of failing.
    pub scratch_page: u32,
    /// Always 0.
    pub reserved: u32,
    /// After how many nanoseconds the software GPU calls a kernel hung; 0 for its default.
    pub hang_timeout: u64,
}

/// Opens a device: a render node's path, `soft:PLATFORM[:REVISION][@DRIVER]` (the software GPU),
/// `baremetal:PLATFORM` (its registers, without a kernel driver), `tbx:ADDRESS:PORT:PLATFORM` (a simulator
/// that speaks TBX), or `auto`. `options` may be null. `options_size` is `sizeof *options`, or 0.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_device_open(
    name: *const c_char,
    options: *const DeviceOptions,
    options_size: usize,
    device: Option<&mut *mut Device>,
) -> Status {
    make(device, || {
        // SAFETY: as the caller promises.
        let name = unsafe { text(name, "name") }?;
        let mut asked = DeviceOptions::default();
        if !options.is_null() {
            // SAFETY: as the caller promises.
            unsafe { get(options, options_size, &mut asked) }?;
        }
        if asked.reserved != 0 {
            return Err(Failure::usage("the options' `reserved` is not 0"));
        }
        let spec: DeviceSpec = name.parse()?;
        let options = OpenOptions {
            threads: (asked.threads > 0).then_some(asked.threads as usize),
            check: asked.check != 0,
            scratch_page: asked.scratch_page != 0,
            hang_timeout: (asked.hang_timeout > 0)
                .then(|| Duration::from_nanos(asked.hang_timeout)),
            ..OpenOptions::default()
        };
        let inner = umd::Device::open_with(&spec, &options)?;
        let platform = CString::new(inner.target().platform.name).unwrap_or_default();
        let title = CString::new(inner.target().platform.title).unwrap_or_default();
        Ok(Device {
            inner,
            platform,
            title,
            violations: Mutex::default(),
        })
    })
}

/// Copies the text of the oldest violation that was not read yet, in English, as many bytes as there
/// is room for and a zero, and marks it as read. `length` becomes the length of the whole
/// text without the zero; 0 if there is none. There are none without `check` in the options.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_device_next_violation(
    device: Option<&Device>,
    buffer: *mut c_char,
    size: usize,
    length: Option<&mut usize>,
) -> Status {
    call(|| {
        let device = handle(device, "device")?;
        let length = length.ok_or_else(|| Failure::usage("the pointer for the length is null"))?;
        let mut kept = device
            .violations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.extend(device.inner.violations());
        let text = kept.pop_front().map(|violation| violation.to_string());
        let text = text.unwrap_or_default();
        *length = text.len();
        // SAFETY: as the caller promises.
        unsafe { put_text(buffer, size, text.as_bytes()) }
    })
}

/// The version of the interface: `major << 16 | minor`. Programs of another major version do not
/// work with this library, whose file name ends in it; later minor versions only add.
#[unsafe(no_mangle)]
pub extern "C" fn ig_version() -> u32 {
    VERSION_MAJOR << 16 | VERSION_MINOR
}

/// The major version of this header.
pub const VERSION_MAJOR: u32 = 1;
/// The minor version of this header.
pub const VERSION_MINOR: u32 = 0;

/// Closes a device as soon as nothing made of it is left.
#[unsafe(no_mangle)]
pub extern "C" fn ig_device_release(device: Option<Box<Device>>) {
    drop(device);
}

/// The name of the device's platform, such as `tgl`. Valid as long as the device; null for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_device_platform(device: Option<&Device>) -> *const c_char {
    device.map_or(std::ptr::null(), |device| device.platform.as_ptr())
}

/// The product line of the device, as `Tiger Lake`. Valid as long as the device; null for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_device_title(device: Option<&Device>) -> *const c_char {
    device.map_or(std::ptr::null(), |device| device.title.as_ptr())
}

/// Makes an event that the caller sets, and the handle to set it with.
#[unsafe(no_mangle)]
pub extern "C" fn ig_user_event_create(
    device: Option<&Device>,
    user_event: Option<&mut *mut UserEvent>,
) -> Status {
    make(user_event, || {
        Ok(UserEvent(handle(device, "device")?.inner.user_event()))
    })
}

/// The event of a user event, for wait lists and waits; to be released on its own.
#[unsafe(no_mangle)]
pub extern "C" fn ig_user_event_event(
    user_event: Option<&UserEvent>,
    event: Option<&mut *mut Event>,
) -> Status {
    make(event, || {
        Ok::<_, Failure>(Event(handle(user_event, "user event")?.0.event().clone()))
    })
}
