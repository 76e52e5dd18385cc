// Everything the console asks of the browser besides drawing: requests, clocks, the clipboard and storage.

let base: string | null = null;

/** Returns the path below which the gateway's own lie, if it shares its address with others. */
function findBase(): string {
  base ??= document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? "";
  return base;
}

/** Returns the address of one of the gateway's paths. */
export function makeGatewayUrl(path: string): string {
  return findBase() + path;
}

export function fetchPath(path: string, init: RequestInit): Promise<Response> {
  return fetch(makeGatewayUrl(path), { credentials: "same-origin", ...init });
}

export function nowMs(): number {
  return Date.now();
}

/** Returns milliseconds of a clock that never goes back, for measuring. */
export function monotonicMs(): number {
  return performance.now();
}

/** Runs once after a delay. Returns a function that cancels it. */
export function runAfter(afterMs: number, run: () => void): () => void {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
}

/** Runs repeatedly while the page is visible. Returns a function that stops it. */
export function runEvery(ms: number, run: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) run();
  }, ms);
  return () => clearInterval(timer);
}

/** Returns a random name, for an Idempotency-Key. */
export function makeIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function printPage(): void {
  window.print();
}

/** Copies text to the clipboard. Returns false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Permission was denied, but the old way may still work.
  }
  return copyWithSelection(text);
}

/** Copies without the Clipboard API, which pages over plain HTTP lack unless they are on localhost. */
function copyWithSelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  const host = document.querySelector("dialog[open]") ?? document.body;
  host.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

/** True on Apple's systems, whose keyboards have ⌘ in the place of Ctrl. */
export function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

/** Opens a page of the gateway's beside this one. */
export function openBeside(url: string): void {
  window.open(url, "_blank", "noreferrer");
}

/** Goes to a page of somebody else's. */
export function openAddress(url: string): void {
  location.assign(url);
}

/** The scroll position of each page when it was left, by the page's place in the browser's history. */
const depths = new Map<number, number>();
let placeNow = 0;
let placesMade = 0;
let returning = false;

/** True if the browser went back or forward to the page that is shown. */
export function isReturning(): boolean {
  return returning;
}

/** Calls `onMove` whenever the address after the # changes: by a link, or because the browser goes back or forward. */
export function watchAddress(onMove: () => void): void {
  history.scrollRestoration = "manual";
  markPlace();
  window.addEventListener("scroll", () => depths.set(placeNow, window.scrollY), { passive: true });
  window.addEventListener("hashchange", () => {
    const known: unknown = history.state;
    returning = typeof known === "number";
    if (typeof known === "number") placeNow = known;
    else markPlace();
    onMove();
    if (returning) restoreDepth(depths.get(placeNow) ?? 0);
  });
}

/** Changes the address after the # without loading anything, as a new entry of the history or in place of this one. */
export function setAddress(hash: string, isNew: boolean): void {
  returning = false;
  if (isNew) {
    history.pushState(null, "", hash);
    markPlace();
  } else history.replaceState(history.state, "", hash);
}

/** Numbers a new entry of the history. */
function markPlace(): void {
  placeNow = ++placesMade;
  history.replaceState(placeNow, "");
}

const DEPTH_FRAMES_MAX = 60;

/** Scrolls as far as before, once the page is that long again. Gives up after a second. */
function restoreDepth(depth: number, frames = 0): void {
  const place = placeNow;
  requestAnimationFrame(() => {
    if (place !== placeNow) return;
    const most = document.documentElement.scrollHeight - window.innerHeight;
    if (most >= depth || frames >= DEPTH_FRAMES_MAX) window.scrollTo(0, depth);
    else restoreDepth(depth, frames + 1);
  });
}

const LINK = /^#once=(.*)$/;

/** True if the address is a link that signs in once. */
export function isLink(): boolean {
  return LINK.test(location.hash);
}

/** Returns the secret of such a link, and takes it out of the address and the history. Null for any other address. */
export function takeLinkSecret(): string | null {
  const secret = LINK.exec(location.hash)?.[1] ?? null;
  if (secret !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return secret;
}

/** The style sheets' rules for dark systems. */
let darkRules: readonly CSSMediaRule[] | null = null;
const DARK_SYSTEM = "(prefers-color-scheme: dark)";

function findDarkRules(): readonly CSSMediaRule[] {
  darkRules ??= [...document.styleSheets].flatMap(({ cssRules }) =>
    [...cssRules].filter((rule) => rule instanceof CSSMediaRule).filter(isForDark),
  );
  return darkRules;
}

function isForDark({ conditionText }: CSSMediaRule): boolean {
  return conditionText === DARK_SYSTEM;
}

/** Draws the page dark or light, whatever the system is. Null: as the system is. */
export function setDark(isDark: boolean | null): void {
  for (const { media } of findDarkRules())
    media.mediaText = isDark === null ? DARK_SYSTEM : isDark ? "all" : "not all";
  document.documentElement.style.colorScheme = isDark === null ? "" : isDark ? "dark" : "light";
}

export function reloadPage(): void {
  location.reload();
}

export function getGatewayUrl(): string {
  return location.origin + findBase();
}

/** Returns an object URL for the data, which the browser keeps until the URL is revoked. */
export function createObjectUrl(data: Blob): { readonly url: string; readonly revoke: () => void } {
  const url = URL.createObjectURL(data);
  return { url, revoke: () => URL.revokeObjectURL(url) };
}

/** Saves a text as a file, as a download does. */
export function saveFile(name: string, text: string, type: string): void {
  const { url, revoke } = createObjectUrl(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  runAfter(SAVING_MS, revoke);
}

/** The browser reads the data only after the click. */
const SAVING_MS = 10_000;

/** Returns a stored value. Null if there is none or storage is blocked. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`poundkey.${name}`);
  } catch {
    return null;
  }
}

export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(`poundkey.${name}`, value);
  } catch {
    // Storage is blocked: the next visit starts with the defaults.
  }
}
