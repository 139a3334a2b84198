//! The providers of models that are known by name: their protocol, address and the variable of their key.

use snaphook_core::nearest;

use super::wire::Wire;

/// A provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// The name in `--model PROVIDER/NAME`.
    pub name: &'static str,
    /// The protocol that it speaks.
    pub wire: Wire,
    /// Its address, with the version, up to what the protocol adds.
    pub address: &'static str,
    /// The variables of its key, the first that is set counts; none for a server of one's own.
    pub keys: &'static [&'static str],
}

const fn provider(
    name: &'static str,
    wire: Wire,
    address: &'static str,
    keys: &'static [&'static str],
) -> Provider {
    Provider { name, wire, address, keys }
}

/// Every provider. Others are reached by one of these and `--base-url`.
pub const PROVIDERS: &[Provider] = &[
    provider("anthropic", Wire::Anthropic, "https://api.anthropic.com/v1/", &["ANTHROPIC_API_KEY"]),
    provider("openai", Wire::Responses, "https://api.openai.com/v1/", &["OPENAI_API_KEY"]),
    provider("openai-chat", Wire::Chat, "https://api.openai.com/v1/", &["OPENAI_API_KEY"]),
    provider(
        "gemini",
        Wire::Gemini,
        "https://generativelanguage.googleapis.com/v1beta/",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    ),
    provider("openrouter", Wire::Chat, "https://openrouter.ai/api/v1/", &["OPENROUTER_API_KEY"]),
    provider("groq", Wire::Chat, "https://api.groq.com/openai/v1/", &["GROQ_API_KEY"]),
    provider("mistral", Wire::Chat, "https://api.mistral.ai/v1/", &["MISTRAL_API_KEY"]),
    provider("deepseek", Wire::Chat, "https://api.deepseek.com/v1/", &["DEEPSEEK_API_KEY"]),
    provider("xai", Wire::Chat, "https://api.x.ai/v1/", &["XAI_API_KEY"]),
    provider("ollama", Wire::Chat, "http://localhost:11434/v1/", &[]),
    provider("llama.cpp", Wire::Chat, "http://localhost:8080/v1/", &[]),
    provider("vllm", Wire::Chat, "http://localhost:8000/v1/", &[]),
];

/// A model by its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName {
    /// The provider.
    pub provider: &'static Provider,
    /// The provider's name of the model.
    pub name: String,
}

/// A model's name that cannot be read. Reads after "`--model`: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelNameError {
    /// It has no provider.
    #[error("\"{0}\" names no provider; write PROVIDER/NAME, such as anthropic/{0}. Providers: {names}", names = names())]
    NoProvider(String),
    /// The provider is not known.
    #[error("the provider \"{name}\" is not known{hint}. Providers: {names}; another server is reached by openai-chat/NAME and its address (`--base-url`)", names = names())]
    Unknown {
        /// The name.
        name: String,
        /// The provider that it could be, as the end of the text.
        hint: String,
    },
    /// It names no model.
    #[error("\"{0}\" names no model; write {0}NAME")]
    NoName(String),
}

fn names() -> String {
    PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>().join(", ")
}

impl ModelName {
    /// Reads `PROVIDER/NAME`. The name may have slashes itself.
    ///
    /// # Errors
    /// The provider is missing or not known, or there is no name.
    pub fn parse(text: &str) -> Result<Self, ModelNameError> {
        let (provider, name) =
            text.split_once('/').ok_or_else(|| ModelNameError::NoProvider(text.to_owned()))?;
        if name.is_empty() {
            return Err(ModelNameError::NoName(text.to_owned()));
        }
        let known = PROVIDERS.iter().find(|known| known.name == provider);
        let provider = known.ok_or_else(|| {
            let near = nearest(provider, PROVIDERS.iter().map(|known| known.name));
            let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            ModelNameError::Unknown { name: provider.to_owned(), hint }
        })?;
        Ok(ModelName { provider, name: name.to_owned() })
    }
}

impl std::fmt::Display for ModelName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.provider.name, self.name)
    }
}

/// Every variable that has a key of a provider: none of them reaches hooks or tools.
pub fn key_variables() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().flat_map(|provider| provider.keys.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_with_its_provider() {
        let shown = |text: &str| match ModelName::parse(text) {
            Ok(model) => format!("{model} by {:?}", model.provider.wire),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown("anthropic/claude-x"), "anthropic/claude-x by Anthropic");
        assert_eq!(shown("openrouter/meta/llama"), "openrouter/meta/llama by Chat");
        assert!(
            shown("claude-x").starts_with(
                "\"claude-x\" names no provider; write PROVIDER/NAME, such as anthropic/claude-x."
            )
        );
        assert!(
            shown("antropic/x")
                .starts_with("the provider \"antropic\" is not known; did you mean \"anthropic\"?.")
        );
        assert_eq!(shown("openai/"), "\"openai/\" names no model; write openai/NAME");
    }
}
