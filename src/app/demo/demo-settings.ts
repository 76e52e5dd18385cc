// The configuration of a demo: every provider is simulated, and nothing of the user's is read.
import { loadSettings } from "../../config/load.ts";
import type { ProviderSetup, Settings } from "../../core/settings.ts";
import { PROVIDERS } from "../../providers/index.ts";
import { FALLING } from "../../simulator/company.ts";
import { SIM_DIALECTS } from "../../simulator/dialects.ts";
import { IN_PROCESS_URL } from "../../simulator/in-process.ts";
import { formatErrors } from "../start/configuration.ts";
import { addSimulator, SIMULATED } from "../start/simulated.ts";

/** The settings that differ between making the month and showing it. */
interface DemoRules {
  /** The path of the database. */
  readonly database: string;
  readonly publicUrl: string;
  /** The most lines of batches at once. */
  readonly lines: number;
  /** True if prompts and answers are kept. */
  readonly keepsContent: boolean;
}

/** The providers, each at its dialect's simulation. Those of clouds, and servers of one's own, need more than a key. */
function listProviders(): string {
  const rows = PROVIDERS.flatMap(({ name, dialects = [], platform, discovers }) => {
    const found = SIM_DIALECTS.find((one) => one.name === dialects[0]?.name);
    if (found === undefined || platform !== undefined || discovers) return [];
    return [`  ${name}: { keys: ["simulated"], base_url: "${IN_PROCESS_URL}${found.prefix}" }`];
  });
  return rows.join("\n");
}

function writeConfiguration({ publicUrl, lines, keepsContent }: DemoRules): string {
  return `server: { public_url: ${JSON.stringify(publicUrl)} }
providers:
${listProviders()}
log: { content: ${keepsContent}, address: off }
billing: { charge: always }
responses: { keep: 0 }
batches: { parallel: ${lines} }
aliases:
  house: "OpenAI#gpt-6-sol"
  fast: "${FALLING.fallback}"
models: { "${FALLING.model}": { fallbacks: ["${FALLING.fallback}"] } }
mcp:
  allowed_tools: ["*"]
  servers: { depot: { url: "${IN_PROCESS_URL}/depot/mcp", price_per_call: 0.001 } }
sign_in:
  oidc: { issuer: "https://login.tern.example", client_id: poundkey, client_secret: simulated, groups_claim: groups, rules: [{ group: staff, role: member, accounts: [default] }] }
`;
}

/** Returns the provider with its own address, as a company's console shows it. It is called at the simulator's. */
function showProviderAddress(setup: ProviderSetup): ProviderSetup {
  // A model's name could hold faults and waits.
  if (setup.name === SIMULATED) return { ...setup, unlistedModels: false };
  const own = PROVIDERS.find(({ name }) => name === setup.name)?.baseUrl;
  return own ? { ...setup, shownUrl: own } : setup;
}

/** Throws an Error if the configuration isn't valid, which only a mistake in this file makes it. */
export function makeDemoSettings(rules: DemoRules): Settings {
  const loaded = loadSettings({
    text: writeConfiguration(rules),
    file: "demo",
    env: () => undefined,
    readFile: () => {
      throw new Error("A demo reads no file.");
    },
    known: PROVIDERS,
    overrides: { host: "127.0.0.1", port: 0, store: `sqlite:${rules.database}` },
  });
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  const { providers, signIn, ...settings } = addSimulator(loaded.settings, IN_PROCESS_URL);
  const named = providers.map(showProviderAddress);
  if (signIn === undefined) return { ...settings, providers: named };
  // Nobody asks a company's provider whether its people are still there.
  const members = { ...signIn.members, recheckMs: Number.POSITIVE_INFINITY };
  return { ...settings, providers: named, signIn: { ...signIn, members } };
}
