//! A case for every kernel of the table.

use std::collections::HashMap;

use fucina_core::backend::{Backend, Table, TileShape};
use fucina_core::for_each_kernel;
use fucina_core::kernels::elementwise::Operand;
use fucina_core::kernels::gemm::{
    Matrix, MatrixTimesVector, NV, Pack, Product, Source, VectorTimesMatrix,
};
use fucina_core::kernels::optim::{AdamWStep, SgdStep};
use fucina_core::parallel::Block;
use fucina_core::rng::Distribution;

use super::{Report, Sample, attention, elementwise, half, norms, pools};

/// Checks every kernel of both types against `oracle`; the error lists what differs.
pub(crate) fn kernels(
    backend: &'static dyn Backend,
    oracle: &'static dyn Backend,
) -> Result<(), String> {
    let mut report = Report::new(backend.name());
    kernels_of::<f32>(backend, oracle, &mut report);
    kernels_of::<f64>(backend, oracle, &mut report);
    report.finish()
}

fn kernels_of<T: Sample>(
    backend: &'static dyn Backend,
    oracle: &'static dyn Backend,
    report: &mut Report,
) {
    let (table, oracle) = (T::table(backend), T::table(oracle));
    let lanes = table.tile_shape().nr / NV;
    let mut compared: HashMap<&str, usize> = names().iter().map(|&name| (name, 0)).collect();
    for (kind, pool) in pools::<T>() {
        for len in [1, lanes - 1, lanes, lanes + 1, 4 * lanes + 3, 33, 4097] {
            for offset in 0..=lanes {
                let inputs = Inputs { pool: &pool, len: len.max(1), offset };
                for (name, case) in all_cases::<T>() {
                    let (ours, theirs) = (case(table, &inputs), case(oracle, &inputs));
                    *compared.get_mut(name).expect("a name of the table") += ours.len();
                    let place =
                        format_args!("{name}, {kind} values, length {len}, offset {offset}");
                    report.compare(place, &ours, &theirs);
                }
            }
        }
    }
    for (name, count) in compared {
        assert!(count > 0, "kernel {name} of {} has no case in backends/parity.rs", T::DTYPE);
    }
}

fn all_cases<T: Sample>() -> Vec<(&'static str, Case<T>)> {
    [elementwise::cases(), half::cases(), cases()].concat()
}

/// Names of all kernels in the table.
fn names() -> &'static [&'static str] {
    macro_rules! collect {
        // collect! { T; #[doc = ".."] add(a: A) -> (()) = op; } => &["add"]
        ($t:ty; $(#[$doc:meta] $name:ident($($arg:ident: $ty:ty),*) -> ($out:ty) = $op:expr;)*) => {
            &[$(stringify!($name)),*]
        };
    }
    for_each_kernel!(collect, f32)
}

pub(super) type Case<T> = fn(Table<T>, &Inputs<T>) -> Vec<T>;

/// What a case may read: slices of a pool, at an offset.
pub(super) struct Inputs<'a, T> {
    pool: &'a [T],
    pub(super) len: usize,
    pub(super) offset: usize,
}

/// Around every output; no kernel may touch it.
const GUARD: usize = 16;

impl<T: Sample> Inputs<'_, T> {
    /// The `which`-th input. Each has another alignment.
    pub(super) fn x(&self, which: usize) -> &[T] {
        &self.pool[5000 * which + self.offset + which..][..self.len]
    }
    /// The first `len` values of the pool, however many.
    pub(super) fn long(&self, len: usize) -> &[T] {
        &self.pool[self.offset..][..len]
    }
    pub(super) fn splat(&self) -> T {
        self.x(4)[0]
    }
    /// What is in a buffer after `f` wrote its middle, which began as `start`.
    pub(super) fn write(&self, start: &[T], f: impl FnOnce(&mut [T])) -> Vec<T> {
        let mut buffer = vec![T::from_f64(77.0); start.len() + self.offset + GUARD];
        let middle = &mut buffer[self.offset..][..start.len()];
        middle.copy_from_slice(start);
        f(middle);
        buffer
    }
    /// The same for an output of the inputs' length that is all NaN before.
    pub(super) fn fill(&self, f: impl FnOnce(&mut [T])) -> Vec<T> {
        self.write(&vec![T::NAN; self.len], f)
    }
}

fn cases<T: Sample>() -> Vec<(&'static str, Case<T>)> {
    macro_rules! unary {
        // unary!(exp) => ("exp", |k, i| i.fill(|out| k.exp(i.x(0), out)))
        ($name:ident) => {
            (stringify!($name), |k: Table<T>, i: &Inputs<T>| i.fill(|out| k.$name(i.x(0), out)))
        };
    }
    macro_rules! pair {
        // pair!(relu_backward) => ("relu_backward", |k, i| i.fill(|out| k.relu_backward(i.x(0), i.x(1), out)))
        ($name:ident) => {
            (stringify!($name), |k: Table<T>, i: &Inputs<T>| {
                i.fill(|out| k.$name(i.x(0), i.x(1), out))
            })
        };
    }
    macro_rules! row {
        // row!(sum_row) => ("sum_row", |k, i| the value of one row, and of one of several blocks)
        ($name:ident) => {
            (stringify!($name), |k: Table<T>, i: &Inputs<T>| {
                vec![k.$name(i.x(0)), k.$name(i.long(3 * 4096 + i.len))]
            })
        };
    }
    macro_rules! columns {
        // columns!(sum_columns) => ("sum_columns", |k, i| matrices with `len` columns)
        ($name:ident) => {
            (stringify!($name), |k: Table<T>, i: &Inputs<T>| {
                let rows: &[usize] = match i.len {
                    0..10 if i.offset == 0 => &[1, 31, 32, 33, 100, 4097],
                    0..100 => &[1, 33, 70],
                    _ => &[2],
                };
                // Dense rows, and rows with a gap, the last of which ends with its last column.
                let matrix = |rows: usize, stride: usize| {
                    i.fill(|out| k.$name(i.long((rows - 1) * stride + i.len), stride, out))
                };
                let both = |&rows: &usize| [matrix(rows, i.len), matrix(rows, i.len + 3)].concat();
                rows.iter().flat_map(both).collect()
            })
        };
    }
    vec![
        ("accumulate", |k, i| {
            let mut all = i.write(i.x(1), |acc| k.accumulate(Operand::Slice(i.x(0)), acc));
            all.extend(i.write(i.x(1), |acc| k.accumulate(Operand::Splat(i.splat()), acc)));
            all
        }),
        row!(sum_row),
        row!(max_row),
        columns!(sum_columns),
        columns!(max_columns),
        row!(min_row),
        columns!(min_columns),
        row!(prod_row),
        columns!(prod_columns),
        row!(log_sum_exp_row),
        unary!(softmax_row),
        unary!(log_softmax_row),
        pair!(softmax_backward_row),
        pair!(log_softmax_backward_row),
        ("gemm_pack", packs),
        ("gemm_block", products),
        ("vector_times_matrix", vector_times_matrix),
        ("matrix_times_vector", matrix_times_vector),
        ("random_fill", fills),
        ("randint_fill", integers),
        ("dropout", |k, i| i.fill(|out| k.dropout(0.25, 7, i.offset as u64, i.x(0), out))),
        ("sgd_step", sgd_steps),
        ("adamw_step", adamw_steps),
        ("streaming_softmax", attention::softmax),
        ("streaming_end", attention::end),
        ("probabilities", attention::probabilities),
        ("score_gradient", attention::score_gradient),
        ("scale_rows", attention::scale_rows),
        ("row_dots", attention::row_dots),
        ("rotate", norms::rotate),
        ("normalize", norms::forward),
        ("normalize_backward", norms::backward),
    ]
}

/// Every distribution, from an even or odd element on; the longest at a seed whose first output is the last of all.
fn fills<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    let seed = if i.len > 100 { 0x3162_8AF6_7B21_31AB } else { 7 };
    let all = [
        Distribution::Uniform { lo: -1.0, hi: 3.0 },
        Distribution::Gaussian { scale: 0.7 },
        Distribution::FastGaussian { scale: 0.7 },
        Distribution::Normal { mean: 1.5, std_dev: 2.0 },
        Distribution::Gumbel,
        Distribution::Bernoulli { p: 0.3 },
    ];
    all.iter().flat_map(|&d| i.fill(|out| k.random_fill(d, seed, i.offset as u64, out))).collect()
}

fn integers<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    let mut out = vec![0; i.len];
    k.randint_fill(7, i.offset as u64, -5, 1 << 40, &mut out);
    // Both halves: all of a value's bits count.
    let halves = |x: &i64| [(x >> 24) as f64, (x & 0xff_ffff) as f64].map(T::from_f64);
    out.iter().flat_map(halves).collect()
}

/// Products of a few shapes, cut into the backend's own tiles, from operands in every form.
fn products<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    let mut all = Vec::new();
    let shapes: &[(usize, usize)] =
        if i.len > 100 { &[(2, 3), (2, 1)] } else { &[(1, 1), (3, 0), (7, 1), (4, 7), (13, 33)] };
    for &(rows, depth) in shapes {
        for fresh in [true, false] {
            for (packed_left, packed_right) in [(false, false), (false, true), (true, false)] {
                let product = ProductCase { rows, depth, fresh, packed_left, packed_right };
                all.extend(product.run(k, i));
            }
        }
    }
    all
}

/// `c [rows, len] (+)= a [rows, depth] * b [depth, len]`, `c` with gaps between its rows.
struct ProductCase {
    rows: usize,
    depth: usize,
    fresh: bool,
    packed_left: bool,
    packed_right: bool,
}

impl ProductCase {
    fn run<T: Sample>(&self, k: Table<T>, i: &Inputs<T>) -> Vec<T> {
        let &Self { rows, depth, fresh, packed_left, packed_right } = self;
        let TileShape { mr, nr } = k.tile_shape();
        let a: Vec<T> = i.x(0).iter().cycle().copied().take(rows * depth).collect();
        let a = Matrix { data: &a, start: 0, row: depth as isize, column: 1 };
        let b = i.long(depth * i.len);
        let b = Matrix { data: b, start: 0, row: i.len as isize, column: 1 };
        let pack = |x: Matrix<'_, T>, first: usize, rows: usize, width: usize| {
            let mut out = vec![T::NAN; (rows - first).next_multiple_of(width) * depth];
            if depth > 0 {
                let (count, from) = (rows - first, 0);
                k.gemm_pack(Pack { x, first, count, from, depth, width, out: &mut out });
            }
            out
        };
        let (panels, strips) = (pack(a, 0, rows, mr), pack(b.transposed(), 0, i.len, nr));
        let left = if packed_left { Source::Packed(&panels) } else { Source::InPlace(a) };
        let right = if packed_right { Source::Packed(&strips) } else { Source::InPlace(b) };
        i.write(i.long(rows * i.len), |c| {
            let out = Block::new(c, i.len);
            k.gemm_block(Product { left, right, from: 0, depth, depth_each: 8, fresh, out });
        })
    }
}

/// A vector times a matrix of as many columns as the inputs are long, and a matrix of as many rows times a vector.
fn vector_times_matrix<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    let depth = if i.len > 100 { 3 } else { 21 };
    let matrix = Matrix { data: i.long(depth * i.len), start: 0, row: i.len as isize, column: 1 };
    let x = &i.x(1).repeat(depth)[..depth];
    let zeros = vec![T::ZERO; i.len];
    i.write(&zeros, |out| k.vector_times_matrix(VectorTimesMatrix { x, matrix, first: 0, out }))
}

fn matrix_times_vector<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    let depth = if i.len > 100 { 3 } else { 21 };
    let matrix = Matrix { data: i.long(depth * i.len), start: 0, row: depth as isize, column: 1 };
    let x = &i.x(1).repeat(depth)[..depth];
    i.fill(|out| k.matrix_times_vector(MatrixTimesVector { matrix, x, first: 0, out }))
}

/// Strips and panels of a matrix whose rows, or columns, or neither stand side by side.
fn packs<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    const WIDEST: usize = 32;
    let (depth, rows) = (i.len.min(37), WIDEST + 1);
    let (data, wide) = (i.long(4000), (rows + 5) as isize);
    let by_rows = Matrix { data, start: 0, row: depth as isize, column: 1 };
    let by_columns = Matrix { data, start: 2, row: 1, column: wide };
    let mut all = Vec::new();
    for x in [by_rows, by_columns, Matrix { row: 2, column: 3, ..by_columns }] {
        for width in [4, 6, 8, 16, WIDEST] {
            for count in [width, width - 1, 2 * width, 2 * width + 1] {
                let (first, from) = (1, depth / 3);
                let (depth, count) = (depth - from, count.min(WIDEST));
                let start = vec![T::NAN; depth * count.next_multiple_of(width)];
                all.extend(i.write(&start, |out| {
                    k.gemm_pack(Pack { x, first, count, from, depth, width, out });
                }));
            }
        }
    }
    all
}

fn sgd_steps<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    let number = T::from_f64;
    let mut velocity = Vec::new();
    let mut all = i.write(i.x(0), |w| {
        velocity = i.write(i.x(2), |v| {
            let (learning_rate, momentum) = (number(0.1), number(0.9));
            let step = SgdStep { learning_rate, momentum, weight_decay: number(0.01) };
            k.sgd_step(step, w, i.x(1), v);
        });
    });
    all.extend(velocity);
    all
}

fn adamw_steps<T: Sample>(k: Table<T>, i: &Inputs<T>) -> Vec<T> {
    let number = T::from_f64;
    let step = AdamWStep {
        shrink: number(0.9999),
        rate: number(0.01),
        second_scale: number(31.6),
        beta1: number(0.9),
        beta2: number(0.999),
        eps: number(1e-8),
    };
    // Second moments are not negative, unless someone puts them so: both.
    let squares: Vec<T> = i.x(3).iter().map(|x| x.magnitude()).collect();
    let mut all = Vec::new();
    for second in [&squares, i.x(3)] {
        let (mut m1, mut s1) = (Vec::new(), Vec::new());
        all.extend(i.write(i.x(0), |w| {
            m1 = i.write(i.x(2), |m| {
                s1 = i.write(second, |s| k.adamw_step(step, w, i.x(1), m, s));
            });
        }));
        all.extend(m1);
        all.extend(s1);
    }
    all
}
