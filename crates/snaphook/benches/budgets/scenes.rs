//! The scenes that are measured: the hooks, the hosts, the events, and the same handler in a plain VM without any of it.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use mlua::{Function, Lua, Table, Value};
use serde_json::json;
use snaphook::{
    Builder, CallOptions, Event, HookRef, Host, Language, Limits, Scope, Script, ToolCall, ToolResult,
};
use snaphook_lua::LuaEngine;

/// A gate as people write them: some twenty lines, three searches when nothing is found.
pub const GUARD: &str = r#"-----
-- name: guard
-- description: Refuses a few commands
-----
local patterns = {
  { find = "rm -rf", why = "deletes without asking" },
  { find = "git push --force", why = "rewrites what others have" },
  { find = "mkfs", why = "makes a file system" },
}

on("tool_call", function(event, ctx)
  local command = event.command
  if command == nil then
    return
  end
  for _, pattern in patterns do
    if string.find(command, pattern.find, 1, true) then
      return { block = true, reason = pattern.why }
    end
  end
end)
"#;

/// The same behind a matcher that takes none of our calls.
pub fn excluded() -> String {
    GUARD.replace("on(\"tool_call\", function", "on(\"tool_call\", { tool = \"read\" }, function")
}

/// Looks at a result's small fields only.
pub const UNTOUCHED: &str = r#"
on("tool_result", function(event, ctx)
  if event.tool == "bash" and event.is_error then
    return { context = "the command failed" }
  end
end)
"#;

/// Searches a result's text.
pub const TOUCHED: &str = r#"
on("tool_result", function(event, ctx)
  if string.find(event.content, "PRIVATE KEY", 1, true) then
    return { content = "[removed]" }
  end
end)
"#;

/// The example that takes secrets out of results.
pub const REDACT: &str = include_str!("../../../../hooks-examples/lua/redact-secrets.lua");

/// A gate that looks at the tool's name only.
pub const GATE_UNTOUCHED: &str = r#"
on("tool_call", function(event, ctx)
  if event.tool == "web_fetch" then
    return { block = true, reason = "no web" }
  end
end)
"#;

/// A gate that searches what would be written.
pub const GATE_TOUCHED: &str = r#"
on("tool_call", function(event, ctx)
  if event.content and string.find(event.content, "PRIVATE KEY", 1, true) then
    return { block = true, reason = "a key" }
  end
end)
"#;

/// Never ends.
pub const RUNAWAY: &str = r#"on("tool_call", function() while true do end end)"#;

/// Scripts of this source.
pub fn scripts(count: usize, source: &str) -> Vec<Script> {
    (0..count)
        .map(|index| Script {
            hook: HookRef::new(
                format!("guard-{index}"),
                "guard",
                Scope::User,
                format!("hooks/guard_{index}.lua"),
            ),
            source: source.into(),
            modules: Arc::default(),
            grants: Arc::default(),
            path: None,
            executable: None,
        })
        .collect()
}

/// A host with these hooks, not yet built.
pub fn builder_of(scripts: Vec<Script>, engine: &Arc<LuaEngine>) -> Builder {
    let builder = Host::builder().engine(Language::Lua, Arc::clone(engine) as _);
    scripts.into_iter().fold(builder, |builder, script| builder.script(script, Language::Lua))
}

/// A host with these hooks, ready to gate.
pub fn host_of(scripts: Vec<Script>, engine: &Arc<LuaEngine>, limits: Limits) -> Host {
    let host = builder_of(scripts, engine).limits(limits).build();
    assert_eq!(host.problems(), Vec::new(), "the hooks load");
    host
}

/// A host with so many hooks of this source.
pub fn host(count: usize, source: &str) -> Host {
    host_of(scripts(count, source), &engine(), Limits::default())
}

/// An engine of its own.
pub fn engine() -> Arc<LuaEngine> {
    Arc::new(LuaEngine::new().unwrap())
}

/// The small event.
pub fn call() -> ToolCall {
    ToolCall::new(
        "call_1",
        "bash",
        json!({"command": "cargo test --workspace", "description": "Run the tests"}),
    )
}

/// A call that writes so much text.
pub fn write_call(bytes: usize) -> ToolCall {
    ToolCall::new("call_1", "write", json!({"file_path": "src/lib.rs", "content": text(bytes)}))
}

/// A result with so much text.
pub fn result(bytes: usize) -> ToolResult {
    let call = call();
    ToolResult {
        original_input: Arc::clone(&call.input),
        call,
        content: text(bytes).into(),
        details: Arc::default(),
        is_error: false,
    }
}

fn text(bytes: usize) -> String {
    "The quick brown fox jumps over the lazy dog. ".chars().cycle().take(bytes).collect()
}

/// Nothing here waits, so one poll is enough.
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("a handler waits"),
    }
}

/// Gates a call that passes.
pub fn pass(host: &Host, call: &ToolCall) {
    assert!(
        matches!(ready(host.gate(call.clone(), &CallOptions::default())), ControlFlow::Continue(_)),
        "the call passes"
    );
}

/// Has the handlers look at a result.
pub fn emit(host: &Host, result: &ToolResult) {
    let emitted = ready(host.emit(Event::tool_result(result.clone()), &CallOptions::default()));
    assert!(emitted.reports.is_empty(), "nothing fails");
}

/// The floor: the handler of a hook in a plain VM, with an event made beforehand. No limits, no sandbox, no host.
pub struct Bare {
    lua: Lua,
    handler: Function,
    event: Table,
    ctx: Table,
    empty: Function,
}

impl Bare {
    /// Takes the handler out of the source.
    pub fn new(source: &str) -> Self {
        let lua = Lua::new();
        let found = Arc::new(std::sync::Mutex::new(None));
        let keep = Arc::clone(&found);
        let on = lua
            .create_function(move |_, (_, handler): (String, Function)| {
                *keep.lock().unwrap() = Some(handler);
                Ok(())
            })
            .unwrap();
        lua.globals().set("on", on).unwrap();
        lua.load(source).exec().unwrap();
        let handler = found.lock().unwrap().take().unwrap();
        let event = lua
            .load(
                r#"return { name = "tool_call", id = "call_1", tool = "bash", native_tool = "bash", paths = {},
                  input = { command = "cargo test --workspace", description = "Run the tests" }, command = "cargo test --workspace" }"#,
            )
            .eval()
            .unwrap();
        let ctx = lua.create_table().unwrap();
        let empty = lua.load("return function() end").eval().unwrap();
        Bare { lua, handler, event, ctx, empty }
    }

    /// The handler, called as a function.
    pub fn call(&self) {
        assert!(matches!(self.handler.call::<Value>((&self.event, &self.ctx)), Ok(Value::Nil)));
    }

    /// The handler, called as a coroutine.
    pub fn call_async(&self) {
        let called = ready(self.handler.call_async::<Value>((&self.event, &self.ctx)));
        assert!(matches!(called, Ok(Value::Nil)));
    }

    /// An empty function.
    pub fn empty(&self) {
        assert!(self.empty.call::<()>((&self.event, &self.ctx)).is_ok());
    }

    /// An empty function, as a coroutine.
    pub fn empty_async(&self) {
        assert!(ready(self.empty.call_async::<()>((&self.event, &self.ctx))).is_ok());
    }

    /// A text of this size, made in the VM: what touching a big field costs at least.
    pub fn text(&self, text: &str) {
        assert!(self.lua.create_string(text).is_ok());
    }
}
