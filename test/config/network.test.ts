// `tls`, `proxy` and `no_proxy` in the configuration: what is read, and the mistakes. Skipped without openssl.
import { describe, expect, test } from "bun:test";
import { makeCertificates, OPENSSL } from "../harness/certificates.ts";
import { loadText, readSettings } from "../harness/settings.ts";

describe.skipIf(OPENSSL === null)("a provider's network", () => {
  const { authority, client, server } =
    OPENSSL === null ? { authority: null, client: null, server: null } : makeCertificates();
  const files = {
    "/ca": authority?.cert ?? "",
    "/cert": client?.cert ?? "",
    "/key": client?.key ?? "",
    "/other": server?.key ?? "",
    "/broken": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
  };
  const own = (fields: string) => `providers: { OpenAI: { keys: [k], ${fields} } }`;
  const file = (name: string) => `"\${file:/${name}}"`;

  test("is read, and none is the same as before", () => {
    const find = (fields: string) => {
      const loaded = loadText(own(fields), { files });
      return loaded.ok ? loaded.settings.providers[0]?.network : loaded.errors;
    };
    expect(find("headers: {}")).toBeUndefined();
    expect(find("proxy: none")).toEqual({ proxy: null });
    expect(find('proxy: "http://user:word@proxy:3128", no_proxy: [.corp, 10.0.0.0/8]')).toEqual({
      proxy: "http://user:word@proxy:3128",
      noProxy: [".corp", "10.0.0.0/8"],
    });
    expect(find('proxy: "socks5://user:word@proxy"')).toEqual({ proxy: "socks5://user:word@proxy" });
    expect(find(`tls: { ca: ${file("ca")}, cert: ${file("cert")}, key: ${file("key")} }`)).toEqual({
      tls: { ca: files["/ca"].trim(), cert: files["/cert"].trim(), key: files["/key"].trim() },
    });
  });

  test("goes with the credentials to the servers that give their tokens", () => {
    const entra = "entra: { tenant: t, client_id: c, client_secret: s }";
    const [setup] = readSettings(`providers: { Azure: { resource: r, ${entra}, proxy: none } }`).providers;
    expect(setup?.credentials[0]?.proof).toMatchObject({ network: { proxy: null } });
  });

  test.each([
    ["proxy: socks4://proxy:1080", "providers.OpenAI.proxy", "socks5://proxy.example.com, or none"],
    [`proxy: "socks5://${"u".repeat(256)}@proxy"`, "providers.OpenAI.proxy", "up to 255 bytes"],
    ['proxy: "socks5://user:%zz@proxy"', "providers.OpenAI.proxy", "percent-encoded"],
    ["proxy: ftp://proxy", "providers.OpenAI.proxy", "expected a URL like"],
    ["proxy: s3cret", "providers.OpenAI.proxy", "expected a URL like"],
    ["no_proxy: [.corp]", "providers.OpenAI.no_proxy", "no effect without a proxy"],
    ["proxy: http://proxy, no_proxy: [10.0.0.0/40]", "providers.OpenAI.no_proxy[0]", "a block like"],
    [`tls: { cert: ${file("cert")} }`, "providers.OpenAI.tls", "cert and key together"],
    [`tls: { ca: ${file("key")} }`, "providers.OpenAI.tls.ca", "certificates in PEM"],
    [`tls: { ca: ${file("broken")} }`, "providers.OpenAI.tls.ca", "certificates in PEM"],
    [
      `tls: { cert: ${file("cert")}, key: ${file("other")} }`,
      "providers.OpenAI.tls.key",
      "private key of cert",
    ],
    [`tls: { cert: ${file("cert")}, key: ${file("ca")} }`, "providers.OpenAI.tls.key", "private key of cert"],
  ])("mistakes name the field and what would be right: %s", (fields, field, words) => {
    const loaded = loadText(own(fields), { files });
    const errors = loaded.ok ? [] : loaded.errors;
    expect(errors.map((one) => one.field)).toEqual([field]);
    expect(errors[0]?.message).toContain(words);
    expect(JSON.stringify(errors)).not.toMatch(/PRIVATE KEY|MII/);
  });
});
