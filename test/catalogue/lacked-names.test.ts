// Names that the catalogue lacks, as far as it can say that a newer one would have them.
import { expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";

test("only a name that an enabled provider's cards lack tells the day of the prices", () => {
  const own = buildCatalogue({
    providers: [{ name: "OpenAI", unlistedModels: false }],
    overlay: [{ id: "OpenAI#gpt-5.4", disabled: true }],
    ownModels: [],
    aliases: {},
    catalogueAsOf: "2030-01-02",
  });
  const lackedOn = (text: string) => {
    const found = own.resolve(text);
    return found.kind === "unknown" ? found.lackedOn : found.kind;
  };
  expect(["OpenAI#gpt-99", "openai/gpt-99"].map(lackedOn)).toEqual(["2030-01-02", "2030-01-02"]);
  const others = ["OpenAI#gpt-5.4", "xAI#grok-99", "gpt-99", "OpenAI#gpt 99", "Router#fastest"];
  expect(others.map(lackedOn)).toEqual(others.map(() => undefined));
});
