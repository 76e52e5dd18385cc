// Mutants of the package's launcher: nothing of the working folder changes what it starts.
import type { Mutant } from "../mutant.ts";

const OPENED = ["test/app/npm/opened.test.ts"];

export const LAUNCHING: readonly Mutant[] = [
  {
    name: "the launcher's program starts in the working folder",
    file: "src/deploy/npm/launch.mjs",
    find: "process.chdir(HERE);\n",
    replace: "",
    tests: OPENED,
  },
  {
    name: "a working folder's settings and variables are read by what the launcher starts",
    file: "src/deploy/npm/launch.mjs",
    find: "const args = [...flags, join(",
    replace: "const args = [join(",
    tests: OPENED,
  },
];
