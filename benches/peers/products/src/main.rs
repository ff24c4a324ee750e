//! Matrix products (f32) beside the `gemm` crate, faer, rten-gemm and ndarray: one thread each, and ours on two.
//!
//! Ours include what an op includes: a tensor for the result, taken from the pool and given back. The peers write into a buffer
//! that they are given. `cargo run --release -p products` prints the table, `-- sweep` looks for sizes at which the `gemm` crate
//! is faster, `-- shape M K N` times one shape.

use clap::{Parser, Subcommand};
use fucina::{ExecContext, RawTensor};
use turns::{Contender, Unit, contender, machine, row};

#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Cubes, and each dimension alone, from 1 to 512, beside the gemm crate.
    Sweep {
        /// Every so many sizes.
        #[arg(long, default_value_t = 1)]
        every: usize,
    },
    /// One shape.
    Shape { m: usize, k: usize, n: usize },
}

/// `[m, k] * [k, n]`.
#[derive(Clone, Copy)]
struct Shape {
    m: usize,
    k: usize,
    n: usize,
}

const SHAPES: [[usize; 3]; 22] = [
    [8, 8, 8],
    [16, 16, 16],
    [32, 32, 32],
    [64, 64, 64],
    [96, 96, 96],
    [100, 100, 100],
    [128, 128, 128],
    [200, 200, 200],
    [256, 256, 256],
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [1, 1024, 1024],
    [2, 1024, 1024],
    [4, 1024, 1024],
    [8, 1024, 1024],
    [1024, 1024, 1],
    [1024, 1024, 8],
    [64, 784, 256],
    [64, 256, 10],
    [32, 64, 32],
    [784, 64, 256],
];

fn main() {
    // SAFETY: nothing else runs yet.
    unsafe { std::env::set_var("RAYON_NUM_THREADS", "1") };
    println!("{}", machine());
    match Args::parse().what {
        None => SHAPES.into_iter().for_each(|[m, k, n]| table(Shape { m, k, n })),
        Some(What::Shape { m, k, n }) => table(Shape { m, k, n }),
        Some(What::Sweep { every }) => sweep(every),
    }
}

/// Operands in rows, their transposes, and what a product of them must be near.
struct Case {
    shape: Shape,
    a: RawTensor<f32>,
    b: RawTensor<f32>,
    a_t: RawTensor<f32>,
    b_t: RawTensor<f32>,
    wanted: Vec<f64>,
}

impl Case {
    fn new(ctx: &ExecContext, shape: Shape) -> Self {
        let Shape { m, k, n } = shape;
        let a = ctx.randn::<f32>(&[m, k], 1).unwrap();
        let b = ctx.randn::<f32>(&[k, n], 2).unwrap();
        let turned = |x: &RawTensor<f32>| ctx.materialize(&x.transpose(0, 1).unwrap()).unwrap();
        let (a_t, b_t) = (turned(&a), turned(&b));
        // A few outputs, by another road.
        let wanted = Self::places(shape)
            .map(|(i, j)| {
                let (a, b) = (a.data().unwrap(), b.data().unwrap());
                (0..k).map(|p| f64::from(a[i * k + p]) * f64::from(b[p * n + j])).sum()
            })
            .collect();
        Self { shape, a, b, a_t, b_t, wanted }
    }

    fn places(Shape { m, n, .. }: Shape) -> impl Iterator<Item = (usize, usize)> {
        (0..7).map(move |i| (i * 5 % m, i * 11 % n))
    }

    fn check(&self, who: &str, out: &[f32]) {
        for ((i, j), wanted) in Self::places(self.shape).zip(&self.wanted) {
            let found = f64::from(out[i * self.shape.n + j]);
            let most = 1e-5 * (self.shape.k as f64).sqrt() * 4.0;
            assert!((found - wanted).abs() <= most, "{who} [{i}, {j}]: {found}, wanted {wanted}");
        }
    }

    fn flops(&self) -> f64 {
        let Shape { m, k, n } = self.shape;
        2.0 * (m * k * n) as f64
    }

    fn gemm_crate(&self, out: &mut [f32]) {
        let Shape { m, k, n } = self.shape;
        let (a, b) = (self.a.data().unwrap(), self.b.data().unwrap());
        assert!(out.len() == m * n && a.len() == m * k && b.len() == k * n);
        let (k_, n_) = (k as isize, n as isize);
        let one = gemm::Parallelism::None;
        // SAFETY: the lengths are those of the strides (asserted).
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                out.as_mut_ptr(),
                1,
                n_,
                false,
                a.as_ptr(),
                1,
                k_,
                b.as_ptr(),
                1,
                n_,
                0.0,
                1.0,
                false,
                false,
                false,
                one,
            );
        }
    }

    fn faer(&self, out: &mut [f32]) {
        use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
        let Shape { m, k, n } = self.shape;
        let a = MatRef::from_row_major_slice(self.a.data().unwrap(), m, k);
        let b = MatRef::from_row_major_slice(self.b.data().unwrap(), k, n);
        matmul(MatMut::from_row_major_slice_mut(out, m, n), Accum::Replace, a, b, 1.0, Par::Seq);
    }

    fn rten(&self, gemm: &rten_gemm::GemmExecutor, out: &mut [f32]) {
        use rten_gemm::{GemmInputA, GemmInputB, GemmOptions};
        use rten_tensor::NdTensorView;
        let Shape { m, k, n } = self.shape;
        let a = NdTensorView::from_data([m, k], self.a.data().unwrap());
        let b = NdTensorView::from_data([k, n], self.b.data().unwrap());
        let (a, b) = (GemmInputA::Unpacked(a), GemmInputB::Unpacked(b));
        gemm.gemm(out, a, b, GemmOptions::default()).unwrap();
    }
}

fn table(shape: Shape) {
    let one = fucina::context_with_threads(1);
    let two = fucina::context_with_threads(2);
    let case = Case::new(&one, shape);
    let Shape { m, k, n } = shape;
    for (who, out) in [
        ("matmul", one.matmul(&case.a, &case.b)),
        ("matmul_nt", one.matmul_nt(&case.a, &case.b_t)),
        ("matmul_tn", one.matmul_tn(&case.a_t, &case.b)),
    ] {
        case.check(who, out.unwrap().data().unwrap());
    }
    let rten = rten_gemm::GemmExecutor::default();
    let mut outs = [const { Vec::new() }; 4].map(|_: Vec<f32>| vec![0.0_f32; m * n]);
    let [g, f, r, d] = &mut outs;
    let array = |x: &RawTensor<f32>, rows, columns| {
        ndarray::Array2::from_shape_vec((rows, columns), x.data().unwrap().to_vec()).unwrap()
    };
    let (a, b) = (array(&case.a, m, k), array(&case.b, k, n));
    let mut c = ndarray::Array2::<f32>::zeros((m, n));
    case.gemm_crate(g);
    case.faer(f);
    case.rten(&rten, r);
    ndarray::linalg::general_mat_mul(1.0, &a, &b, 0.0, &mut c);
    d.copy_from_slice(c.as_slice().unwrap());
    for (who, out) in [("gemm", &*g), ("faer", f), ("rten", r), ("ndarray", d)] {
        case.check(who, out);
    }
    let title = format!("{m} x {k} x {n}");
    let contenders: Vec<Contender<'_>> = vec![
        contender("fucina", || one.matmul(&case.a, &case.b).unwrap()),
        contender("gemm", || case.gemm_crate(g)),
        contender("faer", || case.faer(f)),
        contender("rten", || case.rten(&rten, r)),
        contender("ndarray", || ndarray::linalg::general_mat_mul(1.0, &a, &b, 0.0, &mut c)),
        contender("ours nt", || one.matmul_nt(&case.a, &case.b_t).unwrap()),
        contender("ours tn", || one.matmul_tn(&case.a_t, &case.b).unwrap()),
    ];
    row(&title, Unit::Gflops, case.flops(), contenders);
    // Apart: the second thread still looks for work in the turn after its own.
    let contenders = vec![
        contender("two threads", || two.matmul(&case.a, &case.b).unwrap()),
        contender("one", || one.matmul(&case.a, &case.b).unwrap()),
    ];
    row("", Unit::Gflops, case.flops(), contenders);
}

/// Sizes at which we are more than 5 % slower, after a second look.
fn sweep(every: usize) {
    let one = fucina::context_with_threads(1);
    let ratio = |shape: Shape, rounds: usize| {
        let case = Case::new(&one, shape);
        let mut out = vec![0.0; shape.m * shape.n];
        let reps = ((4e6 / case.flops()) as usize).clamp(1, 2000);
        let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
        let timed = |f: &mut dyn FnMut()| {
            let start = std::time::Instant::now();
            (0..reps).for_each(|_| f());
            start.elapsed().as_secs_f64()
        };
        for _ in 0..rounds {
            ours = ours.min(timed(&mut || drop(one.matmul(&case.a, &case.b).unwrap())));
            theirs = theirs.min(timed(&mut || case.gemm_crate(&mut out)));
        }
        theirs / ours
    };
    let kinds: [(&str, fn(usize) -> Shape); 10] = [
        ("s x s x s", |s| Shape { m: s, k: s, n: s }),
        ("s x 64 x 64", |s| Shape { m: s, k: 64, n: 64 }),
        ("64 x s x 64", |s| Shape { m: 64, k: s, n: 64 }),
        ("64 x 64 x s", |s| Shape { m: 64, k: 64, n: s }),
        ("s x 256 x 256", |s| Shape { m: s, k: 256, n: 256 }),
        ("256 x s x 256", |s| Shape { m: 256, k: s, n: 256 }),
        ("256 x 256 x s", |s| Shape { m: 256, k: 256, n: s }),
        ("1 x s x s", |s| Shape { m: 1, k: s, n: s }),
        ("s x s x 1", |s| Shape { m: s, k: s, n: 1 }),
        ("s x 1 x s", |s| Shape { m: s, k: 1, n: s }),
    ];
    for (title, shape) in kinds {
        let (mut slower, mut all) = (Vec::new(), Vec::new());
        for s in (1..=512).step_by(every) {
            let mut found = ratio(shape(s), 5);
            if found < 0.95 {
                found = found.max(ratio(shape(s), 25));
            }
            all.push(found);
            if found < 0.95 {
                slower.push((s, found));
            }
        }
        let count = all.len();
        all.sort_by(f64::total_cmp);
        println!(
            "{title}: {} of {count} sizes slower by over 5 %; ratio lowest {:.2}, a tenth below {:.2}, median {:.2}",
            slower.len(),
            all[0],
            all[count / 10],
            all[count / 2]
        );
        let shown: Vec<String> = slower.iter().map(|(s, r)| format!("{s}: {r:.2}")).collect();
        println!("  {}", shown.join(", "));
    }
}
