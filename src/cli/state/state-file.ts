// A state file on disk: its text with the places of its fields, and the file that new secrets are written to.
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { formatErrors, source } from "../../app/start/configuration.ts";
import { createError, ERRORS_MAX } from "../../config/errors.ts";
import { YamlText } from "../../config/yaml.ts";
import { writeJsonLine } from "../../core/json/json-line.ts";
import type { MadeSecret } from "../../moving/state/draft.ts";
import { type Path, readStateFile, type State, type StateIssue } from "../../moving/state/file.ts";
import { nameUnread } from "../input-file.ts";

export interface StateText {
  readonly state: State;
  /** The text's value, as a gateway reads it by itself. */
  readonly value: unknown;
  /** The name by which the store knows what the file made. */
  readonly name: string;
  /** Throws an Error with every mistake at its place in the text, if there is one. */
  readonly refuse: (issues: readonly StateIssue[]) => void;
}

/** Reads YAML, or JSON, which is YAML too. Throws an Error that names lines and fields. */
export function readStateText(file: string): StateText {
  const text = nameUnread(file, source.readConfig);
  const yaml = new YamlText(text);
  const problems = yaml.problems().map(({ path, line, column, message }) => ({
    file,
    line,
    column,
    message,
    field: formatPath(path),
  }));
  if (problems.length > 0) throw makeRefusal(problems.map(createError));
  const value = yaml.value();
  const { state, issues } = readStateFile(value);
  const refuse: StateText["refuse"] = (all) => {
    if (all.length === 0) return;
    const errors = all
      .slice(0, ERRORS_MAX)
      .map(({ path, at, message }) =>
        createError({ file, ...yaml.findPosition(path, at), field: formatPath(path), message }),
      );
    throw makeRefusal(errors, all.length - errors.length);
  };
  refuse(issues);
  return { state, value, name: state.name ?? resolve(file), refuse };
}

function makeRefusal(errors: Parameters<typeof formatErrors>[0], more = 0): Error {
  const rest = more > 0 ? `\nand ${more} more` : "";
  return new Error(`the file is refused, and nothing was changed:\n${formatErrors(errors)}${rest}`);
}

function formatPath(path: Path): string {
  return path.reduce<string>((field, step) => {
    if (typeof step === "number") return `${field}[${step}]`;
    return field === "" ? step : `${field}.${step}`;
  }, "");
}

/** Writes a JSON line for each secret, which is on the disk before what it is for is made. */
export class SecretsFile {
  readonly #path: string;
  #file: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  exists(): boolean {
    return existsSync(this.#path);
  }

  /** Before anything changes, so that a place that can't be written to stops the command. */
  open(): number {
    this.#file ??= openSync(this.#path, "wx", OWN_MODE);
    return this.#file;
  }

  write({ kind, id, name, accountId, secret }: MadeSecret): void {
    const file = this.open();
    const line = { kind, id, name, ...(accountId === null ? {} : { account_id: accountId }), secret };
    writeSync(file, writeJsonLine(JSON.stringify(line)));
    fsyncSync(file);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }
}
/** Readable by its owner alone. */
const OWN_MODE = 0o600;
