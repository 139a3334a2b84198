//! `ctx.ui`: asking and telling the person. Where nobody can be asked, questions get no answer and
//! notices go to the log (law 6).

use rhai::{Dynamic, ImmutableString, Module};
use snaphook_core::{Notice, ServiceReply, UiRequest};
use snaphook_script::ui;

use crate::bindings::ctx::level;
use crate::bindings::{Args, args, indexer, method, missing};
use crate::meter::{Foreign, outside};
use crate::raise::{Raised, raise};
use crate::vm_context::{count_text, running, wait};

/// Its members.
pub(crate) const NAMES: &[&str] = &["select", "confirm", "input", "editor", "notify", "set_status"];

/// The object.
#[derive(Clone)]
pub(crate) struct Ui;

/// Puts the type into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    globals.set_custom_type::<Ui>("ctx.ui");
    indexer::<Ui>(globals, |_, name| Err(missing("ctx.ui", name, NAMES)));
    method::<Ui>(globals, "confirm", 1..=2, |args| {
        let (title, message) = texts("ctx.ui.confirm", args)?;
        ask("ctx.ui.confirm", move || UiRequest::Confirm {
            title: title.into(),
            message: message.map(Into::into),
        })
    });
    method::<Ui>(globals, "input", 1..=2, |args| {
        let (title, initial) = texts("ctx.ui.input", args)?;
        ask("ctx.ui.input", move || UiRequest::Input {
            title: title.into(),
            initial: initial.map(Into::into),
        })
    });
    method::<Ui>(globals, "editor", 1..=2, |args| {
        let (title, initial) = texts("ctx.ui.editor", args)?;
        ask("ctx.ui.editor", move || UiRequest::Editor {
            title: title.into(),
            initial: initial.map(Into::into),
        })
    });
    method::<Ui>(globals, "select", 2..=2, |args| {
        let title = args::at("ctx.ui.select", 1, args)?;
        let list = args.get(2).map(|value| &**value).unwrap_or(&Dynamic::UNIT);
        let options =
            list.as_array_ref().map_err(|_| args::wrong("ctx.ui.select", "a list of strings", list))?;
        if options.is_empty() {
            return Err(raise("ctx.ui.select needs at least one option"));
        }
        let options: Result<Vec<ImmutableString>, _> = options
            .iter()
            .map(|option| option.as_immutable_string_ref().map(|text| text.clone()))
            .map(|option| option.map_err(|_| args::wrong("ctx.ui.select", "a list of strings", list)))
            .collect();
        let options = options?;
        ask("ctx.ui.select", move || UiRequest::Select {
            title: title.into(),
            options: options.iter().map(ToString::to_string).collect(),
        })
    });
    method::<Ui>(globals, "notify", 1..=2, |args| {
        let text = args::at("ctx.ui.notify", 1, args)?;
        let level = level(args::optional("ctx.ui.notify", 2, args)?.as_deref())?;
        let (vm, _) = running()?;
        count_text("ctx.ui.notify", text.len())?;
        outside(|| vm.services.notify(&vm.hook, Notice::Message { text: text.to_string(), level }));
        Ok(Dynamic::UNIT)
    });
    method::<Ui>(globals, "set_status", 1..=2, |args| {
        let (key, text) = texts("ctx.ui.set_status", args)?;
        let (vm, _) = running()?;
        count_text("ctx.ui.set_status", key.len() + text.as_ref().map_or(0, |text| text.len()))?;
        outside(|| {
            let text = text.as_deref().map(str::to_owned);
            vm.services.notify(&vm.hook, Notice::Status { key: key.to_string(), text });
        });
        Ok(Dynamic::UNIT)
    });
}

type Texts = (ImmutableString, Option<ImmutableString>);

fn texts(function: &str, args: &Args<'_>) -> Result<Texts, Raised> {
    Ok((args::at(function, 1, args)?, args::optional(function, 2, args)?))
}

/// Asks, and waits for the answer. `request` is made outside of the script's account.
fn ask(what: &str, request: impl FnOnce() -> UiRequest) -> Result<Dynamic, Raised> {
    let (vm, run) = running()?;
    let request = Foreign::new(outside(request));
    count_text(what, request.get().map_or(0, UiRequest::text_len))?;
    let Some(request) = request.take() else { return Ok(Dynamic::UNIT) };
    let reply = wait(&run, || ui::ask(&*vm.services, &vm.hook, &run.call, request))?;
    Ok(match reply.get() {
        Some(ServiceReply::Flag(flag)) => (*flag).into(),
        Some(ServiceReply::Text(Some(text))) => text.as_str().into(),
        _ => Dynamic::UNIT,
    })
}
