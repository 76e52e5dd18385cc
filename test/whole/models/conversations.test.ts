// Conversations over gateways that share no memory: their turns go to any of them, and keep their model.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, asString } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { startUnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { type Asked, looked, post } from "../../selectors/fixture.ts";
import { CODE, TRIVIA } from "../../selectors/sample-cards.ts";
import { ACME_KEY, composeAcme, expectStaying } from "./conversing.ts";

const GATEWAYS = 4;
const CONVERSATIONS = IS_LONG ? 200 : 8;

let gateways: readonly UnderTest[];
let nodes: readonly Asked[];
beforeAll(async () => {
  gateways = await Promise.all(
    Array.from({ length: GATEWAYS }, () => startUnderTest({ more: (url) => `\n${composeAcme(url)}` })),
  );
  nodes = await Promise.all(
    gateways.map(async (gateway) => ({ url: gateway.url, secret: (await gateway.newKey(ACME_KEY)).secret })),
  );
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop())));

test.each(["best", "fair"])("of Router#%s keep it on four gateways as on one", async (selector) => {
  for (const on of [nodes.slice(0, 1), nodes]) await expectStaying(selector, on, CONVERSATIONS);
});

test("say in the log's row why they stay", async () => {
  const [[gateway], [node]] = [gateways, nodes];
  if (gateway === undefined || node === undefined) throw new RangeError("There is no gateway.");
  const messages = [
    { role: "user", content: TRIVIA },
    { role: "assistant", content: "King John." },
    { role: "user", content: CODE },
  ];
  const body = { model: "Router#best", messages };
  const answer = await post(node, "/v1/chat/completions", body);
  expect(answer.headers.get("x-poundkey-model")).toBe("Acme#sage");
  expect(answer.headers.get("x-poundkey-why")).toBe(
    "sage: stays with the conversation, for whose opening it is chosen",
  );
  const row = await looked(gateway, `/requests/${asString(answer.body.id) ?? ""}`);
  expect(asObject(row.decision).stays).toEqual({ because: "opening", cached_tokens: 0, thinking_tokens: 0 });
});
