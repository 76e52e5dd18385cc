// The address of a store as people may see it, and the error for a place where there is none.

/** A database's address without its user, password and options. */
export function withoutUser(address: string): string {
  const url = URL.parse(address);
  // A password with an unescaped slash in it would be a part of the path.
  if (url === null || url.pathname.includes("@")) return "an address that is malformed";
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** There is no store at the address, and `create` is off. */
export class NoStoreError extends Error {
  constructor(place: string) {
    super(`There is no store at ${place}; \`poundkey serve\` or \`poundkey keys add\` makes one.`);
  }
}
