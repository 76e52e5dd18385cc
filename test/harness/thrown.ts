// The error of a call that must fail, and its code.
import { Fault } from "../../src/core/faults/fault.ts";

/** Returns the promise's rejection, or undefined. */
export async function catchThrown(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Returns the code of a Fault, or undefined for any other error. */
export function readCode(thrown: unknown): string | undefined {
  return thrown instanceof Fault ? thrown.code : undefined;
}
