// A field that a call doesn't carry changes neither the hold nor the estimates: for each operation, provider and field.
import { describe, expect, test } from "bun:test";
import type { ModelCard } from "../../src/core/card.ts";
import { Fault } from "../../src/core/fault.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { fitAsk, makeOffers } from "../../src/gateway/fitted.ts";
import { makeUpstream } from "../../src/gateway/upstream.ts";
import { computeHoldTerms } from "../../src/ledger/worst.ts";
import type { Form } from "../../src/operations/form.ts";
import {
  ASKED,
  type Asked,
  makeCards,
  PLAIN_SETUP,
  PROVIDER_DIALECTS,
  type ProviderDialect,
} from "./subjects.ts";
import { eachOptional } from "./values.ts";

const ENOUGH = { nanoUsd: Number.MAX_SAFE_INTEGER, unnamedNanoUsd: Number.MAX_SAFE_INTEGER };
/** The sizes of an answer at which its provider reports nothing. */
const SEEN_BYTES = [0, 4000];

/** Returns what is sent for a request and what it is held and estimated at. Null if it is refused. */
function price<F extends Form>(
  { operation, read }: Asked<F>,
  body: JsonObject,
  { provider, baseUrl, dialect }: ProviderDialect,
  card: ModelCard,
) {
  const codec = operation.findCodec(dialect);
  if (!codec) return null;
  const upstream = makeUpstream({ ...PLAIN_SETUP, name: provider, baseUrl }, [dialect]);
  const target = { baseUrl, secret: "s", headers: {} };
  try {
    const ask = read(body);
    const { url, body: sent, form, dropped } = operation.encode(codec, ask, card, target);
    const call = { operation, upstreams: new Map([[provider, upstream]]), raw: null, ask };
    const terms = { isLimitRequired: false, searches: 0, unreadBytes: 0 };
    const fitted = fitAsk(call, ask, card);
    const estimate = (bytes: number) =>
      operation.estimate({ ask: fitted, calls: 1, unreadBytes: 0 }, bytes, null);
    const counts = SEEN_BYTES.map((bytes) => operation.countAmounts(estimate(bytes)));
    return {
      sent: JSON.stringify([url, sent, form]),
      dropped,
      held: [computeHoldTerms(makeOffers({ ...call, ...terms }, [card]), ENOUGH, 1), counts],
    };
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

const spoken = PROVIDER_DIALECTS.flatMap((provider) =>
  ASKED.map((asked) => ({ provider, asked })).filter(({ asked }) =>
    asked.use(({ operation }) => operation.findCodec(provider.dialect) !== null),
  ),
);

/** Fields of chat are also translated, for instance into an instruction: they change the call, and are named. */
const TRANSLATES = new Set(["chat"]);

describe.each(
  spoken.map(
    (row) => [`${row.provider.provider} (${row.provider.dialect.name})`, row.asked.name, row] as const,
  ),
)("%s, %s", (_provider, _surface, { provider, asked }) => {
  test("what isn't sent isn't held or estimated", () => {
    const wrong = asked.use((one) => listWrong(one, provider, makeCards(provider, asked.operation)));
    expect(wrong).toEqual([]);
  });
});

function listWrong<F extends Form>(
  asked: Asked<F>,
  provider: ProviderDialect,
  cards: readonly ModelCard[],
): readonly string[] {
  const wrong: string[] = [];
  for (const card of cards) {
    for (const body of asked.bodies) {
      const plain = price(asked, body, provider, card);
      if (plain === null) continue;
      for (const [field, value] of [...eachOptional(asked.schema), ...asked.extras]) {
        if (field in body) continue;
        const more = price(asked, { ...body, [field]: value }, provider, card);
        if (more === null) continue;
        const where = `${card.id}: ${field} ${JSON.stringify(value).slice(0, 40)}`;
        const isSent = more.sent !== plain.sent;
        if (isSent && more.dropped.includes(field) && !TRANSLATES.has(asked.operation.name))
          wrong.push(`${where} is named as left out, but changes the call`);
        if (!isSent && JSON.stringify(more.held) !== JSON.stringify(plain.held))
          wrong.push(`${where} isn't sent, but changes the hold or the estimate`);
      }
    }
  }
  return [...new Set(wrong)];
}
