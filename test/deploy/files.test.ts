// The files of src/deploy agree with each other and with the program, and pass the judges that are installed.
//
// test/deploy/install-tools.sh installs them. A test whose judge isn't on PATH is skipped.
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { CHANNELS } from "../../src/app/channels.ts";
import { EXIT } from "../../src/app/terminal.ts";
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { loadText, requireSettings } from "../harness/settings.ts";
import { findTool } from "../harness/tools.ts";
import { DEPLOY } from "./files.ts";

const TEST_MS = 60_000;
const KUBERNETES = "1.34";
/** The most points of `systemd-analyze security`; up to 2 it calls a unit well protected or OK. */
const EXPOSURE_MAX = 2;
const CHART = join(DEPLOY, "chart");
const VALUES = join(import.meta.dir, "values");
const SETS = readdirSync(VALUES).sort();

const scratch = mkdtempSync(join(tmpdir(), "poundkey-deploy-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const isMissing = (command: string) => findTool(command) === null;
const textOf = (...path: readonly string[]) => readFileSync(join(DEPLOY, ...path), "utf8");
const readYaml = (text: string) => asObject(Bun.YAML.parse(text));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { env: { ...process.env, ...env } });
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
}

/** Renders the chart with a set of values, and changes of it. */
function render(set: string, ...changes: readonly string[]): Ran {
  const flags = changes.flatMap((change) => ["--set", change]);
  const named = ["--kube-version", `${KUBERNETES}.0`, "--values", join(VALUES, set)];
  return run(["helm", "template", "release", CHART, ...named, ...flags]);
}

function readDocuments(rendered: string): readonly JsonObject[] {
  return rendered
    .split(/^---$/m)
    .filter((text) => /^kind:/m.test(text))
    .map(readYaml);
}

const findKind = (documents: readonly JsonObject[], kind: string) =>
  documents.find((one) => one.kind === kind);

describe("versions, times and configurations", () => {
  const unit = (name: string) =>
    Object.fromEntries(
      textOf("systemd", name)
        .split("\n")
        .map((line) => line.split("=", 2)),
    );
  const drainMs = requireSettings(loadText("", { env: { OPENAI_API_KEY: "any" } })).server.drainMs;

  test("the chart and the images are of this version", () => {
    const chart = readYaml(textOf("chart", "Chart.yaml"));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    for (const place of ["one", "nodes"])
      expect(textOf("compose", place, "compose.yaml")).toContain(
        `:-${CHANNELS.image ?? "poundkey"}:${version}}`,
      );
    expect(textOf("README.md")).toContain(`poundkey:${version} .`);
  });

  test("all wait longer for a stop than a gateway may take", () => {
    for (const name of ["poundkey.service", "poundkey@.service"])
      expect(Number(unit(name).TimeoutStopSec) * 1000).toBeGreaterThan(drainMs + 5000);
    for (const place of ["one", "nodes"]) {
      const [seconds = 0] = [
        ...textOf("compose", place, "compose.yaml").matchAll(/stop_grace_period: (\d+)s/g),
      ].map(([, text]) => Number(text));
      expect(seconds * 1000).toBeGreaterThan(drainMs + 5000);
    }
  });

  test("the units differ only in what they run, and both wait until the gateway listens", () => {
    const [one, turns] = ["poundkey.service", "poundkey@.service"].map((name) =>
      textOf("systemd", name)
        .split("\n")
        .filter((line) => line.includes("=") && !/^(Description|ExecStart)=/.test(line)),
    );
    expect(turns).toEqual(one ?? []);
    expect(unit("poundkey@.service").ExecStart).toBe(`${unit("poundkey.service").ExecStart} --share-port`);
    expect(unit("poundkey.service").Type).toBe("notify");
  });

  test("a unit starts again for ever, but for the exit code that says that it can't help", () => {
    const { Restart, RestartSec, RestartPreventExitStatus, StartLimitIntervalSec } = unit("poundkey.service");
    expect([Restart, RestartSec, StartLimitIntervalSec]).toEqual(["on-failure", "2", "0"]);
    expect(RestartPreventExitStatus).toBe(String(EXIT.lasting));
  });

  test("each configuration is valid", () => {
    for (const place of ["one", "nodes"]) {
      const loaded = loadText(textOf("compose", place, "config", "poundkey.yaml"), {
        env: { OPENAI_API_KEY: "any" },
      });
      expect([place, requireSettings(loaded).providers.length]).toEqual([place, 1]);
    }
  });

  test("what the manual and README.md do with the files is the same, and the files are there", () => {
    const manual = readFileSync(join(DEPLOY, "..", "docs", "fifty-people.md"), "utf8");
    const readme = textOf("README.md");
    const blocksOf = (text: string) =>
      [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
    const names = readdirSync(DEPLOY, { recursive: true, encoding: "utf8" }).map((path) => basename(path));
    for (const text of [manual, readme]) {
      const commands = blocksOf(text).flatMap((block) => block.split(/\n| && /));
      const sources = commands
        .map((command) => /^(?:sudo install (?:-D )?-m \d+|cp) ([^"]*) \S+$/.exec(command)?.[1] ?? "")
        .flatMap((words) => words.split(" "))
        .filter((name) => name !== "" && name !== "dist/poundkey")
        .map((name) => basename(name));
      expect(sources.length).toBeGreaterThan(10);
      expect(sources.filter((name) => !names.includes(name))).toEqual([]);
    }
    const units = (text: string) => blocksOf(text).find((block) => block.includes("poundkey-turn")) ?? "";
    const [first = "", ...rest] = units(readme)
      .split("\n")
      .filter((line) => line.includes("sudo"));
    expect(first).toContain("/usr/local/bin/poundkey");
    expect(rest.join("\n").replaceAll(" && ", "\n")).toBe(units(manual).trimEnd());
  });

  test("the image of a binary is the one of the sources", () => {
    const stage = (text: string) =>
      text.slice(text.indexOf("FROM scratch")).replaceAll("--from=build /rootfs", "rootfs");
    const own = readFileSync(join(import.meta.dir, "..", "..", "Dockerfile"), "utf8");
    expect(
      stage(own).replaceAll("--from=build --chown=10001:10001 /rootfs", "--chown=10001:10001 rootfs"),
    ).toBe(stage(textOf("image", "Dockerfile")));
  });

  test("the chart's schema names exactly the values that there are", () => {
    const namesOf = (schema: JsonObject): readonly string[] =>
      Object.keys(asObject(schema.properties)).sort();
    const check = (schema: JsonObject, values: JsonObject, path: string) => {
      const names = namesOf(schema).filter((name) => path !== "" || name !== "global");
      expect([path, names]).toEqual([path, Object.keys(values).sort()]);
      for (const name of names) {
        const inner = asObject(asObject(schema.properties)[name]);
        if (inner.properties !== undefined) check(inner, asObject(values[name]), `${path}.${name}`);
      }
    };
    check(
      asObject(parseJson(textOf("chart", "values.schema.json"))),
      readYaml(textOf("chart", "values.yaml")),
      "",
    );
  });
});

describe.skipIf(isMissing("helm"))("the chart (needs helm)", () => {
  test(
    "lints",
    () => {
      const { code, out } = run(["helm", "lint", "--strict", CHART, "--set", "image.repository=any"]);
      expect([code, code === 0 ? "" : out]).toEqual([0, ""]);
    },
    TEST_MS,
  );

  test.each(SETS)(
    "%s: pods are confined, have more time than a drain, and a valid configuration",
    (set) => {
      const { code, out, err } = render(set);
      expect([code, err]).toEqual([0, ""]);
      const documents = readDocuments(out);
      const workload = asObject(findKind(documents, "StatefulSet") ?? findKind(documents, "Deployment"));
      const pod = asObject(asObject(asObject(workload.spec).template).spec);
      const container = asObject(asArray(pod.containers)[0]);
      expect(asObject(container.securityContext)).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect([asObject(pod.securityContext).runAsNonRoot, pod.automountServiceAccountToken]).toEqual([
        true,
        false,
      ]);
      const config =
        asString(asObject(asObject(findKind(documents, "ConfigMap")).data)["poundkey.yaml"]) ?? "";
      const { server } = requireSettings(loadText(config, { env: { OPENAI_API_KEY: "any" } }));
      const sleep = asObject(asObject(asObject(container.lifecycle).preStop).sleep).seconds;
      expect(Number(pod.terminationGracePeriodSeconds) * 1000).toBeGreaterThanOrEqual(
        Number(sleep) * 1000 + server.drainMs + 10_000,
      );
      expect([server.host, server.port]).toEqual(["0.0.0.0", 8080]);
      expect(asArray(container.args)).toContain(`${container.workingDir}/poundkey.yaml`);
      const store = asObject(asArray(container.env).find((one) => asObject(one).name === "POUNDKEY_STORE"));
      if (workload.kind === "StatefulSet") expect(store.value).toStartWith("sqlite:/data/");
      else expect(asObject(store.valueFrom)).toHaveProperty("secretKeyRef");
      expect(findKind(documents, "Secret")).toBeUndefined();
    },
    TEST_MS,
  );

  test.each([
    ["1-sqlite.yaml", "replicas=2", "replicas must be 1 with store.kind sqlite"],
    ["1-sqlite.yaml", "autoscaling.enabled=true", "autoscaling.enabled needs store.kind postgres"],
    ["1-sqlite.yaml", "image.repository=", "image.repository is missing"],
    ["4-postgres.yaml", "masterKey.existingSecret=", "masterKey.existingSecret is missing"],
    ["4-postgres.yaml", "store.postgres.existingSecret=", "store.postgres.existingSecret is missing"],
    ["4-postgres.yaml", "config.server.port=80", "config.server.port is set by the chart"],
    ["4-postgres.yaml", "config.store=sqlite:x", "config.store is set by the chart"],
    ["4-postgres.yaml", "replica=3", "additional properties 'replica' not allowed"],
    ["5-postgres-autoscaled.yaml", "autoscaling.maxReplicas=2", "autoscaling.minReplicas must not be above"],
    ["6-ingress.yaml", "ingress.hosts=null", "ingress.hosts is empty"],
  ])(
    "%s with %s is refused",
    (set, change, reason) => {
      const { code, err } = render(set, change);
      expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
    },
    TEST_MS,
  );

  test.skipIf(isMissing("kubernetes-validate")).each(SETS)(
    `%s passes Kubernetes ${KUBERNETES} (needs kubernetes-validate)`,
    (set) => {
      const file = join(scratch, set);
      writeFileSync(file, render(set).out);
      const { code, out, err } = run(["kubernetes-validate", "-k", KUBERNETES, "--strict", file]);
      expect([code, code === 0 ? "" : out + err]).toEqual([0, ""]);
    },
    TEST_MS,
  );
});

describe.skipIf(isMissing("systemd-analyze"))("the units (need systemd-analyze)", () => {
  const units = readdirSync(join(DEPLOY, "systemd")).filter((name) => name.endsWith(".service"));

  test.each(units)(
    `%s is exposed by at most ${EXPOSURE_MAX} of 10`,
    (name) => {
      const file = join(scratch, name.replace("@", "@a"));
      cpSync(join(DEPLOY, "systemd", name), file);
      const { out } = run(["systemd-analyze", "security", "--offline=true", "--no-pager", file]);
      const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(out)?.[1];
      expect(Number(exposure)).toBeGreaterThan(0);
      expect(Number(exposure)).toBeLessThanOrEqual(EXPOSURE_MAX);
    },
    TEST_MS,
  );
});

describe.skipIf(isMissing("compose-check"))("compose (needs compose-check)", () => {
  test.each(["one", "nodes"])(
    "%s is a project that Compose reads",
    (place) => {
      const file = join(DEPLOY, "compose", place, "compose.yaml");
      const set = { POSTGRES_PASSWORD: "any", POUNDKEY_HOST: "llm.example.com" };
      const { code, err } = run(["compose-check", file], set);
      expect([code, err]).toEqual([0, ""]);
      if (place === "nodes") expect(run(["compose-check", file]).err).toContain("set it in .env");
    },
    TEST_MS,
  );
});

test.skipIf(isMissing("caddy"))(
  "Caddy takes its files (needs caddy)",
  () => {
    for (const path of ["proxy/Caddyfile", "compose/nodes/Caddyfile"]) {
      const flags = ["validate", "--adapter", "caddyfile", "--config", join(DEPLOY, path)];
      const { code, err } = run(["caddy", ...flags], { POUNDKEY_HOST: "llm.example.com", HOME: scratch });
      expect([basename(path), code, code === 0 ? "" : err]).toEqual([basename(path), 0, ""]);
      expect(err).not.toContain("not formatted");
    }
  },
  TEST_MS,
);

test.skipIf(isMissing("promtool"))(
  "Prometheus takes its file (needs promtool)",
  () => {
    const file = join(scratch, "prometheus.yml");
    cpSync(join(DEPLOY, "alerts.yaml"), join(scratch, "alerts.yaml"));
    cpSync(join(DEPLOY, "compose", "nodes", "prometheus.yaml"), file);
    const { code, out, err } = run(["promtool", "check", "config", file]);
    expect([code, code === 0 ? "" : out + err]).toEqual([0, ""]);
  },
  TEST_MS,
);
