//! Pointers that modules pass to each other's functions.
//!
//! LLVM's pointers have no pointees, SPIR-V's have: who makes SPIR-V of LLVM's code guesses them from the
//! uses in the module, and finds others in the module that calls a function than in the one that has it.
//! Linkers want one type. So a function whose pointers differ gets pointers to bytes, in each module, and
//! casts where they come in and go out.

use std::collections::{HashMap, HashSet};

use spirv::{Capability, Decoration, FunctionParameterAttribute, Op};

use crate::module::{HEADER, Instruction, Module};
use crate::types::{Type, Types};

/// How deep the types of pointees are compared.
const MAX_DEPTH: u32 = 8;

/// How many bytes of a description are compared: structures in each other may have any number of parts.
const MAX_TEXT: usize = 4096;

/// Modules of which some are changed so that their functions' pointers are alike where nothing else of
/// their types differs.
pub fn with_pointers_alike(modules: Vec<Module>) -> Vec<Module> {
    let mut known = HashMap::new();
    let (mut differ, mut stay) = (HashSet::new(), HashSet::new());
    for (name, of) in modules.iter().flat_map(signatures) {
        if of.is_fixed {
            stay.insert(name.clone());
        }
        let first = known.entry(name.clone()).or_insert_with(|| of.clone());
        if first.plain != of.plain {
            stay.insert(name);
        } else if first.whole != of.whole {
            differ.insert(name);
        }
    }
    differ.retain(|name| !stay.contains(name));
    let changed = modules.into_iter().map(|module| match differ.is_empty() {
        true => module,
        false => Rewrite::of(&module, &differ).run(&module),
    });
    changed.collect()
}

/// What a function that modules share gives and takes.
#[derive(Clone, PartialEq)]
struct Signature {
    whole: Vec<String>,
    /// With pointers to no matter what.
    plain: Vec<String>,
    /// The types have to stay: it is a kernel, or what a pointer leads to is passed itself.
    is_fixed: bool,
}

/// The functions of a module that are imported or exported, by their names.
fn linked(module: &Module) -> HashMap<u32, String> {
    let all = module.instructions().filter(|one| {
        one.op() == Some(Op::Decorate) && one.word(1) == Decoration::LinkageAttributes as u32
    });
    all.map(|one| (one.word(0), one.text(2))).collect()
}

fn signatures(module: &Module) -> Vec<(String, Signature)> {
    let (types, linked) = (&Types::of(module), linked(module));
    let of = |op| move |one: &Instruction<'_>| one.op() == Some(op);
    let entries = module.instructions().filter(of(Op::EntryPoint));
    let kernels: HashSet<u32> = entries.map(|one| one.word(1)).collect();
    let passed = [
        FunctionParameterAttribute::ByVal as u32,
        FunctionParameterAttribute::Sret as u32,
    ];
    let decorated = module
        .instructions()
        .filter(of(Op::Decorate))
        .filter(|one| {
            one.word(1) == Decoration::FuncParamAttr as u32 && passed.contains(&one.word(2))
        });
    let mut passed: HashSet<u32> = decorated.map(|one| one.word(0)).collect();
    for one in module.instructions().filter(of(Op::GroupDecorate)) {
        if passed.contains(&one.word(0)) {
            passed.extend(one.operands.iter().skip(1));
        }
    }
    let mut found: Vec<(String, Signature)> = Vec::new();
    let mut is_linked = false;
    for one in module.instructions() {
        match one.op() {
            Some(Op::Function) => {
                let name = linked.get(&one.word(1));
                is_linked = name.is_some();
                let parts = types.parts(one.word(3));
                let described = |plain| {
                    parts
                        .iter()
                        .map(move |of| {
                            let mut text = String::new();
                            describe(types, *of, (plain, 0), &mut text);
                            text
                        })
                        .collect()
                };
                found.extend(name.map(|name| {
                    let signature = Signature {
                        whole: described(false),
                        plain: described(true),
                        is_fixed: kernels.contains(&one.word(1)),
                    };
                    (name.clone(), signature)
                }));
            }
            Some(Op::FunctionParameter) if is_linked && passed.contains(&one.word(1)) => {
                if let Some((_, last)) = found.last_mut() {
                    last.is_fixed = true;
                }
            }
            _ => {}
        }
    }
    found
}

/// Adds a type as other modules may declare it, too. Pointees are left out if it is to be `plain`.
fn describe(types: &Types, id: u32, (plain, depth): (bool, u32), text: &mut String) {
    let deeper = |id, text: &mut String| describe(types, id, (plain, depth + 1), text);
    match types.get(id) {
        _ if depth > MAX_DEPTH || text.len() > MAX_TEXT => {}
        Some(Type::Pointer { storage, pointee }) => {
            *text += &format!("{storage}*");
            if !plain {
                deeper(pointee, text);
            }
        }
        Some(Type::Vector { component, count }) => {
            *text += &format!("{count}x");
            deeper(component, text);
        }
        Some(Type::Array { element, length }) => {
            *text += &format!("[{:?} ", types.constant(length));
            deeper(element, text);
            text.push(']');
        }
        Some(Type::Struct) => {
            text.push('{');
            for part in types.parts(id) {
                deeper(*part, text);
                text.push(' ');
                if text.len() > MAX_TEXT {
                    break;
                }
            }
            text.push('}');
        }
        other => *text += &format!("{other:?}"),
    }
}

/// A change of a module.
struct Rewrite {
    bound: u32,
    /// The functions whose types change: what they gave and took.
    functions: HashMap<u32, Vec<u32>>,
    /// Pointers to bytes in the place of others, by those.
    plain: HashMap<u32, u32>,
    /// The types of functions, by those before.
    function_types: HashMap<u32, u32>,
    /// Parameters that are cast: what they are before that.
    parameters: HashMap<u32, u32>,
    /// Where the last variable of a function is: what it casts comes behind it, in its first block.
    variables: HashMap<u32, usize>,
    /// Types that are added.
    added: Vec<u32>,
    /// The types that there are, by what they are of.
    declared: HashMap<(u32, Vec<u32>), u32>,
    /// Whether integers of 8 bits are allowed.
    has_bytes: bool,
}

fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend_from_slice(operands);
}

impl Rewrite {
    fn of(module: &Module, names: &HashSet<String>) -> Self {
        let (types, linked) = (Types::of(module), linked(module));
        let mut made = Self {
            bound: module.bound(),
            functions: HashMap::new(),
            plain: HashMap::new(),
            function_types: HashMap::new(),
            parameters: HashMap::new(),
            variables: HashMap::new(),
            added: Vec::new(),
            declared: HashMap::new(),
            has_bytes: false,
        };
        let (mut function, mut is_changed) = (0, false);
        for one in module.instructions() {
            match one.op() {
                Some(Op::Capability) => {
                    made.has_bytes |= one.word(0) == Capability::Int8 as u32;
                }
                Some(op @ (Op::TypeInt | Op::TypePointer | Op::TypeFunction)) => {
                    let of = one.operands.get(1..).unwrap_or_default().to_vec();
                    made.declared.entry((op as u32, of)).or_insert(one.word(0));
                }
                Some(Op::Function) => {
                    function = one.word(1);
                    let name = linked.get(&function);
                    is_changed = name.is_some_and(|name| names.contains(name));
                    if is_changed {
                        let parts = types.parts(one.word(3)).to_vec();
                        made.declare(&types, one.word(3), &parts);
                        made.functions.insert(function, parts);
                    }
                }
                Some(Op::FunctionParameter)
                    if is_changed && made.plain.contains_key(&one.word(0)) =>
                {
                    let id = made.id();
                    made.parameters.insert(one.word(1), id);
                }
                Some(Op::Variable) if is_changed => {
                    made.variables.insert(function, one.offset);
                }
                _ => {}
            }
        }
        made
    }

    fn id(&mut self) -> u32 {
        let id = self.bound;
        self.bound = id.wrapping_add(1);
        id
    }

    /// A type of integers, of pointers or of functions that the module has, or has from now on.
    fn ty(&mut self, op: Op, operands: &[u32]) -> u32 {
        let key = (op as u32, operands.to_vec());
        if let Some(known) = self.declared.get(&key) {
            return *known;
        }
        let id = self.id();
        push(&mut self.added, op, &[&[id], operands].concat());
        self.declared.insert(key, id);
        id
    }

    /// The type of a function in the place of another.
    fn declare(&mut self, types: &Types, of: u32, parts: &[u32]) {
        for part in parts {
            let Some(Type::Pointer { storage, .. }) = types.get(*part) else {
                continue;
            };
            let byte = self.ty(Op::TypeInt, &[8, 0]);
            let plain = self.ty(Op::TypePointer, &[storage, byte]);
            if plain != *part {
                self.plain.insert(*part, plain);
            }
        }
        let parts: Vec<_> = parts.iter().map(|part| self.plain_of(*part)).collect();
        let ty = self.ty(Op::TypeFunction, &parts);
        self.function_types.insert(of, ty);
    }

    /// A type, or what is in its place.
    fn plain_of(&self, ty: u32) -> u32 {
        self.plain.get(&ty).copied().unwrap_or(ty)
    }

    fn run(mut self, module: &Module) -> Module {
        let mut words = module.words().get(..HEADER).unwrap_or_default().to_vec();
        if !self.added.is_empty() && !self.has_bytes {
            push(&mut words, Op::Capability, &[Capability::Int8 as u32]);
        }
        // The function that is changed, and what is cast where its code begins.
        let mut gives = None;
        let mut casts: Vec<[u32; 3]> = Vec::new();
        // Where code begins behind the variables.
        let (mut begin, mut in_code) = (0, false);
        let mut types = std::mem::take(&mut self.added);
        for one in module.instructions() {
            if in_code && one.offset > begin {
                casts
                    .drain(..)
                    .for_each(|cast| push(&mut words, Op::Bitcast, &cast));
            }
            let mut operands = one.operands.to_vec();
            match one.op() {
                Some(Op::Decorate) => {
                    if let Some(target) = operands.first_mut() {
                        *target = self.parameters.get(target).copied().unwrap_or(*target);
                    }
                }
                Some(Op::GroupDecorate) => {
                    for target in operands.iter_mut().skip(1) {
                        *target = self.parameters.get(target).copied().unwrap_or(*target);
                    }
                }
                Some(Op::Function) => {
                    words.append(&mut types);
                    begin = self.variables.get(&one.word(1)).copied().unwrap_or(0);
                    in_code = false;
                    casts.clear();
                    let parts = self.functions.get(&one.word(1));
                    gives = parts.and_then(|parts| parts.first().copied());
                    if let (Some(gives), [ty, _, _, of]) = (gives, operands.as_mut_slice()) {
                        *ty = self.plain_of(gives);
                        *of = self.function_types.get(of).copied().unwrap_or(*of);
                    }
                }
                Some(Op::FunctionParameter) => {
                    if let Some(plain) = self.parameters.get(&one.word(1)) {
                        casts.push([one.word(0), one.word(1), *plain]);
                        operands = vec![self.plain_of(one.word(0)), *plain];
                    }
                }
                Some(Op::Label) => in_code = true,
                Some(Op::ReturnValue) => {
                    let cast = gives.and_then(|gives| self.plain.get(&gives).copied());
                    if let (Some(ty), Some(value)) = (cast, operands.first_mut()) {
                        *value = self.cast(&mut words, ty, *value);
                    }
                }
                Some(Op::FunctionCall) => {
                    self.call(&mut words, &operands);
                    continue;
                }
                _ => {}
            }
            words.push((operands.len() as u32 + 1) << 16 | u32::from(one.opcode));
            words.extend(operands);
        }
        words.append(&mut types);
        if let Some(bound) = words.get_mut(3) {
            *bound = self.bound;
        }
        module.of_words(words)
    }

    fn cast(&mut self, words: &mut Vec<u32>, ty: u32, value: u32) -> u32 {
        let id = self.id();
        push(words, Op::Bitcast, &[ty, id, value]);
        id
    }

    /// A call, with casts of what a changed function takes and gives.
    fn call(&mut self, words: &mut Vec<u32>, operands: &[u32]) {
        let [ty, result, function, values @ ..] = operands else {
            return push(words, Op::FunctionCall, operands);
        };
        let Some(parts) = self.functions.get(function).cloned() else {
            return push(words, Op::FunctionCall, operands);
        };
        let took = parts
            .iter()
            .skip(1)
            .map(|part| self.plain.get(part).copied());
        let took: Vec<_> = took.collect();
        let mut passed = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let cast = took.get(index).copied().flatten();
            passed.push(match cast {
                Some(ty) => self.cast(words, ty, *value),
                None => *value,
            });
        }
        let Some(plain) = self.plain.get(ty).copied() else {
            return push(
                words,
                Op::FunctionCall,
                &[&[*ty, *result, *function], &passed[..]].concat(),
            );
        };
        let given = self.id();
        push(
            words,
            Op::FunctionCall,
            &[&[plain, given, *function], &passed[..]].concat(),
        );
        push(words, Op::Bitcast, &[*ty, *result, given]);
    }
}
