//! Plain clients of the server: HTTP requests and WebSockets (RFC 6455), as far as the load needs them.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Time after which a client gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest message that is read.
const MAX_MESSAGE: u64 = 16 << 20;

/// Status and body of a `GET`.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<(u16, String), String> {
    request(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

/// Status and body of a `POST` to an operation.
pub(crate) fn post(address: SocketAddr, op: &str, body: &str) -> Result<(u16, String), String> {
    request(
        address,
        &format!(
            "POST /api/{op} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

fn request(address: SocketAddr, text: &str) -> Result<(u16, String), String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut stream = connect(address)?;
    stream.write_all(text.as_bytes()).map_err(failed)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").ok_or("no answer")?;
    Ok((status(head).ok_or_else(|| head.to_owned())?, body.to_owned()))
}

fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let connected = TcpStream::connect_timeout(&address, PATIENCE);
    let stream = connected.and_then(|stream| {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    });
    stream.map_err(|error| error.to_string())
}

/// The status in the head of an answer.
fn status(head: &str) -> Option<u16> {
    head.split(' ').nth(1)?.parse().ok()
}

/// An open WebSocket.
pub(super) struct Socket {
    stream: BufReader<TcpStream>,
    last: u64,
    /// A frame of which only a part was taken by the system.
    unsent: Vec<u8>,
}

impl Socket {
    /// Opens a WebSocket, as a page of this origin would, if one is given.
    pub(super) fn open(address: SocketAddr, origin: Option<&str>) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut stream = connect(address)?;
        let origin = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
        let head = format!(
            "GET /ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{origin}\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).map_err(failed)?;
        let mut stream = BufReader::with_capacity(1 << 10, stream);
        let mut answer = String::new();
        while !answer.ends_with("\r\n\r\n") {
            if stream.read_line(&mut answer).map_err(failed)? == 0 {
                return Err(format!("the handshake ended: {answer}"));
            }
        }
        match status(&answer) {
            Some(101) => Ok(Socket { stream, last: 0, unsent: Vec::new() }),
            _ => Err(answer.lines().next().unwrap_or_default().to_owned()),
        }
    }

    /// Sends a request, given by its fields without `id`, and returns its final answer.
    pub(super) fn ask(&mut self, fields: &str) -> Result<String, String> {
        let failed = |error: std::io::Error| error.to_string();
        self.last += 1;
        let frame = frame(1, format!("{{\"id\":{},{fields}}}", self.last).as_bytes());
        self.stream.get_mut().write_all(&frame).map_err(failed)?;
        let id = format!("\"id\":{}", self.last);
        loop {
            let message = self.read().map_err(failed)?;
            if message.contains("\"error\":{") {
                return Err(message);
            }
            if message.contains(&id) && message.contains("\"ok\":") {
                return Ok(message);
            }
        }
    }

    /// Sends a request as far as the system takes it without waiting. False if the connection has ended.
    pub(super) fn send_without_waiting(&mut self, fields: &str) -> bool {
        if self.unsent.is_empty() {
            self.last += 1;
            self.unsent = frame(1, format!("{{\"id\":{},{fields}}}", self.last).as_bytes());
        }
        let stream = self.stream.get_mut();
        let sent = stream.set_nonblocking(true).and_then(|()| stream.write(&self.unsent));
        match sent {
            Ok(sent) => {
                self.unsent.drain(..sent);
                true
            }
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }

    /// Answers a ping that has arrived, as a browser does for a page that is idle. False if the connection has ended.
    pub(super) fn answer_ping(&mut self) -> bool {
        let arrived =
            self.stream.get_ref().set_nonblocking(true).and_then(|()| Ok(!self.stream.fill_buf()?.is_empty()));
        let blocking = self.stream.get_ref().set_nonblocking(false).is_ok();
        match arrived {
            Ok(true) => blocking && self.read_frame().is_ok(),
            Ok(false) => false,
            Err(error) => blocking && error.kind() == ErrorKind::WouldBlock,
        }
    }

    /// The next text message.
    fn read(&mut self) -> std::io::Result<String> {
        loop {
            if let Some(text) = self.read_frame()? {
                return Ok(text);
            }
        }
    }

    /// Reads a frame: a text, or something else. Pings are answered.
    fn read_frame(&mut self) -> std::io::Result<Option<String>> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head)?;
        let mut length = u64::from(head[1] & 0x7f);
        if length == 126 {
            let mut bytes = [0; 2];
            self.stream.read_exact(&mut bytes)?;
            length = u64::from(u16::from_be_bytes(bytes));
        } else if length == 127 {
            let mut bytes = [0; 8];
            self.stream.read_exact(&mut bytes)?;
            length = u64::from_be_bytes(bytes);
        }
        if length > MAX_MESSAGE {
            return Err(std::io::Error::new(ErrorKind::InvalidData, "the message is too long"));
        }
        let mut payload = Vec::new();
        self.stream.by_ref().take(length).read_to_end(&mut payload)?;
        match head[0] & 0x0f {
            1 => return Ok(Some(String::from_utf8_lossy(&payload).into_owned())),
            8 => return Err(std::io::Error::new(ErrorKind::ConnectionAborted, "the server closed the socket")),
            9 => self.stream.get_mut().write_all(&frame(10, &payload))?,
            _ => {}
        }
        Ok(None)
    }
}

/// A whole message as one frame. The mask, which protects old proxies, is 0 here.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match payload.len() {
        length @ 0..126 => frame.push(0x80 | length as u8),
        length @ 126..0x1_0000 => {
            frame.push(0x80 | 126);
            frame.extend((length as u16).to_be_bytes());
        }
        length => {
            frame.push(0x80 | 127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// The text of a field whose value is a text without escapes.
pub(super) fn field(json: &str, name: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{name}\":\""))?;
    rest.split('"').next().map(str::to_owned)
}

/// The texts of a field whose value is a list of texts without escapes.
pub(super) fn list(json: &str, name: &str) -> Option<Vec<String>> {
    let (_, rest) = json.split_once(&format!("\"{name}\":["))?;
    let inner = rest.split(']').next()?;
    Some(inner.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Random numbers from a seed (splitmix64), so that a load can be repeated.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number below `end`, which is above 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_length() {
        assert_eq!(frame(1, b"ab"), [0x81, 0x82, 0, 0, 0, 0, b'a', b'b']);
        assert_eq!(frame(1, &[7; 126])[..8], [0x81, 0xfe, 0, 126, 0, 0, 0, 0]);
        assert_eq!(frame(1, &vec![7; 0x1_0000])[..10], [0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn fields_are_found() {
        let json = r#"{"id":1,"ok":{"legal":["a1","b2 c3"],"side":"first","moves":[]}}"#;
        assert_eq!(field(json, "side").as_deref(), Some("first"));
        assert_eq!(list(json, "legal").expect("there"), ["a1", "b2 c3"]);
        assert_eq!(list(json, "moves").expect("there"), [""; 0]);
        assert_eq!((field(json, "none"), list(json, "none")), (None, None));
    }
}
