//! `devices`: the devices to run on.

use std::fmt::Write as _;

use devinfo::{PLATFORMS, Platform};
use kmd_iface::baremetal::{self, Function};
use kmd_iface::{FoundNode, NodeState};
use serde_json::{Value, json};

use crate::exit::{Error, Exit};
use crate::files;

/// List the render nodes of this machine, the PCI functions bound to vfio-pci, and the platforms of the
/// software GPU
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Failed`] if stdout cannot be written.
pub fn run(args: &Args) -> Result<(), Error> {
    let nodes = kmd_iface::discover();
    let functions = bare();
    if args.json {
        return files::print_json(&json!({
            "render_nodes": nodes.iter().map(node_json).collect::<Vec<_>>(),
            "bare_metal": functions.iter().map(function_json).collect::<Vec<_>>(),
            "platforms": PLATFORMS.iter().map(platform_json).collect::<Vec<_>>(),
        }));
    }
    let mut out = String::from("Render nodes:\n");
    for node in &nodes {
        let _ = writeln!(out, "  {node}");
    }
    if nodes.is_empty() {
        out.push_str("  none in /dev/dri\n");
    }
    out.push_str(&listed(&functions));
    out.push_str("Software GPU:\n");
    for platform in PLATFORMS {
        let _ = writeln!(
            out,
            "  {:<10} {:<9} {}",
            format!("soft:{platform}"),
            platform.family.to_string(),
            platform.title
        );
    }
    files::print(&out)
}

/// A function bound to vfio-pci, and why it cannot be opened.
type Bare = (Function, Option<String>);

/// The functions that are bound to vfio-pci.
fn bare() -> Vec<Bare> {
    let all = baremetal::functions().into_iter();
    let bound = all.filter(|function| function.driver.as_deref() == Some(baremetal::DRIVER));
    bound
        .map(|function| {
            let why = function.check().err().map(|error| error.to_string());
            (function, why)
        })
        .collect()
}

/// The lines of these functions; none without any.
fn listed(functions: &[Bare]) -> String {
    let mut out = String::new();
    if !functions.is_empty() {
        out.push_str("Without a kernel driver:\n");
    }
    for (function, why) in functions {
        let _ = match why {
            None => writeln!(out, "  baremetal:{function}"),
            Some(why) => writeln!(out, "  {why}"),
        };
    }
    out
}

fn function_json((function, why): &Bare) -> Value {
    json!({
        "device": format!("baremetal:{}", function.address),
        "state": if why.is_none() { "usable" } else { "not usable" },
        "why": why,
        "platform": devinfo::by_pci_id(function.device).map(|platform| platform.name),
        "device_id": function.device,
        "revision": function.revision,
        "iommu_group": function.group,
    })
}

fn node_json(node: &FoundNode) -> Value {
    let (state, driver) = match &node.state {
        NodeState::Usable { driver, .. } => ("usable", Some(driver)),
        NodeState::UnknownPlatform { driver } => ("unknown platform", Some(driver)),
        NodeState::UnknownDriver { driver } => ("unknown driver", Some(driver)),
        NodeState::OtherVendor => ("other vendor", None),
        NodeState::Inaccessible { .. } => ("inaccessible", None),
    };
    let platform = match &node.state {
        NodeState::Usable { platform, .. } => Some(platform.name),
        _ => None,
    };
    json!({
        "path": node.path,
        "state": state,
        "driver": driver,
        "platform": platform,
        "vendor_id": node.pci.as_ref().map(|pci| pci.vendor),
        "device_id": node.pci.as_ref().map(|pci| pci.device),
        "revision": node.pci.as_ref().map(|pci| pci.revision),
        "slot": node.pci.as_ref().and_then(|pci| pci.slot.clone()),
        "text": node.to_string(),
    })
}

fn platform_json(platform: &Platform) -> Value {
    let drivers: Vec<_> = platform
        .kernel_drivers
        .iter()
        .map(ToString::to_string)
        .collect();
    json!({
        "name": platform.name,
        "title": platform.title,
        "family": platform.family.to_string(),
        "default_revision": platform.default_revision,
        "simd_widths": platform.simd_widths,
        "grf_bytes": platform.grf_bytes(),
        "max_slm_bytes": platform.max_slm_bytes,
        "max_work_group_size": platform.max_work_group_size(platform.default_sku().eus_per_subslice.into()),
        "kernel_drivers": drivers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_without_a_kernel_driver_are_listed() {
        let function = Function {
            address: "0000:03:00.0".to_owned(),
            device: 0x9a49,
            revision: 1,
            driver: Some(baremetal::DRIVER.to_owned()),
            group: Some(7),
        };
        assert_eq!(listed(&[]), "");
        let usable = (function.clone(), None);
        let text = listed(std::slice::from_ref(&usable));
        let line = "  baremetal:0000:03:00.0: 8086:9a49 (tgl), bound to vfio-pci\n";
        assert_eq!(text, format!("Without a kernel driver:\n{line}"));
        let value = function_json(&usable);
        assert_eq!(value["device"], "baremetal:0000:03:00.0");
        assert_eq!(value["platform"], "tgl");
        let refused = (function, Some("cannot open /dev/vfio/7".to_owned()));
        assert!(listed(std::slice::from_ref(&refused)).ends_with("  cannot open /dev/vfio/7\n"));
        assert_eq!(function_json(&refused)["state"], "not usable");
    }
}
