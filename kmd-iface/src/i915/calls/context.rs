//! Contexts and address spaces.

use crate::node_ext::{NodeExt, user_pointer};
use crate::uapi::i915::context::{self, ContextCreateFlags, ContextParam, ResetStats};
use crate::uapi::i915::{EngineClassInstance, UserExtension};
use crate::{KmdResult, Node};

/// What a context is created with.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContextSettings<'a> {
    /// The address space; without one, the context gets its own.
    pub vm: Option<u32>,
    /// The engine map: EXECBUFFER2 names engines by their index in it. Empty: the legacy map.
    pub engines: &'a [EngineClassInstance],
    /// Whether it survives a hang.
    pub recoverable: bool,
    /// Scheduling priority; `None` is the default of 0.
    pub priority: Option<i64>,
}

/// GEM_CONTEXT_CREATE_EXT: a context. Returns its id.
pub fn context_create(node: &dyn Node, settings: &ContextSettings<'_>) -> KmdResult<u32> {
    // The engine map's layout: a chain of extensions (none), then the engines.
    let mut engine_map = vec![0u16; 4];
    for engine in settings.engines {
        engine_map.extend([engine.engine_class, engine.engine_instance]);
    }
    let mut parameters = Vec::new();
    if let Some(vm) = settings.vm {
        parameters.push((ContextParam::Vm, 0, u64::from(vm)));
    }
    if !settings.engines.is_empty() {
        let bytes = u32::try_from(size_of_val(engine_map.as_slice())).unwrap_or(u32::MAX);
        parameters.push((
            ContextParam::Engines,
            bytes,
            user_pointer(engine_map.as_slice()),
        ));
    }
    parameters.push((
        ContextParam::Recoverable,
        0,
        u64::from(settings.recoverable),
    ));
    if let Some(priority) = settings.priority {
        parameters.push((ContextParam::Priority, 0, priority.cast_unsigned()));
    }

    // The kernel walks the chain from the front: build it back to front into
    // storage that never moves.
    let mut chain: Vec<Box<context::ContextCreateExtSetparam>> = Vec::new();
    let mut next_extension = 0;
    for (param, size, value) in parameters.into_iter().rev() {
        let link = Box::new(context::ContextCreateExtSetparam {
            base: UserExtension {
                next_extension,
                name: context::CONTEXT_CREATE_EXT_SETPARAM,
                ..Default::default()
            },
            param: context::ContextParamArgs {
                ctx_id: 0,
                size,
                param: param as u64,
                value,
            },
        });
        next_extension = user_pointer(link.as_ref());
        chain.push(link);
    }
    let mut argument = context::ContextCreateExt {
        ctx_id: 0,
        flags: ContextCreateFlags::USE_EXTENSIONS,
        extensions: next_extension,
    };
    node.call(context::CONTEXT_CREATE_EXT, &mut argument)?;
    Ok(argument.ctx_id)
}

/// GEM_CONTEXT_DESTROY.
pub fn context_destroy(node: &dyn Node, ctx_id: u32) -> KmdResult<()> {
    node.call(
        context::CONTEXT_DESTROY,
        &mut context::ContextDestroy { ctx_id, pad: 0 },
    )?;
    Ok(())
}

/// GEM_CONTEXT_GETPARAM of a parameter that is a plain value.
pub fn context_getparam(node: &dyn Node, ctx_id: u32, param: ContextParam) -> KmdResult<u64> {
    let mut argument = context::ContextParamArgs {
        ctx_id,
        size: 0,
        param: param as u64,
        value: 0,
    };
    node.call(context::CONTEXT_GETPARAM, &mut argument)?;
    Ok(argument.value)
}

/// GEM_CONTEXT_SETPARAM of a parameter that is a plain value.
pub fn context_setparam(
    node: &dyn Node,
    ctx_id: u32,
    param: ContextParam,
    value: u64,
) -> KmdResult<()> {
    let mut argument = context::ContextParamArgs {
        ctx_id,
        size: 0,
        param: param as u64,
        value,
    };
    node.call(context::CONTEXT_SETPARAM, &mut argument)?;
    Ok(())
}

/// GET_RESET_STATS: what resets a context saw.
pub fn reset_stats(node: &dyn Node, ctx_id: u32) -> KmdResult<ResetStats> {
    let mut argument = ResetStats {
        ctx_id,
        ..Default::default()
    };
    node.call(context::GET_RESET_STATS, &mut argument)?;
    Ok(argument)
}

/// GEM_VM_CREATE: an address space. Returns its id.
pub fn vm_create(node: &dyn Node) -> KmdResult<u32> {
    let mut argument = context::VmControl::default();
    node.call(context::VM_CREATE, &mut argument)?;
    Ok(argument.vm_id)
}

/// GEM_VM_DESTROY.
pub fn vm_destroy(node: &dyn Node, vm_id: u32) -> KmdResult<()> {
    let mut argument = context::VmControl {
        vm_id,
        ..Default::default()
    };
    node.call(context::VM_DESTROY, &mut argument)?;
    Ok(())
}
