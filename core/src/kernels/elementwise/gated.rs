//! Gated units: an activation of one operand times the other, in one pass.
//!
//! By the other operand the derivative is the activation again: the same kernel, with the gradient in its place.

use super::derivatives::silu_derivative;
use super::{Binary, Ternary, binary, ternary, unary};

binary! {
    "`sigmoid(gate) * up`." Glu(l, gate, up) => l.mul(T::sigmoid(l, gate), up);
    "`silu(gate) * up`." Swiglu(l, gate, up) => l.mul(T::silu(l, gate), up);
    "`gelu(gate) * up`." Geglu(l, gate, up) => l.mul(T::gelu(l, gate), up);
    "`relu(gate) * up`." Reglu(l, gate, up) => {
        let zero = l.splat(T::ZERO);
        l.mul(l.select(l.le(gate, zero), zero, gate), up)
    };
}

ternary! {
    "`g up sigmoid'(gate)`." GluBackward(l, gate, up, g) => {
        let y = T::sigmoid(l, gate);
        l.mul(l.mul(g, up), l.mul(y, l.sub(l.splat(T::ONE), y)))
    };
    "`g up silu'(gate)`." SwigluBackward(l, gate, up, g) => l.mul(l.mul(g, up), silu_derivative(l, gate));
    "`g up gelu'(gate)`." GegluBackward(l, gate, up, g) => l.mul(l.mul(g, up), T::gelu_derivative(l, gate));
    "`g up` where `gate` was positive or NaN, else 0." RegluBackward(l, gate, up, g) => {
        let zero = l.splat(T::ZERO);
        l.select(l.le(gate, zero), zero, l.mul(g, up))
    };
}
