// Three of four providers accept no connections: the fourth answers everything from the first request on.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { deadAddresses } from "../world/dead-address.ts";
import { seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { asking } from "../world/world.ts";

const REQUESTS = 150;
const NAMES = Array.from({ length: 12 }, (_, at) => `m-${at}`);
const SELECTORS = ["Router#light", "Router#fair", "Router#best"];
const DEAD = ["DeadA", "DeadB", "DeadC"];
const LONG_MS = 60_000;

function modelsOf(usd: number): string {
  return NAMES.map(
    (name) => `{ name: ${name}, context: 8192, output: 1024, price: { input: ${usd}, output: ${usd} } }`,
  ).join(", ");
}

/** More expensive models count as better and slower, so the selector's favourites are all at dead providers. */
async function start(model: string): Promise<UnderTest> {
  const [deadUsd, aliveUsd] = model === "Router#light" ? [0.1, 9] : [9, 0.1];
  const dead = await deadAddresses(DEAD.length);
  const row = (name: string, url: string, usd: number, keys: string) =>
    `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${url}", models: [${modelsOf(usd)}] }`;
  return startUnderTest({
    more: (url) =>
      [
        ...DEAD.map((name, at) => row(name, dead[at] ?? "", deadUsd + at / 100, `${name}-1, ${name}-2`)),
        row("Alive", `${url}/openai/v1`, aliveUsd, "sim-key"),
        "models:",
        `  "DeadA#m-0": { fallbacks: ["DeadA#m-1", "DeadB#m-0", "DeadB#m-1", "DeadC#m-0", "Alive#m-0"] }`,
      ].join("\n"),
  });
}

describe.each([...SELECTORS, "DeadA#m-0"])("%s", (model) => {
  let gateway: UnderTest;
  let secret: string;
  beforeAll(async () => {
    gateway = await start(model);
    // The harness has other providers that would do as well.
    const allowed = [...DEAD, "Alive"].flatMap((name) => NAMES.map((one) => `${name}#${one}`));
    ({ secret } = await gateway.newKey({
      requests_per_day: null,
      allowed_models: [...SELECTORS, ...allowed],
    }));
  });
  afterAll(() => gateway.stop());

  test(
    "every request is answered by the provider that is up",
    async () => {
      const statuses: Record<string, number> = {};
      let most = 0;
      for (let at = 0; at < REQUESTS; at++) {
        const answer = await seen(
          await gateway.chat(asking(model, `say: ${at}`, { stream: at % 2 === 0 }), { secret }),
        );
        const by = answer.headers.get("x-poundkey-model")?.split("#")[0];
        statuses[`${answer.status} ${by}`] = (statuses[`${answer.status} ${by}`] ?? 0) + 1;
        most = Math.max(most, Number(answer.headers.get("x-poundkey-attempts")));
      }
      expect(statuses).toEqual({ "200 Alive": REQUESTS });
      // The request that met them all tried each address once.
      expect(most).toBe(4);
    },
    LONG_MS,
  );

  test("providers that are down are reported as such once called often enough, and others are not", async () => {
    const { body } = await createOperator(gateway).get("/providers");
    const rows = asArray(body.data).map(asObject);
    const breakers = DEAD.map((name) => rows.find((row) => row.name === name)?.breaker);
    // Light stays with what it has seen to be fast and doesn't try the others again.
    if (model === "Router#light") expect(new Set(breakers)).toEqual(new Set(["closed"]));
    else expect(breakers).not.toContain("closed");
    expect(rows.find(({ name }) => name === "Alive")).toMatchObject({ breaker: "closed", error_rate: 0 });
  });
});
