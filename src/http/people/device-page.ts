// The page on which a person lets an agent in: it asks for the code, and shows the agent, its address and the time.

import type { Account } from "../../core/keys/key.ts";
import type { DeviceCode } from "../../core/people/device.ts";
import { createDocument, escapeHtml } from "./sign-in-page.ts";

interface PageContent {
  readonly status?: number;
  /** The sentence on what was wrong. */
  readonly mistake?: string;
  /** The origins of this gateway's own sign-in, to which the form may lead. */
  readonly formTo: readonly string[];
}

const TITLE = "Sign in an agent or a command line";
const CODE_FIELD = `<label>The code that your agent or command line shows<br>
<input name="user_code" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX"></label>`;

function formatMistake(mistake: string | undefined): string {
  return mistake === undefined ? "" : `<p role="alert"><strong>${escapeHtml(mistake)}</strong></p>\n`;
}

/** Asks for a code. */
export function createCodePage({ status = 200, mistake, formTo }: PageContent): Response {
  const main = `${formatMistake(mistake)}<p>An agent or a command line on your computer shows a code. Only go on if you started it yourself.</p>
<form method="post" action="/device">
${CODE_FIELD}
<p><button type="submit">Continue</button></p>
</form>`;
  return createDocument({ status, title: TITLE, main, formTo });
}

interface Pending extends PageContent {
  readonly code: DeviceCode;
  /** The code, if the person has typed it on the page before. Null asks for it. */
  readonly typed: string | null;
  readonly person: string;
}

interface PendingAgent extends Pending {
  /** Those to choose from. Null if there are too many to show. */
  readonly accounts: readonly Account[] | null;
}

interface PendingLogin extends Pending {
  readonly role: string;
}

/** Shows which agent asks, and asks for the decision. The code stands in the page only if the person has typed it. */
export function createDecisionPage({ accounts, ...pending }: PendingAgent): Response {
  const asks = "<p>This agent asks to work in your name:</p>";
  return createQuestion(pending, asks, "Agent", formatAccounts(accounts));
}

/** Shows that a command line asks for the person's rights, which is more than an agent's key. */
export function createLoginPage({ role, ...pending }: PendingLogin): Response {
  const asks = `<p><strong>This isn't an agent: a command line asks for your rights on this gateway.</strong> It may read and
change what you may (your role: ${escapeHtml(role)}), for 12 hours at most.</p>`;
  return createQuestion(pending, asks, "Program", "");
}

function createQuestion(
  { status = 200, mistake, formTo, code, typed, person }: Pending,
  asks: string,
  kind: string,
  fields: string,
): Response {
  const typedField =
    typed === null ? CODE_FIELD : `<input type="hidden" name="user_code" value="${escapeHtml(typed)}">`;
  const main = `${formatMistake(mistake)}${asks}
<dl>
<dt>${kind}</dt><dd>${escapeHtml(code.agent)}</dd>
<dt>Address</dt><dd>${escapeHtml(code.address || "unknown")}</dd>
<dt>Asked at</dt><dd>${new Date(code.createdAtMs).toISOString().replace("T", " ").slice(0, 19)} UTC</dd>
<dt>You are</dt><dd>${escapeHtml(person)}</dd>
</dl>
<p>If you didn't start it yourself just now, deny it: somebody may have sent you this page.</p>
<form method="post" action="/device">
${typedField}
${fields}
<p><button type="submit" name="action" value="approve">Approve</button>
<button type="submit" name="action" value="deny">Deny</button></p>
</form>`;
  return createDocument({ status, title: TITLE, main, formTo });
}

function formatAccounts(accounts: readonly Account[] | null): string {
  if (accounts === null) {
    return `<label>The id of the account that pays<br><input name="account" required maxlength="100"></label>`;
  }
  const [only, ...others] = accounts;
  if (only === undefined) return "";
  if (others.length === 0) return `<input type="hidden" name="account" value="${escapeHtml(only.id)}">`;
  const options = accounts.map(
    ({ id, name }) => `<option value="${escapeHtml(id)}">${escapeHtml(name)}</option>`,
  );
  return `<label>The account that pays<br><select name="account" required>
<option value="">Choose one</option>
${options.join("\n")}
</select></label>`;
}

/** Says how it ended. */
export function createOutcomePage(status: number, title: string, message: string): Response {
  return createDocument({ status, title, main: `<p>${escapeHtml(message)}</p>` });
}
