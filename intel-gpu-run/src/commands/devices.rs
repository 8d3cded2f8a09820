//! `devices`: the devices to run on.

use std::fmt::Write as _;

use devinfo::{PLATFORMS, Platform};
use kmd_iface::{FoundNode, NodeState};
use serde_json::{Value, json};

use crate::exit::{Error, Exit};
use crate::files;

/// List the render nodes of this machine and the platforms of the software GPU
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
    if args.json {
        return files::print_json(&json!({
            "render_nodes": nodes.iter().map(node_json).collect::<Vec<_>>(),
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
