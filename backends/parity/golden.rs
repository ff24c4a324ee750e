//! A fixed program, and the digest of what it computes: fifty training steps on handwritten digits.
//!
//! A change of a digest is a change of bits, which is a breaking release. `docs/determinism.md` names them.

use std::io::Read;

use fucina_core::optim::{AdamW, AdamWConfig};
use fucina_core::rng::gaussian_fill;
use fucina_core::{ExecContext, Result, Tensor};

/// What [`training`] must give: backends with a fused multiply-add share one digest, those without another.
pub(crate) fn digest(fused: bool) -> u64 {
    if fused { 0xf7d8_f53c_926a_b7aa } else { 0xe7f3_c297_ce1a_455f }
}

const PIXELS: usize = 64;
const HIDDEN: usize = 48;
const CLASSES: usize = 10;
const BATCH: usize = 32;
const STEPS: usize = 50;

/// Trains a multilayer perceptron and returns the FNV-1a digest of its losses and parameters.
pub(crate) fn training(ctx: &ExecContext) -> Result<u64> {
    let (pixels, classes) = digits();
    let weights = |dims: [usize; 2], seed: u64| {
        let mut values = vec![0.0_f32; dims[0] * dims[1]];
        gaussian_fill(seed, &mut values, (2.0 / dims[1] as f32).sqrt());
        Tensor::variable_from_slice(ctx, &dims, &values)
    };
    let (mut w1, mut w2) = (weights([HIDDEN, PIXELS], 1)?, weights([CLASSES, HIDDEN], 2)?);
    let mut b1 = Tensor::variable(ctx, ctx.zeros(&[HIDDEN])?)?;
    let mut b2 = Tensor::variable(ctx, ctx.zeros(&[CLASSES])?)?;
    let mut adamw = AdamW::new(AdamWConfig { learning_rate: 3e-3, ..AdamWConfig::default() })?;
    let mut digest = Digest::new();
    for step in 0..STEPS {
        let _scope = ctx.open_exec_scope();
        let rows = step * BATCH..(step + 1) * BATCH;
        let images = &pixels[rows.start * PIXELS..rows.end * PIXELS];
        let images = Tensor::from_slice(ctx, &[BATCH, PIXELS], images)?;
        let classes = Tensor::from_slice(ctx, &[BATCH], &classes[rows])?;
        let hidden = images.matmul_nt(ctx, &w1)?.add(ctx, &b1)?.gelu(ctx)?;
        let scores = hidden.matmul_nt(ctx, &w2)?.add(ctx, &b2)?;
        let loss = scores.cross_entropy(ctx, &classes)?;
        digest.add(&[loss.item()?]);
        loss.backward(ctx)?;
        let mut parameters = [&mut w1, &mut b1, &mut w2, &mut b2];
        adamw.step(ctx, &mut parameters)?;
        parameters.iter().for_each(|parameter| parameter.zero_grad());
    }
    for parameter in [w1, b1, w2, b2] {
        digest.add(&parameter.to_vec()?);
    }
    Ok(digest.0)
}

/// FNV-1a over the bits of values.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, values: &[f32]) {
        for byte in values.iter().flat_map(|x| x.to_bits().to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Pixels from 0 to 1, and classes.
fn digits() -> (Vec<f32>, Vec<i64>) {
    let packed: &[u8] = include_bytes!("../../examples/data/digits.csv.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let (mut pixels, mut classes) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut values: Vec<u8> = line.split(',').map(|x| x.parse().unwrap()).collect();
        classes.push(i64::from(values.pop().unwrap()));
        pixels.extend(values.into_iter().map(|x| f32::from(x) / 16.0));
    }
    (pixels, classes)
}
