// written by `snaphook install pi`. Do not change it here: run that again, or take it away with `snaphook uninstall pi`.
//
// Asks snaphook about what pi is about to do, and does what it says. One process answers all events; it is started by the first
// one and stays. Where no answer comes that can be understood (no process, a dead one, rubbish, silence), a tool call and a prompt
// fail: nothing goes on unchecked. Nothing here fails before it is called, for pi skips an extension that does not load.

// @LINE@

// What an answer may have; anything else is rubbish.
const ANSWER = {
  deny: isText, input: isMap, prompt: isText, content: Array.isArray, isError: (value) => typeof value === "boolean",
  inject: isText, continue: isText, tell: isText,
};

// How a text of ours is marked among pi's entries.
const CUSTOM = "snaphook";

export default function snaphook(pi) {
  let line;
  // Texts for the model that came with the prompt; the run that begins with it takes them.
  let waiting = [];

  const ask = async (name, event, ctx) => {
    line ??= new Line(ctx?.cwd ?? process.cwd());
    const { type, ...rest } = event;
    const payload = {
      event: name, data: rest, directory: ctx?.cwd, session: ctx?.sessionManager?.getSessionId?.(),
      transcript: ctx?.sessionManager?.getSessionFile?.(),
    };
    const reply = checked(await line.ask(name, payload, name === "tool_result"));
    if (reply.tell !== undefined) ctx?.ui?.notify?.(reply.tell, "warning");
    return reply;
  };
  // What can be denied fails where anything does.
  const gate = async (name, event, ctx) => {
    try {
      return await ask(name, event, ctx);
    } catch (error) {
      return { deny: `Denied, because it could not be checked: ${error?.message ?? error}` };
    }
  };
  // All else goes on without an answer.
  const view = async (name, event, ctx) => {
    try {
      return await ask(name, event, ctx);
    } catch {
      return {};
    }
  };
  const on = (name, handler) => {
    if (EVENTS.has(name)) pi.on(name, handler);
  };

  on("tool_call", async (event, ctx) => {
    const { deny, input } = await gate("tool_call", event, ctx);
    if (deny !== undefined) return { block: true, reason: deny };
    if (input === undefined) return undefined;
    // In place: pi runs the tool with the very map that it handed over.
    for (const key of Object.keys(event.input)) {
      if (!Object.hasOwn(input, key) && !delete event.input[key]) return { block: true, reason: `Denied: ${key} cannot be taken out` };
    }
    for (const [key, value] of Object.entries(input)) put(event.input, key, value);
    return undefined;
  });

  on("tool_result", async (event, ctx) => {
    let reply;
    try {
      reply = await ask("tool_result", event, ctx);
    } catch {
      // A hook may have had to take something out of it. The error may quote it, so it is not shown either.
      const text = "[snaphook withheld this result: it could not be checked]";
      return { content: [{ type: "text", text }], isError: true };
    }
    const { content, isError } = reply;
    return content === undefined ? undefined : { content, ...(isError === undefined ? {} : { isError }) };
  });

  on("input", async (event, ctx) => {
    // What another extension sends is no prompt of the person.
    if (event.source === "extension") return { action: "continue" };
    const { deny, prompt, inject } = await gate("input", event, ctx);
    if (deny !== undefined) {
      if (ctx?.hasUI) ctx.ui.notify(deny, "error");
      else process.stderr.write(`${deny}\n`);
      return { action: "handled" };
    }
    if (inject !== undefined) waiting.push(inject);
    return prompt === undefined ? { action: "continue" } : { action: "transform", text: prompt, images: event.images };
  });

  pi.on("before_agent_start", () => {
    if (waiting.length === 0) return undefined;
    const content = waiting.join("\n\n");
    waiting = [];
    return { message: { customType: CUSTOM, content, display: false } };
  });

  on("agent_before_settle", async (event, ctx) => {
    const { continue: text } = await view("agent_before_settle", { outcome: event.outcome }, ctx);
    if (text === undefined) return undefined;
    const entry = { type: "custom_message", customType: CUSTOM, content: text, display: true };
    return { entries: [...(event.entries ?? []), entry], continue: true };
  });

  on("session_before_compact", async (event, ctx) => {
    const { deny } = await gate("session_before_compact", { customInstructions: event.customInstructions, reason: event.reason }, ctx);
    return deny === undefined ? undefined : { cancel: true };
  });

  for (const name of ["session_start", "session_compact"]) {
    on(name, async (event, ctx) => {
      await view(name, { reason: event.reason }, ctx);
    });
  }

  pi.on("session_shutdown", async (event, ctx) => {
    if (EVENTS.has("session_shutdown")) await view("session_shutdown", { reason: event.reason }, ctx);
    line?.end(line.child, "the session is over");
    line = undefined;
    waiting = [];
  });
}
