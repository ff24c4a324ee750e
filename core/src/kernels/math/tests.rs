use super::Math;
use crate::kernels::ScalarLanes;

const L: ScalarLanes<true> = ScalarLanes;

#[test]
fn special_values_are_those_of_ieee_754() {
    let inf = f32::INFINITY;
    assert_eq!(<f32 as Math>::exp(L, inf), inf);
    assert_eq!(<f32 as Math>::exp(L, -inf), 0.0);
    assert_eq!(<f32 as Math>::log(L, 0.0), -inf);
    assert!(<f32 as Math>::log(L, -1.0).is_nan());
    assert_eq!(<f32 as Math>::tanh(L, inf), 1.0);
    assert_eq!(<f32 as Math>::tanh(L, -0.0).to_bits(), (-0.0_f32).to_bits());
    assert_eq!((<f32 as Math>::sigmoid(L, -inf), <f32 as Math>::sigmoid(L, inf)), (0.0, 1.0));
    assert_eq!((<f32 as Math>::gelu(L, inf), <f32 as Math>::gelu(L, -inf)), (inf, 0.0));
    assert_eq!(
        (<f32 as Math>::gelu_derivative(L, inf), <f32 as Math>::gelu_derivative(L, -inf)),
        (1.0, 0.0)
    );
    for f in [
        <f32 as Math>::exp,
        <f32 as Math>::log,
        <f32 as Math>::tanh,
        <f32 as Math>::sigmoid,
        <f32 as Math>::gelu,
        <f32 as Math>::gelu_derivative,
    ] {
        assert!(f(L, f32::NAN).is_nan());
    }
}
