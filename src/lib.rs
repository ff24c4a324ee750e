//! An eager CPU tensor and autograd runtime.
