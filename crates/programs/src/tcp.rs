//! TCP in place of standard streams: a program that runs already, on this machine or another one, is reached at an
//! address.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use banmen_search::StopFlag;

/// Polling interval while waiting for a connection.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A peer that reads nothing for this time counts as disconnected.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);

/// One end of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Connects to a program that listens.
    Connect(SocketAddr),
    /// Waits for a program that connects.
    Listen(SocketAddr),
}

impl Endpoint {
    /// Reads `tcp:ADDRESS` or `tcp-listen:ADDRESS`; `None` for a text that begins otherwise.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the address.
    pub fn parse(text: &str) -> Option<Result<Endpoint, String>> {
        let (kind, text) = text.split_once(':')?;
        match kind {
            "tcp" => Some(address(text).map(Endpoint::Connect)),
            "tcp-listen" => Some(address(text).map(Endpoint::Listen)),
            _ => None,
        }
    }

    /// Opens the connection. A listening end accepts one, and none after it.
    ///
    /// # Errors
    /// Those of the system, `TimedOut` when no program has connected after `patience`, and `Interrupted` when `stop` is set
    /// before.
    pub fn open(self, patience: Duration, stop: &StopFlag) -> io::Result<TcpStream> {
        match self {
            Endpoint::Connect(address) => connect(address, patience, stop),
            Endpoint::Listen(address) => {
                let taken = |error: io::Error| match error.kind() {
                    io::ErrorKind::AddrInUse => {
                        io::Error::new(error.kind(), "the address is in use, and only one game at a time can use it")
                    }
                    _ => error,
                };
                accept(&TcpListener::bind(address).map_err(taken)?, patience, stop)
            }
        }
    }
}

/// Connects on a thread of its own, since the call itself cannot be stopped.
fn connect(address: SocketAddr, patience: Duration, stop: &StopFlag) -> io::Result<TcpStream> {
    let (sender, connected) = sync_channel(1);
    thread::Builder::new().name("program-tcp".to_owned()).spawn(move || {
        // The receiver is gone after a stop.
        let _ = sender.send(TcpStream::connect_timeout(&address, patience.max(POLL_INTERVAL)));
    })?;
    loop {
        match connected.recv_timeout(POLL_INTERVAL) {
            Ok(stream) => return prepared(stream?),
            Err(RecvTimeoutError::Timeout) if !stop.stopped() => {}
            Err(_) => return Err(interrupted()),
        }
    }
}

fn interrupted() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "stopped before there was a connection")
}

/// Disables the delay of small packets, and limits the wait for a peer that reads nothing.
fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE_PATIENCE))?;
    Ok(stream)
}

/// Accepts one connection.
///
/// # Errors
/// Those of the system, `TimedOut` when no program has connected after `patience`, and `Interrupted` when `stop` is set
/// before.
pub fn accept(listener: &TcpListener, patience: Duration, stop: &StopFlag) -> io::Result<TcpStream> {
    let until = Instant::now() + patience;
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return prepared(stream);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && stop.stopped() => return Err(interrupted()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && Instant::now() < until => {
                thread::sleep(POLL_INTERVAL);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "no program has connected"));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Reads `PORT` or `HOST:PORT`. The host is an IP address, in brackets for version 6; without one it is this machine.
///
/// # Errors
/// A sentence that says what is expected.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.parse().map(|port: u16| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    port.or_else(|_| text.replacen("localhost:", "127.0.0.1:", 1).parse())
        .map_err(|_| "a port is expected, or an IP address or localhost, a colon and a port".to_owned())
}

/// The sending half of a connection. When it is dropped the peer sees the end of its input.
pub(crate) struct Sender(pub(crate) TcpStream);

impl Write for Sender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Sender {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_on_this_machine_unless_they_say_otherwise() {
        let parse = |text| Endpoint::parse(text).map(|endpoint| endpoint.map_err(drop));
        let at = |text: &str| text.parse().expect("an address");
        for text in ["tcp:10000", "tcp:localhost:10000", "tcp:127.0.0.1:10000"] {
            assert_eq!(parse(text), Some(Ok(Endpoint::Connect(at("127.0.0.1:10000")))), "{text}");
        }
        assert_eq!(parse("tcp-listen:[::1]:9"), Some(Ok(Endpoint::Listen(at("[::1]:9")))));
        for text in ["tcp:", "tcp:65536", "tcp:example.org:80", "tcp:127.0.0.1", "tcp-listen:-1", "tcp: 80"] {
            assert_eq!(parse(text), Some(Err(())), "{text}");
        }
        for text in ["python3", "udp:80", "tcp", "./tcp:80"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_listening_endpoint_times_out() {
        let endpoint = Endpoint::Listen(address("0").expect("any free port"));
        let error = endpoint.open(Duration::from_millis(20), &StopFlag::default()).expect_err("nobody connects");
        assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::TimedOut, "no program has connected"));
    }
}
