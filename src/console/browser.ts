// All that the console does to the browser beside drawing: calls, clocks, the clipboard, what is remembered.

export function send(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, { credentials: "same-origin", ...init });
}

export function nowMs(): number {
  return Date.now();
}

/** Milliseconds that only go forward, for measuring. */
export function tickMs(): number {
  return performance.now();
}

/** Runs once, after a while; gives what calls it off. */
export function later(afterMs: number, run: () => void): () => void {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
}

/** Runs again and again while the page is looked at; gives what ends it. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) run();
  }, ms);
  return () => clearInterval(timer);
}

/** A name that is used once, as an Idempotency-Key. */
export function uniqueName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Puts text on the clipboard; false when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Asked for without leave: the old way may still do.
  }
  return copiedTheOldWay(text);
}

/** A page over plain HTTP that isn't on localhost has no Clipboard API. */
function copiedTheOldWay(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  const host = document.querySelector("dialog[open]") ?? document.body;
  host.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

/** The address of this gateway. */
export function gatewayAddress(): string {
  return location.origin;
}

/** Returns an address of data within this page; until it is taken back, the browser keeps the data. */
export function lendAddress(data: Blob): { readonly url: string; readonly revoke: () => void } {
  const url = URL.createObjectURL(data);
  return { url, revoke: () => URL.revokeObjectURL(url) };
}

/** The value that this browser remembers under a name; null: nothing, or nothing is allowed to be. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`poundkey.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`poundkey.${name}`, value);
  } catch {
    // A browser that keeps nothing: the next visit starts from the defaults.
  }
}
