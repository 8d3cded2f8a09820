//! Devices.

use std::ffi::{CString, c_char};

use umd::{DeviceSpec, OpenOptions};

use crate::event::{Event, UserEvent};
use crate::pointers::{handle, text};
use crate::status::{Failure, Status, make};

/// An open device.
#[derive(Debug)]
pub struct Device {
    pub(crate) inner: umd::Device,
    platform: CString,
    title: CString,
}

/// Opens a device: a render node's path, `soft:PLATFORM[:REVISION]` (the software GPU), or `auto`.
///
/// # Safety
/// See the crate's documentation, "Pointers".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_device_open(
    name: *const c_char,
    device: Option<&mut *mut Device>,
) -> Status {
    make(device, || {
        // SAFETY: as the caller promises.
        let name = unsafe { text(name, "name") }?;
        let spec: DeviceSpec = name.parse()?;
        let inner = umd::Device::open_with(&spec, &OpenOptions::default())?;
        let platform = CString::new(inner.target().platform.name).unwrap_or_default();
        let title = CString::new(inner.target().platform.title).unwrap_or_default();
        Ok(Device {
            inner,
            platform,
            title,
        })
    })
}

/// Closes a device as soon as nothing made of it is left.
#[unsafe(no_mangle)]
pub extern "C" fn ig_device_release(_device: Option<Box<Device>>) {}

/// The name of the device's platform, as `tgl`. Valid as long as the device; null for null.
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
