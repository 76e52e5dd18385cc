// A deeply frozen value.

export type Frozen<T> = T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> } : T;

/** Freezes a value made of JSON. One that is frozen already is frozen down to its leaves. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const held of Object.values(value)) freezeDeep(held);
  return Object.freeze(value);
}
