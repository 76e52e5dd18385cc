// Mutants of `poundkey setup`: a run that ends anywhere leaves each settings file whole, and can be undone.
import type { Mutant } from "../mutant.ts";

const KILLS = ["test/cli/setup/kills.test.ts"];

export const CONNECTING: readonly Mutant[] = [
  {
    name: "a settings file is written in place",
    file: "src/cli/setup/apply.ts",
    find: "replaceFile(disk, file.target, file.next, file.mode);",
    replace: "disk.create(file.target, file.next, file.mode);",
    tests: KILLS,
  },
  {
    name: "an undo writes a settings file in place",
    file: "src/cli/setup/undo.ts",
    find: "else if (next !== undefined) replaceFile(disk, file.target, next.bytes, next.mode);",
    replace: "else if (next !== undefined) disk.create(file.target, next.bytes, next.mode);",
    tests: KILLS,
  },
  {
    name: "settings files are written before what undoes them",
    file: "src/cli/setup/apply.ts",
    find: "    begin(disk, folder, { backups, begun, keyFile });\n    const done = checked.map((plan) => writeFiles(disk, plan));",
    replace:
      "    const done = checked.map((plan) => writeFiles(disk, plan));\n    begin(disk, folder, { backups, begun, keyFile });",
    tests: KILLS,
  },
];
