// Every route for key holders, with a request that makes a provider work.

import { makeWavFile } from "../operations/sound/files.ts";
import { REGISTERED } from "../whole/world/registered.ts";
import { asking } from "../whole/world/world.ts";

/** A client's request to a route with a body. */
export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  readonly more: Readonly<Record<string, unknown>>;
}

export interface AttackedRoute {
  /** The path as registered. */
  readonly route: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** The path as requested, its wildcard filled in. `{model}` is replaced by the requested model, and so are its parts. */
  readonly path: string;
  /** JSON, or a form. Null if there is no body. */
  readonly body: ((asked: Asked) => unknown) | null;
  /** True if a provider may be called. */
  readonly calls: boolean;
}

const chat = ({ model, stream, more }: Asked) => asking(model, "say: a b c", { stream, ...more });
const message = (asked: Asked) => ({ ...chat(asked), max_tokens: 100 });
const response = ({ model, stream }: Asked) => ({ model, stream, input: "say: a b c" });
const interaction = ({ model, stream }: Asked) => ({ model, stream, input: "say: a b c" });
const embeddings = ({ model }: Asked) => ({ model, input: ["a b c", "d"] });
const rerank = ({ model }: Asked) => ({ model, query: "a", documents: ["a b c", "d"] });
const moderation = ({ model }: Asked) => ({ model, input: "a b c" });
const completion = ({ model, stream, more }: Asked) => ({ model, stream, prompt: "a b c", ...more });
const picture = ({ model, more }: Asked) => ({ model, prompt: "a b c", ...more });
const edit = (asked: Asked) => ({
  ...picture(asked),
  images: [{ image_url: "https://pictures.example/1.png" }],
});
const speech = ({ model }: Asked) => ({ model, input: "a b c", voice: "nova" });
/** Half a second of silence, as a form. */
function transcription({ model, stream }: Asked): FormData {
  const form = new FormData();
  const sound = makeWavFile({ channels: 1, rate: 8000, bits: 8, data: [4000] });
  form.set("model", model);
  if (stream) form.set("stream", "true");
  form.set("file", new File([new Uint8Array(sound)], "a.wav", { type: "audio/wav" }));
  return form;
}
function upload(): FormData {
  const form = new FormData();
  form.set("purpose", "user_data");
  form.set("file", new File(["a b c"], "a.txt", { type: "text/plain" }));
  return form;
}
/** No file has that id, so that no batch is made. */
const batch = () => ({
  input_file_id: "file-none",
  endpoint: "/v1/chat/completions",
  completion_window: "24h",
});
const generate = () => ({ contents: [{ role: "user", parts: [{ text: "say: a b c" }] }] });
const get = (route: string, path = route): AttackedRoute => ({
  route,
  method: "GET",
  path,
  body: null,
  calls: false,
});

export const ATTACKED_ROUTES: readonly AttackedRoute[] = [
  { route: "/v1/chat/completions", method: "POST", path: "/v1/chat/completions", body: chat, calls: true },
  { route: "/chat/completions", method: "POST", path: "/chat/completions", body: chat, calls: true },
  ...["/v1/messages", "/v1/v1/messages", "/messages", "/anthropic/v1/messages"].map(
    (path): AttackedRoute => ({ route: path, method: "POST", path, body: message, calls: true }),
  ),
  ...["/v1/responses", "/responses"].map(
    (path): AttackedRoute => ({ route: path, method: "POST", path, body: response, calls: true }),
  ),
  ...["/v1/interactions", "/v1beta/interactions"].flatMap((path): readonly AttackedRoute[] => [
    { route: path, method: "POST", path, body: interaction, calls: true },
    get(`${path}/:id`, `${path}/int_1`),
    {
      route: `${path}/:id/cancel`,
      method: "POST",
      path: `${path}/int_1/cancel`,
      body: () => ({}),
      calls: false,
    },
  ]),
  {
    route: "/v1beta/models/*",
    method: "POST",
    path: "/v1beta/models/{model}:generateContent",
    body: generate,
    calls: true,
  },
  {
    route: "/v1beta/:provider/*",
    method: "POST",
    path: "/v1beta/{provider}/{name}:generateContent",
    body: generate,
    calls: true,
  },
  {
    route: "/v1/messages/count_tokens",
    method: "POST",
    path: "/v1/messages/count_tokens",
    body: message,
    calls: false,
  },
  {
    route: "/v1/responses/compact",
    method: "POST",
    path: "/v1/responses/compact",
    body: response,
    calls: true,
  },
  {
    route: "/v1/responses/input_tokens",
    method: "POST",
    path: "/v1/responses/input_tokens",
    body: response,
    calls: false,
  },
  ...["/v1/embeddings", "/embeddings"].map(
    (path): AttackedRoute => ({ route: path, method: "POST", path, body: embeddings, calls: true }),
  ),
  ...["/v1/rerank", "/v2/rerank", "/rerank"].map(
    (path): AttackedRoute => ({ route: path, method: "POST", path, body: rerank, calls: true }),
  ),
  ...["/v1/audio/transcriptions", "/v1/audio/translations"].map(
    (path): AttackedRoute => ({ route: path, method: "POST", path, body: transcription, calls: true }),
  ),
  { route: "/v1/completions", method: "POST", path: "/v1/completions", body: completion, calls: true },
  {
    route: "/v1/images/generations",
    method: "POST",
    path: "/v1/images/generations",
    body: picture,
    calls: true,
  },
  { route: "/v1/images/edits", method: "POST", path: "/v1/images/edits", body: edit, calls: true },
  { route: "/v1/audio/speech", method: "POST", path: "/v1/audio/speech", body: speech, calls: true },
  { route: "/v1/moderations", method: "POST", path: "/v1/moderations", body: moderation, calls: true },
  get("/v1/responses/:id", "/v1/responses/resp_1"),
  get("/v1/responses/:id/input_items", "/v1/responses/resp_1/input_items"),
  get("/v1beta/models"),
  { route: "/v1/files", method: "POST", path: "/v1/files", body: upload, calls: false },
  ...["/v1/batches", "/v1/messages/batches"].flatMap((path): readonly AttackedRoute[] => [
    { route: path, method: "POST", path, body: batch, calls: false },
    get(path),
    get(`${path}/:id`, `${path}/batch_1`),
    { route: `${path}/:id/cancel`, method: "POST", path: `${path}/batch_1/cancel`, body: null, calls: false },
  ]),
  get("/v1/messages/batches/:id/results", "/v1/messages/batches/batch_1/results"),
  get("/v1/files"),
  get("/v1/files/:id", "/v1/files/file-1"),
  get("/v1/files/:id/content", "/v1/files/file-1/content"),
  {
    route: "/v1/route",
    method: "POST",
    path: "/v1/route",
    body: (asked) => chat({ ...asked, model: "Router#light" }),
    calls: false,
  },
  {
    route: "/v1/feedback",
    method: "POST",
    path: "/v1/feedback",
    body: () => ({ id: "chatcmpl-none", score: 1 }),
    calls: false,
  },
  ...["/v1/metrics", "/v1/logs", "/v1/traces"].map(
    (path): AttackedRoute => ({
      route: path,
      method: "POST",
      path,
      calls: false,
      body: () => ({ resourceLogs: [] }),
    }),
  ),
  ...["/mcp", "/mcp/:server"].flatMap((route): readonly AttackedRoute[] => {
    const path = route.replace(":server", "github");
    const body = () => ({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    return [
      { route, method: "POST", path, body, calls: false },
      get(route, path),
      { route, method: "DELETE", path, body: null, calls: false },
    ];
  }),
  get("/v1/models"),
  get("/models"),
  get("/v1/models/*", "/v1/models/Router%23best"),
  get("/models/*", "/models/Router%23best"),
  get("/model/info"),
  get("/v1/model/info"),
  get("/v1/key"),
  get("/managed/settings"),
];

/** Routes without a key: the operator's and the public ones. */
const NOBODYS =
  /^\/(admin\/|hooks\/|auth\/oidc(\/|$)|oauth\/|device$|\.well-known\/|console\/|docs(\/|$)|$|(healthz|readyz|health\/(liveliness|liveness|readiness)|metrics|config\.schema\.json|openapi\.json|llms(-full)?\.txt)$)/;

/** The gateway's routes for key holders that are missing in the table. */
export function routesWithoutRow(): readonly string[] {
  const known = new Set(ATTACKED_ROUTES.map(({ route }) => route));
  return REGISTERED.map(({ path }) => path).filter((path) => !NOBODYS.test(path) && !known.has(path));
}
