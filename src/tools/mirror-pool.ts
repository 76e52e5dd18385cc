// Lets mirrors with the same lists be one object: most clients of a server with credentials of their own see the same tools.
import { areSameMirrors, type Mirror } from "./mirror.ts";

const KNOWN_MAX = 1000;

export class MirrorPool {
  /** By the hash of their lists. A mirror goes when nobody shows it any more. */
  readonly #known = new Map<bigint, WeakRef<Mirror>>();

  /** Returns a mirror that is known and has the same lists, or else the given one. */
  share(mirror: Mirror): Mirror {
    const hash = hashLists(mirror);
    const known = this.#known.get(hash)?.deref();
    if (known !== undefined && areSameMirrors(known, mirror)) return known;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(hash, new WeakRef(mirror));
    return mirror;
  }
}

/** Servers may make two lists with the same hash, so it isn't relied on. */
function hashLists({ tools, prompts, resources, templates }: Mirror): bigint {
  let hash = 0n;
  for (const { name, members } of tools.values()) hash = Bun.hash.wyhash(`${name} ${members}`, hash);
  for (const entries of [prompts, resources, templates])
    for (const { key, members } of entries) hash = Bun.hash.wyhash(`${key} ${members}`, hash);
  return hash;
}
