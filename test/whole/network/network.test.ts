// A company's network: servers with certificates of a private authority that ask for the gateway's own, and proxies. Skipped
// if openssl isn't installed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as sendPlain } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { createIssuer } from "../../../src/app/oidc/oidc-client.ts";
import { makeCertificates, OPENSSL } from "../../harness/certificates.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { MICROSOCKS, startMicrosocks } from "../../harness/microsocks.ts";
import { loadText, requireSettings } from "../../harness/settings.ts";
import { readText } from "../world/serve.ts";
import { until } from "../world/until.ts";

const MESSAGES = [{ role: "user", content: "say: hello" }];

describe.skipIf(OPENSSL === null)("a company's network", () => {
  const { authority, server, client } = makeCertificates();
  const folder = mkdtempSync(join(tmpdir(), "poundkey-network-"));
  const written = { ca: authority.cert, cert: client.cert, key: client.key };
  const paths = Object.entries(written).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return [name, path, text] as const;
  });
  const FILES = Object.fromEntries(paths.map(([, path, text]) => [path, text]));
  const TLS = `tls: { ${paths.map(([name, path]) => `${name}: "\${file:${path}}"`).join(", ")} }`;
  const CA = `tls: { ca: "\${file:${join(folder, "ca")}}" }`;
  /** The paths that were asked for behind the server that takes certificates, and their names. */
  const asked: string[] = [];
  const names = new Set<unknown>();
  let behind = "";
  /** The targets that the proxy was asked for. */
  const proxied: string[] = [];
  const sockets = new Set<Socket>();
  let upstream = "";
  let stopSocks: (() => Promise<void>) | undefined;
  let gateway: UnderTest;

  /** Takes only connections that show a certificate of the authority's, and passes them on. */
  const inside = createTlsServer(
    { cert: server.cert, key: server.key, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (socket) => {
      const { port } = new URL(behind);
      const onward = connect(Number(port), "127.0.0.1");
      sockets.add(onward).add(socket);
      names.add(socket.getPeerCertificate().subject.CN);
      for (const one of [onward, socket]) one.on("error", () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    },
  );
  const plain = createServer(async (request, response) => {
    asked.push(request.url ?? "");
    if (!request.url?.startsWith("/openai")) {
      response.end("{}");
      return;
    }
    const body = await readText(request);
    const headers = {
      "content-type": "application/json",
      authorization: String(request.headers.authorization),
    };
    const answer = await fetch(upstream + request.url, { method: "POST", headers, body });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  const proxy = createServer((request, response) => {
    proxied.push(`${request.method} ${request.url}`);
    const forwarded = sendPlain(request.url ?? "", { method: "POST", headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  proxy.on("connect", (request, socket) => {
    proxied.push(`CONNECT ${request.url}`);
    if (request.headers["proxy-authorization"] === undefined) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
  });

  const listen = (one: typeof inside | typeof plain): Promise<number> =>
    new Promise((resolve) =>
      one.listen(0, "127.0.0.1", () => {
        const address = one.address();
        resolve(typeof address === "object" && address ? address.port : 0);
      }),
    );

  let origin = "";
  beforeAll(async () => {
    behind = `http://127.0.0.1:${await listen(plain)}`;
    origin = `https://127.0.0.1:${await listen(inside)}`;
    const port = await listen(proxy);
    const socks = MICROSOCKS === null ? null : await startMicrosocks();
    stopSocks = socks?.stop;
    const by = `proxy: "http://user:word@127.0.0.1:${port}"`;
    gateway = await startUnderTest({
      files: FILES,
      more(url) {
        upstream = url;
        const at = `keys: ["sim-key"], dialect: openai, unlisted_models: true, base_url: "${origin}/openai/v1"`;
        const plain = `keys: ["sim-key"], dialect: openai, unlisted_models: true, base_url: "${url}/openai/v1"`;
        return [
          `  Inside: { ${at}, ${TLS} }`,
          `  Untrusted: { ${at} }`,
          `  Unknown: { ${at}, ${CA} }`,
          `  Tunnelled: { ${at}, ${TLS}, ${by} }`,
          `  Refused: { ${at}, ${TLS}, proxy: "http://127.0.0.1:${port}" }`,
          `  Forwarded: { ${plain}, ${by} }`,
          `  Exempt: { ${plain}, ${by}, no_proxy: [10.0.0.0/8, 127.0.0.0/8] }`,
          `  Elsewhere: { ${plain}, ${by}, no_proxy: [.example.com, "127.0.0.1:1"] }`,
          `  Direct: { ${plain}, proxy: none }`,
          ...(socks
            ? [`  BySocks: { ${at}, ${TLS}, proxy: "socks5://user:w%40rd@127.0.0.1:${socks.port}" }`]
            : []),
          `hooks: [{ name: guard, url: "${origin}/hook", models: ["Direct#*"], on_failure: pass, ${TLS} }]`,
          `webhooks: [{ url: "${origin}/webhook", secret: "whsec_${Buffer.alloc(32).toString("base64")}", ${TLS} }]`,
          `telemetry: { otlp: { endpoint: "${origin}/otlp", ${TLS} } }`,
        ].join("\n");
      },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await stopSocks?.();
    for (const one of sockets) one.destroy();
    for (const one of [plain, proxy]) one.closeAllConnections();
    for (const one of [inside, plain, proxy]) one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (provider: string) => {
    proxied.length = 0;
    const answer = await gateway.chat({ model: `${provider}#gpt-5.4`, messages: MESSAGES });
    return [answer.status, await answer.text()] as const;
  };
  // The binary's events aren't seen.
  const tellsCause = async (words: string) =>
    BINARY === undefined &&
    until(words, () => gateway.events.some((event) => JSON.stringify(event).includes(words)));

  test("a provider that asks for the gateway's certificate gets it, and only of those who have one", async () => {
    expect((await ask("Inside"))[0]).toBe(200);
    const countChats = () => asked.filter((path) => path.startsWith("/openai")).length;
    expect([countChats(), ...names]).toEqual([1, "gateway"]);
    expect([(await ask("Unknown"))[0], countChats()]).toEqual([502, 1]);
  });

  test("a metric says how long the gateway's certificate for a provider is good", async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const found = [...text.matchAll(/^poundkey_certificate_expiry_seconds\{provider="(\w+)"\} (\S+)$/gm)];
    expect(found.map(([, provider]) => provider)).toEqual([
      "Inside",
      "Tunnelled",
      "Refused",
      ...(MICROSOCKS === null ? [] : ["BySocks"]),
    ]);
    for (const [, , seconds] of found) expect(Number(seconds)).toBeWithin(86_400, 2 * 86_400 + 1);
  });

  test("a certificate that isn't accepted is called so", async () => {
    expect((await ask("Untrusted"))[0]).toBe(502);
    await tellsCause("certificate not accepted (");
  });

  test("a proxy is asked for a tunnel or forwards, and hosts are exempt from it", async () => {
    const at = new URL(origin).host;
    expect([(await ask("Tunnelled"))[0], proxied]).toEqual([200, [`CONNECT ${at}`]]);
    expect([(await ask("Forwarded"))[0], proxied]).toEqual([
      200,
      [`POST ${upstream}/openai/v1/chat/completions`],
    ]);
    expect([(await ask("Elsewhere"))[0], proxied.length]).toEqual([200, 1]);
    expect([(await ask("Exempt"))[0], proxied]).toEqual([200, []]);
    expect([(await ask("Direct"))[0], proxied]).toEqual([200, []]);
  });

  test.skipIf(MICROSOCKS === null)(
    "a provider is reached by a SOCKS5 proxy, with certificates of its own",
    async () => {
      expect([(await ask("BySocks"))[0], proxied]).toEqual([200, []]);
    },
  );

  test("a proxy that refuses is named as the cause, and its password nowhere", async () => {
    const [status, text] = await ask("Refused");
    expect(status).toBe(502);
    await tellsCause("refused by the proxy (ERR_PROXY_TUNNEL)");
    expect(text + JSON.stringify(gateway.events)).not.toContain("word@");
  });

  test("hooks, webhooks, the collector and the identity provider have certificates of their own", async () => {
    await ask("Direct");
    await gateway.newKey({ name: "makes an event" });
    for (const path of ["/hook", "/webhook", "/otlp/v1/traces"])
      await until(path, () => asked.some((one) => one.startsWith(path)));
    const rule = "rules: [{ group: ops, role: admin }]";
    const text = `server: { public_url: "https://llm.example" }\nsign_in: { oidc: { issuer: "${origin}", client_id: c, client_secret: "0123456789abcdef", ${rule}, ${TLS} } }`;
    const { signIn } = requireSettings(loadText(text, { files: FILES }));
    if (signIn === undefined) throw new Error("no sign-in");
    // The issuer's answer has none of its addresses: what counts is that it was reached.
    await createIssuer(signIn, { nowMs: Date.now })
      .begin()
      .catch(() => {});
    expect(asked).toContain("/.well-known/openid-configuration");
  });
});
