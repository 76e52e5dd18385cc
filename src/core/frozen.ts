// A value that nobody changes, all the way down.

export type Frozen<T> = T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> } : T;
