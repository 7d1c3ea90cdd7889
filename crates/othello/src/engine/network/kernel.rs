//! The sums and the neurons of the network, by the vector instructions of the build.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2;
/// For processors without the others, and for their tests.
#[cfg(any(
    test,
    not(any(
        all(target_arch = "x86_64", target_feature = "avx2"),
        all(target_family = "wasm", target_feature = "simd128")
    ))
))]
pub(super) mod scalar;
#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
mod simd128;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(super) use avx2::{inputs, terms};
#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "avx2"),
    all(target_family = "wasm", target_feature = "simd128")
)))]
pub(super) use scalar::{inputs, terms};
#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
pub(super) use simd128::{inputs, terms};
