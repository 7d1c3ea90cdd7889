//! Which origins may use the server, and under which host names.

use std::net::{IpAddr, Ipv6Addr};

use hyper::HeaderMap;
use hyper::header::{HOST, ORIGIN};

use crate::Config;

/// Whether the `Host` header names this server. This refuses pages under a foreign name whose DNS record
/// points here (DNS rebinding): a name can be pointed at this server by others, an address cannot.
pub(crate) fn host_allowed(headers: &HeaderMap, config: &Config) -> bool {
    let Some(name) = single(headers, HOST).and_then(name) else { return false };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok()
        || bracketed(name)
        || config.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether the sender of the request may open a WebSocket. Browsers always name the page's origin; programs need not, on
/// this machine.
pub(crate) fn socket_allowed(headers: &HeaderMap, config: &Config, peer: IpAddr) -> bool {
    page_allowed(headers, config).unwrap_or_else(|| peer.to_canonical().is_loopback())
}

/// Whether the sender of the request may call operations: no page of a foreign origin may.
pub(crate) fn post_allowed(headers: &HeaderMap, config: &Config) -> bool {
    page_allowed(headers, config).unwrap_or(true)
}

/// Whether the page that the request comes from may use the server: it must be the server's own, or have a listed
/// origin. `None` when the request names no origin.
fn page_allowed(headers: &HeaderMap, config: &Config) -> Option<bool> {
    if !headers.contains_key(ORIGIN) {
        return None;
    }
    let Some(origin) = single(headers, ORIGIN) else { return Some(false) };
    let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    let same = own.zip(single(headers, HOST)).is_some_and(|(own, host)| own.eq_ignore_ascii_case(host));
    Some(same || config.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)))
}

/// The value of a header that occurs exactly once.
fn single(headers: &HeaderMap, name: hyper::header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() { None } else { Some(value) }
}

/// The name in `name` or `name:port`, brackets kept.
fn name(host: &str) -> Option<&str> {
    let end = host.rfind(']').map_or(0, |bracket| bracket + 1);
    let (name, port) = match host.get(end..)?.find(':') {
        Some(colon) => (host.get(..end + colon)?, host.get(end + colon + 1..)?),
        None => (host, ""),
    };
    port.bytes().all(|digit| digit.is_ascii_digit()).then_some(name)
}

/// Whether this is an IPv6 address in brackets.
fn bracketed(name: &str) -> bool {
    let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config {
            hosts: vec!["banmen.example".into()],
            origins: vec!["https://friend.example".into()],
            ..Config::new(([127, 0, 0, 1], 0).into())
        }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn headers(pairs: &[(hyper::header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().expect("a header"))).collect()
    }

    #[test]
    fn accepts_localhost_addresses_and_listed_hosts() {
        for (host, allowed) in [
            ("localhost", true),
            ("LocalHost:8080", true),
            ("127.0.0.1:8080", true),
            ("192.168.1.5", true),
            ("[::1]:8080", true),
            ("[::1]", true),
            ("banmen.example", true),
            ("Banmen.Example:443", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("evil.example:127.0.0.1", false),
            ("localhost:evil", false),
            ("[::1]evil", false),
            ("]", false),
            ("", false),
        ] {
            assert_eq!(host_allowed(&headers(&[(HOST, host)]), &config()), allowed, "{host}");
        }
        assert!(!host_allowed(&HeaderMap::new(), &config()), "no Host at all");
        let mut two = headers(&[(HOST, "localhost")]);
        two.append(HOST, "localhost".parse().expect("a header"));
        assert!(!host_allowed(&two, &config()), "two of them");
    }

    #[test]
    fn accepts_its_own_and_listed_origins() {
        for (origin, allowed) in [
            ("http://127.0.0.1:8080", true),
            ("https://127.0.0.1:8080", true),
            ("https://friend.example", true),
            ("http://friend.example", false),
            ("http://127.0.0.1:9090", false),
            ("http://localhost:8080", false),
            ("http://evil.example", false),
            ("null", false),
            ("", false),
        ] {
            let headers = headers(&[(HOST, "127.0.0.1:8080"), (ORIGIN, origin)]);
            assert_eq!(post_allowed(&headers, &config()), allowed, "{origin}");
            for peer in ["127.0.0.1", "192.168.1.5"] {
                assert_eq!(socket_allowed(&headers, &config(), ip(peer)), allowed, "{origin} from {peer}");
            }
        }
    }

    #[test]
    fn accepts_requests_without_origin_as_programs() {
        let headers = headers(&[(HOST, "127.0.0.1:8080")]);
        assert!(post_allowed(&headers, &config()));
        for (peer, allowed) in [("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("192.168.1.5", false)]
        {
            assert_eq!(socket_allowed(&headers, &config(), ip(peer)), allowed, "{peer}");
        }
    }
}
