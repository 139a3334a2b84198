//! `snaphook::http::get(url, #{headers, timeout})` and `snaphook::http::post(url, body, #{headers, timeout})`.

use rhai::{Dynamic, Map, Module};
use snaphook_core::{HttpResponse, ServiceError, ServiceReply, ServiceTask};
use snaphook_script::http::{self, RESPONSE_FIELDS, RESPONSE_NAME};

use crate::bindings::record::{self, Fields};
use crate::bindings::{Member, args, define};
use crate::raise::{Raised, host, raise};
use crate::vm_context::{running_for, wait};

pub(crate) const MEMBERS: &[Member] = &[("get", get), ("post", post)];

fn get(module: &mut Module, name: &'static str) {
    const FUNCTION: &str = "snaphook::http::get";
    define(module, name, |url: Dynamic| ask(FUNCTION, &url, None, &Dynamic::UNIT));
    define(module, name, |url: Dynamic, options: Dynamic| ask(FUNCTION, &url, None, &options));
}

fn post(module: &mut Module, name: &'static str) {
    const FUNCTION: &str = "snaphook::http::post";
    define(module, name, |url: Dynamic, body: Dynamic| ask(FUNCTION, &url, Some(&body), &Dynamic::UNIT));
    define(module, name, |url: Dynamic, body: Dynamic, options: Dynamic| {
        ask(FUNCTION, &url, Some(&body), &options)
    });
}

fn ask(function: &str, url: &Dynamic, body: Option<&Dynamic>, options: &Dynamic) -> Result<Dynamic, Raised> {
    let url = args::text(function, url)?;
    let body = body.map(|body| args::text(function, body)).transpose()?;
    let (vm, run) = running_for("snaphook::http")?;
    let options = if options.is_unit() { None } else { vm.to_json(options)?.take() };
    let request =
        host(|| http::request(function, url.to_string(), body.map(|body| body.to_string()), options))?;
    let reply = wait(&run, || vm.services.begin(&vm.hook, &run.call, ServiceTask::Http(request)))?;
    match reply.get() {
        Some(ServiceReply::Web(response)) => Ok(Dynamic::from(Response::new(response))),
        _ => Err(raise(ServiceError::other_reply())),
    }
}

/// An answer as a script sees it. A misspelt field is an error: `()` would be unlike any status.
#[derive(Clone)]
pub(crate) struct Response(Map);

impl Response {
    fn new(response: &HttpResponse) -> Self {
        let headers = response.headers.iter();
        let headers: Map =
            headers.map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect();
        let values: [Dynamic; 4] = [
            i64::from(response.status).into(),
            headers.into(),
            response.body.as_str().into(),
            response.url.as_str().into(),
        ];
        Response(record::fields::<Self>(values))
    }
}

impl Fields for Response {
    const NAME: &'static str = RESPONSE_NAME;
    const TYPE: &'static str = "http_response";
    const NAMES: &'static [&'static str] = RESPONSE_FIELDS;

    fn map(&mut self) -> &mut Map {
        &mut self.0
    }
}

/// The answer as a map, for its JSON form.
pub(crate) fn plain(value: &Dynamic) -> Option<Dynamic> {
    value.read_lock::<Response>().map(|response| response.0.clone().into())
}

/// Registers the type of an answer.
pub(crate) fn types(library: &mut Module) {
    record::register_fields::<Response>(library);
}
