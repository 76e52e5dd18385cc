// A server whose template refuses late system messages, and which reports that as a failure.
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { REFUSAL_SENTENCES } from "../../../src/core/models/words/refusal.ts";
import { readText } from "./serve.ts";

/** With a status of failures, as llama.cpp and Ollama, or in a stream, as LM Studio. */
export async function answerGuarded(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, stream } = asObject(parseJson(await readText(request)));
  const isLate = asArray(messages).some((one, at) => at > 0 && asObject(one).role === "system");
  const says = REFUSAL_SENTENCES[0]?.says;
  if (stream) {
    const template = { error: { message: `Error rendering prompt with jinja template: "${says}".` } };
    const said = { id: "1", choices: [{ index: 0, delta: { content: "good day" }, finish_reason: "stop" }] };
    const events = isLate
      ? `event: error\ndata: ${JSON.stringify(template)}`
      : `data: ${JSON.stringify(said)}`;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`${events}\n\ndata: [DONE]\n\n`);
    return;
  }
  const words = `While executing CallExpression at line 85:\nError: Jinja Exception: ${says}`;
  const choices = [{ index: 0, message: { role: "assistant", content: "good day" }, finish_reason: "stop" }];
  const body = isLate
    ? { error: { code: 500, message: words, type: "server_error" } }
    : { id: "1", object: "chat.completion", created: 1, model: "m", choices };
  response.writeHead(isLate ? 500 : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
