// Reads the dashboards and alert rules in src/deploy, and the metrics and labels that their queries name.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../src/core/json/json.ts";

export const DEPLOY = join(import.meta.dir, "..", "..", "src", "deploy");

interface Panel {
  readonly board: string;
  readonly title: string;
  readonly queries: readonly string[];
}

interface Alert {
  readonly name: string;
  readonly query: string;
  readonly runbook: string;
  readonly severity: string;
}

export interface Board {
  readonly file: string;
  readonly json: JsonObject;
}

export function readBoards(): readonly Board[] {
  const folder = join(DEPLOY, "grafana");
  return readdirSync(folder).map((file) => ({
    file,
    json: asObject(parseJson(readFileSync(join(folder, file), "utf8"))),
  }));
}

export function listPanels(): readonly Panel[] {
  return readBoards().flatMap(({ file, json }) =>
    asArray(json.panels)
      .map(asObject)
      .map((panel) => ({
        board: file,
        title: asString(panel.title) ?? "",
        queries: asArray(panel.targets).map((target) => asString(asObject(target).expr) ?? ""),
      })),
  );
}

export function readAlerts(): readonly Alert[] {
  const parsed = asObject(Bun.YAML.parse(readFileSync(join(DEPLOY, "alerts.yaml"), "utf8")));
  return asArray(parsed.groups)
    .flatMap((group) => asArray(asObject(group).rules))
    .map(asObject)
    .map((rule) => ({
      name: asString(rule.alert) ?? "",
      query: asString(rule.expr) ?? "",
      runbook: asString(asObject(rule.annotations).runbook) ?? "",
      severity: asString(asObject(rule.labels).severity) ?? "",
    }));
}
