//! `grpc`: calls over the host's own HTTP/2 connections.

use std::pin::pin;

use benchhost_data::Payload;
use benchhost_net::{GrpcChannel, GrpcReply, GrpcStream, MessageCompression};
use wasmtime::Result;
use wasmtime::component::Resource;

use super::HeldPayload;
use super::wire::{Held, cancelled, net_error};
use crate::bindings::grpc;
use crate::bindings::types::Error as GuestError;
use crate::state::State;

/// A channel that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub type HeldChannel = Held<GrpcChannel>;

/// A stream that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct HeldStream {
    stream: Held<GrpcStream>,
    /// Whether a message was handed over that is not answered yet.
    pending: bool,
}

/// A reply that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct HeldReply(GrpcReply);

type Answered<T> = Result<Result<Resource<T>, GuestError>>;

impl grpc::Host for State {}

impl grpc::HostChannel for State {
    async fn connect(&mut self, endpoint: String) -> Answered<HeldChannel> {
        let (transport, slot, mut cancel) = match self.network(&endpoint) {
            Ok(network) => network,
            Err(denied) => return Ok(Err(denied)),
        };
        let connected = self.outside.run(async move {
            let connecting = pin!(transport.channel(&endpoint, slot));
            cancel.race(connecting).await
        });
        let connected = connected.await;
        self.watchdog.restart();
        match connected {
            Some(Ok(channel)) => {
                let held = self.held(channel)?;
                Ok(Ok(self.give(held)?))
            }
            Some(Err(error)) => Ok(Err(net_error(&error))),
            None => Ok(Err(cancelled())),
        }
    }

    fn set_metadata(
        &mut self,
        channel: Resource<HeldChannel>,
        name: String,
        value: String,
    ) -> Result<Result<(), GuestError>> {
        let outcome = self.table.get(&channel)?.with(|channel| channel.set_metadata(&name, &value))?;
        Ok(outcome.map_err(|error| net_error(&error)))
    }

    fn compress(&mut self, channel: Resource<HeldChannel>, compression: grpc::MessageCompression) -> Result<()> {
        let compression = match compression {
            grpc::MessageCompression::Gzip => MessageCompression::Gzip,
            grpc::MessageCompression::Zstd => MessageCompression::Zstd,
        };
        self.table.get(&channel)?.with(|channel| channel.compress(compression))
    }

    async fn unary(
        &mut self,
        channel: Resource<HeldChannel>,
        path: String,
        message: Resource<HeldPayload>,
    ) -> Answered<HeldReply> {
        let channel = self.table.get(&channel)?.clone();
        let message = self.body(&message)?;
        let reply = self.wait_for(channel, move |channel| Box::pin(async move { channel.unary(&path, message).await }));
        match reply.await? {
            Ok(reply) => Ok(Ok(self.give_reply(reply)?)),
            Err(error) => Ok(Err(error)),
        }
    }

    async fn open_stream(&mut self, channel: Resource<HeldChannel>, path: String) -> Answered<HeldStream> {
        let channel = self.table.get(&channel)?.clone();
        let opened = self.wait_for(channel, move |channel| Box::pin(async move { channel.open_stream(&path).await }));
        match opened.await? {
            Ok(stream) => {
                let stream = self.held(stream)?;
                Ok(Ok(self.give(HeldStream { stream, pending: false })?))
            }
            Err(error) => Ok(Err(error)),
        }
    }

    fn drop(&mut self, channel: Resource<HeldChannel>) -> Result<()> {
        self.take(channel).map(drop)
    }
}

impl grpc::HostClientStream for State {
    async fn send(
        &mut self,
        handle: Resource<HeldStream>,
        message: Resource<HeldPayload>,
    ) -> Result<Result<(), GuestError>> {
        let message = self.body(&message)?;
        let stream = self.table.get(&handle)?.stream.clone();
        let sent = self.wait_for(stream, move |stream| Box::pin(async move { stream.send(message).await })).await?;
        let held = self.table.get_mut(&handle)?;
        // A stream that is over leaves what it was given before in doubt, also where its server said why it ended it.
        let before = std::mem::replace(&mut held.pending, sent.is_ok());
        self.effort.unanswered |= before && sent.is_err();
        Ok(sent)
    }

    fn early_reply(&mut self, stream: Resource<HeldStream>) -> Result<Option<Resource<HeldReply>>> {
        let early = self.table.get(&stream)?.stream.with(|stream| stream.early_reply().cloned())?;
        early.map(|reply| self.give_reply(reply)).transpose()
    }

    async fn finish(&mut self, handle: Resource<HeldStream>) -> Answered<HeldReply> {
        let stream = self.table.get(&handle)?.stream.clone();
        let finished = self.wait_for(stream, |stream| Box::pin(stream.finish())).await?;
        self.table.get_mut(&handle)?.pending = false;
        match finished {
            Ok(reply) => Ok(Ok(self.give_reply(reply)?)),
            Err(error) => Ok(Err(error)),
        }
    }

    fn drop(&mut self, stream: Resource<HeldStream>) -> Result<()> {
        self.take(stream).map(drop)
    }
}

impl State {
    fn give_reply(&mut self, reply: GrpcReply) -> Result<Resource<HeldReply>> {
        self.hold(reply.body.len())?;
        self.give(HeldReply(reply))
    }
}

impl grpc::HostReply for State {
    fn status(&mut self, reply: Resource<HeldReply>) -> Result<u32> {
        Ok(self.table.get(&reply)?.0.status)
    }

    fn message(&mut self, reply: Resource<HeldReply>) -> Result<String> {
        Ok(self.table.get(&reply)?.0.message.clone())
    }

    fn metadata(&mut self, reply: Resource<HeldReply>, name: String) -> Result<Option<String>> {
        Ok(self.table.get(&reply)?.0.metadata(&name).map(str::to_owned))
    }

    fn body(&mut self, reply: Resource<HeldReply>) -> Result<Resource<HeldPayload>> {
        let body = self.table.get(&reply)?.0.body.clone();
        self.give_payload(Payload::new(body, 0))
    }

    fn drop(&mut self, reply: Resource<HeldReply>) -> Result<()> {
        let HeldReply(reply) = self.take(reply)?;
        self.release(reply.body.len());
        Ok(())
    }
}
