// A gateway process of which only the keys that name it have a rule that looks for everything.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { startAttacked } from "../../abuse/gateway.ts";
import { PROGRAM } from "../../harness/program.ts";

export const MODEL = "Local#plain";
/** The field of a key that asks for the rule. */
export const GUARDED = { guard: ["all"] };

const RULE =
  "guard: { rules: [{ name: all, detect: [secrets, contact, finance, network, ids], keys: [] }] }\n";

export function startGuarded() {
  return startAttacked({
    program: PROGRAM,
    provider: "answers.process.ts",
    prepare: (directory) => appendFileSync(join(directory, "poundkey.yaml"), RULE),
  });
}

/** Sends a chat's body, and returns the status. */
export async function sendChat(url: string, secret: string, body: string): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body,
  });
  await response.text();
  return response.status;
}
