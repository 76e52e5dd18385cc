// A store's address without secrets, and the error for an address without a store.
import { parsePostgresAddress } from "../../core/world/postgres-address.ts";

/** Returns a database's address without its user, password and options. */
export function redactAddress(address: string): string {
  const hosts = parsePostgresAddress(address)?.hosts ?? [];
  const [url = URL.parse(address), ...others] = hosts.map((host) => URL.parse(host.url));
  // An unescaped slash in the password would make it part of the path.
  if (url === null || url.pathname.includes("@")) return "a malformed address";
  const names = [url, ...others].map((one) => one?.host).join(",");
  return `${url.protocol}//${names}${url.pathname}`;
}

/** There is no store at the address and `create` is false. */
export class NoStoreError extends Error {
  constructor(place: string) {
    super(`There is no store at ${place}. Create one with \`poundkey serve\` or \`poundkey keys add\`.`);
  }
}
