// Every configuration in the manual passes the check, as printed.
import { expect, test } from "bun:test";
import { formatError } from "../../src/config/errors.ts";
import { ConfigSchema } from "../../src/config/schema.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";
import { makeCertificates, OPENSSL } from "../harness/certificates.ts";
import { loadText } from "../harness/settings.ts";
import { readDocument } from "./documents.ts";

interface Block {
  readonly path: string;
  readonly text: string;
}

const SECTIONS = new Set(Object.keys(ConfigSchema.properties));

const blocks: readonly Block[] = CHAPTER_NAMES.flatMap((name) => {
  const path = `src/docs/${name}.md`;
  const found = [...readDocument(path).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)];
  return found.map(([, text = ""]) => ({ path, text }));
});

/** Other programs' files have other sections. */
function isConfiguration({ text }: Block): boolean {
  const sections = [...text.matchAll(/^([a-z_]+):/gm)].map(([, name = ""]) => name);
  return sections.length > 0 && sections.every((name) => SECTIONS.has(name));
}

/** A key file of Google's, and a JSON object like any other. */
const LOGIN = '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c"}';

const NONE = { cert: "", key: "" };
const certificates = OPENSSL === null ? { authority: NONE, client: NONE } : makeCertificates();

/** Those of webhooks and of Stripe have forms of their own. */
function makeValue(name: string): string {
  if (name.startsWith("STRIPE")) return name.includes("WEBHOOK") ? "whsec_secret" : "sk_test_secret";
  const value = `the-value-of-${name}`;
  return name.startsWith("WEBHOOK") ? `whsec_${Buffer.from(value.padEnd(32)).toString("base64")}` : value;
}

const PUBLIC_KEY = Buffer.alloc(32, 1).toString("base64");

/** Certificates and keys are read. */
function makeFile(name: string): readonly [string, string] {
  const { authority, client } = certificates;
  if (name.endsWith(".pem")) return [name, authority.cert];
  if (name.endsWith(".crt")) return [name, client.cert];
  if (name.endsWith(".pub")) return [name, PUBLIC_KEY];
  return [name, name.endsWith(".key") ? client.key : LOGIN];
}

/** The variables and files that the block names are there, as are the keys of the providers. */
function checkBlock({ path, text }: Block): readonly string[] {
  const variables = [...text.matchAll(/\$\{([A-Z0-9_]+)\}/g)].map(([, name = ""]) => name);
  const keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "XAI_API_KEY"];
  const env = Object.fromEntries([...variables, ...keys].map((name) => [name, makeValue(name)]));
  const names = [...text.matchAll(/\$\{file:([^}]+)\}|(\.\/[\w./-]+\.json)/g)];
  const named = names.map(([, file, plain]) => file ?? plain ?? "");
  // A catalogue file needn't be there.
  const there = named.filter((name) => !name.endsWith("/catalogue.json"));
  const files = Object.fromEntries(there.map(makeFile));
  const loaded = loadText(text, { env, files });
  return loaded.ok ? [] : loaded.errors.map((error) => `${path}: ${formatError(error)}\n${text}`);
}

test.skipIf(OPENSSL === null)("each configuration in the manual is valid", () => {
  const configurations = blocks.filter(isConfiguration);
  expect(configurations.length).toBeGreaterThan(15);
  expect(configurations.flatMap(checkBlock)).toEqual([]);
});
