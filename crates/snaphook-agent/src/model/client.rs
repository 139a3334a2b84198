//! The client for real providers: a request becomes one of `genai`'s, its text and tokens come back through it, and the frames that
//! it saw are read once more for calls and the end (`wire`). Not here: whether an answer counts (`accept`), and asking again
//! (`retry`).

mod error;
mod messages;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatRequest, ChatStreamEvent, StreamEnd};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use parking_lot::Mutex;
use rustls::{ClientConfig, RootCertStore};
use snaphook_core::BoxFuture;
use tokio::sync::Notify;
use url::Url;

use super::accept::MAX_TURN;
use super::provider::ModelName;
use super::wire::{Reader, Sent, Wire};
use super::{AskError, Model, RawTurn, Request};
use crate::message::Continuation;
use crate::usage::Usage;

/// The most bytes of frames of one answer: some providers send several hundred for each token.
const MAX_FRAMES: usize = 64 << 20;

/// The time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The time in which an answer has to begin, or go on.
const READ_TIMEOUT: Duration = Duration::from_secs(600);

/// A model of a provider.
pub struct ProviderModel {
    client: Client,
    name: String,
    model: String,
    wire: Wire,
    address: String,
    key: Option<String>,
    max_frames: usize,
}

/// The reason why a model cannot be made ready. Reads after "the model cannot be used: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelSetupError {
    /// No variable has its key.
    #[error("{0} needs a key: set {1} in the environment")]
    NoKey(String, String),
    /// The address is none.
    #[error("`--base-url` {0}: {1}; write it as http://HOST:PORT/v1")]
    Address(String, String),
    /// The HTTP client cannot be made.
    #[error("{0}")]
    Http(String),
}

impl ProviderModel {
    /// A model, at the provider's address or this one. `tls` is asked where the address is `https`.
    ///
    /// # Errors
    /// The address is none, the key is missing, or the client cannot be made.
    pub fn new<E: std::fmt::Display>(
        name: &ModelName,
        base_url: Option<&str>,
        key: Option<String>,
        tls: impl FnOnce() -> Result<ClientConfig, E>,
    ) -> Result<Self, ModelSetupError> {
        let provider = name.provider;
        if let (None, None, [variable, ..]) = (&key, base_url, provider.keys) {
            return Err(ModelSetupError::NoKey(provider.name.to_owned(), (*variable).to_owned()));
        }
        let address = address(base_url.unwrap_or(provider.address), provider.wire)?;
        let http = |error: &dyn std::fmt::Display| ModelSetupError::Http(error.to_string());
        let tls = if address.starts_with("https:") {
            tls().map_err(|error| http(&error))?
        } else {
            no_tls().map_err(|error| http(&error))?
        };
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            // A provider answers where it is asked; a key goes nowhere else.
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .user_agent(concat!("snaphook/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| http(&error))?;
        Ok(ProviderModel {
            client: Client::builder().with_reqwest(client).build().map_err(|error| http(&error))?,
            name: name.to_string(),
            model: name.name.clone(),
            wire: provider.wire,
            address,
            key,
            max_frames: MAX_FRAMES,
        })
    }

    /// Gives an answer up that has more than so many bytes as it comes. Default: 64 MiB.
    #[must_use]
    pub fn max_answer(mut self, bytes: usize) -> Self {
        self.max_frames = bytes;
        self
    }

    fn target(&self, request: &Request) -> ServiceTarget {
        let kind = match self.wire {
            Wire::Anthropic => AdapterKind::Anthropic,
            Wire::Chat => AdapterKind::OpenAI,
            Wire::Responses => AdapterKind::OpenAIResp,
            Wire::Gemini => AdapterKind::Gemini,
        };
        let model = request.model.as_deref().unwrap_or(&self.model).to_owned();
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.address.as_str()),
            // Servers of one's own take any.
            auth: AuthData::from_single(self.key.as_deref().unwrap_or("none")),
            model: ModelIden::new(kind, model),
        }
    }

    fn options(&self, request: &Request) -> ChatOptions {
        // Calls are not captured: an index of three millions makes three million of them. They are read from the frames.
        let mut options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_content(false)
            .with_capture_tool_calls(false)
            .with_capture_reasoning_content(true)
            .with_stream_header_timeout(READ_TIMEOUT)
            .with_stream_read_timeout(READ_TIMEOUT);
        if let Some(most) = request.max_output {
            options = options.with_max_tokens(most);
        }
        if let Some(temperature) = request.temperature {
            options = options.with_temperature(temperature);
        }
        options
    }

    async fn whole(&self, request: &Request, chat: ChatRequest) -> Result<RawTurn, AskError> {
        let options = self.options(request).with_capture_raw_body(true);
        let asked = self.client.exec_chat(self.target(request), chat, Some(&options)).await;
        let answer = asked.map_err(|error| error::ask_error(&error, self.key.as_deref()))?;
        let mut reader = Reader::new(self.wire);
        match &answer.captured_raw_body {
            Some(body) => reader.whole(body),
            None => return Err(AskError::Protocol("the answer has no body".to_owned())),
        }
        let text = answer.content.joined_texts().unwrap_or_default();
        let provider = Continuation {
            model: None,
            reasoning: answer.reasoning_content.clone(),
            signatures: answer.content.thought_signatures().into_iter().map(str::to_owned).collect(),
        };
        Ok(raw(reader.finish(), text, usage(&answer.usage), provider))
    }

    async fn streamed(
        &self,
        request: &Request,
        chat: ChatRequest,
        delta: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<RawTurn, AskError> {
        let frames = Frames { reader: Reader::new(self.wire), bytes: 0, most: self.max_frames };
        let frames = Arc::new(Mutex::new(frames));
        // Of many frames there is no event: who waits for one would not see that they are too many.
        let full = Arc::new(Notify::new());
        let (seen, told) = (Arc::clone(&frames), Arc::clone(&full));
        let options = self.options(request).with_raw_frame_fn(move |_, frame| {
            if !seen.lock().take(frame.data) {
                told.notify_one();
            }
        });
        let asked = self.client.exec_chat_stream(self.target(request), chat, Some(&options)).await;
        let mut stream = asked.map_err(|error| error::ask_error(&error, self.key.as_deref()))?.stream;
        let (mut text, mut end) = (String::new(), None);
        loop {
            let event = tokio::select! {
                biased;
                () = full.notified() => return Err(AskError::TooLarge(self.max_frames)),
                event = stream.next() => event,
            };
            let Some(event) = event else { break };
            match event.map_err(|error| error::ask_error(&error, self.key.as_deref()))? {
                ChatStreamEvent::Chunk(chunk) => {
                    delta(&chunk.content);
                    text.push_str(&chunk.content);
                }
                ChatStreamEvent::End(ended) => end = Some(ended),
                _ => {}
            }
            if text.len() > MAX_TURN {
                return Err(AskError::TooLarge(MAX_TURN));
            }
        }
        drop(stream);
        let reader = std::mem::replace(&mut frames.lock().reader, Reader::new(self.wire));
        let (usage, provider) = end.map(after).unwrap_or_default();
        Ok(raw(reader.finish(), text, usage, provider))
    }
}

/// The frames of one answer.
struct Frames {
    reader: Reader,
    bytes: usize,
    most: usize,
}

impl Frames {
    /// Reads a frame; false where they are too many.
    fn take(&mut self, data: &str) -> bool {
        self.bytes = self.bytes.saturating_add(data.len());
        let fits = self.bytes <= self.most;
        if fits {
            self.reader.frame(data);
        }
        fits
    }
}

fn raw(sent: Sent, text: String, usage: Usage, provider: Continuation) -> RawTurn {
    RawTurn { text, calls: sent.calls, stop: sent.stop, fault: sent.fault, usage, provider }
}

/// What the end of a stream has beside its text.
fn after(end: StreamEnd) -> (Usage, Continuation) {
    let signatures = end.captured_thought_signatures().unwrap_or_default();
    let signatures = signatures.into_iter().map(str::to_owned).collect();
    let usage = end.captured_usage.as_ref().map(usage).unwrap_or_default();
    (usage, Continuation { model: None, reasoning: end.captured_reasoning_content, signatures })
}

fn usage(usage: &genai::chat::Usage) -> Usage {
    let count =
        |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or_default();
    let cached = usage.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens);
    Usage { input: count(usage.prompt_tokens), cached: count(cached), output: count(usage.completion_tokens) }
}

impl Model for ProviderModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        delta: &'a (dyn Fn(&str) + Send + Sync),
    ) -> BoxFuture<'a, Result<RawTurn, AskError>> {
        Box::pin(async move {
            let chat = messages::chat(request, &self.name);
            if request.whole {
                self.whole(request, chat).await
            } else {
                self.streamed(request, chat, delta).await
            }
        })
    }
}

impl std::fmt::Debug for ProviderModel {
    // The key is nowhere but in requests.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderModel").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The address as the client wants it: with the version, and `/` at its end.
fn address(given: &str, wire: Wire) -> Result<String, ModelSetupError> {
    let wrong = |why: &str| ModelSetupError::Address(given.to_owned(), why.to_owned());
    let mut url = Url::parse(given).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("not an http address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("keys belong into the environment, not into the address"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let version = if wire == Wire::Gemini { "/v1beta" } else { "/v1" };
    url.set_path(&format!("{}/", if path.is_empty() { version } else { &path }));
    Ok(url.to_string())
}

/// For `http` addresses: trusts no certificate.
fn no_tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_its_version_where_it_has_no_path() {
        let cases = [
            ("http://localhost:1", Wire::Chat, "http://localhost:1/v1/"),
            ("http://localhost:1/", Wire::Gemini, "http://localhost:1/v1beta/"),
            ("https://x.example/openai/v1", Wire::Chat, "https://x.example/openai/v1/"),
            ("https://x.example/a/", Wire::Anthropic, "https://x.example/a/"),
        ];
        for (given, wire, expected) in cases {
            assert_eq!(address(given, wire).unwrap(), expected);
        }
        for wrong in ["localhost:1", "ftp://x", "http://", "https://user:key@x.example/v1"] {
            assert!(address(wrong, Wire::Chat).is_err(), "{wrong}");
        }
    }
}
