//! The rules of `cl_intel_spirv_subgroups`, and of the extensions that add types to it; and what
//! compilers would take and nobody run: initializers and finalizers.

use spirv::{BuiltIn, Capability, Decoration, Dim, ExecutionMode, Op, Scope, StorageClass};

use crate::module::{Instruction, Module};
use crate::types::{Type, Types, needs_all};
use crate::violation::{Report, Violations};

/// What OpenCL's environment has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The version of OpenCL, major and minor.
    pub version: (u8, u8),
    /// `cl_intel_subgroups_char`: elements of 8 bits.
    pub char: bool,
    /// `cl_intel_subgroups_short`: elements of 16 bits.
    pub short: bool,
    /// `cl_intel_subgroups_long`: block elements of 64 bits.
    pub long: bool,
}

impl Environment {
    /// Everything, in OpenCL 3.0.
    pub const ALL: Self = Self {
        version: (3, 0),
        char: true,
        short: true,
        long: true,
    };
}

/// The SPIR-V extension of the instructions.
const EXTENSION: &str = "SPV_INTEL_subgroups";

/// The capabilities of the extension.
const CAPABILITIES: [Capability; 3] = [
    Capability::SubgroupShuffleINTEL,
    Capability::SubgroupBufferBlockIOINTEL,
    Capability::SubgroupImageBlockIOINTEL,
];

impl Module {
    /// Holds the module against the rules.
    ///
    /// # Errors
    /// The instructions that break one.
    pub fn check(&self, environment: &Environment) -> Result<(), Violations> {
        let mut check = Check::new(self, environment);
        for one in self.instructions() {
            check.report.walk(&one);
            check.instruction(&one);
        }
        match check.report.found.is_empty() {
            true => Ok(()),
            false => Err(Violations(check.report.found)),
        }
    }
}

impl Module {
    /// Whether sub-groups may write blocks to buffers: by the instruction, or by a function of another
    /// module that is called so.
    pub fn writes_blocks(&self) -> bool {
        self.instructions().any(|one| match one.op() {
            Some(Op::SubgroupBlockWriteINTEL) => true,
            Some(Op::Decorate) if one.word(1) == Decoration::LinkageAttributes as u32 => {
                one.text(2).contains("block_write")
            }
            _ => false,
        })
    }
}

struct Check<'a> {
    environment: &'a Environment,
    types: Types,
    has_extension: bool,
    capabilities: Vec<u32>,
    report: Report,
}

impl<'a> Check<'a> {
    fn new(module: &Module, environment: &'a Environment) -> Self {
        let of = |op| {
            module
                .instructions()
                .filter(move |one| one.op() == Some(op))
        };
        Self {
            environment,
            types: Types::of(module),
            has_extension: of(Op::Extension).any(|one| one.text(0) == EXTENSION),
            capabilities: of(Op::Capability).map(|one| one.word(0)).collect(),
            report: Report::new(module),
        }
    }

    fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&(capability as u32))
    }

    /// What compilers would pass over: "Program initialization and clean-up kernels are not supported
    /// in OpenCL 3.0" (specification, appendix H), and a number of sub-groups that launches must have.
    fn execution_mode(&mut self, one: &Instruction<'_>) {
        use ExecutionMode::{
            Finalizer, Initializer, SubgroupsPerWorkgroup, SubgroupsPerWorkgroupId,
        };
        let mode = ExecutionMode::from_u32(one.word(1));
        let why = match mode {
            Some(Initializer | Finalizer) => {
                "OpenCL 3.0 has no kernels that run when a program is loaded or released"
            }
            Some(SubgroupsPerWorkgroup | SubgroupsPerWorkgroupId) => {
                "nothing checks the number of sub-groups at a launch"
            }
            _ => return,
        };
        let mode = mode.map(|mode| format!("{mode:?}")).unwrap_or_default();
        let why = format!("the execution mode {mode} is not supported: {why}");
        self.report.add(one, Some(one.word(0)), why);
    }

    fn instruction(&mut self, one: &Instruction<'_>) {
        let Some(op) = one.op() else { return };
        let result = Some(one.word(1));
        match op {
            Op::Capability => self.capability(one),
            Op::ExecutionMode | Op::ExecutionModeId => self.execution_mode(one),
            Op::Decorate if one.word(1) == Decoration::BuiltIn as u32 => {
                self.built_in(one, Some(one.word(0)), one.word(2));
            }
            Op::ControlBarrier => self.scope(one, None, one.word(0), true),
            // They copy for a work-group.
            Op::GroupAsyncCopy => self.scope(one, result, one.word(2), false),
            Op::GroupWaitEvents => self.scope(one, None, one.word(0), false),
            op if needs_all(op) => {
                self.scope(one, result, one.word(2), true);
                self.byte_value(one, op);
            }
            Op::SubgroupShuffleINTEL | Op::SubgroupShuffleXorINTEL => {
                self.declared(one, result, Capability::SubgroupShuffleINTEL);
                self.shuffled(one, one.word(2), "Data");
            }
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => {
                self.declared(one, result, Capability::SubgroupShuffleINTEL);
                self.shuffled(one, one.word(2), "Current");
                self.shuffled(one, one.word(3), "Next");
            }
            Op::SubgroupBlockReadINTEL => {
                self.declared(one, result, Capability::SubgroupBufferBlockIOINTEL);
                self.block(one, result, self.types.get(one.word(0)), "Result Type");
                self.pointer(one, result, one.word(2));
            }
            Op::SubgroupBlockWriteINTEL => {
                self.declared(one, None, Capability::SubgroupBufferBlockIOINTEL);
                self.pointer(one, None, one.word(0));
                self.block(one, None, self.types.of_value(one.word(1)), "Data");
            }
            Op::SubgroupImageBlockReadINTEL => {
                self.declared(one, result, Capability::SubgroupImageBlockIOINTEL);
                self.block(one, result, self.types.get(one.word(0)), "Result Type");
                self.image(one, result, one.word(2));
                self.coordinate(one, result, one.word(3));
            }
            Op::SubgroupImageBlockWriteINTEL => {
                self.declared(one, None, Capability::SubgroupImageBlockIOINTEL);
                self.image(one, None, one.word(0));
                self.coordinate(one, None, one.word(1));
                self.block(one, None, self.types.of_value(one.word(2)), "Data");
            }
            _ => {}
        }
    }

    /// "use of the SPV_INTEL_subgroups extension is declared in the module via OpExtension"
    fn capability(&mut self, one: &Instruction<'_>) {
        let used = CAPABILITIES.iter().find(|own| **own as u32 == one.word(0));
        if let Some(used) = used.filter(|_| !self.has_extension) {
            let why = format!("the capability {used:?} needs OpExtension \"{EXTENSION}\"");
            self.report.add(one, None, why);
        }
    }

    /// An instruction of the extension needs its capability.
    fn declared(&mut self, one: &Instruction<'_>, result: Option<u32>, capability: Capability) {
        if !self.has(capability) {
            let why = format!("it needs the capability {capability:?}");
            self.report.add(one, result, why);
        }
    }

    /// "For an OpenCL 2.0 or newer environment, the following BuiltIns must additionally be
    /// accepted: NumEnqueuedSubgroups"
    fn built_in(&mut self, one: &Instruction<'_>, target: Option<u32>, built_in: u32) {
        let is_enqueued = built_in == BuiltIn::NumEnqueuedSubgroups as u32;
        if is_enqueued && self.environment.version < (2, 0) {
            let (major, minor) = self.environment.version;
            let why = format!("NumEnqueuedSubgroups needs OpenCL 2.0, this is {major}.{minor}");
            self.report.add(one, target, why);
        }
    }

    /// "The Scope for Execution may be Subgroup." Otherwise it is Workgroup in OpenCL. A scope that
    /// is no constant is the compiler's to judge.
    fn scope(
        &mut self,
        one: &Instruction<'_>,
        result: Option<u32>,
        id: u32,
        may_be_subgroup: bool,
    ) {
        let Some(scope) = self.types.constant(id) else {
            return;
        };
        let is_subgroup = scope == Scope::Subgroup as u32;
        if scope == Scope::Workgroup as u32 || is_subgroup && may_be_subgroup {
            return;
        }
        let allowed = match may_be_subgroup {
            true => "Workgroup or Subgroup",
            false => "Workgroup",
        };
        let scope = match Scope::from_u32(scope) {
            Some(scope) => format!("{scope:?}"),
            None => scope.to_string(),
        };
        let why = format!("its scope for execution is {scope}, and may be {allowed}");
        self.report.add(one, result, why);
    }

    /// Values of 8 bits with the scope Subgroup: "OpGroupBroadcast, OpGroupIAdd, OpGroupSMin,
    /// OpGroupUMin, OpGroupSMax, OpGroupUMax", with `cl_intel_subgroups_char`, and "a Signedness of
    /// 0".
    fn byte_value(&mut self, one: &Instruction<'_>, op: Op) {
        let is_subgroup = self.types.constant(one.word(2)) == Some(Scope::Subgroup as u32);
        let of = self.types.get(one.word(0));
        let Some(Type::Int {
            width: 8,
            signedness,
        }) = of.filter(|_| is_subgroup)
        else {
            return;
        };
        let takes = matches!(
            op,
            Op::GroupBroadcast
                | Op::GroupIAdd
                | Op::GroupSMin
                | Op::GroupUMin
                | Op::GroupSMax
                | Op::GroupUMax
        );
        let why = if !self.environment.char {
            "values of 8 bits need cl_intel_subgroups_char"
        } else if !takes || signedness != 0 {
            "its value cannot be of 8 bits, or of another signedness than 0"
        } else {
            return;
        };
        self.report.add(one, Some(one.word(1)), why.to_owned());
    }

    /// What is shuffled: "Scalars and OpTypeVectors with 2, 3, 4, 8, or 16 Component Count
    /// components" of the types that have vectors; scalars of the others.
    fn shuffled(&mut self, one: &Instruction<'_>, value: u32, name: &str) {
        let result = Some(one.word(1));
        let whole = self.types.of_value(value);
        let (of, count) = self.types.components(whole.unwrap_or(Type::Other));
        let environment = self.environment;
        let (is_taken, has_vectors) = match of {
            Type::Float { width: 32 } => (true, true),
            // Compilers declare the second where they need the first.
            Type::Float { width: 16 } => (
                self.has(Capability::Float16) || self.has(Capability::Float16Buffer),
                false,
            ),
            Type::Float { width: 64 } => (self.has(Capability::Float64), false),
            Type::Int {
                signedness: 0,
                width,
            } => match width {
                8 => (environment.char, true),
                16 => (environment.short, true),
                32 => (true, true),
                64 => (true, false),
                _ => (false, false),
            },
            _ => (false, false),
        };
        let counts: &[u32] = match has_vectors {
            true => &[1, 2, 3, 4, 8, 16],
            false => &[1],
        };
        if !is_taken || !counts.contains(&count) {
            let found = self.types.describe(whole);
            let why = format!("{name} is {found}, which cannot be shuffled");
            self.report.add(one, result, why);
        }
    }

    /// What a block has: "Scalars and OpTypeVectors with 2, 4, or 8 Component Count components"; of
    /// 8 bits also 16. Integers of "Signedness of 0".
    fn block(
        &mut self,
        one: &Instruction<'_>,
        result: Option<u32>,
        whole: Option<Type>,
        name: &str,
    ) {
        let (of, count) = self.types.components(whole.unwrap_or(Type::Other));
        let environment = self.environment;
        let (is_taken, most) = match of {
            Type::Int {
                signedness: 0,
                width,
            } => match width {
                8 => (environment.char, 16),
                16 => (environment.short, 8),
                32 => (true, 8),
                64 => (environment.long, 8),
                _ => (false, 0),
            },
            _ => (false, 0),
        };
        if !is_taken || ![1, 2, 4, 8, 16].contains(&count) || count > most {
            let found = self.types.describe(whole);
            let why = format!("{name} is {found}, which blocks are not of");
            self.report.add(one, result, why);
        }
    }

    /// "For Ptr, valid Storage Classes are: CrossWorkGroup"
    fn pointer(&mut self, one: &Instruction<'_>, result: Option<u32>, id: u32) {
        let of = self.types.of_value(id);
        if let Some(Type::Pointer { storage, .. }) = of
            && storage == StorageClass::CrossWorkgroup as u32
        {
            return;
        }
        let found = match of {
            Some(Type::Pointer { storage, .. }) => match StorageClass::from_u32(storage) {
                Some(storage) => format!("of {storage:?}"),
                None => format!("of storage class {storage}"),
            },
            other => self.types.describe(other),
        };
        let why = format!("Ptr is {found}, and must be a pointer of CrossWorkgroup");
        self.report.add(one, result, why);
    }

    /// "Dim must be 2D; Depth must be 0; Arrayed must be 0; MS must be 0"
    fn image(&mut self, one: &Instruction<'_>, result: Option<u32>, id: u32) {
        let why = match self.types.of_value(id) {
            Some(Type::Image {
                dim,
                depth,
                arrayed,
                multisampled,
            }) => {
                let rules = [
                    (dim != Dim::Dim2D as u32, "Dim must be 2D"),
                    (depth != 0, "Depth must be 0"),
                    (arrayed != 0, "Arrayed must be 0"),
                    (multisampled != 0, "MS must be 0"),
                ];
                let broken = rules.iter().filter(|(broken, _)| *broken);
                let broken: Vec<_> = broken.map(|(_, rule)| *rule).collect();
                match broken.is_empty() {
                    true => return,
                    false => format!("of the image: {}", broken.join(", ")),
                }
            }
            other => format!("Image is {}", self.types.describe(other)),
        };
        self.report.add(one, result, why);
    }

    /// "OpTypeVectors with 2 Component Count components of Component Type OpTypeInt with a Width of
    /// 32 bits and Signedness of 0"
    fn coordinate(&mut self, one: &Instruction<'_>, result: Option<u32>, id: u32) {
        let of = self.types.of_value(id);
        let int = Type::Int {
            width: 32,
            signedness: 0,
        };
        if self.types.components(of.unwrap_or(Type::Other)) != (int, 2) {
            let found = self.types.describe(of);
            let why = format!("Coordinate is {found}, and must be int2");
            self.report.add(one, result, why);
        }
    }
}
