// The dashboards and alert rules name only metrics and labels that exist, and sections of the manual that do.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { SHOWN } from "../../src/telemetry/metric-table.ts";
import { ALERTS_OF_DAY } from "./day.ts";
import { listPanels, readAlerts, readBoards } from "./files.ts";

const DOCS = join(import.meta.dir, "..", "..", "src", "docs");
const PROMTOOL_TEST = join(import.meta.dir, "alerts.test.yaml");
const METRIC = /\b((?:poundkey|process)_[a-z_]+)(?:\{([^}]*)\})?/g;
const LABELS_OF_TARGET = ["job", "instance"];

const LABELS: ReadonlyMap<string, readonly string[]> = new Map(
  SHOWN.flatMap(({ name, labels, type }) => {
    if (type !== "histogram") return [[name, labels]] as const;
    return [
      [`${name}_bucket`, [...labels, "le"]],
      [`${name}_sum`, labels],
      [`${name}_count`, labels],
    ] as const;
  }),
);
const DEPRECATED = SHOWN.filter(({ name, of }) => name !== of).map(({ name }) => name);

/** Returns the metrics that don't exist or are deprecated, and the labels that their series don't have. */
function findUnknown(query: string): readonly string[] {
  const named = [...query.matchAll(METRIC)];
  const known = new Set([...named.flatMap(([, name = ""]) => LABELS.get(name) ?? []), ...LABELS_OF_TARGET]);
  const metrics = named.flatMap(([, name = ""]) =>
    LABELS.has(name) && !DEPRECATED.includes(name) ? [] : [name],
  );
  const matched = named.flatMap(([, name = "", matchers = ""]) =>
    [...matchers.matchAll(/(\w+)\s*[=!]/g)].flatMap(([, label = ""]) =>
      [...(LABELS.get(name) ?? []), ...LABELS_OF_TARGET].includes(label) ? [] : [`${name}{${label}}`],
    ),
  );
  const replaced = [...query.matchAll(/label_replace\([^"]*"(\w+)"/g)].map(([, label = ""]) => label);
  const grouped = [...query.matchAll(/\b(?:by|on) \(([^)]*)\)/g)]
    .flatMap(([, list = ""]) => list.split(/,\s*/))
    .filter((label) => !known.has(label) && !replaced.includes(label));
  return [...metrics, ...matched, ...grouped];
}

describe("each panel's queries name only what /metrics shows", () => {
  test.each(listPanels().map((panel) => [panel.board, panel.title, panel.queries] as const))(
    "%s: %s",
    (_, __, queries) => {
      expect(queries.length).toBeGreaterThan(0);
      expect(queries.flatMap(findUnknown)).toEqual([]);
    },
  );
});

describe("each alert names only what /metrics shows, and a section of the manual", () => {
  test.each(readAlerts().map((alert) => [alert.name, alert] as const))(
    "%s",
    (name, { query, runbook, severity }) => {
      expect(query).toMatch(/poundkey/);
      expect(findUnknown(query)).toEqual([]);
      expect(["critical", "warning"]).toContain(severity);
      const [, chapter = "", heading = ""] = /^\/docs\/([\w-]+)#([\w-]+)$/.exec(runbook) ?? [];
      const rendered = Bun.markdown.html(readFileSync(join(DOCS, `${chapter}.md`), "utf8"), {
        headings: { ids: true },
      });
      const anchors = [...rendered.matchAll(/<h\d id="([^"]*)"/g)].map(([, id = ""]) => id);
      expect(anchors).toContain(heading);
      expect(ALERTS_OF_DAY.has(name)).toBe(true);
    },
  );
});

test("the manual says of each alert what it means and what to do", () => {
  const manual = readFileSync(join(DOCS, "alerts.md"), "utf8");
  const chapters = readdirSync(DOCS).filter((file) => file.startsWith("troubleshooting"));
  const runbooks = chapters.map((file) => readFileSync(join(DOCS, file), "utf8")).join("\n");
  const alerts = readAlerts();
  const missing = alerts.filter(
    ({ name }) => !manual.includes(`| \`${name}\` |`) || !runbooks.includes(`\`${name}\``),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
  expect(ALERTS_OF_DAY.size).toBe(alerts.length);
});

test("promtool's test has each alert silent at one time and speaking at another", () => {
  const rows = asArray(asObject(Bun.YAML.parse(readFileSync(PROMTOOL_TEST, "utf8"))).tests)
    .flatMap((row) => asArray(asObject(row).alert_rule_test))
    .map(asObject);
  for (const { name } of readAlerts()) {
    const spoken = rows.flatMap((row) => (row.alertname === name ? [asArray(row.exp_alerts).length] : []));
    expect([name, spoken.includes(0), spoken.some((count) => count > 0)]).toEqual([name, true, true]);
  }
});

test("a query with a wrong metric or label is found", () => {
  expect(findUnknown("rate(poundkey_nothing_total[5m])")).toEqual(["poundkey_nothing_total"]);
  expect(findUnknown('sum by (color) (poundkey_store_up{flavour="x"})')).toEqual([
    "poundkey_store_up{flavour}",
    "color",
  ]);
  expect(findUnknown("poundkey_resident_bytes")).toEqual(["poundkey_resident_bytes"]);
});

test("dashboards can be imported by anyone: each has its own id, and takes the data source as a variable", () => {
  const boards = readBoards().map(({ json }) => json);
  expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length);
  for (const board of boards) {
    const variables = asArray(asObject(board.templating).list).map((one) => asObject(one).name);
    expect(variables).toContain("datasource");
    for (const panel of asArray(board.panels).map(asObject)) {
      expect(asObject(panel.datasource).uid).toMatch(/^\$\{datasource\}$/);
      expect([panel.title, panel.description]).toEqual([
        expect.stringMatching(/./),
        expect.stringMatching(/\.$/),
      ]);
      const used = JSON.stringify(panel.targets).match(/\$(?!_)\{?(\w+)/g) ?? [];
      expect(used.filter((name) => !variables.includes(name.replace(/^\$\{?/, "")))).toEqual([]);
    }
  }
});
