// `poundkey login` and `poundkey token` as a person's shell runs them, with a home folder of their own.
import { join } from "node:path";
import { poundkey, type Ran } from "../../harness/poundkey.ts";
import { PROGRAM } from "../../harness/program.ts";
import { sendDecision } from "./agent.ts";
import type { Browser } from "./browser.ts";

/** The command's words, for agents that run it. */
export const TOKEN_COMMAND: readonly string[] = [...PROGRAM, "token"];

export function findFile(home: string): string {
  return join(home, ".config", "poundkey", "login.json");
}

/** Runs `poundkey login`, approves the code that it prints as the person in the browser, and waits for its end. */
export async function logInAt(
  url: string,
  home: string,
  browser: Browser,
  ...flags: readonly string[]
): Promise<number> {
  const child = Bun.spawn([...PROGRAM, "login", url, ...flags], {
    cwd: home,
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdout: "ignore",
    stderr: "pipe",
  });
  const reader = child.stderr.getReader();
  let said = "";
  for (;;) {
    const { value, done } = await reader.read();
    said += new TextDecoder().decode(value);
    const code = /type the code (\S+)/.exec(said)?.[1];
    if (code !== undefined) {
      const page = await sendDecision(browser, url, { user_code: code, action: "approve" });
      if (page.status !== 200) throw new Error(`not approved: ${page.text}`);
      break;
    }
    if (done) throw new Error(`no code: ${said}`);
  }
  return child.exited;
}

export function runToken(home: string, ...args: readonly string[]): Promise<Ran> {
  return poundkey(home, ["token", ...args], { HOME: home });
}
