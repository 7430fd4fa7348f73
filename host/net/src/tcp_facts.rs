//! What the kernel knows of a TCP connection: whether the network was in the way.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;

/// What the kernel counted and estimated since the connection was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpFacts {
    /// The smoothed time from a packet to its acknowledgement. It is the network's and the other kernel's, not the server's.
    pub rtt: Duration,
    /// How much that time varies.
    pub rtt_variation: Duration,
    /// The shortest such time of the last minutes; none where the kernel does not say.
    pub min_rtt: Option<Duration>,
    /// Segments that were sent again.
    pub retransmits: u64,
    /// Segments that were sent, those sent again included; none where the kernel does not say.
    pub segments_sent: Option<u64>,
}

/// What the kernel counted on several connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpTotals {
    /// Connections that it was asked about.
    pub connections: u64,
    /// Segments that were sent again.
    pub retransmits: u64,
    /// Segments that were sent, those sent again included; 0 where the kernel does not say.
    pub segments_sent: u64,
    /// The longest of the smoothed times from a packet to its acknowledgement.
    pub max_rtt: Duration,
}

/// Adds up what connections tell at their end.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<TcpTotals>);

impl Tally {
    pub(crate) fn add(&self, facts: TcpFacts) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(facts);
    }

    pub(crate) fn totals(&self) -> TcpTotals {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TcpTotals {
    pub(crate) fn add(&mut self, facts: TcpFacts) {
        self.connections += 1;
        self.retransmits += facts.retransmits;
        self.segments_sent += facts.segments_sent.unwrap_or(0);
        self.max_rtt = self.max_rtt.max(facts.rtt);
    }
}

/// Where a connection begins and ends. The kernel finds it by these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
}

impl Ends {
    /// None when the connection broke already.
    pub(crate) fn of(stream: &TcpStream) -> Option<Self> {
        Some(Self { local: stream.local_addr().ok()?, peer: stream.peer_addr().ok()? })
    }
}

impl TcpFacts {
    /// Asks the kernel; none when it does not know the connection, or does not tell.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(ends: Ends) -> Option<Self> {
        Self::read(&crate::sock_diag::tcp_info(ends)?)
    }

    /// No such question is known here.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: Ends) -> Option<Self> {
        None
    }

    /// Reads the kernel's `struct tcp_info`, which grows at its end from version to version.
    #[cfg(target_os = "linux")]
    fn read(info: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_ne_bytes(info.get(at..at + 4)?.try_into().ok()?));
        let time = |at: usize| number(at).map(|micros| Duration::from_micros(micros.into()));
        Some(Self {
            rtt: time(68)?,
            rtt_variation: time(72)?,
            retransmits: number(100)?.into(),
            segments_sent: number(136).map(u64::from),
            // All ones before the first measurement.
            min_rtt: time(148).filter(|_| number(148) != Some(u32::MAX)),
        })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A `struct tcp_info` of so many bytes, with these numbers at their places.
    fn info(length: usize, numbers: &[(usize, u32)]) -> Vec<u8> {
        let mut info = vec![0; length];
        for (at, number) in numbers {
            info[*at..at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        info
    }

    #[test]
    fn figures_are_read_from_their_places() {
        let info = info(256, &[(68, 250), (72, 125), (100, 3), (136, 1000), (148, 90)]);
        let micros = Duration::from_micros;
        let expected = TcpFacts {
            rtt: micros(250),
            rtt_variation: micros(125),
            min_rtt: Some(micros(90)),
            retransmits: 3,
            segments_sent: Some(1000),
        };
        assert_eq!(TcpFacts::read(&info), Some(expected));
    }

    #[test]
    fn what_an_older_kernel_does_not_say_is_absent() {
        let facts = TcpFacts::read(&info(104, &[(100, 3)])).unwrap();
        assert_eq!((facts.retransmits, facts.segments_sent, facts.min_rtt), (3, None, None));
        assert_eq!(TcpFacts::read(&info(256, &[(148, u32::MAX)])).unwrap().min_rtt, None);
        assert_eq!(TcpFacts::read(&info(100, &[])), None);
    }
}
