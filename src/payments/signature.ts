// Stripe's signature on what it sends (docs.stripe.com/webhooks/signature), checked before anything in it is read.
import { createHmac, timingSafeEqual } from "node:crypto";

/** An older event may be one that somebody kept to send it again. */
const AGE_MAX_MS = 300_000;
const HEADER_CHARACTERS_MAX = 4096;
/** While a secret is replaced, there are two. */
const SIGNATURES_MAX = 20;
const DIGEST = /^[0-9a-f]{64}$/;
const SECONDS = /^\d{1,12}$/;
const MS_PER_SECOND = 1000;

/** Returns why the sender can't be Stripe, or null. The key is the whole secret, `whsec_` included. */
export function refuseSignature(
  header: string | null,
  body: Uint8Array,
  secret: string,
  nowMs: number,
): string | null {
  if (header === null) return "it has no Stripe-Signature header";
  const { seconds, digests } = readHeader(header);
  if (seconds === null || digests.length === 0) return "its Stripe-Signature header can't be read";
  const ageMs = nowMs - Number(seconds) * MS_PER_SECOND;
  // Also one from the future: either clock is wrong, and the time is all that ends a signature.
  if (Math.abs(ageMs) > AGE_MAX_MS) return "its signature isn't from the last 5 minutes";
  const expected = createHmac("sha256", secret).update(`${seconds}.`).update(body).digest();
  const isOurs = digests.map((digest) => timingSafeEqual(Buffer.from(digest, "hex"), expected));
  return isOurs.includes(true) ? null : "its signature isn't by topups.stripe.webhook_secret";
}

/** Other schemes than `v1` are ignored: `v0` is for Stripe's own tests. */
function readHeader(header: string) {
  const parts = header.length > HEADER_CHARACTERS_MAX ? [] : header.split(",").map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [seconds = "", ...others] = valuesOf("t");
  const isTimed = others.length === 0 && SECONDS.test(seconds);
  const digests = valuesOf("v1")
    .filter((digest) => DIGEST.test(digest))
    .slice(0, SIGNATURES_MAX);
  return { seconds: isTimed ? seconds : null, digests };
}
