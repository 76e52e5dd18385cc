// Certificates of a private authority for tests, made by openssl.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool } from "./tools.ts";

export const OPENSSL = findTool("openssl");

interface Certificate {
  /** In PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly authority: Certificate;
  /** For 127.0.0.1. */
  readonly server: Certificate;
  /** For the name `gateway`. */
  readonly client: Certificate;
}

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-certificates-"));
  const make = (name: string, options: readonly string[]): Certificate => {
    const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    const command = [OPENSSL ?? "", "req", "-x509", ...kind, "-subj", `/CN=${name}`, ...files, ...options];
    const { success, stderr } = Bun.spawnSync(command);
    if (!success) throw new Error(`no certificate ${name}: ${stderr}`);
    const read = (end: string) => readFileSync(join(folder, `${name}.${end}`), "utf8");
    return { cert: read("crt"), key: read("key") };
  };
  const signed = ["-CA", join(folder, "authority.crt"), "-CAkey", join(folder, "authority.key")];
  const authority = make("authority", ["-addext", "basicConstraints=critical,CA:TRUE"]);
  const server = make("server", [...signed, "-addext", "subjectAltName=IP:127.0.0.1"]);
  const client = make("gateway", signed);
  rmSync(folder, { recursive: true });
  return { authority, server, client };
}
