// The files of the console and the manual with their links below the gateway's base path.
import { placeHtml } from "./base-path.ts";
import { makeWhenAsked, type PageFile } from "./files.ts";

/** The name of the element by which the console's script learns the base. */
const BASE_META = "base-path";

/** The forms in which files name paths of the gateway, by the ends of their names. */
const FORMS: Readonly<Record<string, (text: string, base: string) => string>> = {
  html: (text, base) =>
    placeHtml(text, base).replace("<head>", `<head>\n<meta name="${BASE_META}" content="${base}">`),
  // The bundler writes the places of other scripts into each.
  js: (text, base) => text.replace(/(?<=["'`])\/console\//g, `${base}/console/`),
  css: (text, base) => text.replace(/(?<=url\(["']?)\/(?=console\/|docs\/)/g, `${base}/`),
  json: (text, base) => text.replace(/(?<="href":")\/(?!\/)/g, `${base}/`),
  md: placeMarkdown,
  txt: placeMarkdown,
};

function placeMarkdown(text: string, base: string): string {
  return text.replace(/(?<=\]\()\/(?!\/)/g, `${base}/`);
}

/** Returns the loader itself without a base. */
export function placeFiles(
  load: () => Promise<readonly PageFile[]>,
  base: string,
): () => Promise<readonly PageFile[]> {
  if (base === "") return load;
  return async () => (await load()).map((file) => placeFile(file, base));
}

function placeFile(file: PageFile, base: string): PageFile {
  const place = FORMS[file.name.slice(file.name.lastIndexOf(".") + 1)];
  if (place === undefined) return file;
  return makeWhenAsked(file.name, () =>
    Bun.gzipSync(place(new TextDecoder().decode(Bun.gunzipSync(file.gzip)), base)),
  );
}
