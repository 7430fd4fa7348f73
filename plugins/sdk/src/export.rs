//! The macros that make a plugin of a type. On other targets than wasm they make nothing, so that the plugin's crate
//! can be tested.

/// Makes the plugin of a [`Target`](crate::Target). It goes by the version of the crate that this stands in.
#[macro_export]
macro_rules! export_target {
    ($target:ty) => {
        $crate::export_component!(TargetComponent, $target, about, target);
    };
}

/// Makes the plugin of a [`Target`](crate::Target) whose `send` may answer that its rows are pending: it also exports
/// [`Target::finish`](crate::Target::finish).
#[macro_export]
macro_rules! export_streaming_target {
    ($target:ty) => {
        $crate::export_component!(TargetComponent, $target, about, target, streaming);
    };
}

/// Makes the plugin of a [`Generator`](crate::Generator). It goes by the version of the crate that this stands in.
#[macro_export]
macro_rules! export_generator {
    ($generator:ty) => {
        $crate::export_component!(GeneratorComponent, $generator, about, generator);
    };
}

/// What the other macros have in common: the type of the component, and the parts of the contract that it exports.
#[doc(hidden)]
#[macro_export]
macro_rules! export_component {
    ($component:ident, $plugin:ty, $($part:ident),+) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Version;
            impl $crate::component::Version for Version {
                const VERSION: &'static str = ::core::env!("CARGO_PKG_VERSION");
            }
            type Component = $crate::component::$component<$plugin, Version>;
            $($crate::bindings::$part::export!(Component with_types_in $crate::bindings::$part);)+
        };
    };
}
