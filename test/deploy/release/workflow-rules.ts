// The rules of workflows, which hold the keys to what people install: each breach in words.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../../src/core/json/json.ts";

const PINNED = /^actions\/[\w-]+@[0-9a-f]{40}$/;
const MINUTES_MAX = 360;
const ENVIRONMENT = "release";

/** The jobs that may write, and what. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  provenance: ["attestations", "id-token"],
  draft: ["contents"],
  publish: ["contents"],
  npm: ["id-token"],
  image: ["attestations", "id-token", "packages"],
  chart: ["packages"],
  manual: ["contents"],
};

export function listBreaches(text: string): readonly string[] {
  const workflow = asObject(Bun.YAML.parse(text));
  const { jobs, on, permissions, ...rest } = workflow;
  const events = isObject(on) ? Object.keys(on) : asArray(on).concat(typeof on === "string" ? [on] : []);
  return [
    ...(isObject(permissions) && Object.keys(permissions).length === 0
      ? []
      : ["permissions at the top aren't {}"]),
    ...(events.includes("pull_request_target") ? ["it runs on pull_request_target"] : []),
    ...(usesSecret(rest) ? ["a secret stands outside of the jobs"] : []),
    ...Object.entries(asObject(jobs)).flatMap(([name, job]) =>
      listOfJob(name, asObject(job)).map((breach) => `${name}: ${breach}`),
    ),
  ];
}

function listOfJob(name: string, job: JsonObject): readonly string[] {
  const { permissions, environment } = job;
  const minutes = Number(job["timeout-minutes"]);
  const writes = Object.entries(asObject(permissions)).filter(([, level]) => level !== "read");
  const extra = writes.map(([scope]) => scope).filter((scope) => !WRITERS[name]?.includes(scope));
  return [
    ...(isObject(permissions) ? [] : ["it has no permissions of its own"]),
    ...extra.map((scope) => `it may write ${scope}`),
    ...(minutes > 0 && minutes <= MINUTES_MAX ? [] : ["it has no timeout"]),
    ...(usesSecret(job) && environment !== ENVIRONMENT ? ["a secret outside of the environment"] : []),
    ...asArray(job.steps).flatMap((step) => listOfStep(asObject(step))),
    ...(job.uses === undefined ? [] : ["it runs a workflow of elsewhere"]),
  ];
}

function listOfStep({ uses, run, with: given }: JsonObject): readonly string[] {
  const action = asString(uses);
  const keepsToken =
    action?.startsWith("actions/checkout@") && asObject(given)["persist-credentials"] !== false;
  return [
    ...(action === undefined || PINNED.test(action) ? [] : [`${action} isn't pinned, or not GitHub's own`]),
    ...(keepsToken ? ["the checkout keeps the token"] : []),
    ...(asString(run)?.includes("${{") ? ["text from outside stands in a command"] : []),
  ];
}

/** The job's own token isn't one: it ends with the job, and has the job's permissions alone. */
function usesSecret(part: JsonObject): boolean {
  return /\bsecrets\b/.test(JSON.stringify(part));
}

/** The names of the secrets that a workflow's text uses. */
export function listSecrets(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\bsecrets\.(\w+)/g)].map(([, name = ""]) => name))].toSorted();
}
