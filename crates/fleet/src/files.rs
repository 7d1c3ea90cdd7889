//! The files that jobs need: a coordinator publishes them, and workers fetch them.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};

use async_nats::jetstream::Context;
use async_nats::jetstream::message::PublishMessage;
use banmen_arena::{ContentFile, content_digest, content_name};
use banmen_search::threads::lock;
use futures_util::StreamExt;

use crate::messages::{SentFile, clean, parts};
use crate::queue::Queue;

/// How many files a worker keeps.
const KEPT_FILES: usize = 8;

/// The characters of a name of contents that a message shows: `sha256.` and the beginning of the digest.
const NAME_SHOWN: usize = 19;

/// The files of the jobs that are out, and whether the server has them.
#[derive(Default)]
pub(crate) struct Published(BTreeMap<String, (Arc<[u8]>, bool)>);

impl Published {
    /// Adds files that jobs need.
    pub(crate) fn add(&mut self, files: Vec<ContentFile>) {
        for (name, contents) in files {
            self.0.entry(name).or_insert((contents, false));
        }
    }

    /// Forgets the files, when no job is out.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The server may have lost all files.
    pub(crate) fn doubt(&mut self) {
        self.0.values_mut().for_each(|(_, there)| *there = false);
    }

    /// Publishes those of some files that the server does not have.
    ///
    /// # Errors
    /// Why the server does not take them, in words.
    pub(crate) async fn publish(
        &mut self,
        queue: &Queue,
        jetstream: &Context,
        run: &str,
        files: &[SentFile],
    ) -> Result<(), String> {
        for SentFile { name, .. } in files {
            let Some((contents, there @ false)) = self.0.get_mut(name) else { continue };
            queue.open(jetstream, "files", run).await.map_err(|error| error.message)?;
            for (number, part) in parts(contents).into_iter().enumerate() {
                let message = PublishMessage::build().payload(part.to_vec().into());
                let sent = jetstream.send_publish(subject(queue, run, name, number), message).await;
                let sent = sent.map_err(|error| error.to_string())?;
                sent.await.map_err(|error| error.to_string())?;
            }
            *there = true;
        }
        Ok(())
    }

    /// Asks the server which files it has, and publishes again what it has lost.
    ///
    /// # Errors
    /// As for [`Published::publish`].
    pub(crate) async fn repair(&mut self, queue: &Queue, jetstream: &Context, run: &str) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        let stream = queue.open(jetstream, "files", run).await.map_err(|error| error.message)?;
        let listed = stream.info_with_subjects(queue.subject("files", &format!("{run}.>"))).await;
        let mut listed = listed.map_err(|error| error.to_string())?;
        let mut stored = HashSet::new();
        while let Some(entry) = listed.next().await {
            stored.insert(entry.map_err(|error| error.to_string())?.0);
        }
        let mut lost = Vec::new();
        for (name, (contents, there)) in &mut self.0 {
            *there = (0..parts(contents).len()).all(|number| stored.contains(&subject(queue, run, name, number)));
            if !*there {
                lost.push(SentFile { name: name.clone(), bytes: contents.len() });
            }
        }
        self.publish(queue, jetstream, run, &lost).await
    }
}

/// The subject of a part of a file.
fn subject(queue: &Queue, run: &str, name: &str, part: usize) -> String {
    queue.subject("files", &format!("{run}.{}.{part}", content_digest(name).unwrap_or_default()))
}

/// The files that a worker has fetched, the newest last.
#[derive(Default)]
pub(crate) struct Fetched(Mutex<Vec<ContentFile>>);

impl Fetched {
    /// The files of a job, from the server unless they were fetched before.
    ///
    /// # Errors
    /// Which file cannot be had, and why, in words: the same as long as the cause is the same.
    pub(crate) async fn fetch(
        &self,
        queue: &Queue,
        jetstream: &Context,
        run: &str,
        files: &[SentFile],
    ) -> Result<Vec<ContentFile>, String> {
        let mut found = Vec::new();
        for file in files {
            let known = self.kept().iter().find(|(name, _)| *name == file.name).cloned();
            if let Some(known) = known {
                found.push(known);
                continue;
            }
            let (Some(_), Some(parts)) = (content_digest(&file.name), file.parts()) else {
                return Err("a file of a job has no name, or is too long".to_owned());
            };
            let shown: String = file.name.chars().take(NAME_SHOWN).collect();
            let missing = |why: &dyn std::fmt::Display| {
                format!("the file {shown}… of a job cannot be fetched: {}", clean(&why.to_string()))
            };
            let stream = jetstream.get_stream_no_info(queue.stream("files", run)).await;
            let stream = stream.map_err(|error| missing(&error))?;
            let mut contents = Vec::with_capacity(file.bytes);
            for part in parts {
                let message = stream.get_last_raw_message_by_subject(&subject(queue, run, &file.name, part)).await;
                contents.extend_from_slice(&message.map_err(|error| missing(&error))?.payload);
            }
            if content_name(&contents) != file.name {
                return Err(missing(&"its contents are not the ones that it names"));
            }
            let file: ContentFile = (file.name.clone(), contents.into());
            let mut kept = self.kept();
            kept.push(file.clone());
            let spare = kept.len().saturating_sub(KEPT_FILES);
            kept.drain(..spare);
            drop(kept);
            found.push(file);
        }
        Ok(found)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<ContentFile>> {
        lock(&self.0)
    }
}
