// The text that a quick start prints: all that one needs, and commands that can be pasted as printed.
import type { Settings } from "../../core/settings.ts";
import { describeProgram } from "../program.ts";
import { showPlace } from "../start/open-store.ts";
import { SIMULATED } from "../start/simulated.ts";

interface Greeting {
  readonly address: string;
  /** The key's. */
  readonly secret: string;
  /** That of the link which signs in to the console. Null if there is none. */
  readonly link: string | null;
  /** The admin token, if this start made it. */
  readonly made: string | null;
  readonly settings: Settings;
}

/** Writes the text that a quick start prints. */
export function writeGreeting({ address, secret, link, made, settings }: Greeting): string {
  return [
    "",
    describeProviders(settings),
    "",
    `  Base URL   ${address}/v1`,
    `  API key    ${secret}`,
    `  Manual     ${address}/docs`,
    `  Console    ${address}/${link === null ? "" : `#once=${link}`}`,
    `  Store      ${showPlace(settings.store)}`,
    "",
    `Connect your agents: ${describeProgram().name} setup`,
    "",
    ...writeCalls(address, secret, settings),
    explainLogin(settings, link, made),
    "",
  ].join("\n");
}

const isSimulated = ({ providers }: Settings) => providers.every(({ name }) => name === SIMULATED);

function describeProviders(settings: Settings): string {
  return isSimulated(settings)
    ? "No provider's API key is set, so the simulated provider Sim#… answers.\nTo use real providers, set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY … and restart."
    : `Enabled providers: ${settings.providers.map(({ name }) => name).join(", ")}.`;
}

function writeCalls(address: string, secret: string, settings: Settings): readonly string[] {
  const model = isSimulated(settings) ? "Sim#sim-mini" : "Router#fair";
  const messages = [{ role: "user", content: "Say hello." }];
  const call = (body: object, flags: string) =>
    `curl ${flags}${address}/v1/chat/completions -H "Authorization: Bearer ${secret}" ` +
    `-H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  return [
    "Try it:",
    "",
    call({ model, messages }, ""),
    "",
    "Streamed:",
    "",
    call({ model, messages, stream: true }, "-N "),
    "",
  ];
}

/** Describes how to sign in to the console. */
function explainLogin({ server }: Settings, link: string | null, made: string | null): string {
  if (server.adminToken !== null) return "Sign in to the console with your configured admin token.";
  const start =
    link === null
      ? "Sign in to the console"
      : "The console's link signs in once, within 10 minutes. Later, sign in";
  if (made !== null) return `${start} with the admin token  ${made}`;
  return `${start} with the admin token that was printed at the first start. If you lost it, create a new one: ${describeProgram().name} admin token --reset`;
}
