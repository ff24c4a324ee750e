//! What a product does to an output once its sum is complete: a bias, an activation. The same bits as ops of their own.

use crate::backend::{Real, Table};
use crate::kernels::elementwise::Operand;
use crate::parallel::Block;

/// A function applied to each output of a product, as the op of that name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activation {
    /// None: `x`.
    #[default]
    Identity,
    /// [`relu`](crate::ExecContext::relu).
    Relu,
    /// [`tanh`](crate::ExecContext::tanh).
    Tanh,
    /// [`sigmoid`](crate::ExecContext::sigmoid).
    Sigmoid,
    /// [`silu`](crate::ExecContext::silu).
    Silu,
    /// [`gelu`](crate::ExecContext::gelu).
    Gelu,
    /// [`gelu_tanh`](crate::ExecContext::gelu_tanh).
    GeluTanh,
}

/// Elements that a function is applied to at a time, from a copy: kernels do not work in place.
const PIECE: usize = 128;

/// Bias and activation.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Epilogue<'a, T> {
    /// One value a column, or one for all.
    pub(in crate::exec) bias: Option<Operand<'a, T>>,
    pub(in crate::exec) activation: Activation,
}

impl<T> Default for Epilogue<'_, T> {
    fn default() -> Self {
        Self { bias: None, activation: Activation::Identity }
    }
}

impl<T: Real> Epilogue<'_, T> {
    /// The same for the transposed product of one column: its bias is one for all.
    pub(super) fn transposed_column(self) -> Self {
        let bias = self.bias.map(|bias| match bias {
            Operand::Slice(values) => Operand::Splat(values[0]),
            splat => splat,
        });
        Self { bias, ..self }
    }

    /// Finishes a block.
    pub(super) fn block(self, kernels: Table<T>, out: &mut Block<'_, T>) {
        if self.bias.is_none() && self.activation == Activation::Identity {
            return;
        }
        for i in out.rows() {
            let columns = out.columns();
            let [row] = out.segments(i, columns.clone());
            self.row(kernels, columns.start, row);
        }
    }

    /// Finishes the outputs of a row from column `first` on.
    pub(super) fn row(self, kernels: Table<T>, first: usize, out: &mut [T]) {
        match self.bias {
            Some(Operand::Slice(bias)) => {
                kernels.accumulate(Operand::Slice(&bias[first..first + out.len()]), out);
            }
            Some(splat) => kernels.accumulate(splat, out),
            None => {}
        }
        if self.activation == Activation::Identity {
            return;
        }
        let mut copy = [T::ZERO; PIECE];
        for out in out.chunks_mut(PIECE) {
            let x = &mut copy[..out.len()];
            x.copy_from_slice(out);
            match self.activation {
                Activation::Identity => {}
                Activation::Relu => kernels.relu(x, out),
                Activation::Tanh => kernels.tanh(x, out),
                Activation::Sigmoid => kernels.sigmoid(x, out),
                Activation::Silu => kernels.silu(x, out),
                Activation::Gelu => kernels.gelu(x, out),
                Activation::GeluTanh => kernels.gelu_tanh(x, out),
            }
        }
    }
}
