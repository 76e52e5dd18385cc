// The script and style of the API's page: out of the binary where there is one, else as the package has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DocsFiles } from "../http/docs.ts";

/** What the build puts into the binary: `dist/docs`, under its last name. */
const EMBEDDED = "docs";
export const SCRIPT_FILE = "page.js.gz";
export const STYLE_FILE = "page.css.gz";

/** The plugin's page loads one script, which finds the document's address in the element `api-reference`. */
const START = `
const at = document.getElementById("api-reference");
const page = document.body.appendChild(document.createElement("main"));
SwaggerUIBundle({ url: at.dataset.url, domNode: page, deepLinking: true, validatorUrl: null });
`;

export function docsFiles(): DocsFiles {
  return Bun.isStandaloneExecutable ? embeddedFiles() : packagedFiles();
}

function embeddedFiles(): DocsFiles {
  const read = (name: string) => new Uint8Array(readFileSync(join(import.meta.dir, EMBEDDED, name)));
  return { script: read(SCRIPT_FILE), style: read(STYLE_FILE) };
}

export function packagedFiles(): DocsFiles {
  const read = (name: string) =>
    readFileSync(Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir), "utf8");
  return {
    script: Bun.gzipSync(read("swagger-ui-bundle.js") + START, { level: 9 }),
    style: Bun.gzipSync(read("swagger-ui.css"), { level: 9 }),
  };
}
