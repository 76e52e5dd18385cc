// A step of the build: writes the console's files, compressed, to the folder that is then put into the binary.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledFiles, embeddedName } from "./console-files.ts";

const FOLDER = join(import.meta.dir, "..", "..", "dist", "console");

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const file of await bundledFiles()) writeFileSync(join(FOLDER, embeddedName(file)), file.gzip);
