//! Assembly in IGA syntax, with directives in comments.

mod assembler;
mod assembly;
mod bfn;
mod cursor;
mod diagnostic;
mod directive;
mod directive_parse;
mod emit;
mod fragment;
mod instruction;
mod layout;
mod ldst;
mod legacy;
mod lexer;
mod limits;
mod link;
mod number;
mod operand;
mod options;
mod prolog;
mod scoreboard;
mod send;
mod settings;
mod source;
mod strides;
mod usual;

pub use assembler::{Assembler, Part, ReadPart, assemble, states_platform};
pub use assembly::{AssembledKernel, Assembly};
pub use diagnostic::{Diagnostic, Severity, Span};
pub use directive::{
    Argument, ArgumentKind, BlockUse, DIRECTIVES, DirectiveHelp, IdLayout, KernelDirectives,
    Payload, Scalar, SwsbMode, SystemField, SystemValue, Target,
};
pub use fragment::{Line, MAX_TEXT};
pub use settings::{AsmOptions, Validation};
