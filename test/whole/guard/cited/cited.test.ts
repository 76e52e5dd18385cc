// Citations under rules that act: what a provider cites of its text with placeholders is cited of what the client reads.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { isObject, type JsonObject, parseJson } from "../../../../src/core/json/json.ts";
import { makeRequest, nameWay, type Way } from "../../../steps/asked.ts";
import { readCited } from "../../../surfaces/cited.ts";
import { type GuardWorld, startGuardWorld } from "../world.ts";
import { type CitingProvider, PAGE, startCitingProvider } from "./citing-provider.ts";

const ADDRESS = "ada.von.lovelace@corp-x.de";
const SHORT = "b@x-corp.de";
const IBAN = "GB82WEST12345698765432";
const PROMPT = `🙂 Ask «${ADDRESS}» or «nobody», pay ${IBAN} «with 🙂 ${SHORT}» or «${IBAN}» and «go», ssn «536904399» <E`;
const CITED = [ADDRESS, "nobody", `with 🙂 ${SHORT}`, "[IBAN]", "go", "[SSN]"];

const PAIRS = [
  ["chat", "Plain", null],
  ["chat", "Items", null],
  ["responses", "Items", "responses"],
  ["responses", "Plain", null],
  ["gemini", "Parts", "gemini"],
  ["gemini", "Items", null],
  ["chat", "Parts", null],
] as const;
const WAYS: readonly Way[] = PAIRS.flatMap(([surface, provider, native]) =>
  [false, true].map((stream) => ({ surface, provider, native, stream })),
);

let provider: CitingProvider;
let own: GuardWorld;
/** Of a key whose answers are masked, too. */
let masked = "";
beforeAll(async () => {
  provider = startCitingProvider();
  const row = (name: string, dialect: string, path: string) =>
    `  ${name}: { dialect: ${dialect}, keys: [k], base_url: "${provider.url}${path}", unlisted_models: true }`;
  own = await startGuardWorld(`${row("Plain", "openai", "/v1")}
${row("Items", "responses", "/v1")}
${row("Parts", "gemini", "/v1beta")}
guard:
  rules:
    - { name: people, detect: [email], action: swap }
    - { name: accounts, detect: [iban, us_ssn], action: mask, at: [answer], keys: [masked] }
`);
  masked = (await own.world.newKey({ name: "masked" })).secret;
});
afterAll(async () => {
  await own.stop();
  await provider.stop();
});

test.each(WAYS.map((way) => [nameWay(way), way] as const))(
  "%s: the same passages are cited",
  async (_name, way) => {
    const { status, text } = await own.post(...makeRequest(way, PROMPT), masked);
    expect([status, text]).toEqual([200, expect.stringContaining("nobody")]);
    const cited = await readCited(way.surface, way.stream ? text : parseBody(text));
    expect(cited.map(({ span }) => span)).toEqual(CITED);
    expect(new Set(cited.map(({ source }) => source))).toEqual(new Set([PAGE.url]));
  },
);

test.each(WAYS.map((way) => [nameWay(way), way] as const))(
  "%s: the tokens of what was changed or held back aren't told",
  async (_name, way) => {
    const listTokens = async (secret?: string) => {
      const { text } = await own.post(...makeRequest(way, PROMPT), secret);
      return [...text.matchAll(/"token":"([^"]*)"/g)].map(([, token = ""]) => token);
    };
    const swapped = await listTokens();
    expect(swapped.filter((token) => token.length > 2 && /EMAIL|[_<>]/.test(token))).toEqual([]);
    if (way.stream && way.native !== null) expect(swapped).toContain("nobod");
    const left = await listTokens(masked);
    expect(left.filter((token) => token.length > 2 && IBAN.includes(token))).toEqual([]);
  },
);

test("a streamed citation is placed like that of the whole response", async () => {
  const way: Way = { surface: "responses", provider: "Items", native: "responses", stream: true };
  const { text } = await own.post(...makeRequest(way, PROMPT), masked);
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => parseBody(data));
  const added = events.flatMap(({ annotation }) => (isObject(annotation) ? [annotation] : []));
  const [part] = events.flatMap(({ type, part: own }) =>
    type === "response.content_part.done" ? [own] : [],
  );
  expect(part).toMatchObject({ annotations: added });
  expect(added).toHaveLength(CITED.length);
});

function parseBody(text: string): JsonObject {
  const body = parseJson(text);
  if (!isObject(body)) throw new Error(`No object: ${text}`);
  return body;
}
