// Small forms (x-www-form-urlencoded), as browsers, agents and identity providers send them.
import { type ArrivedBody, type BodyPorts, decodeUtf8, readHeld } from "./body.ts";

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const BYTES_MAX = 16_384;

/** Returns the fields. `makeError` makes the error for a body that isn't a form, from the reason. */
export async function readForm(
  ports: BodyPorts,
  request: Request,
  owner: string,
  makeError: (why: string) => Error,
): Promise<URLSearchParams> {
  const checkType = (headers: Headers) => {
    if (!FORM.test(headers.get("content-type") ?? "")) throw makeError("its Content-Type is another");
  };
  const parse = ({ bytes }: ArrivedBody) => new URLSearchParams(decodeUtf8(bytes, makeError));
  const held = ports.bodies.open();
  try {
    return await readHeld(request, ports, { owner, bytesMax: BYTES_MAX, held }, { checkType, parse });
  } finally {
    held.release();
  }
}
