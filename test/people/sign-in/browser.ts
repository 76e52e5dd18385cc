// A browser without a screen: it keeps cookies by host and path, follows redirects, and fills in forms.

interface Cookie {
  readonly value: string;
  readonly origin: string;
  readonly path: string;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const REDIRECTS_MAX = 15;

export class Browser {
  readonly #cookies = new Map<string, Cookie>();

  /** Gets one page, without following its redirect. */
  async get(url: string): Promise<Page> {
    return this.#send(url, {});
  }

  /** Gets a page and follows its redirects, up to the first whose address `until` accepts. */
  async follow(url: string, until: (url: string) => boolean = () => false): Promise<Page> {
    let page = await this.get(url);
    for (let count = 0; count < REDIRECTS_MAX; count++) {
      const location = page.headers.get("location");
      if (location === null) return page;
      const next = new URL(location, page.url).href;
      if (until(next)) return { ...page, url: next };
      page = await this.get(next);
    }
    throw new Error(`too many redirects: ${page.url}`);
  }

  /** Sends the page's form with these fields, and follows its redirects. */
  async submit(page: Page, fields: Readonly<Record<string, string>>, until?: (url: string) => boolean) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`no form at ${page.url}: ${page.text.slice(0, 500)}`);
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams([...hidden.map(([, name = "", value = ""]) => [name, value])]);
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const answer = await this.#send(new URL(action.replaceAll("&amp;", "&"), page.url).href, {
      method: "POST",
      body,
    });
    const location = answer.headers.get("location");
    if (location === null) return answer;
    const next = new URL(location, answer.url).href;
    return until?.(next) ? { ...answer, url: next } : this.follow(next, until);
  }

  /** The cookies that the browser sends to an address, as a header. */
  cookies(url: string): string {
    const { origin, pathname } = new URL(url);
    return [...this.#cookies]
      .filter(([, { origin: own, path }]) => own === origin && pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(" ", 1)[0]}=${value}`)
      .join("; ");
  }

  async #send(url: string, init: RequestInit): Promise<Page> {
    const headers = { cookie: this.cookies(url) };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.#keep(url, line);
    return { url, status: response.status, text: await response.text(), headers: response.headers };
  }

  #keep(url: string, line: string): void {
    const [pair = "", ...attributes] = line.split(/;\s*/);
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    const value = pair.slice(at + 1);
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
    const key = `${name} ${path}`;
    const isOver = attributes.some(
      (one) => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one),
    );
    if (isOver) this.#cookies.delete(key);
    else this.#cookies.set(key, { value, origin: new URL(url).origin, path });
  }
}
