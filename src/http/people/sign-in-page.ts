// The pages of a sign-in: the one that leads on, and the one that says why it was refused.
import { toFault } from "../../core/faults/fault.ts";

const STYLE = `:root{color-scheme:light dark;--bg:#fafaf9;--surface:#fff;--line:#c9c7c2;--text:#1b1a18;--soft:#55524d;--accent:#0f766e;--on:#fff}
@media(prefers-color-scheme:dark){:root{--bg:#101211;--surface:#181b1a;--line:#454c49;--text:#ecefed;--soft:#b6bcb9;--accent:#2dd4bf;--on:#05221d}}
body{font:16px/1.5 -apple-system,"Segoe UI",Roboto,system-ui,sans-serif;margin:0;padding:8vh 1rem 2rem;background:var(--bg);color:var(--text)}
main{max-width:32rem;margin:0 auto;padding:1.5rem 2rem 2rem;background:var(--surface);border:1px solid var(--line);border-radius:12px}
h1{font-size:1.4rem;line-height:1.3}
a{color:var(--accent)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
label{display:block;margin:1rem 0}
input,select,button{font:inherit;padding:.4rem .8rem;margin:.25rem .5rem .25rem 0;border:1px solid var(--line);border-radius:7px;background:var(--surface);color:var(--text)}
button{font-weight:600;cursor:pointer}
button:first-of-type{background:var(--accent);border-color:var(--accent);color:var(--on)}
input{max-width:100%;box-sizing:border-box}
::placeholder{color:var(--soft)}`;
const STYLE_DIGEST = new Bun.CryptoHasher("sha256").update(STYLE).digest("base64");

/** These pages load nothing, run nothing, and stand in no frame. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

function makePolicy(formTo: readonly string[]): string {
  const action = formTo.length === 0 ? "'none'" : formTo.join(" ");
  return `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; base-uri 'none'; form-action ${action}; frame-ancestors 'none'`;
}

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? "");
}

interface PageText {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  /** The page's only link. */
  readonly link: { readonly href: string; readonly text: string };
  /** True if the browser goes there by itself. */
  readonly leadsOn?: boolean;
  readonly cookies?: readonly string[];
}

/** Returns the page. All texts are escaped. */
export function createPage({ status, title, message, link, leadsOn, cookies = [] }: PageText): Response {
  const href = escapeHtml(link.href);
  const refresh = leadsOn ? `\n<meta http-equiv="refresh" content="0; url=${href}">` : "";
  const main = `<p>${escapeHtml(message)}</p>\n<p><a href="${href}">${escapeHtml(link.text)}</a></p>`;
  return createDocument({ status, title, main, refresh, cookies });
}

/** Returns the page of a fault, which a person reads. Throws any other error again: only the log may know of it. */
export function createFaultPage(error: unknown, { title, link }: Pick<PageText, "title" | "link">): Response {
  const { code, row, message } = toFault(error);
  if (code === "internal_error") throw error;
  return createPage({ status: row.status, title, message, link });
}

interface PageParts {
  readonly status: number;
  readonly title: string;
  /** HTML below the title. */
  readonly main: string;
  readonly refresh?: string;
  readonly cookies?: readonly string[];
  /** The origins to which a form may lead, as a Content-Security-Policy names them. None without. */
  readonly formTo?: readonly string[];
}

/** Returns the page. Only its title is escaped here. */
export function createDocument({
  status,
  title,
  main,
  refresh = "",
  cookies = [],
  formTo = [],
}: PageParts): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">${refresh}
<title>${escapeHtml(title)} · Poundkey</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${main}
</main>
</body>
</html>
`;
  const headers = new Headers({ ...HEADERS, "content-security-policy": makePolicy(formTo) });
  if (status === 503) headers.set("retry-after", "30");
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(html, { status, headers });
}
