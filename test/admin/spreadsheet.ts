// Opens exported CSV in LibreOffice, by hand: `bun test/admin/spreadsheet.ts` (needs `soffice`). Exits with 1 if a number or a
// text isn't what was exported, or a cell became a formula.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatCsvLine } from "../../src/admin/log/csv.ts";

const TEXTS = [
  '=HYPERLINK("http://evil"), "x"',
  "+1+1",
  "-2+3",
  "@sum(1)",
  "\t=1+1",
  "\r=1",
  "a, b",
  "two\nlines",
];
const NUMBERS = [0, -12.5, 0.000000001, 1234567.8912345, -0.000001];

const directory = mkdtempSync(join(tmpdir(), "poundkey-spreadsheet-"));
try {
  const file = join(directory, "export.csv");
  writeFileSync(
    file,
    [
      formatCsvLine(["text", "number"]),
      ...TEXTS.map((text) => formatCsvLine([text, 1])),
      ...NUMBERS.map((number) => formatCsvLine(["n", number])),
    ].join(""),
  );
  const profile = `-env:UserInstallation=file://${join(directory, "profile")}`;
  const opened = Bun.spawnSync([
    "soffice",
    profile,
    "--headless",
    "--convert-to",
    "fods",
    "--outdir",
    directory,
    file,
  ]);
  if (opened.exitCode !== 0) throw new Error(`soffice failed: ${opened.stderr}`);
  const sheet = readFileSync(join(directory, "export.fods"), "utf8");
  const read = [...sheet.matchAll(/office:value-type="float" office:value="([^"]+)"/g)].map(([, value]) =>
    Number(value),
  );
  const expected = [...TEXTS.map(() => 1), ...NUMBERS];
  const formulas = sheet.match(/table:formula=/g)?.length ?? 0;
  const texts = sheet.match(/office:value-type="string"/g)?.length ?? 0;
  const isRight =
    formulas === 0 && JSON.stringify(read) === JSON.stringify(expected) && texts === 2 + expected.length;
  console.log(
    `${formulas} formulas, ${texts} texts, numbers ${read.join(" ")}: ${isRight ? "right" : "wrong"}`,
  );
  process.exitCode = isRight ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true });
}
