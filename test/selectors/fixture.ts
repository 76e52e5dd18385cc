// A gateway with a provider `Acme` whose models the selectors choose among, and requests to it.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { type Seen, seen } from "../whole/world/observe.ts";

const KINDS = ["math", "coding", "reasoning", "science", "knowledge", "language", "data", "instruction"];
const skillsAt = (level: number) =>
  `{ ${[...KINDS, "tools"].map((kind) => `${kind}: ${level}`).join(", ")} }`;

const ALL = "capabilities: [tools, vision, files, audio, structured]";
const rows: readonly (readonly [name: string, fields: string, skills: number])[] = [
  ["wise", `context: 100000, output: 4096, price: { input: 8, output: 40 }, ${ALL}`, 0.95],
  ["plain", "context: 100000, output: 4096, price: { input: 0.5, output: 2 }, capabilities: []", 0.8],
  ["short", `context: 4000, output: 100, price: { input: 0.4, output: 1 }, ${ALL}`, 0.6],
  ["priceless", `context: 100000, output: 4096, ${ALL}`, 0.99],
  ["denied", `context: 100000, output: 4096, price: { input: 1, output: 1 }, ${ALL}`, 0.99],
  ["broken~trouble=500", "context: 9000, output: 100, price: { input: 9, output: 50 }", 0.7],
];

export const MODELS = rows.map(([name]) => `Acme#${name}`);

/** The first two models can serve any text request. */
export const PAIR = MODELS.slice(0, 2);

function yaml(simulatorUrl: string, more: string): string {
  return `
  Acme:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${simulatorUrl}/openai/v1"
    models:
${rows.map(([name, fields]) => `      - { name: ${name}, ${fields} }`).join("\n")}
models:
${rows.map(([name, , level]) => `  "Acme#${name}": { skills: ${skillsAt(level)}, fallbacks: [${name.startsWith("broken") ? '"Acme#plain"' : ""}] }`).join("\n")}
aliases: { any: "Router#light" }
router: { deny: ["Acme#denied"], pin: { math: "Acme#plain" }, rules: [{ category: language, deny: ["Acme#wise"] }] }
${more}`;
}

export const BODY_LIMIT = 200_000;

export function startRouterFixture(more = ""): Promise<UnderTest> {
  return startUnderTest({ more: (url) => yaml(url, more), server: `body_limit: ${BODY_LIMIT}B` });
}

/** A request body with a text prompt. */
export function worded(selector: string, words = "Which river flows through Prague?", more: JsonObject = {}) {
  return { model: `Router#${selector}`, messages: [{ role: "user", content: words }], ...more };
}

export interface Asking {
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

/** A gateway in this process or another. */
export type Asked = Pick<UnderTest, "url" | "secret">;

/** POSTs to one of the gateway's own routes. */
export async function post(gateway: Asked, path: string, body: unknown, asking: Asking = {}): Promise<Seen> {
  const { secret = gateway.secret, headers = {}, url = gateway.url } = asking;
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return seen(response);
}

export async function routed(gateway: Asked, body: unknown, asking: Asking = {}): Promise<JsonObject> {
  const answer = await post(gateway, "/v1/route", body, asking);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

export function readCandidates(view: JsonObject): readonly JsonObject[] {
  return asArray(view.candidates).filter(isObject);
}

export function candidate(view: JsonObject, model: string): JsonObject {
  return asObject(readCandidates(view).find((one) => one.model === model));
}

/** The reason that removed each of `Acme`'s models, or "" for those that can serve. */
export function removals(view: JsonObject): Readonly<Record<string, string>> {
  const own = readCandidates(view).filter(({ model }) => MODELS.includes(String(model)));
  return Object.fromEntries(
    own.map((one) => [String(one.model).slice("Acme#".length), asString(one.removed_by) ?? ""]),
  );
}

/** GETs a route as an administrator. */
export async function looked(gateway: UnderTest, path: string): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  return asObject(await (await fetch(`${gateway.url}/admin/v1${path}`, { headers })).json());
}
