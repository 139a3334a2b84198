// written by `snaphook install @AGENT@`. Do not change it here: run that again, or take it away with
// `snaphook uninstall @AGENT@`.
//
// Asks snaphook about what @TITLE@ is about to do, and does what it says. One process answers all events; it is started by
// the first one and stays. Where no answer comes that can be understood (no process, a dead one, rubbish, silence), a tool call
// and a prompt fail: nothing goes on unchecked. @TITLE@ skips a plugin that fails to load, so nothing here fails before it is
// called.

// @LINE@

// How long @TITLE@ may take to say whose subagent a session is, in milliseconds.
const PARENT_MS = 2000;

// What an answer may have; anything else is rubbish.
const ANSWER = { throw: isText, args: isMap, parts: Array.isArray, output: isMap, inject: isText };

// Whose subagent a session is. @TITLE@ tells when it makes the session; of one that was there before, it is asked.
class Sessions {
  constructor(client) {
    this.client = client;
    this.parents = new Map();
  }

  note(event) {
    const info = event.properties?.info;
    if (isText(info?.id)) this.parents.set(info.id, info.parentID);
  }

  async parent(id) {
    if (this.parents.has(id)) return this.parents.get(id);
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, PARENT_MS);
    });
    try {
      const found = await Promise.race([this.client?.session?.get({ path: { id } }), late]);
      if (isMap(found?.data)) this.parents.set(id, found.data.parentID);
      return found?.data?.parentID;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  // The session of the person, where this one is a subagent's.
  async root(id) {
    let root = id;
    for (let depth = 0; depth < 16 && isText(root); depth++) {
      const parent = await this.parent(root);
      if (!isText(parent)) break;
      root = parent;
    }
    return root === id ? undefined : root;
  }
}

export const Snaphook = async (context) => {
  const directory = context?.directory ?? process.cwd();
  const line = new Line(directory);
  const sessions = new Sessions(context?.client);
  // Events that are not answered yet: what they have to say to the model is there for the prompt after them.
  const observed = new Set();

  const ask = async (hook, session, input, output) => {
    const root = await sessions.root(session);
    const name = hook === "event" ? input.event.type : hook;
    return checked(await line.ask(name, { hook, input, output, directory, root }, name === "tool.execute.after"));
  };
  // What can be denied fails where anything does.
  const gate = async (hook, input, output) => {
    let reply;
    try {
      reply = await ask(hook, input?.sessionID, input, output);
    } catch (error) {
      throw new Error(`Denied, because it could not be checked: ${error?.message ?? error}`);
    }
    if (reply.throw !== undefined) throw new Error(reply.throw);
    return reply;
  };
  // A hook may have had to take something out of it: without an answer it is not shown. Nor is the error, which may quote it.
  const result = async (hook, input, output) => {
    let reply;
    try {
      reply = await ask(hook, input?.sessionID, input, output);
    } catch {
      throw new Error("[snaphook withheld this result: it could not be checked]");
    }
    if (reply.throw !== undefined) throw new Error(reply.throw);
    return reply;
  };
  // All else goes on without an answer.
  const view = async (hook, input, output) => {
    let reply;
    try {
      reply = await ask(hook, input?.sessionID, input, output);
    } catch {
      return {};
    }
    if (reply.throw !== undefined) throw new Error(reply.throw);
    return reply;
  };

  // @TITLE@ shows a prompt that fails as an error of its server, without the reason.
  const show = (error) => {
    const body = { title: "snaphook", message: error.message, variant: "error" };
    Promise.resolve(context?.client?.tui?.showToast?.({ body })).catch(() => {});
    throw error;
  };

  const hooks = {
    "tool.execute.before": async (input, output) => {
      const { args } = await gate("tool.execute.before", input, output);
      if (args === undefined) return;
      // In place: @TITLE@ runs the tool with the very map that it handed over.
      if (!isMap(output.args)) throw new Error("Denied: a hook rewrote an input that cannot be rewritten");
      for (const key of Object.keys(output.args)) {
        if (!Object.hasOwn(args, key) && !delete output.args[key]) throw new Error(`Denied: ${key} cannot be taken out`);
      }
      for (const [key, value] of Object.entries(args)) put(output.args, key, value);
    },

    "tool.execute.after": async (input, output) => {
      const reply = await result("tool.execute.after", input, output);
      for (const [key, value] of Object.entries(reply.output ?? {})) put(output, key, value);
    },

    "chat.message": async (input, output) => {
      await Promise.allSettled([...observed]);
      const { parts, inject } = await gate("chat.message", input, output).catch(show);
      if (parts !== undefined) output.parts.splice(0, output.parts.length, ...parts);
      if (inject !== undefined) {
        const { id, sessionID = input.sessionID } = output.message ?? {};
        const last = output.parts.at(-1)?.id ?? `prt_${(id ?? "").replace(/^msg_/, "")}`;
        output.parts.push({ id: `${last}0`, sessionID, messageID: id, type: "text", text: inject, synthetic: true });
      }
    },

    "experimental.session.compacting": async (input, output) => {
      const { inject } = await view("experimental.session.compacting", input, output);
      if (inject !== undefined && Array.isArray(output?.context)) output.context.push(inject);
    },

    "experimental.text.complete": async (input, output) => {
      await view("experimental.text.complete", input, output);
    },
  };
  for (const name of Object.keys(hooks)) {
    if (!EVENTS.has(name)) delete hooks[name];
  }

  hooks.event = async ({ event }) => {
    if (!isMap(event)) return;
    const properties = event.properties;
    if (isMap(properties) && isText(event.type) && event.type.startsWith("session.")) sessions.note(event);
    if (!EVENTS.has(event.type)) return;
    const session = properties?.sessionID ?? properties?.info?.id;
    const asked = ask("event", session, { event }, {}).catch(() => {});
    observed.add(asked);
    await asked;
    observed.delete(asked);
  };
  return hooks;
};
