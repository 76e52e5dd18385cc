// The programs in WebAssembly are those in their sources.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM as SCAN } from "../../../src/core/json/scan-program.ts";
import { PROGRAM as WEIGHTED_SUMS } from "../../../src/core/world/weighted-sums-program.ts";
import { ROOT } from "../../tidy/sources.ts";
import { assemble } from "./wasm/assemble.ts";

test.each([
  ["json", "scan", SCAN],
  ["world", "weighted-sums", WEIGHTED_SUMS],
])("%s/%s-program.ts is made from its source", (folder, name, program) => {
  const path = join(ROOT, "src/core", folder, name);
  const source = readFileSync(`${path}.wat`, "utf8");
  const made = Buffer.from(assemble(source)).toString("base64");
  const lines = made.match(/.{1,100}/g)?.map((line) => `  "${line}"`) ?? [];
  const text = `// Made from \`${name}.wat\` by \`UPDATE_WASM=1 bun test wasm\`.\n\nexport const PROGRAM =\n${lines.join(" +\n")};\n`;
  if (process.env.UPDATE_WASM) writeFileSync(`${path}-program.ts`, text);
  else expect(program).toBe(made);
});
