// Vertex AI as a provider: a project's address in a location, and its tokens or keys.
import { asObject, asString, parseJson } from "../../core/json/json.ts";
import type { TokenSource } from "../../core/models/token-source.ts";
import { type Environment, VALUE_BYTES_MAX } from "../interpolate.ts";
import { METADATA_HOST, makeMetadataSource, parseGoogleCredentials } from "./google-credentials.ts";
import { type Cloud, makeCredential, type PlatformContext, readVariable } from "./platform.ts";

const CREDENTIALS = "GOOGLE_APPLICATION_CREDENTIALS";
const PROJECT = "GOOGLE_CLOUD_PROJECT";
const LOCATION = "GOOGLE_CLOUD_LOCATION";
const METADATA_VARIABLE = "GCE_METADATA_HOST";
const LOCATION_SHAPE = /^[a-z][a-z0-9-]{1,39}$/;
const DEFAULT_LOCATION = "global";
const API = "/v1";

export const VERTEX: Cloud = {
  isInEnvironment,
  build(context) {
    const { entry, path, issues } = context;
    if (entry.keys !== undefined) {
      const place = findPlace(context, entry.project ?? null);
      // Express keys belong to no project, and can only call Gemini (Vertex AI, "Express mode").
      const express = place.baseUrl.includes("/projects/") ? {} : ({ dialects: ["gemini"] } as const);
      return { ...place, ...express, credentials: context.readKeys() };
    }
    const { source, project } = readProof(context);
    const credentials = source === null ? [] : [makeCredential(source)];
    const paying = entry.project ?? (readVariable(context.env, PROJECT) || project);
    if (source !== null && paying === null && entry.base_url === undefined) {
      issues.atKey(
        path,
        `has no project, the environment variable ${PROJECT} is not set, and the key file names none`,
      );
    }
    return { ...findPlace(context, paying), credentials };
  },
};

/** The environment must name the credentials and the project that pays. */
function isInEnvironment({ env, readFile }: Environment, hasKey: boolean): boolean {
  if (!hasKey) return false;
  if (readVariable(env, PROJECT) !== "") return true;
  const text = readOrNull(readFile, readVariable(env, CREDENTIALS));
  return text === null || asString(asObject(parseJson(text)).project_id) !== undefined;
}

/** Google Cloud, "Locations" and "Multi-regional endpoints". If `project` is null, the address is an express key's. */
function findPlace({ entry, address, env, path, issues }: PlatformContext, project: string | null) {
  const redactedWords = project === null ? {} : { redactedWords: [`projects/${project}`] };
  if (address !== null) return { baseUrl: address, ...redactedWords };
  if (project === null) {
    if (entry.location !== undefined) issues.atKey([...path, "location"], "has no effect without a project");
    return { baseUrl: `https://aiplatform.googleapis.com${API}` };
  }
  const location = entry.location ?? (readVariable(env, LOCATION) || DEFAULT_LOCATION);
  if (!LOCATION_SHAPE.test(location))
    issues.atVariable(LOCATION, "expected global, us, eu or a region like us-central1");
  const baseUrl = `https://${findHost(location)}${API}/projects/${encodeURIComponent(project)}/locations/${location}`;
  return { baseUrl, ...redactedWords };
}

function findHost(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

interface GoogleProof {
  /** Null if there is none, which an issue explains. */
  readonly source: TokenSource | null;
  /** Null if the file names none. */
  readonly project: string | null;
}

const NO_PROOF: GoogleProof = { source: null, project: null };

function readProof(context: PlatformContext): GoogleProof {
  const { entry, env, path, issues } = context;
  const given = entry.service_account;
  if (given === "metadata") {
    const host = readVariable(env, METADATA_VARIABLE) || METADATA_HOST;
    return { source: makeMetadataSource(host), project: null };
  }
  if (given !== undefined)
    return parseFile(given, (message) => issues.atValue([...path, "service_account"], message));
  if (entry.workload_identity !== undefined) return readWorkloadFile(context, entry.workload_identity);
  const file = readVariable(env, CREDENTIALS);
  if (file === "") {
    issues.atKey(
      path,
      `has neither service_account, workload_identity nor keys, and the environment variable ${CREDENTIALS} is not set`,
    );
    return NO_PROOF;
  }
  const wrong = (message: string) => issues.atVariable(CREDENTIALS, message);
  const text = readOrNull(context.readFile, file);
  if (text !== null) return parseFile(text, wrong);
  wrong("the file that it names can't be read");
  return NO_PROOF;
}

/** The file that `gcloud iam workload-identity-pools create-cred-config` writes. */
function readWorkloadFile({ path, issues, readFile }: PlatformContext, file: string): GoogleProof {
  const wrong = (message: string) => issues.atValue([...path, "workload_identity"], message);
  const text = readOrNull(readFile, file);
  if (text === null) {
    wrong("the file can't be read");
    return NO_PROOF;
  }
  const proof = parseFile(text, wrong);
  if (proof.source === null || proof.source.kind === "workload_identity") return proof;
  wrong("expected a file of the type external_account: other key files belong into service_account");
  return NO_PROOF;
}

function parseFile(text: string, wrong: (message: string) => void): GoogleProof {
  const parsed = parseGoogleCredentials(text);
  if (parsed.ok) return parsed;
  wrong(parsed.message);
  return NO_PROOF;
}

function readOrNull(readFile: Environment["readFile"], path: string): string | null {
  try {
    return readFile(path, VALUE_BYTES_MAX);
  } catch {
    return null;
  }
}
