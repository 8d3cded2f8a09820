//! Reduces a failing kernel as long as it still fails.

use super::ast::{Expr, Kernel, Kind, Stmt};

/// A kernel from which nothing more can be removed without it passing.
pub fn reduce(kernel: &Kernel, fails: impl Fn(&Kernel) -> bool) -> Kernel {
    let mut kernel = kernel.clone();
    loop {
        let before = size(&kernel);
        statements(&mut kernel, &fails);
        expressions(&mut kernel, &fails);
        if size(&kernel) == before {
            return kernel;
        }
    }
}

fn size(kernel: &Kernel) -> usize {
    let mut kernel = kernel.clone();
    let mut count = count_stmts(&kernel.body);
    each_expr(&mut kernel.body, &mut |_| count += 1);
    count
}

/// Removes statements, at first many at a time.
fn statements(kernel: &mut Kernel, fails: &impl Fn(&Kernel) -> bool) {
    let mut chunk = kernel.body.len().max(1) / 2;
    while chunk > 0 {
        let mut at = 0;
        while at < kernel.body.len() {
            let mut less = kernel.clone();
            less.body.drain(at..(at + chunk).min(kernel.body.len()));
            if fails(&less) {
                *kernel = less;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    // Then those in others.
    let mut at = 0;
    while at < count_stmts(&kernel.body) {
        let mut less = kernel.clone();
        remove(&mut less.body, &mut at.clone());
        if fails(&less) {
            *kernel = less;
        } else {
            at += 1;
        }
    }
}

/// Replaces expressions with an operand or a constant.
fn expressions(kernel: &mut Kernel, fails: &impl Fn(&Kernel) -> bool) {
    let mut at = 0;
    loop {
        let mut candidates = Vec::new();
        let mut count = 0;
        each_expr(&mut kernel.body, &mut |e| {
            if count == at {
                candidates = simpler(e);
            }
            count += 1;
        });
        if at >= count {
            return;
        }
        let smaller = candidates.into_iter().find_map(|candidate| {
            let mut less = kernel.clone();
            let mut count = 0;
            each_expr(&mut less.body, &mut |e| {
                if count == at {
                    *e = candidate.clone();
                }
                count += 1;
            });
            fails(&less).then_some(less)
        });
        match smaller {
            Some(less) => *kernel = less,
            None => at += 1,
        }
    }
}

fn simpler(e: &Expr) -> Vec<Expr> {
    let mut operands = Vec::new();
    each_operand(&mut e.clone(), &mut |operand| {
        operands.push(operand.clone())
    });
    let mut found: Vec<Expr> = operands.into_iter().filter(|o| o.ty == e.ty).collect();
    if !matches!(e.kind, Kind::Constant(_) | Kind::Variable(_)) {
        found.push(Expr {
            ty: e.ty,
            kind: Kind::Constant(vec![1; e.ty.components]),
        });
    }
    found
}

fn bodies(stmt: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match stmt {
        Stmt::If(_, then, otherwise) => vec![then, otherwise],
        Stmt::Loop { body, .. } => vec![body],
        Stmt::Switch { cases, default, .. } => {
            let cases = cases.iter_mut().map(|case| &mut case.body);
            cases.chain([default]).collect()
        }
        _ => Vec::new(),
    }
}

fn count_stmts(stmts: &[Stmt]) -> usize {
    let inside = |stmt: &Stmt| {
        let mut stmt = stmt.clone();
        let bodies = bodies(&mut stmt);
        bodies.iter().map(|body| count_stmts(body)).sum::<usize>()
    };
    stmts.iter().map(|stmt| 1 + inside(stmt)).sum()
}

/// Removes one statement, counted with those inside others.
fn remove(stmts: &mut Vec<Stmt>, at: &mut usize) -> bool {
    for index in 0..stmts.len() {
        if *at == 0 {
            stmts.remove(index);
            return true;
        }
        *at -= 1;
        if bodies(&mut stmts[index])
            .into_iter()
            .any(|body| remove(body, at))
        {
            return true;
        }
    }
    false
}

pub fn each_expr(stmts: &mut [Stmt], f: &mut impl FnMut(&mut Expr)) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign(_, _, value) | Stmt::Out(_, value) | Stmt::BlockWrite { value, .. } => {
                visit(value, f);
            }
            Stmt::If(value, ..)
            | Stmt::Break(value)
            | Stmt::Continue(value)
            | Stmt::Loop { count: value, .. }
            | Stmt::Switch { value, .. } => visit(value, f),
            Stmt::Store { index, value, .. } | Stmt::Share { index, value, .. } => {
                visit(index, f);
                visit(value, f);
            }
            Stmt::LocalAtomic {
                active,
                cell,
                operand,
                ..
            } => [active, cell, operand]
                .into_iter()
                .for_each(|e| visit(e, f)),
            Stmt::GlobalAtomic { cell, operand, .. } => {
                visit(cell, f);
                visit(operand, f);
            }
            Stmt::OwnAtomic { operands, .. } => operands.iter_mut().for_each(|e| visit(e, f)),
        }
        for body in bodies(stmt) {
            each_expr(body, f);
        }
    }
}

fn visit(e: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    f(e);
    each_operand(e, &mut |operand| visit(operand, f));
}

fn each_operand(e: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        Kind::Constant(_)
        | Kind::Variable(_)
        | Kind::Item(_)
        | Kind::Counter(_)
        | Kind::BlockRead(_) => {}
        Kind::Element(_, value)
        | Kind::Convert(value, ..)
        | Kind::Bits(value)
        | Kind::Swizzle(value, _) => f(value),
        Kind::Integer(_, operands)
        | Kind::Float(_, operands)
        | Kind::Gather(operands)
        | Kind::SubGroup(_, operands) => operands.iter_mut().for_each(f),
        Kind::Compare(_, operands) => operands.iter_mut().for_each(f),
        Kind::Choose(operands) => operands.iter_mut().for_each(f),
    }
}
