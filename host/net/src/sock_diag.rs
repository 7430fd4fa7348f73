//! Asks the kernel about a TCP connection by its addresses, as `ss -i` does. The socket itself belongs to the HTTP library and its event
//! loop; this way needs neither the socket nor rights.

use std::net::IpAddr;

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};

use crate::tcp_facts::Ends;

/// `SOCK_DIAG_BY_FAMILY`, of questions and of their answers.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST`.
const REQUEST: u16 = 1;
const PROTOCOL_TCP: u8 = 6;
/// `INET_DIAG_INFO`: the attribute of an answer that holds a `struct tcp_info`.
const INFO: u16 = 2;
/// A `struct nlmsghdr`.
const HEADER: usize = 16;
/// The header, and a `struct inet_diag_req_v2`.
const QUESTION: usize = HEADER + 56;
/// The header, and a `struct inet_diag_msg`: attributes follow.
const ANSWER: usize = HEADER + 72;
/// The port at the other end, in an answer.
const PEER_PORT: std::ops::Range<usize> = HEADER + 6..HEADER + 8;
/// Bytes of an answer that are read. Kernels of today use 408.
const LONGEST: usize = 4096;

/// The `struct tcp_info` of a connection; none when the kernel does not know it, or was built without this question.
pub(crate) fn tcp_info(ends: Ends) -> Option<Vec<u8>> {
    let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, SocketFlags::CLOEXEC, Some(SOCK_DIAG)).ok()?;
    sendto(&socket, &question(ends), SendFlags::empty(), &SocketAddrNetlink::new(0, 0)).ok()?;
    let mut answer = vec![0; LONGEST];
    // The kernel answers before the question returns, so there is nothing to wait for.
    let (_, length) = recv(&socket, &mut answer[..], RecvFlags::DONTWAIT).ok()?;
    answer.truncate(length);
    attribute(&answer, ends.peer.port()).map(<[u8]>::to_vec)
}

/// Asks for the one connection with these ends. Numbers are the machine's own, ports and addresses those of the network.
fn question(ends: Ends) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(QUESTION);
    bytes.extend((QUESTION as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    // Sequence number and sender: there is one question and one answer.
    bytes.extend([0; 8]);
    let family = if ends.local.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    bytes.extend([family.as_raw() as u8, PROTOCOL_TCP, 1 << (INFO - 1), 0]);
    // In any state.
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(ends.local.port().to_be_bytes());
    bytes.extend(ends.peer.port().to_be_bytes());
    for end in [ends.local, ends.peer] {
        match end.ip() {
            IpAddr::V4(ip) => {
                bytes.extend(ip.octets());
                bytes.extend([0; 12]);
            }
            IpAddr::V6(ip) => bytes.extend(ip.octets()),
        }
    }
    // Over any interface, and without the cookie of an earlier answer.
    bytes.extend(0_u32.to_ne_bytes());
    bytes.extend([0xff; 8]);
    bytes
}

/// The `struct tcp_info` in an answer. A connection that is gone is answered with an error, or with the listener that has its local port,
/// which has nobody at its other end.
fn attribute(answer: &[u8], peer_port: u16) -> Option<&[u8]> {
    let short = |at: usize| Some(u16::from_ne_bytes(answer.get(at..at + 2)?.try_into().ok()?));
    if short(4)? != BY_FAMILY || answer.get(PEER_PORT)? != peer_port.to_be_bytes() {
        return None;
    }
    let mut at = ANSWER;
    loop {
        let (length, kind) = (usize::from(short(at)?), short(at + 2)?);
        if kind == INFO {
            return answer.get(at + 4..at + length);
        }
        // Attributes begin at multiples of four. One without even its own head would be asked for for ever.
        at += length.max(4).next_multiple_of(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(local: &str, peer: &str) -> Ends {
        Ends { local: local.parse().unwrap(), peer: peer.parse().unwrap() }
    }

    /// An answer about a connection to that port, with these attributes.
    fn answer(kind: u16, peer_port: u16, attributes: &[(u16, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; ANSWER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[PEER_PORT].copy_from_slice(&peer_port.to_be_bytes());
        for (kind, value) in attributes {
            bytes.extend((value.len() as u16 + 4).to_ne_bytes());
            bytes.extend(kind.to_ne_bytes());
            bytes.extend(*value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    #[test]
    fn a_question_names_both_ends_in_either_family() {
        let v4 = question(ends("10.0.0.1:258", "10.0.0.2:80"));
        let v6 = question(ends("[::1]:258", "[2001:db8::2]:80"));
        assert_eq!((v4.len(), v6.len()), (QUESTION, QUESTION));
        assert_eq!((v4[16], v6[16]), (2, 10));
        assert_eq!(v4[24..28], [1, 2, 0, 80]);
        assert_eq!((&v4[28..32], &v4[44..48]), (&[10, 0, 0, 1][..], &[10, 0, 0, 2][..]));
        assert_eq!((v6[43], &v6[44..48], v6[59]), (1, &[0x20, 1, 0xd, 0xb8][..], 2));
    }

    #[test]
    fn the_attribute_is_found_behind_others() {
        let bytes = answer(BY_FAMILY, 80, &[(8, b"x"), (4, b"12345"), (INFO, b"facts"), (9, b"z")]);
        assert_eq!(attribute(&bytes, 80), Some(&b"facts"[..]));
    }

    #[test]
    fn an_answer_about_something_else_or_cut_short_is_none() {
        let facts: &[(u16, &[u8])] = &[(INFO, b"facts")];
        assert_eq!(attribute(&answer(2, 80, facts), 80), None, "an error");
        assert_eq!(attribute(&answer(BY_FAMILY, 0, facts), 80), None, "a listener");
        assert_eq!(attribute(&answer(BY_FAMILY, 80, &[]), 80), None);
        let whole = answer(BY_FAMILY, 80, facts);
        for length in 0..ANSWER + 9 {
            assert_eq!(attribute(&whole[..length], 80), None, "{length}");
        }
        let mut endless = answer(BY_FAMILY, 80, &[(9, b"")]);
        endless[ANSWER..ANSWER + 2].fill(0);
        assert_eq!(attribute(&endless, 80), None);
        let mut backwards = whole;
        backwards[ANSWER..ANSWER + 2].copy_from_slice(&2_u16.to_ne_bytes());
        assert_eq!(attribute(&backwards, 80), None, "an attribute that is shorter than its head");
    }
}
