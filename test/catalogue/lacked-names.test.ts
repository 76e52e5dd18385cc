// Names that the catalogue lacks, as far as it can say that a newer one would have them.
import { expect, test } from "bun:test";
import { addSimulator } from "../../src/app/start/simulated.ts";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { loadText, requireSettings } from "../harness/settings.ts";

test("only a name that an enabled provider's cards lack tells the day of the prices", () => {
  const own = buildCatalogue({
    providers: [{ name: "OpenAI", unlistedModels: false }],
    overlay: [{ id: "OpenAI#gpt-5.4", disabled: true }],
    operatorModels: [],
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

test("where words may follow a listed name, another name is unknown and its neighbours are named", () => {
  const settings = addSimulator(requireSettings(loadText("")), "http://127.0.0.1:9");
  const own = buildCatalogue({ ...settings, aliases: {} });
  for (const name of ["Sim#sim-mini", "Sim#sim-mini~latency=20~pace=4"])
    expect(own.resolve(name)).toMatchObject({ kind: "card", card: { id: name } });
  expect(own.resolve("Sim#sim-mni")).toMatchObject({ kind: "unknown", nearest: ["Sim#sim-mini"] });
  for (const name of ["Sim#sim-mni~latency=20", "Sim#~latency=20", "Sim#gpt-5.4"])
    expect([name, own.resolve(name).kind]).toEqual([name, "unknown"]);
});
