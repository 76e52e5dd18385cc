// `poundkey login` signs a person in at a gateway: for agents, whose keys `poundkey token` prints, or with `--admin` for commands.
import { EXIT, type Io } from "../../app/terminal.ts";
import { formatJson } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand, UsageError } from "../arguments.ts";
import {
  type CodePrompt,
  endAdminLogin,
  LoginError,
  readGateway,
  refreshAt,
  signInAsAdmin,
  signInAt,
} from "./device-grant.ts";
import {
  type AdminLogin,
  findLoginFile,
  type Login,
  type Logins,
  lockLogins,
  readLogins,
  writeLogins,
} from "./login-file.ts";

const LEFT_MS = 15 * 60_000;

const LOGIN_HELP = `usage: poundkey login URL [--admin] [--json]

Signs you in at a gateway with your company's account: prints a code, which you type on the gateway's page. Then
\`poundkey token\` prints keys for your agents.

  --admin  sign in commands instead: those with --gateway act with your rights, for 12 hours at most, until
           \`poundkey logout\`. No agent gets a key by it
  --json   print JSON

examples:
  poundkey login https://llm.example.com
  poundkey login https://llm.example.com --admin`;

const LOGOUT_HELP = `usage: poundkey logout [URL] [--json]

Ends what \`poundkey login --admin\` began, at the gateway and on this computer. URL is the gateway; it may be left out if
there is one sign-in alone. Agents' sign-ins stay: People in the console ends those.

  --json  print JSON: { url }

examples:
  poundkey logout
  poundkey logout https://llm.example.com`;

const TOKEN_HELP = `usage: poundkey token [URL] [--json]

Prints a key that works for at least 15 minutes more, for agents that run a command to get their key. URL is the
gateway; by default that of the last \`poundkey login\`. Exits with 1 if you have to sign in again.

  --json  print JSON: { url, token, expires_at }

examples:
  poundkey token
  poundkey token https://llm.example.com --json`;

export const runLogin = makeFlagCommand(
  { name: "login", help: LOGIN_HELP, flags: { ...COMMON_FLAGS, admin: "switch" }, wordsMax: 1 },
  (given, io) => catchRefusals(io, () => logIn(given, io)),
);

export const runLogout = makeFlagCommand(
  { name: "logout", help: LOGOUT_HELP, flags: COMMON_FLAGS, wordsMax: 1 },
  (given, io) => catchRefusals(io, () => logOut(given, io)),
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
  const show = (shown: CodePrompt) =>
    io.err(`Open ${shown.url} and type the code ${shown.code}\nWaiting for you to approve it …`);
  const isAdmin = switches.has("admin");
  const login = isAdmin ? await logInAdmin(url, show) : await logInAgents(url, show);
  const view = { url, expires_at: new Date(login.untilMs).toISOString() };
  const next = isAdmin
    ? `Commands with --gateway ${url} act with your rights until ${view.expires_at}, or until \`poundkey logout\`.`
    : "`poundkey token` prints your key.";
  io.out(switches.has("json") ? formatJson(view) : `Signed in at ${url}. ${next}`);
}

async function logInAgents(url: string, show: (shown: CodePrompt) => void): Promise<Login> {
  const login = await signInAt(url, show);
  await changeLogins((kept) => ({ ...kept, url, byUrl: new Map(kept.byUrl).set(url, login) }));
  return login;
}

async function logInAdmin(url: string, show: (shown: CodePrompt) => void): Promise<AdminLogin> {
  const login = await signInAsAdmin(url, show);
  await changeLogins((kept) => ({ ...kept, admin: new Map(kept.admin).set(url, login) }));
  return login;
}

function changeLogins(change: (kept: Logins) => Logins): Promise<void> {
  const file = findLoginFile(process.env);
  return lockLogins(file, async () => writeLogins(file, change(readLogins(file))));
}

async function logOut({ words, switches }: Arguments, io: Io): Promise<void> {
  const { admin } = readLogins(findLoginFile(process.env));
  const url = chooseAdmin(admin, words[0]);
  const login = admin.get(url);
  if (login === undefined) throw new LoginError(`No command is signed in at ${url}.`);
  // It is forgotten here only once the gateway has ended it, so that a failed attempt can be repeated.
  if (login.untilMs > Date.now()) await endAdminLogin(url, login.secret);
  await changeLogins((kept) => {
    const left = new Map(kept.admin);
    left.delete(url);
    return { ...kept, admin: left };
  });
  io.out(switches.has("json") ? formatJson({ url }) : `Signed out at ${url}.`);
}

function chooseAdmin(admin: ReadonlyMap<string, AdminLogin>, given: string | undefined): string {
  if (given !== undefined) return readGateway(given);
  const [only, ...others] = admin.keys();
  if (only === undefined) throw new LoginError("No command is signed in at any gateway.");
  if (others.length === 0) return only;
  throw new UsageError(
    `commands are signed in at several gateways; name one: ${[...admin.keys()].join(", ")}`,
  );
}

async function printToken({ words, switches }: Arguments, io: Io): Promise<void> {
  const [given] = words;
  const { url, login } = await takeLogin(process.env, given === undefined ? null : readGateway(given));
  const view = { url, token: login.secret, expires_at: new Date(login.untilMs).toISOString() };
  io.out(switches.has("json") ? formatJson(view) : login.secret);
}

/** Returns a sign-in that works for a while, at the gateway that is asked for or the last one. Throws a LoginError if there is none. */
export function takeLogin(
  env: Readonly<Record<string, string | undefined>>,
  asked: string | null,
): Promise<{ url: string; login: Login }> {
  const file = findLoginFile(env);
  // Refresh tokens work once: agents that ask at the same time take turns, and the first one's answer serves all.
  return lockLogins(file, () => findLogin(file, asked));
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
  writeLogins(file, { ...logins, byUrl });
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
