// What a quick start prints: all that one needs, and commands that can be pasted as printed.
import type { Settings } from "../../core/settings.ts";
import { describeProgram } from "../program.ts";
import { showPlace } from "../start/open-store.ts";
import { SIMULATED } from "../start/simulated.ts";

/** Describes how to sign in to the console. `made` is the admin token if this start made it. */
function explainLogin({ server }: Settings, made: string | null): string {
  if (server.adminToken !== null) return "Sign in to the console with your configured admin token.";
  if (made !== null) return `Sign in to the console with the admin token  ${made}`;
  return `Sign in to the console with the admin token that was printed at the first start. If you lost it, create a new one: ${describeProgram().name} admin token --reset`;
}

/** Writes the text that the quick start prints. */
export function writeGreeting(
  address: string,
  secret: string,
  made: string | null,
  settings: Settings,
): string {
  const { providers } = settings;
  const simulated = providers.every(({ name }) => name === SIMULATED);
  const model = simulated ? "Sim#sim-mini" : "Router#fair";
  const call = (body: object, flags: string) =>
    `curl ${flags}${address}/v1/chat/completions -H "Authorization: Bearer ${secret}" ` +
    `-H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  const messages = [{ role: "user", content: "Say hello." }];
  const state = simulated
    ? "No provider's API key is set, so the simulated provider Sim#… answers.\nTo use real providers, set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY … and restart."
    : `Enabled providers: ${providers.map(({ name }) => name).join(", ")}.`;
  return [
    "",
    state,
    "",
    `  Base URL   ${address}/v1`,
    `  API key    ${secret}`,
    `  Manual     ${address}/docs`,
    `  Console    ${address}/`,
    `  Store      ${showPlace(settings.store)}`,
    "",
    explainLogin(settings, made),
    "",
    "Try it:",
    "",
    call({ model, messages }, ""),
    "",
    "Streamed:",
    "",
    call({ model, messages, stream: true }, "-N "),
    "",
  ].join("\n");
}
