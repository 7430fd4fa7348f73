//! The macros that make a plugin of a type. On other targets than wasm they make nothing, so that the plugin's crate
//! can be tested.

/// Makes the plugin of a [`Target`](crate::Target). It goes by the version of the crate that this stands in.
#[macro_export]
macro_rules! export_target {
    ($target:ty) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Version;
            impl $crate::component::Version for Version {
                const VERSION: &'static str = ::core::env!("CARGO_PKG_VERSION");
            }
            type Component = $crate::component::TargetComponent<$target, Version>;
    $crate::bindings::about::export!(Component with_types_in $crate::bindings::about);
    $crate::bindings::target::export!(Component with_types_in $crate::bindings::target);
        };
    };
}

/// Makes the plugin of a [`Target`](crate::Target) whose `send` may answer that its rows are pending: it also exports
/// [`Target::finish`](crate::Target::finish).
#[macro_export]
macro_rules! export_streaming_target {
    ($target:ty) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Version;
            impl $crate::component::Version for Version {
                const VERSION: &'static str = ::core::env!("CARGO_PKG_VERSION");
            }
            type Component = $crate::component::TargetComponent<$target, Version>;
    $crate::bindings::about::export!(Component with_types_in $crate::bindings::about);
    $crate::bindings::target::export!(Component with_types_in $crate::bindings::target);
    $crate::bindings::streaming::export!(Component with_types_in $crate::bindings::streaming);
        };
    };
}

/// Makes the plugin of a [`Generator`](crate::Generator). It goes by the version of the crate that this stands in.
#[macro_export]
macro_rules! export_generator {
    ($generator:ty) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Version;
            impl $crate::component::Version for Version {
                const VERSION: &'static str = ::core::env!("CARGO_PKG_VERSION");
            }
            type Component = $crate::component::GeneratorComponent<$generator, Version>;
    $crate::bindings::about::export!(Component with_types_in $crate::bindings::about);
    $crate::bindings::generator::export!(Component with_types_in $crate::bindings::generator);
        };
    };
}
