// Commands in the containers of the Compose samples: where they run, and how the documents call them.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, asString } from "../../src/core/json/json.ts";
import { DEPLOY } from "./files.ts";

const textOf = (...path: readonly string[]) => readFileSync(join(DEPLOY, ...path), "utf8");

const servicesOf = (place: string) =>
  asObject(asObject(Bun.YAML.parse(textOf("compose", place, "compose.yaml"))).services);
const gatewaysOf = (place: string) =>
  Object.entries(servicesOf(place)).filter(([name]) => name.startsWith("poundkey"));

test("commands in a container of a gateway find its configuration and its store", () => {
  for (const place of ["one", "nodes"]) {
    const gateways = gatewaysOf(place).map(([, service]) => asObject(service));
    expect(gateways.length).toBeGreaterThan(0);
    for (const { command, working_dir, volumes, environment, healthcheck } of gateways) {
      expect(asArray(command)).toContain(`${working_dir}/poundkey.yaml`);
      expect(asArray(volumes)).toContain(`./config:${working_dir}:ro`);
      const store = asString(asObject(environment).POUNDKEY_STORE) ?? "";
      expect(store).toMatch(place === "one" ? /^sqlite:\/data\// : /^postgres:/);
      // A health check isn't to fail while the file is being changed.
      expect(asArray(asObject(healthcheck).test)).toContain("--url");
    }
  }
});

test("the documents' commands run in services that there are, and none writes over what was filled in", () => {
  const names = ["one", "nodes"].flatMap((place) => Object.keys(servicesOf(place)));
  const manual = readFileSync(join(DEPLOY, "..", "docs", "fifty-people.md"), "utf8");
  for (const text of [manual, textOf("README.md")]) {
    const commands = [...text.matchAll(/docker compose exec (\S+) poundkey/g)].map(([, name = ""]) => name);
    expect(commands).toEqual(expect.arrayContaining(["poundkey", "poundkey-a"]));
    expect(commands.filter((name) => !names.includes(name))).toEqual([]);
    const [before = "", after = ""] = text.split("cp env.example .env\n");
    expect([before, after].map((part) => /Fill in [^:]*`\.env`/.test(part))).toEqual([false, true]);
  }
});
