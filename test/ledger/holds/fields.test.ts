// A field that a call doesn't carry changes neither the hold nor the estimates: for each operation, provider and field.
import { describe, expect, test } from "bun:test";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { Form } from "../../../src/operations/form.ts";
import { priceCall } from "./pricing.ts";
import { ASKED, type Asked, makeCards, PROVIDER_DIALECTS, type ProviderDialect } from "./subjects.ts";
import { eachOptional } from "./values.ts";

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
      const plain = priceCall(asked, body, provider, card);
      if (plain === null) continue;
      for (const [field, value] of [...eachOptional(asked.schema), ...asked.extras]) {
        if (field in body) continue;
        const more = priceCall(asked, { ...body, [field]: value }, provider, card);
        if (more === null) continue;
        const where = `${card.id}: ${field} ${JSON.stringify(value).slice(0, 40)}`;
        const isSent = more.sent !== plain.sent;
        if (isSent && more.dropped.includes(field) && !TRANSLATES.has(asked.operation.name))
          wrong.push(`${where} is named as left out, but changes the call`);
        if (
          !isSent &&
          JSON.stringify([more.held, more.estimates]) !== JSON.stringify([plain.held, plain.estimates])
        )
          wrong.push(`${where} isn't sent, but changes the hold or the estimate`);
      }
    }
  }
  return [...new Set(wrong)];
}
