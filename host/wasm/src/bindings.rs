//! What `bindgen!` makes of the contract: one synthetic world of everything the host can offer and everything a plugin can export.
//! Exports are looked up interface by interface, so that an ability that a plugin lacks is `None` and no error.
//!
//! `tracing` makes every call a span that `trace.rs` can listen to; it costs a load and a branch where nobody does.
//!
//! Only the functions that may wait are async: they run on a fiber, and the guest sees a plain call. The others return at once.

#![allow(unreachable_pub, missing_docs, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../../wit",
    inline: "
        package benchhost:host;
        world everything {
            import benchhost:plugin/types@0.1.0;
            import benchhost:plugin/data@0.1.0;
            import benchhost:plugin/encode@0.1.0;
            import benchhost:plugin/http@0.1.0;
            import benchhost:plugin/grpc@0.1.0;
            import benchhost:plugin/flight@0.1.0;
            import benchhost:plugin/tcp@0.1.0;
            import benchhost:plugin/log@0.1.0;
            export benchhost:plugin/about@0.1.0;
            export benchhost:plugin/session@0.1.0;
            export benchhost:plugin/ingest@0.1.0;
            export benchhost:plugin/streaming@0.1.0;
            export benchhost:plugin/dataset@0.1.0;
        }
    ",
    world: "benchhost:host/everything",
    imports: {
        "benchhost:plugin/http.[static]client.connect": async | trappable | tracing,
        "benchhost:plugin/http.[method]client.send": async | trappable | tracing,
        "benchhost:plugin/http.[method]request.send": async | trappable | tracing,
        "benchhost:plugin/grpc.[static]channel.connect": async | trappable | tracing,
        "benchhost:plugin/grpc.[method]channel.unary": async | trappable | tracing,
        "benchhost:plugin/grpc.[method]channel.open-stream": async | trappable | tracing,
        "benchhost:plugin/grpc.[method]client-stream.send": async | trappable | tracing,
        "benchhost:plugin/grpc.[method]client-stream.finish": async | trappable | tracing,
        "benchhost:plugin/flight.[method]put-stream.put": async | trappable | tracing,
        "benchhost:plugin/tcp": async | trappable | tracing,
        default: trappable | tracing,
    },
    exports: { default: async | tracing },
    with: {
        "benchhost:plugin/data.batch": crate::host::LentBatch,
        "benchhost:plugin/data.payload": crate::host::HeldPayload,
        "benchhost:plugin/data.dictionary": benchhost_data::Dictionary,
        "benchhost:plugin/data.batch-builder": benchhost_data::BatchBuilder,
        "benchhost:plugin/encode.line-protocol": benchhost_data::LineProtocol,
        "benchhost:plugin/http.client": crate::host::HeldClient,
        "benchhost:plugin/http.request": crate::host::HeldRequest,
        "benchhost:plugin/http.response": crate::host::HeldResponse,
        "benchhost:plugin/grpc.channel": crate::host::HeldChannel,
        "benchhost:plugin/grpc.client-stream": crate::host::HeldStream,
        "benchhost:plugin/grpc.reply": crate::host::HeldReply,
        "benchhost:plugin/flight.encoder": benchhost_data::FlightEncoder,
        "benchhost:plugin/flight.put-stream": crate::host::HeldPutStream,
        "benchhost:plugin/tcp.connection": crate::host::HeldTcp,
    },
});

pub use benchhost::plugin::{data, encode, flight, grpc, http, log, tcp, types};
pub use exports::benchhost::plugin::{about, dataset, ingest, session, streaming};
