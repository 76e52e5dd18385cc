// Reads CSV by RFC 4180, as a strict program does.

/** Returns the rows by their columns. Throws if a line isn't ended by CRLF, or a quote isn't closed. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    const [, quoted, plain = "", end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error(`no cell at ${at}: ${text.slice(at, at + 40)}`);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\r\n") rows.push([]);
  }
  const [head = [], ...lines] = rows.slice(0, -1);
  return lines.map((cells) => {
    if (cells.length !== head.length) throw new Error("a line of another width");
    return Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ""]));
  });
}
