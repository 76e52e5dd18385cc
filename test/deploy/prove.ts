// Proves the dashboards and alert rules on a real Prometheus, over a made day: `bun test/deploy/prove.ts [FOLDER]`.
//
// FOLDER has `prometheus` and `promtool`, as in Debian's package `prometheus`; without it, they must be on PATH. Exits with 1
// if a panel shows nothing, an alert is silent in its incident or speaks in the quiet hours, or `promtool` refuses a rule.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { until } from "../whole/world/until.ts";
import { DAY, writeDay } from "./day.ts";
import { DEPLOY, listPanels, readAlerts } from "./files.ts";

const STEP_S = 60;
const START_MS = 60_000;
const PORT = 19_390;
const [, , folder = ""] = process.argv;
const command = (name: string) => (folder === "" ? name : join(folder, name));

/** The values that Grafana puts in for its variables. */
function fillVariables(query: string): string {
  return query.replaceAll("$__rate_interval", "5m").replace(/\$\w+/g, ".*");
}

function run(name: string, ...args: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([command(name), ...args], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = `${stdout}${stderr}`.trim();
  if (exitCode !== 0) throw new Error(`${name} ${args.join(" ")}: ${said}`);
  return said;
}

/** Returns the number of values that the query has between the times, each a number. */
async function countValues(query: string, fromS: number, toS: number): Promise<number> {
  const asked = new URLSearchParams({ query, start: String(fromS), end: String(toS), step: String(STEP_S) });
  const response = await fetch(`http://127.0.0.1:${PORT}/api/v1/query_range?${asked}`);
  const body = asObject(parseJson(await response.text()));
  if (body.status !== "success") throw new Error(`${query}: ${String(body.error)}`);
  return asArray(asObject(body.data).result)
    .flatMap((series) => asArray(asObject(series).values))
    .filter((pair) => Number.isFinite(Number(asArray(pair)[1]))).length;
}

async function findFailures(): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { board, title, queries } of listPanels()) {
    for (const query of queries) {
      const values = await countValues(fillVariables(query), DAY.fromS, DAY.toS);
      if (values === 0) failures.push(`${board}, ${title}: shows nothing: ${query}`);
    }
  }
  for (const { name, query } of readAlerts()) {
    if ((await countValues(query, DAY.quietFromS, DAY.quietToS)) > 0)
      failures.push(`${name} speaks in a quiet hour`);
    if ((await countValues(query, DAY.fromS, DAY.toS)) === 0)
      failures.push(`${name} is silent in its incident`);
  }
  return failures;
}

async function prove(directory: string): Promise<readonly string[]> {
  const [day, data, config] = ["day.om", "data", "prometheus.yml"].map((name) => join(directory, name));
  if (!day || !data || !config) throw new Error("there are three paths");
  run("promtool", "check", "rules", join(DEPLOY, "alerts.yaml"));
  run("promtool", "test", "rules", join(import.meta.dir, "alerts.test.yaml"));
  writeFileSync(day, writeDay());
  run("promtool", "tsdb", "create-blocks-from", "openmetrics", day, data);
  writeFileSync(config, "global: { scrape_interval: 1m }\n");
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${data}`,
    "--storage.tsdb.retention.time=100y",
    `--web.listen-address=127.0.0.1:${PORT}`,
  ];
  const server = Bun.spawn([command("prometheus"), ...flags], { stdout: "ignore", stderr: "ignore" });
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${PORT}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until("Prometheus is ready", isReady, START_MS);
    return await findFailures();
  } finally {
    server.kill();
    await server.exited;
  }
}

const directory = mkdtempSync(join(tmpdir(), "poundkey-prometheus-"));
try {
  const failures = await prove(directory);
  const panels = listPanels();
  const queries = panels.reduce((sum, panel) => sum + panel.queries.length, 0);
  process.stdout.write(
    `${panels.length} panels with ${queries} queries, ${readAlerts().length} alerts: ${failures.length} failures\n`,
  );
  for (const failure of failures) process.stdout.write(`${failure}\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
