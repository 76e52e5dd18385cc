// `poundkey catalogue publish` and `verify`: make a signed list of models, and check one.
import type { KeyObject } from "node:crypto";
import { readKeyFile } from "../../app/build/sign.ts";
import { nameSignature, obtainList } from "../../app/models/feed-fetch.ts";
import { type Publication, publishList, readListText } from "../../app/models/publish-list.ts";
import { readBytes } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { type Arguments, UsageError } from "../arguments.ts";
import { readPublicKeyFile } from "./list-keys.ts";

/** Returns 1 for rows that can't be published, 2 for a key that can't be used and where no serial is left. */
export async function publishCatalogue(args: Arguments, io: Io): Promise<number> {
  const { values, lists } = args;
  const folder = values.get("out") ?? ".";
  const publishing = {
    withFiles: lists.get("with") ?? [],
    only: lists.get("only") ?? [],
    folder,
    serial: readSerial(values.get("serial")),
    after: values.get("after"),
    key: readSigner(lists.get("key") ?? []),
  };
  let published: Publication;
  try {
    published = publishList(publishing);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    io.err(`poundkey: nothing was published: ${error.message}`);
    return EXIT.failed;
  }
  return report(published, publishing.key !== undefined, args, io);
}

function report(published: Publication, isSigned: boolean, { switches }: Arguments, io: Io): number {
  if (published.kind === "unnumbered") throw new UsageError(published.why);
  if (switches.has("json")) {
    const { kind, ...rest } = published;
    io.out(JSON.stringify({ written: kind === "written", signed: kind === "written" && isSigned, ...rest }));
  } else if (published.kind === "equal")
    io.out(`Nothing was written: the rows are those of serial ${published.serial}.`);
  else {
    const { file, serial, rows } = published;
    io.out(
      `${file}: serial ${serial}, ${rows} models, ${isSigned ? `signed by ${nameSignature(file)}` : "not signed"}`,
    );
  }
  return EXIT.done;
}

function readSerial(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const serial = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(serial) && serial > 0) return serial;
  throw new UsageError("--serial must be an integer from 1 to 2^53 - 1");
}

function readSigner([named, ...more]: readonly string[]): KeyObject | undefined {
  if (more.length > 0) throw new UsageError("publish signs with one key");
  const file = named ?? (process.env.POUNDKEY_SIGNING_KEY || undefined);
  if (file === undefined) return undefined;
  try {
    return readKeyFile(file);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Returns 1 for a list that can't be used, or that none of the keys has signed. */
export async function verifyCatalogue(args: Arguments, file: string, io: Io): Promise<number> {
  const keys = (args.lists.get("key") ?? []).map(readPublicKeyFile);
  try {
    const ports = { fetch, readFile: readBytes };
    const { text, key } = await obtainList(file, keys, ports);
    const { serial, asOf, source, rows, leftOut } = readListText(text, Date.now());
    if (args.switches.has("json")) {
      const view = { serial, as_of: asOf, source, rows: rows.length, left_out: leftOut, key };
      io.out(JSON.stringify(view));
      return EXIT.done;
    }
    io.out(`serial ${serial} of ${asOf}, ${rows.length} models${leftOut > 0 ? `, ${leftOut} left out` : ""}`);
    io.out(
      key === null ? "The signature wasn't looked at: name the public key by --key." : `signed by ${key}`,
    );
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    io.err(`poundkey: ${file} can't be used (${error.why}): ${error.message}`);
    return EXIT.failed;
  }
}
