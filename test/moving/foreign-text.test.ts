// Texts of another gateway's files that would do something here: variables, logins, control characters and formulas.
import { expect, test } from "bun:test";
import { parse } from "yaml";
import { formatCsvLine } from "../../src/admin/log/csv.ts";
import { formatCsv as formatRows } from "../../src/cli/log/csv.ts";
import { formatCsv as formatTable } from "../../src/console/parts/csv.ts";
import { writeConfigText } from "../../src/moving/config-text.ts";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { readNewApi } from "../../src/moving/new-api/read.ts";
import { readPortkey } from "../../src/moving/portkey.ts";
import { Report } from "../../src/moving/report.ts";
import { load } from "./places.ts";

const LEAK = `$\{file:/etc/hostname}`;
const HOME = `$\{HOME}`;
const findLine = () => 1;

test("a variable or file that another gateway's file names as a text stays a text", () => {
  const report = new Report();
  const value = parse(`model_list:
  - model_name: leak
    litellm_params:
      model: openai/gpt-x
      api_base: http://10.0.0.1/\${HOME}/v1
      api_key: os.environ/OPENAI_API_KEY
      extra_headers: { X-Leak: "${LEAK}", X-Name: "\${OPENAI_API_KEY}", X-Two: "$\${HOME}" }
`);
  const { config } = readConfig({ value, findLine }, report);
  const [provider] = load(writeConfigText(config)).providers.values();
  expect(provider?.baseUrl).toBe("http://10.0.0.1/$%7BHOME%7D/v1");
  expect(provider?.headers).toMatchObject({ "x-leak": LEAK, "x-two": `$${HOME}` });
  expect(JSON.stringify(provider?.headers)).toContain(`$\{OPENAI_API_KEY}`);
  expect(provider?.credentials[0]?.secret).not.toContain("$");
});

test("so it does in Portkey's configs and new-api's channels", () => {
  const target = { provider: "openai", api_key: "k", custom_host: `https://a.example/${LEAK}/v1` };
  const portkey = readPortkey(
    { value: { targets: [{ ...target, override_params: { model: "m" } }] }, findLine },
    new Report(),
  );
  const channel = { id: 1, type: 1, status: 1, name: "c", key: "k", models: "m", group: "default" };
  const channels = [{ ...channel, base_url: `https://a.example/${LEAK}` }];
  const newApi = readNewApi(
    { tokens: [], users: [], options: [], channels },
    { report: new Report(), nowMs: 0, isFree: true },
  );
  for (const { providers } of [portkey, newApi.config]) {
    const text = JSON.stringify(providers);
    expect(text).toContain(`$${LEAK}`);
    expect(text.replaceAll(`$${LEAK}`, "")).not.toContain("{file");
  }
});

test("name and password in an address are left out, wherever it would be written, and a row says so", () => {
  const report = new Report();
  const value = parse(`model_list:
  - model_name: m
    litellm_params: { model: hosted_vllm/m, api_base: "http://user:hunter2@10.0.0.1:8000/v1", api_key: k }
`);
  const { config } = readConfig({ value, findLine }, report);
  const all = JSON.stringify([config, report.rows, report.variables]);
  expect(all).not.toContain("hunter2");
  expect(all).toContain("http://10.0.0.1:8000/v1");
  const rows = report.rows.filter(({ item }) => item.startsWith("login of "));
  expect(rows.map(({ outcome }) => outcome)).toEqual(["not_taken"]);
});

test("control characters never reach a terminal, and no name has one", () => {
  const report = new Report();
  const value = { model_list: [{ model_name: "a\u001b[2Jb", litellm_params: { model: "openai/gpt-x" } }] };
  const { config } = readConfig({ value, findLine }, report);
  expect(Object.keys(config.aliases)).toEqual([]);
  const shown = report.rows.map(({ item, words }) => `${item} ${words}`).join("\n");
  expect(shown).toContain("a\\x1b[2Jb");
  expect(shown).not.toContain("\u001b");
});

test.each(["＝1+1", "\u200b=1+1", "\u00a0 @sum(1)", "\t1", "\r=1", "-1", "＋1", "\u0000=1"])(
  "%j is no formula in any of the CSV files",
  (text) => {
    expect(formatCsvLine([text]).replaceAll('"', "")).toStartWith("'");
    expect(formatRows([{ text }]).split("\r\n").slice(1).join("\r\n").replaceAll('"', "")).toStartWith("'");
    expect(formatTable([{ text }]).split("\r\n").slice(1).join("\r\n").replaceAll('"', "")).toStartWith("'");
  },
);

test("numbers and plain texts stay as they are", () => {
  expect(formatCsvLine([-1, "Ada", "３", " spaced", "日本"])).toBe("-1,Ada,３, spaced,日本\r\n");
});
