//! Generated from `wit/`. Exported interfaces of one crate must be generated once each, and both worlds export `about`:
//! so there is a part for `about`, one for what a target has besides, one for what a streaming target adds to that, and one for
//! what a generator has besides. The
//! linker joins the parts that a plugin uses into its world. All `unsafe` of this crate is generated here.

/// What every plugin exports.
pub mod about {
    wit_bindgen::generate!({
        path: "../../wit",
        inline: "
            package benchhost:sdk@0.1.0;
            world describe { export benchhost:plugin/about@0.1.0; }
        ",
        world: "benchhost:sdk/describe",
        pub_export_macro: true,
        default_bindings_module: "benchhost_plugin::bindings::about",
    });
}

/// What a target imports and exports.
pub mod target {
    wit_bindgen::generate!({
        path: "../../wit",
        inline: "
            package benchhost:sdk@0.1.0;
            world target-parts {
              import benchhost:plugin/encode@0.1.0;
              import benchhost:plugin/http@0.1.0;
              import benchhost:plugin/grpc@0.1.0;
              import benchhost:plugin/flight@0.1.0;
              import benchhost:plugin/tcp@0.1.0;
              import benchhost:plugin/log@0.1.0;
              export benchhost:plugin/session@0.1.0;
              export benchhost:plugin/ingest@0.1.0;
            }
        ",
        world: "benchhost:sdk/target-parts",
        generate_all,
        pub_export_macro: true,
        additional_derives: [PartialEq],
        default_bindings_module: "benchhost_plugin::bindings::target",
    });
}

/// What a streaming target exports besides.
pub mod streaming {
    wit_bindgen::generate!({
        path: "../../wit",
        inline: "
            package benchhost:sdk@0.1.0;
            world streaming-parts { export benchhost:plugin/streaming@0.1.0; }
        ",
        world: "benchhost:sdk/streaming-parts",
        pub_export_macro: true,
        default_bindings_module: "benchhost_plugin::bindings::streaming",
        with: { "benchhost:plugin/types@0.1.0": crate::bindings::target::benchhost::plugin::types },
    });
}

/// What a generator imports and exports.
pub mod generator {
    wit_bindgen::generate!({
        path: "../../wit",
        inline: "
            package benchhost:sdk@0.1.0;
            world generator-parts {
              import benchhost:plugin/log@0.1.0;
              export benchhost:plugin/dataset@0.1.0;
            }
        ",
        world: "benchhost:sdk/generator-parts",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        default_bindings_module: "benchhost_plugin::bindings::generator",
        with: {
            "benchhost:plugin/types@0.1.0": crate::bindings::target::benchhost::plugin::types,
            "benchhost:plugin/data@0.1.0": crate::bindings::target::benchhost::plugin::data,
            "benchhost:plugin/log@0.1.0": crate::bindings::target::benchhost::plugin::log,
        },
    });
}
