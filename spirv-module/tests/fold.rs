//! What operations on constants give: Khronos's optimizer gives the same, and its validator takes it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::collections::{BTreeMap, HashMap};
use std::process::Command;

use oracles::Random;
use spirv::Op;
use spirv_module::{Module, Value};

/// Runs a program of Khronos's tools on a file, which gives another.
fn tool(program: &str, args: &[&str], input: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::write(&from, input).unwrap();
    let mut command = Command::new(program);
    command.args(args).arg(&from);
    if program != "spirv-val" {
        command.arg("-o").arg(&to);
    }
    let ran = command.output().unwrap();
    let said = [ran.stderr, ran.stdout].concat();
    let text = String::from_utf8_lossy(input);
    assert!(
        ran.status.success(),
        "{}{text}",
        String::from_utf8_lossy(&said)
    );
    std::fs::read(to).unwrap_or_default()
}

fn assemble(text: &str) -> Module {
    let args = ["--target-env", "spv1.2", "--preserve-numeric-ids"];
    Module::parse(&tool("spirv-as", &args, text.as_bytes())).unwrap()
}

/// The module with constants in the place of its operations, which the validator takes.
fn folded(module: Module) -> Module {
    let folded = module.folded();
    tool("spirv-val", &["--target-env", "spv1.2"], &folded.to_bytes());
    folded
}

const HEAD: &str = "OpCapability Kernel
    OpCapability Addresses
    OpCapability GenericPointer
    OpCapability Linkage
    OpCapability Int8
    OpCapability Int16
    OpCapability Int64
    OpCapability Float16
    OpCapability Float64
    OpMemoryModel Physical64 OpenCL\n";

const TYPES: &str = "
    %bool = OpTypeBool
    %i8 = OpTypeInt 8 0
    %i16 = OpTypeInt 16 0
    %i32 = OpTypeInt 32 0
    %i64 = OpTypeInt 64 0
    %f16 = OpTypeFloat 16
    %f32 = OpTypeFloat 32
    %f64 = OpTypeFloat 64
    %bool2 = OpTypeVector %bool 2
    %bool3 = OpTypeVector %bool 3
    %i8x4 = OpTypeVector %i8 4
    %i32x2 = OpTypeVector %i32 2
    %i32x3 = OpTypeVector %i32 3
    %f32x2 = OpTypeVector %f32 2\n";

/// Numbers and parts of constants, by id: the bits, `None` where undefined.
struct Read {
    /// The operands of what declares them.
    all: HashMap<u32, (Op, Vec<u32>)>,
}

impl Read {
    fn of(module: &Module) -> Self {
        let all = module.instructions().filter_map(|one| {
            let op = one.op()?;
            let at = usize::from(format!("{op:?}").starts_with("Type"));
            Some((one.word(1 - at), (op, one.operands.to_vec())))
        });
        Self { all: all.collect() }
    }

    /// The numbers that a constant consists of, or null; `None` if it is no constant.
    fn numbers(&self, id: u32) -> Option<Vec<Option<u64>>> {
        let (op, words) = self.all.get(&id)?;
        let count = || match self.all.get(&words[0]) {
            Some((Op::TypeVector, words)) => words[2] as usize,
            _ => 1,
        };
        let parts = words.get(2..).unwrap_or_default();
        Some(match op {
            Op::ConstantTrue => vec![Some(1)],
            Op::ConstantFalse => vec![Some(0)],
            Op::Constant => {
                let high = parts.get(1).copied().unwrap_or(0);
                vec![Some(u64::from(parts[0]) | u64::from(high) << 32)]
            }
            Op::ConstantNull => vec![Some(0); count()],
            Op::Undef => vec![None; count()],
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts = parts.iter().map(|id| self.numbers(*id));
                parts.collect::<Option<Vec<_>>>()?.concat()
            }
            _ => return None,
        })
    }
}

/// Booleans or integers of 32 bits, one or a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    is_bool: bool,
    count: u64,
}

impl Kind {
    fn name(self) -> String {
        match (self.is_bool, self.count) {
            (true, 1) => "%bool".to_owned(),
            (true, count) => format!("%bool{count}"),
            (false, 1) => "%i32".to_owned(),
            (false, count) => format!("%i32x{count}"),
        }
    }
}

const ARITHMETIC: &[&str] = &[
    "IAdd",
    "ISub",
    "IMul",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
];
const DIVISIONS: &[&str] = &[
    "UDiv",
    "SDiv",
    "UMod",
    "SRem",
    "SMod",
    "ShiftLeftLogical",
    "ShiftRightLogical",
    "ShiftRightArithmetic",
];
const COMPARISONS: &[&str] = &[
    "IEqual",
    "INotEqual",
    "ULessThan",
    "SLessThan",
    "ULessThanEqual",
    "SLessThanEqual",
    "UGreaterThan",
    "SGreaterThan",
    "UGreaterThanEqual",
    "SGreaterThanEqual",
];
const LOGICAL: &[&str] = &["LogicalAnd", "LogicalOr", "LogicalEqual", "LogicalNotEqual"];

/// A module of constants and operations on them.
struct Maker {
    random: Random,
    /// Names, by which the optimizer's results are found: it numbers them anew.
    names: String,
    text: String,
    values: Vec<(u32, Kind)>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let (names, text, values) = (String::new(), String::new(), Vec::new());
        let random = Random::new(seed);
        Self {
            random,
            names,
            text,
            values,
        }
    }

    fn add(&mut self, kind: Kind, what: &str) -> u32 {
        let id = 1000 + self.values.len() as u32;
        self.names.push_str(&format!("OpName %{id} \"{id}\"\n"));
        self.text.push_str(&format!("%{id} = {what}\n"));
        self.values.push((id, kind));
        id
    }

    /// One of the values of a kind.
    fn some(&mut self, is_bool: bool, count: u64) -> u32 {
        let kind = Kind { is_bool, count };
        let all = self.values.iter().filter(|(_, of)| *of == kind);
        let all: Vec<_> = all.map(|(id, _)| *id).collect();
        self.random.pick(&all)
    }

    /// Constants of every kind.
    fn constants(&mut self) {
        for count in [1, 1, 1, 1, 2, 2, 3, 3] {
            for is_bool in [true, false] {
                let kind = Kind { is_bool, count };
                let name = kind.name();
                let what = match (count, is_bool) {
                    (1, true) => {
                        let value = self.random.pick(&["True", "False"]);
                        format!("OpConstant{value} {name}")
                    }
                    (1, false) => {
                        let number = self.random.bits() as u32 >> self.random.below(32);
                        format!("OpConstant {name} {number}")
                    }
                    _ => {
                        let parts = (0..count).map(|_| format!(" %{}", self.some(is_bool, 1)));
                        format!("OpConstantComposite {name}{}", parts.collect::<String>())
                    }
                };
                self.add(kind, &what);
            }
        }
    }

    /// An operation and its id.
    fn operation(&mut self, small: &[u32]) -> (u32, &'static str) {
        let is_bool = self.random.below(2) == 0;
        let count = 1 + self.random.below(3);
        let mut two = |is_bool| (self.some(is_bool, count), self.some(is_bool, count));
        let (a, b) = two(is_bool);
        let (m, n) = two(false);
        let (op, operands) = match (self.random.below(8), is_bool) {
            (0, _) => {
                let (condition, op) = (self.some(true, count), "Select");
                (op, format!("%{condition} %{a} %{b}"))
            }
            (1, _) if count == 1 => {
                let from = 2 + self.random.below(2);
                let (from, at) = (self.some(is_bool, from), self.random.below(from));
                ("CompositeExtract", format!("%{from} {at}"))
            }
            (1, _) => {
                let (part, at) = (self.some(is_bool, 1), self.random.below(count));
                ("CompositeInsert", format!("%{part} %{a} {at}"))
            }
            (2, _) if count > 1 => {
                let picks = (0..count).map(|_| format!(" {}", self.random.below(2 * count)));
                let picks: String = picks.collect();
                ("VectorShuffle", format!("%{a} %{b}{picks}"))
            }
            (2, true) => ("LogicalNot", format!("%{a}")),
            (2, false) => (self.random.pick(&["Not", "SNegate"]), format!("%{a}")),
            (3 | 4, true) => (self.random.pick(LOGICAL), format!("%{a} %{b}")),
            (_, true) => (self.random.pick(COMPARISONS), format!("%{m} %{n}")),
            (3 | 4, false) if count == 1 => {
                let by = self.random.pick(small);
                (self.random.pick(DIVISIONS), format!("%{a} %{by}"))
            }
            (_, false) => (self.random.pick(ARITHMETIC), format!("%{a} %{b}")),
        };
        let kind = Kind { is_bool, count };
        let what = format!("OpSpecConstantOp {} {op} {operands}", kind.name());
        (self.add(kind, &what), op)
    }
}

/// Integers of 32 bits, booleans, vectors of them: what the optimizer knows.
#[test]
fn as_the_optimizer_does() {
    if !oracles::debian("spirv-as") {
        return;
    }
    let mut compared = BTreeMap::new();
    for seed in 0..16 {
        let mut maker = Maker::new(seed);
        maker.constants();
        let scalar = Kind {
            is_bool: false,
            count: 1,
        };
        let small = [1, 2, 7, 31].map(|n| maker.add(scalar, &format!("OpConstant %i32 {n}")));
        let operations: Vec<_> = (0..100).map(|_| maker.operation(&small)).collect();
        let text = [HEAD, &maker.names, TYPES, &maker.text].concat();
        let module = assemble(&text);
        let fold = ["--fold-spec-const-op-composite"];
        let optimized = Module::parse(&tool("spirv-opt", &fold, &module.to_bytes())).unwrap();
        let names = optimized
            .instructions()
            .filter(|one| one.op() == Some(Op::Name));
        let ids: HashMap<_, _> = names.map(|one| (one.text(1), one.word(0))).collect();
        let (theirs, ours) = (Read::of(&optimized), Read::of(&folded(module)));
        for (id, op) in operations {
            let own = ours.numbers(id);
            assert!(own.is_some(), "%{id}, {op}: {text}");
            let found = ids.get(&id.to_string()).and_then(|id| theirs.numbers(*id));
            if let Some(numbers) = found {
                assert_eq!(own.unwrap(), numbers, "%{id}, {op}: {text}");
                *compared.entry(op).or_insert(0) += 1;
            }
        }
    }
    assert!(compared.len() > 25, "{compared:?}");
}

/// An operation of a type on constants, and the bits that NumPy gives.
type Row = (&'static str, &'static str, &'static [&'static str], u64);

const ROWS: &[Row] = &[
    (
        "f16",
        "FAdd",
        &["%f16 0x1.998p-4", "%f16 0x1.668p-1"],
        0x3a67,
    ),
    (
        "f16",
        "FSub",
        &["%f16 0x1.064p-10", "%f16 0x1.8p+1"],
        0xc1ff,
    ),
    (
        "f16",
        "FMul",
        &["%f16 0x1.198p+0", "%f16 -0x1.268p+1"],
        0xc10f,
    ),
    ("f16", "FDiv", &["%f16 0x1p+0", "%f16 0x1.8p+1"], 0x3555),
    (
        "f16",
        "FDiv",
        &["%f16 -0x1.6p+2", "%f16 0x1.668p-1"],
        0xc7db,
    ),
    ("f16", "FRem", &["%f16 -0x1.fp+2", "%f16 0x1.4p+1"], 0xb400),
    ("f16", "FMod", &["%f16 -0x1.fp+2", "%f16 0x1.4p+1"], 0x4080),
    (
        "f16",
        "FMod",
        &["%f16 0x1.fp+2", "%f16 -0x1.334p-2"],
        0xaa90,
    ),
    (
        "f32",
        "FAdd",
        &["%f32 0x1.99999ap-4", "%f32 0x1.666666p-1"],
        0x3f4ccccd,
    ),
    (
        "f32",
        "FSub",
        &["%f32 0x1.0624dep-10", "%f32 0x1.8p+1"],
        0xc03fef9e,
    ),
    (
        "f32",
        "FMul",
        &["%f32 0x1.19999ap+0", "%f32 -0x1.266666p+1"],
        0xc021eb85,
    ),
    ("f32", "FDiv", &["%f32 0x1p+0", "%f32 0x1.8p+1"], 0x3eaaaaab),
    (
        "f32",
        "FDiv",
        &["%f32 -0x1.6p+2", "%f32 0x1.666666p-1"],
        0xc0fb6db7,
    ),
    (
        "f32",
        "FRem",
        &["%f32 -0x1.fp+2", "%f32 0x1.4p+1"],
        0xbe800000,
    ),
    (
        "f32",
        "FMod",
        &["%f32 -0x1.fp+2", "%f32 0x1.4p+1"],
        0x40100000,
    ),
    (
        "f32",
        "FMod",
        &["%f32 0x1.fp+2", "%f32 -0x1.333334p-2"],
        0xbd4ccd20,
    ),
    (
        "f64",
        "FAdd",
        &["%f64 0x1.999999999999ap-4", "%f64 0x1.6666666666666p-1"],
        0x3fe9999999999999,
    ),
    (
        "f64",
        "FSub",
        &["%f64 0x1.0624dd2f1a9fcp-10", "%f64 0x1.8p+1"],
        0xc007fdf3b645a1cb,
    ),
    (
        "f64",
        "FMul",
        &["%f64 0x1.199999999999ap+0", "%f64 -0x1.2666666666666p+1"],
        0xc0043d70a3d70a3d,
    ),
    (
        "f64",
        "FDiv",
        &["%f64 0x1p+0", "%f64 0x1.8p+1"],
        0x3fd5555555555555,
    ),
    (
        "f64",
        "FDiv",
        &["%f64 -0x1.6p+2", "%f64 0x1.6666666666666p-1"],
        0xc01f6db6db6db6dc,
    ),
    (
        "f64",
        "FRem",
        &["%f64 -0x1.fp+2", "%f64 0x1.4p+1"],
        0xbfd0000000000000,
    ),
    (
        "f64",
        "FMod",
        &["%f64 -0x1.fp+2", "%f64 0x1.4p+1"],
        0x4002000000000000,
    ),
    (
        "f64",
        "FMod",
        &["%f64 0x1.fp+2", "%f64 -0x1.3333333333333p-2"],
        0xbfa9999999999970,
    ),
    (
        "f16",
        "FMul",
        &["%f16 0x1.d4cp+15", "%f16 0x1.d4cp+15"],
        0x7c00,
    ),
    ("f16", "FDiv", &["%f16 0x1p-24", "%f16 0x1.8ccp+1"], 0x0),
    (
        "f32",
        "FMul",
        &["%f32 0x1.4484cp-100", "%f32 0x1.203afap-50"],
        0x1,
    ),
    ("f16", "FConvert", &["%f64 0x1.0020000000004p+0"], 0x3c01),
    ("f16", "FConvert", &["%f64 0x1.002p+0"], 0x3c00),
    ("f16", "FConvert", &["%f32 0x1.ffdffep+15"], 0x7bff),
    (
        "f32",
        "FConvert",
        &["%f64 0x1.999999999999ap-4"],
        0x3dcccccd,
    ),
    ("f64", "FConvert", &["%f16 0x1p-24"], 0x3e70000000000000),
    (
        "f32",
        "ConvertUToF",
        &["%i64 4611686293305294849"],
        0x5e800001,
    ),
    (
        "f64",
        "ConvertSToF",
        &["%i64 18446744073709551613"],
        0xc008000000000000,
    ),
    ("f16", "ConvertSToF", &["%i16 32769"], 0xf800),
    ("f32", "ConvertUToF", &["%i8 200"], 0x43480000),
    ("i8", "ConvertFToS", &["%f32 -0x1.93999ap+6"], 0x9c),
    (
        "i64",
        "ConvertFToU",
        &["%f64 0x1.f399b1438a1p+63"],
        0xf9ccd8a1c5080000,
    ),
    ("i16", "ConvertFToS", &["%f16 -0x1p+11"], 0xf800),
    ("i8", "IMul", &["%i8 200", "%i8 3"], 0x58),
    ("i16", "ISub", &["%i16 1", "%i16 2"], 0xffff),
    (
        "i64",
        "IMul",
        &["%i64 81985529216486895", "%i64 4483583629026627"],
        0x73fc977b303f308d,
    ),
    ("i8", "SDiv", &["%i8 128", "%i8 255"], 0x80),
    ("i8", "SMod", &["%i8 249", "%i8 3"], 0x2),
    ("i8", "SRem", &["%i8 249", "%i8 3"], 0xff),
    (
        "i64",
        "UDiv",
        &["%i64 18446744073709551615", "%i64 10"],
        0x1999999999999999,
    ),
    (
        "i16",
        "ShiftRightArithmetic",
        &["%i16 32768", "%i16 3"],
        0xf000,
    ),
    (
        "i64",
        "ShiftLeftLogical",
        &["%i64 1", "%i64 63"],
        0x8000000000000000,
    ),
];

/// Numbers of every width, rounded once.
#[test]
fn as_numpy_does() {
    if !oracles::debian("spirv-as") {
        return;
    }
    let mut text = format!("{HEAD}{TYPES}");
    for (index, (ty, op, operands, _)) in ROWS.iter().enumerate() {
        let id = 1000 + 10 * index;
        let mut ids = String::new();
        for (at, operand) in operands.iter().enumerate() {
            text.push_str(&format!("%{} = OpSpecConstant {operand}\n", id + 1 + at));
            ids.push_str(&format!(" %{}", id + 1 + at));
        }
        text.push_str(&format!("%{id} = OpSpecConstantOp %{ty} {op}{ids}\n"));
    }
    let read = Read::of(&folded(assemble(&text)));
    for (index, row) in ROWS.iter().enumerate() {
        let got = read.numbers(1000 + 10 * index as u32);
        assert_eq!(got, Some(vec![Some(row.3)]), "{row:?}");
    }
}

/// Constants of several parts; what is undefined; what is decorated; what stays.
#[test]
fn parts_and_what_stays() {
    if !oracles::debian("spirv-as") {
        return;
    }
    let text = format!(
        "{HEAD}
        OpDecorate %100 SaturatedConversion
        OpDecorate %101 FPRoundingMode RTZ
        OpDecorate %102 FPRoundingMode RTE
        {TYPES}
        %3 = OpConstant %i32 3
        %300 = OpConstant %i32 300
        %big = OpConstant %i32 0x1000001
        %pair = OpTypeArray %i32x2 %3
        %struct = OpTypeStruct %i8 %pair
        %pointer = OpTypePointer CrossWorkgroup %i32
        %generic = OpTypePointer Generic %i32
        %vector = OpSpecConstantComposite %i32x2 %3 %300
        %nothing = OpConstantNull %struct
        %null = OpConstantNull %pointer
        %variable = OpVariable %pointer CrossWorkgroup %3
        %200 = OpSpecConstantOp %struct CompositeInsert %vector %nothing 1 2
        %201 = OpSpecConstantOp %i32 CompositeExtract %200 1 2 1
        %202 = OpSpecConstantOp %i32x2 CompositeExtract %200 1 0
        %203 = OpSpecConstantOp %i32x2 UDiv %vector %202
        %204 = OpSpecConstantOp %i32x2 VectorShuffle %203 %vector 0 2
        %205 = OpSpecConstantOp %i8x4 Bitcast %300
        %206 = OpSpecConstantOp %f32 Bitcast %205
        %207 = OpSpecConstantOp %i64 ConvertPtrToU %null
        %208 = OpSpecConstantOp %generic PtrCastToGeneric %null
        %100 = OpSpecConstantOp %f32 ConvertUToF %big
        %101 = OpSpecConstantOp %f32 ConvertUToF %big
        %102 = OpSpecConstantOp %f32 ConvertUToF %big
        %302 = OpSpecConstantOp %i64 ConvertPtrToU %variable
        %301 = OpSpecConstantOp %i64 IAdd %302 %207\n"
    );
    let module = assemble(&text);
    let constants = module.constants();
    assert_eq!(constants.get(201).unwrap().value, Value::Bits(300));
    let folded = folded(module);
    let read = Read::of(&folded);
    let numbers = |id| read.numbers(id).unwrap();
    assert_eq!(numbers(201), [Some(300)]);
    assert_eq!(numbers(202), [Some(0); 2]);
    assert_eq!(numbers(203), [None; 2]);
    assert_eq!(numbers(204), [None, Some(3)]);
    assert_eq!(numbers(205), [Some(300 & 255), Some(1), Some(0), Some(0)]);
    assert_eq!(numbers(206), [Some(300)]);
    assert_eq!(numbers(207), [Some(0)]);
    assert_eq!(read.all[&208].0, Op::ConstantNull);
    assert_eq!(numbers(102), [Some(f32::to_bits(0x100_0000 as f32).into())]);
    // Of addresses, and rounded otherwise.
    let left = folded
        .instructions()
        .filter(|one| one.op() == Some(Op::SpecConstantOp));
    assert_eq!(left.count(), 3);
    assert_eq!(read.all[&101].0, Op::SpecConstantOp);
    let decorations = folded
        .instructions()
        .filter(|one| one.op() == Some(Op::Decorate));
    assert_eq!(
        decorations.map(|one| one.word(0)).collect::<Vec<_>>(),
        [101]
    );
}

/// Insertions into large constants are many parts: no more are made than memory has.
#[test]
fn large_constants_are_not_made_without_end() {
    let mut words = vec![spirv::MAGIC_NUMBER, 0x1_0200, 0, 4000, 0];
    let mut add = |op: Op, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | op as u32);
        words.extend(operands);
    };
    add(Op::TypeInt, &[1, 32, 0]);
    add(Op::Constant, &[1, 2, 60_000]);
    add(Op::TypeArray, &[3, 1, 2]);
    add(Op::ConstantNull, &[3, 4]);
    for id in 5..3000 {
        add(
            Op::SpecConstantOp,
            &[3, id, Op::CompositeInsert as u32, 2, id - 1, id],
        );
    }
    let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let folded = Module::parse(&bytes).unwrap().folded();
    assert!(folded.to_bytes().len() < 64 << 20);
    assert!(folded.constants().get(5).is_some());
}

/// Whatever words are in it, nothing panics.
#[test]
fn broken_modules_never_panic() {
    if !oracles::debian("spirv-as") {
        return;
    }
    let rows = ROWS
        .iter()
        .enumerate()
        .map(|(index, (ty, op, operands, _))| {
            let id = 1000 + 10 * index;
            let ids: Vec<_> = (1..=operands.len())
                .map(|at| format!(" %{}", id + at))
                .collect();
            let made = operands
                .iter()
                .zip(&ids)
                .map(|(operand, id)| format!("{id} = OpSpecConstant {operand}\n"));
            made.collect::<String>()
                + &format!("%{id} = OpSpecConstantOp %{ty} {op}{}\n", ids.concat())
        });
    let rows: String = rows.collect();
    let more = "%a = OpConstant %i32 5
        %b = OpSpecConstantComposite %i32x2 %a %a
        %c = OpSpecConstantOp %i32x2 CompositeInsert %a %b 1
        %d = OpSpecConstantOp %i32x2 VectorShuffle %b %c 3 0
        %e = OpSpecConstantOp %i8x4 Bitcast %a
        %f = OpSpecConstantOp %i32 CompositeExtract %d 1\n";
    let bytes = assemble(&format!("{HEAD}{TYPES}{rows}{more}")).to_bytes();
    let mut folds = 0;
    arbtest::arbtest(|u| {
        let mut changed = bytes.clone();
        for _ in 0..u.int_in_range(1..=8)? {
            let at = u.choose_index(changed.len() / 4)? * 4;
            let from = u.choose_index(changed.len() / 4)? * 4;
            let word: u32 = match u.int_in_range(0..=2)? {
                0 => u.arbitrary()?,
                1 => u.int_in_range(0..=120)?,
                _ => u32::from_le_bytes(changed[from..from + 4].try_into().unwrap()),
            };
            changed[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        if let Ok(module) = Module::parse(&changed) {
            folds += 1;
            Module::parse(&module.folded().to_bytes()).unwrap();
        }
        Ok(())
    })
    .budget_ms(2000);
    assert!(folds > 100, "{folds}");
}
