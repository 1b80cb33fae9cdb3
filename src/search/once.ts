import { madeOnce } from '../core/index.js';

/** A function that makes something when it is first called, and then has it. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A function that makes something of an object once, and forgets it with the object. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => madeOnce(made, key, () => make(key));
}
