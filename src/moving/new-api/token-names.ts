// Names of the keys that tokens become: One API calls the first token of every user `default`.
import { cutName, type ForeignRow, NAME_CHARACTERS_MAX, readNumber, readText } from "../columns.ts";

const LAST_CHARACTERS = 4;

interface TokenName {
  readonly row: ForeignRow;
  readonly user: ForeignRow | undefined;
  readonly name: string;
}

/** Returns the token without the prefix that it is sent with. */
export function readBare(row: ForeignRow): string {
  return readText(row, "key")?.trim().replace(/^sk-/, "") ?? "";
}

export function readTokenName(row: ForeignRow): string {
  const id = readNumber(row, "id") ?? readBare(row).slice(-LAST_CHARACTERS);
  return cutName(readText(row, "name") ?? "") || `token ${id}`;
}

/** Adds the user to names that several tokens have, and the token's last characters to those of one user. */
export function tellApart<Token extends TokenName>(tokens: readonly Token[]): readonly Token[] {
  return addWhereShared(
    addWhereShared(tokens, readUserName),
    ({ row }) => `…${readBare(row).slice(-LAST_CHARACTERS)}`,
  );
}

function readUserName({ row, user }: TokenName): string {
  return (user && readText(user, "username")) ?? `user ${readNumber(row, "user_id") ?? 0}`;
}

function addWhereShared<Token extends TokenName>(
  tokens: readonly Token[],
  describe: (token: Token) => string,
): readonly Token[] {
  const counts = Map.groupBy(tokens, ({ name }) => name);
  return tokens.map((token) => {
    if ((counts.get(token.name)?.length ?? 0) < 2) return token;
    const suffix = ` (${describe(token)})`;
    const head = [...token.name].slice(0, Math.max(0, NAME_CHARACTERS_MAX - suffix.length)).join("");
    return { ...token, name: cutName(`${head.trim()}${suffix}`) };
  });
}
