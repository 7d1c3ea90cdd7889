//! A server with decentralised authentication: an operator signs accounts, and an account signs its users. Their statements are
//! JSON Web Tokens, as `nsc` makes them.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use nkeys::KeyPair;
use serde_json::{Value, json};

/// Bytes as text in the alphabet of tokens, without padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        let letters = (0..=chunk.len()).map(|at| ALPHABET[(word >> (18 - 6 * at) & 63) as usize]);
        text.extend(letters.map(char::from));
    }
    text
}

/// What `issuer` states of `subject`; `ends` is a time in seconds since 1970.
fn token(issuer: &KeyPair, subject: &KeyPair, name: &str, ends: Option<u64>, claims: Value) -> String {
    let mut claims = json!({
        "jti": format!("{name}-{}", subject.public_key()),
        "iat": 1_700_000_000,
        "iss": issuer.public_key(),
        "sub": subject.public_key(),
        "name": name,
        "nats": claims,
    });
    if let Some(ends) = ends {
        claims["exp"] = ends.into();
    }
    let head = base64(br#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let signed = format!("{head}.{}", base64(claims.to_string().as_bytes()));
    let signature = issuer.sign(signed.as_bytes()).expect("a signature");
    format!("{signed}.{}", base64(&signature))
}

/// An operator with accounts, and the folder of the files.
pub(crate) struct Accounts {
    folder: PathBuf,
    operator: KeyPair,
}

impl Accounts {
    pub(crate) fn new(name: &str) -> Accounts {
        let folder = std::env::temp_dir().join(format!("banmen-accounts-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Accounts { folder, operator: KeyPair::new_operator() }
    }

    /// The configuration of a server with JetStream that knows these accounts, each with its share of JetStream: -1 for any
    /// number of streams, 0 for none.
    pub(crate) fn configuration(&self, accounts: &[(&KeyPair, i64)]) -> String {
        let system = KeyPair::new_account();
        let claims = json!({ "type": "operator", "version": 2, "system_account": system.public_key() });
        let operator = token(&self.operator, &self.operator, "operator", None, claims);
        let known: String = accounts
            .iter()
            .chain([&(&system, 0)])
            .map(|(account, share)| {
                let limits = json!({
                    "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
                    "leaf": -1, "mem_storage": share, "disk_storage": share, "streams": share, "consumer": share,
                });
                let claims = json!({ "type": "account", "version": 2, "limits": limits });
                let account_token = token(&self.operator, account, "account", None, claims);
                format!("  {}: {account_token}\n", account.public_key())
            })
            .collect();
        let text = format!(
            "operator: {operator}\nsystem_account: {}\njetstream {{}}\nresolver: MEMORY\nresolver_preload {{\n{known}}}\n",
            system.public_key()
        );
        let path = self.file("server.conf");
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A file with the credentials of a user of an account. They expired an hour ago if `expired`. `key` signs for the user.
    pub(crate) fn user(&self, name: &str, account: &KeyPair, expired: bool, key: Option<&KeyPair>) -> PathBuf {
        let user = KeyPair::new_user();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        let claims = json!({
            "type": "user", "version": 2, "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1,
        });
        let user_token = token(account, &user, name, expired.then_some(now - 3600), claims);
        let seed = key.unwrap_or(&user).seed().expect("a seed");
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{user_token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        let path = self.file(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Accounts {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
