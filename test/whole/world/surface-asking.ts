// One request at each chat surface of a gateway, whole or streamed, with what the simulated provider got of it.
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import type { SurfaceKey } from "../../surfaces/crossing/crossing.ts";

export interface SurfaceAnswer {
  readonly status: number;
  readonly text: string;
  readonly dropped: string | null;
  /** The last body that a provider got. */
  readonly sent: JsonObject;
}

/** With interactions, whose requests most tables of the four others have no row for. */
export type AskedSurface = SurfaceKey | "interactions";

interface Asking {
  readonly surface: AskedSurface;
  readonly model: string;
  /** Without the model. */
  readonly body: JsonObject;
  readonly stream: boolean;
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

function makeRequest({ surface, model, body, stream }: Asking): readonly [path: string, body: JsonObject] {
  switch (surface) {
    case "chat":
      return ["/v1/chat/completions", { model, stream, ...body }];
    case "messages":
      return ["/v1/messages", { model, stream, max_tokens: 500, ...body }];
    case "responses":
      return ["/v1/responses", { model, stream, ...body }];
    case "interactions":
      return ["/v1/interactions", { model, stream, store: false, ...body }];
    case "gemini": {
      const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      return [`/v1beta/models/${encodeURIComponent(model)}:${verb}`, body];
    }
  }
}

export async function askSurface(under: UnderTest, asking: Asking): Promise<SurfaceAnswer> {
  const [path, body] = makeRequest(asking);
  const own = { authorization: `Bearer ${under.secret}`, "content-type": "application/json" };
  const headers = { ...asking.headers, ...own };
  const answered = await fetch(under.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answered.text();
  return {
    status: answered.status,
    text,
    dropped: answered.headers.get("x-poundkey-dropped"),
    sent: asObject(under.simulator.calls.last()?.body),
  };
}
