// Request headers of ours.
import { Fault } from "../core/fault.ts";

/** A number in a header of ours; null when it isn't sent. */
export function headerNumber(headers: Headers, name: string, least: number, most: number): number | null {
  const given = headers.get(name);
  if (given === null) return null;
  const value = given.trim() === "" ? Number.NaN : Number(given);
  if (value >= least && value <= most) return value;
  const message = `Invalid header '${name}': expected a number from ${least} to ${most}.`;
  throw new Fault("invalid_value", message, { param: name });
}
