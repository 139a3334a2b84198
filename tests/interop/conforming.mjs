// A server with all that the protocol's conformance suite asks a server for, on the official SDK: over stdio, or with a port as
// its argument over HTTP (0 is any; the address stands on standard error). It is run where the packages are installed.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as t from "@modelcontextprotocol/sdk/types.js";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
const text = (words) => ({ content: [{ type: "text", text: words }] });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
const titled = (prefix, names) => names.map((name, at) => ({ const: `${prefix}${at + 1}`, title: name }));

async function elicit(extra, message, properties, required) {
  const params = { mode: "form", message, requestedSchema: { type: "object", properties, ...(required && { required }) } };
  const result = await extra.sendRequest({ method: "elicitation/create", params }, t.ElicitResultSchema);
  return `action=${result.action}, content=${JSON.stringify(result.content ?? {})}`;
}

const TOOLS = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({
    content: [{ type: "resource", resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." } }],
  }),
  test_multiple_content_types: () => ({
    content: [{ type: "text", text: "Multiple content types test:" }, image,
      { type: "resource", resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' } }],
  }),
  test_tool_with_logging: async (_, extra) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
      await wait();
    }
    return text("logged");
  },
  test_error_handling: () => ({ isError: true, ...text("This tool intentionally returns an error for testing") }),
  test_tool_with_progress: async (_, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      }
      await wait();
    }
    return text("done");
  },
  test_sampling: async ({ prompt }, extra) => {
    const params = { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 };
    const result = await extra.sendRequest({ method: "sampling/createMessage", params }, t.CreateMessageResultSchema);
    return text(`LLM response: ${result.content.text}`);
  },
  test_elicitation: async ({ message }, extra) => {
    const field = (description) => ({ type: "string", description });
    const properties = { username: field("User's response"), email: field("User's email address") };
    return text(`User response: <${await elicit(extra, message, properties, ["username", "email"])}>`);
  },
  test_elicitation_sep1034_defaults: async (_, extra) =>
    text(`Elicitation completed: ${await elicit(extra, "defaults", {
      name: { type: "string", default: "John Doe" }, age: { type: "integer", default: 30 }, score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" }, verified: { type: "boolean", default: true },
    })}`),
  test_elicitation_sep1330_enums: async (_, extra) =>
    text(`Elicitation completed: ${await elicit(extra, "enums", {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: { type: "string", oneOf: titled("value", ["First Option", "Second Option", "Third Option"]) },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: { type: "array", items: { anyOf: titled("value", ["First Choice", "Second Choice", "Third Choice"]) } },
    })}`),
  test_reconnection: async (_, extra) => {
    extra.closeSSEStream?.();
    await wait();
    return text("reconnected");
  },
  json_schema_2020_12_tool: () => text("ok"),
};
const SCHEMAS = {
  test_sampling: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  test_elicitation: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema", type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } }, additionalProperties: false,
  },
};
const user = (...contents) => ({ messages: contents.map((content) => ({ role: "user", content })) });
const argument = (name) => ({ name, description: name, required: true });
const PROMPTS = {
  test_simple_prompt: [[], () => user({ type: "text", text: "This is a simple prompt for testing." })],
  test_prompt_with_arguments: [[argument("arg1"), argument("arg2")],
    ({ arg1, arg2 }) => user({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
  test_prompt_with_embedded_resource: [[argument("resourceUri")], ({ resourceUri }) =>
    user({ type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." } },
      { type: "text", text: "Please process the embedded resource above." })],
  test_prompt_with_image: [[], () => user(image, { type: "text", text: "Please analyze the image above." })],
};
const RESOURCES = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "watched" },
};

function made() {
  const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} };
  const server = new Server({ name: "conforming", version: "1" }, { capabilities });
  const on = (schema, does) => server.setRequestHandler(schema, does);
  on(t.ListToolsRequestSchema, () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, description: name, inputSchema: SCHEMAS[name] ?? { type: "object" } })),
  }));
  on(t.CallToolRequestSchema, ({ params }, extra) => {
    const tool = TOOLS[params.name];
    if (!tool) throw new t.McpError(t.ErrorCode.InvalidParams, `no tool ${params.name}`);
    return tool(params.arguments ?? {}, extra);
  });
  on(t.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(PROMPTS).map(([name, [args]]) => ({ name, description: name, arguments: args })),
  }));
  on(t.GetPromptRequestSchema, ({ params }) => PROMPTS[params.name][1](params.arguments ?? {}));
  on(t.ListResourcesRequestSchema, () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, description: uri, mimeType })),
  }));
  on(t.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", description: "template", mimeType: "application/json" }],
  }));
  on(t.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(.*)\/data$/.exec(uri)?.[1];
    const data = id && { mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
    return { contents: [{ uri, ...(data ?? RESOURCES[uri]) }] };
  });
  for (const schema of [t.SubscribeRequestSchema, t.UnsubscribeRequestSchema, t.SetLevelRequestSchema]) on(schema, () => ({}));
  on(t.CompleteRequestSchema, () => ({ completion: { values: ["paris", "park", "party"], total: 3, hasMore: false } }));
  return server;
}

class Events {
  kept = [];
  async storeEvent(stream, message) {
    this.kept.push({ stream, message });
    return String(this.kept.length);
  }
  async replayEventsAfter(last, { send }) {
    const { stream } = this.kept[Number(last) - 1];
    for (let at = Number(last); at < this.kept.length; at++) {
      if (this.kept[at].stream === stream && Object.keys(this.kept[at].message).length) await send(String(at + 1), this.kept[at].message);
    }
    return stream;
  }
}

if (process.argv[2] === undefined) {
  await made().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    let transport = sessions.get(id);
    if (id && !transport) return response.writeHead(404).end();
    if (!transport) {
      const { port } = http.address();
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID, eventStore: new Events(), retryInterval: 500, enableDnsRebindingProtection: true,
        allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`], onsessioninitialized: (made) => sessions.set(made, transport),
      });
      await made().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(Number(process.argv[2]), "127.0.0.1", () => console.error(`http://127.0.0.1:${http.address().port}/mcp`));
}
