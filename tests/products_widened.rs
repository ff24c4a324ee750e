//! Products of f16 and bf16: bit by bit those of the same operands widened first.

#[path = "common/bits.rs"]
mod bits;
#[path = "common/gaussian.rs"]
mod gaussian;

use fucina::backend::{SCALAR, SCALAR_UNFUSED};
use fucina::dtype::{CastFrom, Element, bf16, f16};
use fucina::exec::Widen;
use fucina::{ExecContext, RawTensor, Result, Tensor};

use bits::bits;
use gaussian::gaussian;

/// Rows, steps and columns: vectors, few rows, many; of one block and of several; packed whole and in steps of `k`.
const SHAPES: [[usize; 3]; 19] = [
    [1, 1, 1],
    [1, 40, 33],
    [1, 4500, 3],
    [1, 700, 300],
    [7, 40, 1],
    [300, 700, 1],
    [2, 9, 5],
    [3, 300, 70],
    [4, 2100, 1024],
    [5, 33, 129],
    [8, 130, 300],
    [12, 257, 40],
    [13, 64, 17],
    [64, 300, 129],
    [90, 260, 400],
    [300, 70, 4],
    [40, 3000, 90],
    [2, 70_000, 3],
    [13, 9000, 512],
];

fn contexts() -> Vec<ExecContext> {
    vec![
        fucina::context_with_threads(1),
        fucina::context_with_threads(2),
        fucina::context_with_threads(5),
        ExecContext::builder().backend(&SCALAR).build(),
        ExecContext::builder().backend(&SCALAR_UNFUSED).build(),
    ]
}

/// The matrices `[.., rows, columns]` in every way they may lie: a way and what lies in memory.
#[derive(Clone, Copy, Debug)]
enum Lies {
    ByRows,
    ByColumns,
    Stepped,
    Backwards,
}

const WAYS: [Lies; 4] = [Lies::ByRows, Lies::ByColumns, Lies::Stepped, Lies::Backwards];

impl Lies {
    fn base(self, dims: &[usize]) -> Vec<usize> {
        let (mut dims, last) = (dims.to_vec(), dims.len() - 1);
        match self {
            Self::ByRows | Self::Backwards => {}
            Self::ByColumns => dims.swap(last - 1, last),
            Self::Stepped => (dims[last - 1], dims[last]) = (dims[last - 1] + 2, 2 * dims[last]),
        }
        dims
    }

    fn view<T: Element>(self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        let last = x.shape().rank() - 1;
        match self {
            Self::ByRows => Ok(x.clone()),
            Self::ByColumns => x.transpose(last - 1, last),
            Self::Stepped => {
                let rows = x.shape()[last - 1] - 2;
                x.narrow(last - 1, 1, rows)?.step(last, 2)
            }
            Self::Backwards => x.flip(last)?.flip(last - 1),
        }
    }
}

/// Numbers from -2 to 2: scattered, and quicker to make than random ones.
fn numbers(ctx: &ExecContext, dims: &[usize], seed: u32) -> Result<RawTensor<f32>> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 22) as f32 - 2.0
    };
    ctx.from_vec(dims, (0..dims.iter().product()).map(|_: usize| next()).collect())
}

/// Products in all orientations of operands of types `A` and `B`, `dims` before transposition.
fn compare<A, B>(ctx: &ExecContext, dims: [&[usize]; 2], ways: [Lies; 2]) -> Result<()>
where
    A: Widen<f32> + CastFrom<f32>,
    B: Widen<f32> + CastFrom<f32>,
    f32: CastFrom<A> + CastFrom<B>,
{
    let turned = |dims: &[usize]| {
        let (mut dims, last) = (dims.to_vec(), dims.len() - 1);
        dims.swap(last - 1, last);
        dims
    };
    let (a, b) = (dims[0].to_vec(), dims[1].to_vec());
    for (form, a, b) in
        [("nn", a.clone(), b.clone()), ("nt", a.clone(), turned(&b)), ("tn", turned(&a), b.clone())]
    {
        let narrow_a = ctx.cast::<_, A>(&numbers(ctx, &ways[0].base(&a), 1)?)?;
        let narrow_b = ctx.cast::<_, B>(&numbers(ctx, &ways[1].base(&b), 2)?)?;
        let wide_a = ways[0].view(&ctx.cast::<_, f32>(&narrow_a)?)?;
        let wide_b = ways[1].view(&ctx.cast::<_, f32>(&narrow_b)?)?;
        let (a, b) = (ways[0].view(&narrow_a)?, ways[1].view(&narrow_b)?);
        let (got, want) = match form {
            "nn" => (ctx.matmul_widened(&a, &b)?, ctx.matmul(&wide_a, &wide_b)?),
            "nt" => (ctx.matmul_nt_widened(&a, &b)?, ctx.matmul_nt(&wide_a, &wide_b)?),
            _ => (ctx.matmul_tn_widened(&a, &b)?, ctx.matmul_tn(&wide_a, &wide_b)?),
        };
        let types = [A::DTYPE, B::DTYPE];
        let (name, dims) = (ctx.backend().name(), [a.shape(), b.shape()]);
        assert!(bits(&got) == bits(&want), "{name}, {form} of {types:?} {dims:?}, {ways:?}");
    }
    Ok(())
}

#[test]
fn products_of_matrices_have_the_bits_of_widened_operands() -> Result<()> {
    for (c, ctx) in contexts().iter().enumerate() {
        for (s, [m, k, n]) in SHAPES.into_iter().enumerate() {
            let dims: [&[usize]; 2] = [&[m, k], &[k, n]];
            // Large products on the team, each context in other ways; those of one lane are slow.
            let work = m * k * n;
            if c > 2 && work > 1 << 18 {
                continue;
            }
            let every = if work > 1 << 21 { 16 } else { 1 };
            for (w, ways) in WAYS.into_iter().flat_map(|a| WAYS.map(|b| [a, b])).enumerate() {
                let turn = w + s + c;
                if !turn.is_multiple_of(every) {
                    continue;
                }
                compare::<f16, f16>(ctx, dims, ways)?;
                match turn / every % 3 {
                    0 => compare::<bf16, bf16>(ctx, dims, ways)?,
                    1 => compare::<f32, f16>(ctx, dims, ways)?,
                    _ => compare::<bf16, f32>(ctx, dims, ways)?,
                }
            }
        }
    }
    Ok(())
}

#[test]
fn products_of_batches_have_the_bits_of_widened_operands() -> Result<()> {
    let shapes: [[&[usize]; 2]; 8] = [
        [&[2, 3, 4, 5], &[2, 3, 5, 6]],
        [&[2, 3, 7, 40], &[40, 33]],
        [&[3, 7, 40], &[2, 1, 40, 33]],
        [&[2, 1, 20, 9], &[1, 3, 9, 17]],
        [&[2, 3, 1, 64], &[2, 3, 64, 50]],
        [&[2, 3, 50, 64], &[2, 3, 64, 1]],
        [&[40, 30, 64], &[40, 64, 90]],
        [&[2, 4, 1100], &[2, 1100, 2000]],
    ];
    for (c, ctx) in contexts().iter().enumerate() {
        for dims in if c > 2 { &shapes[..6] } else { &shapes[..] } {
            for way in WAYS {
                compare::<f16, f16>(ctx, *dims, [way, Lies::ByRows])?;
                compare::<f32, bf16>(ctx, *dims, [Lies::ByRows, way])?;
            }
        }
    }
    Ok(())
}

/// No zero is skipped, no NaN is lost, and subnormal halves count.
#[test]
fn special_halves_count_as_their_values() -> Result<()> {
    for ctx in contexts() {
        for m in [1, 2, 30] {
            let rows = |values: [f16; 3]| ctx.from_vec(&[m, 3], values.repeat(m));
            let ones = ctx.full(&[3, 20], f16::ONE)?;
            let tiny = rows([f16::from_bits(1), f16::from_bits(2), f16::NEG_ZERO])?;
            let out: RawTensor<f32> = ctx.matmul_widened(&tiny, &ones)?;
            assert!(out.iter().all(|x| x == 3.0 / 16_777_216.0));
            let large = rows([f16::MAX, f16::MAX, f16::MAX])?;
            let out: RawTensor<f32> = ctx.matmul_widened(&large, &ones)?;
            assert!(out.iter().all(|x| x == 3.0 * 65504.0), "sums are not of halves");
            let nan = ctx.full(&[3, 20], f16::NAN)?;
            let out: RawTensor<f32> = ctx.matmul_widened(&rows([f16::ZERO; 3])?, &nan)?;
            assert!(out.iter().all(f32::is_nan));
        }
    }
    Ok(())
}

#[test]
fn facade_products_are_those_of_the_context() -> Result<()> {
    let ctx = ExecContext::new();
    let scope = ctx.open_exec_scope();
    let (a, b) = (gaussian(&ctx, &[3, 4], 1), gaussian(&ctx, &[4, 5], 2));
    let b = ctx.cast::<_, bf16>(&b)?;
    let bt = Tensor::constant(b.transpose(0, 1)?);
    let at = Tensor::constant(ctx.cast::<_, bf16>(&a)?.transpose(0, 1)?);
    let (a, b) = (Tensor::constant(a), Tensor::constant(b));
    let want = a.matmul(&ctx, &b.cast::<f32>(&ctx)?)?.to_vec()?;
    assert_eq!(a.matmul_widened(&ctx, &b)?.to_vec()?, want);
    assert_eq!(a.matmul_nt_widened(&ctx, &bt)?.to_vec()?, want);
    let want = a.cast::<bf16>(&ctx)?.cast::<f32>(&ctx)?.matmul(&ctx, &b.cast::<f32>(&ctx)?)?;
    assert_eq!(at.matmul_tn_widened(&ctx, &b)?.to_vec()?, want.to_vec()?);
    drop(scope);
    Ok(())
}

/// Weights that few rows meet are widened, or packed, a few KiB at a time.
#[test]
fn few_rows_take_scratch_of_their_own_size_only() -> Result<()> {
    let ctx = ExecContext::new();
    let (half, wide) = (ctx.full(&[2048, 2048], f16::ONE)?, ctx.full(&[2048, 2048], 1.0_f32)?);
    for m in [1, 4, 8] {
        let own = m * 2048 * size_of::<f32>();
        let check = |multiply: &dyn Fn() -> Result<RawTensor<f32>>| -> Result<()> {
            ctx.pool().trim(0);
            assert!(multiply()?.iter().all(|x| x == 2048.0));
            let cached = ctx.pool().stats().cached_bytes;
            assert!(cached <= 3 * own.max(1 << 14), "{m} rows: {cached} bytes");
            Ok(())
        };
        let x = ctx.full(&[m, 2048], f16::ONE)?;
        check(&|| ctx.matmul_widened(&x, &half))?;
        check(&|| ctx.matmul_nt_widened(&x, &half))?;
        let x = ctx.full(&[m, 2048], 1.0)?;
        check(&|| ctx.matmul_nt(&x, &wide))?;
    }
    Ok(())
}
