// The error of a call that must fail, and its code.
import { Fault } from "../src/core/fault.ts";

/** Returns what the promise rejects with, or undefined. */
export async function catchThrown(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Returns the code of a fault, and undefined for anything else. */
export function readCode(thrown: unknown): string | undefined {
  return thrown instanceof Fault ? thrown.code : undefined;
}
