// `poundkey login` signs a person in at a gateway, and `poundkey token` prints a key of that sign-in for agents.
import { EXIT, type Io } from "../../app/terminal.ts";
import { formatJson } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand, UsageError } from "../arguments.ts";
import { LoginError, readGateway, refreshAt, signInAt } from "./device-grant.ts";
import { findLoginFile, type Login, lockLogins, readLogins, writeLogins } from "./login-file.ts";

const LEFT_MS = 15 * 60_000;

const LOGIN_HELP = `usage: poundkey login URL [--json]

Signs you in at a gateway with your company's account: prints a code, which you type on the gateway's page. Then
\`poundkey token\` prints keys for your agents.

  --json  print JSON

examples:
  poundkey login https://llm.example.com`;

const TOKEN_HELP = `usage: poundkey token [URL] [--json]

Prints a key that works for at least 15 minutes more, for agents that run a command to get their key. URL is the
gateway; by default that of the last \`poundkey login\`. Exits with 1 if you have to sign in again.

  --json  print JSON: { url, token, expires_at }

examples:
  poundkey token
  poundkey token https://llm.example.com --json`;

export const runLogin = makeFlagCommand(
  { name: "login", help: LOGIN_HELP, flags: COMMON_FLAGS, wordsMax: 1 },
  (given, io) => catchRefusals(io, () => logIn(given, io)),
);

export const runToken = makeFlagCommand(
  { name: "token", help: TOKEN_HELP, flags: COMMON_FLAGS, wordsMax: 1 },
  (given, io) => catchRefusals(io, () => printToken(given, io)),
);

async function catchRefusals(io: Io, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof LoginError)) throw error;
    io.err(`poundkey: ${error.message}`);
    return EXIT.failed;
  }
}

async function logIn({ words, switches }: Arguments, io: Io): Promise<void> {
  const [given] = words;
  if (given === undefined) throw new UsageError("expected the gateway's URL");
  const url = readGateway(given);
  const login = await signInAt(url, (shown) =>
    io.err(`Open ${shown.url} and type the code ${shown.code}\nWaiting for you to approve it …`),
  );
  await keep(url, login);
  const view = { url, expires_at: new Date(login.untilMs).toISOString() };
  io.out(
    switches.has("json") ? formatJson(view) : `Signed in at ${url}. \`poundkey token\` prints your key.`,
  );
}

function keep(url: string, login: Login): Promise<void> {
  const file = findLoginFile(process.env);
  return lockLogins(file, async () => {
    const byUrl = new Map(readLogins(file).byUrl).set(url, login);
    writeLogins(file, { url, byUrl });
  });
}

async function printToken({ words, switches }: Arguments, io: Io): Promise<void> {
  const file = findLoginFile(process.env);
  const [given] = words;
  const asked = given === undefined ? null : readGateway(given);
  // Refresh tokens work once: agents that ask at the same time take turns, and the first one's answer serves all.
  const found = await lockLogins(file, () => findLogin(file, asked));
  const { url, login } = found;
  const view = { url, token: login.secret, expires_at: new Date(login.untilMs).toISOString() };
  io.out(switches.has("json") ? formatJson(view) : login.secret);
}

async function findLogin(file: string, asked: string | null): Promise<{ url: string; login: Login }> {
  const logins = readLogins(file);
  const url = asked ?? logins.url;
  if (url === null) throw new LoginError("You are not signed in. Run: poundkey login URL");
  const login = logins.byUrl.get(url);
  if (login === undefined)
    throw new LoginError(`You are not signed in at ${url}. Run: poundkey login ${url}`);
  if (isFresh(login)) return { url, login };
  const next = await refreshOr(url, login);
  if (next === login) return { url, login };
  const byUrl = new Map(logins.byUrl);
  if (next === null) byUrl.delete(url);
  else byUrl.set(url, next);
  writeLogins(file, { url: logins.url, byUrl });
  if (next !== null) return { url, login: next };
  throw new LoginError(`Your sign-in has ended. Run: poundkey login ${url}`);
}

/** A key of less than half an hour is fresh in its first half. */
function isFresh({ untilMs, lifetimeMs }: Login): boolean {
  return untilMs - Date.now() >= Math.min(LEFT_MS, lifetimeMs / 2);
}

/** Returns the same login if the gateway can't be asked but the key still works, and null if the sign-in has ended. */
async function refreshOr(url: string, login: Login): Promise<Login | null> {
  try {
    return await refreshAt(url, login.refresh);
  } catch (error) {
    if (error instanceof LoginError && login.untilMs > Date.now()) return login;
    throw error;
  }
}
