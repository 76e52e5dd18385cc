// Every route of files and batches, in both forms, by everybody who might ask: only an owner finds anything, in the form in which it
// was made, and nobody else changes it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { PEOPLE } from "../../people/samples.ts";
import { signInAs } from "../../people/signed-in.ts";
import { type HttpWorld, startHttpWorld } from "../../whole/world/world.ts";

const FORMS = ["openai", "anthropic"] as const;
type Form = (typeof FORMS)[number];
const OWNERS = ["service", "personal"] as const;
type Owner = (typeof OWNERS)[number];
/** Those who ask, and the owner whose things they see. */
const ASKERS = {
  service: "service",
  colleague: "service",
  personal: "personal",
  "another person": null,
  "another account": null,
} as const satisfies Readonly<Record<string, Owner | null>>;
type Asker = keyof typeof ASKERS;

const HEADERS: Readonly<Record<Form, Record<string, string>>> = {
  openai: {},
  anthropic: { "anthropic-version": "2023-06-01" },
};
const HELLO = { model: "OpenAI#gpt-5.4~latency=600000", messages: [{ role: "user", content: "hi" }] };
const LINE = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body: HELLO };

interface Things {
  readonly file: string;
  readonly batch: string;
}

let world: HttpWorld;
let opened: OpenedStore;
const secrets = new Map<Asker, string>();
const things = new Map<string, Things>();

beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  const team = await world.newAccount("Team");
  const other = await world.newAccount("Other");
  const service = async (account: string) =>
    (await world.newKey({ account_id: account, requests_per_day: null })).secret;
  const personal = async (id: string) => {
    const ask = await signInAs({ url: world.url, opened }, id, [{ role: "member", accountId: team }]);
    return String((await ask("POST", "/keys", { name: "own" })).body.secret);
  };
  secrets.set("service", await service(team));
  secrets.set("colleague", await service(team));
  secrets.set("personal", await personal("mem_ann"));
  secrets.set("another person", await personal("mem_bob"));
  secrets.set("another account", await service(other));
  for (const owner of OWNERS)
    for (const form of FORMS) things.set(`${owner} ${form}`, await make(owner, form));
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

async function ask(
  asker: Asker,
  form: Form,
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${secrets.get(asker)}`,
    ...HEADERS[form],
    ...asObject(init.headers),
  };
  const response = await fetch(`${world.url}${path}`, { ...init, method, headers: headers as HeadersInit });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? asObject(JSON.parse(text)) : { text } };
}

async function make(owner: Owner, form: Form): Promise<Things> {
  const body = new FormData();
  if (form === "openai") body.set("purpose", "batch");
  body.set("file", new File([JSON.stringify(LINE)], "lines.jsonl"));
  const file = String((await ask(owner, form, "POST", "/v1/files", { body })).body.id);
  const order =
    form === "openai"
      ? { input_file_id: file, endpoint: "/v1/chat/completions", completion_window: "24h" }
      : { requests: [{ custom_id: "a", params: { ...HELLO, max_tokens: 9 } }] };
  const path = form === "openai" ? "/v1/batches" : "/v1/messages/batches";
  const sent = { body: JSON.stringify(order), headers: { "content-type": "application/json" } };
  const made = await ask(owner, form, "POST", path, sent);
  expect([owner, form, made.status]).toEqual([owner, form, 200]);
  return { file, batch: String(made.body.id) };
}

/** The routes of one thing, with the status for its owner. Those that change it come last. */
function listRoutes(form: Form, { file, batch }: Things): readonly (readonly [string, string, number])[] {
  const files = [
    ["GET", `/v1/files/${file}`, 200],
    ["GET", `/v1/files/${file}/content`, 200],
  ] as const;
  const batches = form === "openai" ? "/v1/batches" : "/v1/messages/batches";
  const own = [["GET", `${batches}/${batch}`, 200]] as const;
  const last = [
    // A batch that hasn't ended reads the file of OpenAI's form.
    ["DELETE", `/v1/files/${file}`, form === "openai" ? 409 : 200],
    ["POST", `${batches}/${batch}/cancel`, 200],
  ] as const;
  if (form === "openai") return [...files, ...own, ...last];
  const theirs = [
    ["GET", `${batches}/${batch}/results`, 404],
    ["DELETE", `${batches}/${batch}`, 400],
  ] as const;
  return [...files, ...own, ...theirs, ...last];
}

const LISTS: Readonly<Record<Form, readonly string[]>> = {
  openai: ["/v1/files", "/v1/batches"],
  anthropic: ["/v1/files", "/v1/messages/batches"],
};

const cases = OWNERS.flatMap((owner) =>
  FORMS.flatMap((form) =>
    (Object.keys(ASKERS) as Asker[])
      .filter((asker) => ASKERS[asker] !== owner)
      .map((asker) => [owner, form, asker] as const),
  ),
);

test.each(cases)("the %s owner's things in %s's form don't exist for %s", async (owner, form, asker) => {
  const own = things.get(`${owner} ${form}`) ?? { file: "", batch: "" };
  for (const [method, path] of listRoutes(form, own)) {
    const { status, body } = await ask(asker, form, method, path);
    const error = asObject(body.error);
    expect([method, path, status]).toEqual([method, path, 404]);
    expect(form === "openai" ? error.code : error.type).toMatch(/not_found/);
    expect(body.type).toBe(form === "openai" ? undefined : "error");
  }
  for (const path of LISTS[form]) {
    const { body } = await ask(asker, form, "GET", path);
    const ids = asArray(body.data).map((one) => asObject(one).id);
    expect([path, ids.includes(own.file) || ids.includes(own.batch)]).toEqual([path, false]);
  }
});

test.each([
  ["anthropic-version", "2023-06-01", /at \/v1\/messages\/batches/],
  ["x-goog-api-key", "any", /not served here.*\/v1\/batches/],
] as const)("with %s, /v1/batches has nothing, and says where batches are", async (name, value, where) => {
  const { batch } = things.get("service openai") ?? { batch: "" };
  const headers = { [name]: value };
  for (const path of ["/v1/batches", `/v1/batches/${batch}`]) {
    const { status, body } = await ask("service", "openai", "GET", path, { headers });
    expect([path, status]).toEqual([path, 404]);
    expect(String(asObject(body.error).message)).toMatch(where);
  }
});

test.each(OWNERS.flatMap((owner) => FORMS.map((form) => [owner, form] as const)))(
  "the %s owner's things in %s's form are there in no other form, and after all that",
  async (owner, form) => {
    const own = things.get(`${owner} ${form}`) ?? { file: "", batch: "" };
    const foreign = form === "openai" ? "anthropic" : "openai";
    for (const [method, path] of listRoutes(foreign, own))
      expect([method, path, (await ask(owner, foreign, method, path)).status]).toEqual([method, path, 404]);
    const asker = owner === "service" ? "colleague" : owner;
    for (const path of LISTS[form]) {
      const { body } = await ask(asker, form, "GET", path);
      expect(asArray(body.data).length).toBeGreaterThan(0);
    }
    for (const [method, path, expected] of listRoutes(form, own))
      expect([method, path, (await ask(asker, form, method, path)).status]).toEqual([method, path, expected]);
  },
);
