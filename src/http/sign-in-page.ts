// The pages of a sign-in: the one that leads on, and the one that says why it was refused.

/** These pages load nothing, run nothing, and stand in no frame. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
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
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">${refresh}
<title>${escapeHtml(title)} · Poundkey</title>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="${href}">${escapeHtml(link.text)}</a></p>
</main>
</body>
</html>
`;
  const headers = new Headers(HEADERS);
  if (status === 503) headers.set("retry-after", "30");
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(html, { status, headers });
}
