// Names that every object inherits, as a client's words and fields: tables are never asked for them.
import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { asObject } from "../../../src/core/json/json.ts";
import type { Form } from "../../../src/operations/form.ts";
import { priceCall } from "./pricing.ts";
import { ASKED, type Asked, makeCards, PROVIDER_DIALECTS, type ProviderDialect } from "./subjects.ts";

const INHERITED = ["__proto__", "constructor", "toString"];

/** Fields that take any text, of the schema and beyond it. */
function listTextFields(schema: TSchema): readonly string[] {
  const fields = Object.entries(asObject(schema.properties));
  const texts = fields.filter(([, one]) => asObject(one).type === "string" && !asObject(one).enum);
  return [...texts.map(([field]) => field), "service_tier", "taskType"];
}

function send<F extends Form>(asked: Asked<F>, provider: ProviderDialect, more: object) {
  const names = new Map(makeCards(provider, asked.operation.name).map((card) => [card.name, card]));
  const [body] = asked.bodies;
  return [...names.values()].map((card) => priceCall(asked, { ...body, ...more }, provider, card));
}

/** Returns how often a call holds what only a lookup of an inherited name could have put there. */
function countStrange<F extends Form>(asked: Asked<F>, provider: ProviderDialect): number {
  let strange = 0;
  for (const word of INHERITED) {
    const bodies = [
      ...listTextFields(asked.schema).map((field) => ({ [field]: word })),
      JSON.parse(`{ ${JSON.stringify(word)}: 5 }`),
    ];
    for (const more of bodies) for (const call of send(asked, provider, more)) if (call?.isStrange) strange++;
  }
  return strange;
}

describe.each(ASKED.map((asked, at) => [`${asked.name} (${at})`, asked] as const))("%s", (_name, asked) => {
  test("sends an inherited name as it is, or leaves it out", () => {
    const rows = PROVIDER_DIALECTS.map((provider) => [
      provider.provider,
      asked.use((one) => countStrange(one, provider)),
    ]);
    expect(rows.filter(([, strange]) => strange !== 0)).toEqual([]);
  });
});
