//! Chains of views and copies against a naive model that moves every element by its index.
//!
//! `cargo +nightly fuzz run views fuzz/corpus/views fuzz/seeds/views` in `core/`. After each step the tensor must hold what
//! the model holds, read element by element, as a contiguous copy, and through `data()` where it is contiguous; and
//! where the model refuses, the tensor must refuse.
#![no_main]

use arbitrary::Arbitrary;
use fucina_core::{ExecContext, RawTensor};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    Reshape(Vec<u8>),
    Permute(Vec<u8>),
    Transpose(u8, u8),
    Narrow { axis: u8, start: u8, len: u8 },
    Step { axis: u8, step: u8 },
    Flip(u8),
    Broadcast(Vec<u8>),
    Concat { axis: u8, times: u8 },
    Copy,
    Assign { axis: u8, start: u8, len: u8, step: u8, flip: bool },
}

#[derive(Arbitrary, Debug)]
struct Program {
    dims: Vec<u8>,
    steps: Vec<Step>,
}

/// Elements that a case may have: larger ones teach nothing new.
const MOST: usize = 4096;

/// A tensor as its shape and its elements in row-major order.
#[derive(Clone)]
struct Model {
    dims: Vec<usize>,
    values: Vec<i32>,
}

fn dims(of: &[u8]) -> Vec<usize> {
    of.iter().take(9).map(|&d| usize::from(d % 8)).collect()
}

fn valid(dims: &[usize]) -> bool {
    (1..=8).contains(&dims.len()) && dims.iter().all(|&d| d > 0)
}

impl Model {
    /// The tensor of shape `dims` whose element at an index is this one's at `from(index)`.
    fn pick(&self, dims: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let count: usize = dims.iter().product();
        let mut values = Vec::new();
        for flat in 0..count {
            let mut index = vec![0; dims.len()];
            let mut rest = flat;
            for axis in (0..dims.len()).rev() {
                index[axis] = rest % dims[axis];
                rest /= dims[axis];
            }
            values.push(self.at(&from(&index)));
        }
        Self { dims, values }
    }

    fn flat(&self, index: &[usize]) -> usize {
        index.iter().zip(&self.dims).fold(0, |flat, (&i, &d)| flat * d + i)
    }

    fn at(&self, index: &[usize]) -> i32 {
        self.values[self.flat(index)]
    }

    fn along(&self, axis: usize, dim: usize, from: impl Fn(usize) -> usize) -> Option<Self> {
        let mut dims = self.dims.clone();
        *dims.get_mut(axis)? = dim;
        Some(self.pick(dims, |index| {
            let mut index = index.to_vec();
            index[axis] = from(index[axis]);
            index
        }))
    }

    fn reshape(&self, dims: &[usize]) -> Option<Self> {
        let fits = valid(dims) && dims.iter().product::<usize>() == self.values.len();
        fits.then(|| Self { dims: dims.to_vec(), values: self.values.clone() })
    }

    fn permute(&self, order: &[usize]) -> Option<Self> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if sorted != (0..self.dims.len()).collect::<Vec<_>>() {
            return None;
        }
        let dims = order.iter().map(|&from| self.dims[from]).collect();
        Some(self.pick(dims, |index| {
            let mut source = vec![0; index.len()];
            for (&from, &i) in order.iter().zip(index) {
                source[from] = i;
            }
            source
        }))
    }

    fn narrow(&self, axis: usize, start: usize, len: usize) -> Option<Self> {
        let dim = *self.dims.get(axis)?;
        if len == 0 || start + len > dim {
            return None;
        }
        self.along(axis, len, |i| start + i)
    }

    fn step(&self, axis: usize, step: usize) -> Option<Self> {
        let dim = *self.dims.get(axis)?;
        if step == 0 {
            return None;
        }
        self.along(axis, (dim - 1) / step + 1, |i| i * step)
    }

    fn flip(&self, axis: usize) -> Option<Self> {
        let dim = *self.dims.get(axis)?;
        self.along(axis, dim, |i| dim - 1 - i)
    }

    fn broadcast(&self, dims: &[usize]) -> Option<Self> {
        let lead = dims.len().checked_sub(self.dims.len())?;
        let fits = self.dims.iter().zip(&dims[lead..]).all(|(&own, &to)| own == to || own == 1);
        if !valid(dims) || !fits {
            return None;
        }
        Some(self.pick(dims.to_vec(), |index| {
            let own = index[lead..].iter().zip(&self.dims);
            own.map(|(&i, &d)| if d == 1 { 0 } else { i }).collect()
        }))
    }

    fn concat(&self, axis: usize, times: usize) -> Option<Self> {
        let dim = *self.dims.get(axis)?;
        if times == 0 {
            return None;
        }
        self.along(axis, dim * times, |i| i % dim)
    }
}

/// The step on both; false if the case has grown too large or the step was refused by both.
fn apply(ctx: &ExecContext, x: &mut RawTensor<i32>, model: &mut Model, step: &Step) -> bool {
    let axis = |a: u8| usize::from(a % 9);
    let (tensor, expected) = match step {
        Step::Reshape(to) => {
            let to = dims(to);
            (ctx.reshape(x, &to), model.reshape(&to))
        }
        Step::Permute(order) => {
            let order: Vec<usize> = order.iter().take(9).map(|&a| axis(a)).collect();
            (x.permute(&order), model.permute(&order))
        }
        Step::Transpose(a, b) => {
            let (a, b) = (axis(*a), axis(*b));
            let mut order: Vec<usize> = (0..model.dims.len()).collect();
            let inside = a < order.len() && b < order.len();
            if inside {
                order.swap(a, b);
            }
            (x.transpose(a, b), inside.then(|| model.permute(&order)).flatten())
        }
        Step::Narrow { axis: a, start, len } => {
            let (a, start, len) = (axis(*a), usize::from(start % 8), usize::from(len % 8));
            (x.narrow(a, start, len), model.narrow(a, start, len))
        }
        Step::Step { axis: a, step } => {
            let (a, step) = (axis(*a), usize::from(step % 10));
            (x.step(a, step), model.step(a, step))
        }
        Step::Flip(a) => (x.flip(axis(*a)), model.flip(axis(*a))),
        Step::Broadcast(to) => {
            let to = dims(to);
            if to.iter().product::<usize>() > MOST {
                return false;
            }
            (x.broadcast_to(&to), model.broadcast(&to))
        }
        Step::Concat { axis: a, times } => {
            let (a, times) = (axis(*a), usize::from(times % 4));
            if model.values.len() * times > MOST {
                return false;
            }
            (ctx.concat(&vec![&*x; times], a), model.concat(a, times))
        }
        Step::Copy => (ctx.materialize(x), Some(model.clone())),
        Step::Assign { axis: a, start, len, step, flip } => {
            return assign(ctx, x, model, (axis(*a), start % 8, len % 8, step % 4, *flip));
        }
    };
    match (tensor, expected) {
        (Ok(tensor), Some(expected)) => {
            (*x, *model) = (tensor, expected);
            true
        }
        (Err(_), None) => false,
        (tensor, expected) => {
            panic!("{step:?}: tensor {tensor:?}, model fits: {}", expected.is_some())
        }
    }
}

/// Writes counted values through a narrowed, stepped, flipped view of a copy of `x`.
fn assign(
    ctx: &ExecContext,
    x: &mut RawTensor<i32>,
    model: &mut Model,
    (axis, start, len, step, flip): (usize, u8, u8, u8, bool),
) -> bool {
    let (start, len, step) = (usize::from(start), usize::from(len), usize::from(step));
    // The model's view picks flat positions.
    let mut positions = model.clone();
    positions.values = (0..model.values.len() as i32).collect();
    let picked = positions.narrow(axis, start, len).and_then(|m| m.step(axis, step));
    let picked = picked.and_then(|m| if flip { m.flip(axis) } else { Some(m) });
    let values = |count: usize| (0..count as i32).map(|i| -1 - i).collect::<Vec<_>>();
    let view_dims = picked.as_ref().map_or(vec![1], |m| m.dims.clone());
    let new = ctx.from_slice(&view_dims, &values(view_dims.iter().product())).unwrap();
    let mut target = ctx.materialize(x).unwrap();
    let result = ctx.assign_view(
        &mut target,
        |layout| {
            let view = layout.narrow("v", axis, start, len)?.step("v", axis, step)?;
            if flip { view.flip("v", axis) } else { Ok(view) }
        },
        &new,
    );
    match (result, picked) {
        (Ok(()), Some(picked)) => {
            for (i, &position) in picked.values.iter().enumerate() {
                model.values[position as usize] = -1 - i as i32;
            }
            *x = target;
            true
        }
        (Err(_), None) => false,
        (result, picked) => panic!("assign: {result:?}, model fits: {}", picked.is_some()),
    }
}

fn check(ctx: &ExecContext, x: &RawTensor<i32>, model: &Model) {
    assert_eq!(x.shape().dims(), model.dims);
    assert!(x.iter().eq(model.values.iter().copied()), "iter");
    let copy = ctx.materialize(x).unwrap();
    assert_eq!(copy.data().unwrap(), model.values, "copy");
    if let Ok(data) = x.data() {
        assert_eq!(data, model.values, "data");
    }
    let layout = x.layout();
    if !layout.overlaps() {
        let mut seen = std::collections::HashSet::new();
        let span = layout.span();
        let strides = layout.strides();
        for flat in 0..model.values.len() {
            let (mut rest, mut at) = (flat, layout.offset() as isize);
            for axis in (0..strides.len()).rev() {
                at += strides[axis] * (rest % model.dims[axis]) as isize;
                rest /= model.dims[axis];
            }
            assert!(span.contains(&(at as usize)) && seen.insert(at), "overlap at {at}");
        }
    }
}

fuzz_target!(|program: Program| {
    let ctx = ExecContext::new();
    let dims = dims(&program.dims);
    let count: usize = dims.iter().product();
    if count > MOST {
        return;
    }
    let values: Vec<i32> = (0..count as i32).collect();
    let x = ctx.from_slice(&dims, &values);
    let Ok(mut x) = x else {
        assert!(!valid(&dims));
        return;
    };
    let mut model = Model { dims, values };
    for step in program.steps.iter().take(24) {
        if apply(&ctx, &mut x, &mut model, step) {
            check(&ctx, &x, &model);
        }
    }
});
