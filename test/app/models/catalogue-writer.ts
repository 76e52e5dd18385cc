// Changes a catalogue file over and over, until it is killed: `catalogue-writer.ts FILE ONE OTHER`.
import { readFileSync } from "node:fs";
import { changeCatalogueFile } from "../../../src/app/models/catalogue-file.ts";

const [file = "", ...texts] = process.argv.slice(2);
const [one = "", other = ""] = texts.map((text) => readFileSync(text, "utf8"));
for (;;) {
  await changeCatalogueFile(file, (before) => (before === one ? other : one));
  process.stdout.write("written\n");
}
