// Each detector's vectors: texts with a value that it finds, which stands between « and », and texts in which it finds none.

export interface Vectors {
  readonly found: readonly string[];
  readonly absent: readonly string[];
}

/** A made-up run of characters with every kind of them, so that no real secret stands here. */
function fill(count: number, alphabet = "aB3dE5gHjK7mNpQ2rS9tUvWx"): string {
  return alphabet.repeat(Math.ceil(count / alphabet.length)).slice(0, count);
}

const LETTERS = "abCdEfGhiJkLmnOpQrStuVwXyz";
const BASE32 = "A2B3C4D5E6F7GHIJKLMNOPQRSTUVWXYZ";
const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");
const PAYLOAD = Buffer.from('{"sub":"1234567890","name":"Ada"}').toString("base64url");
const NO_ALG = Buffer.from('{"typ":"JWT","kid":"1"}').toString("base64url");
const begin = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----`;
const end = (kind: string): string => `-----END ${kind}PRIVATE KEY-----`;

export const VECTORS: Readonly<Record<string, Vectors>> = {
  openai_key: {
    found: [
      `key «sk-${fill(20)}T3BlbkFJ${fill(20)}».`,
      `«sk-proj-${fill(100)}_-${fill(20)}»`,
      `«sk-svcacct-${fill(40)}»`,
      `x=«sk-admin-${fill(40)}»`,
    ],
    absent: [`sk-${fill(48)}`, `sk-proj-${fill(39)}`, `sk-proj-${"x".repeat(60)}`, `ask-proj-${fill(60)}`],
  },
  anthropic_key: {
    found: [`«sk-ant-api03-${fill(93)}-${fill(6)}»`, `«sk-ant-oat01-${fill(80)}»`],
    absent: [`sk-ant-api03-${fill(79)}`, `sk-ant-${fill(95)}`],
  },
  google_key: { found: [`key=«AIza${fill(35)}»`], absent: [`AIza${fill(34)}`, `AIza${fill(36)}`] },
  aws_key: {
    found: [`«AKIA${fill(16, BASE32)}»`, `"«ASIA${fill(16, BASE32)}»"`],
    absent: ["AKIAIOSFODNN7EXAMPLE", `AKIA${fill(15, BASE32)}`, `AKIA${fill(17, BASE32)}`],
  },
  github_token: {
    found: [`«ghp_${fill(36)}»`, `«ghs_${fill(36)}»`, `«github_pat_${fill(22)}_${fill(59)}»`],
    absent: [`ghp_${fill(35)}`, `ghx_${fill(36)}`, `github_pat_${fill(81)}`],
  },
  gitlab_token: { found: [`«glpat-${fill(20)}»`], absent: [`glpat-${fill(19)}`] },
  slack_token: {
    found: [`«xoxb-123456789012-${fill(24)}»`],
    absent: ["xoxb-not-a-real-token-at-all", "xoxb-12345"],
  },
  stripe_key: { found: [`«sk_live_${fill(24)}»`, `«rk_prod_${fill(99)}»`], absent: [`sk_test_${fill(24)}`] },
  npm_token: { found: [`//registry/:_authToken=«npm_${fill(36)}»`], absent: [`npm_${fill(35)}`] },
  pypi_token: { found: [`«pypi-AgEIcHlwaS5vcmc${fill(160)}»`], absent: [`pypi-AgEIcHlwaS5vcmc${fill(49)}`] },
  sendgrid_key: { found: [`«SG.${fill(22)}.${fill(43)}»`], absent: [`SG.${fill(22)}.${fill(42)}`] },
  huggingface_token: { found: [`«hf_${fill(34, LETTERS)}»`], absent: [`hf_${fill(34)}`] },
  poundkey_key: { found: [], absent: [`sk-${fill(49)}`] },
  jwt: {
    found: [`Bearer «${HEADER}.${PAYLOAD}.${fill(43)}»`, `«${HEADER}.${PAYLOAD}.${fill(342)}», and`],
    absent: [
      `${NO_ALG}.${PAYLOAD}.${fill(43)}`,
      `${HEADER}.${PAYLOAD}`,
      `${HEADER}.${PAYLOAD}.${fill(9)}`,
      `eyJ${fill(40)}.${PAYLOAD}.${fill(43)}`,
    ],
  },
  private_key: {
    found: [
      `«${begin("")}\n${fill(64)}\n${end("")}» and`,
      `x\\n«${begin("RSA ")}\\n${fill(64)}\\n${fill(64)}\\n${end("RSA ")}»\\n`,
      `«${begin("OPENSSH ")}\r\n${fill(70)}\r\n${fill(20)}==»\n\nThat was it.`,
      `«${begin("RSA ")}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n${fill(64)}\n${end("RSA ")}»`,
    ],
    absent: [
      `${begin("")} begins a key`,
      `${begin("")}\n${fill(63)}\n${end("")}`,
      `-----BEGIN PUBLIC KEY-----\n${fill(64)}\n-----END PUBLIC KEY-----`,
    ],
  },
  url_password: {
    found: [
      "postgres://poundkey:«s3cr3t-Kestrel»@db.corp-x.de:5432/poundkey",
      "amqp://ada:«k!7{x}[y]*q»@mq.corp-x.de",
      "redis://:«p@ss;word9»@[::1]/0".replace(";", ""),
    ],
    absent: [
      "postgres://user:password@db",
      `postgres://user:\${PASSWORD}@db`,
      "postgres://user:<password>@db",
      "postgres://user:***@db",
      "postgres://postgres:postgres@db",
      "https://a:b@db.corp-x.de",
      "https://corp-x.de:8080/a@b",
    ],
  },
  email: {
    found: [
      "«ada@corp-x.de»",
      "(«ada.lovelace+tag@mail.corp-x.co.uk»).",
      "写信给«ada@corp-x.de»吧",
      "'«ada@corp-x.de»'",
      "«ada@corp-x.de»-",
    ],
    absent: [
      "git@github.com:a/b",
      "user@1.2.3",
      "@scope/pkg",
      "a@b",
      "ada@example.com",
      "ada@mail.example.org",
      "ada@host.invalid",
      "logo@2x.png",
    ],
  },
  phone: {
    found: [
      "«+49 30 901820»",
      "«+49 (0)30 901820» or",
      "«0049 30 901820»",
      "«+44-20-7946-0958»",
      "«+4930901820»",
      "tel. «030 901820»",
      "Phone: «(030) 901820»",
      "mobile «01701234567»",
      "call «555-867-5309»",
    ],
    absent: [
      "1700000000",
      "030 901820",
      "+49",
      "+1 212 555 0123",
      "call 1700000000",
      "call on 2026-11-28",
      "1+4930901820",
    ],
  },
  card: {
    found: [
      "«4532 0151 1283 0366»",
      "«5425233430109903»",
      "«4532-0151-1283-0366»",
      "卡号«4532015112830366»。",
      "«3782 822463 10013»".replace("10013", "10013"),
    ].slice(0, 4),
    absent: [
      "4532 0151 1283 0367",
      "3714-496353-98431",
      "4111 1111 1111 1111",
      "4242424242424242",
      "x4532015112830366",
      "45320151128303660",
      "0.5239477450767043",
    ],
  },
  iban: {
    found: [
      "«DE89 3704 0044 0532 0130 00»",
      "«GB82WEST12345698765432»",
      "«DE02037040044053201309»",
      "«DE98037040044053201327»",
    ],
    absent: [
      "DE88 3704 0044 0532 0130 00",
      "DE8937040044053201300",
      "XX89370400440532013000",
      "DE00037040044053201345",
      "DE01037040044053201327",
      "DE99 0370 4004 4053 2013 09",
    ],
  },
  ip: {
    found: [
      "«93.184.216.34»",
      "«10.1.2.3»:8080",
      "«2a00:1450:4001:81b::200e»",
      "[«2606:4700:4700:0:0:0:0:1111»]",
      "«::ffff:93.184.216.34»",
    ],
    absent: [
      "v1.2.3.4",
      "127.0.0.1",
      "192.0.2.7",
      "version 1.2.3.4",
      "1.2.3.4.5",
      "a@1.2.3.4",
      "01.2.3.4",
      "256.1.1.1",
      "::1",
      "::",
      "fe80::1:2",
      "2001:db8::1",
      "12:30:45",
      "std::dead",
    ],
  },
  mac: {
    found: ["«3c:22:fb:1a:2b:3c»", "«3C-22-FB-1A-2B-3C»"],
    absent: [
      "ff:ff:ff:ff:ff:ff",
      "00:00:00:00:00:00",
      "3c:22:fb:1a:2b:3c:44",
      "3c:22-fb:1a:2b:3c",
      "3c:22:fb:1a:2b",
    ],
  },
  us_ssn: {
    found: ["«536-90-4399»", "«536 90 4399»", "ssn «536904399»", "Social Security: «536904399»"],
    absent: [
      "666-90-4399",
      "078-05-1120",
      "457-55-5462",
      "219-09-9999",
      "536904399",
      "000-90-4399",
      "536-00-4399",
    ],
  },
  us_itin: { found: ["«912-90-3456»"], absent: ["912-93-4567", "812-90-3456"] },
  uk_nhs: { found: ["«943 476 5870»", "NHS no. «9434765870»"], absent: ["943 476 5871", "9434765870"] },
  uk_nino: { found: ["«AB123456C»", "«AB 12 34 56 C»"], absent: ["GB123456C", "DB123456C", "AB123456E"] },
  ca_sin: { found: ["«130 692 544»", "SIN: «130692544»"], absent: ["130 692 545", "130692544"] },
  au_tfn: { found: ["«123 456 782»", "tfn «123456782»"], absent: ["123 456 783", "123456782"] },
  au_medicare: {
    found: ["«2123 45670 1»", "Medicare «2123456701»"],
    absent: ["2123 45671 1", "1123 45670 1"],
  },
  in_aadhaar: {
    found: ["«2341 2341 2346»", "aadhaar «234123412346»"],
    absent: ["2341 2341 2347", "1341 2341 2346", "234123412346"],
  },
  in_pan: { found: ["«ACUPA7085R»"], absent: ["ACUXA7085R", "ACUPA0000R", "ACUPA7085RX"] },
  br_cpf: { found: ["«390.533.447-05»", "CPF «39053344705»"], absent: ["390.533.447-06", "111.111.111-11"] },
  nl_bsn: {
    found: ["bsn «111222333»", "burgerservicenummer: «111222333»"],
    absent: ["bsn 111222334", "111222333"],
  },
  fr_nir: {
    found: [
      "«2 95 10 99 126 111 93»",
      "NIR «295109912611193»",
      "numéro de sécurité sociale «295109912611193»",
    ],
    absent: ["2 95 10 99 126 111 94", "295109912611193"],
  },
  es_nif: {
    found: ["«54362315K»", "«X-2482300W»", "«54362315-K»", "«X2482300W»"],
    absent: ["54362315Z", "X-2482300A"],
  },
  it_cf: { found: ["«RCCMNL83S18D969H»"], absent: ["RCCMNL83S18D969G", "RCCMNL83X18D969H"] },
  pl_pesel: {
    found: ["pesel «44051401359»"],
    absent: ["pesel 44051401358", "44051401359", "pesel 44131401359"],
  },
  de_steuerid: {
    found: ["«36 574 261 809»", "Steuer-ID «36574261809»", "steuer_id: «36574261809»"],
    absent: ["36 574 261 808", "36574261809"],
  },
  cn_id: {
    found: ["«360426199101010071»", "身份证«360426199101010071»"],
    absent: ["360426199101010072", "360426199113010071"],
  },
  sg_nric: { found: ["«S1234567D»", "«F1234567N»"], absent: ["S1234567A", "A1234567D"] },
  kr_rrn: {
    found: ["«971013-9019902»", "주민등록번호 «9710139019902»"],
    absent: ["971013-9019903", "971313-9019902"],
  },
  fi_hetu: { found: ["«131052-308T»"], absent: ["131052-308U", "131352-308T"] },
  se_pnr: {
    found: ["«880320-0016»", "personnummer «8803200016»"],
    absent: ["880320-0018", "880332-0016", "8803200016"],
  },
  assigned_secret: {
    found: [
      'db_password = "«kT9#mQ2$vX7!pL4z»"',
      "API_KEY=«kT9mQ2vX7pL4zRb8»",
      '"token": "«kT9mQ2vX7pL4zRb8»"',
    ],
    absent: [
      "password = readPassword(configuration)",
      `password: \${DATABASE_PASSWORD}`,
      "token = process.env.SOME_TOKEN_X",
      "secret: aaaaaaaaaaaaaaaaaaaa",
      "password: ./path/to/the-file",
      "password: config.database.password",
      "passphrase: kT9mQ2vX7pL4zRb8",
    ],
  },
};
