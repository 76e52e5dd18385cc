// A store's address without secrets, and the error for an address without a store.

/** Returns a database's address without its user, password and options. */
export function redactAddress(address: string): string {
  const url = URL.parse(address);
  // An unescaped slash in the password would make it part of the path.
  if (url === null || url.pathname.includes("@")) return "a malformed address";
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** There is no store at the address and `create` is false. */
export class NoStoreError extends Error {
  constructor(place: string) {
    super(`There is no store at ${place}. Create one with \`poundkey serve\` or \`poundkey keys add\`.`);
  }
}
