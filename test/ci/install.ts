// Installs a row outside the checkout, or takes what an earlier run has installed, and links it into the checkout.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { Install } from "./installs.ts";
import { runCommand } from "./process.ts";

const DAY_MS = 86_400_000;
const KEPT_DAYS = 14;
const TRIES = 2;

export interface Place {
  readonly root: string;
  readonly cache: string;
  readonly now: Date;
  /** Takes nothing that an earlier run has installed. */
  readonly isFresh: boolean;
}

export interface Installed {
  readonly isWhole: boolean;
  readonly isKept: boolean;
  readonly cpu: number;
  readonly text: string;
}

/** Returns the week of the year, as in `2026-48`: packages that aren't pinned are taken anew with each. */
export function nameWeek(now: Date): string {
  const thursday = new Date(now);
  thursday.setUTCDate(now.getUTCDate() + 4 - (now.getUTCDay() || 7));
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * DAY_MS)) + 1;
  return `${thursday.getUTCFullYear()}-${String(week).padStart(2, "0")}`;
}

function nameKept({ name, from, version }: Install, { root, now }: Place): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const [program = ""] = version;
  if (Bun.which(program)) hasher.update(Bun.spawnSync([...version]).stdout);
  for (const file of from) hasher.update(readFileSync(join(root, file)));
  return `${name}-${nameWeek(now)}-${hasher.digest("hex").slice(0, 16)}`;
}

/** Installs it, a second time if the first fails. What isn't whole is linked too, for the tests that can do with it. */
export async function install(row: Install, place: Place): Promise<Installed> {
  const kept = join(place.cache, nameKept(row, place));
  if (!place.isFresh && existsSync(kept)) {
    link(join(kept, row.within), join(place.root, row.at));
    return { isWhole: true, isKept: true, cpu: 0, text: "" };
  }
  let made = await make(row, place);
  for (let tried = 1; !made.isWhole && tried < TRIES; tried++) {
    rmSync(made.folder, { recursive: true, force: true });
    const again = await make(row, place);
    made = { ...again, cpu: made.cpu + again.cpu, text: made.text + again.text };
  }
  // A virtual environment names its own path, so that only a link to it can be renamed.
  if (made.isWhole) {
    const other = `${made.folder}.link`;
    symlinkSync(made.folder, other);
    renameSync(other, kept);
    removeOld(row.name, [kept, made.folder], place);
  }
  link(join(made.folder, row.within), join(place.root, row.at));
  return { isWhole: made.isWhole, isKept: false, cpu: made.cpu, text: made.text };
}

interface Made extends Omit<Installed, "isKept"> {
  readonly folder: string;
}

async function make(row: Install, { root, cache }: Place): Promise<Made> {
  mkdirSync(join(cache, "made"), { recursive: true });
  const folder = mkdtempSync(join(cache, "made", `${row.name}-`));
  row.prepare(folder, root);
  let cpu = 0;
  let text = "";
  for (const command of row.commands(folder)) {
    const ran = await runCommand(command, { cwd: root, minutes: 30, isLow: true });
    cpu += ran.cpu;
    text += ran.text;
    if (ran.code !== 0) return { folder, isWhole: false, cpu, text };
  }
  return { folder, isWhole: true, cpu, text };
}

/** Links each entry rather than the folder, which may hold others beside them, as `.venv` does. */
function link(from: string, at: string): void {
  mkdirSync(at, { recursive: true });
  for (const entry of readdirSync(at))
    if (lstatSync(join(at, entry)).isSymbolicLink()) rmSync(join(at, entry));
  if (!existsSync(from)) return;
  for (const entry of readdirSync(from)) {
    rmSync(join(at, entry), { recursive: true, force: true });
    symlinkSync(join(from, entry), join(at, entry));
  }
}

/** Removes what no run of these two weeks has made, but for what is kept now. */
function removeOld(name: string, kept: readonly string[], { cache, now }: Place): void {
  const since = now.getTime() - KEPT_DAYS * DAY_MS;
  for (const folder of [cache, join(cache, "made")]) {
    for (const entry of readdirSync(folder)) {
      const path = join(folder, entry);
      if (!entry.startsWith(`${name}-`) || kept.includes(path)) continue;
      if (lstatSync(path).mtimeMs < since) rmSync(path, { recursive: true, force: true });
    }
  }
}
