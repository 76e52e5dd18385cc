// A gateway that ends with its terminal. Elsewhere SIGHUP, the signal of that end, asks for a reload.
import { isatty } from "node:tty";
import { findPlaces } from "../../config/places.ts";

const STANDARD_INPUT = 0;

/** True for a gateway that a person started in a terminal. It is asked before the signal: a closed terminal is none. */
export function endsWithTerminal(): boolean {
  return findPlaces((name) => process.env[name]).kind === "user" && isatty(STANDARD_INPUT);
}
